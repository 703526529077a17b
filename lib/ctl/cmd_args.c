/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "ctl/cmd.h"

#include <errno.h>
#include <string.h>

bool
cmd_more(const struct cmd_in *in)
{
	return in->at < in->n;
}

bool
cmd_accept(struct cmd_in *in, const char *literal)
{
	if (!cmd_more(in) || strcmp(in->word[in->at], literal) != 0)
		return false;
	in->at++;
	return true;
}

int
cmd_take(struct cmd_in *in, const char *what, const char **word, struct err *err)
{
	if (!cmd_more(in))
		return err_set(err, -EINVAL, "%s is missing: %s %s", what, in->cmd->words,
			       in->cmd->args);
	*word = in->word[in->at++];
	return 0;
}

int
cmd_expect(struct cmd_in *in, const char *literal, struct err *err)
{
	const char *word;
	int ret = cmd_take(in, literal, &word, err);

	if (ret == 0 && strcmp(word, literal) != 0)
		return err_set(err, -EINVAL, "'%.64s' where '%s' belongs: %s %s", word, literal,
			       in->cmd->words, in->cmd->args);
	return ret;
}

int
cmd_take_port(struct cmd_in *in, uint16_t *port, struct err *err)
{
	const char *word;
	int ret = cmd_take(in, "PORT", &word, err);

	return ret < 0 ? ret : in->ports->find(word, port, err);
}

int
cmd_take_port_or_all(struct cmd_in *in, uint16_t *port, struct err *err)
{
	*port = PORT_NONE;
	if (cmd_accept(in, "all"))
		return 0;
	return cmd_take_port(in, port, err);
}

int
cmd_take_number(struct cmd_in *in, const char *what, uint64_t min, uint64_t max, uint64_t *value,
		struct err *err)
{
	const char *word;
	int ret = cmd_take(in, what, &word, err);

	return ret < 0 ? ret : addr_parse_number(what, word, min, max, value, err);
}

int
cmd_take_on_off(struct cmd_in *in, bool *on, struct err *err)
{
	const char *word;
	int ret = cmd_take(in, "on or off", &word, err);

	if (ret < 0)
		return ret;
	if (strcmp(word, "on") != 0 && strcmp(word, "off") != 0)
		return err_set(err, -EINVAL, "'%.64s' is neither on nor off", word);
	*on = strcmp(word, "on") == 0;
	return 0;
}

int
cmd_end(struct cmd_in *in, struct err *err)
{
	if (!cmd_more(in))
		return 0;
	return err_set(err, -EINVAL, "unexpected '%.64s': %s%s%s", in->word[in->at], in->cmd->words,
		       in->cmd->args[0] != '\0' ? " " : "", in->cmd->args);
}

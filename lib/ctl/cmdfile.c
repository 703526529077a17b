/* SPDX-License-Identifier: BSD-3-Clause */
#include "cfg/cfg.h"
#include "ctl/cmd.h"
#include "ctl/ctl.h"
#include "ctl/state.h"
#include "route/route.h"

#include <errno.h>
#include <string.h>

/* A command file, in its two passes. */
struct pass {
	struct ctl *ctl;
	const char *path;
	FILE *out;
	bool *wants_start;
	bool apply;
	bool rehearse;
	unsigned int begun; /* line of the open "begin"; 0: none is open */
	struct err *err;
};

/* Returned by a line function to end the file early without an error. */
#define ENOUGH 1

/* What the words alone do not say: batches must nest, and be closed. */
static int
check(struct pass *p, const struct cmd *cmd, const struct cmd_args *args, unsigned int number)
{
	if (cmd->kind == CMD_BEGIN) {
		if (p->begun != 0)
			return err_set(p->err, -EBUSY, "begin within the begin of line %u",
				       p->begun);
		p->begun = number;
	}
	if (cmd->kind == CMD_COMMIT || cmd->kind == CMD_ABORT) {
		if (p->begun == 0)
			return err_set(p->err, -EINVAL,
				       "%s without begin; 'begin' opens what it ends", cmd->words);
		p->begun = 0;
	}
	return cmd->check != NULL ? cmd->check(p->ctl, args, p->err) : 0;
}

/* "start" waits until everything has passed, so a "stop" behind it has only that to take back. */
static int
apply(struct pass *p, const struct cmd *cmd, const struct cmd_args *args)
{
	int ret;

	if (cmd->kind == CMD_START) {
		*p->wants_start = true;
		return 0;
	}
	if (cmd->kind == CMD_STOP && *p->wants_start) {
		*p->wants_start = false;
		return 0;
	}
	if (cmd->kind == CMD_SAVE && p->rehearse)
		return 0;
	ret = ctl_run_cmd(p->ctl, p, cmd, args, p->out, p->err);
	return ret == 0 && cmd->kind == CMD_QUIT ? ENOUGH : ret;
}

static int
one_line(char *line, size_t len, unsigned int number, void *arg)
{
	struct pass *p = arg;
	char *word[CMD_WORDS_MAX];
	const struct cmd *cmd;
	struct cmd_args args;
	int ret;

	if (strlen(line) != len)
		ret = err_set(p->err, -EINVAL, "a NUL byte in the line");
	else
		ret = cfg_words(line, word, CMD_WORDS_MAX, p->err);
	if (ret > 0) {
		ret = cmd_understand(word, (unsigned int)ret, p->ctl->cfg.ports, &cmd, &args,
				     p->err);
		if (ret == 0)
			ret = p->apply ? apply(p, cmd, &args) : check(p, cmd, &args, number);
	}
	if (ret < 0)
		return err_prefix(p->err, ret, "%s:%u", p->path, number);
	return ret;
}

int
ctl_file_check(struct ctl *ctl, const char *path, struct err *err)
{
	struct pass p = { .ctl = ctl, .path = path, .err = err };
	int ret = cfg_lines(path, one_line, &p, err);

	if (ret < 0)
		return ret;
	if (p.begun != 0)
		return err_set(err, -EINVAL, "%s:%u: begin without commit or abort", path, p.begun);
	return 0;
}

int
ctl_file_apply(struct ctl *ctl, const char *path, FILE *out, bool *wants_start, struct err *err)
{
	bool start = false;
	struct pass p = { .ctl = ctl,
			  .path = path,
			  .out = out,
			  .wants_start = &start,
			  .apply = true,
			  .rehearse = wants_start == NULL,
			  .err = err };
	int ret = cfg_lines(path, one_line, &p, err);

	ctl_forget(ctl, &p);
	if (ret < 0)
		return ret;
	if (start && wants_start != NULL)
		*wants_start = true;
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cfg/cfg.h"
#include "cfg/group.h"

#include <errno.h>
#include <stdbool.h>

#define STEER_FORM "(lcore):(lcore,...)"

static bool
has(const uint16_t *lcore, unsigned int n, uint16_t wanted)
{
	for (unsigned int i = 0; i < n; i++)
		if (lcore[i] == wanted)
			return true;
	return false;
}

/* The lcores of one pair of parentheses, each at most once. */
static int
take_side(const char **text, struct cfg_group *g, uint16_t *lcore, uint16_t *n, struct err *err)
{
	int ret = cfg_group_take(text, g, err);

	*n = 0;
	if (ret == 0 && g->nb_values == 0)
		return err_set(err, -EINVAL, "--steer: '%.*s' names no lcore; write " STEER_FORM,
			       CFG_SPAN_ARG(g->text));
	for (unsigned int i = 0; ret == 0 && i < g->nb_values; i++) {
		uint16_t id;

		ret = cfg_group_number(g, i, "lcore", CFG_LCORES_MAX - 1, &id, err);
		if (ret < 0)
			break;
		if (has(lcore, *n, id))
			return err_set(err, -EINVAL,
				       "--steer: '%.*s' names lcore %u twice; remove one",
				       CFG_SPAN_ARG(g->text), id);
		lcore[(*n)++] = id;
	}
	return ret;
}

static int
take_group(const char **text, struct cfg_group *g, struct cfg_steer *s, struct err *err)
{
	int ret = take_side(text, g, s->rx, &s->nb_rx, err);

	if (ret < 0)
		return ret;
	*text = cfg_skip_blanks(*text);
	if (**text != ':')
		return err_set(err, -EINVAL,
			       "--steer: ':' and the lcores that work are missing behind '%.*s'; "
			       "write " STEER_FORM,
			       CFG_SPAN_ARG(g->text));
	(*text)++;
	return take_side(text, g, s->target, &s->nb_target, err);
}

/* A receiving lcore has one set of targets; a target may serve several groups. */
static int
check_new(const struct cfg_steer *steer, unsigned int n, struct err *err)
{
	const struct cfg_steer *s = &steer[n];

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < s->nb_rx; k++)
			if (has(steer[i].rx, steer[i].nb_rx, s->rx[k]))
				return err_set(
					err, -EINVAL,
					"--steer: lcore %u receives for two groups; write all "
					"its targets into one",
					s->rx[k]);
	return 0;
}

int
cfg_steer_parse(const char *text, struct cfg_steer *steer, unsigned int max, unsigned int *n,
		struct err *err)
{
	struct cfg_group g = { .option = "--steer", .form = STEER_FORM };
	unsigned int found = 0;
	int ret;

	if (*cfg_skip_blanks(text) == '\0')
		return err_set(err, -EINVAL,
			       "--steer is empty; write who hands packets to whom, as in "
			       "\"(1):(2,3)\", or leave --steer out");
	do {
		if (found == max)
			return err_set(err, -EINVAL,
				       "--steer: more than %u groups; write lcores with the same "
				       "targets into one",
				       max);
		ret = take_group(&text, &g, &steer[found], err);
		if (ret == 0)
			ret = check_new(steer, found, err);
		if (ret < 0)
			return ret;
		found++;
		ret = cfg_group_more(&text, &g, err);
	} while (ret > 0);
	if (ret == 0)
		*n = found;
	return ret;
}

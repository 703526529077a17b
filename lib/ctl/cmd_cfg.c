/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/cmd.h"
#include "ctl/state.h"
#include "route/route.h"

static int
begin(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)a;
	(void)out;
	return router_begin(ctl->cfg.router, err);
}

static int
commit(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)a;
	(void)out;
	return router_commit(ctl->cfg.router, err);
}

static int
forget(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)a;
	(void)out;
	return router_abort(ctl->cfg.router, err);
}

static int
parse_help(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	(void)err;
	a->word = in->word + in->at;
	a->nb_words = in->n - in->at;
	in->at = in->n;
	return 0;
}

static int
help(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)ctl;
	return cmd_help(a->word, a->nb_words, out, err);
}

const struct cmd cmd_cfg[] = {
	{
		.words = "begin",
		.args = "",
		.run = begin,
		.help = "collect the route changes that follow",
		.kind = CMD_BEGIN,
	},
	{
		.words = "commit",
		.args = "",
		.run = commit,
		.help = "apply what was collected, all of it or nothing",
		.kind = CMD_COMMIT,
	},
	{
		.words = "abort",
		.args = "",
		.run = forget,
		.help = "forget what was collected",
		.kind = CMD_ABORT,
	},
	{
		.words = "help",
		.args = "[COMMAND]",
		.parse = parse_help,
		.run = help,
		.help = "this list, or the commands that begin with these words",
	},
	{ 0 },
};

/* Words that have a meaning, but not yet: refused by name instead of as typing errors. */
const struct cmd cmd_later[] = {
	{ .words = "vlan", .args = "", .kind = CMD_LATER },
	{ .words = "set icmp", .args = "", .kind = CMD_LATER },
	{ .words = "set steer", .args = "", .kind = CMD_LATER },
	{ .words = "set hash", .args = "", .kind = CMD_LATER },
	{ .words = "show steer", .args = "", .kind = CMD_LATER },
	{ 0 },
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/cmd.h"
#include "ctl/show.h"
#include "ctl/state.h"
#include "worker/worker.h"

#include <errno.h>

static int
start(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)a;
	(void)out;
	/* As testpmd: the forward statistics are those of this run. */
	if (ctl->cfg.workers != NULL && !workers_running(ctl->cfg.workers))
		show_fwd_clear(ctl);
	return ctl->cfg.run.start(ctl->cfg.run.arg, err);
}

static int
stop(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)a;
	(void)out;
	return ctl->cfg.run.stop(ctl->cfg.run.arg, err);
}

static int
quit(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)a;
	(void)out;
	(void)err;
	ctl->cfg.run.quit(ctl->cfg.run.arg);
	return 0;
}

static int
parse_burst(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	return cmd_take_number(in, "burst", 1, BUNDLE_MAX, &a->number, err);
}

static int
set_burst(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)out;
	if (ctl->cfg.workers == NULL)
		return err_set(err, -EINVAL, "set burst: there is no worker to set it for");
	return workers_set_burst(ctl->cfg.workers, (uint16_t)a->number, err);
}

static int
show_stats(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)a;
	(void)err;
	show_fwd_stats(ctl, out);
	return 0;
}

static int
clear_stats(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)a;
	(void)out;
	(void)err;
	show_fwd_clear(ctl);
	return 0;
}

const struct cmd cmd_fwd[] = {
	{
		.words = "start",
		.args = "",
		.run = start,
		.help = "begin to forward",
		.kind = CMD_START,
	},
	{
		.words = "stop",
		.args = "",
		.run = stop,
		.help = "drain and stop forwarding",
		.kind = CMD_STOP,
	},
	{
		.words = "quit",
		.args = "",
		.run = quit,
		.help = "stop and end the process",
		.kind = CMD_QUIT,
	},
	{
		.words = "set burst",
		.args = "N",
		.parse = parse_burst,
		.run = set_burst,
		.help = "packets taken from a queue at once, 1..256",
	},
	{
		.words = "show fwd stats all",
		.args = "",
		.run = show_stats,
		.help = "what became of each receive queue's packets, per port and in all",
	},
	{
		.words = "clear fwd stats all",
		.args = "",
		.run = clear_stats,
		.help = "show fwd stats counts from here",
	},
	{ 0 },
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "ctl/cmd.h"
#include "ctl/state.h"
#include "route/route.h"
#include "slow/slow.h"
#include "worker/worker.h"

/* "addr add 10.0.0.1/24 dev PORT" and its opposite. */
static int
parse(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	int ret = cmd_take(in, "ADDRESS/LENGTH", &a->text, err);

	if (ret < 0)
		return ret;
	ret = addr_parse_ifaddr(a->text, &a->ip, &a->depth, err);
	if (ret < 0)
		return ret;
	ret = cmd_expect(in, "dev", err);
	return ret < 0 ? ret : cmd_take_port(in, &a->port, err);
}

static int
add(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	const struct router_addr addr = { .ip = a->ip, .port = a->port, .depth = a->depth };
	int ret = router_addr_add(ctl->cfg.router, &addr, err);

	(void)out;
	if (ret < 0)
		return ret;
	/* What is there at start, start announces itself. */
	if (ctl->cfg.workers != NULL && workers_running(ctl->cfg.workers))
		slow_announce_one(ctl->cfg.slow, a->port, a->ip);
	return 0;
}

static int
del(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	const struct router_addr addr = { .ip = a->ip, .port = a->port, .depth = a->depth };

	(void)out;
	return router_addr_del(ctl->cfg.router, &addr, err);
}

const struct cmd cmd_addr[] = {
	{
		.words = "addr add",
		.args = "ADDRESS/LENGTH dev PORT",
		.parse = parse,
		.run = add,
		.help = "give a port an address, and a route to its network",
	},
	{
		.words = "addr del",
		.args = "ADDRESS/LENGTH dev PORT",
		.parse = parse,
		.run = del,
		.help = "take an address away again",
	},
	{ 0 },
};

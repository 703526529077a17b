/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "ctl/cmd.h"
#include "ctl/show.h"
#include "ctl/state.h"

#include <string.h>

#include <rte_version.h>

/* The rows without arguments share one shape. */
#define PRINTER(name, call)                                                                        \
	static int name(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)     \
	{                                                                                          \
		(void)ctl;                                                                         \
		(void)a;                                                                           \
		(void)err;                                                                         \
		call;                                                                              \
		return 0;                                                                          \
	}

PRINTER(addr, show_addr(ctl, out))
PRINTER(neigh, show_neigh(ctl, out))
PRINTER(lcores, show_lcores(ctl, out))
PRINTER(drops, show_drops(ctl, out))
PRINTER(ledger, show_ledger(ctl, out))
PRINTER(fib, show_fib(ctl, out))
PRINTER(pools, show_pools(ctl, out))
PRINTER(plan, ctl->cfg.run.print_plan(ctl->cfg.run.arg, out))
PRINTER(version, fprintf(out, "sluice %s (%s)\n", ctl->cfg.version, rte_version()))

/* [IP | PREFIX/LENGTH longer] */
static int
parse_route(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	int ret;

	if (!cmd_more(in))
		return 0;
	ret = cmd_take(in, "IP", &a->text, err);
	if (ret < 0)
		return ret;
	a->given = true;
	if (strchr(a->text, '/') == NULL)
		return addr_parse_ip4(a->text, &a->ip, err);
	a->longer = true;
	ret = addr_parse_prefix(a->text, &a->ip, &a->depth, err);
	return ret < 0 ? ret : cmd_expect(in, "longer", err);
}

static int
route(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	if (a->given && !a->longer)
		return show_route_match(ctl, a->ip, out, err);
	show_routes(ctl, a->ip, a->depth, out);
	return 0;
}

const struct cmd cmd_show[] = {
	{
		.words = "show addr",
		.args = "",
		.run = addr,
		.help = "addresses and their ports",
	},
	{
		.words = "show neigh",
		.args = "",
		.run = neigh,
		.help = "neighbours and their states",
	},
	{
		.words = "show route",
		.args = "[IP | PREFIX/LENGTH longer]",
		.parse = parse_route,
		.run = route,
		.help = "all routes, the one an address takes, or those within a prefix",
	},
	{
		.words = "show lcores",
		.args = "",
		.run = lcores,
		.help = "packets, busy share and longest gap of each worker",
	},
	{
		.words = "show drops",
		.args = "",
		.run = drops,
		.help = "every place where a packet may be lost, its count and a hint",
	},
	{
		.words = "show ledger",
		.args = "",
		.run = ledger,
		.help = "where every packet went, by thread and in all",
	},
	{
		.words = "show fib",
		.args = "",
		.run = fib,
		.help = "size and use of the lookup table",
	},
	{
		.words = "show pools",
		.args = "",
		.run = pools,
		.help = "packet buffers: in use, free and the low-water mark",
	},
	{
		.words = "show plan",
		.args = "",
		.run = plan,
		.help = "who polls what, and the memory plan",
	},
	{
		.words = "show version",
		.args = "",
		.run = version,
		.help = "of sluice and of DPDK",
	},
	{ 0 },
};

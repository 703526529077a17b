/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "ctl/cmd.h"
#include "ctl/state.h"
#include "route/route.h"
#include "slow/slow.h"

static int
parse_ip(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	int ret = cmd_take(in, "IP", &a->text, err);

	return ret < 0 ? ret : addr_parse_ip4(a->text, &a->ip, err);
}

static int
parse_dev(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	int ret = cmd_expect(in, "dev", err);

	return ret < 0 ? ret : cmd_take_port(in, &a->port, err);
}

static int
parse_add(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	int ret = parse_ip(in, a, err);

	if (ret < 0)
		return ret;
	ret = cmd_expect(in, "lladdr", err);
	if (ret < 0)
		return ret;
	ret = cmd_take(in, "MAC", &a->text, err);
	if (ret < 0)
		return ret;
	ret = addr_parse_mac(a->text, &a->mac, err);
	return ret < 0 ? ret : parse_dev(in, a, err);
}

static int
parse_del(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	int ret = parse_ip(in, a, err);

	return ret < 0 ? ret : parse_dev(in, a, err);
}

static int
add(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	int ret = router_neigh_add(ctl->cfg.router, a->port, a->ip, &a->mac, err);

	(void)out;
	/* Packets may be waiting for exactly this. */
	if (ret == 0 && ctl->cfg.slow != NULL)
		slow_neigh_resolved(ctl->cfg.slow, a->port, a->ip);
	return ret;
}

static int
del(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)out;
	return router_neigh_del(ctl->cfg.router, a->port, a->ip, err);
}

const struct cmd cmd_neigh[] = {
	{
		.words = "neigh add",
		.args = "IP lladdr MAC dev PORT",
		.parse = parse_add,
		.run = add,
		.help = "a static neighbour: never asked for, never expires",
	},
	{
		.words = "neigh del",
		.args = "IP dev PORT",
		.parse = parse_del,
		.run = del,
		.help = "forget a neighbour",
	},
	{ 0 },
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/cmd.h"
#include "ctl/show.h"
#include "ctl/state.h"
#include "route/route.h"

#include <errno.h>

/* An IPv4 link carries 68 bytes at least (RFC 791); 65535 is the longest packet. */
#define MTU_MIN 68
#define MTU_MAX 65535

static int
parse_mtu(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	int ret = cmd_take_port(in, &a->port, err);

	return ret < 0 ? ret : cmd_take_number(in, "MTU", MTU_MIN, MTU_MAX, &a->number, err);
}

static int
set_mtu(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	const struct router_port *port = router_port(ctl->cfg.router, a->port);
	uint16_t old;
	int ret;

	(void)out;
	if (port == NULL)
		return err_set(err, -ENODEV, "port %u does not route: --check shows the ports",
			       a->port);
	old = port->mtu;
	ret = router_port_mtu(ctl->cfg.router, a->port, (uint16_t)a->number, err);
	if (ret < 0)
		return ret;
	ret = ctl->cfg.ports->mtu(a->port, (uint16_t)a->number, err);
	if (ret < 0)
		router_port_mtu(ctl->cfg.router, a->port, old, NULL);
	return ret;
}

static int
parse_promisc(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	int ret = cmd_take_port(in, &a->port, err);

	return ret < 0 ? ret : cmd_take_on_off(in, &a->on, err);
}

static int
set_promisc(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)out;
	return ctl->cfg.ports->promisc(a->port, a->on, err);
}

static int
parse_ports(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	return cmd_take_port_or_all(in, &a->port, err);
}

static void
each(struct ctl *ctl, uint16_t port, void (*show)(struct ctl *, uint16_t, FILE *), FILE *out)
{
	if (port != PORT_NONE) {
		show(ctl, port, out);
		return;
	}
	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p))
		show(ctl, p, out);
}

static int
show_info(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)err;
	each(ctl, a->port, show_port_info, out);
	return 0;
}

static int
show_stats(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)err;
	each(ctl, a->port, show_port_stats, out);
	return 0;
}

static int
show_xstats(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)err;
	each(ctl, a->port, show_port_xstats, out);
	return 0;
}

static int
clear_stats(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	if (a->port != PORT_NONE)
		return show_port_clear(ctl, a->port, out, err);
	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p)) {
		int ret = show_port_clear(ctl, p, out, err);

		if (ret < 0)
			return ret;
	}
	return 0;
}

const struct cmd cmd_port[] = {
	{
		.words = "port config mtu",
		.args = "PORT N",
		.parse = parse_mtu,
		.run = set_mtu,
		.help = "longest IPv4 packet a port sends, 68..65535 bytes",
	},
	{
		.words = "set promisc",
		.args = "PORT on|off",
		.parse = parse_promisc,
		.run = set_promisc,
		.help = "let the NIC receive frames for other hosts too",
	},
	{
		.words = "show port info",
		.args = "all|PORT",
		.parse = parse_ports,
		.run = show_info,
		.help = "device, link, queues and the chosen receive and transmit functions",
	},
	{
		.words = "show port stats",
		.args = "all|PORT",
		.parse = parse_ports,
		.run = show_stats,
		.help = "counters and rates since the last show",
	},
	{
		.words = "show port xstats",
		.args = "all|PORT",
		.parse = parse_ports,
		.run = show_xstats,
		.help = "every counter the device has",
	},
	{
		.words = "clear port stats",
		.args = "all|PORT",
		.parse = parse_ports,
		.run = clear_stats,
		.help = "show port stats counts from here",
	},
	{ 0 },
};

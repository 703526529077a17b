/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/hdr4.h"
#include "route/route_internal.h"

#include <errno.h>
#include <string.h>

static void
toward(const struct router *r, uint16_t port, struct router_hop *hop)
{
	hop->port = port;
	hop->mtu = r->port[port].pub.mtu;
	hop->src = r->port[port].pub.mac;
	hop->kind = ADJ_RESOLVE;
	if (hop->neigh != NULL && neigh_has_mac(hop->neigh)) {
		hop->kind = ADJ_FORWARD;
		hop->dst = hop->neigh->mac;
	}
}

/* On the link: the destination is its own next hop. */
static void
on_link(const struct router *r, uint16_t port, uint32_t ip, struct router_hop *hop)
{
	hop->next_ip = ip;
	hop->neigh = neigh_find(r->neighs, port, ip);
	toward(r, port, hop);
}

static void
by_static(const struct router *r, const struct static_route *st, uint32_t ip,
	  struct router_hop *hop)
{
	const struct nexthop *nh;

	if (st->kind == ROUTE_BLACKHOLE) {
		hop->kind = ADJ_BLACKHOLE;
		return;
	}
	if (st->kind == ROUTE_DEV) {
		on_link(r, st->port, ip, hop);
		return;
	}
	nh = group_select(st->group);
	hop->next_ip = nh->ip;
	hop->neigh = nh->neigh;
	if (nh->port != ROUTE_PORT_ANY)
		toward(r, nh->port, hop);
}

void
router_hop(const struct router *r, uint32_t ip, struct router_hop *hop)
{
	const struct rib_entry *e = fib_match(r->fib, ip);

	memset(hop, 0, sizeof(*hop));
	hop->kind = ADJ_NO_ROUTE;
	hop->port = ROUTE_PORT_ANY;
	/* RFC 1812 5.3.7 and 5.2.7.5: no unicast host, whatever a route says. */
	if (hdr4_no_host(ip)) {
		hop->kind = ADJ_BAD_DESTINATION;
		return;
	}
	if (e == NULL)
		return;
	switch (rib_source(e)) {
	case RIB_LOCAL:
		hop->kind = ADJ_LOCAL;
		router_is_own(r, ip, &hop->port);
		break;
	case RIB_BAD:
		hop->kind = ADJ_BAD_DESTINATION;
		break;
	case RIB_CONNECTED:
		on_link(r, e->connected_port, ip, hop);
		break;
	case RIB_HOST:
		on_link(r, e->host->port, ip, hop);
		break;
	case RIB_STATIC:
		by_static(r, e->fixed, ip, hop);
		break;
	case RIB_NONE:
		break;
	}
}

/* ---- what is printed */
static void
info_dev(struct route_info *info, const struct rib_entry *e, enum route_source source,
	 uint16_t port)
{
	memset(info, 0, sizeof(*info));
	info->source = source;
	info->spec.prefix = e->prefix;
	info->spec.depth = e->depth;
	info->spec.kind = ROUTE_DEV;
	info->spec.nb_nh = 1;
	info->spec.nh[0] = (struct route_nh){ .port = port, .weight = 1 };
	info->active = true;
}

static void
info_host(struct route_info *info, const struct rib_entry *e)
{
	info_dev(info, e, ROUTE_HOST, e->host->port);
	info->resolved = true;
	info->mac = e->host->mac;
}

static void
info_static(struct route_info *info, const struct rib_entry *e)
{
	const struct static_route *st = e->fixed;
	const struct nexthop *hop;

	info_dev(info, e, ROUTE_STATIC, st->port);
	info->spec.kind = st->kind;
	if (st->kind == ROUTE_BLACKHOLE)
		info->spec.nb_nh = 0;
	if (st->kind != ROUTE_VIA)
		return;
	info->spec.nb_nh = st->group->nb_legs;
	for (uint8_t i = 0; i < st->group->nb_legs; i++)
		info->spec.nh[i] = (struct route_nh){
			.ip = st->group->leg[i].hop->ip,
			.port = st->group->leg[i].hop->want,
			.weight = st->group->leg[i].weight,
		};
	hop = group_select(st->group);
	info->active = hop->port != ROUTE_PORT_ANY;
	info->resolved = info->active && hop->neigh != NULL && neigh_has_mac(hop->neigh);
	if (info->resolved && st->group->nb_legs == 1)
		info->mac = hop->neigh->mac;
}

static uint16_t
own_port(const struct router *r, uint32_t ip)
{
	uint16_t port = ROUTE_PORT_ANY;

	router_is_own(r, ip, &port);
	return port;
}

struct walk {
	const struct router *r;
	router_route_fn fn;
	void *arg;
};

/* Best source first; the ones it hides are told too, as not active. */
static int
tell(uint32_t prefix, uint8_t depth, uint16_t id, void *owner, void *arg)
{
	const struct rib_entry *e = owner;
	const struct walk *w = arg;
	enum rib_source best = rib_source(e);
	struct route_info info;
	int ret = 0;

	(void)prefix;
	(void)depth;
	(void)id;
	if (e->local) {
		info_dev(&info, e, ROUTE_LOCAL, own_port(w->r, e->prefix));
		ret = w->fn(&info, w->arg);
	}
	if (ret == 0 && e->nb_connected > 0) {
		info_dev(&info, e, ROUTE_CONNECTED, e->connected_port);
		info.active = best == RIB_CONNECTED;
		ret = w->fn(&info, w->arg);
	}
	if (ret == 0 && e->fixed != NULL) {
		info_static(&info, e);
		info.active &= best == RIB_STATIC || best == RIB_HOST;
		info.resolved &= info.active;
		ret = w->fn(&info, w->arg);
	}
	if (ret == 0 && e->host != NULL) {
		info_host(&info, e);
		info.active = best == RIB_HOST;
		ret = w->fn(&info, w->arg);
	}
	return ret;
}

int
router_route_walk(const struct router *r, uint32_t prefix, uint8_t depth, router_route_fn fn,
		  void *arg)
{
	struct walk w = { .r = r, .fn = fn, .arg = arg };

	return fib_walk(r->fib, prefix, depth, tell, &w);
}

int
router_route_match(const struct router *r, uint32_t ip, struct route_info *info)
{
	const struct rib_entry *e = fib_match(r->fib, ip);

	switch (e == NULL ? RIB_NONE : rib_source(e)) {
	case RIB_LOCAL:
		info_dev(info, e, ROUTE_LOCAL, own_port(r, ip));
		return 0;
	case RIB_CONNECTED:
		info_dev(info, e, ROUTE_CONNECTED, e->connected_port);
		return 0;
	case RIB_STATIC:
		info_static(info, e);
		return 0;
	case RIB_HOST:
		info_host(info, e);
		return 0;
	case RIB_BAD:
	case RIB_NONE:
		break;
	}
	return -ENOENT;
}

void
router_fib_info(const struct router *r, struct fib_info *info)
{
	fib_info(r->fib, info);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/hdr4.h"
#include "route/route_internal.h"

#include <errno.h>
#include <stdlib.h>

static int
check_port(const struct router *r, uint16_t id, struct err *err)
{
	if (router_port(r, id) == NULL)
		return err_set(err, -ENODEV, "there is no port %u; 'show port info all' lists them",
			       id);
	return 0;
}

static int
check_nexthop(const struct router *r, const struct route_nh *nh, struct err *err)
{
	char text[ADDR_IP4_TEXT];

	if (hdr4_no_host(nh->ip))
		return err_set(err, -EINVAL,
			       "next hop %s is no host's address; name a router on a connected "
			       "network",
			       addr_ip4(text, nh->ip));
	if (nh->weight == 0 || nh->weight > ROUTE_WEIGHT_MAX)
		return err_set(err, -EINVAL, "weight %u is outside 1..%u; write one within",
			       nh->weight, ROUTE_WEIGHT_MAX);
	return nh->port == ROUTE_PORT_ANY ? 0 : check_port(r, nh->port, err);
}

/* What does not depend on the router's addresses and routes. */
static int
check(const struct router *r, const struct route_spec *spec, struct err *err)
{
	char text[ADDR_PREFIX_TEXT];
	int ret = 0;

	if (spec->depth > 32)
		return err_set(err, -EINVAL, "length %u is above 32; write 0..32", spec->depth);
	if ((spec->prefix & ~addr_mask(spec->depth)) != 0)
		return err_set(err, -EINVAL, "host bits are set; did you mean %s?",
			       addr_prefix(text, spec->prefix & addr_mask(spec->depth),
					   spec->depth));
	switch (spec->kind) {
	case ROUTE_BLACKHOLE:
		return 0;
	case ROUTE_DEV:
		return check_port(r, spec->nh[0].port, err);
	case ROUTE_VIA:
		break;
	default:
		return err_set(err, -EINVAL, "unknown kind of route %u", spec->kind);
	}
	if (spec->nb_nh == 0 || spec->nb_nh > ROUTE_NH_MAX)
		return err_set(err, -EINVAL, "%u next hops; a route has 1..%u", spec->nb_nh,
			       ROUTE_NH_MAX);
	for (uint8_t i = 0; i < spec->nb_nh && ret == 0; i++)
		ret = check_nexthop(r, &spec->nh[i], err);
	return ret;
}

int
static_check_gateways(const struct router *r, const struct route_spec *spec, struct err *err)
{
	char text[ADDR_IP4_TEXT];
	uint16_t port;

	for (uint8_t i = 0; spec->kind == ROUTE_VIA && i < spec->nb_nh; i++)
		if (router_is_own(r, spec->nh[i].ip, &port))
			return err_set(err, -EINVAL,
				       "next hop %s is our own address on %s; name another router",
				       addr_ip4(text, spec->nh[i].ip), port_name(r, port));
	return 0;
}

int
static_build(struct router *r, const struct route_spec *spec, struct static_route **out,
	     struct err *err)
{
	struct static_route *st;
	int ret;

	ret = static_check_gateways(r, spec, err);
	if (ret < 0)
		return ret;
	st = calloc(1, sizeof(*st));
	if (st == NULL)
		return err_set(err, -ENOMEM, "no memory for another route");
	st->kind = spec->kind;
	st->port = spec->kind == ROUTE_DEV ? spec->nh[0].port : ROUTE_PORT_ANY;
	if (spec->kind == ROUTE_VIA)
		ret = group_get(r, spec, &st->group, err);
	if (ret < 0) {
		free(st);
		return ret;
	}
	*out = st;
	return 0;
}

void
static_destroy(struct router *r, struct static_route *st)
{
	if (st == NULL)
		return;
	if (st->group != NULL)
		group_put(r, st->group);
	free(st);
}

static struct rib_prefix
prefix_of(const struct route_spec *spec)
{
	return (struct rib_prefix){ .prefix = spec->prefix, .depth = spec->depth };
}

static bool
exists(const struct router *r, uint32_t prefix, uint8_t depth)
{
	const struct rib_entry *e = fib_exact(r->fib, prefix, depth);

	return e != NULL && e->fixed != NULL;
}

static int
apply_add(struct router *r, const struct route_spec *spec, bool replace, struct err *err)
{
	struct static_route *st, *old;
	int ret;

	if (!replace && exists(r, spec->prefix, spec->depth))
		return err_set(err, -EEXIST, "exists already; use 'route replace'");
	ret = static_build(r, spec, &st, err);
	if (ret < 0)
		return ret;
	ret = rib_put_static(r, prefix_of(spec), st, &old, err);
	/* What is not in the FIB, or no longer, gives its next hops back. */
	static_destroy(r, ret < 0 ? st : old);
	return ret;
}

int
router_route_add(struct router *r, const struct route_spec *spec, bool replace, struct err *err)
{
	char text[ADDR_PREFIX_TEXT];
	int ret;

	ret = check(r, spec, err);
	if (ret == 0 && r->txn.open)
		ret = txn_push(r, replace ? TXN_REPLACE : TXN_ADD, spec, err);
	else if (ret == 0)
		ret = apply_add(r, spec, replace, err);
	if (ret < 0)
		return err_prefix(err, ret, "route %s %s", replace ? "replace" : "add",
				  addr_prefix(text, spec->prefix, spec->depth));
	return 0;
}

static int
apply_del(struct router *r, const struct route_spec *spec, struct err *err)
{
	struct static_route *old;
	int ret;

	if (!exists(r, spec->prefix, spec->depth))
		return err_set(err, -ENOENT,
			       "there is no such static route; 'show route' lists them");
	ret = rib_put_static(r, prefix_of(spec), NULL, &old, err);
	static_destroy(r, old);
	return ret;
}

int
router_route_del(struct router *r, uint32_t prefix, uint8_t depth, struct err *err)
{
	struct route_spec spec = { .prefix = prefix, .depth = depth, .kind = ROUTE_BLACKHOLE };
	char text[ADDR_PREFIX_TEXT];
	int ret;

	ret = check(r, &spec, err);
	if (ret == 0 && r->txn.open)
		ret = txn_push(r, TXN_DEL, &spec, err);
	else if (ret == 0)
		ret = apply_del(r, &spec, err);
	if (ret < 0)
		return err_prefix(err, ret, "route del %s", addr_prefix(text, prefix, depth));
	return 0;
}

uint32_t
router_route_count(const struct router *r)
{
	return r->nb_static;
}

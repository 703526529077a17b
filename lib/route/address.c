/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/hdr4.h"
#include "route/route_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
network(const struct router_addr *a)
{
	return a->ip & addr_mask(a->depth);
}

static uint32_t
broadcast(const struct router_addr *a)
{
	return a->ip | ~addr_mask(a->depth);
}

static bool
holds(const struct router_addr *a, uint32_t ip)
{
	return (ip & addr_mask(a->depth)) == network(a);
}

/* RFC 3021: the two addresses of a /31 are hosts; a /32 is one.  Neither has a broadcast. */
static bool
has_broadcast(const struct router_addr *a)
{
	return a->depth < 31;
}

static const struct router_addr *
find(const struct router *r, uint32_t ip)
{
	for (uint32_t i = 0; i < r->nb_addrs; i++)
		if (r->addr[i].ip == ip)
			return &r->addr[i];
	return NULL;
}

uint16_t
addr_link(const struct router *r, uint16_t only, uint32_t ip)
{
	const struct router_addr *best = NULL;

	for (uint32_t i = 0; i < r->nb_addrs; i++) {
		const struct router_addr *a = &r->addr[i];

		if ((only != ROUTE_PORT_ANY && a->port != only) || !holds(a, ip))
			continue;
		if (best == NULL || a->depth > best->depth)
			best = a;
	}
	return best == NULL ? ROUTE_PORT_ANY : best->port;
}

static int
check_shape(const struct router *r, const struct router_addr *a, struct err *err)
{
	char text[ADDR_IP4_TEXT];

	if (router_port(r, a->port) == NULL)
		return err_set(err, -ENODEV, "there is no port %u; 'show port info all' lists them",
			       a->port);
	if (a->depth < 1 || a->depth > 32)
		return err_set(err, -EINVAL, "length %u is outside 1..32; write one within",
			       a->depth);
	if (hdr4_no_host(a->ip))
		return err_set(err, -EINVAL,
			       "no host has an address of 0/8, 127/8, 224/4 or 240/4; use another");
	if (has_broadcast(a) && a->ip == network(a))
		return err_set(err, -EINVAL,
			       "this is the network's own address; %s is the first a host may have",
			       addr_ip4(text, network(a) + 1));
	if (has_broadcast(a) && a->ip == broadcast(a))
		return err_set(err, -EINVAL,
			       "this is the network's broadcast address; %s is the last a host may "
			       "have",
			       addr_ip4(text, broadcast(a) - 1));
	return 0;
}

static int
check_room(const struct router *r, const struct router_addr *a, struct err *err)
{
	const struct router_addr *same = find(r, a->ip);
	char text[ADDR_PREFIX_TEXT];

	if (same != NULL)
		return err_set(err, -EEXIST, "%s has this address already; 'addr del' it there",
			       port_name(r, same->port));
	for (uint32_t i = 0; i < r->nb_addrs; i++) {
		const struct router_addr *b = &r->addr[i];

		if (b->port != a->port && b->depth == a->depth && network(b) == network(a))
			return err_set(err, -EEXIST,
				       "network %s is on %s already; one network lives on one port",
				       addr_prefix(text, network(a), a->depth),
				       port_name(r, b->port));
	}
	if (r->nb_addrs >= ROUTER_ADDRS_MAX)
		return err_set(err, -ENOSPC, "there are %u addresses, the most there may be",
			       ROUTER_ADDRS_MAX);
	return 0;
}

static int
add_sources(struct router *r, const struct router_addr *a, struct err *err)
{
	int ret;

	ret = rib_add_local(r, a->ip, err);
	if (ret < 0 || a->depth == 32)
		return ret;
	if (has_broadcast(a)) {
		ret = rib_add_bad(r, network(a), err);
		if (ret < 0)
			goto err_del_local;
		ret = rib_add_bad(r, broadcast(a), err);
		if (ret < 0)
			goto err_del_network;
	}
	ret = rib_add_connected(r, network(a), a->depth, a->port, err);
	if (ret < 0)
		goto err_del_broadcast;
	return 0;

err_del_broadcast:
	if (has_broadcast(a))
		rib_del_bad(r, broadcast(a));
err_del_network:
	if (has_broadcast(a))
		rib_del_bad(r, network(a));
err_del_local:
	rib_del_local(r, a->ip);
	return ret;
}

static void
del_sources(struct router *r, const struct router_addr *a)
{
	/* The network first: at no time is its broadcast address one of its hosts. */
	if (a->depth < 32)
		rib_del_connected(r, network(a), a->depth);
	if (has_broadcast(a)) {
		rib_del_bad(r, broadcast(a));
		rib_del_bad(r, network(a));
	}
	rib_del_local(r, a->ip);
}

static int
apply_add(struct router *r, const struct router_addr *a, struct err *err)
{
	struct router_addr *addrs;
	struct own_table *own;
	int ret;

	own = own_build(r, a, NULL);
	if (own == NULL)
		return err_set(err, -ENOMEM, "no memory for another address");
	addrs = reallocarray(r->addr, r->nb_addrs + 1, sizeof(*addrs));
	if (addrs == NULL) {
		ret = err_set(err, -ENOMEM, "no memory for another address");
		goto err_free_own;
	}
	r->addr = addrs;
	ret = add_sources(r, a, err);
	if (ret < 0)
		goto err_free_own;
	r->addr[r->nb_addrs++] = *a;
	own_publish(r, own);
	nexthop_refresh_all(r);
	neighbour_forget_ip(r, a->ip);
	return 0;

err_free_own:
	own_free(own);
	return ret;
}

int
router_addr_add(struct router *r, const struct router_addr *a, struct err *err)
{
	char text[ADDR_PREFIX_TEXT];
	int ret;

	ret = check_shape(r, a, err);
	if (ret == 0)
		ret = check_room(r, a, err);
	if (ret == 0)
		ret = apply_add(r, a, err);
	if (ret < 0)
		return err_prefix(err, ret, "addr add %s", addr_prefix(text, a->ip, a->depth));
	return 0;
}

static int
apply_del(struct router *r, const struct router_addr *want, struct err *err)
{
	const struct router_addr *at = find(r, want->ip);
	struct router_addr a = *want;
	struct own_table *own;

	if (at == NULL)
		return err_set(err, -ENOENT, "no port has this address; 'show addr' lists them");
	if (at->port != a.port || at->depth != a.depth)
		return err_set(err, -ENOENT, "this address is /%u on %s; name it so", at->depth,
			       port_name(r, at->port));
	own = own_build(r, NULL, &a);
	if (own == NULL)
		return err_set(err, -ENOMEM, "no memory to publish the change; nothing changed");
	r->nb_addrs--;
	memmove(&r->addr[at - r->addr], at + 1,
		(r->nb_addrs - (size_t)(at - r->addr)) * sizeof(*at));
	del_sources(r, &a);
	own_publish(r, own);
	nexthop_refresh_all(r);
	neighbour_forget_net(r, &a);
	return 0;
}

int
router_addr_del(struct router *r, const struct router_addr *a, struct err *err)
{
	char text[ADDR_PREFIX_TEXT];
	int ret;

	ret = apply_del(r, a, err);
	if (ret < 0)
		return err_prefix(err, ret, "addr del %s", addr_prefix(text, a->ip, a->depth));
	return 0;
}

int
router_addr_walk(const struct router *r, router_addr_fn fn, void *arg)
{
	int ret = 0;

	for (uint32_t i = 0; i < r->nb_addrs && ret == 0; i++)
		ret = fn(&r->addr[i], arg);
	return ret;
}

bool
router_is_own(const struct router *r, uint32_t ip, uint16_t *port)
{
	const struct router_addr *a;

	if (!own_maybe(r->view.own, ip))
		return false;
	a = find(r, ip);
	if (a != NULL && port != NULL)
		*port = a->port;
	return a != NULL;
}

uint32_t
router_source_for(const struct router *r, uint16_t port, uint32_t ip)
{
	const struct router_addr *first = NULL, *best = NULL;

	for (uint32_t i = 0; i < r->nb_addrs; i++) {
		const struct router_addr *a = &r->addr[i];

		if (a->port != port)
			continue;
		if (first == NULL)
			first = a;
		if (holds(a, ip) && (best == NULL || a->depth > best->depth))
			best = a;
	}
	if (best != NULL)
		return best->ip;
	return first != NULL ? first->ip : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/hdr4.h"
#include "route/route_internal.h"

#include <errno.h>

/* What follows from a neighbour's MAC: next hops through it, and its own host route. */
void
neighbour_changed(struct neigh *n, void *arg)
{
	struct router *r = arg;

	host_track(r, n);
	nexthop_neigh_changed(r, n);
	host_refresh(r, n);
}

static bool
on_link(const struct router *r, uint16_t port, uint32_t ip)
{
	return addr_link(r, port, ip) != ROUTE_PORT_ANY || host_link(r, ip) == port;
}

/*
 * Nothing says any more that it is there.  One that packets wait for becomes FAILED, due at once:
 * lib/slow's timer settles the packets and forgets it.
 */
static void
forget(struct router *r, struct neigh *n)
{
	n->tries = 0;
	if (n->hold != NULL) {
		n->due_us = 1;
		neigh_set(r->neighs, n, NEIGH_FAILED, NULL);
	} else if (n->refs > 0) {
		n->due_us = 0;
		neigh_set(r->neighs, n, NEIGH_IDLE, NULL);
	} else {
		neigh_remove(r->neighs, n);
	}
}

/* The address became our own. */
void
neighbour_forget_ip(struct router *r, uint32_t ip)
{
	for (uint16_t port = 0; port < RTE_DIM(r->port); port++) {
		struct neigh *n = neigh_find(r->neighs, port, ip);

		if (n != NULL)
			forget(r, n);
	}
}

struct net {
	struct router *r;
	const struct router_addr *a;
};

static int
forget_in(struct neigh *n, void *arg)
{
	const struct net *net = arg;
	const struct router_addr *a = net->a;

	if (n->port == a->port && ((n->ip ^ a->ip) & addr_mask(a->depth)) == 0 &&
	    !on_link(net->r, n->port, n->ip))
		forget(net->r, n);
	return 0;
}

/* The address is gone; those of its network that no other address or route reaches go too. */
void
neighbour_forget_net(struct router *r, const struct router_addr *a)
{
	struct net net = { .r = r, .a = a };

	neigh_walk(r->neighs, forget_in, &net);
}

static int
check(const struct router *r, uint16_t port, uint32_t ip, const struct rte_ether_addr *mac,
      struct err *err)
{
	const struct router_port *p = router_port(r, port);
	uint16_t own_port;

	if (p == NULL)
		return err_set(err, -ENODEV, "there is no port %u; 'show port info all' lists them",
			       port);
	if (hdr4_no_host(ip))
		return err_set(err, -EINVAL,
			       "no host has an address of 0/8, 127/8, 224/4 or 240/4");
	if (router_is_own(r, ip, &own_port))
		return err_set(err, -EINVAL, "this is our own address on %s",
			       port_name(r, own_port));
	if (rib_is_bad(r, ip))
		return err_set(err, -EINVAL,
			       "this is the network's first or last address, which no host has");
	if (!rte_is_valid_assigned_ether_addr(mac))
		return err_set(err, -EINVAL, "a group or zero MAC address; a host's own is needed");
	if (rte_is_same_ether_addr(mac, &p->mac))
		return err_set(err, -EINVAL, "this MAC address is %s's own", p->name);
	return 0;
}

static int
apply_add(struct router *r, uint16_t port, uint32_t ip, const struct rte_ether_addr *mac,
	  struct err *err)
{
	struct neigh *n = neigh_get(r->neighs, port, ip);
	char text[ADDR_IP4_TEXT];

	if (n == NULL)
		return err_set(
			err, -ENOSPC,
			"the table holds %u neighbours, the most there may be; delete one or "
			"start with room for more",
			neigh_count(r->neighs));
	n->tries = 0;
	n->due_us = 0;
	neigh_set(r->neighs, n, NEIGH_STATIC, mac);
	/* Kept, as a route is before its next hop is connected; but it may be a slip of the pen. */
	if (!on_link(r, port, ip))
		log_notice("neigh add %s: on no connected network of %s, so it waits for one",
			   addr_ip4(text, ip), port_name(r, port));
	return 0;
}

int
router_neigh_add(struct router *r, uint16_t port, uint32_t ip, const struct rte_ether_addr *mac,
		 struct err *err)
{
	char text[ADDR_IP4_TEXT];
	int ret;

	ret = check(r, port, ip, mac, err);
	if (ret == 0)
		ret = apply_add(r, port, ip, mac, err);
	if (ret < 0)
		return err_prefix(err, ret, "neigh add %s", addr_ip4(text, ip));
	return 0;
}

int
router_neigh_del(struct router *r, uint16_t port, uint32_t ip, struct err *err)
{
	struct neigh *n = neigh_find(r->neighs, port, ip);
	char text[ADDR_IP4_TEXT];

	if (n == NULL)
		return err_set(err, -ENOENT,
			       "neigh del %s: %s has no such neighbour; 'show neigh' lists them",
			       addr_ip4(text, ip), port_name(r, port));
	forget(r, n);
	return 0;
}

struct neigh_table *
router_neighs(struct router *r)
{
	return r->neighs;
}

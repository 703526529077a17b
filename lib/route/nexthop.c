/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "route/route_internal.h"

#include <errno.h>
#include <stdlib.h>

static struct nexthop **
bucket(struct router *r, uint32_t ip)
{
	return &r->hop[(ip * 0x9e3779b1u >> 16) % NEXTHOP_BUCKETS];
}

static void
publish(struct router *r, const struct nexthop *hop)
{
	struct adj adj = hop_adj(r, hop->port, hop->neigh);

	hop_write(r, hop->adj, &adj);
}

static void
attach(struct router *r, struct nexthop *hop)
{
	hop->neigh = neigh_get(r->neighs, hop->port, hop->ip);
	if (hop->neigh != NULL)
		hop->neigh->refs++;
	else
		r->retry = true;
}

static void
detach(struct router *r, struct nexthop *hop)
{
	struct neigh *n = hop->neigh;

	hop->neigh = NULL;
	if (n == NULL)
		return;
	n->refs--;
	/* Nobody else wants an entry that never answered; one that did expires by itself. */
	if (n->state == NEIGH_IDLE || n->state == NEIGH_FAILED)
		neigh_remove(r->neighs, n);
}

static uint16_t
connected_port(const struct router *r, const struct nexthop *hop)
{
	if (router_is_own(r, hop->ip, NULL) || rib_is_bad(r, hop->ip))
		return ROUTE_PORT_ANY;
	return addr_link(r, hop->want, hop->ip);
}

/* Bring it up to what the addresses say now; the caller publishes. */
static void
reconnect(struct router *r, struct nexthop *hop)
{
	uint16_t old = hop->port;

	hop->port = connected_port(r, hop);
	if (hop->port != old)
		detach(r, hop);
	if (hop->port != ROUTE_PORT_ANY && hop->neigh == NULL)
		attach(r, hop);
}

int
nexthop_get(struct router *r, uint32_t ip, uint16_t want, struct nexthop **out, struct err *err)
{
	struct nexthop **head = bucket(r, ip);
	struct nexthop *hop;
	int id;

	for (hop = *head; hop != NULL; hop = hop->next) {
		if (hop->ip == ip && hop->want == want) {
			hop->refs++;
			*out = hop;
			return 0;
		}
	}
	hop = calloc(1, sizeof(*hop));
	if (hop == NULL)
		return err_set(err, -ENOMEM, "no memory for another next hop");
	id = hop_alloc(r, err);
	if (id < 0) {
		free(hop);
		return id;
	}
	hop->ip = ip;
	hop->want = want;
	hop->port = ROUTE_PORT_ANY;
	hop->adj = (uint16_t)id;
	hop->refs = 1;
	hop->next = *head;
	*head = hop;
	reconnect(r, hop);
	publish(r, hop);
	*out = hop;
	return 0;
}

/* No route of the FIB may point at its id any more when the last reference goes. */
void
nexthop_put(struct router *r, struct nexthop *hop)
{
	struct nexthop **link = bucket(r, hop->ip);

	if (--hop->refs > 0)
		return;
	while (*link != hop)
		link = &(*link)->next;
	*link = hop->next;
	detach(r, hop);
	adj_free(r->adjs, hop->adj);
	free(hop);
}

/* After an address came or went. */
void
nexthop_refresh_all(struct router *r)
{
	for (uint32_t i = 0; i < NEXTHOP_BUCKETS; i++) {
		for (struct nexthop *hop = r->hop[i]; hop != NULL; hop = hop->next) {
			reconnect(r, hop);
			publish(r, hop);
		}
	}
	group_follow(r);
}

/* Those for which the neighbour table had no room. */
void
nexthop_retry(struct router *r)
{
	for (uint32_t i = 0; i < NEXTHOP_BUCKETS; i++)
		for (struct nexthop *hop = r->hop[i]; hop != NULL; hop = hop->next)
			if (hop->port != ROUTE_PORT_ANY && hop->neigh == NULL) {
				attach(r, hop);
				publish(r, hop);
			}
	group_follow(r);
}

void
nexthop_neigh_changed(struct router *r, struct neigh *n)
{
	bool gateway = false;

	for (struct nexthop *hop = *bucket(r, n->ip); hop != NULL; hop = hop->next) {
		if (hop->ip != n->ip || hop->port != n->port)
			continue;
		if (hop->neigh == NULL && neigh_has_mac(n))
			attach(r, hop);
		publish(r, hop);
		gateway = true;
	}
	if (gateway)
		group_follow(r);
}

void
nexthop_port_changed(struct router *r, uint16_t port)
{
	for (uint32_t i = 0; i < NEXTHOP_BUCKETS; i++)
		for (struct nexthop *hop = r->hop[i]; hop != NULL; hop = hop->next)
			if (hop->port == port)
				publish(r, hop);
	group_follow(r);
}

void
nexthop_free_all(struct router *r)
{
	for (uint32_t i = 0; i < NEXTHOP_BUCKETS; i++) {
		while (r->hop[i] != NULL) {
			struct nexthop *hop = r->hop[i];

			r->hop[i] = hop->next;
			free(hop);
		}
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "route/route_internal.h"

#include <string.h>

/*
 * Host routes: a neighbour with a MAC whose address the RIB puts on its own link is looked up by
 * workers like any route, with an adjacency of its own.  A longer or better route that sends the
 * address elsewhere takes the host route away, so that a neighbour never overrides what the user
 * wrote.
 */

/* Where (ip, port) is or belongs in the sorted array. */
static uint32_t
position(const struct router *r, uint32_t ip, uint16_t port)
{
	uint32_t lo = 0, hi = r->nb_hosts;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		const struct neigh *n = r->host[mid];

		if (n->ip < ip || (n->ip == ip && n->port < port))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Keep the array in step with who has a MAC. */
void
host_track(struct router *r, struct neigh *n)
{
	uint32_t i = position(r, n->ip, n->port);
	bool listed = i < r->nb_hosts && r->host[i] == n;

	if (listed == neigh_has_mac(n))
		return;
	if (listed) {
		r->nb_hosts--;
		memmove(&r->host[i], &r->host[i + 1], (r->nb_hosts - i) * sizeof(r->host[0]));
	} else {
		memmove(&r->host[i + 1], &r->host[i], (r->nb_hosts - i) * sizeof(r->host[0]));
		r->host[i] = n;
		r->nb_hosts++;
	}
}

/* The port on whose link the RIB puts ip, host routes aside; ROUTE_PORT_ANY when it does not. */
uint16_t
host_link(const struct router *r, uint32_t ip)
{
	struct rib_entry *e = fib_match(r->fib, ip);

	if (e != NULL && rib_source(e) == RIB_HOST && e->fixed == NULL) {
		uint8_t depth = 32;

		do {
			depth--;
			e = fib_exact(r->fib, ip & addr_mask(depth), depth);
		} while (e == NULL && depth > 0);
	}
	return e == NULL ? ROUTE_PORT_ANY : rib_link(e);
}

static void
install(struct router *r, struct neigh *n)
{
	struct adj adj = hop_adj(r, n->port, n);
	char text[ADDR_IP4_TEXT];
	struct err err;
	int ret = hop_alloc(r, &err);

	if (ret < 0)
		goto full;
	n->adj = (uint16_t)ret;
	hop_write(r, n->adj, &adj);
	ret = rib_set_host(r, n, &err);
	if (ret == 0)
		return;
	adj_free(r->adjs, n->adj);
	n->adj = 0;
full:
	r->retry = true;
	if (log_allowed(&r->full_log))
		log_warn("neighbour %s on %s: %s; until then its packets take the slow path",
			 addr_ip4(text, n->ip), port_name(r, n->port), err.text);
}

void
host_refresh(struct router *r, struct neigh *n)
{
	bool want = neigh_has_mac(n) && host_link(r, n->ip) == n->port;
	struct adj adj;

	if (want && n->adj == 0) {
		install(r, n);
	} else if (want) {
		adj = hop_adj(r, n->port, n);
		hop_write(r, n->adj, &adj);
	} else if (n->adj != 0) {
		rib_clear_host(r, n);
		adj_free(r->adjs, n->adj);
		n->adj = 0;
	}
}

/* The RIB changed at this prefix. */
void
host_refresh_within(struct router *r, uint32_t prefix, uint8_t depth)
{
	uint32_t last = prefix | ~addr_mask(depth);

	for (uint32_t i = position(r, prefix, 0); i < r->nb_hosts && r->host[i]->ip <= last; i++)
		host_refresh(r, r->host[i]);
}

void
host_retry(struct router *r)
{
	for (uint32_t i = 0; i < r->nb_hosts; i++)
		if (r->host[i]->adj == 0)
			host_refresh(r, r->host[i]);
}

void
host_port_changed(struct router *r, uint16_t port)
{
	for (uint32_t i = 0; i < r->nb_hosts; i++)
		if (r->host[i]->port == port)
			host_refresh(r, r->host[i]);
}

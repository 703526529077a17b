/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTE_NEXTHOP_H
#define ROUTE_NEXTHOP_H

#include "cfg/route_spec.h"

#include <stdbool.h>
#include <stdint.h>

struct neigh;
struct router;

/*
 * Private to lib/route.  A next hop that the user named, shared by all routes through it; a set of
 * them, shared by all routes with the same; the host route of a neighbour.  Each owns one
 * adjacency id for life: whatever becomes of it is one store, and the FIB does not move.
 */
struct nexthop {
	uint32_t ip;
	uint32_t refs;       /* legs of groups */
	uint16_t want;       /* the port the user named, or ROUTE_PORT_ANY */
	uint16_t port;       /* where it is connected; ROUTE_PORT_ANY: it is not, so inactive */
	uint16_t adj;        /* its id, for life */
	struct neigh *neigh; /* referenced; NULL when inactive or the neighbour table is full */
	struct nexthop *next;
};

struct group_leg {
	struct nexthop *hop;
	uint16_t weight;
};

/* What a route goes through.  With one leg it borrows that next hop's id. */
struct hop_group {
	struct hop_group *next;
	uint32_t refs; /* routes */
	uint16_t adj;
	uint8_t nb_legs;
	struct group_leg leg[];
};

/* nexthop.c */
int nexthop_get(struct router *r, uint32_t ip, uint16_t want, struct nexthop **out,
		struct err *err);
void nexthop_put(struct router *r, struct nexthop *hop);
void nexthop_refresh_all(struct router *r);
void nexthop_retry(struct router *r);
void nexthop_neigh_changed(struct router *r, struct neigh *n);
void nexthop_port_changed(struct router *r, uint16_t port);
void nexthop_free_all(struct router *r);

/* group.c */
int group_get(struct router *r, const struct route_spec *spec, struct hop_group **out,
	      struct err *err);
void group_put(struct router *r, struct hop_group *g);
struct nexthop *group_select(const struct hop_group *g);
void group_follow(struct router *r);
void group_free_all(struct router *r);

/* host.c */
void host_track(struct router *r, struct neigh *n);
void host_refresh(struct router *r, struct neigh *n);
void host_refresh_within(struct router *r, uint32_t prefix, uint8_t depth);
void host_retry(struct router *r);
void host_port_changed(struct router *r, uint16_t port);
uint16_t host_link(const struct router *r, uint32_t ip);

#endif

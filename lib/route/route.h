/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTE_ROUTE_H
#define ROUTE_ROUTE_H

#include "base/err.h"
#include "cfg/route_spec.h"
#include "fib/fib.h"
#include "neigh/adj.h"
#include "neigh/neigh.h"
#include "route/route_fast.h"

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

/*
 * The router's state: ports, addresses, connected and static routes, next hops, neighbours; and
 * how it becomes what workers see.
 *
 * Threads: one control thread.  Errors: negative errno, the text for the user in err.
 * Order:   a route may come before the address that makes its next hop connected, and before the
 *          neighbour answers; each takes effect when the other is there.
 */
struct router;

struct router_config {
	uint32_t max_routes; /* static, connected and host routes together */
	uint32_t max_groups; /* see fib.h */
	uint32_t max_neighs;
	int socket;
	struct rte_rcu_qsbr *rcu; /* borrowed */
};

int router_create(struct router **out, const struct router_config *cfg, struct err *err);
void router_destroy(struct router *r);

/* Stable for the router's life; ->own changes under it. */
const struct router_view *router_view(const struct router *r);

/* Free ids, groups and tables whose grace period is over; call about ten times a second. */
void router_reclaim(struct router *r);

/* ---- ports: told by app before anything refers to them */
#define ROUTER_PORT_NAME_LEN 64

struct router_port {
	uint16_t id;
	char name[ROUTER_PORT_NAME_LEN];
	struct rte_ether_addr mac;
	uint16_t mtu; /* IPv4 bytes */
	bool present;
};
int router_port_add(struct router *r, uint16_t id, const char *name,
		    const struct rte_ether_addr *mac, uint16_t mtu, struct err *err);
const struct router_port *router_port(const struct router *r, uint16_t id); /* NULL: no such */
int router_port_mtu(struct router *r, uint16_t id, uint16_t mtu, struct err *err); /* 68..65535 */

/* ---- addresses */
struct router_addr {
	uint32_t ip;
	uint16_t port;
	uint8_t depth; /* 1..32 */
};
/* -EEXIST: this address is on some port already.  0/8, 127/8, 224/4, 240/4, and an address that is
 * its own network's network or broadcast address are -EINVAL. */
int router_addr_add(struct router *r, const struct router_addr *a, struct err *err);
int router_addr_del(struct router *r, const struct router_addr *a, struct err *err);
typedef int (*router_addr_fn)(const struct router_addr *a, void *arg);
int router_addr_walk(const struct router *r, router_addr_fn fn, void *arg);
/* Is ip ours, and on which port (NULL: not wanted)? */
bool router_is_own(const struct router *r, uint32_t ip, uint16_t *port);
/* Which of the port's addresses speaks to ip: the one whose network holds it, else the first; 0
 * when the port has none. */
uint32_t router_source_for(const struct router *r, uint16_t port, uint32_t ip);

/* ---- static routes */
/* -EEXIST: there is such a static route, and replace was not asked for. */
int router_route_add(struct router *r, const struct route_spec *spec, bool replace,
		     struct err *err);
int router_route_del(struct router *r, uint32_t prefix, uint8_t depth, struct err *err);

/*
 * Several changes as one: after begin, add and del are queued (their syntax checked).  Commit
 * checks them in order and then applies what they come to, prefix by prefix, additions before
 * removals: a prefix deleted and added again moves in one step.  On an error nothing has changed.
 * Commit and abort end the transaction whatever they return.  Each address moves on its own; see
 * docs/architecture.md.  -EBUSY: begin within begin; -EINVAL: commit or abort without begin.
 */
int router_begin(struct router *r, struct err *err);
int router_commit(struct router *r, struct err *err);
int router_abort(struct router *r, struct err *err);

/* What to print of a route. */
enum route_source { ROUTE_STATIC, ROUTE_CONNECTED, ROUTE_LOCAL, ROUTE_HOST };
struct route_info {
	enum route_source source;
	struct route_spec spec;    /* CONNECTED and HOST: DEV on their port; LOCAL: DEV likewise */
	bool active;               /* some next hop is connected */
	bool resolved;             /* and its MAC is known */
	struct rte_ether_addr mac; /* when resolved and one next hop */
};
typedef int (*router_route_fn)(const struct route_info *info, void *arg);
/* All routes within prefix/depth (0/0: all), by address; of one prefix the best first, and those
 * it hides not active.  -EINVAL: host bits set. */
int router_route_walk(const struct router *r, uint32_t prefix, uint8_t depth, router_route_fn fn,
		      void *arg);
/* The route that ip takes; -ENOENT without one, and for a network's first and last address. */
int router_route_match(const struct router *r, uint32_t ip, struct route_info *info);
void router_fib_info(const struct router *r, struct fib_info *info);
uint32_t router_route_count(const struct router *r); /* static ones */

/* ---- neighbours */
/* Static: -EINVAL when ip is our own or no host's.  One that no connected network nor "dev" route of
 * the port reaches takes effect when one does.  Del forgets any entry; one that next hops use goes
 * back to IDLE. */
int router_neigh_add(struct router *r, uint16_t port, uint32_t ip, const struct rte_ether_addr *mac,
		     struct err *err);
int router_neigh_del(struct router *r, uint16_t port, uint32_t ip, struct err *err);
struct neigh_table *router_neighs(struct router *r);

/* ---- for lib/slow: where does a packet to ip go? */
struct router_hop {
	enum adj_kind kind; /* ADJ_FORWARD: mac is set; ADJ_RESOLVE: ask for next_ip on port */
	uint16_t port;
	uint16_t mtu;     /* of the port, IPv4 bytes */
	uint32_t next_ip; /* the gateway, or ip itself on a connected network */
	struct rte_ether_addr src, dst;
	struct neigh *neigh; /* NULL when nobody has been asked yet; neigh_get() makes one */
};
void router_hop(const struct router *r, uint32_t ip, struct router_hop *hop);

#endif

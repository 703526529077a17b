/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTE_INTERNAL_H
#define ROUTE_INTERNAL_H

#include "base/log.h"
#include "route/nexthop.h"
#include "route/rib.h"
#include "route/route.h"

/*
 * What the files of lib/route share, and nobody else sees.
 */
#define NEXTHOP_BUCKETS  4096u
#define GROUP_BUCKETS    4096u
#define ROUTER_ADDRS_MAX 4096u
/* The byte that an adjacency has for its port is the other limit. */
#define ROUTER_PORTS_MAX (RTE_MAX_ETHPORTS < 256 ? RTE_MAX_ETHPORTS : 256)

struct port {
	struct router_port pub;
	uint16_t glean; /* id of "ask on this port for the destination itself" */
};

struct txn_op;

struct txn {
	bool open;
	struct txn_op **op;
	uint32_t n, size;
};

struct own_head;

struct router {
	struct router_view view;
	struct fib *fib;
	struct adj_table *adjs;
	struct neigh_table *neighs;
	struct rte_rcu_qsbr *rcu;
	int socket;

	struct port port[ROUTER_PORTS_MAX];
	struct router_addr *addr; /* in the order they were added */
	uint32_t nb_addrs;
	struct own_head *own_retired;

	struct nexthop *hop[NEXTHOP_BUCKETS];
	struct hop_group *group[GROUP_BUCKETS];
	uint16_t default_id; /* the id that ADJ_ID_DEFAULT mirrors */
	uint32_t nb_static;

	struct neigh **host; /* neighbours with a MAC, by (ip, port); room for max_neighs */
	uint32_t nb_hosts;
	bool retry; /* something found no room; router_reclaim() tries again */
	struct log_limit full_log;

	struct txn txn;
};

/* route.c: adjacencies; id 0 follows what it mirrors */
struct adj hop_adj(const struct router *r, uint16_t port, const struct neigh *n);
void hop_write(struct router *r, uint16_t id, const struct adj *adj);
void hop_default(struct router *r, uint16_t id);
int hop_alloc(struct router *r, struct err *err);
const char *port_name(const struct router *r, uint16_t id);

/* own.c */
struct own_table *own_build(const struct router *r, const struct router_addr *more,
			    const struct router_addr *less);
void own_free(struct own_table *t);
void own_publish(struct router *r, struct own_table *t);
void own_reclaim(struct router *r, bool all);

/* address.c: the port whose network holds ip (ROUTE_PORT_ANY as only: on any port) */
uint16_t addr_link(const struct router *r, uint16_t only, uint32_t ip);

/* txn.c */
enum txn_what { TXN_ADD, TXN_REPLACE, TXN_DEL };
int txn_push(struct router *r, enum txn_what what, const struct route_spec *spec, struct err *err);
void txn_clear(struct txn *txn);

/* neighbour.c */
void neighbour_changed(struct neigh *n, void *arg);
void neighbour_forget_ip(struct router *r, uint32_t ip);
void neighbour_forget_net(struct router *r, const struct router_addr *a);

#endif

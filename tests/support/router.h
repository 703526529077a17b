/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_ROUTER_H
#define TEST_ROUTER_H

#include "base/addr.h"
#include "route/route_internal.h"
#include "support/adj.h"
#include "support/cmocka.h"
#include "support/eal.h"

#include <stdio.h>

#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>

/*
 * A router with three ports for unit tests, and eyes like a worker's.  Texts are parsed by the
 * helpers, so that a test reads like the commands.  At teardown nothing may be left.
 */
struct bed {
	struct router *r;
	struct rte_rcu_qsbr *rcu;
	unsigned int heap; /* rte_malloc blocks before the router was made */
	struct err err;
};

#define BED_ROUTES 4000u
#define BED_GROUPS 256u
#define BED_NEIGHS 64u
#define BED_PORTS  3u

static inline struct rte_ether_addr
bed_port_mac(uint16_t port)
{
	return (struct rte_ether_addr){ { 0x02, 0, 0, 0, 0, (uint8_t)(1 + port) } };
}

static inline struct rte_ether_addr
bed_mac(uint8_t last)
{
	return (struct rte_ether_addr){ { 0x02, 0xaa, 0, 0, 0, last } };
}

static inline unsigned int
bed_heap(void)
{
	struct rte_malloc_socket_stats stats;
	unsigned int n = 0;

	for (int i = 0; i < RTE_MAX_NUMA_NODES; i++)
		if (rte_malloc_get_socket_stats(i, &stats) == 0)
			n += stats.alloc_count;
	return n;
}

static inline int
bed_open(struct bed *b, const struct router_config *limits)
{
	struct router_config cfg = *limits;
	size_t size = rte_rcu_qsbr_get_memsize(4);

	memset(b, 0, sizeof(*b));
	b->rcu = aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(size, RTE_CACHE_LINE_SIZE));
	assert_non_null(b->rcu);
	assert_int_equal(rte_rcu_qsbr_init(b->rcu, 4), 0);
	cfg.rcu = b->rcu;
	cfg.socket = SOCKET_ID_ANY;
	b->heap = bed_heap();
	assert_int_equal(router_create(&b->r, &cfg, &b->err), 0);
	for (uint16_t p = 0; p < BED_PORTS; p++) {
		struct rte_ether_addr mac = bed_port_mac(p);
		char name[8];

		snprintf(name, sizeof(name), "net%u", p);
		assert_int_equal(
			router_port_add(b->r, p, name, &mac, (uint16_t)(1500 - p), &b->err), 0);
	}
	return 0;
}

static inline int
bed_setup(void **state)
{
	static const struct router_config limits = { .max_routes = BED_ROUTES,
						     .max_groups = BED_GROUPS,
						     .max_neighs = BED_NEIGHS };
	struct bed *b = malloc(sizeof(*b));

	assert_non_null(b);
	bed_open(b, &limits);
	*state = b;
	return 0;
}

static inline int
bed_teardown(void **state)
{
	struct bed *b = *state;

	router_destroy(b->r);
	assert_int_equal(bed_heap(), b->heap);
	free(b->rcu);
	free(b);
	return 0;
}

/* ---- commands; each returns what the router returned */
static inline uint32_t
bed_ip(const char *text)
{
	uint32_t ip;

	assert_int_equal(addr_parse_ip4(text, &ip, NULL), 0);
	return ip;
}

static inline struct router_addr
bed_addr_of(const char *text, uint16_t port)
{
	struct router_addr a = { .port = port };

	assert_int_equal(addr_parse_ifaddr(text, &a.ip, &a.depth, NULL), 0);
	return a;
}

static inline int
bed_addr(struct bed *b, const char *text, uint16_t port)
{
	struct router_addr a = bed_addr_of(text, port);

	return router_addr_add(b->r, &a, &b->err);
}

static inline int
bed_addr_del(struct bed *b, const char *text, uint16_t port)
{
	struct router_addr a = bed_addr_of(text, port);

	return router_addr_del(b->r, &a, &b->err);
}

static inline struct route_spec
bed_spec(const char *prefix, enum route_kind kind)
{
	struct route_spec s = { .kind = (uint8_t)kind };

	assert_int_equal(addr_parse_ifaddr(prefix, &s.prefix, &s.depth, NULL), 0);
	return s;
}

static inline void
bed_via(struct route_spec *s, const char *gateway, uint16_t port)
{
	s->nh[s->nb_nh++] = (struct route_nh){ .ip = bed_ip(gateway), .port = port, .weight = 1 };
}

static inline int
bed_route_dev_of(struct bed *b, const char *prefix, const char *gateway, uint16_t port,
		 bool replace)
{
	struct route_spec s = bed_spec(prefix, ROUTE_VIA);

	bed_via(&s, gateway, port);
	return router_route_add(b->r, &s, replace, &b->err);
}

static inline int
bed_route(struct bed *b, const char *prefix, const char *gateway)
{
	return bed_route_dev_of(b, prefix, gateway, ROUTE_PORT_ANY, false);
}

static inline int
bed_replace(struct bed *b, const char *prefix, const char *gateway)
{
	return bed_route_dev_of(b, prefix, gateway, ROUTE_PORT_ANY, true);
}

static inline int
bed_route_dev(struct bed *b, const char *prefix, uint16_t port)
{
	struct route_spec s = bed_spec(prefix, ROUTE_DEV);

	s.nb_nh = 1;
	s.nh[0].port = port;
	return router_route_add(b->r, &s, true, &b->err);
}

static inline int
bed_blackhole(struct bed *b, const char *prefix)
{
	struct route_spec s = bed_spec(prefix, ROUTE_BLACKHOLE);

	return router_route_add(b->r, &s, true, &b->err);
}

static inline int
bed_route_del(struct bed *b, const char *prefix)
{
	struct route_spec s = bed_spec(prefix, ROUTE_BLACKHOLE);

	return router_route_del(b->r, s.prefix, s.depth, &b->err);
}

/* An answer from the network, as lib/slow would store it; mac 0: it was lost. */
static inline struct neigh *
bed_learn(struct bed *b, uint16_t port, const char *ip, uint8_t mac)
{
	struct neigh *n = neigh_get(router_neighs(b->r), port, bed_ip(ip));
	struct rte_ether_addr addr = bed_mac(mac);

	assert_non_null(n);
	neigh_set(router_neighs(b->r), n, mac == 0 ? NEIGH_FAILED : NEIGH_REACHABLE,
		  mac == 0 ? NULL : &addr);
	return n;
}

/* ---- eyes */
static inline uint16_t
bed_id(const struct bed *b, const char *ip)
{
	uint32_t dst = bed_ip(ip);
	uint16_t id;

	fib_lookup_bulk(router_view(b->r)->fib, &dst, &id, 1);
	return id;
}

static inline struct adj
bed_adj(const struct bed *b, const char *ip)
{
	return adj_at(router_view(b->r)->adj, bed_id(b, ip));
}

/* What a worker does with a packet to ip, and that the control thread says the same. */
#define assert_kind(b, ip, want)                                                                   \
	do {                                                                                       \
		struct router_hop hop_;                                                            \
		assert_int_equal(bed_adj(b, ip).kind, want);                                       \
		router_hop((b)->r, bed_ip(ip), &hop_);                                             \
		assert_int_equal(hop_.kind, want);                                                 \
		if ((want) != ADJ_FORWARD)                                                         \
			assert_int_equal(bed_adj(b, ip).mtu, 0);                                   \
	} while (0)

#define assert_asks(b, ip, port_, next)                                                            \
	do {                                                                                       \
		struct router_hop h_;                                                              \
		assert_kind(b, ip, ADJ_RESOLVE);                                                   \
		router_hop((b)->r, bed_ip(ip), &h_);                                               \
		assert_int_equal(bed_adj(b, ip).port, port_);                                      \
		assert_int_equal(h_.port, port_);                                                  \
		assert_int_equal(h_.next_ip, bed_ip(next));                                        \
		assert_int_equal(h_.mtu, router_port((b)->r, port_)->mtu);                         \
	} while (0)

#define assert_sends(b, ip, port_, mac_)                                                           \
	do {                                                                                       \
		struct rte_ether_addr d_ = bed_mac(mac_), s_ = bed_port_mac(port_);                \
		struct adj a_ = bed_adj(b, ip);                                                    \
		struct router_hop h_;                                                              \
		assert_kind(b, ip, ADJ_FORWARD);                                                   \
		router_hop((b)->r, bed_ip(ip), &h_);                                               \
		assert_int_equal(a_.port, port_);                                                  \
		assert_int_equal(h_.port, port_);                                                  \
		assert_memory_equal(a_.dst, &d_, 6);                                               \
		assert_memory_equal(a_.src, &s_, 6);                                               \
		assert_memory_equal(&h_.dst, &d_, 6);                                              \
		assert_memory_equal(&h_.src, &s_, 6);                                              \
		assert_int_equal(a_.mtu, router_port((b)->r, port_)->mtu);                         \
		assert_non_null(h_.neigh);                                                         \
	} while (0)

#define assert_says(b, ret, want, part)                                                            \
	do {                                                                                       \
		assert_int_equal(ret, want);                                                       \
		if (strstr((b)->err.text, part) == NULL)                                           \
			fail_msg("'%s' does not say '%s'", (b)->err.text, part);                   \
	} while (0)

/* Only the ports' own ids are left. */
static inline void
bed_assert_empty(struct bed *b)
{
	struct fib_info info;

	router_fib_info(b->r, &info);
	assert_int_equal(info.routes, 0);
	assert_int_equal(neigh_count(router_neighs(b->r)), 0);
	assert_int_equal(router_route_count(b->r), 0);
	assert_int_equal(adj_used(b->r->adjs), BED_PORTS);
	assert_int_equal(b->r->nb_hosts, 0);
	assert_int_equal(router_view(b->r)->own->n, 0);
	assert_int_equal(bed_adj(b, "203.0.113.1").kind, ADJ_NO_ROUTE);
}

#endif

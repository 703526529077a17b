/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/slow_rig.h"

#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>

/* The same network as net_standin.c, by lib/route and lib/neigh.  No worker looks at it. */
#define NEIGH_MAX 400

static struct router *router;
static struct rte_rcu_qsbr *rcu;
void (*net_before_set)(const struct neigh *n, enum neigh_state state);

static void
must(int ret, const struct err *err)
{
	if (ret != 0)
		fail_msg("%s", err->text);
}

struct router *
net_router(void)
{
	return router;
}

bool
net_is_real(void)
{
	return true;
}

void
net_start(void)
{
	struct router_config cfg = { .max_routes = 1000,
				     .max_groups = 64,
				     .max_neighs = NEIGH_MAX };
	struct err err;

	rcu = rte_zmalloc(NULL, rte_rcu_qsbr_get_memsize(1), RTE_CACHE_LINE_SIZE);
	assert_non_null(rcu);
	assert_int_equal(rte_rcu_qsbr_init(rcu, 1), 0);
	cfg.rcu = rcu;
	must(router_create(&router, &cfg, &err), &err);
	for (uint16_t i = 0; i < 2; i++) {
		char name[16];

		snprintf(name, sizeof(name), "net%u", i);
		must(router_port_add(router, i, name, (const struct rte_ether_addr *)rig_mac(i),
				     1500, &err),
		     &err);
		net_addr_add(i, IP4(10, i, 0, 1), 24);
	}
}

static int
holds_nothing(struct neigh *n, void *arg)
{
	(void)arg;
	assert_null(n->hold);
	return 0;
}

void
net_stop(void)
{
	neigh_walk(router_neighs(router), holds_nothing, NULL);
	router_destroy(router);
	rte_free(rcu);
	router = NULL;
}

void
net_addr_add(uint16_t port, uint32_t ip, uint8_t depth)
{
	struct err err;

	must(router_addr_add(router,
			     &(struct router_addr){ .ip = ip, .port = port, .depth = depth }, &err),
	     &err);
}

void
net_addr_del(uint16_t port, uint32_t ip, uint8_t depth)
{
	struct err err;

	must(router_addr_del(router,
			     &(struct router_addr){ .ip = ip, .port = port, .depth = depth }, &err),
	     &err);
}

static void
add(const struct route_spec *spec)
{
	struct err err;

	must(router_route_add(router, spec, false, &err), &err);
}

void
net_route(uint32_t prefix, uint8_t depth, uint32_t via)
{
	add(&(struct route_spec){
		.prefix = prefix,
		.depth = depth,
		.kind = ROUTE_VIA,
		.nb_nh = 1,
		.nh[0] = { .ip = via, .port = ROUTE_PORT_ANY, .weight = 1 },
	});
}

void
net_route_dev(uint32_t prefix, uint8_t depth, uint16_t port)
{
	add(&(struct route_spec){
		.prefix = prefix,
		.depth = depth,
		.kind = ROUTE_DEV,
		.nb_nh = 1,
		.nh[0] = { .port = port, .weight = 1 },
	});
}

void
net_blackhole(uint32_t prefix, uint8_t depth)
{
	add(&(struct route_spec){ .prefix = prefix, .depth = depth, .kind = ROUTE_BLACKHOLE });
}

void
net_neigh_add(uint16_t port, uint32_t ip, const uint8_t *mac)
{
	struct err err;

	must(router_neigh_add(router, port, ip, (const struct rte_ether_addr *)mac, &err), &err);
}

void
net_neigh_del(uint16_t port, uint32_t ip)
{
	struct err err;

	must(router_neigh_del(router, port, ip, &err), &err);
}

struct neigh *
net_neigh(uint16_t port, uint32_t ip)
{
	return neigh_find(router_neighs(router), port, ip);
}

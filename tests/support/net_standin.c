/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/slow_rig.h"

/*
 * A router small enough to be read: lists searched from end to end, a linked list of neighbours.
 */
#define NET_MAX   16
#define NEIGH_MAX 400

enum net_kind { VIA, DEV, BLACKHOLE };

struct net_route {
	uint32_t prefix, via;
	uint16_t port;
	uint8_t depth;
	enum net_kind kind;
};

static struct router_port ports[2];
static struct router_addr addrs[NET_MAX];
static struct net_route routes[NET_MAX];
static unsigned int nb_addrs, nb_routes;
static struct neigh *neighs;
static uint32_t nb_neighs;
void (*net_before_set)(const struct neigh *n, enum neigh_state state);

/* The stand-ins carry no state of their own behind these. */
struct router *
net_router(void)
{
	static char router;

	return (struct router *)(void *)&router;
}

bool
net_is_real(void)
{
	return false;
}

void
net_start(void)
{
	nb_addrs = nb_routes = 0;
	for (uint16_t i = 0; i < RTE_DIM(ports); i++) {
		ports[i] = (struct router_port){ .id = i, .mtu = 1500, .present = true };
		snprintf(ports[i].name, sizeof(ports[i].name), "net%u", i);
		memcpy(&ports[i].mac, rig_mac(i), 6);
		net_addr_add(i, IP4(10, i, 0, 1), 24);
	}
}

void
net_stop(void)
{
	while (neighs != NULL) {
		struct neigh *n = neighs;

		assert_null(n->hold);
		neighs = n->next;
		free(n);
	}
	nb_neighs = 0;
}

void
net_addr_add(uint16_t port, uint32_t ip, uint8_t depth)
{
	addrs[nb_addrs++] = (struct router_addr){ .ip = ip, .port = port, .depth = depth };
}

void
net_addr_del(uint16_t port, uint32_t ip, uint8_t depth)
{
	for (unsigned int i = 0; i < nb_addrs; i++) {
		if (addrs[i].ip == ip && addrs[i].port == port && addrs[i].depth == depth)
			addrs[i] = addrs[--nb_addrs];
	}
}

void
net_route(uint32_t prefix, uint8_t depth, uint32_t via)
{
	struct router_hop hop;

	routes[nb_routes++] = (struct net_route){ .prefix = prefix, .depth = depth, .via = via };
	router_hop(NULL, via, &hop);
	neigh_get(NULL, hop.port, via)->refs++;
}

void
net_route_dev(uint32_t prefix, uint8_t depth, uint16_t port)
{
	routes[nb_routes++] =
		(struct net_route){ .prefix = prefix, .depth = depth, .kind = DEV, .port = port };
}

void
net_blackhole(uint32_t prefix, uint8_t depth)
{
	routes[nb_routes++] =
		(struct net_route){ .prefix = prefix, .depth = depth, .kind = BLACKHOLE };
}

void
net_neigh_add(uint16_t port, uint32_t ip, const uint8_t *mac)
{
	struct neigh *n = neigh_get(NULL, port, ip);

	neigh_set(NULL, n, NEIGH_STATIC, (const struct rte_ether_addr *)mac);
}

/* As lib/route does it: what waits is left to lib/slow's timer. */
void
net_neigh_del(uint16_t port, uint32_t ip)
{
	struct neigh *n = neigh_find(NULL, port, ip);

	n->tries = 0;
	n->due_us = n->hold != NULL;
	if (n->hold == NULL && n->refs == 0)
		neigh_remove(NULL, n);
	else
		neigh_set(NULL, n, n->hold != NULL ? NEIGH_FAILED : NEIGH_IDLE, NULL);
}

struct neigh *
net_neigh(uint16_t port, uint32_t ip)
{
	return neigh_find(NULL, port, ip);
}

const struct router_port *
router_port(const struct router *r, uint16_t id)
{
	(void)r;
	return id < RTE_DIM(ports) ? &ports[id] : NULL;
}

int
router_addr_walk(const struct router *r, router_addr_fn fn, void *arg)
{
	(void)r;
	for (unsigned int i = 0; i < nb_addrs; i++)
		fn(&addrs[i], arg);
	return 0;
}

bool
router_is_own(const struct router *r, uint32_t ip, uint16_t *port)
{
	(void)r;
	for (unsigned int i = 0; i < nb_addrs; i++) {
		if (addrs[i].ip == ip) {
			*port = addrs[i].port;
			return true;
		}
	}
	return false;
}

uint32_t
router_source_for(const struct router *r, uint16_t port, uint32_t ip)
{
	uint32_t first = 0;

	(void)r;
	for (unsigned int i = 0; i < nb_addrs; i++) {
		if (addrs[i].port != port)
			continue;
		if (((addrs[i].ip ^ ip) & addr_mask(addrs[i].depth)) == 0)
			return addrs[i].ip;
		if (first == 0)
			first = addrs[i].ip;
	}
	return first;
}

struct neigh_table *
router_neighs(struct router *r)
{
	(void)r;
	return NULL;
}

static bool
hop_connected(uint32_t ip, struct router_hop *hop)
{
	for (unsigned int i = 0; i < nb_addrs; i++) {
		uint32_t host = ~addr_mask(addrs[i].depth);

		if (((addrs[i].ip ^ ip) & ~host) != 0)
			continue;
		hop->kind = ADJ_RESOLVE;
		if (addrs[i].depth < 31 && ((ip & host) == 0 || (ip & host) == host))
			hop->kind = ADJ_BAD_DESTINATION;
		hop->port = addrs[i].port;
		hop->next_ip = ip;
		return true;
	}
	return false;
}

static void
hop_route(uint32_t ip, struct router_hop *hop)
{
	for (unsigned int i = 0; i < nb_routes; i++) {
		if (((routes[i].prefix ^ ip) & addr_mask(routes[i].depth)) != 0)
			continue;
		if (routes[i].kind == BLACKHOLE) {
			hop->kind = ADJ_BLACKHOLE;
		} else if (routes[i].kind == DEV) {
			hop->kind = ADJ_RESOLVE;
			hop->port = routes[i].port;
			hop->next_ip = ip;
		} else {
			hop_connected(routes[i].via, hop);
		}
		return;
	}
}

void
router_hop(const struct router *r, uint32_t ip, struct router_hop *hop)
{
	uint16_t port;

	*hop = (struct router_hop){ .kind = ADJ_NO_ROUTE };
	if (router_is_own(r, ip, &port)) {
		hop->kind = ADJ_LOCAL;
		return;
	}
	if (!hop_connected(ip, hop))
		hop_route(ip, hop);
	if (hop->kind != ADJ_RESOLVE)
		return;
	hop->mtu = ports[hop->port].mtu;
	hop->src = ports[hop->port].mac;
	hop->neigh = neigh_find(NULL, hop->port, hop->next_ip);
	if (hop->neigh != NULL && neigh_has_mac(hop->neigh)) {
		hop->kind = ADJ_FORWARD;
		hop->dst = hop->neigh->mac;
	}
}

struct neigh *
neigh_find(const struct neigh_table *t, uint16_t port, uint32_t ip)
{
	(void)t;
	for (struct neigh *n = neighs; n != NULL; n = n->next) {
		if (n->port == port && n->ip == ip)
			return n;
	}
	return NULL;
}

struct neigh *
neigh_get(struct neigh_table *t, uint16_t port, uint32_t ip)
{
	struct neigh *n = neigh_find(t, port, ip);

	if (n != NULL || nb_neighs == NEIGH_MAX)
		return n;
	n = calloc(1, sizeof(*n));
	assert_non_null(n);
	n->port = port;
	n->ip = ip;
	n->next = neighs;
	neighs = n;
	nb_neighs++;
	return n;
}

void
neigh_remove(struct neigh_table *t, struct neigh *n)
{
	struct neigh **at = &neighs;

	(void)t;
	assert_int_equal(n->refs, 0);
	assert_null(n->hold);
	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	nb_neighs--;
	free(n);
}

void
neigh_set(struct neigh_table *t, struct neigh *n, enum neigh_state state,
	  const struct rte_ether_addr *mac)
{
	(void)t;
	if (net_before_set != NULL)
		net_before_set(n, state);
	n->state = (uint8_t)state;
	if (mac != NULL)
		n->mac = *mac;
}

int
neigh_walk(struct neigh_table *t, neigh_walk_fn fn, void *arg)
{
	struct neigh *next;

	(void)t;
	for (struct neigh *n = neighs; n != NULL; n = next) {
		next = n->next;
		fn(n, arg);
	}
	return 0;
}

uint32_t
neigh_count(const struct neigh_table *t)
{
	(void)t;
	return nb_neighs;
}

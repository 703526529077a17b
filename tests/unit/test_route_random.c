/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/router.h"

/*
 * Random commands against a model that recomputes every answer from the plain lists of what was
 * accepted.  SEED=n in the environment repeats one sequence.
 */
#define SEQUENCES 100u
#define STEPS     120u
#define PROBES    40u
#define LIST_MAX  400u

struct model {
	struct router_addr addr[LIST_MAX];
	struct route_spec route[LIST_MAX];
	uint32_t nb_addrs, nb_routes;
};

static uint64_t seed;

static uint32_t
pick(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* Few networks and few hosts, so that everything meets everything. */
static uint32_t
some_ip(void)
{
	static const uint8_t host[] = { 0, 1, 2, 3, 9, 63, 64, 127, 128, 129, 200, 254, 255 };

	return IP4(10, 0, pick(4), host[pick(RTE_DIM(host))]);
}

static struct router_addr
some_addr(void)
{
	static const uint8_t depth[] = { 22, 23, 24, 24, 25, 26, 31, 32 };

	return (struct router_addr){ .ip = some_ip(),
				     .port = (uint16_t)pick(BED_PORTS),
				     .depth = depth[pick(RTE_DIM(depth))] };
}

static struct route_spec
some_route(void)
{
	static const uint8_t depth[] = { 0, 0, 8, 22, 24, 24, 25, 26, 30, 32 };
	struct route_spec s = { .depth = depth[pick(RTE_DIM(depth))] };
	uint8_t legs = (uint8_t)(1 + pick(3));

	s.prefix = some_ip() & addr_mask(s.depth);
	s.kind = (uint8_t)(pick(4) < 2 ? ROUTE_VIA : pick(2) ? ROUTE_DEV : ROUTE_BLACKHOLE);
	s.nb_nh = s.kind == ROUTE_VIA ? legs : s.kind == ROUTE_DEV;
	for (uint8_t i = 0; i < s.nb_nh; i++)
		s.nh[i] = (struct route_nh){
			.ip = some_ip(),
			.port = (uint16_t)(s.kind == ROUTE_VIA && pick(2) ? ROUTE_PORT_ANY
									  : pick(BED_PORTS)),
			.weight = 1,
		};
	return s;
}

/* ---- the model's answers */
static bool
within(uint32_t ip, uint32_t net, uint8_t depth)
{
	return ((ip ^ net) & addr_mask(depth)) == 0;
}

static bool
is_own(const struct model *m, uint32_t ip)
{
	for (uint32_t i = 0; i < m->nb_addrs; i++)
		if (m->addr[i].ip == ip)
			return true;
	return false;
}

static bool
is_bad(const struct model *m, uint32_t ip)
{
	for (uint32_t i = 0; i < m->nb_addrs; i++) {
		const struct router_addr *a = &m->addr[i];
		uint32_t first = a->ip & addr_mask(a->depth);

		if (a->depth < 31 && (ip == first || ip == (first | ~addr_mask(a->depth))))
			return true;
	}
	return false;
}

static const struct router_addr *
network_of(const struct model *m, uint16_t port, uint32_t ip, bool only_networks)
{
	const struct router_addr *best = NULL;

	for (uint32_t i = 0; i < m->nb_addrs; i++) {
		const struct router_addr *a = &m->addr[i];

		if ((port != ROUTE_PORT_ANY && a->port != port) || !within(ip, a->ip, a->depth) ||
		    (only_networks && a->depth == 32))
			continue;
		if (best == NULL || a->depth > best->depth)
			best = a;
	}
	return best;
}

static const struct route_spec *
route_of(const struct model *m, uint32_t ip)
{
	const struct route_spec *best = NULL;

	for (uint32_t i = 0; i < m->nb_routes; i++) {
		const struct route_spec *s = &m->route[i];

		if (within(ip, s->prefix, s->depth) && (best == NULL || s->depth > best->depth))
			best = s;
	}
	return best;
}

static struct adj
sends_to(struct bed *b, uint16_t port, uint32_t ip)
{
	const struct neigh *n = neigh_find(router_neighs(b->r), port, ip);
	struct rte_ether_addr mac = bed_port_mac(port);
	struct adj adj = { .port = (uint8_t)port, .kind = ADJ_RESOLVE };

	if (n == NULL || !neigh_has_mac(n))
		return adj;
	adj.kind = ADJ_FORWARD;
	adj.mtu = router_port(b->r, port)->mtu;
	memcpy(adj.src, &mac, 6);
	memcpy(adj.dst, &n->mac, 6);
	return adj;
}

static struct adj
want(struct bed *b, const struct model *m, uint32_t ip)
{
	const struct router_addr *net = network_of(m, ROUTE_PORT_ANY, ip, true);
	const struct route_spec *s = route_of(m, ip);
	struct adj adj = { .kind = ADJ_NO_ROUTE };

	if (is_own(m, ip) || is_bad(m, ip)) {
		adj.kind = is_own(m, ip) ? ADJ_LOCAL : ADJ_BAD_DESTINATION;
		return adj;
	}
	if (net != NULL && (s == NULL || net->depth >= s->depth))
		return sends_to(b, net->port, ip);
	if (s == NULL)
		return adj;
	if (s->kind == ROUTE_BLACKHOLE)
		adj.kind = ADJ_BLACKHOLE;
	if (s->kind == ROUTE_DEV)
		return sends_to(b, s->nh[0].port, ip);
	for (uint8_t i = 0; s->kind == ROUTE_VIA && i < s->nb_nh; i++) {
		const struct route_nh *nh = &s->nh[i];

		net = network_of(m, nh->port, nh->ip, false);
		if (net != NULL && !is_own(m, nh->ip) && !is_bad(m, nh->ip))
			return sends_to(b, net->port, nh->ip);
	}
	return adj;
}

static void
compare(struct bed *b, const struct model *m, uint64_t first_seed, unsigned int step)
{
	char text[ADDR_IP4_TEXT];

	for (unsigned int i = 0; i < PROBES; i++) {
		uint32_t ip = i == 0 ? IP4(203, 0, 113, 1) : some_ip();
		struct adj must = want(b, m, ip), is = bed_adj(b, addr_ip4(text, ip));
		struct router_hop hop;

		router_hop(b->r, ip, &hop);
		if (memcmp(&must, &is, sizeof(is)) != 0 || hop.kind != must.kind ||
		    (hop.port != must.port && must.kind == ADJ_FORWARD))
			fail_msg("SEED=%llu step %u: %s is kind %u port %u mtu %u, hop %u; must be "
				 "kind %u port %u mtu %u",
				 (unsigned long long)first_seed, step, text, is.kind, is.port,
				 is.mtu, hop.kind, must.kind, must.port, must.mtu);
	}
}

/* ---- commands, and the model's version of them */
static uint32_t
find_route(const struct model *m, uint32_t prefix, uint8_t depth)
{
	uint32_t i = 0;

	while (i < m->nb_routes && (m->route[i].prefix != prefix || m->route[i].depth != depth))
		i++;
	return i;
}

static bool
through_own(const struct model *m, const struct route_spec *s)
{
	for (uint8_t i = 0; s->kind == ROUTE_VIA && i < s->nb_nh; i++)
		if (is_own(m, s->nh[i].ip))
			return true;
	return false;
}

/* What the command returns, and what it does to the model. */
static int
model_route(struct model *m, const struct route_spec *s, bool replace)
{
	uint32_t i = find_route(m, s->prefix, s->depth);

	if (i < m->nb_routes && !replace)
		return -EEXIST;
	if (through_own(m, s))
		return -EINVAL;
	m->route[i] = *s;
	m->nb_routes += i == m->nb_routes;
	return 0;
}

static int
model_route_del(struct model *m, uint32_t prefix, uint8_t depth)
{
	uint32_t i = find_route(m, prefix, depth);

	if (i == m->nb_routes)
		return -ENOENT;
	m->route[i] = m->route[--m->nb_routes];
	return 0;
}

static int
route_step(struct bed *b, struct model *m)
{
	struct route_spec s = some_route();
	bool replace = pick(2);

	if (pick(3) == 0) {
		/* Mostly one that is there. */
		if (m->nb_routes > 0 && pick(4) > 0)
			s = m->route[pick(m->nb_routes)];
		assert_int_equal(router_route_del(b->r, s.prefix, s.depth, NULL),
				 b->r->txn.open ? 0 : model_route_del(m, s.prefix, s.depth));
		return b->r->txn.open ? model_route_del(m, s.prefix, s.depth) : 0;
	}
	assert_int_equal(router_route_add(b->r, &s, replace, NULL),
			 b->r->txn.open ? 0 : model_route(m, &s, replace));
	return b->r->txn.open ? model_route(m, &s, replace) : 0;
}

static void
txn_step(struct bed *b, struct model *m)
{
	static struct model copy;
	int first = 0;

	copy = *m;
	assert_int_equal(router_begin(b->r, NULL), 0);
	for (uint32_t n = 1 + pick(4); n > 0; n--) {
		int ret = route_step(b, &copy);

		if (first == 0)
			first = ret;
	}
	assert_int_equal(router_commit(b->r, NULL), first);
	if (first == 0)
		*m = copy;
}

static void
addr_step(struct bed *b, struct model *m)
{
	struct router_addr a = some_addr();
	uint32_t i;

	if (m->nb_addrs > 0 && pick(5) < 2) {
		i = pick(m->nb_addrs);
		assert_int_equal(router_addr_del(b->r, &m->addr[i], NULL), 0);
		memmove(&m->addr[i], &m->addr[i + 1], (--m->nb_addrs - i) * sizeof(a));
		return;
	}
	if (router_addr_add(b->r, &a, NULL) == 0)
		m->addr[m->nb_addrs++] = a;
}

static void
neigh_step(struct bed *b)
{
	uint16_t port = (uint16_t)pick(BED_PORTS);
	struct rte_ether_addr mac = bed_mac((uint8_t)(1 + pick(250)));
	char text[ADDR_IP4_TEXT];
	uint32_t ip = some_ip();

	addr_ip4(text, ip);
	switch (pick(4)) {
	case 0:
		router_neigh_add(b->r, port, ip, &mac, NULL);
		break;
	case 1:
		router_neigh_del(b->r, port, ip, NULL);
		break;
	default:
		if (neigh_get(router_neighs(b->r), port, ip) != NULL)
			bed_learn(b, port, text, pick(3) == 0 ? 0 : mac.addr_bytes[5]);
	}
}

static int
forget(struct neigh *n, void *arg)
{
	assert_int_equal(n->refs, 0);
	neigh_remove(arg, n);
	return 0;
}

static void
delete_everything(struct bed *b, struct model *m)
{
	while (m->nb_routes + m->nb_addrs > 0) {
		if (m->nb_addrs == 0 || (m->nb_routes > 0 && pick(2))) {
			uint32_t i = pick(m->nb_routes);

			assert_int_equal(router_route_del(b->r, m->route[i].prefix,
							  m->route[i].depth, NULL),
					 0);
			m->route[i] = m->route[--m->nb_routes];
		} else {
			uint32_t i = pick(m->nb_addrs);

			assert_int_equal(router_addr_del(b->r, &m->addr[i], NULL), 0);
			m->addr[i] = m->addr[--m->nb_addrs];
		}
	}
	neigh_walk(router_neighs(b->r), forget, router_neighs(b->r));
	bed_assert_empty(b);
}

static void
run(struct bed *b, uint64_t first_seed)
{
	static struct model m;

	memset(&m, 0, sizeof(m));
	seed = first_seed;
	for (unsigned int step = 0; step < STEPS; step++) {
		switch (pick(8)) {
		case 0:
		case 1:
			addr_step(b, &m);
			break;
		case 2:
		case 3:
			route_step(b, &m);
			break;
		case 4:
			txn_step(b, &m);
			break;
		case 5:
			router_reclaim(b->r);
			break;
		default:
			neigh_step(b);
		}
		compare(b, &m, first_seed, step);
	}
	delete_everything(b, &m);
}

static void
any_order_gives_the_model_s_answer_and_leaves_nothing(void **state)
{
	const char *one = getenv("SEED");

	if (one != NULL) {
		run(*state, strtoull(one, NULL, 10));
		return;
	}
	for (uint64_t s = 1; s <= SEQUENCES; s++)
		run(*state, s);
}

static int
setup(void **state)
{
	static const struct router_config limits = { .max_routes = BED_ROUTES,
						     .max_groups = BED_GROUPS,
						     .max_neighs = 1000 };
	struct bed *b = malloc(sizeof(*b));

	assert_non_null(b);
	bed_open(b, &limits);
	*state = b;
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			any_order_gives_the_model_s_answer_and_leaves_nothing, setup, bed_teardown),
	};

	test_eal_init("test_route_random", "0", "128");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

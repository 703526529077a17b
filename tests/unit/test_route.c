/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/router.h"

/* Static routes and next hops. */

static void
a_route_may_come_before_its_address(void **state)
{
	struct bed *b = *state;
	uint16_t id;

	assert_int_equal(bed_route(b, "10.0.0.0/8", "192.0.2.1"), 0);
	assert_kind(b, "10.1.1.1", ADJ_NO_ROUTE);
	id = bed_id(b, "10.1.1.1");
	assert_true(id >= ADJ_ID_FREE);

	assert_int_equal(bed_addr(b, "192.0.2.2/24", 1), 0);
	assert_asks(b, "10.1.1.1", 1, "192.0.2.1");
	bed_learn(b, 1, "192.0.2.1", 7);
	assert_sends(b, "10.1.1.1", 1, 7);
	bed_learn(b, 1, "192.0.2.1", 8);
	assert_sends(b, "10.1.1.1", 1, 8);
	bed_learn(b, 1, "192.0.2.1", 0);
	assert_asks(b, "10.1.1.1", 1, "192.0.2.1");
	assert_int_equal(bed_addr_del(b, "192.0.2.2/24", 1), 0);
	assert_kind(b, "10.1.1.1", ADJ_NO_ROUTE);

	/* All that happened behind one id. */
	assert_int_equal(bed_id(b, "10.1.1.1"), id);
	assert_int_equal(bed_route_del(b, "10.0.0.0/8"), 0);
	assert_kind(b, "10.1.1.1", ADJ_NO_ROUTE);
	bed_assert_empty(b);
}

static void
an_address_may_come_before_its_route(void **state)
{
	struct bed *b = *state;
	struct neigh *n;

	assert_int_equal(bed_addr(b, "192.0.2.2/24", 1), 0);
	n = bed_learn(b, 1, "192.0.2.1", 7);
	assert_int_equal(n->refs, 0);
	assert_int_equal(bed_route(b, "10.0.0.0/8", "192.0.2.1"), 0);
	assert_int_equal(n->refs, 1);
	assert_sends(b, "10.1.1.1", 1, 7);
	assert_int_equal(bed_route_del(b, "10.0.0.0/8"), 0);
	/* It answered, so it stays until it expires. */
	assert_int_equal(n->refs, 0);
	assert_ptr_equal(neigh_find(router_neighs(b->r), 1, bed_ip("192.0.2.1")), n);
	assert_int_equal(bed_addr_del(b, "192.0.2.2/24", 1), 0);
	bed_assert_empty(b);
}

static void
a_gateway_nobody_asked_for_goes_with_its_route(void **state)
{
	struct bed *b = *state;

	assert_int_equal(bed_addr(b, "192.0.2.2/24", 1), 0);
	assert_int_equal(bed_route(b, "10.0.0.0/8", "192.0.2.1"), 0);
	assert_int_equal(neigh_count(router_neighs(b->r)), 1);
	assert_int_equal(bed_route_del(b, "10.0.0.0/8"), 0);
	assert_int_equal(neigh_count(router_neighs(b->r)), 0);
}

static void
next_hops_are_shared(void **state)
{
	struct bed *b = *state;
	uint16_t id;

	bed_addr(b, "192.0.2.2/24", 1);
	assert_int_equal(bed_route(b, "10.0.0.0/8", "192.0.2.1"), 0);
	assert_int_equal(bed_route(b, "20.0.0.0/8", "192.0.2.1"), 0);
	id = bed_id(b, "10.0.0.1");
	assert_int_equal(bed_id(b, "20.0.0.1"), id);
	/* Named with its port it is another object, and behaves the same. */
	assert_int_equal(bed_route_dev_of(b, "30.0.0.0/8", "192.0.2.1", 1, false), 0);
	assert_int_not_equal(bed_id(b, "30.0.0.1"), id);
	bed_learn(b, 1, "192.0.2.1", 3);
	assert_sends(b, "10.0.0.1", 1, 3);
	assert_sends(b, "20.0.0.1", 1, 3);
	assert_sends(b, "30.0.0.1", 1, 3);
	assert_int_equal(neigh_find(router_neighs(b->r), 1, bed_ip("192.0.2.1"))->refs, 2);

	bed_route_del(b, "10.0.0.0/8");
	assert_int_equal(bed_id(b, "20.0.0.1"), id);
	assert_sends(b, "20.0.0.1", 1, 3);
	bed_route_del(b, "20.0.0.0/8");
	bed_route_del(b, "30.0.0.0/8");
	bed_addr_del(b, "192.0.2.2/24", 1);
	bed_assert_empty(b);
}

static void
dev_binds_a_gateway_to_its_port(void **state)
{
	struct bed *b = *state;

	bed_addr(b, "192.0.2.2/24", 1);
	assert_int_equal(bed_route_dev_of(b, "10.0.0.0/8", "192.0.2.1", 2, false), 0);
	assert_kind(b, "10.0.0.1", ADJ_NO_ROUTE);
	/* A shorter network on the named port is enough. */
	bed_addr(b, "192.0.0.9/16", 2);
	assert_asks(b, "10.0.0.1", 2, "192.0.2.1");
	/* Without dev the longest network decides. */
	assert_int_equal(bed_route(b, "20.0.0.0/8", "192.0.2.1"), 0);
	assert_asks(b, "20.0.0.1", 1, "192.0.2.1");
	bed_learn(b, 1, "192.0.2.1", 4);
	bed_learn(b, 2, "192.0.2.1", 5);
	assert_sends(b, "20.0.0.1", 1, 4);
	assert_sends(b, "10.0.0.1", 2, 5);
	bed_addr_del(b, "192.0.2.2/24", 1);
	assert_sends(b, "20.0.0.1", 2, 5);
}

static void
a_gateway_is_another_host(void **state)
{
	struct bed *b = *state;

	bed_addr(b, "192.0.2.2/24", 1);
	assert_says(b, bed_route(b, "10.0.0.0/8", "192.0.2.2"), -EINVAL, "our own address on net1");
	assert_says(b, bed_route(b, "10.0.0.0/8", "0.0.0.0"), -EINVAL, "no host's address");
	assert_says(b, bed_route(b, "10.0.0.0/8", "127.0.0.1"), -EINVAL, "no host's address");
	assert_says(b, bed_route(b, "10.0.0.0/8", "224.0.0.1"), -EINVAL, "no host's address");
	assert_int_equal(adj_used(b->r->adjs), BED_PORTS);

	/* It may become ours, or a broadcast address, later. */
	assert_int_equal(bed_route(b, "10.0.0.0/8", "192.0.2.9"), 0);
	assert_asks(b, "10.0.0.1", 1, "192.0.2.9");
	bed_learn(b, 1, "192.0.2.9", 9);
	assert_int_equal(bed_addr(b, "192.0.2.9/32", 2), 0);
	assert_kind(b, "10.0.0.1", ADJ_NO_ROUTE);
	assert_null(neigh_find(router_neighs(b->r), 1, bed_ip("192.0.2.9")));
	assert_int_equal(bed_addr_del(b, "192.0.2.9/32", 2), 0);
	assert_asks(b, "10.0.0.1", 1, "192.0.2.9");
	assert_int_equal(bed_route(b, "20.0.0.0/8", "192.0.2.255"), 0);
	assert_kind(b, "20.0.0.1", ADJ_NO_ROUTE);
}

static void
the_default_route_works_in_every_order(void **state)
{
	struct bed *b = *state;

	for (unsigned int order = 0; order < 6; order++) {
		/* Three steps: 0 the route, 1 the address, 2 a longer prefix. */
		static const uint8_t step[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
						    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

		for (unsigned int i = 0; i < 3; i++) {
			if (step[order][i] == 0)
				assert_int_equal(bed_route(b, "0.0.0.0/0", "192.0.2.1"), 0);
			else if (step[order][i] == 1)
				assert_int_equal(bed_addr(b, "192.0.2.2/24", 1), 0);
			else
				assert_int_equal(bed_blackhole(b, "10.0.0.0/8"), 0);
		}
		assert_int_equal(bed_id(b, "8.8.8.8"), ADJ_ID_DEFAULT);
		assert_asks(b, "8.8.8.8", 1, "192.0.2.1");
		bed_learn(b, 1, "192.0.2.1", 6);
		assert_sends(b, "8.8.8.8", 1, 6);
		assert_kind(b, "10.0.0.1", ADJ_BLACKHOLE);
		bed_learn(b, 1, "192.0.2.1", 0);
		assert_asks(b, "8.8.8.8", 1, "192.0.2.1");

		for (unsigned int i = 0; i < 3; i++) {
			if (step[order][i] == 0) {
				assert_int_equal(bed_route_del(b, "0.0.0.0/0"), 0);
				assert_kind(b, "8.8.8.8", ADJ_NO_ROUTE);
			} else if (step[order][i] == 1) {
				assert_int_equal(bed_addr_del(b, "192.0.2.2/24", 1), 0);
				assert_kind(b, "8.8.8.8", ADJ_NO_ROUTE);
			} else {
				assert_int_equal(bed_route_del(b, "10.0.0.0/8"), 0);
			}
		}
		bed_assert_empty(b);
	}
}

static void
the_default_route_changes_kind(void **state)
{
	struct bed *b = *state;

	bed_addr(b, "192.0.2.2/24", 1);
	bed_learn(b, 1, "192.0.2.1", 6);
	assert_int_equal(bed_blackhole(b, "0.0.0.0/0"), 0);
	assert_kind(b, "8.8.8.8", ADJ_BLACKHOLE);
	assert_int_equal(bed_replace(b, "0.0.0.0/0", "192.0.2.1"), 0);
	assert_sends(b, "8.8.8.8", 1, 6);
	assert_int_equal(bed_route_dev(b, "0.0.0.0/0", 2), 0);
	assert_asks(b, "8.8.8.8", 2, "8.8.8.8");
	/* The gateway it used to have does not concern it any more. */
	bed_learn(b, 1, "192.0.2.1", 7);
	assert_asks(b, "8.8.8.8", 2, "8.8.8.8");
	assert_int_equal(bed_replace(b, "0.0.0.0/0", "192.0.2.77"), 0);
	assert_asks(b, "8.8.8.8", 1, "192.0.2.77");
	assert_int_equal(router_port_mtu(b->r, 1, 900, &b->err), 0);
	bed_learn(b, 1, "192.0.2.77", 8);
	assert_sends(b, "8.8.8.8", 1, 8);
	assert_int_equal(bed_adj(b, "8.8.8.8").mtu, 900);
	assert_int_equal(router_port_mtu(b->r, 1, 1400, &b->err), 0);
	assert_int_equal(bed_adj(b, "8.8.8.8").mtu, 1400);
}

static void
replacing_moves_the_route_only(void **state)
{
	struct bed *b = *state;
	uint16_t first, other;

	bed_addr(b, "192.0.2.2/24", 1);
	bed_learn(b, 1, "192.0.2.1", 1);
	bed_learn(b, 1, "192.0.2.3", 3);
	bed_route(b, "10.0.0.0/8", "192.0.2.1");
	bed_route(b, "20.0.0.0/8", "192.0.2.1");
	first = bed_id(b, "10.0.0.1");

	assert_says(b, bed_route(b, "10.0.0.0/8", "192.0.2.3"), -EEXIST,
		    "route add 10.0.0.0/8: exists already; use 'route replace'");
	assert_sends(b, "10.0.0.1", 1, 1);
	assert_int_equal(bed_replace(b, "10.0.0.0/8", "192.0.2.3"), 0);
	other = bed_id(b, "10.0.0.1");
	assert_int_not_equal(other, first);
	assert_sends(b, "10.0.0.1", 1, 3);
	assert_sends(b, "20.0.0.1", 1, 1);
	/* Replacing by the same keeps the id: nothing changes for a worker. */
	assert_int_equal(bed_replace(b, "10.0.0.0/8", "192.0.2.3"), 0);
	assert_int_equal(bed_id(b, "10.0.0.1"), other);
	assert_int_equal(bed_replace(b, "30.0.0.0/8", "192.0.2.3"), 0);
	assert_sends(b, "30.0.0.1", 1, 3);
	assert_int_equal(router_route_count(b->r), 3);
	assert_int_equal(bed_route_dev(b, "30.0.0.0/8", 2), 0);
	assert_asks(b, "30.0.0.1", 2, "30.0.0.1");
	assert_int_equal(bed_blackhole(b, "30.0.0.0/8"), 0);
	assert_kind(b, "30.0.0.1", ADJ_BLACKHOLE);
}

static void
several_next_hops_fail_over(void **state)
{
	struct bed *b = *state;
	struct route_spec s = bed_spec("10.0.0.0/8", ROUTE_VIA);
	struct route_spec d = bed_spec("0.0.0.0/0", ROUTE_VIA);
	struct route_info info;
	uint16_t id;

	bed_via(&s, "192.0.2.1", ROUTE_PORT_ANY);
	bed_via(&s, "198.51.100.1", ROUTE_PORT_ANY);
	s.nh[1].weight = 9;
	d.nb_nh = s.nb_nh;
	memcpy(d.nh, s.nh, sizeof(d.nh));
	assert_int_equal(router_route_add(b->r, &s, false, &b->err), 0);
	assert_int_equal(router_route_add(b->r, &d, false, &b->err), 0);
	assert_kind(b, "10.0.0.1", ADJ_NO_ROUTE);
	assert_kind(b, "8.8.8.8", ADJ_NO_ROUTE);
	/* Two next hops and one choice between them, for both routes. */
	id = bed_id(b, "10.0.0.1");
	assert_int_equal(adj_used(b->r->adjs), BED_PORTS + 3);

	bed_addr(b, "198.51.100.2/24", 2);
	assert_asks(b, "10.0.0.1", 2, "198.51.100.1");
	assert_asks(b, "8.8.8.8", 2, "198.51.100.1");
	bed_addr(b, "192.0.2.2/24", 1);
	assert_asks(b, "10.0.0.1", 1, "192.0.2.1");
	assert_asks(b, "8.8.8.8", 1, "192.0.2.1");
	bed_learn(b, 1, "192.0.2.1", 1);
	bed_learn(b, 2, "198.51.100.1", 2);
	assert_sends(b, "10.0.0.1", 1, 1);
	bed_addr_del(b, "192.0.2.2/24", 1);
	assert_sends(b, "10.0.0.1", 2, 2);
	assert_sends(b, "8.8.8.8", 2, 2);
	assert_int_equal(bed_id(b, "8.8.8.8"), ADJ_ID_DEFAULT);

	bed_learn(b, 2, "198.51.100.1", 3);
	assert_sends(b, "10.0.0.1", 2, 3);
	assert_sends(b, "8.8.8.8", 2, 3);
	router_port_mtu(b->r, 2, 1200, &b->err);
	assert_sends(b, "10.0.0.1", 2, 3);
	assert_int_equal(bed_id(b, "10.0.0.1"), id);

	/* Other weights are another choice. */
	s.nh[1].weight = 8;
	assert_int_equal(router_route_add(b->r, &s, true, &b->err), 0);
	assert_int_not_equal(bed_id(b, "10.0.0.1"), id);
	assert_int_equal(adj_used(b->r->adjs), BED_PORTS + 4 + 1); /* a host route, too */
	s.nh[1].weight = 9;
	assert_int_equal(router_route_add(b->r, &s, true, &b->err), 0);

	assert_int_equal(router_route_match(b->r, bed_ip("10.0.0.1"), &info), 0);
	assert_int_equal(info.spec.nb_nh, 2);
	assert_int_equal(info.spec.nh[0].ip, bed_ip("192.0.2.1"));
	assert_int_equal(info.spec.nh[1].weight, 9);
	assert_true(info.active && info.resolved);

	bed_addr_del(b, "198.51.100.2/24", 2);
	bed_route_del(b, "10.0.0.0/8");
	bed_route_del(b, "0.0.0.0/0");
	bed_assert_empty(b);
}

static void
bad_routes_are_refused_by_name(void **state)
{
	static const struct {
		const char *what;
		struct route_spec spec;
		int ret;
		const char *says;
	} bad[] = {
		{ "host bits",
		  { .prefix = IP4(10, 0, 0, 1), .depth = 24, .kind = ROUTE_BLACKHOLE },
		  -EINVAL,
		  "route add 10.0.0.1/24: host bits are set; did you mean 10.0.0.0/24?" },
		{ "length",
		  { .prefix = 0, .depth = 33, .kind = ROUTE_BLACKHOLE },
		  -EINVAL,
		  "above 32" },
		{ "no next hop", { .depth = 8, .kind = ROUTE_VIA }, -EINVAL, "1..16" },
		{ "too many", { .depth = 8, .kind = ROUTE_VIA, .nb_nh = 17 }, -EINVAL, "1..16" },
		{ "weight 0",
		  { .depth = 8,
		    .kind = ROUTE_VIA,
		    .nb_nh = 1,
		    .nh = { { IP4(10, 0, 0, 1), ROUTE_PORT_ANY, 0 } } },
		  -EINVAL,
		  "weight 0" },
		{ "weight 257",
		  { .depth = 8,
		    .kind = ROUTE_VIA,
		    .nb_nh = 1,
		    .nh = { { IP4(10, 0, 0, 1), ROUTE_PORT_ANY, 257 } } },
		  -EINVAL,
		  "weight 257" },
		{ "absent port",
		  { .depth = 8,
		    .kind = ROUTE_VIA,
		    .nb_nh = 1,
		    .nh = { { IP4(10, 0, 0, 1), BED_PORTS, 1 } } },
		  -ENODEV,
		  "no port 3" },
		{ "absent dev",
		  { .depth = 8,
		    .kind = ROUTE_DEV,
		    .nb_nh = 1,
		    .nh = { { .port = ROUTE_PORT_ANY } } },
		  -ENODEV,
		  "no port 65535" },
		{ "kind", { .depth = 8, .kind = 9 }, -EINVAL, "kind" },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		int ret = router_route_add(b->r, &bad[i].spec, false, &b->err);

		if (ret != bad[i].ret || strstr(b->err.text, bad[i].says) == NULL)
			fail_msg("%s: %d '%s'", bad[i].what, ret, b->err.text);
		assert_int_equal(router_route_add(b->r, &bad[i].spec, true, NULL), bad[i].ret);
	}
	assert_says(b, bed_route_del(b, "10.0.0.0/8"), -ENOENT,
		    "route del 10.0.0.0/8: there is no");
	assert_says(b, bed_route_del(b, "0.0.0.0/0"), -ENOENT, "0.0.0.0/0");
	bed_assert_empty(b);
}

static void
a_full_table_changes_nothing(void **state)
{
	static const struct router_config limits = { .max_routes = 6,
						     .max_groups = 1,
						     .max_neighs = 2 };
	struct bed b;
	void *p = &b;

	(void)state;
	bed_open(&b, &limits);
	assert_int_equal(bed_route(&b, "10.0.0.0/8", "192.0.2.1"), 0);
	assert_int_equal(bed_route(&b, "11.0.0.0/8", "192.0.2.1"), 0);
	assert_int_equal(bed_addr(&b, "192.0.2.2/24", 1), 0); /* four prefixes */
	assert_says(&b, bed_route(&b, "12.0.0.0/8", "192.0.2.9"), -ENOSPC, "full: 6 routes");
	assert_says(&b, bed_route(&b, "0.0.0.0/0", "192.0.2.9"), -ENOSPC, "full: 6 routes");
	assert_kind(&b, "12.0.0.1", ADJ_NO_ROUTE);
	assert_int_equal(router_route_count(&b.r[0]), 2);
	assert_int_equal(adj_used(b.r->adjs), BED_PORTS + 1);
	assert_int_equal(neigh_count(router_neighs(b.r)), 1);

	/* Replacing needs no room. */
	assert_int_equal(bed_replace(&b, "11.0.0.0/8", "192.0.2.1"), 0);
	/* A neighbour without a host route is still reached, by the slow path. */
	bed_learn(&b, 1, "192.0.2.7", 7);
	assert_int_equal(bed_adj(&b, "192.0.2.7").kind, ADJ_RESOLVE);
	assert_int_equal(bed_route_del(&b, "11.0.0.0/8"), 0);
	router_reclaim(b.r);
	assert_sends(&b, "192.0.2.7", 1, 7);
	/* The neighbour table is full: the next hop is active, and waits. */
	assert_int_equal(bed_replace(&b, "10.0.0.0/8", "192.0.2.8"), 0);
	assert_int_equal(bed_addr_del(&b, "192.0.2.2/24", 1), 0);
	assert_says(&b, bed_addr(&b, "198.51.100.1/25", 1), 0, "");
	assert_says(&b, bed_addr(&b, "203.0.113.1/25", 1), -ENOSPC, "addr add 203.0.113.1/25");
	assert_int_equal(router_view(b.r)->own->n, 1);
	assert_int_equal(bed_addr_del(&b, "198.51.100.1/25", 1), 0);
	assert_int_equal(bed_route_del(&b, "10.0.0.0/8"), 0);
	bed_assert_empty(&b);
	router_destroy(b.r);
	assert_int_equal(bed_heap(), b.heap);
	free(b.rcu);
	(void)p;
}

static void
a_next_hop_without_a_neighbour_entry_gets_one_later(void **state)
{
	struct bed *b = *state;
	char ip[16];

	bed_addr(b, "192.0.2.2/24", 1);
	for (unsigned int i = 0; i < BED_NEIGHS; i++) {
		snprintf(ip, sizeof(ip), "192.0.2.%u", 100 + i);
		bed_learn(b, 1, ip, (uint8_t)(1 + i));
	}
	assert_int_equal(bed_route(b, "10.0.0.0/8", "192.0.2.1"), 0);
	assert_asks(b, "10.0.0.1", 1, "192.0.2.1");
	router_reclaim(b->r);
	assert_null(neigh_find(router_neighs(b->r), 1, bed_ip("192.0.2.1")));
	assert_int_equal(router_neigh_del(b->r, 1, bed_ip("192.0.2.100"), &b->err), 0);
	router_reclaim(b->r);
	assert_int_equal(neigh_find(router_neighs(b->r), 1, bed_ip("192.0.2.1"))->refs, 1);
	bed_learn(b, 1, "192.0.2.1", 99);
	assert_sends(b, "10.0.0.1", 1, 99);
}

static void
ids_run_out_without_a_trace(void **state)
{
	struct bed *b = *state;
	struct route_spec s = bed_spec("10.0.0.0/8", ROUTE_VIA);
	uint16_t id[3];
	int last = 0, ret;

	/* Two are left: enough for two next hops, not for the choice between them. */
	bed_addr(b, "192.0.2.2/24", 1);
	while ((ret = adj_alloc(b->r->adjs)) > 0) {
		id[last % 3] = (uint16_t)ret;
		last++;
	}
	assert_int_equal(ret, -ENOSPC);
	adj_free(b->r->adjs, id[0]);
	adj_free(b->r->adjs, id[1]);
	bed_via(&s, "192.0.2.1", ROUTE_PORT_ANY);
	bed_via(&s, "192.0.2.3", ROUTE_PORT_ANY);
	for (unsigned int legs = 2; legs <= 3; legs++) {
		uint32_t used = adj_used(b->r->adjs);

		s.nb_nh = (uint8_t)legs;
		s.nh[2] = (struct route_nh){ bed_ip("192.0.2.4"), ROUTE_PORT_ANY, 1 };
		assert_says(b, router_route_add(b->r, &s, false, &b->err), -ENOSPC,
			    "route add 10.0.0.0/8: all 32763 next-hop ids are in use");
		assert_int_equal(adj_used(b->r->adjs), used);
		assert_int_equal(neigh_count(router_neighs(b->r)), 0);
		assert_int_equal(router_route_count(b->r), 0);
	}
	s.nb_nh = 1;
	assert_int_equal(router_route_add(b->r, &s, false, &b->err), 0);
	/* The gateway's host route takes the last; the next neighbour waits for one. */
	bed_learn(b, 1, "192.0.2.1", 1);
	assert_sends(b, "10.0.0.1", 1, 1);
	bed_learn(b, 1, "192.0.2.5", 5);
	assert_int_equal(bed_adj(b, "192.0.2.5").kind, ADJ_RESOLVE);
	adj_free(b->r->adjs, id[2]);
	router_reclaim(b->r);
	assert_sends(b, "192.0.2.5", 1, 5);
}

static void
freed_ids_rest_until_workers_let_go(void **state)
{
	struct bed *b = *state;
	uint16_t id;

	assert_int_equal(rte_rcu_qsbr_thread_register(b->rcu, 0), 0);
	rte_rcu_qsbr_thread_online(b->rcu, 0);
	bed_addr(b, "192.0.2.2/24", 1);
	bed_route(b, "10.0.0.0/8", "192.0.2.1");
	bed_learn(b, 1, "192.0.2.1", 1);
	id = bed_id(b, "10.0.0.1");
	bed_route_del(b, "10.0.0.0/8");
	router_reclaim(b->r);
	/* A worker between lookup and rewrite still sends where the route went. */
	assert_int_equal(adj_at(router_view(b->r)->adj, id).kind, ADJ_FORWARD);
	bed_route(b, "20.0.0.0/8", "192.0.2.3");
	assert_int_not_equal(bed_id(b, "20.0.0.1"), id);
	rte_rcu_qsbr_quiescent(b->rcu, 0);
	router_reclaim(b->r);
	bed_route(b, "30.0.0.0/8", "192.0.2.4");
	assert_int_equal(bed_id(b, "30.0.0.1"), id);
	rte_rcu_qsbr_thread_offline(b->rcu, 0);
	rte_rcu_qsbr_thread_unregister(b->rcu, 0);
}

static void
mtu_follows_the_port(void **state)
{
	struct bed *b = *state;

	bed_addr(b, "192.0.2.2/24", 1);
	bed_addr(b, "198.51.100.2/24", 2);
	bed_route(b, "10.0.0.0/8", "192.0.2.1");
	bed_learn(b, 1, "192.0.2.1", 1);
	bed_learn(b, 2, "198.51.100.1", 2);
	assert_says(b, router_port_mtu(b->r, 1, 67, &b->err), -EINVAL, "68..65535");
	assert_says(b, router_port_mtu(b->r, 9, 1500, &b->err), -ENODEV, "no port 9");
	assert_int_equal(router_port_mtu(b->r, 1, 65535, &b->err), 0);
	assert_int_equal(bed_adj(b, "10.0.0.1").mtu, 65535);
	assert_int_equal(bed_adj(b, "192.0.2.1").mtu, 65535);
	assert_int_equal(bed_adj(b, "198.51.100.1").mtu, 1498);
	assert_int_equal(router_port_mtu(b->r, 1, 68, &b->err), 0);
	assert_int_equal(bed_adj(b, "10.0.0.1").mtu, 68);
	assert_int_equal(bed_adj(b, "192.0.2.50").mtu, 0);
}

static void
ports_are_told_once(void **state)
{
	struct rte_ether_addr mac = bed_port_mac(0);
	struct bed *b = *state;

	assert_says(b, router_port_add(b->r, 1, "again", &mac, 1500, &b->err), -EEXIST, "net1");
	assert_says(b, router_port_add(b->r, 5, "small", &mac, 67, &b->err), -EINVAL, "small");
	assert_says(b, router_port_add(b->r, 5000, "far", &mac, 1500, &b->err), -EINVAL, "far");
	assert_null(router_port(b->r, 5));
	assert_null(router_port(b->r, 5000));
	assert_string_equal(router_port(b->r, 2)->name, "net2");
	assert_int_equal(adj_used(b->r->adjs), BED_PORTS);
}

static void
a_router_needs_sane_limits(void **state)
{
	struct bed *b = *state;
	struct router_config cfg = { .max_groups = 1, .max_neighs = 1, .rcu = b->rcu };
	struct router *r = NULL;

	assert_int_equal(router_create(&r, &cfg, &b->err), -EINVAL);
	cfg.max_routes = 10;
	cfg.max_neighs = 0;
	assert_says(b, router_create(&r, &cfg, &b->err), -EINVAL, "0 neighbours");
	assert_null(r);
	router_destroy(NULL);
}

#define bed_test(f) cmocka_unit_test_setup_teardown(f, bed_setup, bed_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		bed_test(a_route_may_come_before_its_address),
		bed_test(an_address_may_come_before_its_route),
		bed_test(a_gateway_nobody_asked_for_goes_with_its_route),
		bed_test(next_hops_are_shared),
		bed_test(dev_binds_a_gateway_to_its_port),
		bed_test(a_gateway_is_another_host),
		bed_test(the_default_route_works_in_every_order),
		bed_test(the_default_route_changes_kind),
		bed_test(replacing_moves_the_route_only),
		bed_test(several_next_hops_fail_over),
		bed_test(bad_routes_are_refused_by_name),
		cmocka_unit_test(a_full_table_changes_nothing),
		bed_test(a_next_hop_without_a_neighbour_entry_gets_one_later),
		bed_test(ids_run_out_without_a_trace),
		bed_test(freed_ids_rest_until_workers_let_go),
		bed_test(mtu_follows_the_port),
		bed_test(ports_are_told_once),
		bed_test(a_router_needs_sane_limits),
	};

	test_eal_init("test_route", "0", "128");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

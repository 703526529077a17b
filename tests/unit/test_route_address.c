/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/router.h"

/* Own addresses, connected networks, neighbours on them; and what is printed. */

static void
an_address_makes_four_prefixes(void **state)
{
	struct bed *b = *state;

	assert_int_equal(bed_addr(b, "10.0.0.1/24", 0), 0);
	assert_kind(b, "10.0.0.1", ADJ_LOCAL);
	assert_kind(b, "10.0.0.0", ADJ_BAD_DESTINATION);
	assert_kind(b, "10.0.0.255", ADJ_BAD_DESTINATION);
	assert_asks(b, "10.0.0.2", 0, "10.0.0.2");
	assert_asks(b, "10.0.0.254", 0, "10.0.0.254");
	assert_kind(b, "10.0.1.0", ADJ_NO_ROUTE);
	assert_int_equal(bed_id(b, "10.0.0.1"), ADJ_ID_LOCAL);
	assert_int_equal(bed_addr_del(b, "10.0.0.1/24", 0), 0);
	bed_assert_empty(b);
}

static void
point_to_point_networks_have_no_broadcast(void **state)
{
	struct bed *b = *state;

	assert_int_equal(bed_addr(b, "10.0.0.0/31", 0), 0);
	assert_kind(b, "10.0.0.0", ADJ_LOCAL);
	assert_asks(b, "10.0.0.1", 0, "10.0.0.1");
	assert_int_equal(bed_addr(b, "10.9.9.9/32", 1), 0);
	assert_kind(b, "10.9.9.9", ADJ_LOCAL);
	assert_kind(b, "10.9.9.8", ADJ_NO_ROUTE);
	assert_int_equal(bed_addr_del(b, "10.0.0.0/31", 0), 0);
	assert_int_equal(bed_addr_del(b, "10.9.9.9/32", 1), 0);
	bed_assert_empty(b);
}

static void
bad_addresses_are_refused_by_name(void **state)
{
	static const struct {
		const char *text;
		uint16_t port;
		int ret;
		const char *says;
	} bad[] = {
		{ "0.0.0.1/8", 0, -EINVAL, "addr add 0.0.0.1/8: no host has" },
		{ "127.0.0.1/8", 0, -EINVAL, "no host has" },
		{ "224.0.0.1/24", 0, -EINVAL, "no host has" },
		{ "240.0.0.1/24", 0, -EINVAL, "no host has" },
		{ "255.255.255.255/32", 0, -EINVAL, "no host has" },
		{ "10.0.0.0/24", 0, -EINVAL, "network's own address; 10.0.0.1" },
		{ "10.0.0.255/24", 0, -EINVAL, "broadcast address; 10.0.0.254" },
		{ "10.0.0.1/0", 0, -EINVAL, "1..32" },
		{ "10.0.0.1/24", BED_PORTS, -ENODEV, "no port 3" },
		{ "10.0.0.1/24", ROUTE_PORT_ANY, -ENODEV, "no port 65535" },
		{ "10.1.0.1/16", 1, -EEXIST, "net0 has this address already" },
		{ "10.1.0.1/16", 0, -EEXIST, "net0 has this address already" },
		{ "10.1.0.2/16", 1, -EEXIST, "network 10.1.0.0/16 is on net0 already" },
	};
	struct bed *b = *state;

	assert_int_equal(bed_addr(b, "10.1.0.1/16", 0), 0);
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		int ret = bed_addr(b, bad[i].text, bad[i].port);

		if (ret != bad[i].ret || strstr(b->err.text, bad[i].says) == NULL)
			fail_msg("%s: %d '%s'", bad[i].text, ret, b->err.text);
	}
	assert_says(b, bed_addr_del(b, "10.1.0.9/16", 0), -ENOENT, "no port has");
	assert_says(b, bed_addr_del(b, "10.1.0.1/16", 1), -ENOENT, "/16 on net0");
	assert_says(b, bed_addr_del(b, "10.1.0.1/24", 0), -ENOENT, "/16 on net0");
	assert_int_equal(router_view(b->r)->own->n, 1);
	/* Another length on another port is another network. */
	assert_int_equal(bed_addr(b, "10.1.0.2/24", 1), 0);
}

static void
two_addresses_share_a_network(void **state)
{
	struct bed *b = *state;

	bed_addr(b, "10.0.0.1/24", 0);
	assert_int_equal(bed_addr(b, "10.0.0.2/24", 0), 0);
	bed_learn(b, 0, "10.0.0.9", 9);
	assert_int_equal(bed_addr_del(b, "10.0.0.1/24", 0), 0);
	assert_asks(b, "10.0.0.1", 0, "10.0.0.1");
	assert_kind(b, "10.0.0.255", ADJ_BAD_DESTINATION);
	assert_sends(b, "10.0.0.9", 0, 9);
	assert_int_equal(bed_addr_del(b, "10.0.0.2/24", 0), 0);
	bed_assert_empty(b);
}

static void
better_sources_hide_and_uncover(void **state)
{
	struct bed *b = *state;

	/* A static route for what becomes the connected network, its broadcast and our address. */
	assert_int_equal(bed_blackhole(b, "10.0.0.0/24"), 0);
	assert_int_equal(bed_blackhole(b, "10.0.0.255/32"), 0);
	assert_int_equal(bed_blackhole(b, "10.0.0.1/32"), 0);
	assert_int_equal(bed_addr(b, "10.0.0.1/24", 0), 0);
	assert_asks(b, "10.0.0.7", 0, "10.0.0.7");
	assert_kind(b, "10.0.0.255", ADJ_BAD_DESTINATION);
	assert_kind(b, "10.0.0.1", ADJ_LOCAL);
	/* An own address that is another network's broadcast address is still ours. */
	assert_int_equal(bed_addr(b, "10.0.0.255/23", 1), 0);
	assert_kind(b, "10.0.0.255", ADJ_LOCAL);
	assert_int_equal(bed_addr_del(b, "10.0.0.255/23", 1), 0);
	assert_kind(b, "10.0.0.255", ADJ_BAD_DESTINATION);
	/* route del never touches the connected route. */
	assert_int_equal(bed_route_del(b, "10.0.0.0/24"), 0);
	assert_asks(b, "10.0.0.7", 0, "10.0.0.7");
	assert_says(b, bed_route_del(b, "10.0.0.0/24"), -ENOENT, "no such static route");
	assert_int_equal(bed_blackhole(b, "10.0.0.0/24"), 0);
	assert_int_equal(bed_addr_del(b, "10.0.0.1/24", 0), 0);
	assert_kind(b, "10.0.0.7", ADJ_BLACKHOLE);
	assert_kind(b, "10.0.0.255", ADJ_BLACKHOLE);
	assert_kind(b, "10.0.0.1", ADJ_BLACKHOLE);
	assert_int_equal(bed_route_del(b, "10.0.0.0/24"), 0);
	assert_int_equal(bed_route_del(b, "10.0.0.255/32"), 0);
	assert_int_equal(bed_route_del(b, "10.0.0.1/32"), 0);
	bed_assert_empty(b);
}

static void
a_neighbour_gets_its_own_route(void **state)
{
	struct bed *b = *state;
	uint16_t id;

	bed_addr(b, "10.0.0.1/24", 0);
	bed_learn(b, 0, "10.0.0.7", 7);
	assert_sends(b, "10.0.0.7", 0, 7);
	id = bed_id(b, "10.0.0.7");
	assert_true(id >= ADJ_ID_FREE);
	assert_int_equal(neigh_find(router_neighs(b->r), 0, bed_ip("10.0.0.7"))->adj, id);
	bed_learn(b, 0, "10.0.0.7", 8);
	assert_sends(b, "10.0.0.7", 0, 8);
	assert_int_equal(bed_id(b, "10.0.0.7"), id);
	assert_asks(b, "10.0.0.8", 0, "10.0.0.8");

	bed_learn(b, 0, "10.0.0.7", 0);
	assert_asks(b, "10.0.0.7", 0, "10.0.0.7");
	assert_int_equal(bed_id(b, "10.0.0.7"), bed_id(b, "10.0.0.8"));
	assert_int_equal(neigh_find(router_neighs(b->r), 0, bed_ip("10.0.0.7"))->adj, 0);
	assert_int_equal(adj_used(b->r->adjs), BED_PORTS);
	bed_addr_del(b, "10.0.0.1/24", 0);
	bed_assert_empty(b);
}

static void
a_neighbour_off_the_link_gets_none(void **state)
{
	struct bed *b = *state;

	bed_addr(b, "10.0.0.1/24", 0);
	bed_learn(b, 0, "10.9.0.1", 1);   /* no network of ours */
	bed_learn(b, 1, "10.0.0.7", 2);   /* another port's network */
	bed_learn(b, 0, "10.0.0.1", 3);   /* ourselves */
	bed_learn(b, 0, "10.0.0.255", 4); /* everybody */
	assert_kind(b, "10.9.0.1", ADJ_NO_ROUTE);
	assert_asks(b, "10.0.0.7", 0, "10.0.0.7");
	assert_kind(b, "10.0.0.1", ADJ_LOCAL);
	assert_kind(b, "10.0.0.255", ADJ_BAD_DESTINATION);
	assert_int_equal(adj_used(b->r->adjs), BED_PORTS);

	/* The link may come later, as an address or as a route. */
	bed_addr(b, "10.9.0.2/24", 0);
	assert_sends(b, "10.9.0.1", 0, 1);
	bed_addr_del(b, "10.9.0.2/24", 0);
	assert_kind(b, "10.9.0.1", ADJ_NO_ROUTE);
	assert_null(neigh_find(router_neighs(b->r), 0, bed_ip("10.9.0.1")));
	bed_learn(b, 0, "10.9.0.1", 1);
	assert_int_equal(bed_route_dev(b, "10.9.0.0/16", 0), 0);
	assert_sends(b, "10.9.0.1", 0, 1);
	assert_int_equal(bed_route_dev(b, "10.9.0.0/16", 1), 0);
	assert_asks(b, "10.9.0.1", 1, "10.9.0.1");
	bed_learn(b, 1, "10.9.0.1", 5);
	assert_sends(b, "10.9.0.1", 1, 5);
	assert_int_equal(bed_route_dev(b, "10.9.0.0/16", 0), 0);
	assert_sends(b, "10.9.0.1", 0, 1);
	assert_int_equal(bed_route_del(b, "10.9.0.0/16"), 0);
	assert_kind(b, "10.9.0.1", ADJ_NO_ROUTE);
}

static void
a_longer_route_wins_over_a_neighbour(void **state)
{
	struct bed *b = *state;

	bed_addr(b, "10.0.0.1/24", 0);
	bed_addr(b, "192.0.2.2/24", 1);
	bed_learn(b, 0, "10.0.0.200", 2);
	bed_learn(b, 1, "192.0.2.1", 1);
	assert_sends(b, "10.0.0.200", 0, 2);
	assert_int_equal(bed_route(b, "10.0.0.128/25", "192.0.2.1"), 0);
	assert_sends(b, "10.0.0.200", 1, 1);
	bed_learn(b, 0, "10.0.0.201", 3);
	assert_sends(b, "10.0.0.201", 1, 1);
	assert_int_equal(bed_route_del(b, "10.0.0.128/25"), 0);
	assert_sends(b, "10.0.0.200", 0, 2);
	assert_sends(b, "10.0.0.201", 0, 3);

	assert_int_equal(bed_route(b, "10.0.0.200/32", "192.0.2.1"), 0);
	assert_sends(b, "10.0.0.200", 1, 1);
	assert_int_equal(bed_route_del(b, "10.0.0.200/32"), 0);
	assert_sends(b, "10.0.0.200", 0, 2);
	/* "ADDRESS/32 dev PORT" names the link, and the neighbour there is used. */
	assert_int_equal(bed_route_dev(b, "10.0.0.200/32", 0), 0);
	assert_sends(b, "10.0.0.200", 0, 2);
	assert_int_equal(bed_route_dev(b, "10.0.0.200/32", 1), 0);
	assert_asks(b, "10.0.0.200", 1, "10.0.0.200");
}

static void
a_neighbour_under_the_default_route(void **state)
{
	struct bed *b = *state;

	bed_learn(b, 2, "8.8.8.8", 8);
	assert_kind(b, "8.8.8.8", ADJ_NO_ROUTE);
	assert_int_equal(bed_route_dev(b, "0.0.0.0/0", 2), 0);
	assert_sends(b, "8.8.8.8", 2, 8);
	assert_asks(b, "9.9.9.9", 2, "9.9.9.9");
	assert_int_equal(bed_route_del(b, "0.0.0.0/0"), 0);
	assert_kind(b, "8.8.8.8", ADJ_NO_ROUTE);
}

static void
removing_an_address_forgets_its_neighbours(void **state)
{
	struct bed *b = *state;
	struct neigh *held;

	bed_addr(b, "10.0.0.1/24", 0);
	bed_addr(b, "10.0.0.129/25", 0);
	bed_learn(b, 0, "10.0.0.7", 7);
	bed_learn(b, 0, "10.0.0.200", 8);
	held = neigh_get(router_neighs(b->r), 0, bed_ip("10.0.0.9"));
	neigh_set(router_neighs(b->r), held, NEIGH_INCOMPLETE, NULL);
	held->hold = (struct hold *)(uintptr_t)b;
	assert_int_equal(bed_route(b, "20.0.0.0/8", "10.0.0.200"), 0);
	assert_int_equal(bed_addr_del(b, "10.0.0.1/24", 0), 0);
	assert_null(neigh_find(router_neighs(b->r), 0, bed_ip("10.0.0.7")));
	/* The longer network still holds this one. */
	assert_sends(b, "20.0.0.1", 0, 8);
	/* Packets wait for this one: it fails now, and who holds them forgets it. */
	assert_ptr_equal(neigh_find(router_neighs(b->r), 0, bed_ip("10.0.0.9")), held);
	assert_int_equal(held->state, NEIGH_FAILED);
	assert_int_equal(held->due_us, 1);
	held->hold = NULL;
	neigh_remove(router_neighs(b->r), held);
	assert_int_equal(bed_addr_del(b, "10.0.0.129/25", 0), 0);
	assert_kind(b, "20.0.0.1", ADJ_NO_ROUTE);
	assert_int_equal(bed_route_del(b, "20.0.0.0/8"), 0);
	bed_assert_empty(b);
}

static void
an_address_of_ours_is_nobodys_neighbour(void **state)
{
	struct bed *b = *state;

	bed_addr(b, "10.0.0.1/24", 0);
	bed_learn(b, 0, "10.0.0.5", 5);
	assert_int_equal(bed_addr(b, "10.0.0.5/24", 0), 0);
	assert_kind(b, "10.0.0.5", ADJ_LOCAL);
	assert_null(neigh_find(router_neighs(b->r), 0, bed_ip("10.0.0.5")));
	assert_int_equal(adj_used(b->r->adjs), BED_PORTS);
}

/* The lines of a command file may come in any order. */
static void
a_static_neighbour_waits_for_its_network(void **state)
{
	struct rte_ether_addr mac = bed_mac(1), other = bed_mac(2);
	struct bed *b = *state;

	assert_int_equal(router_neigh_add(b->r, 0, bed_ip("10.0.0.2"), &mac, &b->err), 0);
	assert_int_equal(router_neigh_add(b->r, 1, bed_ip("30.0.0.2"), &other, &b->err), 0);
	assert_int_equal(router_neigh_add(b->r, 0, bed_ip("10.0.0.255"), &mac, &b->err), 0);
	assert_kind(b, "10.0.0.2", ADJ_NO_ROUTE);
	bed_route(b, "20.0.0.0/8", "10.0.0.2");
	assert_kind(b, "20.0.0.1", ADJ_NO_ROUTE);

	bed_addr(b, "10.0.0.1/24", 0);
	assert_sends(b, "10.0.0.2", 0, 1);
	assert_sends(b, "20.0.0.1", 0, 1);
	assert_kind(b, "10.0.0.255", ADJ_BAD_DESTINATION);
	assert_kind(b, "30.0.0.2", ADJ_NO_ROUTE);
	bed_addr(b, "30.0.0.1/24", 0);
	assert_kind(b, "30.0.0.2", ADJ_RESOLVE); /* that one is on the other port */
}

static void
static_neighbours(void **state)
{
	struct rte_ether_addr mac = bed_mac(1), zero = { 0 }, own = bed_port_mac(0);
	struct rte_ether_addr group = { { 1, 0, 0x5e, 0, 0, 1 } };
	struct bed *b = *state;
	struct err *err = &b->err;

	bed_addr(b, "10.0.0.1/24", 0);
	assert_says(b, router_neigh_add(b->r, 0, bed_ip("224.0.0.2"), &mac, err), -EINVAL,
		    "neigh add 224.0.0.2: no host");
	assert_says(b, router_neigh_add(b->r, 9, bed_ip("10.0.0.2"), &mac, err), -ENODEV, "port 9");
	assert_says(b, router_neigh_add(b->r, 0, bed_ip("10.0.0.1"), &mac, err), -EINVAL, "own");
	assert_says(b, router_neigh_add(b->r, 0, bed_ip("10.0.0.255"), &mac, err), -EINVAL,
		    "first or last");
	assert_says(b, router_neigh_add(b->r, 0, bed_ip("10.0.0.2"), &zero, err), -EINVAL, "zero");
	assert_says(b, router_neigh_add(b->r, 0, bed_ip("10.0.0.2"), &group, err), -EINVAL,
		    "group");
	assert_says(b, router_neigh_add(b->r, 0, bed_ip("10.0.0.2"), &own, err), -EINVAL,
		    "net0's own");
	assert_int_equal(neigh_count(router_neighs(b->r)), 0);

	bed_route(b, "20.0.0.0/8", "10.0.0.2");
	assert_int_equal(router_neigh_add(b->r, 0, bed_ip("10.0.0.2"), &mac, err), 0);
	assert_sends(b, "10.0.0.2", 0, 1);
	assert_sends(b, "20.0.0.1", 0, 1);
	mac = bed_mac(2);
	assert_int_equal(router_neigh_add(b->r, 0, bed_ip("10.0.0.2"), &mac, err), 0);
	assert_sends(b, "20.0.0.1", 0, 2);
	assert_int_equal(router_neigh_del(b->r, 0, bed_ip("10.0.0.2"), err), 0);
	assert_asks(b, "20.0.0.1", 0, "10.0.0.2");
	assert_int_equal(neigh_find(router_neighs(b->r), 0, bed_ip("10.0.0.2"))->state, NEIGH_IDLE);
	assert_says(b, router_neigh_del(b->r, 1, bed_ip("10.0.0.2"), err), -ENOENT,
		    "neigh del 10.0.0.2: net1 has no such");
	/* By a "dev" route, too; and the table's end is told. */
	assert_int_equal(bed_route_dev(b, "30.0.0.0/8", 2), 0);
	for (uint32_t i = 1; i < BED_NEIGHS; i++)
		assert_int_equal(router_neigh_add(b->r, 2, bed_ip("30.0.0.0") + i, &mac, err), 0);
	assert_says(b, router_neigh_add(b->r, 2, bed_ip("30.1.0.0"), &mac, err), -ENOSPC,
		    "64 neighbours");
}

static void
own_addresses_are_published(void **state)
{
	struct bed *b = *state;
	const struct own_table *before;
	uint16_t port;
	char text[20];

	assert_int_equal(rte_rcu_qsbr_thread_register(b->rcu, 0), 0);
	rte_rcu_qsbr_thread_online(b->rcu, 0);
	bed_addr(b, "10.0.9.1/24", 2);
	before = router_view(b->r)->own;
	for (unsigned int i = 0; i < 50; i++) {
		snprintf(text, sizeof(text), "10.1.%u.1/24", (i * 37) % 50);
		assert_int_equal(bed_addr(b, text, 1), 0);
	}
	/* What a worker still holds stays as it was. */
	router_reclaim(b->r);
	assert_int_equal(before->n, 1);
	assert_true(own_maybe(before, bed_ip("10.0.9.1")));
	assert_false(own_has(before, bed_ip("10.1.0.1")));
	rte_rcu_qsbr_quiescent(b->rcu, 0);
	router_reclaim(b->r);
	assert_null(b->r->own_retired);

	for (unsigned int i = 0; i < 50; i++) {
		uint32_t ip = IP4(10, 1, i, 1);

		assert_true(own_maybe(router_view(b->r)->own, ip));
		assert_true(own_has(router_view(b->r)->own, ip));
		assert_false(own_has(router_view(b->r)->own, ip + 1));
		assert_true(router_is_own(b->r, ip, &port));
		assert_int_equal(port, 1);
	}
	assert_false(router_is_own(b->r, bed_ip("10.1.0.2"), NULL));
	bed_addr_del(b, "10.1.7.1/24", 1);
	assert_false(own_has(router_view(b->r)->own, bed_ip("10.1.7.1")));
	assert_false(router_is_own(b->r, bed_ip("10.1.7.1"), &port));
	rte_rcu_qsbr_thread_offline(b->rcu, 0);
	rte_rcu_qsbr_thread_unregister(b->rcu, 0);
}

static void
the_nearest_address_speaks(void **state)
{
	struct bed *b = *state;

	assert_int_equal(router_source_for(b->r, 0, bed_ip("10.0.0.9")), 0);
	bed_addr(b, "192.0.2.1/24", 0);
	bed_addr(b, "10.0.0.1/8", 0);
	bed_addr(b, "10.1.0.1/16", 0);
	bed_addr(b, "10.2.0.1/16", 1);
	assert_int_equal(router_source_for(b->r, 0, bed_ip("10.1.2.3")), bed_ip("10.1.0.1"));
	assert_int_equal(router_source_for(b->r, 0, bed_ip("10.2.2.3")), bed_ip("10.0.0.1"));
	assert_int_equal(router_source_for(b->r, 0, bed_ip("8.8.8.8")), bed_ip("192.0.2.1"));
	assert_int_equal(router_source_for(b->r, 2, bed_ip("8.8.8.8")), 0);
}

static void
hop_tells_where_a_packet_goes(void **state)
{
	struct bed *b = *state;
	struct router_hop hop;

	bed_addr(b, "10.0.0.1/24", 2);
	router_hop(b->r, bed_ip("10.0.0.1"), &hop);
	assert_int_equal(hop.kind, ADJ_LOCAL);
	assert_int_equal(hop.port, 2);
	router_hop(b->r, bed_ip("10.0.0.7"), &hop);
	assert_null(hop.neigh);
	assert_int_equal(hop.next_ip, bed_ip("10.0.0.7"));
	bed_learn(b, 2, "10.0.0.7", 0);
	router_hop(b->r, bed_ip("10.0.0.7"), &hop);
	assert_non_null(hop.neigh);
	assert_int_equal(hop.kind, ADJ_RESOLVE);
	/* No unicast host, whatever the default route says. */
	bed_route_dev(b, "0.0.0.0/0", 1);
	router_hop(b->r, bed_ip("224.0.0.1"), &hop);
	assert_int_equal(hop.kind, ADJ_BAD_DESTINATION);
	router_hop(b->r, bed_ip("255.255.255.255"), &hop);
	assert_int_equal(hop.kind, ADJ_BAD_DESTINATION);
	router_hop(b->r, bed_ip("127.0.0.1"), &hop);
	assert_int_equal(hop.kind, ADJ_BAD_DESTINATION);
	router_hop(b->r, bed_ip("0.0.0.0"), &hop);
	assert_int_equal(hop.kind, ADJ_BAD_DESTINATION);
}

struct lines {
	unsigned int n;
	char text[20][80];
};

static int
line(const struct route_info *info, void *arg)
{
	static const char *const source[] = { "static", "connected", "local", "host" };
	struct lines *l = arg;
	char prefix[ADDR_PREFIX_TEXT];

	assert_true(l->n < RTE_DIM(l->text));
	snprintf(l->text[l->n++], sizeof(l->text[0]), "%s %s kind%u nh%u port%d%s%s",
		 addr_prefix(prefix, info->spec.prefix, info->spec.depth), source[info->source],
		 info->spec.kind, info->spec.nb_nh,
		 info->spec.nb_nh > 0 ? (int16_t)info->spec.nh[0].port : -2,
		 info->active ? " active" : "", info->resolved ? " resolved" : "");
	return 0;
}

static void
routes_are_told_in_order(void **state)
{
	static const char *const want[] = {
		"0.0.0.0/0 static kind0 nh1 port-1 active resolved",
		"10.0.0.0/24 connected kind1 nh1 port0 active",
		"10.0.0.0/24 static kind2 nh0 port-2",
		"10.0.0.1/32 local kind1 nh1 port0 active",
		"10.0.0.7/32 host kind1 nh1 port0 active resolved",
		"20.0.0.0/8 static kind0 nh1 port2",
		"30.0.0.0/8 static kind1 nh1 port1 active",
		"40.0.0.0/8 static kind2 nh0 port-2 active",
	};
	struct lines l = { 0 };
	struct route_info info;
	struct bed *b = *state;
	struct fib_info fib;

	bed_blackhole(b, "40.0.0.0/8");
	bed_route_dev(b, "30.0.0.0/8", 1);
	bed_route_dev_of(b, "20.0.0.0/8", "10.0.0.7", 2, false);
	bed_blackhole(b, "10.0.0.0/24");
	bed_addr(b, "10.0.0.1/24", 0);
	bed_learn(b, 0, "10.0.0.7", 7);
	bed_route(b, "0.0.0.0/0", "10.0.0.7");
	assert_int_equal(router_route_walk(b->r, 0, 0, line, &l), 0);
	assert_int_equal(l.n, RTE_DIM(want));
	for (unsigned int i = 0; i < l.n; i++)
		assert_string_equal(l.text[i], want[i]);
	l.n = 0;
	assert_int_equal(router_route_walk(b->r, bed_ip("10.0.0.0"), 8, line, &l), 0);
	assert_int_equal(l.n, 4);
	assert_int_equal(router_route_count(b->r), 5);
	router_fib_info(b->r, &fib);
	assert_int_equal(fib.routes, 9);

	assert_int_equal(router_route_match(b->r, bed_ip("10.0.0.7"), &info), 0);
	assert_int_equal(info.source, ROUTE_HOST);
	assert_int_equal(router_route_match(b->r, bed_ip("10.0.0.1"), &info), 0);
	assert_int_equal(info.source, ROUTE_LOCAL);
	assert_int_equal(router_route_match(b->r, bed_ip("10.0.0.8"), &info), 0);
	assert_int_equal(info.source, ROUTE_CONNECTED);
	assert_int_equal(router_route_match(b->r, bed_ip("8.8.8.8"), &info), 0);
	assert_int_equal(info.source, ROUTE_STATIC);
	assert_int_equal(info.mac.addr_bytes[5], 7);
	assert_int_equal(router_route_match(b->r, bed_ip("10.0.0.255"), &info), -ENOENT);
	bed_route_del(b, "0.0.0.0/0");
	assert_int_equal(router_route_match(b->r, bed_ip("8.8.8.8"), &info), -ENOENT);
}

#define bed_test(f) cmocka_unit_test_setup_teardown(f, bed_setup, bed_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		bed_test(an_address_makes_four_prefixes),
		bed_test(point_to_point_networks_have_no_broadcast),
		bed_test(bad_addresses_are_refused_by_name),
		bed_test(two_addresses_share_a_network),
		bed_test(better_sources_hide_and_uncover),
		bed_test(a_neighbour_gets_its_own_route),
		bed_test(a_neighbour_off_the_link_gets_none),
		bed_test(a_longer_route_wins_over_a_neighbour),
		bed_test(a_neighbour_under_the_default_route),
		bed_test(removing_an_address_forgets_its_neighbours),
		bed_test(an_address_of_ours_is_nobodys_neighbour),
		bed_test(a_static_neighbour_waits_for_its_network),
		bed_test(static_neighbours),
		bed_test(own_addresses_are_published),
		bed_test(the_nearest_address_speaks),
		bed_test(hop_tells_where_a_packet_goes),
		bed_test(routes_are_told_in_order),
	};

	test_eal_init("test_route_address", "0", "128");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

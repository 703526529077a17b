/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/slow_rig.h"

#include <rte_ring.h>

#define OURS   IP4(10, 1, 0, 1)
#define PEER   IP4(10, 1, 0, 9)
#define FAR    IP4(203, 0, 113, 1) /* behind PEER once there is a route */
#define SECOND 1000000ull

static void
packet(uint16_t ring, uint32_t dst, uint16_t id)
{
	rig_packet(ring, &(struct frame_spec){ .dst = dst, .id = id });
}

static void
answer(uint16_t ring)
{
	rig_arp(ring, 1,
		&(struct rig_arp){ .op = 2, .sip = PEER, .tip = OURS, .sha = rig_peer_mac(9) });
}

static void
is_asked(uint16_t ring)
{
	struct rig_frame f;

	assert_true(rig_take(ring, &f));
	rig_is_arp(&f, RTE_ARP_OP_REQUEST, 1, NULL, OURS, PEER);
}

static void
leaves(uint16_t ring, uint16_t id)
{
	struct rig_frame f;

	assert_true(rig_take(ring, &f));
	rig_is_packet(&f, 1, rig_peer_mac(9), id, 63);
}

/* At the moment workers learn the MAC, what was held is in the rings already. */
static unsigned int told;

static void
all_is_in_the_rings(const struct neigh *n, enum neigh_state state)
{
	if (state != NEIGH_REACHABLE)
		return;
	assert_int_equal(n->ip, PEER);
	assert_int_equal(rte_ring_count(rig.ring[0].down), 3);
	assert_int_equal(rte_ring_count(rig.ring[1].down), 2);
	told++;
}

static void
packets_wait_and_leave_in_order(void **state)
{
	(void)state;
	net_route(IP4(203, 0, 113, 0), 24, PEER);
	packet(0, FAR, 1);
	packet(0, PEER, 2);
	packet(1, FAR, 3);
	assert_int_equal(rig_poll(), 3);
	is_asked(0);
	rig_none();
	packet(0, FAR, 4);
	packet(1, PEER, 5);
	rig_poll();
	rig_none();
	assert_int_equal(rig.stats.held, 5);
	assert_int_equal(net_neigh(1, PEER)->state, NEIGH_INCOMPLETE);

	told = 0;
	net_before_set = all_is_in_the_rings;
	answer(1);
	net_before_set = NULL;
	assert_true(net_is_real() || told == 1);
	assert_int_equal(rig.stats.held, 0);
	assert_int_equal(net_neigh(1, PEER)->state, NEIGH_REACHABLE);
	leaves(0, 1);
	leaves(0, 2);
	leaves(0, 4);
	leaves(1, 3);
	leaves(1, 5);
	rig_none();

	packet(1, FAR, 6); /* punted before its worker knew */
	rig_poll();
	leaves(1, 6);
	rig_none();
}

/*
 * The answer is seen first, but ring 1 still has older packets, more than one poll takes and more
 * than a hold takes: they leave before workers are told.
 */
static void
what_waits_in_a_ring_is_older(void **state)
{
	uint8_t b[64];
	uint16_t n = rig_arp_build(
		b, &(struct rig_arp){ .op = 2, .sip = PEER, .tip = OURS, .sha = rig_peer_mac(9) });

	(void)state;
	packet(1, PEER, 1);
	rig_poll();
	is_asked(1);
	for (uint16_t id = 2; id < RIG_SLOTS; id++)
		packet(1, PEER, id);
	rig_punt(0, rig_mbuf(b, n, 0, 0), 1, VERDICT_PUNT_ARP, 14);
	assert_int_equal(rig_poll(), RIG_SLOTS - 1);
	for (uint16_t id = 1; id < RIG_SLOTS; id++)
		leaves(1, id);
	rig_none();
}

static void
ring_is_drained_before(const struct neigh *n, enum neigh_state state)
{
	(void)n;
	if (state != NEIGH_REACHABLE)
		return;
	assert_int_equal(rte_ring_count(rig.ring[0].up), 0);
	assert_int_equal(rte_ring_count(rig.ring[1].up), 0);
	told++;
}

static void
workers_are_told_last(void **state)
{
	uint8_t b[64];
	uint16_t n = rig_arp_build(b, &(struct rig_arp){ .op = 2, .sip = PEER, .tip = OURS });

	(void)state;
	packet(1, PEER, 1);
	rig_poll();
	is_asked(1);
	rig_punt(0, rig_mbuf(b, n, 0, 0), 1, VERDICT_PUNT_ARP, 14);
	packet(0, PEER, 2);
	packet(1, PEER, 3);
	told = 0;
	net_before_set = ring_is_drained_before;
	rig_poll();
	net_before_set = NULL;
	assert_true(net_is_real() || told == 1);
	assert_int_equal(rte_ring_count(rig.ring[0].down), 1);
	assert_int_equal(rte_ring_count(rig.ring[1].down), 2);
}

static void
a_held_frame_leaves_in_shape(void **state)
{
	static const struct frame_spec shapes[] = {
		{ .tagged = true },
		{ .padding = 18, .payload = 1 },
		{ .tagged = true, .padding = 100 },
		{ .payload = 1400 },
		{ .nb_options = 8, .options = { 7, 7, 4 }, .payload = 3 },
		{ .payload = 1480 },
		{ .ttl = 2 },
		{ .ttl = 255, .fragment = 0x2001 },
	};
	static uint8_t in[UINT16_MAX];
	struct rig_frame f;

	(void)state;
	for (unsigned int split = 0; split < 3; split++) {
		for (uint16_t i = 0; i < RTE_DIM(shapes); i++) {
			struct frame_spec s = shapes[i];
			uint16_t off = s.tagged ? 18 : 14, n;

			s.dst = PEER;
			s.id = i;
			n = frame_build(in, &s);
			rig_punt(0,
				 rig_mbuf(in, n, split ? (uint16_t)(off + 20 + s.nb_options) : 0,
					  split == 2 ? 7 : 0),
				 0, VERDICT_PUNT_RESOLVE, (uint8_t)off);
		}
		rig_poll();
		if (split == 0)
			is_asked(0);
		answer(0);
		for (uint16_t i = 0; i < RTE_DIM(shapes); i++) {
			struct frame_spec s = shapes[i];
			uint16_t off = s.tagged ? 18 : 14;

			s.dst = PEER;
			s.id = i;
			frame_build(in, &s);
			assert_true(rig_take(0, &f));
			rig_is_packet(&f, 1, rig_peer_mac(9), i,
				      (uint8_t)((s.ttl ? s.ttl : 64) - 1));
			assert_memory_equal(f.b + 34, in + off + 20, (size_t)f.len - 34);
		}
		rig_none();
	}
}

/* Byte for byte what a worker makes of it: RFC 1624, and 0xfeff becomes 0x0000. */
static void
ageing_is_right_for_every_checksum(void **state)
{
	unsigned int zeros = 0;
	struct rig_frame f;

	(void)state;
	net_neigh_add(1, PEER, rig_peer_mac(9));
	for (unsigned int id = 0; id <= UINT16_MAX; id++) {
		uint8_t in[64];
		uint16_t n =
			frame_build(in, &(struct frame_spec){ .dst = PEER, .id = (uint16_t)id });
		uint32_t sum = (uint32_t)in[24] << 8 | in[25];

		rig_punt(0, rig_mbuf(in, n, 0, 0), 0, VERDICT_PUNT_RESOLVE, 14);
		slow_poll(rig.slow);
		assert_true(rig_take(0, &f));
		sum += 0x0100;
		sum = (sum + (sum >= 0xffff)) & 0xffff;
		assert_int_equal(f.b[24] << 8 | f.b[25], sum);
		assert_int_equal(f.b[22], 63);
		assert_int_equal(rte_raw_cksum(f.b + 14, 20), 0xffff);
		zeros += sum == 0;
	}
	assert_int_equal(zeros, 1);
}

static void
three_requests_then_unresolved(void **state)
{
	(void)state;
	packet(1, PEER, 1);
	packet(1, PEER, 2);
	rig_poll();
	is_asked(1);
	rig_none();
	for (unsigned int i = 0; i < 2; i++) {
		for (unsigned int tenth = 0; tenth < 9; tenth++)
			rig_tick(SECOND / 10);
		rig_none();
		rig_tick(SECOND / 10);
		is_asked(1);
		rig_none();
	}
	rig_tick(SECOND - 1);
	assert_int_equal(rig.stats.held, 2);
	rig_tick(1);
	rig_none();
	assert_int_equal(rig.stats.held, 0);
	assert_int_equal(rig_dropped(VERDICT_NEIGH_UNRESOLVED), 2);
	assert_int_equal(net_neigh(1, PEER)->state, NEIGH_FAILED);

	packet(0, PEER, 3); /* asks anew */
	rig_poll();
	is_asked(0);
	packet(0, PEER, 4);
	rig_poll();
	rig_none();
	assert_int_equal(rig.stats.held, 2);
	answer(1);
	leaves(0, 3);
	leaves(0, 4);
	rig_none();
}

static void
a_failed_neighbour_is_forgotten(void **state)
{
	(void)state;
	packet(0, PEER, 1);
	rig_poll();
	for (unsigned int i = 0; i < 4; i++)
		rig_tick(SECOND);
	assert_int_equal(net_neigh(1, PEER)->state, NEIGH_FAILED);
	for (unsigned int i = 0; i < 11; i++)
		rig_tick(SECOND);
	assert_null(net_neigh(1, PEER));
}

static void
a_failed_next_hop_of_a_route_stays(void **state)
{
	(void)state;
	net_route(IP4(203, 0, 113, 0), 24, PEER);
	packet(0, FAR, 1);
	rig_poll();
	for (unsigned int i = 0; i < 40; i++)
		rig_tick(SECOND);
	assert_non_null(net_neigh(1, PEER));
	assert_int_equal(rig.slow->info.arp_requests_sent, 3);
	packet(0, FAR, 2);
	rig_poll();
	assert_int_equal(rig.slow->info.arp_requests_sent, 4);
	assert_int_equal(rig.stats.held, 1);
}

static void
room_is_bounded(void **state)
{
	struct slow_info info;
	uint16_t id = 0;

	(void)state;
	slow_info(rig.slow, &info);
	assert_int_equal(info.held_max, 24);
	for (unsigned int i = 0; i < 10; i++)
		packet(0, PEER, id++);
	rig_poll();
	assert_int_equal(rig.stats.held, 8);
	assert_int_equal(rig_dropped(VERDICT_NEIGH_QUEUE_FULL), 2);
	for (uint32_t i = 1; i < 5; i++) {
		for (unsigned int j = 0; j < 6; j++)
			packet(0, PEER + i, id++);
	}
	rig_poll();
	assert_int_equal(rig.stats.held, 24);
	assert_int_equal(rig_dropped(VERDICT_NEIGH_QUEUE_FULL), 10);
	/* Whoever found no room is sought all the same. */
	assert_int_equal(rig.slow->info.arp_requests_sent, 5);
	assert_int_equal(net_neigh(1, PEER + 4)->state, NEIGH_INCOMPLETE);

	answer(0); /* the first eight, not the last eight */
	for (unsigned int i = 0; i < 5; i++) {
		struct rig_frame f;

		assert_true(rig_take(0, &f));
	}
	for (id = 0; id < 8; id++)
		leaves(0, id);
	packet(0, PEER + 4, 99);
	rig_poll();
	assert_int_equal(rig.stats.held, 17);
}

static void
neighbours_sought_at_once_are_bounded(void **state)
{
	(void)state;
	rig_restart(&(struct slow_config){ .hold_per_neigh = 8, .incomplete_max = 2 });
	for (uint32_t i = 0; i < 4; i++)
		packet(0, PEER + i, 1);
	rig_poll();
	assert_int_equal(rig.slow->info.arp_requests_sent, 2);
	assert_int_equal(rig_dropped(VERDICT_NEIGH_QUEUE_FULL), 2);
	rig_tick(SECOND);
	for (unsigned int i = 0; i < 3; i++)
		rig_tick(SECOND);
	packet(0, PEER + 3, 1);
	rig_poll();
	assert_int_equal(rig.stats.held, 1);
	assert_int_equal(net_neigh(1, PEER + 3)->state, NEIGH_INCOMPLETE);
}

/* Timers of 300 neighbours that are due together do not overrun the rings in one tick. */
static void
requests_of_one_tick_are_bounded(void **state)
{
	uint64_t before;

	(void)state;
	rig_restart(&(struct slow_config){ .hold_total = 400 });
	net_addr_add(1, IP4(10, 9, 0, 1), 16);
	for (uint32_t i = 0; i < 300; i++) {
		packet(0, IP4(10, 9, 1, 0) + i, 1);
		rig_poll();
	}
	assert_int_equal(rig.stats.held, 300);
	before = rig.slow->info.arp_requests_sent;
	rig_tick(SECOND);
	assert_int_equal(rig.slow->info.arp_requests_sent - before, 256);
	rig_tick(SECOND / 10);
	assert_int_equal(rig.slow->info.arp_requests_sent - before, 300);
}

static void
control_looks_the_destination_up_itself(void **state)
{
	static const struct {
		const char *what;
		struct frame_spec p;
		enum verdict want;
	} cases[] = {
		{ "no route", { .dst = IP4(192, 0, 2, 1) }, VERDICT_NO_ROUTE },
		{ "blackhole", { .dst = IP4(198, 51, 100, 1) }, VERDICT_BLACKHOLE },
		{ "network", { .dst = IP4(10, 1, 0, 0) }, VERDICT_BAD_DESTINATION },
		{ "broadcast", { .dst = IP4(10, 1, 0, 255) }, VERDICT_BAD_DESTINATION },
		{ "now ours", { .dst = OURS }, VERDICT_LOCAL_UNHANDLED },
		{ "too long", { .dst = PEER, .payload = 1481 }, VERDICT_MTU_EXCEEDED },
		{ "TTL 1", { .dst = PEER, .ttl = 1 }, VERDICT_TTL_EXPIRED },
		{ "TTL 0", { .dst = PEER, .ttl_zero = true }, VERDICT_TTL_EXPIRED },
		{ "cut", { .dst = PEER, .frame_len = 20 }, VERDICT_TOO_SHORT },
		{ "short", { .dst = PEER, .length = 400 }, VERDICT_BAD_LENGTH },
	};

	(void)state;
	net_blackhole(IP4(198, 51, 100, 0), 24);
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		rig_packet(0, &cases[i].p);
		rig_poll();
		if (rig_dropped(cases[i].want) == 0)
			fail_msg("%s: not %s", cases[i].what, verdict_name(cases[i].want));
		rig.stats.dropped[cases[i].want]--;
		rig.stats.delivered++; /* keeps the row closed */
	}
	rig_none();
	assert_int_equal(rig.stats.held, 0);
}

static void
a_port_without_address_cannot_ask(void **state)
{
	(void)state;
	net_route_dev(IP4(203, 0, 113, 0), 24, 1);
	net_addr_del(1, OURS, 24);
	for (unsigned int i = 1; i < 4; i++) {
		packet(0, FAR, 1);
		rig_poll();
		assert_int_equal(rig_dropped(VERDICT_NEIGH_UNRESOLVED), i);
		rig_none();
	}
	assert_null(net_neigh(1, FAR));
	/* With one it can. */
	net_addr_add(1, IP4(10, 7, 0, 1), 24);
	packet(0, FAR, 2);
	rig_poll();
	assert_int_equal(rig.stats.held, 1);
}

/* 240 s after the last answer: three unicast requests, and an answer starts anew. */
static void
a_reachable_neighbour_is_asked_before_it_expires(void **state)
{
	struct rig_frame f;

	(void)state;
	net_route(IP4(203, 0, 113, 0), 24, PEER);
	packet(0, PEER, 1);
	rig_poll();
	is_asked(0);
	answer(0);
	leaves(0, 1);
	rig_tick(240 * SECOND - 1);
	rig_none();
	rig_tick(1);
	assert_true(rig_take(0, &f) || rig_take(1, &f));
	rig_is_arp(&f, RTE_ARP_OP_REQUEST, 1, rig_peer_mac(9), OURS, PEER);
	assert_int_equal(net_neigh(1, PEER)->state, NEIGH_PROBE);
	packet(0, PEER, 2); /* still goes straight through */
	rig_poll();
	leaves(0, 2);
	answer(1);
	assert_int_equal(net_neigh(1, PEER)->state, NEIGH_REACHABLE);
	assert_int_equal(net_neigh(1, PEER)->tries, 0);
	rig_tick(239 * SECOND);
	rig_none();

	for (unsigned int i = 0; i < 3; i++) {
		rig_tick(SECOND);
		assert_true(rig_take(0, &f) || rig_take(1, &f));
		rig_is_arp(&f, RTE_ARP_OP_REQUEST, 1, rig_peer_mac(9), OURS, PEER);
		rig_none();
	}
	rig_tick(SECOND);
	rig_none();
	/* Expired, not forgotten: a route points here. */
	assert_non_null(net_neigh(1, PEER));
	assert_int_equal(net_neigh(1, PEER)->state, NEIGH_IDLE);
	packet(1, FAR, 3);
	rig_poll();
	is_asked(1);
	answer(0);
	leaves(1, 3);
}

static void
an_expired_neighbour_without_route_is_forgotten(void **state)
{
	(void)state;
	rig_arp(0, 1, &(struct rig_arp){ .sip = PEER, .tip = OURS });
	assert_int_equal(net_neigh(1, PEER)->state, NEIGH_REACHABLE);
	rig_tick(240 * SECOND);
	for (unsigned int i = 0; i < 2; i++)
		rig_tick(SECOND);
	assert_non_null(net_neigh(1, PEER));
	rig_tick(SECOND);
	assert_null(net_neigh(1, PEER));
}

/* Whether the command tells lib/slow, a tick notices, or the next packet does: in order. */
static void
a_static_neighbour_ends_the_wait(void **state)
{
	(void)state;
	for (unsigned int how = 0; how < 3; how++) {
		uint32_t ip = PEER + how;
		struct rig_frame f;

		packet(0, ip, 1);
		packet(0, ip, 2);
		rig_poll();
		assert_true(rig_take(0, &f));
		net_neigh_add(1, ip, rig_peer_mac(9));
		if (how == 0) {
			slow_neigh_resolved(rig.slow, 1, ip);
			slow_neigh_resolved(rig.slow, 1, IP4(10, 1, 0, 77));
		} else if (how == 1) {
			rig_tick(0);
		} else {
			packet(0, ip, 3);
			rig_poll();
		}
		rig_check();
		leaves(0, 1);
		leaves(0, 2);
		if (how == 2)
			leaves(0, 3);
		assert_int_equal(rig.stats.held, 0);
	}
}

/* The command leaves what waits to the timer; a packet in between starts the search anew. */
static void
a_deleted_neighbour_lets_go_of_its_packets(void **state)
{
	(void)state;
	packet(0, PEER, 1);
	packet(0, PEER, 2);
	rig_poll();
	is_asked(0);
	net_neigh_del(1, PEER);
	rig_tick(SECOND / 10);
	assert_int_equal(rig.stats.held, 0);
	assert_int_equal(rig_dropped(VERDICT_NEIGH_UNRESOLVED), 2);
	rig_none();
	for (unsigned int i = 0; i < 11; i++)
		rig_tick(SECOND);
	assert_null(net_neigh(1, PEER));

	packet(0, PEER, 3);
	rig_poll();
	is_asked(0);
	net_neigh_del(1, PEER);
	packet(0, PEER, 4);
	rig_poll();
	is_asked(0);
	answer(0);
	leaves(0, 3);
	leaves(0, 4);
	net_neigh_del(1, PEER);
	assert_null(net_neigh(1, PEER));
}

/* The network goes, and with it the way to ask: three silent tries, then unresolved. */
static void
an_address_may_go_while_packets_wait(void **state)
{
	(void)state;
	packet(0, PEER, 1);
	rig_poll();
	is_asked(0);
	net_addr_del(1, OURS, 24);
	for (unsigned int i = 0; i < 4; i++)
		rig_tick(SECOND);
	rig_none();
	assert_int_equal(rig.stats.held, 0);
	assert_int_equal(rig_dropped(VERDICT_NEIGH_UNRESOLVED), 1);
	packet(0, PEER, 2);
	rig_poll();
	assert_int_equal(rig_dropped(VERDICT_NO_ROUTE), 1);
}

static void
at_stop_nothing_is_held(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		packet(0, PEER + i, 1);
		packet(1, PEER + i, 2);
	}
	rig_poll();
	assert_int_equal(rig.stats.held, 6);
	slow_drop_held(rig.slow);
	rig_check();
	assert_int_equal(rig.stats.held, 0);
	assert_int_equal(rig_dropped(VERDICT_NEIGH_UNRESOLVED), 6);
	/* And it goes on from there after a new start. */
	packet(0, PEER, 3);
	rig_poll();
	assert_int_equal(rig.stats.held, 1);
}

/* The ring of a worker that does not drain it: lost by name, the rest in order, no buffer lost. */
static void
held_packets_may_find_a_full_ring(void **state)
{
	struct rig_frame f;

	(void)state;
	for (uint16_t id = 0; id < 8; id++)
		packet(0, PEER, id);
	rig_poll();
	is_asked(0);
	for (unsigned int i = 0; i < RIG_SLOTS - 1 - 3; i++)
		rig_arp(0, 0,
			&(struct rig_arp){ .sip = IP4(10, 0, 0, 9), .tip = IP4(10, 0, 0, 1) });
	answer(1);
	assert_int_equal(rig_dropped(VERDICT_TX_FULL), 5);
	for (unsigned int i = 0; i < RIG_SLOTS - 1 - 3; i++)
		assert_true(rig_take(0, &f));
	for (uint16_t id = 0; id < 3; id++)
		leaves(0, id);
	rig_none();
}

static void
bad_limits_are_refused(void **state)
{
	static const struct slow_config cases[] = {
		{ .nb_rings = 0 },
		{ .nb_rings = 1, .hold_per_neigh = 7 },
		{ .nb_rings = 1, .hold_per_neigh = 8, .hold_total = 7 },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct slow *s = NULL;
		struct err err = { "" };

		assert_int_equal(slow_create(&s, &cases[i], &err), -EINVAL);
		assert_null(s);
		assert_true(strlen(err.text) > 20);
	}
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_start, rig_stop)
	const struct CMUnitTest tests[] = {
		T(packets_wait_and_leave_in_order),
		T(what_waits_in_a_ring_is_older),
		T(workers_are_told_last),
		T(a_held_frame_leaves_in_shape),
		T(ageing_is_right_for_every_checksum),
		T(three_requests_then_unresolved),
		T(a_failed_neighbour_is_forgotten),
		T(a_failed_next_hop_of_a_route_stays),
		T(room_is_bounded),
		T(neighbours_sought_at_once_are_bounded),
		T(requests_of_one_tick_are_bounded),
		T(control_looks_the_destination_up_itself),
		T(a_port_without_address_cannot_ask),
		T(a_reachable_neighbour_is_asked_before_it_expires),
		T(an_expired_neighbour_without_route_is_forgotten),
		T(a_static_neighbour_ends_the_wait),
		T(a_deleted_neighbour_lets_go_of_its_packets),
		T(an_address_may_go_while_packets_wait),
		T(at_stop_nothing_is_held),
		T(held_packets_may_find_a_full_ring),
		T(bad_limits_are_refused),
	};

	return cmocka_run_group_tests(tests, rig_group_start, NULL);
}

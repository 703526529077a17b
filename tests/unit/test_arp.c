/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/slow_rig.h"

#define OURS   IP4(10, 0, 0, 1)
#define PEER   IP4(10, 0, 0, 9)
#define SECOND 1000000ull

static struct slow_info
info(void)
{
	struct slow_info i;

	slow_info(rig.slow, &i);
	return i;
}

static void
a_request_for_us_is_answered_and_its_sender_learnt(void **state)
{
	struct rig_frame f;

	(void)state;
	for (uint16_t tag = 0; tag < 2; tag++) {
		uint16_t ring = tag;

		rig_arp(ring, 0,
			&(struct rig_arp){
				.tag = tag, .sip = PEER, .tip = OURS, .sha = rig_peer_mac(9) });
		assert_true(rig_take(ring, &f));
		rig_is_arp(&f, RTE_ARP_OP_REPLY, 0, rig_peer_mac(9), OURS, PEER);
		rig_none();
		assert_non_null(net_neigh(0, PEER));
		assert_int_equal(net_neigh(0, PEER)->state, NEIGH_REACHABLE);
		assert_memory_equal(&net_neigh(0, PEER)->mac, rig_peer_mac(9), 6);
	}
	assert_int_equal(rig.stats.delivered, 2);
	assert_int_equal(rig.stats.originated, 2);
	assert_int_equal(info().arp_requests_seen, 2);
	assert_int_equal(info().arp_replies_sent, 2);
}

/* Each is delivered without an answer, and nobody is learnt. */
static void
what_is_not_for_us_is_not_answered(void **state)
{
	static const struct {
		const char *what;
		struct rig_arp a;
		uint16_t port;
	} cases[] = {
		{ "another host", { .sip = PEER, .tip = IP4(10, 0, 0, 8) }, 0 },
		{ "our address on another port", { .sip = PEER, .tip = IP4(10, 1, 0, 1) }, 0 },
		{ "a reply nobody asked for", { .op = 2, .sip = PEER, .tip = OURS }, 0 },
		{ "an announcement by a stranger", { .sip = PEER, .tip = PEER }, 0 },
		{ "a port that is not there", { .sip = PEER, .tip = OURS }, 7 },
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		rig_arp(0, cases[i].port, &cases[i].a);
		if (net_neigh(0, PEER) != NULL || net_neigh(cases[i].port, PEER) != NULL)
			fail_msg("%s: learnt", cases[i].what);
		if (rte_ring_count(rig.ring[0].down) != 0)
			fail_msg("%s: answered", cases[i].what);
	}
	assert_int_equal(rig.stats.delivered, RTE_DIM(cases));
	assert_int_equal(info().arp_malformed, 0);
}

static void
a_probe_is_answered_but_not_learnt(void **state)
{
	struct rig_frame f;

	(void)state;
	net_route_dev(0, 0, 0); /* not even where everybody is on the link */
	rig_arp(0, 0, &(struct rig_arp){ .sip = 0, .tip = OURS });
	assert_true(rig_take(0, &f));
	rig_is_arp(&f, RTE_ARP_OP_REPLY, 0, rig_peer_mac(1), OURS, 0);
	assert_null(net_neigh(0, 0));
	assert_int_equal(info().arp_conflicts, 0);
}

/* Answered, for it is asked of us; but such a neighbour could never be used. */
static void
a_sender_from_elsewhere_is_not_learnt(void **state)
{
	static const uint32_t from[] = { IP4(192, 0, 2, 1), IP4(10, 1, 0, 9), IP4(10, 0, 0, 255),
					 IP4(10, 0, 0, 0) };
	struct rig_frame f;

	(void)state;
	net_route(IP4(192, 0, 2, 0), 24, PEER);
	for (unsigned int i = 0; i < RTE_DIM(from); i++) {
		rig_arp(0, 0, &(struct rig_arp){ .sip = from[i], .tip = OURS });
		assert_true(rig_take(0, &f));
		assert_null(net_neigh(0, from[i]));
		assert_null(net_neigh(1, from[i]));
	}
}

/* What packets go to needs a place even then. */
static void
a_flood_of_requests_leaves_places(void **state)
{
	struct rig_frame f;

	(void)state;
	rig_restart(&(struct slow_config){ .learn_max = 3 });
	for (uint32_t i = 0; i < 10; i++) {
		rig_arp(0, 0, &(struct rig_arp){ .sip = PEER + i, .tip = OURS });
		assert_true(rig_take(0, &f)); /* all are answered */
		rig_is_arp(&f, RTE_ARP_OP_REPLY, 0, rig_peer_mac(1), OURS, PEER + i);
	}
	assert_non_null(net_neigh(0, PEER + 2));
	assert_null(net_neigh(0, PEER + 3));

	/* The known are followed still, and who is sought is found. */
	rig_arp(0, 0, &(struct rig_arp){ .sha = rig_peer_mac(7), .sip = PEER, .tip = OURS });
	assert_true(rig_take(0, &f));
	assert_memory_equal(net_neigh(0, PEER)->mac.addr_bytes, rig_peer_mac(7), 6);
	rig_packet(0, &(struct frame_spec){ .dst = PEER + 5 });
	rig_poll();
	assert_true(rig_take(0, &f));
	rig_is_arp(&f, RTE_ARP_OP_REQUEST, 0, NULL, OURS, PEER + 5);
}

static void
a_malformed_frame_is_delivered_and_nothing_else(void **state)
{
	static const uint8_t station[6] = { 2, 0, 0, 0, 0xee, 9 }, group[6] = { 3, 0, 0, 0, 0, 9 },
			     zero[6], all[6] = { [0 ... 5] = 0xff };
	static const struct {
		const char *what;
		unsigned int at;
		uint8_t value;
		struct rig_arp a;
		uint16_t len;
	} cases[] = {
		{ .what = "hardware type", .at = 15, .value = 6 },
		{ .what = "protocol type", .at = 16, .value = 0x86 },
		{ .what = "hardware length", .at = 18, .value = 8 },
		{ .what = "protocol length", .at = 19, .value = 16 },
		{ .what = "opcode 0", .at = 21, .value = 0 },
		{ .what = "RARP", .at = 21, .value = 3 },
		{ .what = "opcode 257", .at = 20, .value = 1 },
		{ .what = "group sender", .a = { .sha = group, .eth_src = group } },
		{ .what = "group ARP sender", .a = { .sha = group, .eth_src = station } },
		{ .what = "group in Ethernet only", .a = { .eth_src = group } },
		{ .what = "zero sender", .a = { .sha = zero } },
		{ .what = "broadcast sender", .a = { .sha = all } },
		{ .what = "multicast address", .a = { .sip = IP4(224, 0, 0, 1) } },
		{ .what = "loopback address", .a = { .sip = IP4(127, 0, 0, 1) } },
		{ .what = "limited broadcast", .a = { .sip = UINT32_MAX } },
		{ .what = "network 0", .a = { .sip = IP4(0, 0, 0, 5) } },
		{ .what = "reply from nobody", .a = { .op = RTE_ARP_OP_REPLY } },
		{ .what = "one byte short", .len = 41 },
		{ .what = "header only", .len = 14 },
		{ .what = "less than Ethernet", .len = 5 },
		{ .what = "empty", .len = 0xffff },
	};
	uint8_t b[64];

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct rig_arp a = cases[i].a;
		uint16_t n;

		a.tip = OURS;
		a.sip = a.op == RTE_ARP_OP_REPLY ? 0 : a.sip != 0 ? a.sip : PEER;
		n = rig_arp_build(b, &a);
		if (cases[i].at != 0)
			b[cases[i].at] = cases[i].value;
		if (cases[i].len != 0)
			n = cases[i].len == 0xffff ? 0 : cases[i].len;
		rig_punt(0, rig_mbuf(b, n, 0, 0), 0, VERDICT_PUNT_ARP, 14);
		rig_poll();
		if (info().arp_malformed != i + 1 || rig.stats.delivered != i + 1)
			fail_msg("%s: taken", cases[i].what);
		if (net_neigh(0, a.sip) != NULL || rte_ring_count(rig.ring[0].down) != 0)
			fail_msg("%s: acted upon", cases[i].what);
	}
}

static void
segments_and_padding_do_not_matter(void **state)
{
	uint8_t b[80] = { 0 };
	struct rig_frame f;
	uint16_t n = rig_arp_build(b, &(struct rig_arp){ .sip = PEER, .tip = OURS });

	(void)state;
	for (uint16_t first = 1; first < n; first++) {
		rig_punt(0, rig_mbuf(b, first % 2 ? n : 60, first, 3), 0, VERDICT_PUNT_ARP, 14);
		rig_poll();
		assert_true(rig_take(0, &f));
		rig_is_arp(&f, RTE_ARP_OP_REPLY, 0, rig_peer_mac(1), OURS, PEER);
	}
}

static void
our_own_frames_teach_nothing(void **state)
{
	(void)state;
	for (uint16_t port = 0; port < 2; port++) {
		rig_arp(0, 0, &(struct rig_arp){ .sha = rig_mac(port), .sip = PEER, .tip = OURS });
		assert_null(net_neigh(0, PEER));
		rig_arp(0, 0, &(struct rig_arp){ .sha = rig_mac(port), .sip = OURS, .tip = OURS });
	}
	assert_int_equal(info().arp_conflicts, 0);
	rig_none();
}

/* RFC 826: who is known already is followed, whatever the frame is about. */
static void
a_known_sender_is_followed(void **state)
{
	struct rig_frame f;
	struct neigh *n;

	(void)state;
	rig_arp(0, 0, &(struct rig_arp){ .sip = PEER, .tip = OURS, .sha = rig_peer_mac(1) });
	assert_true(rig_take(0, &f));
	n = net_neigh(0, PEER);

	rig.now_us += 100 * SECOND;
	rig_arp(0, 0, &(struct rig_arp){ .sip = PEER, .tip = PEER, .sha = rig_peer_mac(2) });
	assert_memory_equal(&n->mac, rig_peer_mac(2), 6);
	assert_int_equal(n->confirmed_us, rig.now_us);
	rig_arp(1, 0,
		&(struct rig_arp){ .op = 2, .sip = PEER, .tip = OURS, .sha = rig_peer_mac(3) });
	assert_memory_equal(&n->mac, rig_peer_mac(3), 6);
	/* The same address on another port is another neighbour. */
	rig_arp(1, 1, &(struct rig_arp){ .sip = PEER, .tip = PEER, .sha = rig_peer_mac(4) });
	assert_memory_equal(&n->mac, rig_peer_mac(3), 6);
	rig_none();
}

static void
a_static_neighbour_is_not_learnt_over(void **state)
{
	struct rig_frame f;

	(void)state;
	net_neigh_add(0, PEER, rig_peer_mac(7));
	rig_arp(0, 0, &(struct rig_arp){ .sip = PEER, .tip = OURS, .sha = rig_peer_mac(1) });
	assert_true(rig_take(0, &f));
	rig_is_arp(&f, RTE_ARP_OP_REPLY, 0, rig_peer_mac(1), OURS, PEER);
	rig_arp(0, 0,
		&(struct rig_arp){ .op = 2, .sip = PEER, .tip = OURS, .sha = rig_peer_mac(1) });
	assert_int_equal(net_neigh(0, PEER)->state, NEIGH_STATIC);
	assert_memory_equal(&net_neigh(0, PEER)->mac, rig_peer_mac(7), 6);
}

/* RFC 5227 2.4(b), (c): a request gets its reply; anything else one announcement in ten seconds. */
static void
an_address_conflict_is_answered_and_defended(void **state)
{
	struct rig_frame f;

	(void)state;
	rig_arp(0, 0, &(struct rig_arp){ .sip = OURS, .tip = OURS });
	assert_true(rig_take(0, &f));
	rig_is_arp(&f, RTE_ARP_OP_REPLY, 0, rig_peer_mac(1), OURS, OURS);
	rig_none();

	rig_arp(0, 0, &(struct rig_arp){ .op = 2, .sip = OURS, .tip = PEER });
	assert_true(rig_take(0, &f));
	rig_is_arp(&f, RTE_ARP_OP_REQUEST, 0, NULL, OURS, OURS);
	rig.now_us += 9 * SECOND;
	rig_arp(0, 0, &(struct rig_arp){ .sip = OURS, .tip = PEER });
	rig_none();
	rig.now_us += 1 * SECOND;
	rig_arp(0, 0, &(struct rig_arp){ .sip = OURS, .tip = PEER });
	assert_true(rig_take(0, &f));
	rig_is_arp(&f, RTE_ARP_OP_REQUEST, 0, NULL, OURS, OURS);

	/* On a port where the address is not, there is nothing to defend. */
	rig_arp(0, 1, &(struct rig_arp){ .op = 2, .sip = OURS, .tip = PEER });
	rig_none();
	assert_int_equal(info().arp_conflicts, 5);
	assert_null(net_neigh(0, OURS));
	assert_null(net_neigh(1, OURS));
}

static void
every_address_is_announced(void **state)
{
	unsigned int per_ring[RIG_RINGS] = { 0 }, seen = 0;
	struct rig_frame f;

	(void)state;
	net_addr_add(0, IP4(10, 0, 7, 1), 24);
	net_addr_add(1, IP4(10, 1, 7, 1), 32);
	slow_announce(rig.slow);
	rig_check();
	for (uint16_t ring = 0; ring < RIG_RINGS; ring++) {
		while (rig_take(ring, &f)) {
			uint32_t ip = IP4(f.b[28], f.b[29], f.b[30], f.b[31]);

			assert_int_equal(f.b[29], f.port);
			rig_is_arp(&f, RTE_ARP_OP_REQUEST, f.port, NULL, ip, ip);
			seen |= 1u << (f.b[29] * 2 + (f.b[30] == 7));
			per_ring[ring]++;
		}
	}
	assert_int_equal(seen, 0xf);
	assert_int_equal(per_ring[0], 2);
	assert_int_equal(per_ring[1], 2);

	slow_announce_one(rig.slow, 1, IP4(10, 1, 7, 1));
	slow_announce_one(rig.slow, 9, IP4(10, 1, 7, 1));
	rig_check();
	assert_true(rig_take(0, &f) || rig_take(1, &f));
	rig_is_arp(&f, RTE_ARP_OP_REQUEST, 1, NULL, IP4(10, 1, 7, 1), IP4(10, 1, 7, 1));
	rig_none();
}

/* The reply does not fit: it is dropped as tx_full, and no buffer is lost (rig_stop() looks). */
static void
a_full_ring_is_tx_full(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RIG_SLOTS + 10; i++)
		rig_arp(0, 0, &(struct rig_arp){ .sip = PEER, .tip = OURS });
	assert_int_equal(rig_dropped(VERDICT_TX_FULL), 11);
	assert_int_equal(rig.stats.handed_out, RIG_SLOTS - 1);
}

/* More in one poll than an outbox holds, and more than one poll takes of a ring. */
static void
a_burst_is_taken_in_bounded_pieces(void **state)
{
	uint8_t b[64];
	uint16_t n = rig_arp_build(b, &(struct rig_arp){ .sip = PEER, .tip = OURS });

	(void)state;
	for (unsigned int i = 0; i < RIG_SLOTS - 1; i++) {
		rig_punt(0, rig_mbuf(b, n, 0, 0), 0, VERDICT_PUNT_ARP, 14);
		rig_punt(1, rig_mbuf(b, n, 0, 0), 0, VERDICT_PUNT_ARP, 14);
	}
	assert_int_equal(rig_poll(), 128);
	assert_false(slow_idle(rig.slow));
	assert_int_equal(rig_poll(), 2 * (RIG_SLOTS - 1) - 128);
	assert_true(slow_idle(rig.slow));
	assert_int_equal(rig.stats.handed_out, 2 * (RIG_SLOTS - 1));
}

/* Without a buffer there is no reply, and nothing else happens. */
static void
an_empty_pool_costs_the_reply_only(void **state)
{
	struct rte_mbuf *all[RIG_MBUFS];
	unsigned int n = 0;
	uint8_t b[64];
	uint16_t len = rig_arp_build(b, &(struct rig_arp){ .sip = PEER, .tip = OURS });

	(void)state;
	rig_punt(0, rig_mbuf(b, len, 0, 0), 0, VERDICT_PUNT_ARP, 14);
	while (rig_free_mbufs() > 0)
		all[n++] = rte_pktmbuf_alloc(rig.slow->cfg.pool);
	rig_poll();
	rig_none();
	all[n++] = rte_pktmbuf_alloc(rig.slow->cfg.pool); /* the request's own, given back */
	assert_int_equal(rig_free_mbufs(), 0);
	slow_announce(rig.slow);
	rig_check();
	rig_none();
	assert_int_equal(rig.stats.delivered, 1);
	assert_int_equal(rig.stats.originated, 0);
	rte_pktmbuf_free_bulk(all, n);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_start, rig_stop)
	const struct CMUnitTest tests[] = {
		T(a_request_for_us_is_answered_and_its_sender_learnt),
		T(what_is_not_for_us_is_not_answered),
		T(a_probe_is_answered_but_not_learnt),
		T(a_sender_from_elsewhere_is_not_learnt),
		T(a_flood_of_requests_leaves_places),
		T(a_malformed_frame_is_delivered_and_nothing_else),
		T(segments_and_padding_do_not_matter),
		T(our_own_frames_teach_nothing),
		T(a_known_sender_is_followed),
		T(a_static_neighbour_is_not_learnt_over),
		T(an_address_conflict_is_answered_and_defended),
		T(every_address_is_announced),
		T(a_full_ring_is_tx_full),
		T(a_burst_is_taken_in_bounded_pieces),
		T(an_empty_pool_costs_the_reply_only),
	};

	return cmocka_run_group_tests(tests, rig_group_start, NULL);
}

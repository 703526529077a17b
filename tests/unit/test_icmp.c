/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/slow_rig.h"

#define OURS IP4(10, 0, 0, 1)
#define PEER IP4(10, 0, 0, 9)

/* An ICMP message in an IPv4 packet; its checksum is right unless told otherwise. */
struct echo {
	struct frame_spec ip; /* src and dst: the peer's and ours; payload: the ICMP bytes, 8 up */
	uint8_t type;         /* echo request */
	uint8_t code;
	uint8_t fill; /* every byte behind the checksum */
	bool type_zero, bad_sum;
	uint16_t first, rest; /* segments, see rig_mbuf() */
};

static uint16_t
echo_build(uint8_t *b, const struct echo *e)
{
	struct frame_spec spec = e->ip;
	uint32_t sum = 0;
	uint16_t n, off;
	uint8_t *icmp;

	spec.src = spec.src != 0 ? spec.src : PEER;
	spec.dst = spec.dst != 0 ? spec.dst : OURS;
	spec.proto = spec.proto != 0 ? spec.proto : IPPROTO_ICMP;
	spec.payload = spec.payload != 0 ? spec.payload : 16;
	n = frame_build(b, &spec);
	off = (uint16_t)((spec.tagged ? 18 : 14) + 20 + spec.nb_options);
	icmp = b + off;
	memset(icmp, e->fill, spec.payload);
	icmp[0] = e->type_zero ? 0 : e->type != 0 ? e->type : 8;
	icmp[1] = e->code;
	if (spec.payload < 4)
		return n;
	icmp[2] = icmp[3] = 0;
	for (uint16_t i = 0; i < spec.payload; i++)
		sum += i % 2 ? icmp[i] : (uint32_t)icmp[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	if (e->bad_sum)
		sum ^= 0x0100;
	icmp[2] = (uint8_t)(sum >> 8);
	icmp[3] = (uint8_t)sum;
	return n;
}

static void
echo_punt(uint16_t ring, const struct echo *e)
{
	static uint8_t b[UINT16_MAX];
	uint16_t n = echo_build(b, e);

	rig_punt(ring, rig_mbuf(b, n, e->first, e->rest), 0, VERDICT_PUNT_LOCAL,
		 e->ip.tagged ? 18 : 14);
	assert_int_equal(rig_poll(), 1);
}

/* Everything RFC 792 and RFC 1122 3.2.2.6 say about the reply to e. */
static void
is_reply(const struct rig_frame *f, const struct echo *e)
{
	static uint8_t asked[UINT16_MAX];
	uint16_t payload = e->ip.payload != 0 ? e->ip.payload : 16;
	uint16_t off = (uint16_t)((e->ip.tagged ? 18 : 14) + 20 + e->ip.nb_options);
	struct rte_ipv4_hdr ip;
	uint32_t sum;

	echo_build(asked, e);
	memcpy(&ip, f->b + 14, sizeof(ip));
	rig_is_packet(f, 0, rig_peer_mac(9), rte_be_to_cpu_16(ip.packet_id), 64);
	assert_int_equal(f->len, 34 + payload);
	assert_int_equal(rte_be_to_cpu_32(ip.src_addr), e->ip.dst != 0 ? e->ip.dst : OURS);
	assert_int_equal(rte_be_to_cpu_32(ip.dst_addr), e->ip.src != 0 ? e->ip.src : PEER);
	assert_int_equal(ip.version_ihl, 0x45);
	assert_int_equal(ip.next_proto_id, IPPROTO_ICMP);
	assert_int_equal(ip.fragment_offset, 0);
	assert_int_equal(f->b[34], 0);
	assert_int_equal(f->b[35], e->code);
	assert_memory_equal(f->b + 38, asked + off + 4, payload - 4);
	sum = rte_raw_cksum(f->b + 34, payload);
	assert_int_equal(sum, 0xffff);
}

static void
an_echo_to_us_is_answered(void **state)
{
	static const struct echo cases[] = {
		{ .fill = 0x5a },
		{ .ip.payload = 8 },
		{ .ip.payload = 57, .fill = 0xff },
		{ .ip.ttl = 1, .fill = 1 },
		{ .ip.tagged = true, .fill = 2 },
		{ .ip.padding = 20, .fill = 3 },
		{ .ip.nb_options = 12, .ip.options = { 7, 11, 4 }, .fill = 4 },
		{ .ip.nb_options = 40, .ip.options = { [0 ... 39] = 1 }, .ip.tagged = true },
		{ .ip.fragment = 0x4000, .fill = 5 },
		{ .ip.src = IP4(192, 0, 2, 7), .fill = 6 },
		{ .ip.dst = IP4(10, 1, 0, 1), .fill = 7 },
		{ .ip.payload = 1472, .fill = 0xfe },
		{ .ip.payload = 1472, .fill = 0xfe, .first = 35, .rest = 999 },
		{ .ip.payload = 99, .ip.padding = 9, .fill = 0xff, .first = 34, .rest = 1 },
	};
	struct rig_frame f;

	(void)state;
	net_neigh_add(0, PEER, rig_peer_mac(9));
	net_route(IP4(192, 0, 2, 0), 24, PEER);
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint16_t ring = i % 2;

		echo_punt(ring, &cases[i]);
		assert_true(rig_take(ring, &f));
		is_reply(&f, &cases[i]);
		rig_none();
		assert_int_equal(rig.stats.delivered, i + 1);
		assert_int_equal(rig.stats.originated, i + 1);
	}
	assert_int_equal(rig.slow->info.echo_replies_sent, RTE_DIM(cases));
}

/* Every split of one odd-sized message, and sums that carry behind odd segments. */
static void
segments_do_not_matter(void **state)
{
	struct rig_frame f;

	(void)state;
	net_neigh_add(0, PEER, rig_peer_mac(9));
	for (uint16_t first = 34; first < 34 + 61; first++) {
		for (uint16_t rest = 0; rest < 8; rest++) {
			struct echo e = { .ip.payload = 61,
					  .fill = (uint8_t)(0xff - rest),
					  .first = first,
					  .rest = rest };

			echo_punt(0, &e);
			assert_true(rig_take(0, &f));
			is_reply(&f, &e);
		}
	}
}

/* Sweeping the identifier sweeps the checksum through every value, both zeros included. */
static void
the_checksum_is_right_for_every_value(void **state)
{
	struct echo e = { .ip.payload = 8 };
	struct rig_frame f;
	uint8_t b[64];

	(void)state;
	net_neigh_add(0, PEER, rig_peer_mac(9));
	for (unsigned int id = 0; id <= UINT16_MAX; id++) {
		uint32_t sum = 0x0800 + id;
		uint16_t n = echo_build(b, &e);

		sum = ~(sum + (sum >> 16)) & 0xffff;
		b[36] = (uint8_t)(sum >> 8);
		b[37] = (uint8_t)sum;
		b[38] = (uint8_t)(id >> 8);
		b[39] = (uint8_t)id;
		rig_punt(0, rig_mbuf(b, n, 0, 0), 0, VERDICT_PUNT_LOCAL, 14);
		slow_poll(rig.slow);
		assert_true(rig_take(0, &f));
		assert_int_equal(f.b[34], 0);
		assert_int_equal(f.b[38] << 8 | f.b[39], id);
		assert_int_equal(rte_raw_cksum(f.b + 34, 8), 0xffff);
	}
}

static void
what_is_no_echo_for_us_has_its_reason(void **state)
{
	static const struct {
		const char *what;
		struct echo e;
		enum verdict want;
	} cases[] = {
		{ "bad checksum", { .bad_sum = true }, VERDICT_ICMP_INVALID },
		{ "bad checksum, other type",
		  { .type = 3, .bad_sum = true },
		  VERDICT_ICMP_INVALID },
		{ "seven bytes", { .ip.payload = 7 }, VERDICT_ICMP_INVALID },
		{ "seven bytes and padding",
		  { .ip.payload = 7, .ip.padding = 20 },
		  VERDICT_ICMP_INVALID },
		{ "one byte", { .ip.payload = 1 }, VERDICT_ICMP_INVALID },
		{ "echo reply", { .type_zero = true, .fill = 1 }, VERDICT_LOCAL_UNHANDLED },
		{ "unreachable", { .type = 3 }, VERDICT_LOCAL_UNHANDLED },
		{ "timestamp", { .type = 13 }, VERDICT_LOCAL_UNHANDLED },
		{ "redirect", { .type = 5 }, VERDICT_LOCAL_UNHANDLED },
		{ "UDP", { .ip.proto = IPPROTO_UDP }, VERDICT_LOCAL_UNHANDLED },
		{ "TCP", { .ip.proto = IPPROTO_TCP }, VERDICT_LOCAL_UNHANDLED },
		{ "first fragment", { .ip.fragment = 0x2000 }, VERDICT_LOCAL_UNHANDLED },
		{ "last fragment", { .ip.fragment = 0x0001 }, VERDICT_LOCAL_UNHANDLED },
		{ "from ourselves", { .ip.src = IP4(10, 1, 0, 1) }, VERDICT_MARTIAN_SOURCE },
		{ "from network 0", { .ip.src = 1 }, VERDICT_MARTIAN_SOURCE },
		{ "from loopback", { .ip.src = IP4(127, 0, 0, 1) }, VERDICT_MARTIAN_SOURCE },
		{ "from a group", { .ip.src = IP4(224, 0, 0, 9) }, VERDICT_MARTIAN_SOURCE },
		{ "from everybody", { .ip.src = UINT32_MAX }, VERDICT_MARTIAN_SOURCE },
		{ "in a group MAC", { .ip.dmac = { 1, 0, 0x5e } }, VERDICT_BAD_DESTINATION },
		{ "no longer ours", { .ip.dst = IP4(10, 0, 0, 7) }, VERDICT_LOCAL_UNHANDLED },
		/* what no worker lets through: no byte behind the end is read, see ASan */
		{ "cut Ethernet", { .ip.frame_len = 10 }, VERDICT_TOO_SHORT },
		{ "cut header", { .ip.frame_len = 33 }, VERDICT_TOO_SHORT },
		{ "cut packet", { .ip.frame_len = 49 }, VERDICT_BAD_LENGTH },
		{ "too short header", { .ip.vihl = 0x44 }, VERDICT_BAD_HEADER_LENGTH },
		{ "header above total", { .ip.vihl = 0x4f }, VERDICT_BAD_LENGTH },
		{ "total of nothing", { .ip.length = 19 }, VERDICT_BAD_LENGTH },
		{ "header in two", { .ip.nb_options = 8, .first = 36 }, VERDICT_TOO_SHORT },
	};

	(void)state;
	net_neigh_add(0, PEER, rig_peer_mac(9));
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint64_t before = rig_dropped(cases[i].want);

		echo_punt(0, &cases[i].e);
		if (rig_dropped(cases[i].want) != before + 1)
			fail_msg("%s: not %s", cases[i].what, verdict_name(cases[i].want));
		rig_none();
	}
	assert_int_equal(rig.stats.delivered, 0);
	assert_int_equal(rig.stats.originated, 0);
}

/* One delivered, one originated; the second may meet any packet's fate. */
static void
a_reply_is_routed_like_any_packet(void **state)
{
	struct rig_frame f;

	(void)state;
	net_blackhole(IP4(198, 51, 100, 0), 24);
	echo_punt(0, &(struct echo){ .ip.src = IP4(192, 0, 2, 7) });
	assert_int_equal(rig_dropped(VERDICT_NO_ROUTE), 1);
	echo_punt(0, &(struct echo){ .ip.src = IP4(198, 51, 100, 7) });
	assert_int_equal(rig_dropped(VERDICT_BLACKHOLE), 1);
	echo_punt(0, &(struct echo){ .ip.src = IP4(10, 1, 0, 255) });
	assert_int_equal(rig_dropped(VERDICT_BAD_DESTINATION), 1);
	echo_punt(0, &(struct echo){ .ip.src = PEER, .ip.payload = 1481 });
	assert_int_equal(rig_dropped(VERDICT_MTU_EXCEEDED), 1);
	rig_none();
	assert_int_equal(rig.stats.delivered, 4);
	assert_int_equal(rig.stats.originated, 4);

	/* Held for its neighbour, and not aged when it goes. */
	echo_punt(1, &(struct echo){ .fill = 8 });
	assert_int_equal(rig.stats.held, 1);
	assert_true(rig_take(1, &f));
	rig_is_arp(&f, RTE_ARP_OP_REQUEST, 0, NULL, OURS, PEER);
	rig_none();
	rig_arp(0, 0,
		&(struct rig_arp){ .op = 2, .sip = PEER, .tip = OURS, .sha = rig_peer_mac(9) });
	assert_true(rig_take(1, &f));
	is_reply(&f, &(struct echo){ .fill = 8 });
	rig_none();
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_start, rig_stop)
	const struct CMUnitTest tests[] = {
		T(an_echo_to_us_is_answered),
		T(segments_do_not_matter),
		T(the_checksum_is_right_for_every_value),
		T(what_is_no_echo_for_us_has_its_reason),
		T(a_reply_is_routed_like_any_packet),
	};

	return cmocka_run_group_tests(tests, rig_group_start, NULL);
}

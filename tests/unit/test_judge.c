/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which frame meets which fate: classify, ip4 and rewrite together, as a specification in rows.
 */
#include "support/stage.h"

#define OTHER_MAC                                                                                  \
	{                                                                                          \
		0x02, 0x99, 0, 0, 0, 1                                                             \
	}
#define BROADCAST                                                                                  \
	{                                                                                          \
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff                                                 \
	}
#define MULTICAST                                                                                  \
	{                                                                                          \
		0x01, 0x00, 0x5e, 0, 0, 5                                                          \
	}
#define OWN_ADDR STAGE_OWN

static const struct {
	const char *what;
	struct frame_spec f;
	enum verdict want;
} rows[] = {
	{ "plain packet", { .dst = IP4(10, 0, 0, 1) }, VERDICT_FORWARD },
	{ "padded to the Ethernet minimum", { .payload = 4, .padding = 22 }, VERDICT_FORWARD },
	{ "nothing behind the header", { .length = 20 }, VERDICT_FORWARD },
	{ "any protocol", { .proto = 8 }, VERDICT_FORWARD },
	{ "a fragment", { .fragment = 0x2000 | 185 }, VERDICT_FORWARD },
	{ "TTL 2", { .ttl = 2 }, VERDICT_FORWARD },
	{ "record route", { .options = { 7, 7, 4 }, .nb_options = 8 }, VERDICT_FORWARD },
	{ "router alert", { .options = { 148, 4, 0, 0 }, .nb_options = 4 }, VERDICT_FORWARD },
	{ "IHL 15", { .options = { 1, 1, 1, 0 }, .nb_options = 40 }, VERDICT_FORWARD },
	{ "priority tag, VID 0", { .tagged = true, .tci = 0xa000 }, VERDICT_FORWARD },
	{ "NIC took tag 0 off", { .ol_flags = RTE_MBUF_F_RX_VLAN_STRIPPED }, VERDICT_FORWARD },

	/* in the order of the checks */
	{ "13 bytes", { .frame_len = 13 }, VERDICT_TOO_SHORT },
	{ "33 bytes", { .frame_len = 33 }, VERDICT_TOO_SHORT },
	{ "33 bytes for another", { .dmac = OTHER_MAC, .frame_len = 33 }, VERDICT_TOO_SHORT },
	{ "tagged, 37 bytes", { .tagged = true, .frame_len = 37 }, VERDICT_TOO_SHORT },
	{ "another host's MAC", { .dmac = OTHER_MAC }, VERDICT_NOT_FOR_US },
	{ "another host's VLAN",
	  { .dmac = OTHER_MAC, .tagged = true, .tci = 42 },
	  VERDICT_NOT_FOR_US },
	{ "VLAN 42", { .tagged = true, .tci = 42 }, VERDICT_VLAN_UNKNOWN },
	{ "VLAN 42, ARP",
	  { .tagged = true, .tci = 42, .ethertype = 0x0806 },
	  VERDICT_VLAN_UNKNOWN },
	{ "stacked, outer 88a8", { .ethertype = 0x88a8 }, VERDICT_VLAN_UNKNOWN },
	{ "stacked, 8100 in 8100", { .tagged = true, .ethertype = 0x8100 }, VERDICT_VLAN_UNKNOWN },
	{ "NIC took two tags off",
	  { .ol_flags = RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ_STRIPPED },
	  VERDICT_VLAN_UNKNOWN },
	{ "IPv6", { .ethertype = 0x86dd }, VERDICT_NOT_IP },
	{ "802.3 length", { .ethertype = 0x0026 }, VERDICT_NOT_IP },
	{ "ARP", { .ethertype = 0x0806 }, VERDICT_PUNT_ARP },
	{ "ARP, broadcast", { .dmac = BROADCAST, .ethertype = 0x0806 }, VERDICT_PUNT_ARP },
	{ "ARP, priority tag", { .tagged = true, .ethertype = 0x0806 }, VERDICT_PUNT_ARP },
	{ "version 6", { .vihl = 0x65 }, VERDICT_BAD_VERSION },
	{ "version 0", { .vihl = 0x05 }, VERDICT_BAD_VERSION },
	{ "IHL 4", { .vihl = 0x44 }, VERDICT_BAD_HEADER_LENGTH },
	{ "IHL 0", { .vihl = 0x40 }, VERDICT_BAD_HEADER_LENGTH },
	{ "IHL above the total length", { .vihl = 0x4f }, VERDICT_BAD_LENGTH },
	{ "total length 19", { .length = 19 }, VERDICT_BAD_LENGTH },
	{ "claims one byte more", { .length = 29 }, VERDICT_BAD_LENGTH },
	{ "claims 65,535", { .length = 65535 }, VERDICT_BAD_LENGTH },
	{ "bad checksum", { .bad_checksum = true }, VERDICT_BAD_CHECKSUM },
	{ "bad, and a martian",
	  { .bad_checksum = true, .src = IP4(127, 0, 0, 1) },
	  VERDICT_BAD_CHECKSUM },
	{ "NIC says bad", { .ol_flags = RTE_MBUF_F_RX_IP_CKSUM_BAD }, VERDICT_BAD_CHECKSUM },
	{ "NIC says good",
	  { .bad_checksum = true, .ol_flags = RTE_MBUF_F_RX_IP_CKSUM_GOOD },
	  VERDICT_FORWARD },
	{ "NIC says nothing",
	  { .bad_checksum = true, .ol_flags = RTE_MBUF_F_RX_IP_CKSUM_NONE },
	  VERDICT_BAD_CHECKSUM },
	{ "from 0.0.0.1", { .src = IP4(0, 0, 0, 1) }, VERDICT_MARTIAN_SOURCE },
	{ "from 127.0.0.1", { .src = IP4(127, 0, 0, 1) }, VERDICT_MARTIAN_SOURCE },
	{ "from 224.0.0.1", { .src = IP4(224, 0, 0, 1) }, VERDICT_MARTIAN_SOURCE },
	{ "from 240.0.0.1", { .src = IP4(240, 0, 0, 1) }, VERDICT_MARTIAN_SOURCE },
	{ "from 255.255.255.255", { .src = UINT32_MAX }, VERDICT_MARTIAN_SOURCE },
	{ "from ourselves", { .src = OWN_ADDR }, VERDICT_MARTIAN_SOURCE },
	{ "from 223.255.255.255", { .src = IP4(223, 255, 255, 255) }, VERDICT_FORWARD },
	{ "from 1.0.0.0", { .src = IP4(1, 0, 0, 0) }, VERDICT_FORWARD },
	{ "from 126/8", { .src = IP4(126, 1, 1, 1) }, VERDICT_FORWARD },
	{ "from 128/8", { .src = IP4(128, 1, 1, 1) }, VERDICT_FORWARD },
	{ "to 0.0.0.1", { .dst = IP4(0, 0, 0, 1) }, VERDICT_BAD_DESTINATION },
	{ "to 127.0.0.1", { .dst = IP4(127, 0, 0, 1) }, VERDICT_BAD_DESTINATION },
	{ "to 224.0.0.5", { .dst = IP4(224, 0, 0, 5) }, VERDICT_BAD_DESTINATION },
	{ "to 224.0.0.5, group MAC",
	  { .dmac = MULTICAST, .dst = IP4(224, 0, 0, 5) },
	  VERDICT_BAD_DESTINATION },
	{ "to 255.255.255.255", { .dmac = BROADCAST, .dst = UINT32_MAX }, VERDICT_BAD_DESTINATION },
	{ "unicast in a broadcast", { .dmac = BROADCAST }, VERDICT_BAD_DESTINATION },
	{ "to us in a broadcast", { .dmac = BROADCAST, .dst = OWN_ADDR }, VERDICT_BAD_DESTINATION },
	{ "broadcast, bad checksum",
	  { .dmac = BROADCAST, .bad_checksum = true },
	  VERDICT_BAD_CHECKSUM },
	{ "directed broadcast", { .dst = IP4(192, 0, 2, 255) }, VERDICT_BAD_DESTINATION },
	{ "network address", { .dst = IP4(192, 0, 2, 0) }, VERDICT_BAD_DESTINATION },
	{ "directed broadcast, TTL 1",
	  { .dst = IP4(192, 0, 2, 255), .ttl = 1 },
	  VERDICT_BAD_DESTINATION },
	{ "loose source route",
	  { .options = { 131, 7, 4, 1, 2, 3, 4 }, .nb_options = 8 },
	  VERDICT_OPTIONS_REFUSED },
	{ "strict, behind NOPs",
	  { .options = { 1, 1, 137, 3, 4 }, .nb_options = 8 },
	  VERDICT_OPTIONS_REFUSED },
	{ "option length 0", { .options = { 7, 0 }, .nb_options = 4 }, VERDICT_OPTIONS_REFUSED },
	{ "option length 1", { .options = { 7, 1 }, .nb_options = 4 }, VERDICT_OPTIONS_REFUSED },
	{ "option past the header",
	  { .options = { 7, 5, 4, 0 }, .nb_options = 4 },
	  VERDICT_OPTIONS_REFUSED },
	{ "option cut at its type",
	  { .options = { 1, 1, 1, 7 }, .nb_options = 4 },
	  VERDICT_OPTIONS_REFUSED },
	{ "behind the end of list",
	  { .options = { 0, 131, 3, 4 }, .nb_options = 4 },
	  VERDICT_FORWARD },
	{ "TTL 1", { .ttl = 1 }, VERDICT_TTL_EXPIRED },
	{ "TTL 0", { .ttl_zero = true }, VERDICT_TTL_EXPIRED },
	{ "TTL 1 without a route", { .ttl = 1, .dst = IP4(8, 8, 8, 8) }, VERDICT_TTL_EXPIRED },
	{ "to us", { .dst = OWN_ADDR }, VERDICT_PUNT_LOCAL },
	{ "to us, TTL 1", { .dst = OWN_ADDR, .ttl = 1 }, VERDICT_PUNT_LOCAL },
	{ "to us, TTL 0", { .dst = OWN_ADDR, .ttl_zero = true }, VERDICT_PUNT_LOCAL },
	{ "no route", { .dst = IP4(8, 8, 8, 8) }, VERDICT_NO_ROUTE },
	{ "blackhole", { .dst = IP4(172, 16, 1, 1) }, VERDICT_BLACKHOLE },
	{ "neighbour not known", { .dst = IP4(192, 0, 2, 7) }, VERDICT_PUNT_RESOLVE },
	{ "as long as the MTU", { .dst = IP4(10, 99, 0, 1), .payload = 80 }, VERDICT_FORWARD },
	{ "one above the MTU", { .dst = IP4(10, 99, 0, 1), .payload = 81 }, VERDICT_MTU_EXCEEDED },
	{ "padding is no length",
	  { .dst = IP4(10, 99, 0, 1), .payload = 80, .padding = 9 },
	  VERDICT_FORWARD },
};

static void
check_row(size_t i, enum verdict got)
{
	if (got != rows[i].want)
		fail_msg("%s: verdict %u, want %u (%s)", rows[i].what, got, rows[i].want,
			 VERDICT_IS_DROP(rows[i].want) ? verdict_name(rows[i].want) : "no drop");
}

static void
each_frame_meets_its_fate(void **state)
{
	struct stage_env *e = stage_env_new();
	struct rte_mbuf *pkt[RTE_DIM(rows)];
	struct bundle *b = stage_bundle(e, pkt, RTE_DIM(rows));
	unsigned int odd = 0;

	(void)state;
	_Static_assert(RTE_DIM(rows) <= BUNDLE_MAX, "one bundle");
	for (size_t i = 0; i < RTE_DIM(rows); i++)
		pkt[i] = frame_mbuf(&rows[i].f);
	stage_run(e, b);
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		check_row(i, b->verdict[i]);
		odd += b->verdict[i] != VERDICT_FORWARD;
		frame_free(pkt[i]);
	}
	assert_int_equal(b->odd, odd);
	stage_env_free(e);
}

/* Alone, and cut into two segments: the same fate, and not a byte read past a segment. */
static void
alone_and_in_segments_too(void **state)
{
	struct stage_env *e = stage_env_new();

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct rte_mbuf *pkt = frame_mbuf(&rows[i].f);
		struct bundle *b = stage_bundle(e, &pkt, 1);
		uint16_t header =
			(uint16_t)(14 + 20 + rows[i].f.nb_options + (rows[i].f.tagged ? 4 : 0));

		stage_run(e, b);
		check_row(i, b->verdict[0]);
		frame_free(pkt);

		pkt = frame_mbuf(&rows[i].f);
		/* Nothing to cut off: heap segments have no pool to go back to. */
		if (pkt->data_len > header && rows[i].f.padding == 0 && rows[i].f.length == 0) {
			pkt = frame_split(pkt, header);
			b = stage_bundle(e, &pkt, 1);
			stage_run(e, b);
			check_row(i, b->verdict[0]);
		}
		frame_free(pkt);
	}
	stage_env_free(e);
}

/* A header in two segments and no room to join them: refused, never read across. */
static void
a_header_that_cannot_be_joined_is_too_short(void **state)
{
	struct stage_env *e = stage_env_new();

	(void)state;
	for (uint16_t cut = 1; cut < 34; cut++) {
		struct frame_spec f = { .dst = IP4(10, 0, 0, 1) };
		struct rte_mbuf *pkt = frame_split(frame_mbuf(&f), cut);
		struct bundle *b = stage_bundle(e, &pkt, 1);

		stage_run(e, b);
		assert_int_equal(b->verdict[0], VERDICT_TOO_SHORT);
		frame_free(pkt);
	}
	stage_env_free(e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_frame_meets_its_fate),
		cmocka_unit_test(alone_and_in_segments_too),
		cmocka_unit_test(a_header_that_cannot_be_joined_is_too_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

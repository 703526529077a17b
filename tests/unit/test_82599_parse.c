/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"
#include "support/cmocka.h"
#include "support/random.h"
#include "support/rig_82599.h"

#include <rte_thash.h>

/* What the descriptor says of a frame: type, checksums, hash and queue. */
static struct rig r;
static uint8_t frame[RIG_FRAME];

static int
setup(void **state)
{
	(void)state;
	rig_open(&r);
	for (unsigned int q = 0; q < 16; q++)
		rig_rx_start(&r, q, 64, 2);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_close(&r);
	return 0;
}

static struct rig_rxd
verdict_in(unsigned int queue, uint32_t len)
{
	uint32_t at = r.nic.rxq[queue].head;

	rig_rx_tail(&r, queue, (at + 1) % 64);
	rig_rx_arm(&r, queue, at);
	assert_int_equal(rig_receive(&r, frame, len, 0, true), 1);
	assert_int_equal(r.nic.rxq[queue].head, (at + 1) % 64);
	return rig_rxd(&r, queue, at);
}

static struct rig_rxd
verdict(uint32_t len)
{
	return verdict_in(0, len);
}

#define GOOD (RXD_DD | RXD_EOP)
#define L4   RXD_L4I
static const struct {
	const char *what;
	struct rig_packet pkt;
	uint32_t info, status;
} cases[] = {
	{ "UDP", { .len = 60 }, RXD_IPV4 | RXD_UDP, GOOD | RXD_IPCS | L4 | RXD_UDPCS },
	{ "UDP, long", { .len = 1400 }, RXD_IPV4 | RXD_UDP, GOOD | RXD_IPCS | L4 | RXD_UDPCS },
	{ "TCP", { .len = 60, .tcp = true }, RXD_IPV4 | RXD_TCP, GOOD | RXD_IPCS | L4 },
	{ "UDP, tagged",
	  { .len = 64, .tag = 9 },
	  RXD_IPV4 | RXD_UDP,
	  GOOD | RXD_IPCS | L4 | RXD_UDPCS },
	{ "UDP over IPv6", { .len = 70, .ipv6 = true }, RXD_IPV6 | RXD_UDP, GOOD | L4 | RXD_UDPCS },
	{ "TCP over IPv6",
	  { .len = 90, .ipv6 = true, .tcp = true },
	  RXD_IPV6 | RXD_TCP,
	  GOOD | L4 },
};

static void
each_packet_has_its_type(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct rig_rxd d;

		rig_packet(frame, &cases[i].pkt);
		d = verdict(cases[i].pkt.len);
		if (d.info != cases[i].info || d.status != cases[i].status)
			fail_msg("%s: %#x %#x, want %#x %#x", cases[i].what, d.info, d.status,
				 cases[i].info, cases[i].status);
		assert_int_equal(d.hash, 0);
	}
}

/* Each bit of a small frame's sums wrong once, then for each length. */
static void
wrong_sums_are_seen(void **state)
{
	uint32_t errors = 0;

	(void)state;
	for (unsigned int bit = 0; bit < 8 * 60; bit++) {
		struct rig_rxd d;
		uint32_t byte = bit / 8;

		rig_packet(frame, &(struct rig_packet){ .len = 60, .src = 77, .dst = 99 });
		frame[byte] ^= (uint8_t)(1u << bit % 8);
		if (byte < 14 || (byte >= 14 && byte < 18) || byte == 20 || byte == 21 ||
		    byte == 23 || byte == 38 || byte == 39)
			continue; /* another kind of frame */
		d = verdict(60);
		assert_int_equal((d.status & RXD_IPE) != 0, byte < 34);
		assert_int_equal((d.status & RXD_L4E) != 0, byte >= 26);
		errors++;
	}
	for (uint32_t len = 60; len < 300; len++, errors += 2) {
		struct rig_packet p = { .len = len, .src = len, .dst = 1, .tcp = len & 1 };

		rig_packet(frame, &p);
		assert_int_equal(verdict(len).status & (RXD_IPE | RXD_L4E), 0);
		frame[len - 1] ^= 1;
		assert_int_equal(verdict(len).status & (RXD_IPE | RXD_L4E), RXD_L4E);
		frame[len - 1] ^= 1;
		frame[14 + 10] ^= 1;
		assert_int_equal(verdict(len).status, (p.tcp ? 0 : RXD_UDPCS) | RXD_DD | RXD_EOP |
							      RXD_IPCS | RXD_L4I | RXD_IPE);
	}
	assert_int_equal(N82599_REG(&r.nic, R_XEC), errors);
}

/* And behind a tag, with options, over IPv6. */
static void
wrong_sums_of_other_frames_are_seen(void **state)
{
	const uint32_t both = RXD_IPE | RXD_L4E;
	struct hdr h;

	(void)state;
	rig_packet(frame, &(struct rig_packet){ .len = 90, .tag = 9, .tcp = true });
	frame[18 + 10] ^= 1;
	assert_int_equal(verdict(90).status & both, RXD_IPE);
	frame[89] ^= 1;
	assert_int_equal(verdict(90).status & both, both);
	rig_packet(frame, &(struct rig_packet){ .len = 90 });
	frame[14] = 0x46; /* the first word of the payload as an option */
	hdr_parse(&h, frame, 90);
	hdr_set_ip(&h, frame);
	assert_int_equal(verdict(90).status & RXD_IPE, 0);
	frame[34] ^= 1;
	assert_int_equal(verdict(90).status & RXD_IPE, RXD_IPE);
	rig_packet(frame, &(struct rig_packet){ .len = 90, .ipv6 = true });
	frame[89] ^= 1;
	assert_int_equal(verdict(90).status & both, RXD_L4E);
}

/* Erratum 44: net_ixgbe knows it and takes the verdict back. */
static void
a_udp_sum_of_zero_is_reported_wrong(void **state)
{
	(void)state;
	rig_packet(frame, &(struct rig_packet){ .len = 60 });
	store16_be(frame + 40, 0);
	assert_true(verdict(60).status & RXD_L4E);
	rig_packet(frame, &(struct rig_packet){ .len = 64, .tag = 3 });
	store16_be(frame + 44, 0);
	assert_true(verdict(64).status & RXD_L4E);
}

static void
datagrams_shorter_than_their_frame(void **state)
{
	struct hdr h;
	struct rig_rxd d;

	(void)state;
	rig_packet(frame, &(struct rig_packet){ .len = 60 });
	store16_be(frame + 38, 12); /* UDP says 12 bytes of the 26 that IP says */
	hdr_parse(&h, frame, 60);
	hdr_set_l4(&h, frame);
	d = verdict(60);
	assert_int_equal(d.info, RXD_IPV4 | RXD_UDP);
	assert_int_equal(d.status & RXD_L4E, 0);
	store16_be(frame + 38, 200); /* more than there is */
	assert_true(verdict(60).status & RXD_L4E);
	store16_be(frame + 16, 200); /* IP, too */
	assert_true(verdict(60).status & RXD_L4E);
}

static void
sctp_has_a_crc(void **state)
{
	uint32_t crc;
	struct rig_rxd d;

	(void)state;
	rig_packet(frame, &(struct rig_packet){ .len = 77 });
	frame[23] = 132;
	memset(frame + 42, 0, 4);
	crc = ~n82599_crc32c(frame + 34, 77 - 34, UINT32_MAX);
	memcpy(frame + 42, &crc, 4);
	d = verdict(77);
	assert_int_equal(d.info, RXD_IPV4 | RXD_SCTP);
	assert_int_equal(d.status & (RXD_L4I | RXD_L4E), RXD_L4I);
	frame[50] ^= 1;
	assert_true(verdict(77).status & RXD_L4E);
	/* RFC 3720 B.4: 32 zeros */
	memset(frame, 0, 32);
	assert_int_equal(~n82599_crc32c(frame, 32, UINT32_MAX), 0x8a9136aau);
}

/* Options, fragments, ARP, two tags, what is cut off: types, and never a byte too far. */
static void
odd_frames(void **state)
{
	(void)state;
	rig_packet(frame, &(struct rig_packet){ .len = 70, .tcp = true });
	frame[14] = 0x46;
	memset(frame + 34, 1, 4);
	assert_int_equal(verdict(70).info & ~RXD_TCP, RXD_IPV4 | RXD_IPV4E);
	rig_packet(frame, &(struct rig_packet){ .len = 60 });
	store16_be(frame + 20, 0x2000);
	assert_int_equal(verdict(60).info, RXD_IPV4);
	assert_int_equal(verdict(60).status & RXD_L4I, 0);
	store16_be(frame + 20, 0x4000); /* "do not fragment" is not one */
	assert_int_equal(verdict(60).info, RXD_IPV4 | RXD_UDP);
	store16_be(frame + 12, 0x0806);
	assert_int_equal(verdict(60).info, 0);
	assert_int_equal(verdict(60).status, GOOD);
	rig_packet(frame, &(struct rig_packet){ .len = 80, .tag = 5 });
	memmove(frame + 16, frame + 12, 60);
	assert_int_equal(verdict(80).info, 0);
	rig_packet(frame, &(struct rig_packet){ .len = 60, .tcp = true });
	frame[14] = 0x4f; /* a header of 60 bytes in 46 */
	assert_int_equal(verdict(60).info, 0);
	frame[14] = 0x44;
	assert_int_equal(verdict(60).info, 0);
	frame[14] = 0x45;
	store16_be(frame + 16, 39); /* half a TCP header */
	assert_int_equal(verdict(60).info, RXD_IPV4);
}

static void
random_frames_are_survived(void **state)
{
	struct test_random rnd = test_random_start(82599);

	(void)state;
	n82599_write(&r.nic, R_MRQC, MRQC_RSS | 0x1ff0000u);
	for (unsigned int i = 0; i < 20000; i++) {
		uint32_t len = 60 + (uint32_t)(test_random_next(&rnd) % 80);

		rig_packet(frame, &(struct rig_packet){ .len = len < 64 && i & 1 ? 64 : len,
							.tag = i & 1,
							.ipv6 = (i & 6) == 6,
							.tcp = i & 8 });
		for (unsigned int k = 0; k < 4; k++)
			frame[12 + test_random_next(&rnd) % 40] = (uint8_t)test_random_next(&rnd);
		verdict(len);
	}
}

/* RSS ------------------------------------------------------------------------------------------ */

static uint8_t key[40];

static void
set_key(struct test_random *rnd)
{
	for (unsigned int i = 0; i < 40; i++)
		key[i] = (uint8_t)test_random_next(rnd);
	for (unsigned int i = 0; i < 10; i++)
		n82599_write(&r.nic, R_RSSRK(i), load32(key + 4 * i));
}

/* rte_softrss() of the words from byte at of the frame on, as net_ixgbe's users would compute it. */
static uint32_t
soft_hash(uint32_t ip_at, uint32_t ip_bytes, uint32_t l4_at, bool l4)
{
	uint32_t words[9], n = ip_bytes / 4;

	for (uint32_t i = 0; i < n; i++)
		words[i] = __builtin_bswap32(load32(frame + ip_at + 4 * i));
	if (l4)
		words[n++] = __builtin_bswap32(load32(frame + l4_at));
	return rte_softrss(words, n, key);
}

static const struct {
	struct rig_packet pkt;
	uint32_t mrqc, type;
	bool l4;
} hashed[] = {
	{ { .len = 60 }, MRQC_IP4, RXD_RSS_IP4, false },
	{ { .len = 60 }, MRQC_IP4 | MRQC_UDP4, RXD_RSS_UDP4, true },
	{ { .len = 60 }, MRQC_UDP4, RXD_RSS_UDP4, true },
	{ { .len = 60 }, MRQC_TCP4, 0, false },
	{ { .len = 60, .tcp = true }, MRQC_TCP4, RXD_RSS_TCP4, true },
	{ { .len = 60, .tcp = true }, MRQC_UDP4 | MRQC_IP4, RXD_RSS_IP4, false },
	{ { .len = 64, .tag = 7 }, MRQC_UDP4, RXD_RSS_UDP4, true },
	{ { .len = 80, .ipv6 = true }, MRQC_IP6, RXD_RSS_IP6, false },
	{ { .len = 80, .ipv6 = true }, MRQC_IP6 | MRQC_UDP6, RXD_RSS_UDP6, true },
	{ { .len = 80, .ipv6 = true }, MRQC_IP4 | MRQC_UDP4, 0, false },
	{ { .len = 80, .ipv6 = true, .tcp = true }, MRQC_TCP6, RXD_RSS_TCP6, true },
};

static void
the_hash_is_that_of_rte_softrss(void **state)
{
	struct test_random rnd = test_random_start(4);

	(void)state;
	for (unsigned int i = 0; i < 40 * RTE_DIM(hashed); i++) {
		struct rig_packet p = hashed[i % RTE_DIM(hashed)].pkt;
		uint32_t type = hashed[i % RTE_DIM(hashed)].type, hash, queue, tag;
		bool l4 = hashed[i % RTE_DIM(hashed)].l4;
		struct rig_rxd d;

		set_key(&rnd);
		for (unsigned int k = 0; k < 128; k++)
			r.nic.regs[R_RETA(0) + k] = (uint8_t)(test_random_next(&rnd) & 15);
		n82599_write(&r.nic, R_MRQC, MRQC_RSS | hashed[i % RTE_DIM(hashed)].mrqc);
		p.src = (uint32_t)test_random_next(&rnd);
		p.dst = (uint32_t)test_random_next(&rnd);
		p.sport = (uint16_t)test_random_next(&rnd);
		p.dport = (uint16_t)test_random_next(&rnd);
		rig_packet(frame, &p);
		tag = p.tag ? 4 : 0;
		hash = p.ipv6 ? soft_hash(22 + tag, 32, 54 + tag, l4)
			      : soft_hash(26 + tag, 8, 34 + tag, l4);
		if (type == 0)
			hash = 0;
		queue = type == 0 ? 0 : r.nic.regs[R_RETA(0) + (hash & 127)];
		d = verdict_in(queue, p.len);
		assert_int_equal(d.info & 15, type);
		assert_int_equal(d.hash, hash);
	}
}

static void
fragments_are_hashed_by_address(void **state)
{
	struct test_random rnd = test_random_start(5);
	struct rig_rxd d;

	(void)state;
	set_key(&rnd);
	n82599_write(&r.nic, R_MRQC, MRQC_RSS | MRQC_IP4 | MRQC_UDP4);
	rig_packet(frame, &(struct rig_packet){ .len = 60, .src = 1, .dst = 2, .sport = 3 });
	store16_be(frame + 20, 0x2000);
	d = verdict(60);
	assert_int_equal(d.info & 15, RXD_RSS_IP4);
	assert_int_equal(d.hash, soft_hash(26, 8, 34, false));
	/* Without PCSD the hash steers, but another thing would stand in its place. */
	N82599_REG(&r.nic, R_RXCSUM) = 0;
	d = verdict(60);
	assert_int_equal(d.info & 15, 0);
	assert_int_equal(d.hash, 0);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(each_packet_has_its_type),
		T(wrong_sums_are_seen),
		T(wrong_sums_of_other_frames_are_seen),
		T(a_udp_sum_of_zero_is_reported_wrong),
		T(datagrams_shorter_than_their_frame),
		T(sctp_has_a_crc),
		T(odd_frames),
		T(random_frames_are_survived),
		T(the_hash_is_that_of_rte_softrss),
		T(fragments_are_hashed_by_address),
	};

	return cmocka_run_group_tests_name("82599 parse", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"
#include "support/cmocka.h"
#include "support/random.h"

#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>

/* A frame in memory of exactly its size: ASan sees one byte too far. */
struct frame {
	uint8_t *data;
	uint32_t len;
};

static struct frame
frame_of(const uint8_t *bytes, uint32_t len)
{
	struct frame f = { malloc(len > 0 ? len : 1), len };

	assert_non_null(f.data);
	memcpy(f.data, bytes, len);
	return f;
}

#define MACS 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2
#define V4(ihl, len, frag, proto)                                                                  \
	0x40 | (ihl), 0, (len) >> 8, (len)&255, 0, 1, (frag) >> 8, (frag)&255, 64, proto, 0, 0,    \
		10, 0, 0, 1, 10, 0, 0, 2
#define V6(len, next)                                                                              \
	0x60, 0, 0, 0, (len) >> 8, (len)&255, next, 64, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
		0, 0, 1, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2
#define UDP(len)   0x12, 0x34, 0, 53, (len) >> 8, (len)&255, 0, 0
#define TCP        0x12, 0x34, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 1, 0, 0, 0, 0, 0
#define SCTP       0x12, 0x34, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2
#define PAYLOAD    1, 2, 3, 4
#define BYTES(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })

static const struct {
	const char *what;
	uint8_t bytes[128];
	uint32_t len;
	struct hdr want;
} frames[] = {
	{ "UDP over IPv4",
	  BYTES(MACS, 8, 0, V4(5, 32, 0, 17), UDP(12), PAYLOAD),
	  { .ether_type = 0x800,
	    .l3 = HDR_L3_IPV4,
	    .l4 = HDR_L4_UDP,
	    .l3_at = 14,
	    .l4_at = 34,
	    .l4_len = 12 } },
	{ "padding is not L4",
	  BYTES(MACS, 8, 0, V4(5, 28, 0, 17), UDP(8), PAYLOAD),
	  { .ether_type = 0x800,
	    .l3 = HDR_L3_IPV4,
	    .l4 = HDR_L4_UDP,
	    .l3_at = 14,
	    .l4_at = 34,
	    .l4_len = 8 } },
	{ "IPv4 claims more than there is",
	  BYTES(MACS, 8, 0, V4(5, 1500, 0, 17), UDP(12), PAYLOAD),
	  { .ether_type = 0x800,
	    .l3 = HDR_L3_IPV4,
	    .l4 = HDR_L4_UDP,
	    .l3_at = 14,
	    .l4_at = 34,
	    .l4_len = 12 } },
	{ "IPv4 claims less than its header",
	  BYTES(MACS, 8, 0, V4(5, 19, 0, 17), UDP(8)),
	  { .ether_type = 0x800, .l3 = HDR_L3_IPV4, .l3_at = 14, .l4_at = 34 } },
	{ "TCP",
	  BYTES(MACS, 8, 0, V4(5, 40, 0, 6), TCP),
	  { .ether_type = 0x800,
	    .l3 = HDR_L3_IPV4,
	    .l4 = HDR_L4_TCP,
	    .l3_at = 14,
	    .l4_at = 34,
	    .l4_len = 20 } },
	{ "TCP cut off",
	  BYTES(MACS, 8, 0, V4(5, 40, 0, 6), UDP(8)),
	  { .ether_type = 0x800, .l3 = HDR_L3_IPV4, .l3_at = 14, .l4_at = 34, .l4_len = 8 } },
	{ "SCTP",
	  BYTES(MACS, 8, 0, V4(5, 32, 0, 132), SCTP),
	  { .ether_type = 0x800,
	    .l3 = HDR_L3_IPV4,
	    .l4 = HDR_L4_SCTP,
	    .l3_at = 14,
	    .l4_at = 34,
	    .l4_len = 12 } },
	{ "ICMP is none",
	  BYTES(MACS, 8, 0, V4(5, 28, 0, 1), UDP(8)),
	  { .ether_type = 0x800, .l3 = HDR_L3_IPV4, .l3_at = 14, .l4_at = 34, .l4_len = 8 } },
	{ "options",
	  BYTES(MACS, 8, 0, V4(6, 32, 0, 17), 1, 1, 1, 0, UDP(8)),
	  { .ether_type = 0x800,
	    .l3 = HDR_L3_IPV4,
	    .l4 = HDR_L4_UDP,
	    .options = true,
	    .l3_at = 14,
	    .l4_at = 38,
	    .l4_len = 8 } },
	{ "options cut off",
	  BYTES(MACS, 8, 0, V4(15, 60, 0, 17), UDP(8)),
	  { .ether_type = 0x800, .l3_at = 14 } },
	{ "IHL 4",
	  BYTES(MACS, 8, 0, V4(4, 28, 0, 17), UDP(8)),
	  { .ether_type = 0x800, .l3_at = 14 } },
	{ "IPv4 type, version 6",
	  BYTES(MACS, 8, 0, V6(8, 17), UDP(8)),
	  { .ether_type = 0x800, .l3_at = 14 } },
	{ "first fragment",
	  BYTES(MACS, 8, 0, V4(5, 28, 0x2000, 17), UDP(8)),
	  { .ether_type = 0x800,
	    .l3 = HDR_L3_IPV4,
	    .fragment = true,
	    .l3_at = 14,
	    .l4_at = 34,
	    .l4_len = 8 } },
	{ "last fragment",
	  BYTES(MACS, 8, 0, V4(5, 28, 1, 17), UDP(8)),
	  { .ether_type = 0x800,
	    .l3 = HDR_L3_IPV4,
	    .fragment = true,
	    .l3_at = 14,
	    .l4_at = 34,
	    .l4_len = 8 } },
	{ "DF is no fragment",
	  BYTES(MACS, 8, 0, V4(5, 28, 0x4000, 17), UDP(8)),
	  { .ether_type = 0x800,
	    .l3 = HDR_L3_IPV4,
	    .l4 = HDR_L4_UDP,
	    .l3_at = 14,
	    .l4_at = 34,
	    .l4_len = 8 } },
	{ "one tag",
	  BYTES(MACS, 0x81, 0, 0x60, 5, 8, 0, V4(5, 28, 0, 17), UDP(8)),
	  { .ether_type = 0x800,
	    .tci = { 0x6005 },
	    .nb_tags = 1,
	    .l3 = HDR_L3_IPV4,
	    .l4 = HDR_L4_UDP,
	    .l3_at = 18,
	    .l4_at = 38,
	    .l4_len = 8 } },
	{ "two tags",
	  BYTES(MACS, 0x88, 0xa8, 0, 7, 0x81, 0, 0, 5, 8, 0, V4(5, 28, 0, 17), UDP(8)),
	  { .ether_type = 0x800,
	    .tci = { 7, 5 },
	    .nb_tags = 2,
	    .l3 = HDR_L3_IPV4,
	    .l4 = HDR_L4_UDP,
	    .l3_at = 22,
	    .l4_at = 42,
	    .l4_len = 8 } },
	{ "three tags",
	  BYTES(MACS, 0x81, 0, 0, 1, 0x81, 0, 0, 2, 0x81, 0, 0, 3, 8, 0),
	  { .ether_type = 0x8100, .tci = { 1, 2 }, .nb_tags = 2, .l3_at = 22 } },
	{ "tag cut off", BYTES(MACS, 0x81, 0, 0, 1, 8), { .ether_type = 0x8100, .l3_at = 14 } },
	{ "ARP",
	  BYTES(MACS, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, V4(5, 0, 0, 0)),
	  { .ether_type = 0x806, .l3 = HDR_L3_ARP, .l3_at = 14 } },
	{ "ARP cut off",
	  BYTES(MACS, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, UDP(0)),
	  { .ether_type = 0x806, .l3_at = 14 } },
	{ "UDP over IPv6",
	  BYTES(MACS, 0x86, 0xdd, V6(12, 17), UDP(12), PAYLOAD),
	  { .ether_type = 0x86dd,
	    .l3 = HDR_L3_IPV6,
	    .l4 = HDR_L4_UDP,
	    .l3_at = 14,
	    .l4_at = 54,
	    .l4_len = 12 } },
	{ "IPv6 hop by hop and destination",
	  BYTES(MACS, 0x86, 0xdd, V6(32, 0), 60, 0, 1, 4, 0, 0, 0, 0, 17, 1, 1, 12, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, UDP(8)),
	  { .ether_type = 0x86dd,
	    .l3 = HDR_L3_IPV6,
	    .l4 = HDR_L4_UDP,
	    .options = true,
	    .l3_at = 14,
	    .l4_at = 78,
	    .l4_len = 8 } },
	{ "IPv6 fragment",
	  BYTES(MACS, 0x86, 0xdd, V6(16, 44), 17, 0, 0, 1, 0, 0, 0, 1, UDP(8)),
	  { .ether_type = 0x86dd,
	    .l3 = HDR_L3_IPV6,
	    .options = true,
	    .fragment = true,
	    .l3_at = 14,
	    .l4_at = 62,
	    .l4_len = 8 } },
	{ "IPv6 header longer than the packet",
	  BYTES(MACS, 0x86, 0xdd, V6(16, 0), 17, 255, 1, 4, 0, 0, 0, 0, UDP(8)),
	  { .ether_type = 0x86dd,
	    .l3 = HDR_L3_IPV6,
	    .options = true,
	    .l3_at = 14,
	    .l4_at = 54,
	    .l4_len = 16 } },
	{ "IPv6 cut off",
	  BYTES(MACS, 0x86, 0xdd, V4(6, 0, 0, 0)),
	  { .ether_type = 0x86dd, .l3_at = 14 } },
	{ "no Ethernet header", BYTES(MACS, 8), { 0 } },
	{ "802.3 length", BYTES(MACS, 0, 3, 0xaa, 0xaa, 3), { .ether_type = 3, .l3_at = 14 } },
};

static void
each_header_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < RTE_DIM(frames); i++) {
		struct frame f = frame_of(frames[i].bytes, frames[i].len);
		const struct hdr *want = &frames[i].want;
		struct hdr got;

		memset(&got, 0xa5, sizeof(got));
		hdr_parse(&got, f.data, f.len);
		if (got.ether_type != want->ether_type || got.tci[0] != want->tci[0] ||
		    got.tci[1] != want->tci[1] || got.nb_tags != want->nb_tags ||
		    got.l3 != want->l3 || got.l4 != want->l4 || got.options != want->options ||
		    got.fragment != want->fragment || got.l3_at != want->l3_at ||
		    got.l4_at != want->l4_at || got.l4_len != want->l4_len)
			fail_msg("%s: type %x tags %u l3 %u l4 %u options %d fragment %d at %u %u "
				 "len %u",
				 frames[i].what, got.ether_type, got.nb_tags, got.l3, got.l4,
				 got.options, got.fragment, got.l3_at, got.l4_at, got.l4_len);
		free(f.data);
	}
}

/* Any cut of any frame: nothing beyond the end is read (ASan) or said to be there. */
static void
nothing_is_found_beyond_the_end(void **state)
{
	struct test_random r = test_random_start(0x4d12);

	(void)state;
	for (unsigned int i = 0; i < 30000; i++) {
		size_t k = test_random_below(&r, RTE_DIM(frames));
		struct frame f =
			frame_of(frames[k].bytes, test_random_below(&r, frames[k].len + 1));
		struct hdr hdr;

		for (uint32_t j = test_random_below(&r, 4); j > 0 && f.len > 12; j--)
			f.data[12 + test_random_below(&r, f.len - 12)] =
				(uint8_t)test_random_next(&r);
		hdr_parse(&hdr, f.data, f.len);
		assert_true(hdr.l3_at <= f.len);
		assert_true(hdr.l4_at + hdr.l4_len <= f.len);
		assert_true(hdr.l4 == HDR_L4_NONE || hdr.l4_len >= 8);
		hdr_check_ip(&hdr, f.data);
		hdr_check_l4(&hdr, f.data);
		hdr_set_ip(&hdr, f.data);
		hdr_set_l4(&hdr, f.data);
		assert_int_not_equal(hdr_check_ip(&hdr, f.data), HDR_SUM_BAD);
		free(f.data);
	}
}

/* RFC 1071 as it is written: big-endian words, one after the other. */
static uint16_t
sum_slowly(const uint8_t *data, uint32_t len)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < len; i++)
		sum += i % 2 == 0 ? (uint32_t)data[i] << 8 : data[i];
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void
sums_are_those_of_the_rfc(void **state)
{
	struct test_random r = test_random_start(0x5035);
	uint8_t data[256];

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		uint32_t at = test_random_below(&r, 16), len = test_random_below(&r, 200);
		uint32_t split = test_random_below(&r, len / 2 + 1) * 2;
		uint64_t sum;

		for (unsigned int j = 0; j < sizeof(data); j++)
			data[j] = i % 3 == 0 ? 0xff : (uint8_t)test_random_next(&r);
		assert_int_equal(hdr_fold(hdr_sum(data + at, len, 0)), sum_slowly(data + at, len));
		sum = hdr_sum(data + at, split, 0);
		sum = hdr_sum(data + at + split, len - split, sum);
		assert_int_equal(hdr_fold(sum), sum_slowly(data + at, len));
	}
	assert_int_equal(hdr_fold(0), 0xffff);
	assert_int_equal(hdr_fold(UINT64_MAX), 0);
}

/* What DPDK says the checksum of a frame's UDP or TCP is. */
static uint16_t
dpdk_l4(const struct hdr *hdr, const uint8_t *frame)
{
	uint8_t copy[2048];

	memcpy(copy, frame, hdr->l4_at + hdr->l4_len);
	memset(copy + hdr->l4_at + (hdr->l4 == HDR_L4_UDP ? 6 : 16), 0, 2);
	if (hdr->l3 == HDR_L3_IPV4)
		return rte_ipv4_udptcp_cksum((const void *)(copy + hdr->l3_at), copy + hdr->l4_at);
	return rte_ipv6_udptcp_cksum((const void *)(copy + hdr->l3_at), copy + hdr->l4_at);
}

static void
written_sums_are_good_and_dpdks(void **state)
{
	static const uint8_t v4[] = { MACS, 8, 0, V4(5, 0, 0, 17) };
	static const uint8_t v6[] = { MACS, 0x86, 0xdd, V6(0, 17) };
	struct test_random r = test_random_start(0x600d);
	uint8_t frame[1600];

	(void)state;
	for (unsigned int i = 0; i < 4000; i++) {
		bool six = i % 2 == 1, tcp = i / 2 % 2 == 1;
		uint32_t at = six ? sizeof(v6) : sizeof(v4);
		uint32_t l4_len = (tcp ? 20 : 8) + test_random_below(&r, i % 8 == 0 ? 1400 : 40);
		uint32_t len = at + l4_len, flip;
		struct hdr hdr;
		uint16_t sum;

		memcpy(frame, six ? v6 : v4, at);
		for (uint32_t j = at; j < len; j++)
			frame[j] = (uint8_t)test_random_next(&r);
		frame[six ? 18 : 16] = (uint8_t)((six ? l4_len : l4_len + 20) >> 8);
		frame[six ? 19 : 17] = (uint8_t)(six ? l4_len : l4_len + 20);
		frame[six ? 20 : 23] = tcp ? 6 : 17;
		if (!tcp) {
			frame[at + 4] = (uint8_t)(l4_len >> 8);
			frame[at + 5] = (uint8_t)l4_len;
		}
		hdr_parse(&hdr, frame, len);
		hdr_set_ip(&hdr, frame);
		hdr_set_l4(&hdr, frame);
		assert_int_equal(hdr_check_ip(&hdr, frame), six ? HDR_SUM_NONE : HDR_SUM_GOOD);
		assert_int_equal(hdr_check_l4(&hdr, frame), HDR_SUM_GOOD);
		memcpy(&sum, frame + at + (tcp ? 16 : 6), 2);
		assert_int_equal(sum, dpdk_l4(&hdr, frame));
		if (!six)
			assert_int_equal(rte_ipv4_cksum((const void *)(frame + 14)), 0);

		flip = at + test_random_below(&r, l4_len);
		frame[flip] ^= (uint8_t)(1 + test_random_below(&r, 255));
		hdr_parse(&hdr, frame, len);
		assert_int_not_equal(hdr_check_l4(&hdr, frame), HDR_SUM_GOOD);
		if (!six) {
			frame[14 + 12 + test_random_below(&r, 8)] ^= 0x10;
			assert_int_equal(hdr_check_ip(&hdr, frame), HDR_SUM_BAD);
		}
	}
}

static void
a_udp_sum_of_zero_is_none(void **state)
{
	static const uint8_t bytes[] = { MACS, 8, 0, V4(5, 32, 0, 17), UDP(12), PAYLOAD };
	struct frame f = frame_of(bytes, sizeof(bytes));
	struct hdr hdr;
	uint16_t sum;

	(void)state;
	hdr_parse(&hdr, f.data, f.len);
	assert_int_equal(hdr_check_l4(&hdr, f.data), HDR_SUM_NONE);

	/* The four bytes of payload that make the sum come out as zero: it goes out as 0xffff. */
	memset(f.data + 42, 0, 4);
	hdr_set_l4(&hdr, f.data);
	memcpy(f.data + 42, f.data + 40, 2);
	hdr_set_l4(&hdr, f.data);
	memcpy(&sum, f.data + 40, 2);
	assert_int_equal(sum, 0xffff);
	assert_int_equal(hdr_check_l4(&hdr, f.data), HDR_SUM_GOOD);
	free(f.data);
}

static void
a_udp_length_that_cannot_be_is_bad(void **state)
{
	static const uint8_t bytes[] = { MACS, 8, 0, V4(5, 32, 0, 17), UDP(12), PAYLOAD };
	static const struct {
		uint8_t len;
		enum hdr_sum want;
	} rows[] = { { 12, HDR_SUM_GOOD },
		     { 10, HDR_SUM_GOOD },
		     { 13, HDR_SUM_BAD },
		     { 7, HDR_SUM_BAD },
		     { 0, HDR_SUM_BAD } };

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct frame f = frame_of(bytes, sizeof(bytes));
		struct hdr hdr;

		f.data[39] = rows[i].len;
		hdr_parse(&hdr, f.data, f.len);
		hdr_set_l4(&hdr, f.data);
		assert_int_equal(hdr_check_l4(&hdr, f.data), rows[i].want);
		free(f.data);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_header_is_found),
		cmocka_unit_test(nothing_is_found_beyond_the_end),
		cmocka_unit_test(sums_are_those_of_the_rfc),
		cmocka_unit_test(written_sums_are_good_and_dpdks),
		cmocka_unit_test(a_udp_sum_of_zero_is_none),
		cmocka_unit_test(a_udp_length_that_cannot_be_is_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

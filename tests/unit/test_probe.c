/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"
#include "drivers/wire/probe_build.h"
#include "drivers/wire/probe_fast.h"
#include "support/cmocka.h"
#include "support/random.h"

#define SRC 0x0a000001u
#define DST 0xc6120203u

static const uint8_t dmac[6] = { 2, 0, 0, 0, 0, 1 }, smac[6] = { 2, 0, 0, 0, 0, 2 };

/* A test frame in memory of exactly its size: ASan sees one byte too far. */
struct frame {
	uint8_t *data;
	uint32_t len;
};

static const struct {
	const char *what;
	uint16_t tci;
	bool tcp, sums;
	uint32_t min;
} kinds[] = {
	{ "UDP", 0, false, true, 60 },
	{ "UDP without sums", 0, false, false, 60 },
	{ "TCP", 0, true, true, 70 },
	{ "UDP in a VLAN", 77, false, true, 60 },
	{ "TCP in a VLAN", 0x0fff, true, true, 70 },
	{ "UDP without sums in a VLAN", 5, false, false, 60 },
};

static struct frame
make(unsigned int kind, uint32_t size, uint32_t flow_id, uint64_t seq, uint8_t phase)
{
	struct probe_shape shape = {
		.tci = kinds[kind].tci,
		.stream = 3,
		.ttl = 64,
		.tcp = kinds[kind].tcp,
		.sums = kinds[kind].sums,
	};
	uint8_t *room = malloc(size + PROBE_VLAN_LEN);
	struct probe_slot slot;
	struct probe_flow flow;
	struct frame f;

	assert_non_null(room);
	memcpy(shape.dmac, dmac, 6);
	memcpy(shape.smac, smac, 6);
	probe_slot_init(&slot, &shape, room, size, phase);
	probe_flow_init(&flow, flow_id, SRC, DST + flow_id);
	/* Twice, as slots are used again: what another flow left must not matter. */
	probe_put(&slot, &flow, flow_id ^ 0x1357, ~seq & PROBE_SEQ_MASK);
	probe_put(&slot, &flow, flow_id, seq);
	f.len = slot.len;
	f.data = malloc(f.len);
	assert_non_null(f.data);
	memcpy(f.data, room, f.len);
	free(room);
	return f;
}

static struct probe_expect
strict(unsigned int kind)
{
	struct probe_expect want = { .hops = 0, .tci = kinds[kind].tci };

	probe_expect_mac(&want.dmac, &want.dmac_mask, dmac);
	probe_expect_mac(&want.smac, &want.smac_mask, smac);
	return want;
}

static const struct probe_expect lenient = { .hops = PROBE_ANY, .tci = PROBE_ANY };

static int
setup(void **state)
{
	(void)state;
	probe_init();
	return 0;
}

static void
what_is_built_is_good(void **state)
{
	struct test_random r = test_random_start(0x9806e);

	(void)state;
	for (unsigned int i = 0; i < 6000; i++) {
		unsigned int kind = i % RTE_DIM(kinds);
		uint32_t size = kinds[kind].min + test_random_below(&r, i % 60 == 0 ? 9600 : 90);
		uint32_t flow = test_random_below(&r, 1u << 20);
		uint64_t seq = test_random_next(&r) & PROBE_SEQ_MASK;
		struct frame f = make(kind, size, flow, seq, (uint8_t)test_random_next(&r));
		struct probe_expect want = strict(kind);
		struct probe_seen seen, looked;
		struct hdr hdr;
		unsigned int bad = probe_judge(&want, f.data, f.len, &seen);

		if (bad != 0)
			fail_msg("%s of %u bytes: %s", kinds[kind].what, size, probe_reason(bad));
		/* The short way knows the most usual ones. */
		assert_int_equal(probe_is_good(&want, f.data, f.len, &looked), kind < 2);
		assert_int_equal(seen.stream, 3);
		assert_int_equal(seen.flow, flow);
		assert_int_equal(seen.seq, seq);
		assert_int_equal(probe_look(f.data, f.len, &looked), 0);
		assert_memory_equal(&looked, &seen, sizeof(seen));
		assert_int_equal(probe_judge(&lenient, f.data, f.len, &seen), 0);

		/* And so says who knows nothing of tags. */
		hdr_parse(&hdr, f.data, f.len);
		assert_int_equal(hdr_check_ip(&hdr, f.data), HDR_SUM_GOOD);
		assert_int_equal(hdr_check_l4(&hdr, f.data),
				 kinds[kind].sums ? HDR_SUM_GOOD : HDR_SUM_NONE);
		assert_int_equal(f.len, size + (kinds[kind].tci != 0 ? 4 : 0));
		assert_int_equal(hdr.l4_at + hdr.l4_len, f.len);
		free(f.data);
	}
}

/* Every value of every byte, of each kind of frame. */
static void
any_other_byte_is_caught(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < RTE_DIM(kinds); kind++) {
		struct frame f = make(kind, kinds[kind].min + 9, 70000, 123456789, 9);
		struct probe_expect want = strict(kind);
		struct probe_seen seen;

		for (uint32_t at = 0; at < f.len; at++) {
			for (unsigned int x = 1; x < 256; x++) {
				unsigned int bad;

				f.data[at] ^= (uint8_t)x;
				bad = probe_judge(&want, f.data, f.len, &seen);
				if (bad == 0 || bad & PROBE_NONE)
					fail_msg("%s: byte %u ^ 0x%02x is '%s'", kinds[kind].what,
						 at, x, bad == 0 ? "good" : "not a test frame");
				f.data[at] ^= (uint8_t)x;
			}
		}
		assert_int_equal(probe_judge(&want, f.data, f.len, &seen), 0);
		free(f.data);
	}
}

/* IP checksum, addresses, what a TCP header has, the tag: sums do not know an order of words. */
static bool
is_only_summed(unsigned int kind, uint32_t at)
{
	at -= kinds[kind].tci != 0 ? 4 : 0;
	return (at >= 24 && at < 34) || (at >= 38 && at < (kinds[kind].tcp ? 70 : 58));
}

/* Any two bytes that a wrong copy could swap. */
static void
swapped_bytes_are_caught(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < RTE_DIM(kinds); kind++) {
		struct frame f = make(kind, 200, 4711, 99, 33);
		struct probe_expect want = strict(kind);
		struct probe_seen seen;

		for (uint32_t a = 0; a < f.len; a++) {
			for (uint32_t b = a + 1; b < f.len && b < a + 8; b++) {
				uint8_t kept = f.data[a];

				if (kept == f.data[b] ||
				    ((b - a) % 2 == 0 && is_only_summed(kind, a) &&
				     is_only_summed(kind, b)))
					continue;
				f.data[a] = f.data[b];
				f.data[b] = kept;
				/* Another number is for who knows the numbers. */
				if (probe_judge(&want, f.data, f.len, &seen) == 0 &&
				    seen.flow == 4711 && seen.seq == 99)
					fail_msg("%s: bytes %u and %u", kinds[kind].what, a, b);
				f.data[b] = f.data[a];
				f.data[a] = kept;
			}
		}
		free(f.data);
	}
}

static const struct {
	const char *what;
	uint32_t at;
	uint8_t value;
	bool mend_ip, mend_l4; /* write sums that are right again */
	unsigned int want;
} faults[] = {
	{ "destination MAC", 5, 9, false, false, PROBE_BAD_MAC },
	{ "source MAC", 11, 9, false, false, PROBE_BAD_MAC },
	{ "type", 13, 1, false, false, PROBE_BAD_HEADER },
	{ "type is IPv6's", 12, 0x86, false, false, PROBE_BAD_HEADER },
	{ "version", 14, 0x65, false, false, PROBE_BAD_HEADER },
	{ "DSCP", 15, 4, true, false, PROBE_BAD_HEADER },
	{ "IP length", 17, 100, true, true, PROBE_BAD_HEADER },
	{ "IP length, sum not mended", 17, 100, false, false, PROBE_BAD_HEADER | PROBE_BAD_IP },
	{ "a fragment", 20, 0x20, true, false, PROBE_BAD_HEADER },
	{ "TTL of another hop", 22, 63, true, false, PROBE_BAD_TTL },
	{ "TTL without its sum", 22, 63, false, false, PROBE_BAD_TTL | PROBE_BAD_IP },
	{ "identification", 19, 1, true, false, PROBE_BAD_HEADER },
	{ "protocol", 23, 6, true, false, PROBE_BAD_HEADER | PROBE_BAD_L4 },
	{ "IP checksum", 24, 0x11, false, false, PROBE_BAD_IP },
	{ "address", 26, 11, true, false, PROBE_BAD_L4 },
	{ "address, sums not mended", 26, 11, false, false, PROBE_BAD_IP | PROBE_BAD_L4 },
	{ "source port", 35, 99, false, true, PROBE_BAD_HEADER },
	{ "destination port", 37, 8, false, true, PROBE_BAD_HEADER },
	{ "UDP length", 39, 9, false, false, PROBE_BAD_HEADER | PROBE_BAD_L4 },
	{ "UDP checksum", 40, 0x22, false, false, PROBE_BAD_L4 },
	{ "magic", 45, 0x11, false, true, PROBE_BAD_TAG },
	{ "stream of no port", 43, 200, false, true, PROBE_BAD_TAG },
	{ "tag", 55, 1, false, false, PROBE_BAD_TAG | PROBE_BAD_L4 },
	{ "payload", 60, 1, false, false, PROBE_BAD_PAYLOAD | PROBE_BAD_L4 },
	{ "payload with a sum that hides it", 60, 1, false, true, PROBE_BAD_PAYLOAD },
	{ "last byte", 98, 1, false, true, PROBE_BAD_PAYLOAD },
};

static void
each_fault_has_its_name(void **state)
{
	struct probe_expect want = strict(0);

	(void)state;
	for (size_t i = 0; i < RTE_DIM(faults); i++) {
		struct frame f = make(0, 99, 5, 6, 7);
		struct probe_seen seen;
		struct hdr hdr;
		unsigned int bad;

		hdr_parse(&hdr, f.data, f.len);
		assert_int_not_equal(f.data[faults[i].at], faults[i].value);
		f.data[faults[i].at] = faults[i].value;
		if (faults[i].mend_ip)
			hdr_set_ip(&hdr, f.data);
		if (faults[i].mend_l4)
			hdr_set_l4(&hdr, f.data);
		bad = probe_judge(&want, f.data, f.len, &seen);
		if (bad != faults[i].want)
			fail_msg("%s: 0x%x, want 0x%x", faults[i].what, bad, faults[i].want);
		free(f.data);
	}
	assert_string_equal(probe_reason(PROBE_BAD_HEADER), "header");
	assert_string_equal(probe_reason(PROBE_BAD_TAG), "tag");
	assert_string_equal(probe_reason(PROBE_BAD_IP | PROBE_BAD_L4), "IPv4 header checksum");
}

static void
a_sum_belongs_where_it_was_sent(void **state)
{
	static const uint8_t none[2] = { 0, 0 };
	struct frame with = make(0, 80, 1, 2, 3), without = make(1, 80, 1, 2, 3);
	struct probe_expect want = strict(0);
	struct probe_seen seen;
	struct hdr hdr;

	(void)state;
	memcpy(with.data + 40, none, 2);
	assert_int_equal(probe_judge(&want, with.data, with.len, &seen), PROBE_BAD_L4);
	hdr_parse(&hdr, without.data, without.len);
	hdr_set_l4(&hdr, without.data);
	assert_int_equal(probe_judge(&want, without.data, without.len, &seen), PROBE_BAD_L4);
	free(with.data);
	free(without.data);
}

/* A sum of zero goes out as all ones, which is the same to whoever adds it up; zero is not. */
static void
zero_is_no_udp_checksum(void **state)
{
	struct probe_shape shape = { .stream = 3, .ttl = 64, .sums = true };
	struct probe_expect want = { .tci = 0 };
	uint8_t data[PROBE_MIN + PROBE_VLAN_LEN];
	struct probe_slot slot;
	struct probe_flow flow;
	struct probe_seen seen;
	unsigned int found = 0;

	(void)state;
	probe_slot_init(&slot, &shape, data, PROBE_MIN, 3);
	for (uint32_t i = 0; i < 100000 && found == 0; i++) {
		probe_flow_init(&flow, 0, SRC, DST + i);
		probe_put(&slot, &flow, 0, 0);
		assert_true(data[40] != 0 || data[41] != 0);
		found = data[40] == 0xff && data[41] == 0xff;
	}
	assert_int_equal(found, 1);
	assert_int_equal(probe_judge(&want, data, PROBE_MIN, &seen), 0);
	data[40] = data[41] = 0;
	assert_int_equal(probe_judge(&want, data, PROBE_MIN, &seen), PROBE_BAD_L4);
}

static void
hops_are_counted(void **state)
{
	static const struct {
		uint8_t ttl;
		uint32_t hops;
		unsigned int want;
	} rows[] = {
		{ 64, 0, 0 },
		{ 63, 1, 0 },
		{ 63, 0, PROBE_BAD_TTL },
		{ 64, 1, PROBE_BAD_TTL },
		{ 62, 1, PROBE_BAD_TTL },
		{ 65, 0, PROBE_BAD_TTL },
		{ 64, PROBE_ANY, 0 },
		{ 1, PROBE_ANY, 0 },
		{ 0, 64, 0 },
		{ 65, PROBE_ANY, PROBE_BAD_TTL },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct frame f = make(0, 60, 1, 2, 3);
		struct probe_expect want = strict(0);
		struct probe_seen seen;
		struct hdr hdr;

		want.hops = rows[i].hops;
		f.data[22] = rows[i].ttl;
		hdr_parse(&hdr, f.data, f.len);
		hdr_set_ip(&hdr, f.data);
		assert_int_equal(probe_judge(&want, f.data, f.len, &seen), rows[i].want);
		free(f.data);
	}
}

static void
vlan_tags_are_as_expected(void **state)
{
	static const struct {
		unsigned int kind;
		uint32_t tci;
		unsigned int want;
	} rows[] = {
		{ 0, 0, 0 },     { 0, PROBE_ANY, 0 },         { 0, 77, PROBE_BAD_HEADER },
		{ 3, 77, 0 },    { 3, PROBE_ANY, 0 },         { 3, 0, PROBE_BAD_HEADER },
		{ 4, 0xfff, 0 }, { 3, 76, PROBE_BAD_HEADER },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct frame f = make(rows[i].kind, 80, 1, 2, 3);
		struct probe_expect want = strict(0);
		struct probe_seen seen;

		want.tci = rows[i].tci;
		assert_int_equal(probe_judge(&want, f.data, f.len, &seen), rows[i].want);
		free(f.data);
	}
}

/* A byte more, a byte less: of the frame, or of what it says of itself. */
static void
every_length_is_the_right_one(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < RTE_DIM(kinds); kind++) {
		struct frame f = make(kind, 300, 1, 2, 3);
		struct probe_expect want = strict(kind);
		struct probe_seen seen;

		for (uint32_t len = 0; len < f.len; len++) {
			uint8_t *cut = malloc(len > 0 ? len : 1);
			unsigned int bad;

			assert_non_null(cut);
			memcpy(cut, f.data, len);
			bad = probe_judge(&want, cut, len, &seen);
			assert_int_not_equal(bad, 0);
			if (len >= 80) /* the tag is there */
				assert_true(bad & PROBE_BAD_HEADER);
			free(cut);
		}
		f.data = realloc(f.data, f.len + 1);
		assert_non_null(f.data);
		f.data[f.len] = 0;
		assert_true(probe_judge(&want, f.data, f.len + 1, &seen) & PROBE_BAD_HEADER);
		free(f.data);
	}
}

/* The second half of a frame in the place of another's, which a chain of buffers gone wrong does. */
static void
halves_of_two_frames_are_no_frame(void **state)
{
	struct probe_expect want = strict(0);

	(void)state;
	for (unsigned int phase = 1; phase < 64; phase++) {
		struct frame a = make(0, 1514, 1, 2, 0), b = make(0, 1514, 1, 3, (uint8_t)phase);
		struct probe_seen seen;
		struct hdr hdr;

		memcpy(a.data + 750, b.data + 750, 764);
		hdr_parse(&hdr, a.data, a.len);
		hdr_set_l4(&hdr, a.data);
		assert_int_equal(probe_judge(&want, a.data, a.len, &seen), PROBE_BAD_PAYLOAD);
		free(a.data);
		free(b.data);
	}
}

static void
others_frames_are_not_ours(void **state)
{
	struct test_random r = test_random_start(0x07e5);
	struct probe_seen seen;
	unsigned int taken = 0;

	(void)state;
	for (unsigned int i = 0; i < 100000; i++) {
		uint32_t len = test_random_below(&r, 120);
		uint8_t *data = malloc(len > 0 ? len : 1);

		assert_non_null(data);
		for (uint32_t k = 0; k < len; k++)
			data[k] = (uint8_t)test_random_next(&r);
		if (len > 34 && i % 2 == 0) { /* UDP, or nearly */
			static const uint8_t start[] = { 8, 0, 0x45, 0 };

			memcpy(data + 12, start, sizeof(start));
			data[20] = data[21] = 0;
			data[23] = 17;
		}
		taken += probe_judge(&lenient, data, len, &seen) != PROBE_NONE;
		probe_look(data, len, &seen);
		free(data);
	}
	assert_true(taken < 5);

	/* Ports are looked for behind IP only. */
	assert_int_equal(probe_judge(&lenient,
				     (const uint8_t[]){ 0x90, 0, 0, 9, 1, 1, 1, 1, 1, 1, 1, 1, 0x12,
							0x34, 1, 1 },
				     16, &seen),
			 PROBE_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_built_is_good),
		cmocka_unit_test(any_other_byte_is_caught),
		cmocka_unit_test(swapped_bytes_are_caught),
		cmocka_unit_test(each_fault_has_its_name),
		cmocka_unit_test(a_sum_belongs_where_it_was_sent),
		cmocka_unit_test(zero_is_no_udp_checksum),
		cmocka_unit_test(hops_are_counted),
		cmocka_unit_test(vlan_tags_are_as_expected),
		cmocka_unit_test(every_length_is_the_right_one),
		cmocka_unit_test(halves_of_two_frames_are_no_frame),
		cmocka_unit_test(others_frames_are_not_ours),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}

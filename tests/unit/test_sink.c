/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"
#include "drivers/wire/sink.h"
#include "support/cmocka.h"
#include "support/random.h"
#include "support/wire_fake.h"

#include <stdio.h>

/* A generator and a sink with a list of frames between them for a test to meddle with. */
#define FRAMES 64
static struct wire_fake gen, sink;
static struct soft_frame frames[FRAMES];
static uint8_t bytes[FRAMES][2048];

#define STRICT "sink,hops=0,dmac=02:00:00:00:00:33,smac=02:53:00:00:03:02,vlan=0"

static void
start(const char *gen_words, const char *sink_words)
{
	struct err err;
	unsigned int n;

	if (wire_open(&gen, gen_words, &err) < 0 || wire_open(&sink, sink_words, &err) < 0)
		fail_msg("%s", err.text);
	n = gen.wire.kind->fetch(&gen.wire, frames, FRAMES);
	assert_int_equal(n, FRAMES);
	for (unsigned int i = 0; i < n; i++) {
		memcpy(bytes[i], frames[i].data, frames[i].len);
		frames[i].data = bytes[i];
	}
	gen.wire.kind->fetched(&gen.wire, n);
}

static void
end(void)
{
	wire_close(&gen);
	wire_close(&sink);
}

static void
give(unsigned int first, unsigned int n)
{
	sink.wire.kind->send(&sink.wire, frames + first, n);
}

/* Everything that a sink counts and that is not 0, in its order: "frames=64 bytes=3840". */
static void
expect(const char *want)
{
	static const char *const keys[] = {
		"frames",     "bytes",      "arp",        "arp_answered", "other",
		"lost",       "misordered", "duplicated", "late",         "untracked",
		"bad_header", "bad_ip_sum", "bad_l4_sum", "bad_ttl",      "bad_payload",
		"bad_mac",    "bad_tag",    "bad_total",
	};
	char got[512] = "";
	size_t at = 0;

	for (size_t i = 0; i < RTE_DIM(keys); i++) {
		int64_t value = wire_value(&sink.wire, keys[i]);

		assert_true(value >= 0);
		if (value > 0)
			at += (size_t)snprintf(got + at, sizeof(got) - at, "%s%s=%lld",
					       at > 0 ? " " : "", keys[i], (long long)value);
	}
	assert_string_equal(got, want);
}

static void
good_frames_are_good(void **state)
{
	static const char *const gens[] = { "gen", "gen,flows=7", "gen,sums=off",
					    "gen,spread=five,flows=10", "gen,spread=random" };

	(void)state;
	for (size_t i = 0; i < RTE_DIM(gens); i++) {
		start(gens[i], STRICT);
		give(0, FRAMES);
		expect("frames=64 bytes=3840");
		assert_string_equal(wire_text(&sink.wire, "first_bad"), "");
		assert_string_equal(wire_text(&sink.wire, "first_disorder"), "");
		end();
	}
	start("gen,vlan=9,proto=tcp,size=imix", "sink,vlan=9");
	give(0, FRAMES);
	assert_int_equal(wire_value(&sink.wire, "frames"), FRAMES);
	assert_int_equal(wire_value(&sink.wire, "bad_total"), 0);
	assert_int_equal(wire_value(&sink.wire, "other"), 0);
	end();
}

static void
a_lost_frame_is_missed(void **state)
{
	(void)state;
	start("gen", STRICT);
	give(0, 10);
	give(11, FRAMES - 11);
	expect("frames=63 bytes=3780 lost=1");
	assert_string_equal(wire_text(&sink.wire, "first_disorder"),
			    "lost: stream 3 flow 0 number 11, expected 10");
	end();

	start("gen", STRICT); /* from the start */
	give(1, FRAMES - 1);
	expect("frames=63 bytes=3780 lost=1");
	end();
}

static void
two_swapped_frames_are_misordered(void **state)
{
	struct soft_frame kept;

	(void)state;
	start("gen", STRICT);
	kept = frames[20];
	frames[20] = frames[21];
	frames[21] = kept;
	give(0, FRAMES);
	expect("frames=64 bytes=3840 misordered=1");
	assert_string_equal(wire_text(&sink.wire, "first_disorder"),
			    "lost: stream 3 flow 0 number 21, expected 20");
	end();

	start("gen,flows=2", STRICT); /* of two flows they may be */
	kept = frames[20];
	frames[20] = frames[21];
	frames[21] = kept;
	give(0, FRAMES);
	expect("frames=64 bytes=3840");
	end();
}

static void
a_frame_that_comes_twice_is_a_duplicate(void **state)
{
	(void)state;
	start("gen", STRICT);
	give(0, FRAMES);
	give(63, 1);
	give(0, 1);
	expect("frames=66 bytes=3960 duplicated=2");
	assert_string_equal(wire_text(&sink.wire, "first_disorder"),
			    "duplicated: stream 3 flow 0 number 63, expected 64");
	end();
}

static void
a_frame_too_late_to_tell_is_late(void **state)
{
	(void)state;
	start("gen", STRICT ",window=64");
	give(1, 30);
	for (unsigned int i = 0; i < 3; i++) {
		unsigned int n = gen.wire.kind->fetch(&gen.wire, frames, FRAMES);

		give(0, n);
		gen.wire.kind->fetched(&gen.wire, n);
	}
	frames[0].data = bytes[0];
	give(0, 1);
	expect("frames=223 bytes=13380 lost=34 misordered=1 late=1");
	end();
}

/* One byte of one frame, wherever it is; its number may get lost with its tag. */
static void
a_corrupted_byte_is_caught(void **state)
{
	(void)state;
	for (unsigned int at = 0; at < 60; at++) {
		start("gen", STRICT);
		bytes[33][at] ^= 0x04;
		give(0, FRAMES);
		assert_int_equal(wire_value(&sink.wire, "bad_total"), 1);
		assert_int_equal(wire_value(&sink.wire, "other"), 0);
		assert_int_equal(wire_value(&sink.wire, "lost"), wire_value(&sink.wire, "bad_tag"));
		assert_int_equal(wire_value(&sink.wire, "misordered"), 0);
		assert_int_equal(wire_value(&sink.wire, "duplicated"), 0);
		end();
	}
}

static void
the_first_bad_frame_is_shown(void **state)
{
	static const char want[] = "IPv4 header checksum, TTL, MAC address; 60 bytes: "
				   "0200 0000 0044 0253 0000 0302 0800 4500 002e";
	const char *text;

	(void)state;
	start("gen", STRICT);
	bytes[3][22]--; /* a hop without its checksum */
	bytes[3][5] = 0x44;
	bytes[5][50] = 1;
	give(0, FRAMES);
	expect("frames=64 bytes=3840 lost=1 bad_ip_sum=1 bad_l4_sum=1 bad_ttl=1 bad_mac=1 "
	       "bad_tag=1 bad_total=2");
	text = wire_text(&sink.wire, "first_bad");
	if (strncmp(text, want, strlen(want)) != 0)
		fail_msg("%s", text);
	end();
}

/* What a forwarder does is right, once the sink knows how often it is done. */
static void
hops_are_expected(void **state)
{
	(void)state;
	for (unsigned int hops = 0; hops < 3; hops++) {
		start("gen", hops == 0 ? "sink,hops=0" : hops == 1 ? "sink,hops=1" : "sink");
		for (unsigned int i = 0; i < FRAMES; i++) {
			struct hdr hdr;

			hdr_parse(&hdr, bytes[i], frames[i].len);
			bytes[i][22]--;
			hdr_set_ip(&hdr, bytes[i]);
		}
		give(0, FRAMES);
		expect(hops == 0 ? "frames=64 bytes=3840 bad_ttl=64 bad_total=64"
				 : "frames=64 bytes=3840");
		end();
	}
}

static void
flows_beyond_the_table_are_not_followed(void **state)
{
	(void)state;
	start("gen,flows=16", STRICT ",flows=10");
	give(0, 16);
	give(32, 32);
	expect("frames=48 bytes=2880 lost=10 untracked=18");
	end();
}

static void
less_can_be_verified(void **state)
{
	(void)state;
	start("gen", "sink,verify=seq");
	bytes[3][59] ^= 1;
	give(0, 10);
	give(11, 10);
	expect("frames=20 bytes=1200 lost=1");
	end();

	start("gen", "sink,verify=none");
	bytes[3][59] ^= 1;
	give(0, 10);
	give(11, 10);
	expect("frames=20 bytes=1200 other=20");
	end();
}

static void
clear_forgets_counts_and_no_numbers(void **state)
{
	struct err err;

	(void)state;
	start("gen", STRICT);
	bytes[3][59] ^= 1;
	give(0, 10);
	give(12, 10);
	assert_int_equal(wire_command(&sink.wire, "clear", &err), 0);
	expect("");
	assert_string_equal(wire_text(&sink.wire, "first_bad"), "");
	assert_string_equal(wire_text(&sink.wire, "first_disorder"), "");
	give(22, 10);
	give(10, 1); /* the hole was forgotten */
	expect("frames=11 bytes=660 misordered=1");
	assert_int_equal(wire_command(&sink.wire, "start", &err), -EINVAL);
	assert_non_null(strstr(err.text, "clear"));
	end();
}

static void
gaps_are_measured(void **state)
{
	(void)state;
	start("gen", STRICT);
	give(0, 1);
	wire_now_ns += 999999;
	give(1, 1);
	assert_int_equal(wire_value(&sink.wire, "last_gap_us"), 0);
	wire_now_ns += 7000000;
	give(2, 1);
	wire_now_ns += 2500000;
	give(3, 1);
	assert_int_equal(wire_value(&sink.wire, "last_gap_us"), 2500);
	assert_int_equal(wire_value(&sink.wire, "longest_gap_us"), 7000);
	end();
}

/* Any order with losses and duplicates, against a list of what has come. */
static void
numbers_are_judged_as_by_a_list(void **state)
{
	struct test_random r = test_random_start(0x5e90);

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		uint8_t came[2000] = { 0 };
		uint64_t next = 0, holes = 0, misordered = 0, duplicated = 0;
		struct sink_flows flows;

		sink_flows_init(&flows, 4, 256);
		for (unsigned int i = 0; i < 500; i++) {
			struct probe_seen seen = { .stream = round % 32, .flow = 3 };
			unsigned int what = test_random_below(&r, 20);

			seen.seq = next;
			if (what == 0)
				seen.seq = next + test_random_below(&r, 300);
			else if (what < 4) /* as far back as is always known */
				seen.seq =
					next - test_random_below(&r, next < 190 ? next + 1 : 190);
			if (seen.seq >= sizeof(came))
				break;
			sink_flows_see(&flows, seen);
			if (seen.seq >= next) {
				holes += seen.seq - next;
				next = seen.seq + 1;
			} else if (came[seen.seq]) {
				duplicated++;
			} else {
				misordered++;
				holes--;
			}
			came[seen.seq] = 1;
			assert_int_equal(flows.lost, holes);
			assert_int_equal(flows.misordered, misordered);
			assert_int_equal(flows.duplicated, duplicated);
			assert_int_equal(flows.late, 0);
		}
		sink_flows_release(&flows);
	}
}

/* The last one that is known, and the first one that is not. */
static void
the_window_has_an_edge(void **state)
{
	struct sink_flows flows;

	(void)state;
	sink_flows_init(&flows, 1, 128);
	for (uint64_t seq = 1; seq < 128; seq++)
		sink_flows_see(&flows, (struct probe_seen){ .seq = seq });
	sink_flows_see(&flows, (struct probe_seen){ .seq = 0 });
	assert_int_equal(flows.lost, 0);
	assert_int_equal(flows.misordered, 1);
	sink_flows_see(&flows, (struct probe_seen){ .seq = 128 });
	sink_flows_see(&flows, (struct probe_seen){ .seq = 63 });
	assert_int_equal(flows.late, 1);
	sink_flows_see(&flows, (struct probe_seen){ .seq = 64 });
	assert_int_equal(flows.late, 1);
	assert_int_equal(flows.duplicated, 1);
	sink_flows_release(&flows);
}

/* Wherever in a word of the window a long run in order ends. */
static void
a_swap_after_a_long_run_is_one(void **state)
{
	(void)state;
	for (uint64_t run = 1; run < 700; run++) {
		struct sink_flows flows;

		sink_flows_init(&flows, 1, 128);
		for (uint64_t seq = 0; seq < run; seq++)
			sink_flows_see(&flows, (struct probe_seen){ .seq = seq });
		sink_flows_see(&flows, (struct probe_seen){ .seq = run + 1 });
		assert_int_equal(flows.lost, 1);
		sink_flows_see(&flows, (struct probe_seen){ .seq = run });
		assert_int_equal(flows.lost, 0);
		assert_int_equal(flows.misordered, 1);
		assert_int_equal(flows.duplicated, 0);
		sink_flows_see(&flows, (struct probe_seen){ .seq = run - 1 });
		assert_int_equal(flows.duplicated, 1);
		sink_flows_release(&flows);
	}
}

/* Whatever number comes, it takes no time worth speaking of. */
static void
far_numbers_are_near(void **state)
{
	struct sink_flows flows;

	(void)state;
	sink_flows_init(&flows, 1, 128);
	sink_flows_see(&flows, (struct probe_seen){ .seq = 0 });
	sink_flows_see(&flows, (struct probe_seen){ .seq = PROBE_SEQ_MASK });
	sink_flows_see(&flows, (struct probe_seen){ .seq = PROBE_SEQ_MASK - 3 });
	assert_int_equal(flows.lost, PROBE_SEQ_MASK - 2);
	assert_int_equal(flows.misordered, 1);
	sink_flows_release(&flows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_frames_are_good),
		cmocka_unit_test(a_lost_frame_is_missed),
		cmocka_unit_test(two_swapped_frames_are_misordered),
		cmocka_unit_test(a_frame_that_comes_twice_is_a_duplicate),
		cmocka_unit_test(a_frame_too_late_to_tell_is_late),
		cmocka_unit_test(a_corrupted_byte_is_caught),
		cmocka_unit_test(the_first_bad_frame_is_shown),
		cmocka_unit_test(hops_are_expected),
		cmocka_unit_test(flows_beyond_the_table_are_not_followed),
		cmocka_unit_test(less_can_be_verified),
		cmocka_unit_test(clear_forgets_counts_and_no_numbers),
		cmocka_unit_test(gaps_are_measured),
		cmocka_unit_test(numbers_are_judged_as_by_a_list),
		cmocka_unit_test(the_window_has_an_edge),
		cmocka_unit_test(a_swap_after_a_long_run_is_one),
		cmocka_unit_test(far_numbers_are_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

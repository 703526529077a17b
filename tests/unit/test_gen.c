/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/gen.h"
#include "drivers/wire/hdr.h"
#include "support/cmocka.h"
#include "support/files.h"
#include "support/wire_fake.h"

#include <rte_byteorder.h>

static struct wire_fake gen;
static struct soft_frame frames[SOFT_BATCH];
static const struct probe_expect any = { .hops = 0, .tci = PROBE_ANY };

static void
start(const char *words)
{
	struct err err;

	if (wire_open(&gen, words, &err) < 0)
		fail_msg("%s: %s", words, err.text);
}

static void
end(void)
{
	wire_close(&gen);
}

static unsigned int
fetch(unsigned int max)
{
	return gen.wire.kind->fetch(&gen.wire, frames, max);
}

static void
taken(unsigned int n)
{
	gen.wire.kind->fetched(&gen.wire, n);
}

/* Fetch and take; each frame is good. */
static unsigned int
take(unsigned int max)
{
	unsigned int n = fetch(max);

	for (unsigned int i = 0; i < n; i++) {
		struct probe_seen seen;

		assert_int_equal(probe_judge(&any, frames[i].data, frames[i].len, &seen), 0);
	}
	if (n > 0)
		taken(n);
	return n;
}

static struct probe_seen
seen_of(const struct soft_frame *frame)
{
	struct probe_seen seen;

	assert_int_equal(probe_judge(&any, frame->data, frame->len, &seen), 0);
	return seen;
}

static uint32_t
address(const struct soft_frame *frame, unsigned int at)
{
	uint32_t be;

	memcpy(&be, frame->data + at, sizeof(be));
	return rte_be_to_cpu_32(be);
}

#define SOURCE      26
#define DESTINATION 30

static void
command(const char *words)
{
	struct err err;

	if (wire_command(&gen.wire, words, &err) < 0)
		fail_msg("%s: %s", words, err.text);
}

static void
the_plain_one_sends_to_its_port(void **state)
{
	static const uint8_t macs[] = { 2, 0, 0, 0, 0, 0x33, 2, 0x53, 0, 0, 3, 2 };

	(void)state;
	start("gen");
	assert_true(gen.wire.wait);
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(fetch(SOFT_BATCH), SOFT_BATCH);
		for (unsigned int k = 0; k < SOFT_BATCH; k++) {
			struct probe_seen seen = seen_of(&frames[k]);

			assert_int_equal(frames[k].len, 60);
			assert_int_equal(frames[k].flags, 0);
			assert_memory_equal(frames[k].data, macs, sizeof(macs));
			assert_int_equal(address(&frames[k], SOURCE), 0xc0000201);
			assert_int_equal(address(&frames[k], DESTINATION), 0xc6120001);
			assert_int_equal(frames[k].data[22], 64);
			assert_int_equal(seen.stream, 3);
			assert_int_equal(seen.flow, 0);
			assert_int_equal(seen.seq, i * SOFT_BATCH + k);
		}
		taken(SOFT_BATCH);
	}
	assert_int_equal(wire_value(&gen.wire, "sent"), 320);
	assert_int_equal(wire_value(&gen.wire, "bytes"), 19200);
	assert_int_equal(wire_value(&gen.wire, "waited"), 0);
	assert_int_equal(wire_value(&gen.wire, "done"), 0);
	end();
}

static void
options_show_in_the_frame(void **state)
{
	struct probe_expect want = { .hops = 0, .tci = 77 };
	struct probe_seen seen;

	(void)state;
	start("gen,dst=10.1.2.3,src=10.9.9.9,dmac=02:11:11:11:11:11,smac=02:22:22:22:22:22,"
	      "size=200,vlan=77,ttl=5,proto=tcp");
	probe_expect_mac(&want.dmac, &want.dmac_mask, (const uint8_t[]){ 2, 17, 17, 17, 17, 17 });
	probe_expect_mac(&want.smac, &want.smac_mask, (const uint8_t[]){ 2, 34, 34, 34, 34, 34 });
	assert_int_equal(fetch(1), 1);
	assert_int_equal(probe_judge(&want, frames[0].data, frames[0].len, &seen), 0);
	assert_int_equal(frames[0].len, 204); /* the tag comes on top */
	assert_int_equal(address(&frames[0], SOURCE + 4), 0x0a090909);
	assert_int_equal(address(&frames[0], DESTINATION + 4), 0x0a010203);
	assert_int_equal(frames[0].data[26], 5);
	assert_int_equal(frames[0].data[27], 6);
	taken(1);
	end();

	start("gen,sums=off");
	assert_int_equal(take(1), 1);
	assert_int_equal(frames[0].data[40] | frames[0].data[41], 0);
	end();
}

/* What was not taken comes again, the same, and before anything else. */
static void
who_waits_sends_it_again(void **state)
{
	static const unsigned int parts[] = { 64, 0, 13, 64, 1, 0, 0, 63, 50 };
	uint64_t next = 0, bytes = 0;
	unsigned int waited = 0;

	(void)state;
	start("gen,size=imix");
	for (size_t i = 0; i < 200; i++) {
		unsigned int part = parts[i % RTE_DIM(parts)];
		unsigned int max = i % 3 == 0 ? 17 : SOFT_BATCH, n = fetch(max);

		assert_int_equal(n, max);
		for (unsigned int k = 0; k < n; k++)
			assert_int_equal(seen_of(&frames[k]).seq, next + k);
		part = part < n ? part : n;
		for (unsigned int k = 0; k < part; k++)
			bytes += frames[k].len;
		waited += part < n;
		taken(part);
		next += part;
		assert_int_equal(wire_value(&gen.wire, "bytes"), bytes);
	}
	assert_int_equal(wire_value(&gen.wire, "sent"), next);
	assert_int_equal(wire_value(&gen.wire, "waited"), waited);
	end();
}

static void
who_does_not_wait_has_sent_it(void **state)
{
	(void)state;
	start("gen,full=drop");
	assert_false(gen.wire.wait);
	assert_int_equal(fetch(SOFT_BATCH), SOFT_BATCH);
	taken(10);
	assert_int_equal(fetch(SOFT_BATCH), SOFT_BATCH);
	assert_int_equal(seen_of(&frames[0]).seq, 64);
	taken(64);
	assert_int_equal(wire_value(&gen.wire, "sent"), 128);
	assert_int_equal(wire_value(&gen.wire, "waited"), 0);
	end();

	start("gen,rate=5");
	assert_false(gen.wire.wait);
	command("rate max");
	assert_true(gen.wire.wait);
	end();
	start("gen,rate=5,full=wait");
	assert_true(gen.wire.wait);
	end();
}

static void
flows_are_numbered_by_themselves(void **state)
{
	static const struct {
		const char *words;
		unsigned int flows, run;
	} rows[] = { { "gen,flows=10", 10, 1 },
		     { "gen,spread=five,flows=7", 7, 5 },
		     { "gen,spread=random,flows=100", 100, 1 } };

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		uint32_t to[100] = { 0 }, from[100] = { 0 };
		unsigned int flows = rows[i].flows, run = rows[i].run;
		uint64_t n = 0;

		start(rows[i].words);
		while (n < 1000) {
			unsigned int k, got = fetch(SOFT_BATCH);

			for (k = 0; k < got; k++, n++) {
				struct probe_seen seen = seen_of(&frames[k]);
				uint32_t f = seen.flow;

				assert_int_equal(f, n / run % flows);
				assert_int_equal(seen.seq, n / run / flows * run + n % run);
				if (to[f] == 0) {
					to[f] = address(&frames[k], DESTINATION);
					from[f] = address(&frames[k], SOURCE);
				}
				assert_int_equal(address(&frames[k], DESTINATION), to[f]);
				assert_int_equal(address(&frames[k], SOURCE), from[f]);
			}
			taken(got);
		}
		end();
	}
}

/* The destinations of n frames, sorted. */
static int
by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
destinations(uint32_t *dst, unsigned int n)
{
	for (unsigned int i = 0; i < n; i += SOFT_BATCH) {
		assert_int_equal(take(SOFT_BATCH), SOFT_BATCH);
		for (unsigned int k = 0; k < SOFT_BATCH; k++)
			dst[i + k] = address(&frames[k], DESTINATION);
	}
	qsort(dst, n, sizeof(*dst), by_value);
}

static void
random_destinations_fill_the_prefix(void **state)
{
	static uint32_t dst[64 * 100], again[64 * 100];
	unsigned int distinct = 0;

	(void)state;
	start("gen,dst=10.8.0.0/24,spread=random");
	assert_int_equal(((struct gen *)gen.wire.own)->nb_flows, 65536);
	destinations(dst, RTE_DIM(dst));
	for (size_t i = 0; i < RTE_DIM(dst); i++)
		distinct += i == 0 || dst[i] != dst[i - 1];
	assert_int_equal(dst[0], 0x0a080001); /* not the network's address */
	assert_int_equal(dst[RTE_DIM(dst) - 1], 0x0a0800fe);
	assert_int_equal(distinct, 254);
	end();

	start("gen,dst=10.8.0.0/24,spread=random"); /* by the run's seed: again the same */
	destinations(again, RTE_DIM(again));
	assert_memory_equal(again, dst, sizeof(dst));
	end();
	start("gen,dst=10.8.0.0/24,spread=random,seed=9");
	destinations(again, RTE_DIM(again));
	assert_memory_not_equal(again, dst, sizeof(dst));
	end();
	start("gen,dst=10.8.0.6/31,spread=random"); /* both are hosts (RFC 3021) */
	destinations(dst, 640);
	assert_int_equal(dst[0], 0x0a080006);
	assert_int_equal(dst[639], 0x0a080007);
	end();
}

/* Uniform over the routes, whatever their length; nothing else in the file is a route to draw. */
static void
destinations_come_from_routes(void **state)
{
	static const char text[] = "# two of the lines lead nowhere\n"
				   "0.0.0.0/0 via 10.0.0.1\n"
				   "10.8.0.0/16\tvia 10.0.0.1 weight 3 via 10.0.0.2\r\n"
				   "\n"
				   "192.0.2.7/32 via 10.0.0.1 # a host\n"
				   "203.0.113.0/24 blackhole\n"
				   "198.51.100.0/24 dev 0\n"
				   "172.16.0.0/12 via 10.0.0.1";
	struct temp_file file = temp_file_text(text);
	static uint32_t dst[64 * 500];
	unsigned int host = 0, ten = 0, twelve = 0, rest = 0;
	char words[128];

	(void)state;
	snprintf(words, sizeof(words), "gen,routes=%s", file.path);
	start(words);
	destinations(dst, RTE_DIM(dst));
	for (size_t i = 0; i < RTE_DIM(dst); i++) {
		assert_true(dst[i] >> 24 != 0 && dst[i] >> 24 != 127 && dst[i] >> 28 < 0xe);
		if (dst[i] == 0xc0000207)
			host++;
		else if (dst[i] >> 16 == 0x0a08)
			ten++;
		else if (dst[i] >> 20 == 0xac1)
			twelve++;
		else
			rest++;
	}
	assert_in_range(host, 7500, 8500);
	assert_in_range(ten, 7500, 8500);
	assert_in_range(twelve, 7500, 8700);
	assert_in_range(rest, 7300, 8500);
	end();
	temp_file_close(&file);
}

static void
imix_is_seven_four_one(void **state)
{
	unsigned int small = 0, medium = 0, large = 0;

	(void)state;
	for (unsigned int tcp = 0; tcp < 2; tcp++) {
		start(tcp ? "gen,size=imix,proto=tcp" : "gen,size=imix");
		small = medium = large = 0;
		for (unsigned int i = 0; i < 200; i++) {
			assert_int_equal(take(60), 60);
			for (unsigned int k = 0; k < 60; k++) {
				small += frames[k].len == (tcp ? 70 : 60);
				medium += frames[k].len == 590;
				large += frames[k].len == 1514;
			}
		}
		assert_int_equal(small, 7000);
		assert_int_equal(medium, 4000);
		assert_int_equal(large, 1000);
		end();
	}
}

static void
the_longest_frame_is_good(void **state)
{
	(void)state;
	start("gen,size=9700,vlan=5");
	assert_int_equal(take(SOFT_BATCH), SOFT_BATCH);
	assert_int_equal(frames[0].len, 9704);
	end();
}

static void
slips_are_named(void **state)
{
	static const struct {
		const char *words, *text;
	} rows[] = {
		{ "gen,size=59", "60 to 9700" },
		{ "gen,size=9701", "60 to 9700" },
		{ "gen,size=big", "or imix" },
		{ "gen,proto=tcp", "70 to 9700" },
		{ "gen,proto=tcp,size=70,sums=off", "only UDP" },
		{ "gen,rate=0", "rate=0" },
		{ "gen,rate=fast", "or max" },
		{ "gen,rate=2G", "1G" },
		{ "gen,ttl=256", "ttl" },
		{ "gen,vlan=4095", "vlan" },
		{ "gen,flows=2M", "flows" },
		{ "gen,burst=0", "burst" },
		{ "gen,dst=10.0.0.1/8", "dst" },
		{ "gen,spread=some", "single" },
		{ "gen,routes=/nowhere/at.all", "No such file" },
		{ "gen,routes=/proc/self/fd", "no regular file" },
		{ "gen,routes=/dev/zero", "no regular file" },
		{ "gen,template=/nowhere/at.pcap", "/nowhere/at.pcap: No such file" },
		{ "gen,template=/dev/zero", "no regular file" },
		{ "gen,colour=red", "colour" },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct err err;

		err.text[0] = '\0';
		assert_true(wire_open(&gen, rows[i].words, &err) < 0);
		if (strstr(err.text, rows[i].text) == NULL)
			fail_msg("%s: %s", rows[i].words, err.text);
	}
}

static void
bad_route_files_are_named(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "no line" },
		{ "10.0.0.0/8 dev 0\n", "no line" },
		{ "# x\n10.0.0.0/33 via 10.0.0.1\n", ":2" },
		{ "10.0.0.1/8 via 10.0.0.1\n", ":1" },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct temp_file file = temp_file_text(rows[i].text);
		struct err err;
		char words[128];

		snprintf(words, sizeof(words), "gen,routes=%s", file.path);
		assert_int_equal(wire_open(&gen, words, &err), -EINVAL);
		if (strstr(err.text, rows[i].want) == NULL)
			fail_msg("%zu: %s", i, err.text);
		temp_file_close(&file);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plain_one_sends_to_its_port),
		cmocka_unit_test(options_show_in_the_frame),
		cmocka_unit_test(who_waits_sends_it_again),
		cmocka_unit_test(who_does_not_wait_has_sent_it),
		cmocka_unit_test(flows_are_numbered_by_themselves),
		cmocka_unit_test(random_destinations_fill_the_prefix),
		cmocka_unit_test(destinations_come_from_routes),
		cmocka_unit_test(imix_is_seven_four_one),
		cmocka_unit_test(the_longest_frame_is_good),
		cmocka_unit_test(slips_are_named),
		cmocka_unit_test(bad_route_files_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

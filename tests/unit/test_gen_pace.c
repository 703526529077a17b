/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/cmocka.h"
#include "support/wire_fake.h"

static struct wire_fake gen;

static void
start(const char *words)
{
	struct err err;

	if (wire_open(&gen, words, &err) < 0)
		fail_msg("%s: %s", words, err.text);
}

static unsigned int
take(unsigned int max)
{
	struct soft_frame frames[SOFT_BATCH];
	unsigned int n = gen.wire.kind->fetch(&gen.wire, frames, max);

	if (n > 0)
		gen.wire.kind->fetched(&gen.wire, n);
	return n;
}

/* After so many nanoseconds. */
static unsigned int
later(uint64_t ns)
{
	wire_now_ns += ns;
	return take(SOFT_BATCH);
}

static void
command(const char *words)
{
	struct err err;

	if (wire_command(&gen.wire, words, &err) < 0)
		fail_msg("%s: %s", words, err.text);
}

static void
a_rate_is_kept(void **state)
{
	static const struct {
		const char *words;
		uint64_t step_ns, steps, want;
	} rows[] = {
		{ "gen,rate=1M", 1000, 1000, 1000 },
		{ "gen,rate=1M", 333, 3000, 999 },
		{ "gen,rate=14880952", 700, 100000, 1041666 },
		{ "gen,rate=3", 10000000, 1000, 30 },
		{ "gen,rate=1G", 64, 1000, 64000 },
		{ "gen,rate=1M,burst=32", 1000, 1023, 992 }, /* whole ones only */
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		uint64_t n = 0;

		start(rows[i].words);
		assert_int_equal(take(SOFT_BATCH), 0);
		for (uint64_t k = 0; k < rows[i].steps; k++)
			n += later(rows[i].step_ns);
		if (n != rows[i].want)
			fail_msg("%s: %llu frames, want %llu", rows[i].words, (unsigned long long)n,
				 (unsigned long long)rows[i].want);
		wire_close(&gen);
	}
}

static void
bursts_come_as_a_whole(void **state)
{
	unsigned int sum = 0;

	(void)state;
	start("gen,rate=1M,burst=20");
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(later(19000), 0);
	assert_int_equal(later(1000), 20);
	assert_int_equal(later(1000), 0);
	assert_int_equal(later(39000), 40);
	wire_close(&gen);

	start("gen,rate=1M,burst=200"); /* more than a call can give */
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(later(199000), 0);
	assert_int_equal(later(1000), SOFT_BATCH);
	for (unsigned int n; (n = take(SOFT_BATCH)) > 0;)
		sum += n;
	assert_int_equal(sum, 200 - SOFT_BATCH);
	wire_close(&gen);
}

/* A model that could not run for a while does not make up for it. */
static void
what_was_slept_through_is_not_sent(void **state)
{
	(void)state;
	start("gen,rate=1M");
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(later(5000), 5);
	assert_int_equal(later(10000000), SOFT_BATCH);
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(later(5000), 5);
	wire_close(&gen);
}

static void
nothing_is_sent_before_its_time(void **state)
{
	(void)state;
	start("gen,after=3");
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(later(2999999), 0);
	assert_int_equal(later(1), SOFT_BATCH);
	wire_close(&gen);

	start("gen,after=3,rate=1M");
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(later(3000000), 0);
	assert_int_equal(later(7000), 7);
	wire_close(&gen);

	start("gen,start=manual");
	assert_int_equal(later(1000), 0);
	command("start");
	assert_int_equal(take(SOFT_BATCH), SOFT_BATCH);
	command("stop");
	assert_int_equal(take(SOFT_BATCH), 0);
	command("start");
	assert_int_equal(take(SOFT_BATCH), SOFT_BATCH);
	wire_close(&gen);
}

static void
counts_end(void **state)
{
	struct soft_frame frames[SOFT_BATCH];

	(void)state;
	start("gen,count=100");
	assert_int_equal(take(SOFT_BATCH), 64);
	assert_false(gen.wire.ended);
	assert_int_equal(gen.wire.kind->fetch(&gen.wire, frames, SOFT_BATCH), 36);
	gen.wire.kind->fetched(&gen.wire, 30);
	assert_false(gen.wire.ended); /* not before the last has been taken */
	assert_int_equal(wire_value(&gen.wire, "done"), 0);
	assert_int_equal(take(SOFT_BATCH), 6);
	assert_true(gen.wire.ended);
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(wire_value(&gen.wire, "sent"), 100);
	assert_int_equal(wire_value(&gen.wire, "done"), 1);

	command("count 5");
	assert_false(gen.wire.ended);
	assert_int_equal(take(SOFT_BATCH), 5);
	assert_true(gen.wire.ended);
	command("count 0");
	assert_int_equal(take(SOFT_BATCH), SOFT_BATCH);
	assert_false(gen.wire.ended);
	assert_int_equal(wire_value(&gen.wire, "sent"), 169);
	wire_close(&gen);
}

static void
a_rate_can_change(void **state)
{
	struct err err;

	(void)state;
	start("gen,rate=1k");
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(later(3000000), 3);
	command("rate 1M");
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(later(10000), 10);
	command("rate max");
	assert_int_equal(take(SOFT_BATCH), SOFT_BATCH);
	command("rate 1M");
	assert_int_equal(take(SOFT_BATCH), 0);
	assert_int_equal(later(4000), 4);

	assert_int_equal(wire_command(&gen.wire, "rate fast", &err), -EINVAL);
	assert_int_equal(later(4000), 4);
	assert_int_equal(wire_command(&gen.wire, "rate", &err), -EINVAL);
	assert_non_null(strstr(err.text, "rate PPS"));
	assert_int_equal(wire_command(&gen.wire, "count many", &err), -EINVAL);
	assert_int_equal(wire_command(&gen.wire, "faster", &err), -EINVAL);
	wire_close(&gen);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_is_kept),
		cmocka_unit_test(bursts_come_as_a_whole),
		cmocka_unit_test(what_was_slept_through_is_not_sent),
		cmocka_unit_test(nothing_is_sent_before_its_time),
		cmocka_unit_test(counts_end),
		cmocka_unit_test(a_rate_can_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

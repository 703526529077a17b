/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/ledger.h"
#include "stats/stats.h"
#include "support/cmocka.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void
a_row_closes_or_says_by_how_much(void **state)
{
	static struct stats_core s;
	struct ledger_row row;

	(void)state;
	s.received = 10;
	s.originated = 2;
	s.sent = 6;
	s.delivered = 1;
	s.handed_out = 1;
	s.dropped[VERDICT_NO_ROUTE] = 3;
	ledger_row(&row, &s);
	assert_int_equal(row.unaccounted, 1);
	s.dropped[VERDICT_TX_FULL] = 1;
	ledger_row(&row, &s);
	assert_int_equal(row.unaccounted, 0);
	assert_int_equal(row.dropped_total, 4);
	s.held = 1;
	ledger_row(&row, &s);
	assert_int_equal(row.unaccounted, -1);
}

static void
what_is_in_a_ring_is_held(void **state)
{
	struct ledger_row worker = { .received = 5, .sent = 3, .handed_out = 2 };
	struct ledger_row control = { .taken_in = 1, .delivered = 1 };
	struct ledger_row total = { 0 };

	(void)state;
	ledger_add(&total, &worker);
	ledger_add(&total, &control);
	ledger_close(&total);
	assert_int_equal(total.held, 1);
	assert_int_equal(total.unaccounted, 0);
}

static void
every_drop_has_a_name_and_a_hint(void **state)
{
	(void)state;
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++) {
		assert_non_null(verdict_name(v));
		assert_true(strlen(verdict_hint(v)) > 10);
	}
	assert_string_equal(verdict_name(VERDICT_NO_ROUTE), "no_route");
	assert_string_equal(verdict_name(VERDICT_LOCAL_UNHANDLED), "local_unhandled");
	assert_string_equal(verdict_name(VERDICT_RATE_LIMITED), "rate_limited");
}

#define WRITES 200000

static struct stats_core shared;

static void *
writer(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < WRITES; i++) {
		stats_begin(&shared);
		stats_add(&shared.received, 32);
		stats_add(&shared.dropped[VERDICT_BAD_CHECKSUM], 1);
		stats_add(&shared.sent, 31);
		stats_end(&shared);
	}
	return NULL;
}

static void
a_reader_never_sees_a_packet_between_counters(void **state)
{
	static struct stats_core copy;
	unsigned int clean = 0;
	pthread_t t;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, writer, NULL), 0);
	do {
		struct ledger_row row;

		if (stats_read(&shared, &copy) != 0)
			continue;
		ledger_row(&row, &copy);
		assert_int_equal(row.unaccounted, 0);
		clean++;
	} while (copy.received < (uint64_t)WRITES * 32);
	pthread_join(t, NULL);
	assert_true(clean > 0);
}

#define LOST_CPU_US 30000
#define LOST_CPU    5

/* Loses its CPU each time just where it hurts. */
static void *
interrupted_writer(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < LOST_CPU; i++) {
		stats_begin(&shared);
		stats_add(&shared.received, 32);
		usleep(LOST_CPU_US);
		stats_add(&shared.sent, 32);
		stats_end(&shared);
		usleep(LOST_CPU_US);
	}
	return NULL;
}

static void
a_reader_waits_for_a_writer_that_lost_its_cpu(void **state)
{
	static struct stats_core copy;
	struct ledger_row row;
	pthread_t t;

	(void)state;
	memset(&shared, 0, sizeof(shared));
	assert_int_equal(pthread_create(&t, NULL, interrupted_writer, NULL), 0);
	do {
		assert_int_equal(stats_read(&shared, &copy), 0);
		ledger_row(&row, &copy);
		assert_int_equal(row.unaccounted, 0);
	} while (copy.received < 32 * LOST_CPU);
	pthread_join(t, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_closes_or_says_by_how_much),
		cmocka_unit_test(what_is_in_a_ring_is_held),
		cmocka_unit_test(every_drop_has_a_name_and_a_hint),
		cmocka_unit_test(a_reader_never_sees_a_packet_between_counters),
		cmocka_unit_test(a_reader_waits_for_a_writer_that_lost_its_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

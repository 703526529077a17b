/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/watch.h"
#include "support/cmocka.h"

#include <stddef.h>

/* A port's life, a second a row. */
struct second {
	uint64_t refused, left;
	enum watch_word want;
	uint64_t lost; /* as the line would say */
};

static void
live(const struct second *s, size_t n)
{
	struct watch_port port = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct watch_sample now = { .refused = s[i].refused, .left = s[i].left };
		enum watch_word word = watch_look(&port, &now);

		if (word != s[i].want)
			fail_msg("second %zu: %d, want %d", i, (int)word, (int)s[i].want);
		if (word != WATCH_NOTHING)
			assert_int_equal(port.lost, s[i].lost);
	}
}
#define LIVE(...)                                                                                  \
	live((const struct second[]){ __VA_ARGS__ },                                               \
	     sizeof((const struct second[]){ __VA_ARGS__ }) / sizeof(struct second))

static void
a_port_that_sends_is_no_news(void **state)
{
	(void)state;
	/* also one that refuses some: it is overloaded, which show drops tells */
	LIVE({ 0, 10, WATCH_NOTHING, 0 }, { 5, 20, WATCH_NOTHING, 0 }, { 50, 30, WATCH_NOTHING, 0 },
	     { 50, 31, WATCH_NOTHING, 0 });
}

static void
an_idle_port_is_no_news(void **state)
{
	(void)state;
	LIVE({ 7, 10, WATCH_NOTHING, 0 }, { 7, 10, WATCH_NOTHING, 0 }, { 7, 10, WATCH_NOTHING, 0 },
	     { 7, 10, WATCH_NOTHING, 0 });
}

static void
a_stall_is_told_once_and_its_end_too(void **state)
{
	(void)state;
	LIVE({ 0, 10, WATCH_NOTHING, 0 }, { 0, 20, WATCH_NOTHING, 0 }, { 3, 20, WATCH_NOTHING, 0 },
	     { 9, 20, WATCH_STALLED, 9 }, { 19, 20, WATCH_NOTHING, 0 }, { 20, 25, WATCH_SENDS, 19 },
	     { 20, 30, WATCH_NOTHING, 0 });
}

static void
a_second_stall_counts_anew(void **state)
{
	(void)state;
	LIVE({ 0, 10, WATCH_NOTHING, 0 }, { 4, 10, WATCH_NOTHING, 0 }, { 8, 10, WATCH_STALLED, 8 },
	     { 8, 11, WATCH_SENDS, 8 }, { 8, 12, WATCH_NOTHING, 0 }, { 10, 12, WATCH_NOTHING, 0 },
	     { 11, 12, WATCH_STALLED, 3 });
}

static void
one_full_second_is_not_a_stall(void **state)
{
	(void)state;
	LIVE({ 0, 10, WATCH_NOTHING, 0 }, { 100, 10, WATCH_NOTHING, 0 },
	     { 100, 20, WATCH_NOTHING, 0 });
}

static void
what_does_not_help_is_tried_ever_more_rarely(void **state)
{
	static const uint64_t gaps_s[] = { 2, 4, 8, 16, 32, 64, 64 };
	const uint64_t second_us = 1000000;
	struct watch_retry retry = { 0 };
	uint64_t now_us = 100 * second_us;

	(void)state;
	assert_true(watch_may_retry(&retry, now_us));
	for (size_t i = 0; i < sizeof(gaps_s) / sizeof(gaps_s[0]); i++) {
		now_us += gaps_s[i] * second_us;
		assert_false(watch_may_retry(&retry, now_us - 1));
		assert_true(watch_may_retry(&retry, now_us));
	}
	now_us += 128 * second_us; /* that helped */
	assert_true(watch_may_retry(&retry, now_us));
	assert_true(watch_may_retry(&retry, now_us + 2 * second_us));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_that_sends_is_no_news),
		cmocka_unit_test(an_idle_port_is_no_news),
		cmocka_unit_test(a_stall_is_told_once_and_its_end_too),
		cmocka_unit_test(a_second_stall_counts_anew),
		cmocka_unit_test(one_full_second_is_not_a_stall),
		cmocka_unit_test(what_does_not_help_is_tried_ever_more_rarely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/chatter.h"
#include "support/cmocka.h"

#include <string.h>

#define SECOND_US 1000000ull

static uint64_t left_out;

static unsigned int
say(struct chatter *chatter, const char *line, unsigned int times, uint64_t now_us)
{
	unsigned int passed = 0;

	for (unsigned int i = 0; i < times; i++)
		passed += chatter_pass(chatter, line, strlen(line), now_us, &left_out);
	return passed;
}

static void
the_same_passes_a_few_times_a_second(void **state)
{
	struct chatter chatter = { 0 };
	uint64_t now_us = 5 * SECOND_US;

	(void)state;
	assert_int_equal(say(&chatter, "a\n", CHATTER_SECOND, now_us), CHATTER_SECOND);
	assert_int_equal(say(&chatter, "a\n", 1000, now_us + SECOND_US - 1), 0);
	assert_int_equal(say(&chatter, "b\n", 1, now_us + SECOND_US - 1), 1);
	assert_int_equal(left_out, 0);
	assert_int_equal(say(&chatter, "a\n", 1, now_us + SECOND_US), 1);
	assert_int_equal(left_out, 1000);
	assert_int_equal(say(&chatter, "a\n", 1, now_us + SECOND_US), 1);
	assert_int_equal(left_out, 0);
}

static void
lines_in_turns_are_known(void **state)
{
	static const char *const lines[CHATTER_LINES] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	struct chatter chatter = { 0 };
	unsigned int passed = 0;

	(void)state;
	for (unsigned int i = 0; i < 100 * CHATTER_LINES; i++)
		passed += say(&chatter, lines[i % CHATTER_LINES], 1, SECOND_US);
	assert_int_equal(passed, CHATTER_LINES * CHATTER_SECOND);
}

static void
what_is_different_passes(void **state)
{
	struct chatter chatter = { 0 };
	char line[] = "line 0000\n";

	(void)state;
	for (unsigned int i = 0; i < 10000; i++) {
		for (unsigned int k = 0, n = i; k < 4; k++, n /= 10)
			line[8 - k] = (char)('0' + n % 10);
		assert_int_equal(say(&chatter, line, 1, SECOND_US), 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_passes_a_few_times_a_second),
		cmocka_unit_test(lines_in_turns_are_known),
		cmocka_unit_test(what_is_different_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

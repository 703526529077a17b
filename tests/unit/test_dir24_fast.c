/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "fib/backend.h"
#include "fib/dir24_fast.h"
#include "support/cmocka.h"

/* The lookup alone, over tables on the heap that end where they must, so that ASan watches. */
#define GROUPS 2

static struct dir24_tables tables;
static struct fib fib = { .view.lookup = dir24_lookup, .tables = &tables };

static int
start(void **state)
{
	(void)state;
	tables.tbl24 = calloc(DIR24_SLOTS, sizeof(uint16_t));
	tables.tbl8 = calloc(GROUPS * DIR24_GROUP_SIZE, sizeof(uint16_t));
	return tables.tbl24 == NULL || tables.tbl8 == NULL ? -1 : 0;
}

static int
stop(void **state)
{
	(void)state;
	free(tables.tbl24);
	free(tables.tbl8);
	return 0;
}

static void
corners_of_both_tables(void **state)
{
	static const struct {
		uint32_t dst;
		uint16_t want;
	} rows[] = {
		{ 0, 1 },
		{ 255, 1 },
		{ 256, 0 },
		{ IP4(10, 0, 0, 0), 2 },
		{ IP4(10, 0, 0, 255), 3 },
		{ IP4(10, 0, 1, 0), FIB_ID_MAX }, /* as a group it would be far outside */
		{ IP4(10, 0, 1, 255), FIB_ID_MAX },
		{ IP4(255, 255, 255, 0), 4 },
		{ IP4(255, 255, 255, 255), 5 },
	};
	uint32_t dst[RTE_DIM(rows)];
	uint16_t id[RTE_DIM(rows)];

	(void)state;
	tables.tbl24[0] = 1;
	tables.tbl24[IP4(10, 0, 0, 0) >> 8] = DIR24_GROUP | 0;
	tables.tbl24[IP4(10, 0, 1, 0) >> 8] = FIB_ID_MAX;
	tables.tbl24[DIR24_SLOTS - 1] = DIR24_GROUP | (GROUPS - 1);
	tables.tbl8[0] = 2;
	tables.tbl8[255] = 3;
	tables.tbl8[(GROUPS - 1) * DIR24_GROUP_SIZE] = 4;
	tables.tbl8[GROUPS * DIR24_GROUP_SIZE - 1] = 5;

	for (size_t i = 0; i < RTE_DIM(rows); i++)
		dst[i] = rows[i].dst;
	fib_lookup_bulk(&fib, dst, id, RTE_DIM(rows));
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		if (id[i] != rows[i].want)
			fail_msg("%08x: %u, want %u", dst[i], id[i], rows[i].want);
		fib_lookup_bulk(&fib, &dst[i], &id[i], 1);
		assert_int_equal(id[i], rows[i].want);
	}
}

static void
reads_and_writes_what_it_is_given(void **state)
{
	(void)state;
	tables.tbl24[0] = DIR24_GROUP;
	for (uint16_t n = 0; n < 20; n++) {
		uint32_t *dst = calloc(n, sizeof(*dst));
		uint16_t *id = calloc(n, sizeof(*id));

		fib_lookup_bulk(&fib, dst, id, n);
		free(dst);
		free(id);
	}
}

static void
workers_share_no_line_with_the_control_side(void **state)
{
	(void)state;
	assert_true(offsetof(struct fib, tables) + sizeof(fib.tables) <= RTE_CACHE_LINE_SIZE);
	assert_true(offsetof(struct fib, backend) >= RTE_CACHE_LINE_SIZE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(corners_of_both_tables, start, stop),
		cmocka_unit_test_setup_teardown(reads_and_writes_what_it_is_given, start, stop),
		cmocka_unit_test(workers_share_no_line_with_the_control_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

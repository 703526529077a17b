/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/preflight.h"
#include "support/cmocka.h"

static void
words_are_read_as_eal_reads_them(void **state)
{
	static const struct {
		const char *word[5];
		struct preflight_want want;
	} rows[] = {
		{ { "-l", "0,1" }, { 0 } },
		{ { "--no-huge", "-m", "512" }, { .no_huge = true, .total_mb = 512 } },
		{ { "-m512" }, { .total_mb = 512 } },
		{ { "--no-hu" }, { .no_huge = true } },
		{ { "--in-memory" }, { .in_memory = true } },
		{ { "--socket-mem", "64,128" }, { .node_mb = { 64, 128 } } },
		{ { "--socket-mem=0,32" }, { .node_mb = { 0, 32 } } },
		{ { "--socket-mem=x" }, { 0 } },
		{ { "--socket-limit", "64" }, { 0 } },
		{ { "-m" }, { 0 } },
		{ { "--no-hpet" }, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		char *argv[6] = { (char *)(uintptr_t) "sluice" };
		struct preflight_want want;
		int argc = 1;

		for (; rows[i].word[argc - 1] != NULL; argc++)
			argv[argc] = (char *)(uintptr_t)rows[i].word[argc - 1];
		preflight_read_args(argc, argv, &want);
		if (memcmp(&want, &rows[i].want, sizeof(want)) != 0)
			fail_msg("row %zu", i);
	}
}

/* Two nodes: 100 free pages of 2 MB on the first, none on the second. */
static struct preflight_host
host(void)
{
	return (struct preflight_host){
		.nb_nodes = 2,
		.node = { { .id = 0,
			    .nb_pages = 2,
			    .pages = { { 1048576, 0, 0 }, { 2048, 120, 100 } } },
			  { .id = 1, .nb_pages = 1, .pages = { { 2048, 0, 0 } } } },
		.mounted = true,
	};
}

static void
what_is_missing_comes_with_the_command(void **state)
{
	struct preflight_host none = host(), unmounted = host();
	static const struct {
		struct preflight_want want;
		const char *text; /* NULL: enough */
	} rows[] = {
		{ { 0 }, "256 MB needed" },
		{ { .total_mb = 200 }, NULL },
		{ { .total_mb = 201 },
		  "node 0: 201 MB needed, 200 MB free (100 of 120 pages of 2048 kB); reserve more: "
		  "echo 121 > "
		  "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages" },
		{ { .total_mb = 4000, .no_huge = true }, NULL },
		{ { .node_mb = { 200 } }, NULL },
		{ { .node_mb = { 0, 64 } }, "node 1: 64 MB needed, 0 MB free" },
		{ { .node_mb = { 0, 64 } }, "echo 32 > /sys/devices/system/node/node1/" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct preflight_host h = host();
		int ret;

		err.text[0] = '\0';
		ret = preflight_judge(&h, &rows[i].want, &err);
		if (ret != (rows[i].text == NULL ? 0 : -ENOMEM))
			fail_msg("row %zu: %d %s", i, ret, err.text);
		if (rows[i].text != NULL && strstr(err.text, rows[i].text) == NULL)
			fail_msg("row %zu: '%s' does not say '%s'", i, err.text, rows[i].text);
	}

	none.node[0].pages[1].free = 0;
	assert_int_equal(preflight_judge(&none, &rows[0].want, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "--no-huge -m 256"));

	unmounted.mounted = false;
	assert_int_equal(preflight_judge(&unmounted, &rows[1].want, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "mount -t hugetlbfs"));
	assert_int_equal(
		preflight_judge(&unmounted,
				&(struct preflight_want){ .in_memory = true, .total_mb = 1 }, &err),
		0);
}

static void
a_host_without_numbers_is_left_to_eal(void **state)
{
	struct preflight_host nothing = { 0 }, no_pages = { .nb_nodes = 1 };
	struct preflight_want want = { .total_mb = 512 };
	struct err err;

	(void)state;
	assert_int_equal(preflight_judge(&nothing, &want, &err), 0);
	assert_int_equal(preflight_judge(&no_pages, &want, &err), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_read_as_eal_reads_them),
		cmocka_unit_test(what_is_missing_comes_with_the_command),
		cmocka_unit_test(a_host_without_numbers_is_left_to_eal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

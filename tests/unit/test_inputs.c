/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/inputs.h"
#include "support/cmocka.h"

#include <unistd.h>

static char path[] = "/tmp/sluice-inputs-XXXXXX";

static int
setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd >= 0)
		close(fd);
	return fd < 0 ? -1 : 0;
}

static int
teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void
fill(const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
}

static void
start_counts_as_a_word_of_its_own(void **state)
{
	static const struct {
		const char *text;
		bool start, quit;
	} rows[] = {
		{ "", false, false },
		{ "show plan\nstart\n", true, false },
		{ "  start\r\nquit", true, true },
		{ "start# now\n", true, false },
		{ "start 1\n", true, false },
		{ "# start\n", false, false },
		{ "starting\nrestart\nshow start\n", false, false },
	};
	struct app_args args = { .cmdline_file = path };
	struct inputs inputs;
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		fill(rows[i].text);
		assert_int_equal(inputs_read(&args, &inputs, &err), 0);
		if (inputs.start != rows[i].start || inputs.quit != rows[i].quit)
			fail_msg("row %zu", i);
	}
}

static void
routes_are_counted(void **state)
{
	struct app_args args = { .route_file = path };
	struct inputs inputs;
	struct err err;

	(void)state;
	fill("10.0.0.0/8 via 10.0.0.1\n\n# x\n11.0.0.0/8 blackhole");
	assert_int_equal(inputs_read(&args, &inputs, &err), 0);
	assert_int_equal(inputs.route_lines, 4);
}

static void
files_that_cannot_be_had_are_named(void **state)
{
	static const struct {
		struct app_args args;
		const char *option, *file;
	} bad[] = {
		{ { .cmdline_file = "/nowhere/c" }, "--cmdline-file", "/nowhere/c" },
		{ { .cmdline_file = "/" }, "--cmdline-file", "/" },
		{ { .route_file = "/nowhere/r" }, "--route-file", "/nowhere/r" },
		{ { .stats_json = "/nowhere/j" }, "--stats-json", "/nowhere/j" },
		{ { .stats_json = "/" }, "--stats-json", "is a directory" },
	};
	struct inputs inputs;
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		err.text[0] = '\0';
		if (inputs_read(&bad[i].args, &inputs, &err) >= 0)
			fail_msg("row %zu: taken", i);
		if (strstr(err.text, bad[i].option) == NULL ||
		    strstr(err.text, bad[i].file) == NULL)
			fail_msg("row %zu: '%s'", i, err.text);
	}
	assert_int_equal(inputs_read(&(struct app_args){ .stats_json = path }, &inputs, &err), 0);
	assert_int_equal(inputs_read(&(struct app_args){ .stats_json = "j" }, &inputs, &err), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(start_counts_as_a_word_of_its_own),
		cmocka_unit_test(routes_are_counted),
		cmocka_unit_test(files_that_cannot_be_had_are_named),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/clock.h"
#include "cfg/route_spec.h"
#include "support/cmocka.h"
#include "support/files.h"
#include "support/random.h"

#include <stdbool.h>

/* What was said, with the file's path cut off each line. */
struct heard {
	char bad[8192], warn[8192];
	unsigned int nb_bad, nb_warn;
	const char *path;
};

static void
hear(struct heard *h, char *buf, const char *line)
{
	size_t n = strlen(h->path);

	if (strncmp(line, h->path, n) != 0)
		fail_msg("'%s' does not begin with the file's name", line);
	if (strlen(buf) + strlen(line) + 2 < sizeof(h->bad)) {
		strcat(buf, line + n);
		strcat(buf, "\n");
	}
}

static void
hear_bad(const char *line, void *arg)
{
	struct heard *h = arg;

	h->nb_bad++;
	hear(h, h->bad, line);
}

static void
hear_warn(const char *line, void *arg)
{
	struct heard *h = arg;

	h->nb_warn++;
	hear(h, h->warn, line);
}

static int
port(const char *text, uint16_t *id, struct err *err)
{
	if (strcmp(text, "0") != 0)
		return err_set(err, -ENODEV, "no port '%s'", text);
	*id = 0;
	return 0;
}

static struct heard heard;

static int
load_bytes(const void *bytes, size_t len, struct route_file *file, struct err *err)
{
	struct route_file_config cfg = { port, hear_bad, hear_warn, &heard };
	struct temp_file f = temp_file_bytes(bytes, len);
	int ret;

	heard = (struct heard){ .path = f.path };
	ret = route_file_read(f.path, &cfg, file, err);
	temp_file_close(&f);
	return ret;
}

static int
load(const char *text, struct route_file *file, struct err *err)
{
	return load_bytes(text, strlen(text), file, err);
}

static void
trivia_do_no_harm(void **state)
{
	static const struct {
		const char *text;
		uint32_t n;
	} good[] = {
		{ "", 0 },
		{ "\n\n", 0 },
		{ "# nothing yet\n", 0 },
		{ "10.0.0.0/8 blackhole", 1 },
		{ "10.0.0.0/8 blackhole\n", 1 },
		{ "10.0.0.0/8 blackhole\r\n\r\n0.0.0.0/0 dev 0\r\n", 2 },
		{ "  10.0.0.0/8\tvia 192.0.2.1\t # the lab\n#10.1.0.0/16 blackhole\n", 1 },
		{ "\xef\xbb\xbf"
		  "10.0.0.0/8 blackhole\r\n",
		  1 },
		{ "0.0.0.0/0 via 192.0.2.1\n10.0.0.0/8 dev 0\n10.0.0.0/9 dev 0\n", 3 },
	};
	struct route_file file;
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(good); i++) {
		if (load(good[i].text, &file, &err) != 0)
			fail_msg("case %zu: %s%s", i, err.text, heard.bad);
		assert_int_equal(file.n, good[i].n);
		assert_int_equal(heard.nb_bad + heard.nb_warn, 0);
		route_file_free(&file);
		assert_null(file.route);
	}
}

static void
every_bad_line_is_reported(void **state)
{
	struct route_file file = { .n = 77 };
	struct err err;

	(void)state;
	assert_int_equal(load("10.0.0.0/33 dev 0\n"
			      "10.0.0/8 dev 0\r\n"
			      "# fine\n"
			      "10.0.0.1/24 dev 0\n"
			      "10.1.0.0/16 dev 0\n"
			      "10.2.0.0/16 dev 0 junk\n"
			      "10.3.0.0/16 dev 4\n"
			      "10.4.0.0/16 via \"192.0.2.1\n"
			      "10.5.0.0/16 via",
			      &file, &err),
			 -EINVAL);
	assert_string_equal(heard.bad,
			    ":1: '10.0.0.0/33': length 33 is above 32; write 0..32\n"
			    ":2: '10.0.0/8' is not ADDRESS/LENGTH; write it as in 10.0.0.0/8\n"
			    ":4: '10.0.0.1/24' has host bits set; did you mean 10.0.0.0/24?\n"
			    ":6: 'junk' does not belong behind '0'; the route is complete there, "
			    "so remove it\n"
			    ":7: no port '4'\n"
			    ":8: a \" opens and none closes; add the second one\n"
			    ":9: 'via' is the last word; write the next hop's address behind it\n");
	assert_non_null(strstr(err.text, ": 7 bad lines; no route was taken from it"));
	assert_int_equal(file.n, 77);
}

static void
strange_bytes_and_lengths_are_named(void **state)
{
	static const char nul[] = "10.0.0.0/8 dev 0\0 junk\n";
	static char line[5001];
	struct route_file file;
	struct err err;

	(void)state;
	assert_int_equal(load_bytes(nul, sizeof(nul) - 1, &file, &err), -EINVAL);
	assert_string_equal(heard.bad,
			    ":1: a NUL byte stands at column 17; is this a text file?\n");

	memset(line, 'x', sizeof(line) - 1);
	assert_int_equal(load(line, &file, &err), -EINVAL);
	assert_int_equal(heard.nb_bad, 1);
	assert_true(strlen(heard.bad) < 200);

	memset(line, ' ', sizeof(line) - 1);
	memcpy(line, "10.0.0.0/8", 10);
	memcpy(line + sizeof(line) - 10, "blackhole", 9);
	assert_int_equal(load(line, &file, &err), 0);
	assert_int_equal(file.n, 1);
	assert_int_equal(file.route[0].kind, ROUTE_BLACKHOLE);
	route_file_free(&file);

	for (size_t i = 0; i + 1 < sizeof(line); i++)
		line[i] = i % 2 == 0 ? 'x' : ' ';
	assert_int_equal(load(line, &file, &err), -EINVAL);
	assert_non_null(strstr(heard.bad, ":1: more than 256 words"));
}

static void
the_last_line_wins_with_a_warning(void **state)
{
	struct route_file file;
	struct err err;

	(void)state;
	assert_int_equal(load("10.0.0.0/8 dev 0\n"
			      "10.0.0.0/9 dev 0\n"
			      "10.0.0.0/8 blackhole\n"
			      "\n"
			      "10.0.0.0/8 via 192.0.2.1\n",
			      &file, &err),
			 0);
	assert_int_equal(file.n, 2);
	assert_int_equal(file.route[0].depth, 8);
	assert_int_equal(file.route[0].kind, ROUTE_VIA);
	assert_int_equal(file.route[1].depth, 9);
	assert_string_equal(heard.warn,
			    ":3: 10.0.0.0/8 stands in line 1 already; this line wins\n"
			    ":5: 10.0.0.0/8 stands in line 3 already; this line wins\n");
	route_file_free(&file);
}

static void
long_complaints_are_cut_short(void **state)
{
	char text[8192];
	struct route_file file;
	struct err err;
	int n = 0;

	(void)state;
	for (int i = 0; i < ROUTE_FILE_SAY_MAX; i++)
		n += sprintf(text + n, "x\n");
	assert_int_equal(load(text, &file, &err), -EINVAL);
	assert_int_equal(heard.nb_bad, ROUTE_FILE_SAY_MAX);
	sprintf(text + n, "x\nx\n0.0.0.0/0 dev 0\n");
	assert_int_equal(load(text, &file, &err), -EINVAL);
	assert_int_equal(heard.nb_bad, ROUTE_FILE_SAY_MAX + 1);
	assert_non_null(strstr(heard.bad, ": and 2 more bad lines\n"));
	assert_non_null(strstr(err.text, ": 102 bad lines;"));

	n = 0;
	for (int i = 0; i < ROUTE_FILE_SAY_MAX + 4; i++)
		n += sprintf(text + n, "0.0.0.0/0 dev 0\n");
	assert_int_equal(load(text, &file, &err), 0);
	assert_int_equal(file.n, 1);
	assert_int_equal(heard.nb_warn, ROUTE_FILE_SAY_MAX + 1);
	assert_non_null(strstr(heard.warn, ": and 3 more prefixes met twice\n"));
	route_file_free(&file);
}

static void
files_that_are_not_there_are_an_error(void **state)
{
	struct route_file_config cfg = { port, NULL, NULL, NULL };
	struct route_file file;
	struct err err;

	(void)state;
	assert_int_equal(route_file_read("/nonexistent", &cfg, &file, &err), -ENOENT);
	assert_int_equal(route_file_read("/", &cfg, &file, &err), -EISDIR);
	assert_int_equal(route_file_read("/nonexistent", &cfg, &file, NULL), -ENOENT);
}

static bool
met(const struct route_file *file, uint32_t prefix, uint8_t depth)
{
	for (uint32_t i = 0; i < file->n; i++)
		if (file->route[i].prefix == prefix && file->route[i].depth == depth)
			return true;
	return false;
}

/*
 * Against a list without any hash.  As many prefixes as fill the table before it grows, so that
 * they crowd, each with two lengths whose hashes lie close together, and some of them again.
 */
static void
prefixes_are_told_apart_by_address_and_length(void **state)
{
	enum { ROUNDS = 60, N = 510, NETWORKS = 250 };
	struct test_random rnd = test_random_start(5);
	static char text[N * 32];
	static struct route_spec spec[N];
	char prefix_text[ADDR_PREFIX_TEXT];
	uint32_t network[NETWORKS];
	struct err err;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct route_file want = { spec, 0 }, got;
		size_t len = 0;

		for (int i = 0; i < NETWORKS; i++)
			network[i] = (uint32_t)test_random_next(&rnd) & addr_mask(25);
		for (int i = 0; i < N; i++) {
			uint32_t prefix = network[i % NETWORKS];
			uint8_t depth = i % (2 * NETWORKS) < NETWORKS ? 32 : 25;

			len += (size_t)sprintf(text + len, "%s blackhole\n",
					       addr_prefix(prefix_text, prefix, depth));
			if (!met(&want, prefix, depth)) {
				spec[want.n].prefix = prefix;
				spec[want.n++].depth = depth;
			}
		}
		assert_int_equal(load_bytes(text, len, &got, &err), 0);
		assert_int_equal(got.n, want.n);
		for (uint32_t i = 0; i < got.n; i++) {
			assert_int_equal(got.route[i].prefix, spec[i].prefix);
			assert_int_equal(got.route[i].depth, spec[i].depth);
		}
		route_file_free(&got);
	}
}

/* 200,000 here, so that the sanitizers are done in time too; a million is five times as long. */
static void
large_tables_load_fast_and_in_order(void **state)
{
	enum { N = 200000 };
	char *text = malloc((N + 1) * 48);
	struct route_file file;
	uint64_t began_us;
	struct err err;
	size_t len = 0;

	(void)state;
	assert_non_null(text);
	for (uint32_t i = 0; i < N; i++)
		len += (size_t)sprintf(text + len, "%u.%u.%u.0/24 via 192.0.2.%u\n", 1 + i / 65536,
				       i / 256 % 256, i % 256, 1 + i % 250);
	len += (size_t)sprintf(text + len, "1.0.0.0/24 via 192.0.2.1\n");
	began_us = clock_us();
	assert_int_equal(load_bytes(text, len, &file, &err), 0);
	assert_true(clock_us() - began_us < 5 * CLOCK_SECOND_US);
	assert_int_equal(file.n, N);
	assert_int_equal(heard.nb_bad, 0);
	assert_string_equal(heard.warn,
			    ":200001: 1.0.0.0/24 stands in line 1 already; this line wins\n");
	for (uint32_t i = 0; i < N; i++)
		if (file.route[i].prefix != IP4(1, 0, 0, 0) + (i << 8) ||
		    file.route[i].nh[0].ip != IP4(192, 0, 2, 1 + i % 250))
			fail_msg("route %u is another one", i);
	route_file_free(&file);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trivia_do_no_harm),
		cmocka_unit_test(every_bad_line_is_reported),
		cmocka_unit_test(strange_bytes_and_lengths_are_named),
		cmocka_unit_test(the_last_line_wins_with_a_warning),
		cmocka_unit_test(long_complaints_are_cut_short),
		cmocka_unit_test(files_that_are_not_there_are_an_error),
		cmocka_unit_test(prefixes_are_told_apart_by_address_and_length),
		cmocka_unit_test(large_tables_load_fast_and_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/spec.h"
#include "support/cmocka.h"

#include <stdio.h>

/* "a,k=v b ; c" of what was read, without blanks that mean nothing. */
static void
print(const struct spec *spec, char *out, size_t size)
{
	size_t at = 0;

	for (unsigned int i = 0; i < spec->nb_items; i++)
		for (unsigned int w = 0; w < spec->item[i].nb_words; w++) {
			const struct spec_word *word = &spec->item[i].word[w];

			at += (size_t)snprintf(out + at, size - at, "%s%s",
					       w > 0   ? " "
					       : i > 0 ? ";"
						       : "",
					       word->kind);
			for (unsigned int k = 0; k < word->nb_opts; k++)
				at += (size_t)snprintf(out + at, size - at,
						       word->opt[k].value == NULL ? ",%s"
										  : ",%s=%s",
						       word->opt[k].key, word->opt[k].value);
		}
}

static void
specifications_are_read_as_written(void **state)
{
	static const struct {
		const char *text, *want;
	} good[] = {
		{ "82599", "82599" },
		{ "82599 gen sink", "82599 gen sink" },
		{ " \t82599\n  gen \r sink ", "82599 gen sink" },
		{ "run,cpu=0;82599;cx5", "run,cpu=0;82599;cx5" },
		{ "run,step ; 82599,queues=4 gen,dst=198.18.0.0/15,rate=1M,loop sink",
		  "run,step;82599,queues=4 gen,dst=198.18.0.0/15,rate=1M,loop sink" },
		{ "a , k = v , f b", "a,k=v,f b" },
		{ "a,k=v=w", "a,k=v=w" },
		{ "a,k== b", "a,k== b" },
		{ "a,mac=02:00:5e:00:00:01", "a,mac=02:00:5e:00:00:01" },
		{ "a,file=/tmp/\xc3\xa9.pcap", "a,file=/tmp/\xc3\xa9.pcap" },
		{ "a b c d", "a b c d" },
	};
	struct spec spec;
	struct err err;
	char text[256];

	(void)state;
	for (size_t i = 0; i < RTE_DIM(good); i++) {
		err.text[0] = '\0';
		if (spec_parse(&spec, good[i].text, &err) != 0)
			fail_msg("'%s': %s", good[i].text, err.text);
		print(&spec, text, sizeof(text));
		assert_string_equal(text, good[i].want);
		spec_free(&spec);
	}
}

static void
errors_name_the_place(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "empty" },
		{ " \n", "empty" },
		{ ";", "nothing in front of a \";\"" },
		{ "a;", "nothing behind a \";\"" },
		{ "a;;b", "nothing in front of a \";\"" },
		{ "a ; ; b", "nothing in front of a \";\"" },
		{ ",k", "starts with ','" },
		{ "=v", "starts with '='" },
		{ "a=v", "'a=': a word starts with its kind" },
		{ "a,", "'a': no key behind a comma" },
		{ "a,,k", "'a': no key behind a comma" },
		{ "a,k=", "'a': no value behind 'k='" },
		{ "a,k=;b", "'a': no value behind 'k='" },
		{ "a,k=v =w", "k=v is followed by a second '='" },
		{ "a b c d e", "more than 3 words behind 'a'" },
		{ "a\x01", "byte 0x01 at place 2" },
		{ "\x7f", "byte 0x7f at place 1" },
	};
	struct spec spec;
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		err.text[0] = '\0';
		if (spec_parse(&spec, bad[i].text, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i].text);
		if (strstr(err.text, bad[i].why) == NULL)
			fail_msg("'%s': '%s', want '%s'", bad[i].text, err.text, bad[i].why);
		assert_null(spec.text);
	}
}

/* n copies of a piece behind a start. */
static char *
repeat(const char *start, const char *piece, unsigned int n)
{
	char *text = malloc(strlen(start) + n * strlen(piece) + 1);

	assert_non_null(text);
	strcpy(text, start);
	for (unsigned int i = 0; i < n; i++)
		strcat(text, piece);
	return text;
}

static void
tables_have_their_limits(void **state)
{
	static const struct {
		const char *start, *piece;
		unsigned int most;
	} limit[] = {
		{ "a", ",k", SPEC_OPT_MAX },
		{ "a", ";a", SPEC_ITEM_MAX - 1 },
		{ "a", " a", SPEC_WORD_MAX - 1 },
	};
	struct spec spec;
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(limit); i++)
		for (unsigned int over = 0; over < 2; over++) {
			char *text = repeat(limit[i].start, limit[i].piece, limit[i].most + over);
			int ret = spec_parse(&spec, text, &err);

			assert_int_equal(ret, over ? -EINVAL : 0);
			if (ret == 0)
				spec_free(&spec);
			else
				assert_non_null(strstr(err.text, "more than"));
			free(text);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(specifications_are_read_as_written),
		cmocka_unit_test(errors_name_the_place),
		cmocka_unit_test(tables_have_their_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cfg/cfg.h"
#include "support/cmocka.h"
#include "support/files.h"

static void
polls_are_read_as_written(void **state)
{
	static const struct {
		const char *text, *port[3];
		uint16_t queue[3], lcore[3];
		unsigned int n;
	} good[] = {
		{ "(0,0,1)", { "0" }, { 0 }, { 1 }, 1 },
		{ " ( 0 ,0 , 1 ) ", { "0" }, { 0 }, { 1 }, 1 },
		{ "(0,0,1),(0,1,2),(1,0,1)", { "0", "0", "1" }, { 0, 1, 0 }, { 1, 2, 1 }, 3 },
		{ "(0,1,2),(0,0,1)", { "0", "0" }, { 1, 0 }, { 2, 1 }, 2 },
		{ "(0000:01:00.0,0,127)", { "0000:01:00.0" }, { 0 }, { 127 }, 1 },
		{ "(net_pcap0,0,1),\n\t(tap-a_B.7,0,1)",
		  { "net_pcap0", "tap-a_B.7" },
		  { 0, 0 },
		  { 1, 1 },
		  2 },
	};
	struct cfg_poll poll[4];
	struct err err;
	unsigned int n;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(good); i++) {
		n = 77;
		if (cfg_poll_parse(good[i].text, poll, 4, &n, &err) != 0)
			fail_msg("'%s': %s", good[i].text, err.text);
		assert_int_equal(n, good[i].n);
		for (unsigned int k = 0; k < n; k++) {
			assert_string_equal(poll[k].port, good[i].port[k]);
			assert_int_equal(poll[k].queue, good[i].queue[k]);
			assert_int_equal(poll[k].lcore, good[i].lcore[k]);
		}
	}
}

#define LONG64 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789AB"

static void
bad_polls_name_the_tuple(void **state)
{
	static const struct {
		const char *text, *piece, *why;
	} bad[] = {
		{ "", "--config", "empty" },
		{ " \t\n", "--config", "empty" },
		{ "foo", "'foo'", "outside parentheses" },
		{ "foo(0,0,1)", "'foo'", "outside parentheses" },
		{ "0,0,1", "'0'", "outside parentheses" },
		{ "(0,0,1)foo", "'foo'", "outside parentheses" },
		{ "(0,0,1),foo", "'foo'", "outside parentheses" },
		{ "(0,0,1))", "')'", "outside parentheses" },
		{ "(0,0,1)(0,1,2)", "'(0,1,2)'", "no comma" },
		{ "(0,0,1) (0,1,2)", "'(0,0,1)'", "no comma" },
		{ "(0,0,1),", "--config", "nothing follows the last comma" },
		{ "(0,0,1), ", "--config", "nothing follows the last comma" },
		{ ",(0,0,1)", "',(0,0,1)'", "before the comma" },
		{ "(0,0,1),,(0,1,1)", "',(0,1,1)'", "before the comma" },
		{ "(0,0)", "'(0,0)'", "2 values where three belong" },
		{ "(0)", "'(0)'", "1 value where three belong" },
		{ "()", "'()'", "0 values where three belong" },
		{ "(0,0,1,2)", "'(0,0,1,2)'", "4 values where three belong" },
		{ "(0,0,1", "'(0,0,1'", "no closing parenthesis" },
		{ "(0,0,1,(0,1,2)", "'(0,0,1,'", "no closing parenthesis" },
		{ "((0,0,1))", "'('", "no closing parenthesis" },
		{ "(,0,1)", "'(,0,1)'", "names no port" },
		{ "(0,,1)", "'(0,,1)'", "has no queue" },
		{ "(0,0, )", "'(0,0, )'", "has no lcore" },
		{ "(0,0,1x)", "'(0,0,1x)'", "lcore: '1x' is not a whole number" },
		{ "(0,x,1)", "'(0,x,1)'", "queue: 'x' is not a whole number" },
		{ "(0,-1,1)", "'(0,-1,1)'", "queue: '-1' is not a whole number" },
		{ "(0,0,0x1)", "'(0,0,0x1)'", "lcore: '0x1' is not a whole number" },
		{ "(0,0,1 2)", "'(0,0,1 2)'", "lcore: '1 2' is not a whole number" },
		{ "(0,0,999)", "'(0,0,999)'", "lcore: 999 is outside 0..127" },
		{ "(0,0,128)", "'(0,0,128)'", "lcore: 128 is outside 0..127" },
		{ "(0,0,4294967297)", "'(0,0,4294967297)'", "outside 0..127" },
		{ "(0,1024,1)", "'(0,1024,1)'", "queue: 1024 is outside 0..1023" },
		{ "(0,0,18446744073709551617)", "18446744073709551617", "whole number" },
		{ "(a b,0,1)", "'(a b,0,1)'", "port 'a b' has a character" },
		{ "(a/b,0,1)", "'(a/b,0,1)'", "port 'a/b' has a character" },
		{ "(\xc3\xa4,0,1)", "--config", "has a character" },
		{ "(" LONG64 ",0,1)", "--config", "longer than 63 characters" },
		{ "(0,0,1),(0,0,1)", "'(0,0,1)'", "twice" },
		{ "(0,0,1),( 0, 0, 2 )", "'(0,0,2)'", "queue 0 of port '0' to a second lcore" },
		{ "(0,1,2)", "'(0,1,2)'", "nobody polls queue 0 of port '0'" },
		{ "(0,0,1),(1,0,1),(0,2,1)", "'(0,2,1)'", "queue 1 of port '0'" },
		{ "(0,0,1),(1,1,1)", "'(1,1,1)'", "queue 0 of port '1'" },
		{ "(0,0,1),(0,1,1),(0,2,1),(0,3,1),(0,4,1)", "'(0,4,1)'", "one more than the 4" },
	};
	struct cfg_poll poll[4];
	struct err err;
	unsigned int n = 77;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		if (cfg_poll_parse(bad[i].text, poll, 4, &n, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i].text);
		if (strstr(err.text, bad[i].piece) == NULL || strstr(err.text, bad[i].why) == NULL)
			fail_msg("'%s': '%s' says neither '%s' nor '%s'", bad[i].text, err.text,
				 bad[i].piece, bad[i].why);
		assert_int_equal(cfg_poll_parse(bad[i].text, poll, 4, &n, NULL), -EINVAL);
	}
	assert_int_equal(n, 77);
}

static void
endless_options_are_refused_in_one_line(void **state)
{
	static char text[100000];
	struct cfg_poll poll[4];
	struct cfg_steer steer[2];
	struct err err;
	unsigned int n;

	(void)state;
	for (unsigned int c = 1; c < 256; c++) {
		memset(text, (int)c, sizeof(text) - 1);
		assert_int_equal(cfg_poll_parse(text, poll, 4, &n, &err), -EINVAL);
		assert_int_equal(cfg_steer_parse(text, steer, 2, &n, &err), -EINVAL);
		text[0] = '(';
		text[sizeof(text) - 2] = ')';
		assert_int_equal(cfg_poll_parse(text, poll, 4, &n, &err), -EINVAL);
		assert_int_equal(cfg_steer_parse(text, steer, 2, &n, &err), -EINVAL);
		assert_true(strlen(err.text) < 300);
	}
}

static void
steering_groups_are_read_as_written(void **state)
{
	struct cfg_steer s[2];
	struct err err;
	unsigned int n;

	(void)state;
	assert_int_equal(cfg_steer_parse(" (1) : (2, 3) ,(4,0):(127,4)", s, 2, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_int_equal(s[0].nb_rx, 1);
	assert_int_equal(s[0].rx[0], 1);
	assert_int_equal(s[0].nb_target, 2);
	assert_int_equal(s[0].target[0], 2);
	assert_int_equal(s[0].target[1], 3);
	assert_int_equal(s[1].nb_rx, 2);
	assert_int_equal(s[1].rx[0], 4);
	assert_int_equal(s[1].rx[1], 0);
	assert_int_equal(s[1].target[0], 127);
	assert_int_equal(cfg_steer_parse("(1):(1,2),(2):(1,2)", s, 2, &n, &err), 0);
	assert_int_equal(n, 2);
}

static void
bad_steering_groups_say_why(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "--steer is empty" },
		{ "1:2", "'1:2' stands outside parentheses" },
		{ "(1)", "missing behind '(1)'" },
		{ "(1)(2)", "missing behind '(1)'" },
		{ "(1),(2)", "missing behind '(1)'" },
		{ "(1):", "ends where a group should stand" },
		{ "(1):2", "'2' stands outside parentheses" },
		{ "(1):(2", "'(2' has no closing parenthesis" },
		{ "():(2)", "'()' names no lcore" },
		{ "(1):( )", "'( )' names no lcore" },
		{ "(1):(2,)", "'(2,)' has no lcore" },
		{ "(1):(2-4)", "'2-4' is not a whole number" },
		{ "(1):(128)", "128 is outside 0..127" },
		{ "(1):(2,3,2)", "'(2,3,2)' names lcore 2 twice" },
		{ "(1,1):(2)", "'(1,1)' names lcore 1 twice" },
		{ "(1):(2),(3,1):(2)", "lcore 1 receives for two groups" },
		{ "(1):(2),", "nothing follows the last comma" },
		{ "(1):(2)(3):(4)", "no comma stands between '(2)'" },
		{ "(1):(2):(3)", "':(3)' stands outside parentheses" },
		{ "(1):(2),(3):(4),(5):(6)", "more than 2 groups" },
	};
	struct cfg_steer s[2];
	struct err err;
	unsigned int n = 77;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		if (cfg_steer_parse(bad[i].text, s, 2, &n, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i].text);
		if (strstr(err.text, bad[i].why) == NULL)
			fail_msg("'%s': '%s' does not say '%s'", bad[i].text, err.text, bad[i].why);
	}
	assert_int_equal(n, 77);
}

static void
lines_split_into_words(void **state)
{
	static const struct {
		const char *line, *word[4];
		int n;
	} good[] = {
		{ "", { 0 }, 0 },
		{ " \t ", { 0 }, 0 },
		{ "# all of it", { 0 }, 0 },
		{ "\t#x", { 0 }, 0 },
		{ "start", { "start" }, 1 },
		{ "  set\tburst  32 # packets", { "set", "burst", "32" }, 3 },
		{ "a b#c d", { "a", "b#c", "d" }, 3 },
		{ "\"a b\" c", { "a b", "c" }, 2 },
		{ "'a \"b' \"c'd\"", { "a \"b", "c'd" }, 2 },
		{ "x\"a b\"'c d'y z", { "xa bc dy", "z" }, 2 },
		{ "\"\" ''", { "", "" }, 2 },
		{ "\"#\"x", { "#x" }, 1 },
		{ "\"a\tb\"", { "a\tb" }, 1 },
		{ "a b c d", { "a", "b", "c", "d" }, 4 },
		{ "a b c d # e", { "a", "b", "c", "d" }, 4 },
		{ "caf\xc3\xa9", { "caf\xc3\xa9" }, 1 },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(good); i++) {
		char *line = strdup(good[i].line), *word[4];
		int n = cfg_words(line, word, 4, &err);

		if (n != good[i].n)
			fail_msg("'%s': %d words, want %d", good[i].line, n, good[i].n);
		for (int k = 0; k < n; k++)
			assert_string_equal(word[k], good[i].word[k]);
		free(line);
	}
}

static void
bad_lines_are_refused(void **state)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "a \"b", "a \" opens and none closes" },
		{ "it's", "a ' opens and none closes" },
		{ "a b c d e", "more than 4 words" },
		{ "a\rb", "byte 0x0d" },
		{ "a \x1b[2J", "byte 0x1b" },
		{ "a\nb", "byte 0x0a" },
		{ "'\x01'", "byte 0x01" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		char *line = strdup(bad[i].line), *word[4];

		if (cfg_words(line, word, 4, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i].line);
		if (strstr(err.text, bad[i].why) == NULL)
			fail_msg("'%s': '%s' does not say '%s'", bad[i].line, err.text, bad[i].why);
		free(line);
	}
}

/* What cfg_lines() said, one line after the other, with '|' behind each and lengths that lie. */
struct heard {
	char text[256];
	unsigned int n, stop_at;
	size_t longest;
};

static int
hear(char *line, size_t len, unsigned int number, void *arg)
{
	struct heard *h = arg;

	assert_int_equal(number, ++h->n);
	assert_int_equal(line[len], '\0');
	h->longest = len > h->longest ? len : h->longest;
	if (len < 64) {
		strcat(h->text, line);
		strcat(h->text, strlen(line) == len ? "|" : "!");
	}
	return number == h->stop_at ? 42 : 0;
}

static void
files_are_read_by_line(void **state)
{
#define CASE(bytes, said)                                                                          \
	{                                                                                          \
		bytes, sizeof(bytes) - 1, said                                                     \
	}
	static const struct {
		const char *bytes;
		size_t len;
		const char *said;
	} cases[] = {
		CASE("", ""),
		CASE("\n", "|"),
		CASE("a\nb\n", "a|b|"),
		CASE("a\nb", "a|b|"),
		CASE("a\r\nb\r\n", "a|b|"),
		CASE("a\r\nb\r", "a|b|"),
		CASE("\r\n\n\r\n", "|||"),
		CASE("a\rb\n", "a\rb|"),
		CASE("a\r\r\n", "a\r|"),
		CASE("a\0b\nc", "a!c|"),
		CASE("\0", "!"),
		CASE("\xef\xbb\xbf"
		     "a\n\xef\xbb\xbf"
		     "b\n",
		     "a|\xef\xbb\xbf"
		     "b|"),
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct temp_file f = temp_file_bytes(cases[i].bytes, cases[i].len);
		struct heard h = { 0 };

		assert_int_equal(cfg_lines(f.path, hear, &h, &err), 0);
		assert_string_equal(h.text, cases[i].said);
		temp_file_close(&f);
	}
}

/* Around the sizes at which the reader refills or grows its buffer, nothing is lost or torn. */
static void
lines_of_any_length_arrive_whole(void **state)
{
	static char bytes[300000];
	static const size_t len[] = { 5000, 65534, 65535, 65536, 131071, 131072, 250000 };
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(len); i++) {
		struct heard h = { 0 };
		struct temp_file f;

		memset(bytes, 'x', sizeof(bytes));
		memcpy(bytes, "first\n", 6);
		memcpy(bytes + 6 + len[i], "\r\nlast", 6);
		f = temp_file_bytes(bytes, 6 + len[i] + 6);
		assert_int_equal(cfg_lines(f.path, hear, &h, &err), 0);
		assert_string_equal(h.text, "first|last|");
		assert_int_equal(h.n, 3);
		assert_int_equal(h.longest, len[i]);
		temp_file_close(&f);
	}
}

static int
ignore(char *line, size_t len, unsigned int number, void *arg)
{
	(void)line;
	(void)len;
	(void)number;
	(void)arg;
	return 0;
}

/* SIGALRM ends it where it would read for ever. */
static void
reading_stops_when_asked_or_must(void **state)
{
	struct temp_file f = temp_file_text("a\nb\nc\n");
	struct heard h = { .stop_at = 2 };
	struct err err = { "untouched" };

	(void)state;
	assert_int_equal(cfg_lines(f.path, hear, &h, &err), 42);
	assert_string_equal(h.text, "a|b|");
	assert_string_equal(err.text, "untouched");
	temp_file_close(&f);

	h = (struct heard){ 0 };
	assert_int_equal(cfg_lines("/nonexistent/x", hear, &h, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/x: cannot be opened: No such file"));
	assert_int_equal(cfg_lines("/", hear, &h, &err), -EISDIR);
	assert_non_null(strstr(err.text, "/: reading fails: Is a directory"));
	assert_int_equal(cfg_lines("/dev/zero", hear, &h, &err), -EINVAL);
	assert_non_null(strstr(err.text, "/dev/zero:1: the line is longer than 16 MB"));
	assert_int_equal(h.n, 0);
	assert_int_equal(cfg_lines("/dev/null", hear, &h, &err), 0);
	alarm(20);
	assert_int_equal(cfg_lines("/dev/urandom", ignore, &h, &err), -EINVAL);
	alarm(0);
	assert_non_null(strstr(err.text, "/dev/urandom: 64 MB and no end"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(polls_are_read_as_written),
		cmocka_unit_test(bad_polls_name_the_tuple),
		cmocka_unit_test(endless_options_are_refused_in_one_line),
		cmocka_unit_test(steering_groups_are_read_as_written),
		cmocka_unit_test(bad_steering_groups_say_why),
		cmocka_unit_test(lines_split_into_words),
		cmocka_unit_test(bad_lines_are_refused),
		cmocka_unit_test(files_are_read_by_line),
		cmocka_unit_test(lines_of_any_length_arrive_whole),
		cmocka_unit_test(reading_stops_when_asked_or_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

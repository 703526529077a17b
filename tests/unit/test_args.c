/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/args.h"
#include "datapath/core.h"
#include "support/cmocka.h"

#define WORDS_MAX 12

static int
parse(const char *const *word, struct app_args *args, struct err *err)
{
	char *argv[WORDS_MAX + 2] = { (char *)(uintptr_t) "sluice" };
	int argc = 1;

	while (word[argc - 1] != NULL) {
		argv[argc] = (char *)(uintptr_t)word[argc - 1];
		argc++;
	}
	err->text[0] = '\0';
	return args_parse(argc, argv, args, err);
}

static struct app_args args;

static void
slips_are_guessed(void **state)
{
	static const struct {
		const char *word, *text;
	} rows[] = {
		{ "--auto", "did you mean --auto-start?" },
		{ "--autostart", "did you mean --auto-start?" },
		{ "-auto-start", "did you mean --auto-start?" },
		{ "--stats_period=1", "did you mean --stats-period?" },
		{ "-l", "EAL's stand before '--'" },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		const char *word[WORDS_MAX] = { "--", rows[i].word };
		struct err err;

		assert_int_equal(parse(word, &args, &err), -EINVAL);
		if (strstr(err.text, rows[i].text) == NULL)
			fail_msg("%s: %s", rows[i].word, err.text);
	}
}

static void
bad_words_are_named(void **state)
{
	static const struct {
		const char *word[WORDS_MAX];
		const char *thing, *reason;
	} bad[] = {
		{ { "--", "--bogus" }, "--bogus", "not an option" },
		{ { "--", "-x" }, "-x", "not an option" },
		{ { "--", "-ii" }, "-ii", "not an option" },
		{ { "--", "stray" }, "stray", "takes nothing else" },
		{ { "--", "--check", "stray" }, "stray", "takes nothing else" },
		{ { "--", "--" }, "--", "not an option" },
		{ { "--", "" }, "''", "takes nothing else" },
		{ { "--", "--auto" }, "--auto", "did you mean --auto-start" },
		{ { "--", "--burs", "4" }, "--burs", "did you mean --burst" },
		{ { "--", "--burst" }, "--burst", "needs a value" },
		{ { "--", "--burst=" }, "--burst", "needs a value" },
		{ { "--", "--burst", "--check" }, "--burst", "needs a value" },
		{ { "--", "--cmdline-file" }, "--cmdline-file", "needs a value" },
		{ { "--", "--cmdline-file", "" }, "--cmdline-file", "needs a value" },
		{ { "--", "--cmdline-file", "--check" }, "--cmdline-file", "needs a value" },
		{ { "--", "--check=1" }, "--check", "takes no value" },
		{ { "--", "--interactive=yes" }, "--interactive", "takes no value" },
		{ { "--", "--burst", "0" }, "--burst", "1..256" },
		{ { "--", "--burst", "257" }, "--burst", "1..256" },
		{ { "--", "--burst", "-1" }, "--burst", "not a whole number" },
		{ { "--", "--burst", "4x" }, "--burst", "not a whole number" },
		{ { "--", "--burst", "0x10" }, "--burst", "not a whole number" },
		{ { "--", "--burst", "99999999999999999999" }, "--burst", "not a whole number" },
		{ { "--", "--prefetch", "65" }, "--prefetch", "0..64" },
		{ { "--", "--mbcache", "513" }, "--mbcache", "0..512" },
		{ { "--", "--rxd", "0" }, "--rxd", "1..65535" },
		{ { "--", "--rxd", "65536" }, "--rxd", "1..65535" },
		{ { "--", "--txd", "65536" }, "--txd", "1..65535" },
		{ { "--", "--rxq", "0" }, "--rxq", "1..64" },
		{ { "--", "--txq", "65" }, "--txq", "1..64" },
		{ { "--", "--mbuf-size", "10" }, "--mbuf-size", "256..65535" },
		{ { "--", "--mbuf-size", "65536" }, "--mbuf-size", "256..65535" },
		{ { "--", "--total-num-mbufs", "0" }, "--total-num-mbufs", "1.." },
		{ { "--", "--nb-cores", "0" }, "--nb-cores", "1.." },
		{ { "--", "--rxfreet", "65536" }, "--rxfreet", "0..65535" },
		{ { "--", "--stats-period", "x" }, "--stats-period", "not a whole number" },
		{ { "--", "--run-for", "0" }, "--run-for", "1.." },
		{ { "--", "--run-for", "1.5" }, "--run-for", "not a whole number" },
		{ { "--", "--stop-after", "0" }, "--stop-after", "1.." },
		{ { "--", "--stop-when-idle", "0" }, "--stop-when-idle", "1.." },
		{ { "--", "--max-routes", "16777217" }, "--max-routes", "1..16777216" },
		{ { "--", "--forward-mode", "ip6" }, "--forward-mode", "'ip6'" },
		{ { "--", "--config", "foo" }, "--config", "foo" },
		{ { "--", "--config", "(0,0)" }, "--config", "(0,0)" },
		{ { "--", "--config", "(0,0,1),(0,0,2)" }, "--config", "" },
		{ { "--", "--steer", "(1):(2)" }, "--steer", "not in this build" },
		{ { "--", "--steer-batch", "1" }, "--steer-batch", "not in this build" },
		{ { "--", "--hash-seed", "1" }, "--hash-seed", "not in this build" },
		{ { "--auto-start" }, "--auto-start", "write sluice [EAL options] --" },
		{ { "-l", "0,1", "-i", "--" }, "-i", "write sluice [EAL options] --" },
		{ { "--burst=4", "--", "--check" }, "--burst=4", "stands before '--'" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		if (parse(bad[i].word, &args, &err) != -EINVAL)
			fail_msg("row %zu (%s %s): taken", i, bad[i].word[0], bad[i].word[1]);
		if (strstr(err.text, bad[i].thing) == NULL ||
		    strstr(err.text, bad[i].reason) == NULL)
			fail_msg("row %zu: '%s' does not say '%s' and '%s'", i, err.text,
				 bad[i].thing, bad[i].reason);
	}
}

static void
options_arrive(void **state)
{
	static const char *const words[] = { "-l",         "0,1",
					     "--",         "-i",
					     "--burst",    "64",
					     "--rxd=2048", "--forward-mode",
					     "mac",        "--stop-after=5",
					     NULL };
	static const char *const others[] = { "--",
					      "--config",
					      "(net_pcap0,0,3),(1,0,2)",
					      "--mbcache",
					      "0",
					      "--promiscuous",
					      "--socket=/run/s",
					      "--cmdline-file",
					      "-",
					      NULL };
	struct err err;

	(void)state;
	assert_int_equal(parse(words, &args, &err), 0);
	assert_int_equal(args.eal_argc, 3);
	assert_true(args.interactive);
	assert_false(args.auto_start);
	assert_int_equal(args.burst, 64);
	assert_int_equal(args.rxd, 2048);
	assert_int_equal(args.mode, FORWARD_MAC);
	assert_int_equal(args.stop_after, 5);
	assert_true(args.txd == ARGS_UNSET);
	assert_true(args.run_for_s == ARGS_UNSET);
	assert_int_equal(args_or(args.txd, 7), 7);

	assert_int_equal(parse(others, &args, &err), 0);
	assert_int_equal(args.eal_argc, 1);
	assert_int_equal(args.nb_poll, 2);
	assert_string_equal(args.poll[0].port, "net_pcap0");
	assert_int_equal(args.poll[0].lcore, 3);
	assert_int_equal(args.poll[1].lcore, 2);
	assert_int_equal(args.mbcache, 0);
	assert_true(args.promiscuous);
	assert_string_equal(args.socket, "/run/s");
	assert_string_equal(args.cmdline_file, "-");
	assert_int_equal(args.mode, FORWARD_IP4);
}

static void
help_and_version_come_first(void **state)
{
	static const char *const help[][4] = {
		{ "--help", NULL },
		{ "-h", NULL },
		{ "--", "--help", NULL },
		{ "--", "--bogus", "--help", NULL },
	};
	static const char *const version[][3] = {
		{ "--version", NULL },
		{ "--", "--version", NULL },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(help); i++) {
		assert_int_equal(parse(help[i], &args, &err), 0);
		assert_true(args.help);
		assert_false(args.version);
	}
	for (size_t i = 0; i < RTE_DIM(version); i++) {
		assert_int_equal(parse(version[i], &args, &err), 0);
		assert_true(args.version);
		assert_false(args.help);
	}
}

static void
nothing_to_do_is_seen(void **state)
{
	static const struct {
		const char *word[4];
		bool idle;
	} rows[] = {
		{ { NULL }, true },
		{ { "--", NULL }, true },
		{ { "--", "--promiscuous", NULL }, true },
		{ { "--", "--run-for=5", NULL }, true },
		{ { "--", "-i", NULL }, false },
		{ { "--", "--auto-start", NULL }, false },
		{ { "--", "--socket=x", NULL }, false },
		{ { "--", "--check", NULL }, false },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		assert_int_equal(parse(rows[i].word, &args, &err), 0);
		if (args_idle(&args) != rows[i].idle)
			fail_msg("row %zu", i);
	}
}

/* Whatever the parser takes, the help names. */
static void
help_lists_every_option(void **state)
{
	static const char *const names[] = {
		"--interactive",
		"--cmdline-file",
		"--auto-start",
		"--config",
		"--rxd",
		"--txd",
		"--rxq",
		"--txq",
		"--burst",
		"--mbcache",
		"--mbuf-size",
		"--total-num-mbufs",
		"--rxfreet",
		"--txfreet",
		"--txrst",
		"--prefetch",
		"--forward-mode",
		"--steer",
		"--steer-batch",
		"--route-file",
		"--promiscuous",
		"--stats-period",
		"--record-core-cycles",
		"--record-burst-stats",
		"--stats-json",
		"--run-for",
		"--stop-after",
		"--stop-when-idle",
		"--socket",
		"--hash-seed",
		"--check",
		"--max-routes",
		"--nb-cores",
	};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	args_help(out);
	fclose(out);
	for (size_t i = 0; i < RTE_DIM(names); i++)
		if (strstr(text, names[i]) == NULL)
			fail_msg("help does not name %s", names[i]);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_words_are_named),
		cmocka_unit_test(slips_are_guessed),
		cmocka_unit_test(options_arrive),
		cmocka_unit_test(help_and_version_come_first),
		cmocka_unit_test(nothing_to_do_is_seen),
		cmocka_unit_test(help_lists_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

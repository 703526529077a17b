/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/cmd.h"
#include "ctl_fakes.h"
#include "support/cmocka.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ctl *ctl;

static int
setup(void **state)
{
	(void)state;
	fake_reset();
	ctl = fake_ctl(NULL);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	ctl_destroy(ctl);
	return 0;
}

/* ---- one line */

static void
commands_do_what_they_say(void **state)
{
	static const struct {
		const char *line, *log;
	} good[] = {
		{ "", "" },
		{ "   # nothing but a comment", "" },
		{ "addr add 10.0.0.1/24 dev net0", "addr_add 10.0.0.1/24 port 0\n" },
		{ "addr del 10.0.0.1/24 dev 1  # by number", "addr_del 10.0.0.1/24 port 1\n" },
		{ "neigh add 10.0.0.2 lladdr 02:AB:00:00:00:01 dev 0000:01:00.1",
		  "neigh_add 10.0.0.2 02:ab:00:00:00:01 port 1\nresolved 10.0.0.2 port 1\n" },
		{ "neigh del 10.0.0.2 dev net0", "neigh_del 10.0.0.2 port 0\n" },
		{ "route add 10.1.0.0/16 via 10.0.0.2", "route_add 10.1.0.0/16 via 10.0.0.2\n" },
		{ "route replace 0.0.0.0/0 via 10.0.0.2 dev net0 weight 3 via 10.0.1.2",
		  "route_replace 0.0.0.0/0 via 10.0.0.2 dev net0 weight 3 via 10.0.1.2\n" },
		{ "route add 10.9.0.0/16 blackhole", "route_add 10.9.0.0/16 blackhole\n" },
		{ "route add 10.8.0.0/16 dev net0", "route_add 10.8.0.0/16 dev net0\n" },
		{ "route del 10.1.0.0/16", "route_del 10.1.0.0/16\n" },
		{ "port config mtu net0 9000", "router_mtu 0 9000\ndriver_mtu 0 9000\n" },
		{ "set promisc net0 on", "promisc 0 on\n" },
		{ "set promisc 1 off", "promisc 1 off\n" },
		{ "set burst 256", "burst 256\n" },
		{ "start", "start\n" },
		{ "stop", "stop\n" },
		{ "begin", "begin\n" },
		{ "commit", "commit\n" },
		{ "abort", "abort\n" },
		{ "quit", "quit\n" },
		{ "clear fwd stats all", "" },
	};
	struct err err;
	int ret;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(good); i++) {
		fake.log[0] = '\0';
		free(fake_run(ctl, good[i].line, &ret, &err));
		if (ret != 0 || strcmp(fake.log, good[i].log) != 0)
			fail_msg("'%s': %d '%s', did '%s'", good[i].line, ret, err.text, fake.log);
	}
}

static void
bad_lines_are_named_and_do_nothing(void **state)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "foo", "unknown word 'foo': see help" },
		{ "rout add 1.0.0.0/8 dev 0", "unknown word 'rout': did you mean 'route'?" },
		{ "route",
		  "'route' is not complete: one of add, replace, del, load, reload, save" },
		{ "route ad 1.0.0.0/8", "unknown word 'ad' after 'route': did you mean 'add'?" },
		{ "route frobnicate", "after 'route': one of add, replace, del" },
		{ "show", "'show' is not complete: one of " },
		{ "show port", "'show port' is not complete: one of info, stats, xstats" },
		{ "show port sats all", "did you mean 'stats'?" },
		{ "show port stats", "PORT is missing: show port stats all|PORT" },
		{ "show port stats 9", "no port '9'" },
		{ "show port stats all 1", "unexpected '1': show port stats all|PORT" },
		{ "show fwd stats", "'show fwd stats' is not complete: one of all follows" },
		{ "show version now", "unexpected 'now': show version" },
		{ "show route 10.0.0.0/8", "longer is missing" },
		{ "show route 10.0.0.1/8 longer", "10.0.0.0/8" },
		{ "show route 10.0.0.256", "IPv4 address" },
		{ "show route 10.0.0.9", "no route to 10.0.0.9" },
		{ "addr add", "ADDRESS/LENGTH is missing: addr add ADDRESS/LENGTH dev PORT" },
		{ "addr add 10.0.0.1/33 dev net0", "above 32" },
		{ "addr add 10.0.0.1/24", "dev is missing" },
		{ "addr add 10.0.0.1/24 on net0", "'on' where 'dev' belongs" },
		{ "addr add 10.0.0.1/24 dev net7", "no port 'net7'" },
		{ "addr add 10.0.0.1/24 dev net0 x", "unexpected 'x'" },
		{ "neigh add 10.0.0.2 lladdr 01:00:5e:00:00:01 dev net0", "MAC" },
		{ "neigh add 10.0.0.2 02:00:00:00:00:01 dev net0", "where 'lladdr' belongs" },
		{ "neigh del 10.0.0.2", "dev is missing" },
		{ "neigh del 10.0.0.x dev net0", "IPv4 address" },
		{ "route add 10.0.0.1/24 dev net0", "10.0.0.0/24" },
		{ "route add 10.0.0.0/24", "the route leads nowhere" },
		{ "route add 10.0.0.0/24 via 10.0.0.2 dev net9", "no port 'net9'" },
		{ "route del", "PREFIX/LENGTH is missing" },
		{ "route del 10.0.0.0/24 via 10.0.0.1", "unexpected 'via'" },
		{ "route load", "FILE is missing" },
		{ "route load /nonexistent/routes", "/nonexistent/routes" },
		{ "route save /nonexistent/routes",
		  "/nonexistent/routes cannot be written: No such" },
		{ "port config mtu net0 67", "67 is outside 68..65535" },
		{ "port config mtu net0 65536", "65536 is outside 68..65535" },
		{ "port config mtu net0 1500x", "MTU" },
		{ "port config mtu net0", "MTU is missing" },
		{ "set promisc net0", "on or off is missing" },
		{ "set promisc net0 yes", "'yes' is neither on nor off" },
		{ "set burst 0", "0 is outside 1..256" },
		{ "set burst 257", "257 is outside 1..256" },
		{ "set burst -1", "burst" },
		{ "set bursts 32", "did you mean 'burst'?" },
		{ "clear port stats 5", "no port '5'" },
		{ "start now", "unexpected 'now': start" },
		{ "quit please", "unexpected 'please'" },
		{ "help frobnicate", "no command begins with 'frobnicate'" },
		{ "show \"open", "none closes" },
		{ "show\x01 version", "" },
	};
	struct err err;
	int ret;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		free(fake_run(ctl, bad[i].line, &ret, &err));
		if (ret >= 0 || err.text[0] == '\0' || strstr(err.text, bad[i].why) == NULL)
			fail_msg("'%s': %d '%s'", bad[i].line, ret, err.text);
	}
	assert_string_equal(fake.log, "");
}

static void
words_of_later_issues_are_refused_by_name(void **state)
{
	static const char *const later[] = {
		"vlan add 5 dev net0", "set icmp rate 10 burst 5",
		"set steer static",    "set hash seed 1",
		"show steer",          "vlan",
	};
	struct err err;
	int ret;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(later); i++) {
		free(fake_run(ctl, later[i], &ret, &err));
		assert_int_equal(ret, -ENOTSUP);
		assert_non_null(strstr(err.text, "not in this build"));
	}
}

static void
what_the_router_refuses_is_passed_on(void **state)
{
	struct err err;
	int ret;

	(void)state;
	fake.fail = -EEXIST;
	free(fake_run(ctl, "route add 10.0.0.0/8 blackhole", &ret, &err));
	assert_int_equal(ret, -EEXIST);
	assert_string_equal(err.text, "it does not want to");
	/* The router's MTU goes back when the port does not take it. */
	fake.log[0] = '\0';
	fake.fail = -EBUSY;
	free(fake_run(ctl, "port config mtu 0 9000", &ret, &err));
	assert_int_equal(ret, -EBUSY);
	assert_string_equal(fake.log, "router_mtu 0 9000\ndriver_mtu 0 9000\nrouter_mtu 0 1500\n");
	/* No neighbour, no packets sent to it. */
	fake.log[0] = '\0';
	fake.fail = -EINVAL;
	free(fake_run(ctl, "neigh add 10.0.0.2 lladdr 02:00:00:00:00:01 dev 0", &ret, &err));
	assert_string_equal(fake.log, "neigh_add 10.0.0.2 02:00:00:00:00:01 port 0\n");
}

static void
a_new_address_is_announced_only_while_forwarding(void **state)
{
	struct err err;
	int ret;

	(void)state;
	fake.running = true;
	free(fake_run(ctl, "addr add 10.0.0.1/24 dev net0", &ret, &err));
	assert_string_equal(fake.log, "addr_add 10.0.0.1/24 port 0\nannounce 10.0.0.1 port 0\n");
}

static void
long_lines_and_many_words(void **state)
{
	char line[8192] = "route add 10.0.0.0/8";
	struct err err;
	int ret;

	(void)state;
	for (unsigned int i = 0; i < ROUTE_NH_MAX; i++)
		sprintf(line + strlen(line), " via 10.0.0.%u dev net0 weight 1", i + 2);
	free(fake_run(ctl, line, &ret, &err));
	assert_int_equal(ret, 0);
	strcat(line, " via 10.0.0.99");
	free(fake_run(ctl, line, &ret, &err));
	assert_int_equal(ret, -EINVAL);
	memset(line, 'x', 5000);
	line[5000] = '\0';
	free(fake_run(ctl, line, &ret, &err));
	assert_int_equal(ret, -EINVAL);
	assert_non_null(strstr(err.text, "unknown word 'xxxx"));
	for (unsigned int i = 0; i < 2000; i++)
		memcpy(line + 4 * i, "ab  ", 4);
	line[8000] = '\0';
	free(fake_run(ctl, line, &ret, &err));
	assert_int_equal(ret, -EINVAL);
}

/* ---- help and completion */

static void
help_comes_from_the_rows(void **state)
{
	struct err err;
	int ret;
	char *all = fake_run(ctl, "help", &ret, &err), *some;

	(void)state;
	assert_int_equal(ret, 0);
	assert_non_null(strstr(all, "addr add ADDRESS/LENGTH dev PORT          give a port"));
	assert_non_null(strstr(all, "show port stats all|PORT "));
	assert_non_null(strstr(all, "route load FILE "));
	assert_null(strstr(all, "vlan"));
	some = fake_run(ctl, "help set", &ret, &err);
	assert_string_equal(
		some, "set promisc PORT on|off                   let the NIC receive frames for "
		      "other hosts too\n"
		      "set burst N                               packets taken from a queue at "
		      "once, 1..256\n");
	free(all);
	free(some);
}

static void
collect(const char *word, void *arg)
{
	strcat(arg, word);
	strcat(arg, " ");
}

static void
completion_comes_from_the_rows(void **state)
{
	static const struct {
		const char *left, *choices;
	} rows[] = {
		{ "ro", "route " },
		{ "s", "set show start stop " },
		{ "route ", "add replace del load reload save " },
		{ "route re", "replace reload " },
		{ "show port ", "info stats xstats " },
		{ "show port stats ", "all net0 0000:01:00.1 " },
		{ "show port stats n", "net0 " },
		{ "set promisc net0 ", "on off " },
		{ "addr add 10.0.0.1/24 ", "dev " },
		{ "addr add 10.0.0.1/24 dev ", "net0 0000:01:00.1 " },
		{ "route add 10.0.0.0/8 ", "via dev weight blackhole " },
		{ "route add 10.0.0.0/8 via 10.0.0.1 dev 0", "0000:01:00.1 " },
		{ "vl", "" },
		{ "frob ", "" },
		{ "start ", "" },
	};
	struct port_ops ops = { 0 };

	(void)state;
	fake_port_ops(&ops);
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		char got[512] = "";

		cmd_complete(rows[i].left, &ops, collect, got);
		if (strcmp(got, rows[i].choices) != 0)
			fail_msg("'%s' offers '%s'", rows[i].left, got);
	}
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(commands_do_what_they_say),
		T(bad_lines_are_named_and_do_nothing),
		T(words_of_later_issues_are_refused_by_name),
		T(what_the_router_refuses_is_passed_on),
		T(a_new_address_is_announced_only_while_forwarding),
		T(long_lines_and_many_words),
		T(help_comes_from_the_rows),
		T(completion_comes_from_the_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

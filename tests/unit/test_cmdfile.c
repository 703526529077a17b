/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/state.h"
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

static const char *
text_file(const char *name, const char *text)
{
	return fake_file(name, text, strlen(text));
}

/* ---- command files */

static void
checking_a_file_changes_nothing(void **state)
{
	const char *path =
		text_file("all.cmds", "# everything that changes something\r\n"
				      "addr add 10.0.0.1/24 dev net0\r\n"
				      "\r\n"
				      "begin\n"
				      "route add 10.1.0.0/16 via 10.0.0.2\n"
				      "commit\n"
				      "neigh add 10.0.0.2 lladdr 02:00:00:00:00:01 dev 0\n"
				      "port config mtu net0 9000\n"
				      "set promisc net0 on\n"
				      "set burst 16\n"
				      "clear port stats all\n"
				      "start\n"
				      "show port stats all");
	bool start = false;
	struct err err;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(ctl_file_check(ctl, path, &err), 0);
	assert_string_equal(fake.log, "");

	assert_int_equal(ctl_file_apply(ctl, path, out, &start, &err), 0);
	fclose(out);
	assert_string_equal(
		fake.log, "addr_add 10.0.0.1/24 port 0\nbegin\n"
			  "route_add 10.1.0.0/16 via 10.0.0.2\ncommit\n"
			  "neigh_add 10.0.0.2 02:00:00:00:00:01 port 0\nresolved 10.0.0.2 port 0\n"
			  "router_mtu 0 9000\ndriver_mtu 0 9000\npromisc 0 on\nburst 16\n");
	assert_true(start);
	assert_non_null(strstr(text, "NIC statistics for port 1 "));
	free(text);
}

static void
errors_say_file_and_line(void **state)
{
	static const struct {
		const char *text, *where;
	} bad[] = {
		{ "start\nfoo\n", ":2: unknown word 'foo'" },
		{ "\n\n\naddr add 10.0.0.1/33 dev net0", ":4: " },
		{ "show port stats 7\n", ":1: no port '7'" },
		{ "vlan add 5 dev net0\n", ":1: 'vlan': not in this build" },
		{ "start\nbegin\nroute del 10.0.0.0/8\n", ":2: begin without commit or abort" },
		{ "begin\nbegin\n", ":2: begin within the begin of line 1" },
		{ "commit\n", ":1: commit without begin; 'begin'" },
		{ "begin\nabort\nabort\n", ":3: abort without begin" },
		{ "route load /nonexistent/r\n", ":1: " },
		{ "route reload /nonexistent/r\n", ":1: " },
	};
	char nul[] = "start\nsta\0rt\n", want[256];
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		const char *path = text_file("bad.cmds", bad[i].text);

		if (ctl_file_check(ctl, path, &err) >= 0)
			fail_msg("'%s' passed", bad[i].text);
		snprintf(want, sizeof(want), "%s%s", path, bad[i].where);
		if (strncmp(err.text, want, strlen(want)) != 0)
			fail_msg("'%s': '%s'", bad[i].text, err.text);
	}
	assert_int_equal(ctl_file_check(ctl, fake_file("nul", nul, sizeof(nul) - 1), &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, ":2: a NUL byte"));
	assert_true(ctl_file_check(ctl, "/nonexistent/c", &err) < 0);
	assert_non_null(strstr(err.text, "/nonexistent/c"));
	assert_string_equal(fake.log, "");
	assert_int_equal(ctl_file_check(ctl, text_file("empty", ""), &err), 0);
}

static void
applying_stops_at_the_first_refusal(void **state)
{
	const char *path = text_file("stop.cmds", "begin\n"
						  "route del 10.0.0.0/8\n"
						  "set burst 8\n"
						  "commit\n"
						  "start\n");
	bool start = false;
	struct err err;

	(void)state;
	assert_int_equal(ctl_file_check(ctl, path, &err), 0);
	fake.fail = -ENOENT; /* taken by begin, the first to ask */
	assert_int_equal(ctl_file_apply(ctl, path, stdout, &start, &err), -ENOENT);
	assert_non_null(strstr(err.text, "stop.cmds:1: it does not want to"));
	assert_string_equal(fake.log, "begin\n");
	assert_false(start);
}

/* An error between begin and commit must not leave the begin open. */
static void
an_open_begin_is_aborted_on_error(void **state)
{
	const char *path = text_file("open.cmds", "begin\n"
						  "route load routes-that-went-away\n"
						  "commit\n");
	bool start = false;
	struct err err;

	(void)state;
	assert_true(ctl_file_apply(ctl, path, stdout, &start, &err) < 0);
	assert_non_null(strstr(err.text, "open.cmds:2: "));
	assert_string_equal(fake.log, "begin\nabort\n");
}

static void
start_waits_stop_takes_it_back_quit_ends(void **state)
{
	bool start = false;
	struct err err;

	(void)state;
	assert_int_equal(ctl_file_apply(ctl, text_file("a", "start\nstop\n"), stdout, &start, &err),
			 0);
	assert_false(start);
	assert_string_equal(fake.log, "");
	assert_int_equal(ctl_file_apply(ctl, text_file("b", "start\nquit\nset burst 3\n"), stdout,
					&start, &err),
			 0);
	assert_true(start);
	assert_string_equal(fake.log, "quit\n");
}

static void
a_rehearsal_writes_and_starts_nothing(void **state)
{
	char lines[256], saved[128];
	const char *path;
	struct err err;

	(void)state;
	snprintf(saved, sizeof(saved), "%s", fake_path("not.saved"));
	snprintf(lines, sizeof(lines), "start\naddr add 10.0.0.1/24 dev 0\nroute save %s\n", saved);
	path = text_file("rehearse.cmds", lines);
	assert_int_equal(ctl_file_apply(ctl, path, stdout, NULL, &err), 0);
	assert_string_equal(fake.log, "addr_add 10.0.0.1/24 port 0\n");
	assert_int_equal(access(saved, F_OK), -1);
}

/* ---- who owns a begin */

static void
a_begin_belongs_to_who_said_it(void **state)
{
	int a = 0, b = 0;
	char begin[] = "begin", add[] = "route del 10.0.0.0/8", other[] = "route del 10.0.0.0/8",
	     commit[] = "commit", again[] = "begin", burst[] = "set burst 4";
	struct err err;

	(void)state;
	assert_int_equal(ctl_run_for(ctl, &a, begin, stdout, &err), 0);
	assert_int_equal(ctl_run_for(ctl, &a, add, stdout, &err), 0);
	assert_int_equal(ctl_run_for(ctl, &b, other, stdout, &err), -EBUSY);
	assert_non_null(strstr(err.text, "begin is open"));
	assert_int_equal(ctl_run_for(ctl, &b, commit, stdout, &err), -EBUSY);
	assert_int_equal(ctl_run_for(ctl, NULL, again, stdout, &err), -EBUSY);
	assert_int_equal(ctl_run_for(ctl, &b, burst, stdout, &err), 0);
	ctl_forget(ctl, &b);
	assert_string_equal(fake.log, "begin\nroute_del 10.0.0.0/8\nburst 4\n");
	ctl_forget(ctl, &a);
	assert_string_equal(fake.log, "begin\nroute_del 10.0.0.0/8\nburst 4\nabort\n");
	strcpy(again, "begin");
	assert_int_equal(ctl_run_for(ctl, &b, again, stdout, &err), 0);
}

/* ---- route files */

static void
bad_route_files_change_nothing_and_name_every_line(void **state)
{
	const char *path = text_file("bad.routes", "10.0.0.0/33 dev net0\n"
						   "10.0.0.0/8 dev net0\n"
						   "garbage\n");
	char line[256], cmds[256];
	struct err err;
	char *text;
	int ret;

	(void)state;
	snprintf(line, sizeof(line), "route load %s", path);
	text = fake_run(ctl, line, &ret, &err);
	assert_int_equal(ret, -EINVAL);
	assert_non_null(strstr(text, "bad.routes:1: "));
	assert_non_null(strstr(text, "bad.routes:3: "));
	assert_null(strstr(text, "bad.routes:2: "));
	assert_non_null(strstr(err.text, "2 bad lines, nothing is applied"));
	free(text);

	snprintf(cmds, sizeof(cmds), "start\nroute load %s\n", path);
	assert_int_equal(ctl_file_check(ctl, text_file("load.cmds", cmds), &err), -EINVAL);
	assert_non_null(strstr(err.text, "load.cmds:2: "));
	assert_non_null(strstr(err.text, "bad.routes:1: "));
	assert_non_null(strstr(err.text, "(and 1 more)"));
	assert_string_equal(fake.log, "");
}

static void
a_route_file_is_one_batch(void **state)
{
	const char *path =
		text_file("two.routes", "10.0.0.0/8 via 10.0.0.2\n10.1.0.0/16 blackhole\n");
	struct err err;
	char *text, line[256];
	int ret;

	(void)state;
	snprintf(line, sizeof(line), "route load %s", path);
	text = fake_run(ctl, line, &ret, &err);
	assert_int_equal(ret, 0);
	assert_non_null(strstr(text, "two.routes: 2 routes\n"));
	free(text);
	assert_string_equal(fake.log, "begin\nroute_replace 10.0.0.0/8 via 10.0.0.2\n"
				      "route_replace 10.1.0.0/16 blackhole\ncommit\n");

	/* Inside a begin it is part of that one. */
	fake.log[0] = '\0';
	free(fake_run(ctl, "begin", &ret, &err));
	free(fake_run(ctl, line, &ret, &err));
	free(fake_run(ctl, "abort", &ret, &err));
	assert_string_equal(fake.log, "begin\nroute_replace 10.0.0.0/8 via 10.0.0.2\n"
				      "route_replace 10.1.0.0/16 blackhole\nabort\n");
}

static void
add_route(uint32_t prefix, uint8_t depth, enum route_source source, uint32_t via)
{
	struct route_info *r = &fake.route[fake.nb_routes++];

	r->source = source;
	r->spec = (struct route_spec){ .prefix = prefix, .depth = depth, .nb_nh = 1 };
	r->spec.kind = source == ROUTE_STATIC ? ROUTE_VIA : ROUTE_DEV;
	r->spec.nh[0] = (struct route_nh){ .ip = via, .port = ROUTE_PORT_ANY, .weight = 1 };
	if (source != ROUTE_STATIC)
		r->spec.nh[0].port = 0;
	r->active = true;
}

static void
reload_touches_only_what_differs(void **state)
{
	const char *path = text_file("new.routes", "10.3.0.0/16 via 10.0.0.2\n"
						   "10.2.0.0/16 via 10.0.0.9\n"
						   "10.1.0.0/16 via 10.0.0.2\n"
						   "9.0.0.0/8 blackhole\n");
	char line[256], *text;
	struct err err;
	int ret;

	(void)state;
	add_route(0x0a000000, 24, ROUTE_CONNECTED, 0); /* not its business */
	add_route(0x0a010000, 16, ROUTE_STATIC, 0x0a000002);
	add_route(0x0a010000, 24, ROUTE_STATIC, 0x0a000002);
	add_route(0x0a020000, 16, ROUTE_STATIC, 0x0a000002);
	add_route(0x0b000000, 8, ROUTE_STATIC, 0x0a000002);
	snprintf(line, sizeof(line), "route reload %s", path);
	text = fake_run(ctl, line, &ret, &err);
	assert_int_equal(ret, 0);
	assert_non_null(strstr(text, ": 2 routes added, 1 changed, 2 removed, 1 kept\n"));
	free(text);
	assert_string_equal(fake.log, "begin\nroute_add 9.0.0.0/8 blackhole\n"
				      "route_del 10.1.0.0/24\n"
				      "route_replace 10.2.0.0/16 via 10.0.0.9\n"
				      "route_add 10.3.0.0/16 via 10.0.0.2\n"
				      "route_del 11.0.0.0/8\ncommit\n");
	free(fake_run(ctl, "begin", &ret, &err));
	free(fake_run(ctl, line, &ret, &err));
	assert_int_equal(ret, -EBUSY);
}

static void
saved_routes_can_be_loaded(void **state)
{
	const char *path = text_file("saved.routes", "what was there\n");
	char line[256], *text;
	struct stat st;
	struct err err;
	int ret;

	(void)state;
	add_route(0x0a000000, 24, ROUTE_CONNECTED, 0);
	add_route(0x0a010000, 16, ROUTE_STATIC, 0x0a000002);
	add_route(0x0a020000, 16, ROUTE_STATIC, 0x0a000003);
	assert_int_equal(chmod(path, 0640), 0);
	snprintf(line, sizeof(line), "route save %s", path);
	free(fake_run(ctl, line, &ret, &err));
	assert_int_equal(ret, 0);
	text = fake_content(path);
	assert_string_equal(text, "10.1.0.0/16 via 10.0.0.2\n10.2.0.0/16 via 10.0.0.3\n");
	free(text);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	snprintf(line, sizeof(line), "route load %s", path);
	free(fake_run(ctl, line, &ret, &err));
	assert_int_equal(ret, 0);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(checking_a_file_changes_nothing),
		T(errors_say_file_and_line),
		T(applying_stops_at_the_first_refusal),
		T(an_open_begin_is_aborted_on_error),
		T(start_waits_stop_takes_it_back_quit_ends),
		T(a_begin_belongs_to_who_said_it),
		T(bad_route_files_change_nothing_and_name_every_line),
		T(a_route_file_is_one_batch),
		T(reload_touches_only_what_differs),
		T(saved_routes_can_be_loaded),
		T(a_rehearsal_writes_and_starts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, fake_cleanup);
}

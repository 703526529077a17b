/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl_fakes.h"
#include "support/cmocka.h"

#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

/* The prompt sits on descriptors 0 to 2, so a test puts its own there and the old ones back. */
static struct evloop *loop;
static struct ctl *ctl;
static int saved[3];
static FILE *said; /* what came out, for pipes and files */

static int
setup(void **state)
{
	(void)state;
	fake_reset();
	assert_int_equal(evloop_create(&loop), 0);
	ctl = fake_ctl(loop);
	fflush(NULL);
	for (int i = 0; i < 3; i++)
		saved[i] = dup(i);
	said = tmpfile();
	return said == NULL;
}

static void
put_back(void)
{
	fflush(NULL);
	for (int i = 0; i < 3; i++)
		dup2(saved[i], i);
}

static int
teardown(void **state)
{
	(void)state;
	ctl_destroy(ctl);
	put_back();
	for (int i = 0; i < 3; i++)
		close(saved[i]);
	fclose(said);
	evloop_destroy(loop);
	return 0;
}

static void
quit(void *arg)
{
	(void)arg;
	evloop_quit(loop);
}

static void
pump(unsigned int ms)
{
	int t = evloop_timer(loop, ms * 1000, quit, NULL);

	evloop_run(loop);
	evloop_timer_del(loop, t);
}

static char *
all_said(void)
{
	static char text[8192];
	size_t n;

	put_back();
	rewind(said);
	n = fread(text, 1, sizeof(text) - 1, said);
	text[n] = '\0';
	return text;
}

static void
from(int fd)
{
	struct err err;

	dup2(fd, 0);
	dup2(fileno(said), 1);
	dup2(fileno(said), 2);
	close(fd);
	assert_int_equal(ctl_prompt(ctl, &err), 0);
	assert_int_equal(ctl_prompt(ctl, &err), -EBUSY);
}

static void
a_pipe_is_read_line_by_line(void **state)
{
	int p[2];

	(void)state;
	assert_int_equal(pipe(p), 0);
	from(p[0]);
	assert_int_equal(write(p[1], "set burst 3\r\nset bu", 19), 19);
	pump(5);
	assert_string_equal(fake.log, "burst 3\n");
	assert_int_equal(write(p[1], "rst 4\nfoo\nset burst 5", 21), 21);
	pump(5);
	close(p[1]); /* the end of input ends the prompt, and nothing else */
	pump(20);
	assert_string_equal(fake.log, "burst 3\nburst 4\nburst 5\n");
	assert_string_equal(all_said(), "error: unknown word 'foo': see help\n");
}

static void
a_file_is_read_although_epoll_takes_none(void **state)
{
	static const char text[] = "begin\nroute del 10.0.0.0/8\n";

	(void)state;
	from(open(fake_file("in", text, sizeof(text) - 1), O_RDONLY));
	pump(40);
	/* Nobody is left who could commit. */
	assert_string_equal(fake.log, "begin\nroute_del 10.0.0.0/8\nabort\n");
	all_said();
}

static void
nothing_behind_quit_counts(void **state)
{
	static const char text[] = "set burst 1\nquit\nset burst 2\n";

	(void)state;
	from(open(fake_file("in", text, sizeof(text) - 1), O_RDONLY));
	pump(40);
	assert_string_equal(fake.log, "burst 1\nquit\n");
	all_said();
}

static void
an_endless_line_is_refused_once(void **state)
{
	static char text[70000];
	const char *got;

	(void)state;
	memset(text, 'x', sizeof(text));
	strcpy(text + sizeof(text) - 14, "\nset burst 2\n");
	from(open(fake_file("in", text, sizeof(text) - 1), O_RDONLY));
	pump(200);
	assert_string_equal(fake.log, "burst 2\n");
	got = all_said();
	assert_string_equal(got, "error: the line is longer than 65536 bytes\n");
}

/* ---- a terminal */

static int master;

static void
open_terminal(void)
{
	struct err err;
	int slave;

	assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
	fcntl(master, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 3; i++)
		dup2(slave, i);
	close(slave);
	if (ctl_prompt(ctl, &err) < 0) {
		put_back();
		fail_msg("%s", err.text);
	}
}

static const char *
type(const char *keys)
{
	static char seen[16384];
	size_t len = 0;
	ssize_t n;

	if (write(master, keys, strlen(keys)) < 0)
		return "";
	pump(10);
	while ((n = read(master, seen + len, sizeof(seen) - 1 - len)) > 0)
		len += (size_t)n;
	seen[len] = '\0';
	return seen;
}

static void
keys_edit_complete_and_remember(void **state)
{
	struct termios t;
	char copy[1024];
	bool echo;

	(void)state;
	open_terminal();
	tcgetattr(0, &t);
	echo = (t.c_lflag & ECHO) != 0;
	snprintf(copy, sizeof(copy), "%s", type("set burts\b\bst 7\r"));
	snprintf(copy + 512, 512, "%s", type("sh\tvers\t\r")); /* completed twice */
	type("\033[A\033[A\r");                                /* the line before the last */
	type("route re\t");                                    /* two choices: listed */
	type("\025\003");
	ctl_destroy(ctl);
	ctl = fake_ctl(loop);
	tcgetattr(0, &t);
	put_back();
	close(master);
	assert_false(echo);
	assert_true(t.c_lflag & ECHO);
	assert_non_null(strstr(copy, "sluice> set burts"));
	assert_non_null(strstr(copy + 512, "sluice 1.2.3 (DPDK"));
	assert_string_equal(fake.log, "burst 7\nburst 7\n");
}

static void
two_choices_are_listed(void **state)
{
	char copy[2048];

	(void)state;
	open_terminal();
	snprintf(copy, sizeof(copy), "%s", type("route re\t"));
	snprintf(copy + 1024, 1024, "%s", type("l\t/nonexistent/file\r"));
	put_back();
	close(master);
	assert_non_null(strstr(copy, " replace\r"));
	assert_non_null(strstr(copy, " reload\r"));
	/* The rest was completed, so the line was a command, and the file is what is wrong. */
	assert_non_null(strstr(copy + 1024, "error: /nonexistent/file"));
}

static void
control_d_ends_the_prompt_only(void **state)
{
	struct termios t;
	char copy[1024];

	(void)state;
	open_terminal();
	snprintf(copy, sizeof(copy), "%s", type("set burst 2\r\004"));
	type("set burst 3\r");
	tcgetattr(0, &t);
	put_back();
	close(master);
	assert_true(t.c_lflag & ECHO);
	assert_string_equal(fake.log, "burst 2\n");
	assert_non_null(strstr(copy, "sluice goes on; Ctrl-C ends it"));
}

static void
control_u_empties_the_line(void **state)
{
	(void)state;
	open_terminal();
	type("show port stats \025set burst 8\r");
	put_back();
	close(master);
	assert_string_equal(fake.log, "burst 8\n");
}

/* What the editor would cut in silence is refused, not run. */
static void
a_cut_line_is_not_run(void **state)
{
	char line[700] = "set burst 4 #", copy[4096];

	(void)state;
	open_terminal();
	memset(line + 13, 'x', 600);
	strcpy(line + 613, "\r");
	snprintf(copy, sizeof(copy), "%s", type(line));
	put_back();
	close(master);
	assert_non_null(strstr(copy, "error: the line is longer than"));
	assert_string_equal(fake.log, "");
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_pipe_is_read_line_by_line),     T(a_file_is_read_although_epoll_takes_none),
		T(nothing_behind_quit_counts),      T(an_endless_line_is_refused_once),
		T(keys_edit_complete_and_remember), T(two_choices_are_listed),
		T(control_d_ends_the_prompt_only),  T(control_u_empties_the_line),
		T(a_cut_line_is_not_run),
	};

	return cmocka_run_group_tests(tests, NULL, fake_cleanup);
}

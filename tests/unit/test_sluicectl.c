/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl_fakes.h"
#include "support/cmocka.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The client program against a real control socket; argv[1] is its path. */
static const char *program;
static struct evloop *loop;
static struct ctl *ctl;
static pid_t child;
static int status;

static int
setup(void **state)
{
	struct err err;

	(void)state;
	fake_reset();
	assert_int_equal(evloop_create(&loop), 0);
	ctl = fake_ctl(loop);
	return ctl_socket(ctl, fake_path("sock"), &err);
}

static int
teardown(void **state)
{
	(void)state;
	ctl_destroy(ctl);
	evloop_destroy(loop);
	return 0;
}

static void
look(void *arg)
{
	(void)arg;
	if (waitpid(child, &status, WNOHANG) == child)
		evloop_quit(loop);
}

/* Run it with arguments through the shell, so that quotes and redirections mean what they mean. */
static int
sluicectl(const char *args, char *out, char *err)
{
	char line[1024];
	int t;

	snprintf(line, sizeof(line), "export SLUICE_SOCKET=%s; exec %s %s >%s 2>%s",
		 fake_path("sock"), program, args, fake_path("out"), fake_path("err"));
	child = fork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	assert_true(child > 0);
	t = evloop_timer(loop, 1000, look, NULL);
	evloop_run(loop);
	evloop_timer_del(loop, t);
	if (out != NULL) {
		char *text = fake_content(fake_path("out"));

		snprintf(out, 4096, "%s", text);
		free(text);
	}
	if (err != NULL) {
		char *text = fake_content(fake_path("err"));

		snprintf(err, 4096, "%s", text);
		free(text);
	}
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
arguments_are_one_command(void **state)
{
	char out[4096], err[4096];

	(void)state;
	assert_int_equal(sluicectl("show plan", out, err), 0);
	assert_string_equal(out, "the plan\n");
	assert_string_equal(err, "");
	assert_int_equal(sluicectl("'show plan'", out, err), 0);
	assert_string_equal(out, "the plan\n");
	assert_int_equal(sluicectl("set burst 0", out, err), 2);
	assert_string_equal(out, "");
	assert_string_equal(err, "burst: 0 is outside 1..256; write one within\n");
	assert_int_equal(sluicectl("'set burst 1\nquit'", out, err), 2);
	assert_string_equal(fake.log, "");
}

static void
standard_input_is_many(void **state)
{
	static const char good[] = "# comment\nset burst 1\r\n\nset burst 2",
			  bad[] = "set burst 1\nfoo\nset burst 2\n";
	char args[256], err[4096];

	(void)state;
	snprintf(args, sizeof(args), "<%s", fake_file("good", good, sizeof(good) - 1));
	assert_int_equal(sluicectl(args, NULL, err), 0);
	assert_string_equal(fake.log, "burst 1\nburst 2\n");
	snprintf(args, sizeof(args), "<%s", fake_file("bad", bad, sizeof(bad) - 1));
	fake.log[0] = '\0';
	assert_int_equal(sluicectl(args, NULL, err), 2);
	assert_string_equal(fake.log, "burst 1\n");
	assert_string_equal(err, "unknown word 'foo': see help\nsluicectl: stopped at line 2\n");
	assert_int_equal(sluicectl("</dev/null", NULL, err), 0);
}

static void
no_sluice_is_exit_1(void **state)
{
	char err[4096];

	(void)state;
	assert_int_equal(sluicectl("--socket /nonexistent/s show plan", NULL, err), 1);
	assert_string_equal(err,
			    "sluicectl: /nonexistent/s: no sluice answers here: was it started "
			    "with --socket?\n");
	fake_file("file", "x", 1);
	assert_int_equal(sluicectl("--socket $PWD/$(printf '%0200d' 0) show plan", NULL, err), 1);
	assert_non_null(strstr(err, "too long"));
}

static void
options_work_without_a_sluice(void **state)
{
	char out[4096], err[4096];

	(void)state;
	assert_int_equal(sluicectl("--help", out, err), 0);
	assert_non_null(strstr(out, "usage: sluicectl"));
	assert_int_equal(sluicectl("--version", out, err), 0);
	assert_true(strncmp(out, "sluicectl ", 10) == 0);
	assert_int_equal(sluicectl("--frobnicate", out, err), 2);
	assert_non_null(strstr(err, "usage: sluicectl"));
	assert_string_equal(out, "");
}

static void
big_answers_arrive_whole(void **state)
{
	struct stat st;

	(void)state;
	fake.plan_bytes = 2000000;
	assert_int_equal(sluicectl("show plan", NULL, NULL), 0);
	assert_int_equal(stat(fake_path("out"), &st), 0);
	assert_int_equal(st.st_size, 2000009);
}

int
main(int argc, char **argv)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(arguments_are_one_command), T(standard_input_is_many),
		T(no_sluice_is_exit_1),       T(options_work_without_a_sluice),
		T(big_answers_arrive_whole),
	};

	if (argc < 2)
		return 77;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, fake_cleanup);
}

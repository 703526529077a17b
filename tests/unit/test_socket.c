/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl_fakes.h"
#include "support/cmocka.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* One thread plays both ends: clients never block, and the loop runs a few milliseconds at a time. */
static struct evloop *loop;
static struct ctl *ctl;

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

static int
setup(void **state)
{
	struct err err;

	(void)state;
	fake_reset();
	assert_int_equal(evloop_create(&loop), 0);
	ctl = fake_ctl(loop);
	if (ctl_socket(ctl, fake_path("sock"), &err) < 0)
		fail_msg("%s", err.text);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	ctl_destroy(ctl);
	evloop_destroy(loop);
	return 0;
}

static int
dial(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", fake_path("sock"));
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void
say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Whatever has come, as text; "" for nothing, and "<end>" behind it when the other end closed. */
static const char *
hear(int fd)
{
	static char buf[200000];
	size_t len = 0;
	ssize_t n;

	while ((n = recv(fd, buf + len, sizeof(buf) - 16 - len, 0)) > 0)
		len += (size_t)n;
	strcpy(buf + len, n == 0 || errno != EAGAIN ? "<end>" : "");
	return buf;
}

static void
one_line_one_answer(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, "show version\n");
	pump(5);
	assert_true(strncmp(hear(fd), "ok ", 3) == 0);
	say(fd, "set burst 9\nset burst 0\nfoo\n\nset bur");
	pump(5);
	assert_string_equal(hear(fd), "ok 0\n"
				      "err 45\nburst: 0 is outside 1..256; write one within\n"
				      "err 29\nunknown word 'foo': see help\n"
				      "ok 0\n");
	say(fd, "st 8\n"); /* the rest of the word */
	pump(5);
	assert_string_equal(hear(fd), "ok 0\n");
	assert_string_equal(fake.log, "burst 9\nburst 8\n");
	close(fd);
}

static void
refusals_carry_what_was_printed(void **state)
{
	const char bad[] = "nonsense\nmore\n";
	char line[256];
	const char *got;
	int fd = dial();

	(void)state;
	snprintf(line, sizeof(line), "route load %s\n",
		 fake_file("bad.routes", bad, sizeof(bad) - 1));
	say(fd, line);
	pump(5);
	got = hear(fd);
	assert_true(strncmp(got, "err ", 4) == 0);
	assert_non_null(strstr(got, "bad.routes:1: "));
	assert_non_null(strstr(got, "bad.routes:2: "));
	assert_non_null(strstr(got, "2 bad lines, nothing is applied\n"));
	assert_int_equal(strtoul(got + 4, NULL, 10), strlen(strchr(got, '\n') + 1));
	close(fd);
}

static void
the_mode_is_0600_and_the_path_goes_away(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat(fake_path("sock"), &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0600);
	ctl_destroy(ctl);
	assert_int_equal(stat(fake_path("sock"), &st), -1);
	ctl = fake_ctl(loop);
}

/* The mode is what it should be whatever the process' own mask is. */
static void
the_umask_does_not_matter(void **state)
{
	struct ctl *other = fake_ctl(loop);
	mode_t mask = umask(0277);
	struct stat st;
	struct err err;

	(void)state;
	assert_int_equal(ctl_socket(other, fake_path("masked"), &err), 0);
	umask(mask);
	assert_int_equal(stat(fake_path("masked"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	ctl_destroy(other);
}

static void
live_is_refused_stale_is_replaced(void **state)
{
	struct ctl *other = fake_ctl(loop);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char too_long[200];
	struct err err;
	int fd;

	(void)state;
	assert_int_equal(ctl_socket(other, fake_path("sock"), &err), -EADDRINUSE);
	assert_non_null(strstr(err.text, "another process answers there"));
	pump(2); /* the question itself was a connection */

	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", fake_path("stale"));
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	close(fd);
	assert_int_equal(ctl_socket(other, fake_path("stale"), &err), 0);
	assert_int_equal(ctl_socket(other, fake_path("another"), &err), -EBUSY);
	ctl_destroy(other);

	other = fake_ctl(loop);
	assert_int_equal(ctl_socket(other, fake_file("file", "x", 1), &err), -EEXIST);
	assert_non_null(strstr(err.text, "no socket"));
	assert_int_equal(access(fake_path("file"), F_OK), 0);
	assert_int_equal(ctl_socket(other, "/nonexistent/s", &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/s"));
	memset(too_long, 'x', sizeof(too_long) - 1);
	too_long[sizeof(too_long) - 1] = '\0';
	assert_int_equal(ctl_socket(other, too_long, &err), -EINVAL);
	assert_int_equal(ctl_socket(other, "", &err), -EINVAL);
	ctl_destroy(other);
}

/* Somebody else's socket under our old path is not ours to remove. */
static void
only_our_own_path_is_removed(void **state)
{
	(void)state;
	assert_int_equal(unlink(fake_path("sock")), 0);
	fake_file("sock", "x", 1);
	ctl_destroy(ctl);
	assert_int_equal(access(fake_path("sock"), F_OK), 0);
	unlink(fake_path("sock"));
	ctl = fake_ctl(loop);
}

static void
a_slow_client_gets_it_all_and_blocks_nobody(void **state)
{
	int slow = dial(), quick = dial();
	size_t want = 3000000, got = 0, turns = 0;
	char buf[65536];

	(void)state;
	fake.plan_bytes = want;
	for (unsigned int i = 0; i < 3; i++)
		say(slow, "show plan\n");
	pump(20);
	fake.plan_bytes = 0;
	say(quick, "show plan\n");
	pump(5);
	assert_string_equal(hear(quick), "ok 9\nthe plan\n");
	/* Only the first was run; the others wait until it has been read. */
	while (turns++ < 1000) {
		ssize_t n = recv(slow, buf, sizeof(buf), 0);

		if (n > 0) {
			got += (size_t)n;
			continue;
		}
		pump(1);
		if (got >= strlen("ok 3000009\nthe plan\n") + want + 2 * strlen("ok 9\nthe plan\n"))
			break;
	}
	assert_int_equal(got,
			 strlen("ok 3000009\nthe plan\n") + want + 2 * strlen("ok 9\nthe plan\n"));
	close(slow);
	close(quick);
}

static unsigned int wakes;

static uint64_t
count_wakes(void *arg)
{
	(void)arg;
	wakes++;
	return UINT64_MAX;
}

static void
a_client_that_never_reads_costs_no_cpu(void **state)
{
	int fd = dial();

	(void)state;
	fake.plan_bytes = 3000000;
	say(fd, "show plan\nshow plan\nshow plan\n");
	pump(20);
	say(fd, "show plan\n");
	evloop_poll(loop, count_wakes, NULL);
	wakes = 0;
	pump(50);
	assert_true(wakes < 10);
	close(fd);
	pump(5);
}

static void
a_long_line_is_refused_and_the_next_one_served(void **state)
{
	static char line[65536 * 2 + 16];
	size_t sent = 0;
	int fd = dial();

	(void)state;
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	while (sent < sizeof(line)) {
		ssize_t n = send(fd, line + sent, sizeof(line) - sent, MSG_NOSIGNAL);

		if (n > 0)
			sent += (size_t)n;
		pump(1);
	}
	say(fd, "set burst 4\n");
	pump(5);
	assert_string_equal(hear(fd),
			    "err 56\nthe line is longer than 65536 bytes: use a command file\n"
			    "ok 0\n");
	assert_string_equal(fake.log, "burst 4\n");

	/* 64 KiB exactly is taken: it is a comment here. */
	memset(line, ' ', 65536);
	line[0] = '#';
	line[65536] = '\n';
	for (sent = 0; sent < 65537;) {
		ssize_t n = send(fd, line + sent, 65537 - sent, MSG_NOSIGNAL);

		if (n > 0)
			sent += (size_t)n;
		pump(1);
	}
	pump(5);
	assert_string_equal(hear(fd), "ok 0\n");
	close(fd);
}

static void
nul_bytes_are_refused(void **state)
{
	int fd = dial();

	(void)state;
	assert_int_equal(send(fd, "start\0foo\n", 10, 0), 10);
	pump(5);
	assert_string_equal(hear(fd), "err 23\na NUL byte in the line\n");
	assert_string_equal(fake.log, "");
	close(fd);
}

static void
there_are_32_clients_and_no_more(void **state)
{
	int fd[33];
	const char *got;

	(void)state;
	for (unsigned int i = 0; i < 33; i++) {
		fd[i] = dial();
		pump(1);
	}
	got = hear(fd[32]);
	assert_true(strncmp(got, "err ", 4) == 0);
	assert_non_null(strstr(got, "there are 32 clients already, try later\n<end>"));
	assert_int_equal(strtoul(got + 4, NULL, 10),
			 strlen(strchr(got, '\n') + 1) - strlen("<end>"));
	for (unsigned int i = 0; i < 32; i++)
		say(fd[i], "set burst 1\n");
	pump(10);
	for (unsigned int i = 0; i < 32; i++)
		assert_string_equal(hear(fd[i]), "ok 0\n");
	close(fd[32]);
	close(fd[7]);
	pump(5);
	fd[32] = fd[7] = dial();
	say(fd[7], "set burst 1\n");
	pump(5);
	assert_string_equal(hear(fd[7]), "ok 0\n");
	for (unsigned int i = 0; i < 32; i++)
		close(fd[i]);
}

static void
clients_may_leave_at_any_time(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, "set burst 2\nset burst"); /* the half line is nobody's command */
	shutdown(fd, SHUT_WR);
	pump(5);
	assert_string_equal(hear(fd), "ok 0\n<end>");
	assert_string_equal(fake.log, "burst 2\n");
	close(fd);

	/* Gone in the middle of an answer. */
	fake.plan_bytes = 1000000;
	fd = dial();
	say(fd, "show plan\nset burst 3\n");
	pump(5);
	close(fd);
	pump(5);
	assert_string_equal(fake.log, "burst 2\n");
}

static void
an_open_begin_dies_with_its_client(void **state)
{
	int fd = dial(), other = dial();

	(void)state;
	say(fd, "begin\nroute del 10.0.0.0/8\n");
	pump(5);
	say(other, "route del 11.0.0.0/8\n");
	pump(5);
	assert_true(strncmp(hear(other), "err ", 4) == 0);
	close(fd);
	pump(5);
	assert_string_equal(fake.log, "begin\nroute_del 10.0.0.0/8\nabort\n");
	say(other, "route del 11.0.0.0/8\n");
	pump(5);
	assert_string_equal(hear(other), "ok 0\n");
	close(other);
}

static const char *
ask_alone(const char *line)
{
	const char *answer;
	int fd = dial();

	say(fd, line);
	pump(5);
	answer = hear(fd);
	close(fd);
	pump(5);
	return answer;
}

/* "sluicectl begin", "sluicectl route ...", "sluicectl commit": one connection each. */
static void
a_batch_goes_on_from_client_to_client(void **state)
{
	int fd;

	(void)state;
	assert_string_equal(ask_alone("begin\n"), "ok 0\n");
	assert_true(strncmp(ask_alone("show addr\n"), "ok ", 3) == 0);
	assert_string_equal(ask_alone("route del 10.0.0.0/8\n"), "ok 0\n");
	assert_true(strncmp(ask_alone("begin\n"), "err ", 4) == 0);
	assert_string_equal(ask_alone("commit\n"), "ok 0\n");
	assert_string_equal(fake.log, "begin\nroute_del 10.0.0.0/8\ncommit\n");

	/* Who stays has it to himself, and takes it along. */
	assert_string_equal(ask_alone("begin\n"), "ok 0\n");
	fd = dial();
	say(fd, "route del 11.0.0.0/8\nshow addr\n");
	pump(5);
	assert_true(strncmp(ask_alone("commit\n"), "err ", 4) == 0);
	close(fd);
	pump(5);
	assert_string_equal(fake.log, "begin\nroute_del 10.0.0.0/8\ncommit\n"
				      "begin\nroute_del 11.0.0.0/8\nabort\n");
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(one_line_one_answer),
		T(refusals_carry_what_was_printed),
		T(the_mode_is_0600_and_the_path_goes_away),
		T(the_umask_does_not_matter),
		T(live_is_refused_stale_is_replaced),
		T(only_our_own_path_is_removed),
		T(a_slow_client_gets_it_all_and_blocks_nobody),
		T(a_client_that_never_reads_costs_no_cpu),
		T(a_long_line_is_refused_and_the_next_one_served),
		T(nul_bytes_are_refused),
		T(there_are_32_clients_and_no_more),
		T(clients_may_leave_at_any_time),
		T(an_open_begin_dies_with_its_client),
		T(a_batch_goes_on_from_client_to_client),
	};

	return cmocka_run_group_tests(tests, NULL, fake_cleanup);
}

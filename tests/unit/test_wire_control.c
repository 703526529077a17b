/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/cmocka.h"
#include "support/soft_rig.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static char dir[64];
static struct sockaddr_un addr = { .sun_family = AF_UNIX };

static int
setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_wire_control.XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/socket", dir);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	return rmdir(dir); /* it is empty again */
}

static const char *
spec_with(const char *rest)
{
	static char spec[256];

	snprintf(spec, sizeof(spec), "run,control=%s%s", addr.sun_path, rest);
	return spec;
}

static void
start(const char *rest)
{
	rig_plug_well(spec_with(rest));
	assert_int_equal(soft_start(), 0);
}

static int
client(void)
{
	struct timeval tv = { .tv_sec = 10 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	return fd;
}

/* Read as much as the text is long, and compare. */
static void
hears(int fd, const char *want)
{
	char got[512] = "";
	size_t len = strlen(want), at = 0;

	while (at < len) {
		ssize_t n = recv(fd, got + at, len - at, 0);

		if (n <= 0)
			fail_msg("'%s' and no more, want '%s'", got, want);
		at += (size_t)n;
	}
	assert_string_equal(got, want);
}

static void
says(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void
a_line_gets_an_answer(void **state)
{
	struct stat st;
	int a, b;

	(void)state;
	start(" ; standin gen,count=0 sink");
	assert_int_equal(stat(addr.sun_path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	a = client();
	says(a, "fault 0 rx_starve 1\n");
	hears(a, "ok 0\n");
	says(a, "link 0 da");
	b = client();
	says(b, "gen 0 dance\n");
	hears(b, "err 25\ngen: write start or stop\n");
	says(a, "wn\r\nlink 0 down\nnix\n");
	hears(a, "err 31\nlink: 'dawn'; write up or down\n");
	hears(a, "ok 0\nerr 27\nno command 'nix'; see help\n");
	says(b, "help\n");
	hears(b, "ok ");
	close(a);
	close(b);
	rig_end();
	assert_int_equal(lstat(addr.sun_path, &st), -1);
}

static void
it_answers_in_lock_step_too(void **state)
{
	int fd;

	(void)state;
	start(",step ; standin gen");
	fd = client();
	says(fd, "gen 0 stop\n");
	hears(fd, "ok 0\n");
	assert_int_equal(softnic_step(9), 0);
	close(fd);
	rig_end();
}

static void
a_long_line_ends_the_talk(void **state)
{
	char line[2000], c;
	int fd;

	(void)state;
	start(" ; standin");
	fd = client();
	memset(line, 'a', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	says(fd, line);
	hears(fd, "err 35\nthe line is longer than 1023 bytes\n");
	assert_true(recv(fd, &c, 1, 0) <= 0);
	close(fd);
	rig_end();
}

static void
clients_that_are_too_many_wait(void **state)
{
	int fd[9];

	(void)state;
	start(" ; standin");
	for (size_t i = 0; i < RTE_DIM(fd); i++) {
		fd[i] = client();
		says(fd[i], "link 0 up\n");
	}
	for (size_t i = 0; i < RTE_DIM(fd); i++) {
		hears(fd[i], "ok 0\n");
		close(fd[i]);
	}
	rig_end();
}

static int
a_socket(bool live)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	if (live)
		assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static void
what_a_killed_process_left_is_replaced(void **state)
{
	int fd;

	(void)state;
	close(a_socket(true));
	start(" ; standin");
	fd = client();
	says(fd, "link 0 up\n");
	hears(fd, "ok 0\n");
	close(fd);
	rig_end();
}

static void
what_is_another_s_is_refused(void **state)
{
	struct stat st;
	int fd = a_socket(true);
	FILE *f;

	(void)state;
	rig_plug_badly(spec_with(" ; standin"), "another process answers there");
	assert_int_equal(stat(addr.sun_path, &st), 0);
	close(fd);
	unlink(addr.sun_path);

	f = fopen(addr.sun_path, "w");
	assert_non_null(f);
	fclose(f);
	rig_plug_badly(spec_with(" ; standin"), "something else than a socket");
	assert_int_equal(stat(addr.sun_path, &st), 0);
	unlink(addr.sun_path);
}

/* Someone put another in its place: not ours to remove.  After an error, ours is gone. */
static void
only_our_own_socket_is_removed(void **state)
{
	struct stat st;

	(void)state;
	start(" ; standin");
	unlink(addr.sun_path);
	close(a_socket(false));
	rig_end();
	assert_int_equal(lstat(addr.sun_path, &st), 0);
	unlink(addr.sun_path);

	rig_plug_badly(spec_with(" ; standin,broken"), "the NIC is broken");
	assert_int_equal(lstat(addr.sun_path, &st), -1);
}

/* A client that never reads its answers is not waited for at the end. */
static void
the_end_does_not_hang_on_a_client(void **state)
{
	char line[] = "help\n";
	int fd;

	(void)state;
	start(" ; standin");
	fd = client();
	while (send(fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		;
	rig_end();
	close(fd);
}

static uint64_t
cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Waited for without a CPU, and answered as soon as there is a descriptor. */
static void
without_descriptors_a_client_waits(void **state)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), full[64], n = 0;
	struct rlimit all, few;
	uint64_t ns;

	(void)state;
	start(",step ; standin");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	few = (struct rlimit){ .rlim_cur = 64, .rlim_max = all.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	while (n < 64 && (full[n] = dup(fd)) >= 0)
		n++;
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	says(fd, "link 0 up\n");
	ns = cpu_ns();
	usleep(300000);
	ns = cpu_ns() - ns;
	while (n > 0)
		close(full[--n]);
	setrlimit(RLIMIT_NOFILE, &all);
	hears(fd, "ok 0\n");
	close(fd);
	rig_end();
	if (ns > 20000000)
		fail_msg("%u us of a CPU in 300 ms", (unsigned int)(ns / 1000));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_gets_an_answer),
		cmocka_unit_test(it_answers_in_lock_step_too),
		cmocka_unit_test(a_long_line_ends_the_talk),
		cmocka_unit_test(clients_that_are_too_many_wait),
		cmocka_unit_test(what_a_killed_process_left_is_replaced),
		cmocka_unit_test(what_is_another_s_is_refused),
		cmocka_unit_test(only_our_own_socket_is_removed),
		cmocka_unit_test(without_descriptors_a_client_waits),
		cmocka_unit_test(the_end_does_not_hang_on_a_client),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

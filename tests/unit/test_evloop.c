/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "ctl/evloop.h"
#include "support/cmocka.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct evloop *loop;
static unsigned int calls, polls;

static int
setup(void **state)
{
	(void)state;
	calls = polls = 0;
	return evloop_create(&loop);
}

static int
teardown(void **state)
{
	(void)state;
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
run_for(uint64_t us)
{
	int t = evloop_timer(loop, us, quit, NULL);

	assert_true(t >= 0);
	evloop_run(loop);
	evloop_timer_del(loop, t);
}

static void
count(void *arg)
{
	(void)arg;
	calls++;
}

static void
read_one(void *arg)
{
	int *fd = arg;
	char c;

	calls++;
	assert_int_equal(read(*fd, &c, 1), 1);
	if (c == 'q')
		evloop_quit(loop);
}

static void
reads_what_is_there(void **state)
{
	int p[2];

	(void)state;
	assert_int_equal(pipe(p), 0);
	assert_int_equal(evloop_add(loop, p[0], read_one, &p[0]), 0);
	assert_int_equal(evloop_add(loop, p[0], read_one, &p[0]), -EEXIST);
	assert_int_equal(write(p[1], "abq", 3), 3);
	evloop_run(loop);
	assert_int_equal(calls, 3);
	evloop_del(loop, p[0]);
	assert_int_equal(write(p[1], "q", 1), 1);
	run_for(5000);
	assert_int_equal(calls, 3);
	assert_int_equal(evloop_want_write(loop, p[0], true), -ENOENT);
	close(p[0]);
	close(p[1]);
}

static void
interest_can_be_changed(void **state)
{
	int s[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
	assert_int_equal(write(s[1], "x", 1), 1);
	assert_int_equal(evloop_add(loop, s[0], count, NULL), 0);
	assert_int_equal(evloop_want_read(loop, s[0], false), 0);
	run_for(5000);
	assert_int_equal(calls, 0);
	assert_int_equal(evloop_want_write(loop, s[0], true), 0);
	run_for(5000);
	assert_true(calls > 0);
	assert_int_equal(evloop_want_write(loop, s[0], false), 0);
	calls = 0;
	run_for(5000);
	assert_int_equal(calls, 0);
	assert_int_equal(evloop_want_read(loop, s[0], true), 0);
	run_for(5000);
	assert_true(calls > 0);
	close(s[0]);
	close(s[1]);
}

static int regular;

static void
what_epoll_refuses_is_refused(void **state)
{
	(void)state;
	regular = open("/dev/null", O_RDONLY);
	assert_int_equal(evloop_add(loop, regular, count, NULL), -EPERM);
	assert_int_equal(evloop_add(loop, -1, count, NULL), -EINVAL);
	assert_int_equal(evloop_add(loop, 500, count, NULL), -EBADF);
	close(regular);
}

/* Two descriptors ready at once, and the first callback closes the second and reuses its number. */
static int pair[2][2];

static void
close_other(void *arg)
{
	int mine = *(int *)arg, other = mine == pair[0][0] ? pair[1][0] : pair[0][0];

	calls++;
	evloop_del(loop, other);
	close(other);
	assert_int_equal(dup(pair[0][1]), other);
	assert_int_equal(evloop_add(loop, other, count, NULL), 0);
	evloop_del(loop, mine);
	evloop_timer(loop, 2000, quit, NULL);
}

static void
a_stale_event_meets_nobody(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe(pair[i]), 0);
		assert_int_equal(write(pair[i][1], "x", 1), 1);
		assert_int_equal(evloop_add(loop, pair[i][0], close_other, &pair[i][0]), 0);
	}
	evloop_run(loop);
	assert_int_equal(calls, 1);
	for (int i = 0; i < 2; i++) {
		close(pair[i][0]);
		close(pair[i][1]);
	}
}

static int self;

static void
delete_self(void *arg)
{
	(void)arg;
	calls++;
	evloop_timer_del(loop, self);
}

static void
timers_come_about_on_time(void **state)
{
	uint64_t start = clock_us();
	int t = evloop_timer(loop, 10000, count, NULL);

	(void)state;
	assert_true(t >= 0);
	run_for(55000);
	assert_in_range(clock_us() - start, 55000, 400000);
	assert_in_range(calls, 2, 6); /* 5, unless the machine is very busy */
	evloop_timer_del(loop, t);
	calls = 0;
	self = evloop_timer(loop, 1000, delete_self, NULL);
	run_for(20000);
	assert_int_equal(calls, 1);
	assert_int_equal(evloop_timer(loop, 0, count, NULL), -EINVAL);
}

static uint64_t
hold_up(void *arg)
{
	struct timespec ts = { .tv_nsec = 30000000 };

	(void)arg;
	if (polls++ == 0)
		nanosleep(&ts, NULL);
	return UINT64_MAX;
}

static uint64_t first_us, second_us;

static void
twice(void *arg)
{
	(void)arg;
	if (calls++ == 0) {
		first_us = clock_us();
		return;
	}
	second_us = clock_us();
	evloop_quit(loop);
}

/* Seven periods late is one call; the next comes a period later, not at once. */
static void
missed_periods_are_not_made_up(void **state)
{
	(void)state;
	evloop_poll(loop, hold_up, NULL);
	self = evloop_timer(loop, 4000, twice, NULL);
	assert_true(self >= 0);
	evloop_run(loop);
	assert_in_range(second_us - first_us, 2500, 200000);
}

static void
timers_run_out(void **state)
{
	int n = 0;

	(void)state;
	while (evloop_timer(loop, 1000000, count, NULL) >= 0)
		n++;
	assert_in_range(n, 16, 256);
	assert_int_equal(evloop_timer(loop, 1000000, count, NULL), -ENOSPC);
}

static uint64_t
poll_often(void *arg)
{
	(void)arg;
	if (++polls == 1000)
		evloop_quit(loop);
	return 0;
}

static uint64_t
poll_seldom(void *arg)
{
	(void)arg;
	polls++;
	return 10000;
}

static void
the_poll_function_sets_the_pace(void **state)
{
	(void)state;
	evloop_poll(loop, poll_often, NULL);
	evloop_run(loop);
	assert_int_equal(polls, 1000);
	polls = 0;
	evloop_poll(loop, poll_seldom, NULL);
	run_for(55000);
	assert_in_range(polls, 3, 8);
}

static void
quit_before_run_counts(void **state)
{
	(void)state;
	evloop_quit(loop);
	evloop_run(loop); /* would sleep for ever */
	run_for(1000);    /* and is over with that one */
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(reads_what_is_there),
		T(interest_can_be_changed),
		T(what_epoll_refuses_is_refused),
		T(a_stale_event_meets_nobody),
		T(timers_come_about_on_time),
		T(missed_periods_are_not_made_up),
		T(timers_run_out),
		T(the_poll_function_sets_the_pace),
		T(quit_before_run_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "support/cmocka.h"
#include "support/soft_rig.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define TRAPS 200

/* ---- lock-step */

static void
frames_come_at_most_a_batch_a_turn(void **state)
{
	(void)state;
	rig_plug_well("run,step ; standin gen sink");
	standin_of(0)->room = 256;
	assert_int_equal(softnic_step(10), 10);
	assert_int_equal(standin_of(0)->nb_rx, 10);
	assert_int_equal(softnic_step(SOFT_BATCH + 6), SOFT_BATCH + 6);
	assert_int_equal(softnic_step(0), 0);
	assert_int_equal(softnic_step(64), 20);
	assert_true(soft_port(0)->in->ended);
	assert_int_equal(softnic_step(64), 0);
	for (uint32_t i = 0; i < 100; i++) {
		assert_memory_equal(standin_of(0)->rx[i].data, &i, sizeof(i));
		assert_int_equal(standin_of(0)->rx[i].len, 60);
	}
	assert_int_equal(soft_port(0)->stats.rx_offered, 100);
	assert_int_equal(soft_port(0)->stats.rx_bytes, 6000);
	rig_end();
}

static void
rings_are_drained_in_a_turn(void **state)
{
	(void)state;
	rig_plug_well("run,step ; standin gen,count=0 sink ; standin");
	for (uint32_t i = 0; i < 300; i++) {
		standin_send(0, &i, sizeof(i));
		standin_send(1, &i, sizeof(i)); /* to nobody */
	}
	assert_int_equal(softnic_step(1), 600);
	assert_int_equal(rig_out(0)->sent, 300);
	assert_int_equal(rig_out(0)->last, 299);
	assert_int_equal(standin_of(0)->nb_tx, 0);
	rig_end();
}

static void
without_descriptors_frames_wait_or_are_missed(void **state)
{
	(void)state;
	rig_plug_well("run,step ; standin gen,wait ; standin gen");
	standin_of(0)->room = 10;
	standin_of(1)->room = 10;
	assert_int_equal(softnic_step(64), 10 + 64);
	assert_int_equal(rig_in(0)->at, 10);
	assert_int_equal(rig_in(1)->at, 64);
	assert_int_equal(soft_port(0)->stats.rx_offered, 10);
	assert_int_equal(soft_port(0)->stats.rx_missed, 0);
	assert_int_equal(soft_port(1)->stats.rx_offered, 64);
	assert_int_equal(soft_port(1)->stats.rx_missed, 54);
	standin_of(0)->room = 1;
	assert_int_equal(softnic_step(1), 2);
	assert_memory_equal(standin_of(0)->rx[10].data, &(uint32_t){ 10 }, 4);
	rig_end();
}

static void
a_nic_that_does_not_listen_is_not_sent_to(void **state)
{
	(void)state;
	rig_plug_well("run,step ; standin gen");
	standin_of(0)->room = 256;
	standin_of(0)->deaf = true;
	assert_int_equal(softnic_step(64), 0);
	assert_int_equal(rig_in(0)->fetches, 0);
	standin_of(0)->deaf = false;
	assert_int_equal(softnic_fault(0, SOFTNIC_LINK_DOWN, 1, NULL), 0);
	assert_int_equal(softnic_step(64), 0);
	assert_int_equal(softnic_fault(0, SOFTNIC_LINK_DOWN, 0, NULL), 0);
	assert_int_equal(softnic_step(64), 64);
	rig_end();
}

static void
replies_arrive_in_the_next_turn(void **state)
{
	static const uint8_t a[] = "arp reply a", b[] = "arp b";
	static const uint8_t large[SOFT_FRAME_MAX + 1];
	struct standin *nic;

	(void)state;
	rig_plug_well("run,step ; standin sink");
	nic = standin_of(0);
	soft_reply(soft_port(0)->out, a, sizeof(a));
	soft_reply(soft_port(0)->out, b, sizeof(b));
	assert_int_equal(softnic_step(64), 0); /* no descriptor: it waits */
	nic->room = 1;
	assert_int_equal(softnic_step(64), 1);
	nic->room = 5;
	assert_int_equal(softnic_step(64), 1);
	assert_int_equal(softnic_step(64), 0);
	assert_int_equal(nic->rx[0].len, sizeof(a));
	assert_memory_equal(nic->rx[0].data, a, sizeof(a));
	assert_int_equal(nic->rx[1].len, sizeof(b));
	assert_memory_equal(nic->rx[1].data, b, sizeof(b));
	soft_reply(soft_port(0)->out, large, sizeof(large));
	nic->room = 256;
	assert_int_equal(softnic_step(64), 0);
	for (unsigned int i = 0; i < 1000; i++) /* what has no room is lost, no more */
		soft_reply(soft_port(0)->out, a, sizeof(a));
	assert_in_range(softnic_step(64), 8, SOFT_BATCH);
	assert_int_equal(softnic_step(64), 0);
	rig_end();
}

static void
the_clock_of_a_step_is_its_turns(void **state)
{
	uint64_t before;

	(void)state;
	rig_plug_well("run,step,seed=9 ; standin");
	before = soft_now_ns();
	for (unsigned int i = 0; i < 5; i++)
		softnic_step(1);
	assert_int_equal(soft_now_ns() - before, 5000);
	assert_int_equal(soft_seed(), 9);
	assert_false(soft_trace());
	rig_end();
}

static void
a_trace_has_a_line_a_turn(void **state)
{
	(void)state;
	rig_plug_well("run,step,trace ; standin gen,count=3 sink");
	standin_of(0)->room = 9;
	standin_send(0, "frame", 5);
	rig_listen();
	softnic_step(2);
	softnic_step(2);
	softnic_step(2);
	rig_heard();
	assert_string_equal(rig_said, "softnic: 0 0000:01:00.0: turn 1: 1 sent, 2 received\n"
				      "softnic: 0 0000:01:00.0: turn 2: 0 sent, 1 received\n");
	rig_end();
}

/* ---- the model thread */

static bool
comes_true(const bool *flag)
{
	const uint64_t until = clock_us() + 5 * CLOCK_SECOND_US;
	bool is = false;

	while (!is && clock_us() < until) {
		usleep(100);
		soft_lock();
		is = *flag;
		soft_unlock();
	}
	return is;
}

/* The only thread of that name, or 0. */
static pid_t
thread_named(const char *name)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *e;
	pid_t found = 0;

	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL) {
		char path[300], comm[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (f == NULL)
			continue;
		if (fgets(comm, sizeof(comm), f) != NULL && strcspn(comm, "\n") == strlen(name) &&
		    strncmp(comm, name, strlen(name)) == 0) {
			assert_int_equal(found, 0);
			found = (pid_t)atoi(e->d_name);
		}
		fclose(f);
	}
	closedir(dir);
	return found;
}

static void
the_thread_runs_by_itself(void **state)
{
	(void)state;
	rig_plug_well("standin gen,count=500,wait sink");
	standin_of(0)->room = 500;
	assert_int_equal(softnic_step(1), -EBUSY);
	assert_int_equal(soft_port(0)->stats.rx_frames, 0);
	assert_int_equal(soft_start(), 0);
	assert_int_equal(soft_start(), 0);
	assert_int_not_equal(thread_named("softnic"), 0);
	assert_true(comes_true(&soft_port(0)->in->ended));
	assert_int_equal(standin_of(0)->nb_rx, 500);
	rig_end();
}

/* A CPU that this process may use. */
static int
some_cpu(void)
{
	cpu_set_t cpus;
	int cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	return cpu;
}

static void
pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

static void
the_thread_is_where_it_was_told(void **state)
{
	const int cpu = some_cpu();
	cpu_set_t before, is;
	char spec[64];

	(void)state;
	snprintf(spec, sizeof(spec), "run,cpu=%d ; standin", cpu);
	rig_plug_well(spec);
	assert_int_equal(soft_start(), 0);
	assert_int_not_equal(thread_named("softnic"), 0);
	assert_int_equal(sched_getaffinity(thread_named("softnic"), sizeof(is), &is), 0);
	assert_true(CPU_COUNT(&is) == 1 && CPU_ISSET(cpu, &is));
	rig_end();
	assert_int_equal(thread_named("softnic"), 0);

	/* Not told: what the process had when the plugin came, not what EAL left of it. */
	sched_getaffinity(0, sizeof(before), &before);
	rig_plug_well("standin");
	pin(cpu);
	assert_int_equal(soft_start(), 0);
	assert_int_equal(sched_getaffinity(thread_named("softnic"), sizeof(is), &is), 0);
	assert_true(CPU_EQUAL(&is, &before));
	sched_setaffinity(0, sizeof(before), &before);
	rig_end();
}

static uint64_t
own_cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * CLOCK_SECOND_US + (uint64_t)ts.tv_nsec / 1000;
}

/*
 * On one CPU with a thread that has frames in every turn, and so never sleeps.  Waking up stops it
 * within a turn.  Who then spins uses up a slice of the scheduler, milliseconds each time; who is
 * not made way for finds the lock taken again and again.
 */
static void
a_trap_on_the_thread_s_cpu_is_not_starved(void **state)
{
	const int cpu = some_cpu();
	uint64_t wall_us, cpu_us;
	cpu_set_t before;
	char spec[96];

	(void)state;
	sched_getaffinity(0, sizeof(before), &before);
	snprintf(spec, sizeof(spec), "run,cpu=%d ; standin gen,count=4294967295", cpu);
	rig_plug_well(spec);
	pin(cpu);
	assert_int_equal(soft_start(), 0);
	wall_us = clock_us();
	cpu_us = own_cpu_us();
	for (unsigned int i = 0; i < TRAPS && clock_us() - wall_us < 5 * CLOCK_SECOND_US; i++) {
		usleep(50);
		soft_lock_trap();
		soft_unlock();
	}
	wall_us = clock_us() - wall_us;
	cpu_us = own_cpu_us() - cpu_us;
	sched_setaffinity(0, sizeof(before), &before);
	rig_end();
	if (wall_us > 2 * CLOCK_SECOND_US || cpu_us > TRAPS * 300)
		fail_msg("%d traps took %u us, %u of them on the CPU", TRAPS, (unsigned int)wall_us,
			 (unsigned int)cpu_us);
}

static void *
hold_the_lock(void *arg)
{
	soft_lock();
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	soft_unlock();
	return NULL;
}

static void
the_way_out_does_not_wait_for_ever(void **state)
{
	pthread_barrier_t b;
	pthread_t t;

	(void)state;
	pthread_barrier_init(&b, NULL, 2);
	assert_int_equal(pthread_create(&t, NULL, hold_the_lock, &b), 0);
	pthread_barrier_wait(&b);
	assert_false(lock_try_for(5));
	assert_false(lock_wanted());
	pthread_barrier_wait(&b);
	pthread_join(t, NULL);
	assert_true(lock_try_for(5));
	soft_unlock();
	pthread_barrier_destroy(&b);
}

static volatile sig_atomic_t handled;

static void
take_the_lock(int sig)
{
	(void)sig;
	soft_lock_trap();
	soft_unlock();
	handled++;
}

/* A handler that stops ports, on a thread that is in the middle of an access. */
static void
a_signal_waits_for_the_lock_s_holder(void **state)
{
	struct sigaction sa = { .sa_handler = take_the_lock }, old;
	sigset_t now;

	(void)state;
	rig_plug_well("run,step ; standin");
	alarm(5); /* it would spin */
	assert_int_equal(sigaction(SIGUSR1, &sa, &old), 0);
	soft_lock();
	assert_int_equal(raise(SIGUSR1), 0);
	assert_int_equal(handled, 0);
	soft_unlock();
	assert_int_equal(handled, 1);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &now), 0);
	assert_int_equal(sigismember(&now, SIGUSR1), 0);
	sigaction(SIGUSR1, &old, NULL);
	alarm(0);
	rig_end();
}

static void
a_stall_takes_its_time(void **state)
{
	uint64_t us;

	(void)state;
	rig_plug_well("run,step ; standin");
	us = clock_us();
	assert_int_equal(softnic_fault(0, SOFTNIC_READ_STALL, 3000, NULL), 0);
	soft_stall(soft_port(0));
	assert_true(clock_us() - us >= 3000);
	rig_end();
}

static void *
end_the_stall(void *arg)
{
	(void)arg;
	usleep(50000);
	assert_int_equal(softnic_fault(0, SOFTNIC_READ_STALL, 0, NULL), 0);
	return NULL;
}

static void
a_stall_ends_with_its_fault(void **state)
{
	uint64_t us;
	pthread_t t;

	(void)state;
	rig_plug_well("run,step ; standin");
	alarm(5);
	assert_int_equal(softnic_fault(0, SOFTNIC_READ_STALL, UINT64_MAX, NULL), 0);
	assert_int_equal(pthread_create(&t, NULL, end_the_stall, NULL), 0);
	us = clock_us();
	soft_stall(soft_port(0));
	us = clock_us() - us;
	pthread_join(t, NULL);
	alarm(0);
	assert_true(us >= 40000);
	rig_end();
}

static void
a_cpu_must_be_there_and_ours(void **state)
{
	const int cpu = some_cpu();
	cpu_set_t before;
	char spec[64], why[64];

	(void)state;
	rig_plug_badly("run,cpu=1023 ; standin", "run,cpu=1023: there is no such CPU; write 0 to ");
	rig_plug_badly("run,cpu=1024 ; standin", "run,cpu=1024: outside 0 to 1023");
	rig_plug_badly("run,cpu=0,step ; standin", "step has no model thread to pin");
	sched_getaffinity(0, sizeof(before), &before);
	pin(cpu);
	if (sysconf(_SC_NPROCESSORS_CONF) > 1) {
		snprintf(spec, sizeof(spec), "run,cpu=%d ; standin", cpu == 0);
		snprintf(why, sizeof(why), "may not run there, only on %d (see taskset)", cpu);
		rig_plug_badly(spec, why);
	}
	sched_setaffinity(0, sizeof(before), &before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_at_most_a_batch_a_turn),
		cmocka_unit_test(rings_are_drained_in_a_turn),
		cmocka_unit_test(without_descriptors_frames_wait_or_are_missed),
		cmocka_unit_test(a_nic_that_does_not_listen_is_not_sent_to),
		cmocka_unit_test(replies_arrive_in_the_next_turn),
		cmocka_unit_test(the_clock_of_a_step_is_its_turns),
		cmocka_unit_test(a_trace_has_a_line_a_turn),
		cmocka_unit_test(the_thread_runs_by_itself),
		cmocka_unit_test(the_thread_is_where_it_was_told),
		cmocka_unit_test(a_trap_on_the_thread_s_cpu_is_not_starved),
		cmocka_unit_test(the_way_out_does_not_wait_for_ever),
		cmocka_unit_test(a_signal_waits_for_the_lock_s_holder),
		cmocka_unit_test(a_stall_takes_its_time),
		cmocka_unit_test(a_stall_ends_with_its_fault),
		cmocka_unit_test(a_cpu_must_be_there_and_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/atomics.h"
#include "drivers/wire/run.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/*
 * Who runs the turns: a thread of our own that starts with the first probe, or the caller of
 * softnic_step().
 */
#define STEP_NS      1000ull /* of the clock of a lock-step run, a turn */
#define IDLE_YIELD   200     /* turns without a frame: let others have the CPU */
#define IDLE_SLEEP   20000   /* some milliseconds of that: sleep, short enough for the next frame */
#define IDLE_NS      50000
#define GIVE_WAY_MAX 1000  /* yields for a waiter that does not come */
#define STALL_US     10000 /* of a stall at a time: it ends when the fault does */
#define END_S        2     /* seconds that the thread has to finish its turn */

static struct {
	struct run_conf conf;
	cpu_set_t cpus; /* of the process when the plugins were loaded, before EAL pinned anyone */
	bool cpus_known, started, stop;
	pthread_t thread;
	uint64_t turns;
} run;

void
runner_init(const struct run_conf *conf)
{
	memset(&run, 0, sizeof(run));
	run.conf = *conf;
	run.cpus_known = sched_getaffinity(0, sizeof(run.cpus), &run.cpus) == 0;
}

const struct run_conf *
runner_conf(void)
{
	return &run.conf;
}

bool
runner_started(void)
{
	return run.started;
}

uint64_t
runner_turns(void)
{
	return atomic_get(&run.turns);
}

bool
soft_is_step(void)
{
	return run.conf.step;
}

uint64_t
soft_seed(void)
{
	return run.conf.seed;
}

bool
soft_trace(void)
{
	return run.conf.trace;
}

uint64_t
soft_now_ns(void)
{
	struct timespec ts;

	if (run.conf.step)
		return atomic_get(&run.turns) * STEP_NS;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static void
sleep_ns(uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000),
			       .tv_nsec = (long)(ns % 1000000000) };

	while (nanosleep(&ts, &ts) < 0 && errno == EINTR && !atomic_get(&run.stop))
		;
}

void
soft_stall(const struct soft_port *port)
{
	const uint64_t *fault = &port->fault[SOFTNIC_READ_STALL];
	uint64_t us = atomic_get(fault);

	while (__builtin_expect(us > 0, 0) && atomic_get(fault) > 0 && !atomic_get(&run.stop)) {
		uint64_t some = us < STALL_US ? us : STALL_US;

		sleep_ns(some * 1000);
		us -= some;
	}
}

/* The lock is free: let those have it who asked. */
static void
give_way(void)
{
	for (unsigned int i = 0; i < GIVE_WAY_MAX && lock_wanted(); i++)
		sched_yield();
}

static void *
run_turns(void *arg)
{
	unsigned int idle = 0;

	(void)arg;
	prctl(PR_SET_TIMERSLACK, 1000); /* ns: a sleep of 50 us is not to become 100 */
	while (!atomic_get(&run.stop)) {
		unsigned int moved;

		lock_turn();
		atomic_bump(&run.turns, 1);
		moved = turn_all(SOFT_BATCH, false);
		soft_unlock();
		give_way();
		if (moved > 0) {
			idle = 0;
		} else if (++idle > IDLE_SLEEP) {
			idle = IDLE_SLEEP;
			sleep_ns(IDLE_NS);
		} else if (idle > IDLE_YIELD) {
			sched_yield();
		}
	}
	return NULL;
}

/* Signals are the program's; the CPUs are ours to choose, not those of whoever probes. */
static int
start_thread(void)
{
	cpu_set_t cpus = run.cpus;
	pthread_attr_t attr;
	sigset_t all, old;
	int ret;
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL }; /* blocked, they would kill */

	if (run.conf.cpu != RUN_NO_CPU) {
		CPU_ZERO(&cpus);
		CPU_SET(run.conf.cpu, &cpus);
	}
	pthread_attr_init(&attr);
	if (run.cpus_known)
		pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	sigfillset(&all);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = -pthread_create(&run.thread, &attr, run_turns, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (ret == 0)
		pthread_setname_np(run.thread, "softnic");
	return ret;
}

int
soft_start(void)
{
	struct err err;
	int ret = 0;

	if (run.started)
		return 0;
	ports_own();
	ports_warn_absent();
	if (!run.conf.step)
		ret = start_thread();
	if (ret < 0) {
		soft_log(NULL, "the model thread does not start: %s", strerror(-ret));
		return ret;
	}
	run.started = true;
	ret = control_start(&err);
	if (ret < 0)
		soft_log(NULL, "%s", err.text);
	return ret;
}

bool
runner_end(void)
{
	struct timespec until;
	bool ended = true;

	if (run.started && !run.conf.step) {
		atomic_put(&run.stop, true);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += END_S;
		ended = pthread_timedjoin_np(run.thread, NULL, &until) == 0;
	}
	run.started = false;
	return ended;
}

int
softnic_step(unsigned int batch)
{
	unsigned int moved;

	if (!run.conf.step)
		return -EBUSY;
	soft_lock();
	atomic_bump(&run.turns, 1);
	moved = turn_all(batch, true);
	soft_unlock();
	return (int)moved;
}

void
soft_log(const struct soft_port *port, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n = 0;

	if (port != NULL)
		n = snprintf(line, sizeof(line), "softnic: %u %s: ", port->index, port->bdf);
	else
		n = snprintf(line, sizeof(line), "softnic: ");
	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
	va_end(ap);
	/* In one piece, also when several threads speak. */
	strcat(line, "\n");
	fputs(line, stderr);
}

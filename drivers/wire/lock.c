/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/atomics.h"
#include "base/clock.h"
#include "drivers/wire/run.h"

#include <sched.h>
#include <signal.h>

#include <rte_pause.h>

/*
 * The one lock of all models.  Its holder may be the model thread, which takes it again at once
 * after every turn: on a CPU of its own it would win every time, and on a CPU that it shares with
 * a waiter, the waiter would spin its time slice away.  So who wants it says so, the model thread
 * then stays away until it had it (runner.c), and whoever waits long yields.
 *
 * A thread of the program that holds it takes no signals: a handler that stops ports, as programs
 * do for SIGINT, would wait for the very thread that it interrupts.
 */
#define SPINS 100 /* a few microseconds, a turn of one port */

static int held;
static unsigned int wanting;
static struct {
	bool changed;
	sigset_t before;
} mask; /* the holder's */

static bool
lock_try(void)
{
	return atomic_get(&held) == 0 && __atomic_exchange_n(&held, 1, __ATOMIC_ACQUIRE) == 0;
}

static void
lock_wait(void)
{
	for (unsigned int i = 0; !lock_try(); i++)
		if (i < SPINS)
			rte_pause();
		else
			sched_yield();
}

void
lock_turn(void)
{
	lock_wait();
}

/* All but those that an instruction raises: blocked, they would kill. */
static void
block_signals(sigset_t *before)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

void
soft_lock(void)
{
	sigset_t before;

	block_signals(&before);
	if (!lock_try()) {
		__atomic_fetch_add(&wanting, 1, __ATOMIC_RELAXED);
		lock_wait();
		__atomic_fetch_sub(&wanting, 1, __ATOMIC_RELAXED);
	}
	mask.before = before;
	mask.changed = true;
}

void
soft_lock_trap(void)
{
	soft_lock();
}

void
soft_unlock(void)
{
	const bool changed = mask.changed;
	sigset_t before;

	if (changed)
		before = mask.before;
	mask.changed = false;
	atomic_release(&held, 0);
	if (changed)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool
lock_wanted(void)
{
	return atomic_get(&wanting) != 0;
}

bool
lock_try_for(unsigned int ms)
{
	const uint64_t until = clock_us() + ms * 1000ull;
	bool got;

	__atomic_fetch_add(&wanting, 1, __ATOMIC_RELAXED);
	while (!(got = lock_try()) && clock_us() < until)
		sched_yield();
	__atomic_fetch_sub(&wanting, 1, __ATOMIC_RELAXED);
	return got;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include "base/err.h"
#include "ctl/evloop.h"

#include <stdbool.h>

/*
 * Signals of the process.
 *
 * SIGINT and SIGTERM ask for the end, SIGUSR1 for the report; they arrive through the event loop.
 * SIGHUP, SIGPIPE, SIGUSR2, SIGALRM and their like change nothing.
 *
 * Once the end has been asked for, a second SIGINT or SIGTERM cuts all waiting short, and leaves
 * with status 1 if that is not over in SIGNALS_PATIENCE_S; a third leaves at once.
 */
#define SIGNALS_PATIENCE_S 3

/* First thing in main(), while there is one thread: all others inherit what is blocked. */
void signals_block(void);

struct signals_fns {
	void (*end)(void *arg);
	void (*report)(void *arg);
	void *arg;
};

/* Deliver through the loop from now on.  0 or -errno. */
int signals_watch(struct evloop *loop, const struct signals_fns *fns, struct err *err);

/* The loop is over, or is about to wait inside a callback: count further signals by handler. */
void signals_ending(void);

/* Nobody wants to wait any more. */
bool signals_forced(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include "base/err.h"
#include "ctl/evloop.h"

#include <stdbool.h>

/*
 * Signals of the process.
 *
 * SIGINT and SIGTERM ask for the end, SIGUSR1 for the report; the event loop acts on them.
 * SIGHUP, SIGPIPE, SIGUSR2, SIGALRM and their like change nothing.
 *
 * A second SIGINT or SIGTERM cuts all waiting short, and leaves with status 1 if that is not over
 * in SIGNALS_PATIENCE_S; a third leaves at once.  Handlers count them, so that this holds also
 * while the control thread waits for somebody: a FIFO without a writer, a full pipe.
 */
#define SIGNALS_PATIENCE_S 3

/* While there is one thread, before EAL starts others: they inherit what is blocked. */
void signals_block(void);

/* Once EAL has started them: the calling thread takes the signals. */
void signals_catch(void);

struct signals_fns {
	void (*end)(void *arg);
	void (*report)(void *arg);
	void *arg;
};

/* Act on them through the loop, also on those that have come already.  0 or -errno. */
int signals_watch(struct evloop *loop, const struct signals_fns *to, struct err *err);

/* Nobody wants to wait any more. */
bool signals_forced(void);

#endif

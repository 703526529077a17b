/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_RUN_H
#define APP_RUN_H

#include "ctl/ctl.h"

struct app;

/*
 * Forwarding, from start to stop, and the control thread's loop.
 */
struct run_ops run_ops(struct app *app);

/* The order of design: command file and route file are checked whole, then applied, then start. */
int run_configure(struct app *app, struct err *err);

/*
 * Every worker off its ports, what was under way between threads done, and on again.  Packets that
 * wait for a neighbour go on waiting.
 */
void run_pause(struct app *app);
int run_resume(struct app *app, struct err *err);

/* Until a command, a signal or a limit asks for the end.  0, or -errno when it failed. */
int run_loop(struct app *app, struct err *err);

/* Drain and stop if it still forwards, write the report; the exit status. */
int run_end(struct app *app);

#endif

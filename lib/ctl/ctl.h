/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include "base/err.h"
#include "ctl/evloop.h"
#include "ctl/port_ops.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rte_mempool;
struct router;
struct slow;
struct stats_core;
struct workers;

/*
 * Commands: one parser for the prompt, command files and the socket; and what is printed of the
 * state.  One control thread.  Nothing here exits: "quit" asks run_ops to.
 */
struct ctl;

/* What only app can do. */
struct run_ops {
	int (*start)(void *arg, struct err *err); /* -EBUSY: forwarding already */
	int (*stop)(void *arg, struct err *err);  /* -EALREADY: it is not */
	void (*quit)(void *arg);                  /* stop and end the process, exit status 0 */
	void (*print_plan)(void *arg, FILE *out);
	void *arg;
};

struct ctl_config {
	struct evloop *loop; /* for ctl_prompt() and ctl_socket() */
	struct router *router;
	struct slow *slow;       /* NULL, as workers and control_stats: --check starts none */
	struct workers *workers; /* must outlive ctl */
	const struct stats_core *control_stats; /* the control thread's own row */
	struct rte_mempool *const *pool;
	uint16_t nb_pools;
	const struct port_ops *ports;
	struct run_ops run;
	uint64_t started_us; /* clock_us() at process start */
	bool record_core_cycles, record_burst_stats;
	const char *version;
};

int ctl_create(struct ctl **out, const struct ctl_config *cfg, struct err *err);
void ctl_destroy(struct ctl *ctl); /* closes the socket and removes its path */

/*
 * Run one command line.  Its answer goes to out, an error's text to err.
 * 0; -EINVAL and other negative errno when it was refused.  Blank lines and comments are 0.
 */
int ctl_run_line(struct ctl *ctl, char *line, FILE *out, struct err *err);

/*
 * A command file in two steps: check parses every line and every argument and changes nothing;
 * apply runs them.  The error says FILE:LINE.  A "start" in the file only sets *wants_start; without
 * wants_start apply is a rehearsal, in which "route save" writes nothing.
 */
int ctl_file_check(struct ctl *ctl, const char *path, struct err *err);
int ctl_file_apply(struct ctl *ctl, const char *path, FILE *out, bool *wants_start,
		   struct err *err);

/*
 * Load a route file, replacing routes with the same prefix.  Bad lines are printed to out as
 * FILE:LINE: reason (check: unless out is NULL), and nothing is applied.
 */
int ctl_route_file_check(struct ctl *ctl, const char *path, FILE *out, struct err *err);
int ctl_route_file_load(struct ctl *ctl, const char *path, FILE *out, struct err *err);

/*
 * The prompt on stdin; end of input ends the prompt only.  On a terminal with editing, history and
 * completion; from a file or a pipe line by line, without a prompt, up to the first "quit".
 */
int ctl_prompt(struct ctl *ctl, struct err *err);

/* The control socket: mode 0600; a stale one is replaced, a live one is -EADDRINUSE. */
int ctl_socket(struct ctl *ctl, const char *path, struct err *err);

/* Our telemetry endpoints: /sluice/ledger, /sluice/drops, /sluice/lcores.  One ctl a process. */
int ctl_telemetry(struct ctl *ctl, struct err *err);

/* The JSON report; to path whole or not at all (written beside it and renamed). */
int ctl_report(struct ctl *ctl, const char *path, struct err *err);

/* What is printed on stop and at the end: forward statistics, drops and the ledger. */
void ctl_print_fwd_stats(struct ctl *ctl, FILE *out);
void ctl_print_ledger(struct ctl *ctl, FILE *out);
/* One tick of --stats-period. */
void ctl_print_port_stats(struct ctl *ctl, FILE *out);

/* The ledger's total is 0 (true) or not; only exact while nothing forwards. */
bool ctl_ledger_closed(struct ctl *ctl);

#endif

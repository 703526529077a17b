/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_LAUNCH_H
#define APP_LAUNCH_H

#include "args.h"
#include "ctl/ctl.h"
#include "ctl/evloop.h"
#include "inputs.h"
#include "plan.h"
#include "route/route.h"
#include "slow/slow.h"
#include "watch.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Carry out a plan, and undo it.  EAL runs before and after.
 */
struct app {
	struct app_args args;
	struct inputs inputs;
	uint64_t started_us;

	struct nic_caps nic[RTE_MAX_ETHPORTS];
	uint16_t nb_ports;
	struct plan plan;
	struct rte_mempool *pool[POOL_NODES_MAX];
	uint16_t nb_up; /* ports configured so far, from the first */

	struct router_config tables;
	struct rte_rcu_qsbr *rcu;
	struct stats_core *control_stats;
	struct router *router;
	struct workers *workers;
	struct slow *slow;
	struct evloop *loop;
	struct ctl *ctl;

	/* run.c's */
	bool quit, failed;
	uint64_t idle_us, tick_us, seen_received;
	uint64_t announce_us; /* when own addresses are announced; UINT64_MAX once they were */
	uint64_t seen_turns[RTE_MAX_LCORE];
	uint16_t stuck; /* lcore that was warned of; UINT16_MAX is none */

	/* mend.c's */
	struct watch_port watch[RTE_MAX_ETHPORTS];
	struct watch_retry retry[RTE_MAX_ETHPORTS];
};

/*
 * Ports, pools, tables, workers (stopped), the control side.  0; -EIO when a device failed; other
 * negative errno when something asked for cannot be had.  After a failure launch_down() takes back
 * what was done.
 */
int launch_up(struct app *app, struct err *err);

/*
 * The reverse of it.  The reply is the number of mbufs that did not come back to their pools,
 * which is 0 or a bug.
 */
uint32_t launch_down(struct app *app);

/* The plan and, once ports run, what their drivers chose. */
void launch_print_plan(struct app *app, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_CTL_FAKES_H
#define TEST_CTL_FAKES_H

#include "ctl/ctl.h"
#include "ctl/port_ops.h"
#include "route/route.h"
#include "stats/stats.h"
#include "worker/worker.h"

/*
 * Hand-written stand-ins for what lib/ctl calls.  What would change something is written into a log,
 * so that a test can say what happened, and that nothing did.
 */
#define FAKE_PORTS   3
#define FAKE_WORKERS 2

struct fake {
	char log[8192];
	int fail; /* what the next changing call returns, with the text "it does not want to" */
	bool running;
	size_t plan_bytes; /* what "show plan" prints more */

	uint16_t nb_ports;
	struct port_info info[FAKE_PORTS];
	struct port_stats stats[FAKE_PORTS];

	uint8_t mode;
	struct worker_plan plan[FAKE_WORKERS];
	struct stats_core core[FAKE_WORKERS], control;
	struct stats_bursts bursts[FAKE_WORKERS];

	struct route_info route[8];
	unsigned int nb_routes;
};
extern struct fake fake;

/* Start over: two ports, two workers, nothing counted. */
void fake_reset(void);

/* A ctl over the stand-ins; loop may be NULL. */
struct ctl *fake_ctl(struct evloop *loop);
struct ctl *fake_ctl_recording(void); /* cycles and bursts */

/* The stand-in ports by themselves. */
void fake_port_ops(struct port_ops *ops);

/* What a function prints, allocated. */
char *fake_printed(void (*print)(struct ctl *, FILE *), struct ctl *ctl);

/* Run one line; its output (allocated) or NULL, and the error's text. */
char *fake_run(struct ctl *ctl, const char *line, int *ret, struct err *err);

/* Write a file under the test's own directory; the path is static. */
const char *fake_file(const char *name, const void *data, size_t len);
const char *fake_path(const char *name);
/* What a file holds, allocated; NULL when there is none. */
char *fake_content(const char *path);
/* Group teardown: remove that directory. */
int fake_cleanup(void **state);

#endif

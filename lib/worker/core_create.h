/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WORKER_CORE_CREATE_H
#define WORKER_CORE_CREATE_H

#include "worker/worker.h"

/*
 * A core from its plan, and back.  Control thread; memory of the worker's NUMA node.  On failure
 * *out is left as it was and err says what was wanted.
 */
struct core_make {
	struct core_knobs *knobs;         /* borrowed; shared by all cores */
	const struct workers_config *cfg; /* borrowed during the call */
	const struct worker_plan *plan;   /* borrowed during the call */
	struct stats_bursts *bursts;      /* out: the histograms, NULL unless recorded */
};
int core_create(struct core **out, struct core_make *make, struct err *err);
void core_destroy(struct core *core, struct stats_bursts *bursts); /* NULL is fine */

#endif

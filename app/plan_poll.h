/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_PLAN_POLL_H
#define APP_PLAN_POLL_H

#include "plan.h"

#include <rte_common.h>

/*
 * Between the files that make a plan: the two ways to say who polls what, and what both use.
 */
#define PLAN_NOBODY UINT16_MAX /* in worker_of[]: nobody polls that queue yet */

/* From --config's tuples; or from distances, --nb-cores and --rxq. */
int plan_poll_config(struct plan *plan, const struct plan_input *in, struct err *err);
int plan_poll_auto(struct plan *plan, const struct plan_input *in, struct err *err);

void plan_add_worker(struct plan *plan, const struct plan_lcore *lcore);
/* Worker w polls that queue.  -EINVAL: it polls too many. */
int plan_give_queue(struct plan *plan, struct plan_port *port, uint16_t queue, uint16_t w,
		    struct err *err);

/* Between two NUMA nodes; one that is not known is near. */
int plan_distance(const struct plan_input *in, int a, int b);

static inline uint16_t
plan_max_rxq(const struct nic_caps *nic)
{
	return RTE_MIN(nic->max_rxq, NIC_QUEUES_MAX);
}

static inline uint16_t
plan_max_txq(const struct nic_caps *nic)
{
	return RTE_MIN(nic->max_txq, NIC_QUEUES_MAX);
}

#endif

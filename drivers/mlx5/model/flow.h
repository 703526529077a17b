/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_FLOW_H
#define CX5_FLOW_H

#include "drivers/mlx5/model/glue.h"
#include "drivers/mlx5/model/steer.h"

/*
 * Handles of DR flow objects, as rdma-core's mlx5dv_dr_*.  One that others are made of cannot be
 * destroyed before them (EBUSY).
 *
 * Private to flow_*.c.  Under the models' lock.
 */
struct cx5_domain {
	struct cx5 *nic;
	unsigned int users; /* tables */
	bool egress, no_duplicates;
};
struct cx5_dr_table {
	struct cx5_domain *domain;
	unsigned int users;       /* matchers */
	struct cx5_table *engine; /* of its own, or the root table of the card */
	struct cx5_table own;
};
struct cx5_dr_matcher {
	struct cx5_dr_table *table;
	unsigned int users; /* rules */
	struct cx5_matcher *engine;
};

enum cx5_action_kind {
	CX5_ACTION_TIR,
	CX5_ACTION_JUMP,
	CX5_ACTION_DROP,
	CX5_ACTION_MISS,
	CX5_ACTION_TAG,
	CX5_ACTION_COUNT,
	CX5_ACTION_POP_VLAN,
};
struct cx5_action {
	enum cx5_action_kind kind;
	unsigned int users; /* rules */
	uint32_t value;     /* the tag, the place of the counter */
	struct cx5 *nic;    /* NULL: of no one card */
	struct cx5_tir *tir;
	struct cx5_table *table;
	struct cx5_counters *counters;
};
#define CX5_ACTIONS 8 /* of a rule; MLX5_DV_MAX_NUMBER_OF_ACTIONS of the PMD */
struct cx5_dr_rule {
	struct cx5_dr_matcher *matcher;
	struct cx5_rule *engine;
	size_t nb_actions;
	struct cx5_action *action[CX5_ACTIONS];
};

/* Add what an action does: -EINVAL it does not go with the others, -EOPNOTSUPP not modelled. */
int cx5_fate_add(struct cx5_fate *fate, const struct cx5_action *action);

#endif

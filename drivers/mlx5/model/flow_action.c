/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/flow.h"
#include "drivers/mlx5/model/prm.h"

#include <errno.h>
#include <stdlib.h>

/*
 * What rules do.  Actions that the PMD makes for every card at once have no card of their own.
 */
#define TAG_MAX     0xffffffu /* a flow tag has 24 bits in the CQE, PRM "CQE Format" */
#define MODIFY_COPY 3         /* action_type of copy_action_in, PRM "Modify Header Actions" */

static struct cx5_action *
action_new(enum cx5_action_kind kind, struct cx5 *nic)
{
	struct cx5_action *action = calloc(1, sizeof(*action));

	if (action == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	action->kind = kind;
	action->nic = nic;
	cx5_count(nic, 1);
	return action;
}

/* One that needs nothing. */
static void *
action_plain(enum cx5_action_kind kind, uint32_t value)
{
	struct cx5_action *action;

	cx5_lock();
	action = action_new(kind, NULL);
	if (action != NULL)
		action->value = value;
	cx5_unlock();
	return action;
}

void *
glue_dr_create_flow_action_drop(void)
{
	return action_plain(CX5_ACTION_DROP, 0);
}

void *
glue_dr_create_flow_action_pop_vlan(void)
{
	return action_plain(CX5_ACTION_POP_VLAN, 0);
}

/* To the kernel's own tables, which are those of a host that is not there. */
void *
glue_dr_create_flow_action_default_miss(void)
{
	return action_plain(CX5_ACTION_MISS, 0);
}

void *
glue_dv_create_flow_action_tag(uint32_t tag)
{
	if (tag > TAG_MAX) {
		errno = EINVAL;
		return NULL;
	}
	return action_plain(CX5_ACTION_TAG, tag);
}

void *
glue_dr_create_flow_action_dest_flow_tbl(void *table)
{
	struct cx5_dr_table *to = table;
	struct cx5_action *action;

	cx5_lock();
	action = action_new(CX5_ACTION_JUMP, to->domain->nic);
	if (action != NULL) {
		action->table = to->engine;
		to->engine->users++;
	}
	cx5_unlock();
	return action;
}

static struct cx5_action *
action_tir(struct cx5_tir *tir)
{
	struct cx5_action *action;

	if (tir == NULL) {
		errno = EINVAL;
		return NULL;
	}
	action = action_new(CX5_ACTION_TIR, tir->nic);
	if (action != NULL) {
		action->tir = tir;
		tir->users++;
	}
	return action;
}

void *
glue_dv_create_flow_action_dest_ibv_qp(void *qp)
{
	struct cx5_action *action;

	cx5_lock();
	action = action_tir(cx5_tir_of_qp(qp));
	cx5_unlock();
	return action;
}

void *
glue_dv_create_flow_action_dest_devx_tir(void *obj)
{
	struct cx5_action *action;

	cx5_lock();
	action = action_tir(cx5_tir_of_devx(obj));
	cx5_unlock();
	return action;
}

/* Whether the offset is one of the allocation's is for the rule to say, as on the card. */
void *
glue_dv_create_flow_action_counter(void *obj, uint32_t offset)
{
	struct cx5_counters *counters;
	struct cx5_action *action = NULL;

	cx5_lock();
	counters = cx5_counters_of_devx(obj);
	if (counters == NULL)
		errno = EINVAL;
	else
		action = action_new(CX5_ACTION_COUNT, NULL);
	if (action != NULL) {
		action->counters = counters;
		action->value = offset;
		counters->users++;
	}
	cx5_unlock();
	return action;
}

/*
 * Frames arrive as they were sent, and there are no metadata registers.  The PMD asks for copies of
 * registers at each probe to find that out, which is not worth a line in the log.
 */
void *
glue_dv_create_flow_action_modify_header(struct ibv_context *context,
					 enum mlx5dv_flow_table_type type, void *domain,
					 uint64_t flags, size_t size, uint64_t actions[])
{
	(void)context;
	(void)type;
	(void)flags;
	for (size_t i = 0; i < size / sizeof(actions[0]); i++) {
		if (prm_get(&actions[i], 0, 4) == MODIFY_COPY)
			continue;
		soft_log(((const struct cx5_domain *)domain)->nic->port,
			 "a flow rule rewrites headers: not modelled, refused");
		break;
	}
	errno = EOPNOTSUPP;
	return NULL;
}

int
glue_destroy_flow_action(void *handle)
{
	struct cx5_action *action = handle;

	cx5_lock();
	if (action->users > 0) {
		cx5_unlock();
		errno = EBUSY;
		return EBUSY;
	}
	if (action->tir != NULL)
		action->tir->users--;
	if (action->table != NULL)
		action->table->users--;
	if (action->counters != NULL)
		cx5_counters_put(action->counters);
	cx5_count(action->nic, -1);
	cx5_unlock();
	free(action);
	return 0;
}

int
cx5_fate_add(struct cx5_fate *fate, const struct cx5_action *action)
{
	bool goes_on = fate->tir != NULL || fate->jump != NULL;

	switch (action->kind) {
	case CX5_ACTION_TIR:
		fate->tir = action->tir;
		return goes_on ? -EOPNOTSUPP : 0; /* a frame to several queues */
	case CX5_ACTION_JUMP:
		fate->jump = action->table;
		return goes_on ? -EOPNOTSUPP : 0;
	case CX5_ACTION_DROP:
	case CX5_ACTION_MISS:
		return goes_on ? -EINVAL : 0;
	case CX5_ACTION_TAG:
		fate->mark = action->value;
		fate->marks = true;
		return 0;
	case CX5_ACTION_COUNT:
		if (action->value >= action->counters->n || fate->counter != NULL)
			return -EINVAL;
		fate->counter = &action->counters->value[action->value];
		return 0;
	case CX5_ACTION_POP_VLAN:
		fate->pop_vlan = true;
		return 0;
	}
	return -EINVAL;
}

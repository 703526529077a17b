/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/devx.h"

#include <errno.h>

/* MODIFY_RQ, MODIFY_SQ: the state it has, the one it shall have. */
#define QUEUE_STATE   0x40, 4
#define QUEUE_NUM     0x48, 24
#define NEXT_STATE    0x108, 4
#define MASK          0x80
#define RQ_VSD        0x103, 1
#define RQ_FCS        0x102, 1
#define MASK_VSD      0x2
#define MASK_FCS      0x4
#define MASK_COUNTER  0x8
#define TIR_NEW_RQTN  0x208, 24
#define MASK_TIR_RQT  0x2
#define MASK_TIR_HASH 0x4

/* PRM: RST 0, RDY 1, ERR 3; -1: no such */
static int
state_of(uint32_t field)
{
	static const int state[] = { CX5_RESET, CX5_READY, -1, CX5_ERROR };

	return field < 4 ? state[field] : -1;
}

/* RST -> RDY, RDY -> ERR, everything -> RST, and staying: not out of ERR but by RST. */
static bool
may_become(enum cx5_state from, int to)
{
	if (to < 0)
		return false;
	return to == CX5_RESET || to == (int)from || (from == CX5_RESET && to == CX5_READY) ||
	       (from == CX5_READY && to == CX5_ERROR);
}

int
cx5_modify_rq(struct cx5_cmd *cmd, struct cx5_object *object)
{
	struct cx5_rq *rq = object->of;
	uint64_t mask = prm_get64(cmd->in, MASK);
	int next = state_of(prm_get(cmd->in, NEXT_STATE));

	if (prm_get(cmd->in, QUEUE_NUM) != object->id)
		return cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_RQN);
	if ((mask & ~(uint64_t)(MASK_VSD | MASK_FCS | MASK_COUNTER)) != 0)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_MASK);
	if (state_of(prm_get(cmd->in, QUEUE_STATE)) != (int)rq->state ||
	    !may_become(rq->state, next))
		return cx5_cmd_fail(cmd, CX5_BAD_STATE, CX5_SYN_STATE);
	if (cx5_rq_state(rq, (enum cx5_state)next) < 0)
		return cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_QUEUES);
	if (mask & MASK_VSD)
		rq->strip_vlan = !prm_get(cmd->in, RQ_VSD);
	if (mask & MASK_FCS)
		rq->keep_fcs = prm_get(cmd->in, RQ_FCS);
	return 0;
}

int
cx5_modify_sq(struct cx5_cmd *cmd, struct cx5_object *object)
{
	struct cx5_sq *sq = object->of;
	int next = state_of(prm_get(cmd->in, NEXT_STATE));

	if (prm_get(cmd->in, QUEUE_NUM) != object->id)
		return cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_RQN);
	if (prm_get64(cmd->in, MASK) != 0)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_MASK);
	if (state_of(prm_get(cmd->in, QUEUE_STATE)) != (int)sq->state ||
	    !may_become(sq->state, next))
		return cx5_cmd_fail(cmd, CX5_BAD_STATE, CX5_SYN_STATE);
	if (cx5_sq_state(sq, (enum cx5_state)next) < 0)
		return cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_QUEUES);
	return 0;
}

int
cx5_modify_rqt(struct cx5_cmd *cmd, struct cx5_object *object)
{
	return cx5_rqt_fill(cmd, object->of);
}

int
cx5_modify_tir(struct cx5_cmd *cmd, struct cx5_object *object)
{
	struct cx5_tir *tir = object->of;
	uint64_t mask = prm_get64(cmd->in, MASK);
	struct cx5_object *rqt = cx5_id_find(cmd->nic, prm_get(cmd->in, TIR_NEW_RQTN), CX5_RQT);

	if ((mask & ~(uint64_t)(MASK_TIR_RQT | MASK_TIR_HASH)) != 0)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_MASK);
	if (mask & MASK_TIR_RQT && (rqt == NULL || tir->rqt == NULL))
		return cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_RQTN);
	if (mask & MASK_TIR_HASH && cx5_tir_select(tir, cmd->in) < 0)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_FORMAT);
	if (mask & MASK_TIR_RQT) {
		tir->rqt->users--;
		tir->rqt = rqt->of;
		tir->rqt->users++;
	}
	return 0;
}

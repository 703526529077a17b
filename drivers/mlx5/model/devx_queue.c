/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/devx.h"

#include <errno.h>
#include <stdlib.h>

/* CREATE_CQ, its context at bit 0x80 (PRM "Completion Queue Context"). */
#define CQC_DBR_UMEM_VALID 0x86, 1
#define CQC_CQE_SIZE       0x88, 3 /* 0: 64 bytes */
#define CQC_COMPRESS       0x91, 1
#define CQC_MINI_FORMAT    0x92, 2
#define CQC_MINI_EXT       0xdc, 2
#define CQC_DBR_UMEM       0xa0, 32
#define CQC_LOG_SIZE       0xe3, 5
#define CQC_EQN            0x138, 8
#define CQC_DBR_OFFSET     0x240
#define CQ_UMEM_OFFSET     0x280
#define CQ_UMEM            0x2c0, 32
#define CQ_UMEM_VALID      0x2e0, 1
#define CQE_LEN            64
#define MINI_HASH          0
#define MINI_CSUM_STRIDE   3
#define LOG_CQ_MAX         22

/* CREATE_RQ, CREATE_SQ: contexts at bit 0x100, the work queue's at 0x280. */
#define RQC_SCATTER_FCS 0x102, 1
#define RQC_VSD         0x103, 1 /* VLAN stripping disabled */
#define RQC_MEM_TYPE    0x104, 4 /* 0: the ring is its own */
#define QC_STATE        0x108, 4
#define QC_HAIRPIN      0x10e, 1
#define QC_CQN          0x148, 24
#define SQC_TIS_SIZE    0x200, 16
#define SQC_TIS         0x268, 24
#define WQ_TYPE         0x280, 4
#define WQ_DBR_OFFSET   0x300
#define WQ_LOG_STRIDE   0x38c, 4
#define WQ_LOG_SIZE     0x39b, 5
#define WQ_DBR_VALID    0x3a0, 1
#define WQ_UMEM_VALID   0x3a1, 1
#define WQ_LOG_STRIDES  0x3b4, 4 /* signed: log2 of strides in a WQE, less 9 */
#define WQ_LOG_BYTES    0x3bd, 3 /* log2 of bytes of a stride, less 6 */
#define WQ_DBR_UMEM     0x3c0, 32
#define WQ_UMEM         0x3e0, 32
#define WQ_UMEM_OFFSET  0x400
#define WQ_CYCLIC       1
#define WQ_STRIDING     3
#define LOG_WQ_MAX      15
#define LOG_WQEBB       6
#define DBR_LEN         8

int
cx5_make_cq(struct cx5_cmd *cmd, struct cx5_object *object)
{
	uint32_t log_size = prm_get(cmd->in, CQC_LOG_SIZE);
	uint32_t format = prm_get(cmd->in, CQC_MINI_FORMAT);
	bool compress = prm_get(cmd->in, CQC_COMPRESS);
	struct cx5_cq *cq;

	if (log_size > LOG_CQ_MAX)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_SIZE);
	if (prm_get(cmd->in, CQC_CQE_SIZE) != 0 || prm_get(cmd->in, CQC_EQN) != CX5_DEVX_EQN ||
	    (compress && (prm_get(cmd->in, CQC_MINI_EXT) != 0 ||
			  (format != MINI_HASH && format != MINI_CSUM_STRIDE))))
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_FORMAT);
	if (!prm_get(cmd->in, CQ_UMEM_VALID) || !prm_get(cmd->in, CQC_DBR_UMEM_VALID))
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_UMEM);

	object->umem[0] = cx5_umem_find(cmd->nic, prm_get(cmd->in, CQ_UMEM));
	object->umem[1] = cx5_umem_find(cmd->nic, prm_get(cmd->in, CQC_DBR_UMEM));
	cq = calloc(1, sizeof(*cq));
	if (cq == NULL)
		return cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_MEMORY);
	cq->nic = cmd->nic;
	cq->cqn = object->id;
	cq->size = 1u << log_size;
	cq->compress = compress;
	cq->stride_mini = compress && format == MINI_CSUM_STRIDE;
	cq->buf = cx5_umem_at(object->umem[0], prm_get64(cmd->in, CQ_UMEM_OFFSET),
			      (uint64_t)cq->size * CQE_LEN);
	cq->dbrec = cx5_umem_at(object->umem[1], prm_get64(cmd->in, CQC_DBR_OFFSET), DBR_LEN);
	if (cq->buf == NULL || cq->dbrec == NULL) {
		free(cq);
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_UMEM);
	}
	object->of = cq;
	return 0;
}

int
cx5_end_cq(struct cx5_object *object)
{
	struct cx5_cq *cq = object->of;

	if (cq->users != 0)
		return -EBUSY;
	cx5_channel_leave(cq);
	free(cq);
	return 0;
}

struct ring { /* what receive and send queues have in common */
	struct cx5_cq *cq;
	uint8_t *buf;
	volatile uint32_t *dbrec;
	uint32_t size, stride;
};

static int
ring_find(struct cx5_cmd *cmd, struct cx5_object *object, struct ring *ring)
{
	struct cx5_object *cq = cx5_id_find(cmd->nic, prm_get(cmd->in, QC_CQN), CX5_CQ);
	uint32_t log_size = prm_get(cmd->in, WQ_LOG_SIZE);

	if (cq == NULL)
		return cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_CQN);
	if (prm_get(cmd->in, QC_STATE) != 0)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_STATE);
	if (prm_get(cmd->in, QC_HAIRPIN))
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_FORMAT);
	if (log_size > LOG_WQ_MAX)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_SIZE);
	if (!prm_get(cmd->in, WQ_UMEM_VALID) || !prm_get(cmd->in, WQ_DBR_VALID))
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_UMEM);

	object->umem[0] = cx5_umem_find(cmd->nic, prm_get(cmd->in, WQ_UMEM));
	object->umem[1] = cx5_umem_find(cmd->nic, prm_get(cmd->in, WQ_DBR_UMEM));
	ring->cq = cq->of;
	ring->size = 1u << log_size;
	ring->stride = 1u << prm_get(cmd->in, WQ_LOG_STRIDE);
	ring->buf = cx5_umem_at(object->umem[0], prm_get64(cmd->in, WQ_UMEM_OFFSET),
				(uint64_t)ring->size * ring->stride);
	ring->dbrec = cx5_umem_at(object->umem[1], prm_get64(cmd->in, WQ_DBR_OFFSET), DBR_LEN);
	if (ring->buf == NULL || ring->dbrec == NULL)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_UMEM);
	return 0;
}

int
cx5_make_rq(struct cx5_cmd *cmd, struct cx5_object *object)
{
	uint32_t type = prm_get(cmd->in, WQ_TYPE);
	struct ring ring = { 0 };
	struct cx5_rq *rq;
	int ret = ring_find(cmd, object, &ring);

	if (ret != 0)
		return ret;
	if ((type != WQ_CYCLIC && type != WQ_STRIDING) || prm_get(cmd->in, RQC_MEM_TYPE) != 0)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_FORMAT);
	if (ring.stride < sizeof(struct mlx5_wqe_data_seg))
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_SIZE);
	rq = calloc(1, sizeof(*rq));
	if (rq == NULL)
		return cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_MEMORY);
	rq->nic = cmd->nic;
	rq->rqn = object->id;
	rq->cq = ring.cq;
	rq->buf = ring.buf;
	rq->dbrec = ring.dbrec;
	rq->size = ring.size;
	rq->stride = ring.stride;
	rq->nb_seg = ring.stride / (uint32_t)sizeof(struct mlx5_wqe_data_seg);
	rq->strip_vlan = !prm_get(cmd->in, RQC_VSD);
	rq->keep_fcs = prm_get(cmd->in, RQC_SCATTER_FCS);
	if (type == WQ_STRIDING) {
		int strides = (int)(prm_get(cmd->in, WQ_LOG_STRIDES) ^ 8) - 8;

		rq->strides_log = (uint8_t)(9 + strides);
		rq->stride_log = (uint8_t)(6 + prm_get(cmd->in, WQ_LOG_BYTES));
		rq->nb_seg = 1; /* behind a next segment */
	}
	rq->cq->users++;
	object->of = rq;
	return 0;
}

int
cx5_end_rq(struct cx5_object *object)
{
	struct cx5_rq *rq = object->of;

	if (rq->users != 0)
		return -EBUSY;
	cx5_rq_state(rq, CX5_RESET);
	rq->cq->users--;
	free(rq);
	return 0;
}

int
cx5_make_sq(struct cx5_cmd *cmd, struct cx5_object *object)
{
	struct ring ring = { 0 };
	struct cx5_sq *sq;
	int ret = ring_find(cmd, object, &ring);

	if (ret != 0)
		return ret;
	if (prm_get(cmd->in, WQ_TYPE) != WQ_CYCLIC || ring.stride != 1u << LOG_WQEBB)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_FORMAT);
	if (prm_get(cmd->in, SQC_TIS_SIZE) != 1 ||
	    cx5_id_find(cmd->nic, prm_get(cmd->in, SQC_TIS), CX5_TIS) == NULL)
		return cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_TISN);
	sq = calloc(1, sizeof(*sq));
	if (sq == NULL)
		return cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_MEMORY);
	sq->nic = cmd->nic;
	sq->sqn = object->id;
	sq->cq = ring.cq;
	sq->buf = ring.buf;
	sq->dbrec = ring.dbrec;
	sq->size = ring.size;
	sq->cq->users++;
	object->of = sq;
	return 0;
}

int
cx5_end_sq(struct cx5_object *object)
{
	struct cx5_sq *sq = object->of;

	cx5_sq_state(sq, CX5_RESET);
	sq->cq->users--;
	free(sq);
	return 0;
}

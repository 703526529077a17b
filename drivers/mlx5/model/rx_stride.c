/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/datapath.h"

/*
 * A striding RQ (PRM "Multi-Packet RQ"): a WQE is one buffer of 2^strides_log strides, a frame
 * takes as many as it needs, and none crosses into the next WQE: what is left goes to a filler.
 */
#define SEG_AT  16 /* of the data segment in the WQE, behind a next segment */
#define FILLER  (1u << 31)
#define STRIDES 16 /* bit of the number of strides in byte_cnt */
#define AHEAD   8  /* frames */

static void
complete(struct cx5_rq *rq, const struct cx5_job *job, uint32_t bytes, uint32_t strides)
{
	struct cx5_verdict v = {
		.same = job->same,
		.ids = job->ids | htobe16((uint16_t)rq->stride_at) |
		       (uint64_t)htobe16(rq->ci) << 32,
		.mini = job->hash_be | (uint64_t)htobe32(bytes | strides << STRIDES) << 32,
	};

	cx5_cqe_rx(rq->cq, &v);
	rq->stride_at += strides;
	if (rq->stride_at != 1u << rq->strides_log)
		return;
	rq->stride_at = 0;
	rq->ci++;
}

static void
fill(struct cx5_rq *rq)
{
	struct mlx5_cqe64 cqe = { 0 };
	uint32_t left = (1u << rq->strides_log) - rq->stride_at;

	cqe.wqe_id = htobe16(rq->ci);
	cqe.wqe_counter = htobe16((uint16_t)rq->stride_at);
	cqe.byte_cnt = htobe32(FILLER | left << STRIDES);
	cx5_cqe_write(rq->cq, &cqe, MLX5_CQE_RESP_SEND);
	rq->stride_at = 0;
	rq->ci++;
}

/* Where a frame a few ahead will be, if they are all like this one. */
static inline void
prefetch_ahead(const struct cx5_rq *rq, uint8_t *to, uint32_t strides)
{
	uint32_t on = AHEAD * strides;

	if (rq->stride_at + on < 1u << rq->strides_log)
		__builtin_prefetch(to + ((size_t)on << rq->stride_log), 1);
	__builtin_prefetch(cx5_cqe_slot(rq->cq, rq->cq->pi + AHEAD), 1);
}

enum cx5_place
cx5_place_stride(struct cx5_rq *rq, const struct cx5_job *job)
{
	const struct mlx5_wqe_data_seg *seg;
	uint32_t strides, all = 1u << rq->strides_log;
	struct cx5_pieces pieces;
	uint8_t *to;

	if (!cx5_rq_ready(rq))
		return CX5_NO_WQE;
	cx5_cut(&pieces, rq, job);
	strides = (pieces.len + (1u << rq->stride_log) - 1) >> rq->stride_log;
	if (rq->stride_at + strides > all && rq->stride_at != 0) {
		fill(rq);
		if (!cx5_rq_ready(rq))
			return CX5_NO_WQE;
	}
	if (strides > all) {
		cx5_rq_too_long(rq, all);
		return CX5_TOO_LONG;
	}
	seg = (const struct mlx5_wqe_data_seg *)(cx5_rq_wqe(rq, rq->ci) + SEG_AT);
	to = cx5_rx_at(rq->nic, seg, (uint64_t)rq->stride_at << rq->stride_log, pieces.len);
	if (to == NULL) {
		cx5_rq_error(rq, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		return CX5_LOST;
	}
	prefetch_ahead(rq, to, strides);
	cx5_paste(to, &pieces, 0, pieces.len);
	complete(rq, job, pieces.len, strides);
	return CX5_DELIVERED;
}

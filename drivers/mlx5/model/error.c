/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/datapath.h"

#include <string.h>

/*
 * What becomes of a queue that meets an error: the WQE at hand completes with its syndrome, the
 * queue is in the error state, and everything posted, then or later, completes as flushed until
 * the host takes the queue to RESET (PRM "Completion With Error", "RQ/SQ states").
 */

/* struct mlx5_err_cqe names few fields of it; these the PMD reads as well. */
#define ERR_WQE_ID 2  /* of a striding RQ, 16 bits */
#define ERR_BYTES  44 /* byte_cnt */

static void
rq_complete(struct cx5_rq *rq, uint8_t syndrome, uint32_t strides)
{
	struct mlx5_err_cqe cqe = { .syndrome = syndrome };
	uint16_t counter = rq->strides_log != 0 ? (uint16_t)rq->stride_at : rq->ci;
	uint16_t wqe_id_be = htobe16(rq->ci);
	uint32_t bytes_be = htobe32(strides << 16);

	cqe.wqe_counter = htobe16(counter);
	cqe.s_wqe_opcode_qpn = htobe32(rq->rqn);
	if (rq->strides_log != 0) {
		memcpy((uint8_t *)&cqe + ERR_WQE_ID, &wqe_id_be, sizeof(wqe_id_be));
		memcpy((uint8_t *)&cqe + ERR_BYTES, &bytes_be, sizeof(bytes_be));
	}
	cx5_cqe_write(rq->cq, &cqe, MLX5_CQE_RESP_ERR);
}

/* The strides that are left of the WQE at hand; 0 when it has none. */
static uint32_t
strides_left(const struct cx5_rq *rq)
{
	return rq->strides_log == 0 ? 0 : (1u << rq->strides_log) - rq->stride_at;
}

static void
rq_next(struct cx5_rq *rq)
{
	rq->stride_at = 0;
	rq->ci++;
}

static void
rq_flush(struct cx5_rq *rq)
{
	while (cx5_rq_ready(rq)) {
		rq_complete(rq, MLX5_CQE_SYNDROME_WR_FLUSH_ERR, strides_left(rq));
		rq_next(rq);
	}
}

void
cx5_rq_error(struct cx5_rq *rq, uint8_t syndrome)
{
	rq->state = CX5_ERROR;
	if (syndrome != 0 && cx5_rq_ready(rq)) {
		rq_complete(rq, syndrome, strides_left(rq));
		rq_next(rq);
	}
	rq_flush(rq);
}

/* A frame that does not fit costs the WQE, or strides of it, and is all that goes wrong. */
void
cx5_rq_too_long(struct cx5_rq *rq, uint32_t strides)
{
	rq_complete(rq, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, strides);
	rq_next(rq);
}

/* Completion mode (PRM "Control Segment", ce): a flushed WQE completes unless it asked for nothing
 * but the first error. */
#define CE_FIRST_ERROR 1

void
cx5_sq_flush(struct cx5_sq *sq, uint16_t pi)
{
	struct cx5_tx *tx = sq->nic->tx;
	struct cx5_wqe wqe;

	while (sq->ci != pi && !CX5_DONE_FULL(tx)) {
		uint16_t blocks = 1; /* what cannot be read is stepped over */

		if (cx5_wqe_decode(sq, &wqe, sq->ci, pi)) {
			sq->nic->port->stats.tx_lost += cx5_wqe_frames(sq, &wqe);
			blocks = CX5_WQE_BLOCKS(&wqe);
			if (wqe.ce != CE_FIRST_ERROR)
				cx5_done_add(sq, sq->ci, wqe.opcode,
					     MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		}
		sq->ci = (uint16_t)(sq->ci + blocks);
	}
}

void
cx5_sq_error(struct cx5_sq *sq)
{
	sq->state = CX5_ERROR;
	sq->seg_at = 0;
	sq->tso_at = 0;
}

void
cx5_errors_turn(struct cx5 *nic)
{
	for (unsigned int i = 0; i < nic->nb_rq; i++)
		if (__builtin_expect(nic->rq[i]->state == CX5_ERROR, 0))
			rq_flush(nic->rq[i]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_DATAPATH_H
#define CX5_DATAPATH_H

#include "drivers/mlx5/model/model.h"

/*
 * What the files of the datapath share: cqe.c, error.c, rx*.c, tx*.c.  Under the models' lock.
 */
#define CX5_CQE       64
#define CX5_WQEBB     64
#define CX5_SEG       16 /* bytes of a segment of a send WQE */
#define CX5_SEG_MAX   63 /* ds, 6 bits: PRM "Control Segment" */
#define CX5_FRAME_MIN 60 /* the MAC pads what is shorter, as IEEE 802.3 has it */

/* --- completions: cqe.c --- */

void cx5_cqe_rx(struct cx5_cq *cq, const struct cx5_verdict *v);
/* A whole CQE but for op_own; what was collected for this CQ goes out before it. */
void cx5_cqe_write(struct cx5_cq *cq, const void *body, uint8_t opcode);
void cx5_cqe_close(struct cx5_cq *cq);
void cx5_cqe_flush(struct cx5 *nic); /* mini CQEs collected in this turn */
static inline uint8_t *
cx5_cqe_slot(const struct cx5_cq *cq, uint32_t index)
{
	return cq->buf + (size_t)(index & (cq->size - 1)) * CX5_CQE;
}

/* --- receive: rx.c, rx_stride.c --- */

/* A frame that has met steering. */
struct cx5_job {
	struct cx5_rq *rq; /* NULL: not for us */
	const uint8_t *data;
	uint32_t len;
	uint8_t cut;  /* bytes of tags that go, from byte 12 on */
	bool bad;     /* the MAC drops it */
	uint16_t wqe; /* that it will meet, unless something is out of the ordinary: to prefetch */
	uint64_t same, ids; /* of its verdict, but for the WQE */
	uint32_t hash_be;
};
struct cx5_rx {
	struct cx5_cq *pending; /* with mini CQEs */
	unsigned int nb_held;   /* jobs that met no descriptor: the next call starts with them */
	bool odd;               /* some fault is on */
	uint64_t time_be;
	struct cx5_job job[SOFT_BATCH];
};

/* What of a frame goes where: at most the addresses, the rest, the FCS. */
struct cx5_pieces {
	unsigned int n;
	uint32_t len; /* of all */
	struct {
		const uint8_t *data;
		uint32_t len;
	} piece[3];
	uint8_t fcs[4];
};
void cx5_cut(struct cx5_pieces *pieces, const struct cx5_rq *rq, const struct cx5_job *job);
/* len bytes of pieces from byte at on */
void cx5_paste(uint8_t *to, const struct cx5_pieces *pieces, uint32_t at, uint32_t len);
/* A receive buffer, checked; NULL counts. */
uint8_t *cx5_rx_at(struct cx5 *nic, const struct mlx5_wqe_data_seg *seg, uint64_t offset,
		   uint32_t len);

enum cx5_place {
	CX5_DELIVERED,
	CX5_NO_WQE,
	CX5_TOO_LONG, /* a length error, the queue goes on */
	CX5_LOST,     /* an error, the queue does not */
};
enum cx5_place cx5_place_stride(struct cx5_rq *rq, const struct cx5_job *job);

/* True when the host has posted a WQE at rq->ci. */
static inline bool
cx5_rq_ready(struct cx5_rq *rq)
{
	if (__builtin_expect(rq->pi != rq->ci, 1))
		return true;
	rq->pi = (uint16_t)be32toh(rq->dbrec[MLX5_RCV_DBR]);
	atomic_thread_fence(memory_order_acquire);
	return rq->pi != rq->ci;
}

static inline const uint8_t *
cx5_rq_wqe(const struct cx5_rq *rq, uint16_t index)
{
	return rq->buf + (size_t)(index & (rq->size - 1)) * rq->stride;
}

/* --- transmit: tx.c, tx_wqe.c, tx_offload.c --- */
#define CX5_DONE_MAX 4096 /* completions that wait, a power of two */
#define CX5_TX_ROOM  (SOFT_BATCH * SOFT_FRAME_MAX)

struct cx5_done {
	struct cx5_sq *sq; /* NULL: gone since */
	uint64_t due_ns;   /* 0: with the turn */
	uint16_t wqe;
	uint8_t opcode, syndrome;
};
struct cx5_tx {
	unsigned int turn;             /* the SQ that comes first */
	uint32_t done_head, done_tail; /* count on */
	uint64_t due_ns;               /* of completions made now */
	struct soft_frame *frames;     /* of the call at hand */
	unsigned int n, max;
	uint32_t room_used;
	uint8_t room[CX5_TX_ROOM]; /* frames that do not lie in one piece in host memory */
	struct cx5_done done[CX5_DONE_MAX];
};

#define CX5_DONE_FULL(tx) ((tx)->done_tail - (tx)->done_head >= CX5_DONE_MAX)
void cx5_done_add(struct cx5_sq *sq, uint16_t wqe, uint8_t opcode, uint8_t syndrome);

/* A send WQE, decoded. */
struct cx5_wqe {
	uint32_t at; /* its first byte in the ring */
	uint16_t index;
	uint8_t opcode, ds, ce;
	const struct mlx5_wqe_eth_seg *eth;
};
enum cx5_sent {
	CX5_SENT,
	CX5_STOPPED,  /* frames, room or completions are used up: goes on in the next turn */
	CX5_BAD_WQE,  /* local QP operation error */
	CX5_BAD_DATA, /* local protection error */
};
bool cx5_wqe_decode(const struct cx5_sq *sq, struct cx5_wqe *wqe, uint16_t index, uint16_t pi);
enum cx5_sent cx5_wqe_send(struct cx5_sq *sq, const struct cx5_wqe *wqe);
unsigned int cx5_wqe_frames(const struct cx5_sq *sq, const struct cx5_wqe *wqe);
#define CX5_WQE_BLOCKS(wqe) ((uint16_t)(((wqe)->ds * CX5_SEG + CX5_WQEBB - 1) / CX5_WQEBB))

/* tx_offload.c */
#define CX5_SUMS (MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM)
void cx5_sum(uint8_t *frame, uint32_t len, uint8_t cs_flags);
struct cx5_part {                 /* of a TSO payload */
	uint32_t header, len, at; /* bytes: headers, payload here, payload before */
	uint32_t number;          /* segments before */
	bool last;
};
int cx5_segment(uint8_t *frame, const struct cx5_part *part); /* -EINVAL: not TCP over IP */

/* --- errors: error.c --- */
void cx5_rq_too_long(struct cx5_rq *rq, uint32_t strides);
void cx5_errors_turn(struct cx5 *nic); /* what was posted to queues in CX5_ERROR since */
void cx5_sq_flush(struct cx5_sq *sq, uint16_t pi);

#endif

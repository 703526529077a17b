/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/datapath.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Transmit: a turn takes frames from the send queues, in an order that rotates, and completes what
 * it took in cx5_transmitted(), when the cable has them.  Nothing a frame points at is given back
 * to the host before.
 */
#define AHEAD 10 /* WQEBBs asked for before they are read: a WQE of 32 pointers has 9 */

void
cx5_done_add(struct cx5_sq *sq, uint16_t wqe, uint8_t opcode, uint8_t syndrome)
{
	struct cx5_tx *tx = sq->nic->tx;

	tx->done[tx->done_tail++ & (CX5_DONE_MAX - 1)] = (struct cx5_done){
		.sq = sq,
		.due_ns = tx->due_ns,
		.wqe = wqe,
		.opcode = opcode,
		.syndrome = syndrome,
	};
}

static void
complete(const struct cx5_done *done)
{
	struct cx5_sq *sq = done->sq;
	struct mlx5_cqe64 cqe = { 0 };
	struct mlx5_err_cqe err = { .syndrome = done->syndrome };
	uint32_t opcode_qpn_be = htobe32((uint32_t)done->opcode << 24 | sq->sqn);

	if (done->syndrome != 0) {
		err.wqe_counter = htobe16(done->wqe);
		err.s_wqe_opcode_qpn = opcode_qpn_be;
		cx5_cqe_write(sq->cq, &err, MLX5_CQE_REQ_ERR);
		return;
	}
	cqe.wqe_counter = htobe16(done->wqe);
	cqe.sop_drop_qpn = opcode_qpn_be;
	cx5_cqe_write(sq->cq, &cqe, MLX5_CQE_REQ);
	sq->completions++;
}

/* The WQE fails: it completes with an error, and so does all behind it. */
static void
fail(struct cx5_sq *sq, const struct cx5_wqe *wqe, bool readable, uint8_t syndrome)
{
	struct softnic_stats *stats = &sq->nic->port->stats;

	if (readable)
		stats->tx_lost += cx5_wqe_frames(sq, wqe);
	cx5_done_add(sq, wqe->index, wqe->opcode, syndrome);
	cx5_sq_error(sq);
	sq->ci = (uint16_t)(sq->ci + (readable ? CX5_WQE_BLOCKS(wqe) : 1));
}

/* One WQE; false: no more in this turn. */
static inline bool
run_wqe(struct cx5_sq *sq, uint16_t pi)
{
	struct soft_port *port = sq->nic->port;
	struct cx5_wqe wqe;

	if (__builtin_expect(!cx5_wqe_decode(sq, &wqe, sq->ci, pi), 0)) {
		port->stats.bad_descriptors++;
		fail(sq, &wqe, false, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
		return true;
	}
	if (__builtin_expect(port->fault[SOFTNIC_CQE_TX] != 0 && sq->seg_at == 0 && sq->tso_at == 0,
			     0)) {
		port->fault[SOFTNIC_CQE_TX]--;
		fail(sq, &wqe, true, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
		return true;
	}
	switch (cx5_wqe_send(sq, &wqe)) {
	case CX5_STOPPED:
		return false;
	case CX5_BAD_WQE:
		port->stats.bad_descriptors++;
		fail(sq, &wqe, true, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
		return true;
	case CX5_BAD_DATA:
		fail(sq, &wqe, true, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		return true;
	case CX5_SENT:
		break;
	}
	sq->wqes++;
	/* Completion mode: 2 always, 3 with an event; below, errors only. */
	if (wqe.ce >= 2)
		cx5_done_add(sq, sq->ci, wqe.opcode, 0);
	sq->ci = (uint16_t)(sq->ci + CX5_WQE_BLOCKS(&wqe));
	return true;
}

static void
run(struct cx5_sq *sq)
{
	struct cx5_tx *tx = sq->nic->tx;
	uint16_t pi = (uint16_t)be32toh(sq->dbrec[MLX5_SND_DBR]), seen = sq->ci;

	if (pi == sq->ci)
		return;
	atomic_thread_fence(memory_order_acquire);
	while (sq->state == CX5_READY && sq->ci != pi && tx->n < tx->max && !CX5_DONE_FULL(tx)) {
		if ((int16_t)(seen - sq->ci) < 0)
			seen = sq->ci;
		for (; seen != pi && (uint16_t)(seen - sq->ci) < AHEAD; seen++)
			__builtin_prefetch(sq->buf + (size_t)(seen & (sq->size - 1)) * CX5_WQEBB);
		if (!run_wqe(sq, pi))
			return;
	}
	if (sq->state == CX5_ERROR)
		cx5_sq_flush(sq, pi);
}

unsigned int
cx5_transmit(struct soft_port *port, struct soft_frame *frames, unsigned int max)
{
	struct cx5 *nic = port->nic;
	struct cx5_tx *tx = nic->tx;
	uint64_t slow_us = port->fault[SOFTNIC_SLOW_COMPLETION], bytes = 0;

	cx5_errors_turn(nic);
	if (nic->removed || port->fault[SOFTNIC_TX_HANG] != 0)
		return 0;
	tx->frames = frames;
	tx->n = 0;
	tx->max = max;
	tx->room_used = 0;
	tx->due_ns = slow_us != 0 ? soft_now_ns() + slow_us * 1000 : 0;
	for (unsigned int i = 0; i < nic->nb_sq && tx->n < max; i++)
		run(nic->sq[(tx->turn + i) % nic->nb_sq]);
	tx->turn = nic->nb_sq != 0 ? (tx->turn + 1) % nic->nb_sq : 0;
	if (port->fault[SOFTNIC_LINK_DOWN] != 0) {
		/* Without a link the card drops what it is given and completes it all the same. */
		port->stats.tx_lost += tx->n;
		return 0;
	}
	for (unsigned int i = 0; i < tx->n; i++)
		bytes += frames[i].len;
	port->stats.tx_frames += tx->n;
	port->stats.tx_bytes += bytes;
	return tx->n;
}

void
cx5_transmitted(struct soft_port *port)
{
	struct cx5 *nic = port->nic;
	struct cx5_tx *tx = nic->tx;
	uint64_t now_ns = 0;

	while (tx->done_head != tx->done_tail) {
		const struct cx5_done *done = &tx->done[tx->done_head & (CX5_DONE_MAX - 1)];

		if (done->due_ns != 0) {
			if (now_ns == 0)
				now_ns = soft_now_ns();
			if (done->due_ns > now_ns)
				break;
		}
		if (done->sq != NULL)
			complete(done);
		tx->done_head++;
	}
	cx5_events(nic);
}

int
cx5_datapath_open(struct cx5 *nic)
{
	nic->rx = calloc(1, sizeof(*nic->rx));
	nic->tx = calloc(1, sizeof(*nic->tx));
	if (nic->rx != NULL && nic->tx != NULL)
		return 0;
	cx5_datapath_close(nic);
	return -ENOMEM;
}

void
cx5_datapath_close(struct cx5 *nic)
{
	free(nic->rx);
	free(nic->tx);
	nic->rx = NULL;
	nic->tx = NULL;
}

int
cx5_sq_attach(struct cx5_sq *sq)
{
	struct cx5 *nic = sq->nic;

	for (unsigned int i = 0; i < nic->nb_sq; i++)
		if (nic->sq[i] == sq)
			return 0;
	if (nic->nb_sq == CX5_QUEUES)
		return -ENOSPC;
	nic->sq[nic->nb_sq++] = sq;
	return 0;
}

void
cx5_sq_detach(struct cx5_sq *sq)
{
	struct cx5 *nic = sq->nic;
	struct cx5_tx *tx = nic->tx;

	for (unsigned int i = 0; i < nic->nb_sq; i++)
		if (nic->sq[i] == sq)
			nic->sq[i--] = nic->sq[--nic->nb_sq];
	for (uint32_t i = tx->done_head; i != tx->done_tail; i++)
		if (tx->done[i & (CX5_DONE_MAX - 1)].sq == sq)
			tx->done[i & (CX5_DONE_MAX - 1)].sq = NULL;
}

/* The model sees doorbells in the doorbell record, so the old one must not be taken for a new. */
void
cx5_sq_reset(struct cx5_sq *sq)
{
	sq->ci = 0;
	sq->seg_at = 0;
	sq->tso_at = 0;
	sq->dbrec[MLX5_SND_DBR] = 0;
}

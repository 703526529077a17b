/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_MODEL_H
#define CX5_MODEL_H

#include "drivers/mlx5/model/object.h"
#include "drivers/wire/hdr.h"
#include "drivers/wire/soft.h"

#include <stdatomic.h>

/*
 * A ConnectX-5 behind the unmodified mlx5 PMD: the objects a host creates by verbs or by DevX
 * commands, and what the hardware does with them.  Sections are those of the "Mellanox Adapters
 * Programmer's Reference Manual" (PRM), public edition; names are of <infiniband/mlx5dv.h>.
 *
 * Private to this folder.  Everything runs under the models' lock (soft_lock()).  Both ways to
 * create an object end in the same struct, so that one datapath serves both.
 */
#define CX5_QUEUES 64  /* of a kind, a port */
#define CX5_KEY    128 /* bytes of a match key: outer headers (64), misc (64); PRM fte_match_param */
#define CX5_CACHE  1024 /* steering answers kept, see steer.c */

struct cx5_conf {
	struct soft_conf common;
	uint32_t mode;   /* word: "devx" (what a real card runs) or "verbs" */
	char ifname[16]; /* may hold one %d, for the first free number */
};

struct cx5 {
	struct soft_port *port;
	struct ibv_device dev;
	int far; /* socket behind the netdev at the card's ifindex, see netdev.c */
	char ifname[16];
	bool verbs, removed;
	struct cx5_sq *sq[CX5_QUEUES]; /* ready or in error */
	struct cx5_rq *rq[CX5_QUEUES];
	unsigned int nb_sq, nb_rq;
	struct cx5_steer *steer;     /* steer.c: tables, rules, the cache */
	struct cx5_rx *rx;           /* rx.c: its own */
	struct cx5_tx *tx;           /* tx.c: its own */
	uint64_t out_of_buffer;      /* frames that met no descriptor: the Q counter of that name */
	uint64_t out_of_buffer_told; /* events.c: what the file of that name says */
	long objects;          /* created and not destroyed: 0 after close, or the host leaks */
	struct cx5_cq *armed;  /* events.c: CQs with a channel */
	struct cx5_host *host; /* objects.c: the host's side, see objects.h */
};

/* steer.c: flow tables */
struct cx5_way {             /* where a frame goes */
	struct cx5_tir *tir; /* NULL: dropped, or no rule */
	uint32_t mark;       /* flow tag, 24 bits; 0: none */
	bool pop_vlan;
};
int cx5_steer_open(struct cx5 *nic);
void cx5_steer_close(struct cx5 *nic);
void cx5_steer(struct cx5 *nic, const struct hdr *hdr, const uint8_t *frame, uint32_t len,
	       struct cx5_way *way);
/* The queue of a TIR for a frame, and its hash (0 and type 0 when there is none). */
struct cx5_rq *cx5_spread(const struct cx5_tir *tir, const struct hdr *hdr, const uint8_t *frame,
			  uint32_t *hash, uint8_t *hash_type);
bool cx5_steer_ready(const struct cx5 *nic); /* some rule leads to a queue */

/*
 * events.c: once a turn, at its end (cx5_transmitted): armed CQs that have entries tell the host.
 * The datapath calls cx5_events() and need not look at cq->channel.
 */
void cx5_events_slow(struct cx5 *nic);
static inline void
cx5_events(struct cx5 *nic)
{
	if (__builtin_expect(nic->armed != NULL || nic->out_of_buffer != nic->out_of_buffer_told,
			     0))
		cx5_events_slow(nic);
}

/* rx.c, tx.c: the functions of struct soft_kind, and what objects need of them */
int cx5_datapath_open(struct cx5 *nic);
void cx5_datapath_close(struct cx5 *nic);
bool cx5_listening(const struct soft_port *port);
unsigned int cx5_receive(struct soft_port *port, const struct soft_frame *frames, unsigned int n,
			 bool wait);
unsigned int cx5_transmit(struct soft_port *port, struct soft_frame *frames, unsigned int max);
void cx5_transmitted(struct soft_port *port);
/*
 * The objects side writes ->state, then attaches a queue that became CX5_READY; it stays attached
 * in CX5_ERROR, which the datapath writes too.  To go to CX5_RESET, or to be destroyed, it is
 * detached first if it was not in CX5_RESET.  reset() forgets counters and strides of a ring that
 * starts anew; the doorbell record of an RQ is the host's, that of an SQ becomes 0.  To go to
 * CX5_ERROR at the host's wish is cx5_rq_error(rq, 0) or cx5_sq_error(sq).
 */
int cx5_rq_attach(struct cx5_rq *rq); /* -ENOSPC above CX5_QUEUES */
void cx5_rq_detach(struct cx5_rq *rq);
void cx5_rq_reset(struct cx5_rq *rq);
int cx5_sq_attach(struct cx5_sq *sq);
void cx5_sq_detach(struct cx5_sq *sq);
void cx5_sq_reset(struct cx5_sq *sq);

/* error.c: the queue goes to CX5_ERROR, what is posted is flushed.  syndrome: of the WQE at hand,
 * 0 when none is */
void cx5_rq_error(struct cx5_rq *rq, uint8_t syndrome);
void cx5_sq_error(struct cx5_sq *sq);

/* the DR flow objects and verbs flows that the glue table points at: flow_dr.c, flow_verbs.c; the
 * table itself, verbs_*.c and devx_*.c: glue.h */

#endif

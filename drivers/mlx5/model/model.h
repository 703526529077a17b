/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_MODEL_H
#define CX5_MODEL_H

#include "drivers/wire/hdr.h"
#include "drivers/wire/soft.h"
#include "drivers/wire/toeplitz.h"

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdatomic.h>

/*
 * A ConnectX-5 behind the unmodified mlx5 PMD: the objects a host creates by verbs or by DevX
 * commands, and what the hardware does with them.  Sections are those of the "Mellanox Adapters
 * Programmer's Reference Manual" (PRM), public edition; names are of <infiniband/mlx5dv.h>.
 *
 * Private to this folder.  Everything runs under the models' lock (soft_lock()).  Both ways to
 * create an object end in the same struct, so that one datapath serves both.
 */
#define CX5_QUEUES  64  /* of a kind, a port */
#define CX5_RQT_MAX 512 /* entries of an indirection table */
#define CX5_KEY     128 /* bytes of a match key: outer headers (64), misc (64); PRM fte_match_param */
#define CX5_CACHE   1024 /* steering answers kept, see steer.c */

struct cx5;

struct cx5_cq {
	uint8_t *buf;             /* 64-byte CQEs, host memory */
	volatile uint32_t *dbrec; /* [0] consumer index, [1] arm; big-endian */
	uint32_t size, pi;        /* size a power of two; pi counts on */
	uint32_t cqn;
	bool compress;    /* a receive CQ that takes mini CQEs (PRM 7.12.x, "compressed CQE") */
	uint32_t nb_mini; /* collected, not written yet */
	struct mlx5_cqe64 title;
	struct {
		uint32_t hash_be, bytes_be;
	} mini[64];
	struct cx5_cq *next_pending;
	struct cx5_channel *channel; /* receive interrupts; NULL: none */
	bool owned;                  /* buf and dbrec are the model's (verbs) */
};

enum cx5_state { CX5_RESET, CX5_READY, CX5_ERROR };

struct cx5_rq {
	struct cx5 *nic;
	struct cx5_cq *cq;
	uint8_t *buf;
	volatile uint32_t *dbrec;      /* [MLX5_RCV_DBR] */
	uint32_t size, stride, nb_seg; /* WQEs, bytes of one, scatter entries of one */
	uint16_t ci;
	uint32_t rqn;
	enum cx5_state state;
	uint8_t stride_log,
		strides_log; /* MPRQ: bytes of a stride, strides of a WQE; both 0: not striding */
	uint32_t stride_at;
	bool strip_vlan, keep_fcs, owned;
	uint64_t frames, bytes, no_buffer;
};
struct cx5_sq {
	struct cx5 *nic;
	struct cx5_cq *cq;
	uint8_t *buf;
	volatile uint32_t *dbrec; /* [MLX5_SND_DBR] */
	uint32_t size;            /* WQEBBs of 64 bytes, a power of two */
	uint16_t ci;
	uint32_t sqn;
	enum cx5_state state;
	bool owned;
	uint64_t frames, bytes, wqes, completions;
};
struct cx5_rqt {
	uint32_t n; /* a power of two */
	struct cx5_rq *rq[CX5_RQT_MAX];
};
struct cx5_tir {             /* a verbs hash QP or a DevX TIR */
	struct cx5_rqt *rqt; /* or one rq */
	struct cx5_rq *rq;
	uint64_t fields; /* IBV_RX_HASH_* */
	bool hash;
	struct toeplitz toeplitz;
};
struct cx5_mr {
	uint64_t lo, hi; /* virtual addresses, hi exclusive; 0, 0: free */
	uint32_t lkey;
};

struct cx5_conf {
	struct soft_conf common;
	uint32_t mode; /* word: "devx" (what a real card runs) or "verbs" */
};

struct cx5 {
	struct soft_port *port;
	struct ibv_device dev;
	int tap; /* the netdev behind the card's ifindex, see netdev.c */
	char ifname[16];
	bool verbs, removed;
	struct cx5_sq *sq[CX5_QUEUES]; /* ready or in error */
	struct cx5_rq *rq[CX5_QUEUES];
	unsigned int nb_sq, nb_rq;
	struct cx5_steer *steer; /* steer.c: tables, rules, the cache */
	struct cx5_rx *rx;       /* rx.c: its own */
	struct cx5_tx *tx;       /* tx.c: its own */
	uint64_t out_of_buffer;
	long objects; /* created and not destroyed: 0 after close, or the host leaks */
};

/* mr.c: memory keys, PRM 7.x; an address is checked against the region of its key */
struct cx5_mr *cx5_mr_add(void *addr, size_t len);
void cx5_mr_del(struct cx5_mr *mr);
void *cx5_mr_at(uint32_t lkey_be, uint64_t addr, uint32_t len); /* NULL: local protection error */

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
bool cx5_steer_ready(const struct cx5 *nic); /* some rule leads to a queue that is ready */

/* cqe.c */
void cx5_cqe_write(struct cx5_cq *cq, const void *body, uint8_t opcode);
void cx5_cqe_rx(struct cx5_cq *cq, const struct mlx5_cqe64 *cqe, uint32_t hash, uint32_t bytes);
void cx5_cqe_flush(struct cx5 *nic);       /* mini CQEs collected in this turn */
void cx5_channel_raise(struct cx5_cq *cq); /* objects side: an armed CQ got an entry */

/* rx.c, tx.c: the functions of struct soft_kind, and what objects need of them */
int cx5_datapath_open(struct cx5 *nic);
void cx5_datapath_close(struct cx5 *nic);
bool cx5_listening(const struct soft_port *port);
unsigned int cx5_receive(struct soft_port *port, const struct soft_frame *frames, unsigned int n,
			 bool wait);
unsigned int cx5_transmit(struct soft_port *port, struct soft_frame *frames, unsigned int max);
void cx5_transmitted(struct soft_port *port);
int cx5_rq_attach(struct cx5_rq *rq); /* becomes ready: -ENOSPC above CX5_QUEUES */
void cx5_rq_detach(struct cx5_rq *rq);
void cx5_rq_reset(struct cx5_rq *rq);
int cx5_sq_attach(struct cx5_sq *sq);
void cx5_sq_detach(struct cx5_sq *sq);
void cx5_sq_reset(struct cx5_sq *sq);

/* the DR flow objects and verbs flows that the glue table points at: flow_dr.c, flow_verbs.c; the
 * table itself, verbs_*.c and devx_*.c: glue.h */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_OBJECT_H
#define CX5_OBJECT_H

#include "drivers/wire/toeplitz.h"

#include <endian.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdbool.h>

/*
 * What a host makes on the card, whether by verbs or by DevX commands: one struct of a kind, so
 * that one datapath serves both.  The handles that the host holds are in objects.h.
 *
 * Threads: under the models' lock, as everything in this folder.
 */
#define CX5_RQT_MAX 512 /* entries of an indirection table */

struct cx5;

/*
 * What a receive CQE says, in three words that are written and read whole (a load of what several
 * stores have just put together would wait for all of them).  Fields have the bytes of struct
 * mlx5_cqe64, from the low end of a word:
 *   same  hds_ip_ext, l4_hdr_type_etc, vlan_info, then sop_drop_qpn: the flow tag
 *   ids   16 bits each: wqe_counter, checksum (where mini CQEs carry one), wqe_id, type of the hash
 *   mini  hash and byte_cnt, as in a mini CQE
 */
struct cx5_verdict {
	uint64_t same, ids, mini;
};

struct cx5_cq {
	uint8_t *buf;             /* 64-byte CQEs, host memory */
	volatile uint32_t *dbrec; /* [0] consumer index, [1] arm; big-endian */
	uint32_t size, pi;        /* size a power of two; pi counts on */
	uint32_t cqn;
	bool compress;    /* a receive CQ that takes mini CQEs (PRM 7.12.x, "compressed CQE") */
	uint32_t nb_mini; /* collected, not written yet */
	struct cx5_verdict title;
	uint64_t mini[64];
	struct cx5_cq *next_pending;
	bool pending;     /* mini CQEs, or had some in this turn */
	uint32_t ci_seen; /* the host's consumer index when the ring last looked full */
	struct cx5 *nic;
	bool stride_mini;   /* mini CQEs carry checksum and stride index, not the hash (MPRQ) */
	bool owned;         /* buf and dbrec are the model's (verbs) */
	unsigned int users; /* queues that complete here */
	/* events.c: whom an armed CQ tells; NULL: nobody */
	struct cx5_channel *channel;
	struct cx5_cq *next_armed, *next_told;
	uint32_t arm_seen; /* the last arm doorbell that was answered, host order */
	uint64_t cookie;   /* the host's name for it */
};

enum cx5_state { CX5_RESET, CX5_READY, CX5_ERROR };

struct cx5_rq {
	struct cx5 *nic;
	struct cx5_cq *cq;
	uint8_t *buf;
	volatile uint32_t *dbrec;      /* [MLX5_RCV_DBR] */
	uint32_t size, stride, nb_seg; /* WQEs, bytes of one, scatter entries of one */
	uint16_t ci, pi;               /* pi: the doorbell record when it was last needed */
	uint16_t plan;                 /* rx.c: WQEs spoken for, to prefetch */
	uint32_t rqn;
	enum cx5_state state;
	uint8_t stride_log,
		strides_log; /* MPRQ: bytes of a stride, strides of a WQE; both 0: not striding */
	uint32_t stride_at;
	bool strip_vlan, keep_fcs, owned;
	unsigned int users; /* indirection tables and TIRs that lead here */
	uint64_t frames, bytes, no_buffer;
};
struct cx5_sq {
	struct cx5 *nic;
	struct cx5_cq *cq;
	uint8_t *buf;
	volatile uint32_t *dbrec; /* [MLX5_SND_DBR] */
	uint32_t size;            /* WQEBBs of 64 bytes, a power of two */
	uint16_t ci;
	/* of the WQE at ci, when a turn ended in its middle: the 16-byte segment and the byte of TSO
	 * payload that are next */
	uint32_t seg_at, tso_at;
	uint32_t sqn;
	enum cx5_state state;
	bool owned;
	uint64_t frames, bytes, wqes, completions;
};
struct cx5_rqt {
	uint32_t n;         /* a power of two */
	unsigned int users; /* TIRs */
	struct cx5_rq *rq[CX5_RQT_MAX];
};
struct cx5_tir { /* a verbs hash QP or a DevX TIR */
	struct cx5 *nic;
	struct cx5_rqt *rqt; /* or one rq */
	struct cx5_rq *rq;
	unsigned int users; /* flow actions: while there are any, it cannot be destroyed */
	uint64_t fields;    /* IBV_RX_HASH_* */
	bool hash, symmetric;
	struct toeplitz toeplitz;
};
struct cx5_counters { /* flow counters of one allocation */
	uint32_t n;
	unsigned int users; /* flow actions, which may outlive the allocation */
	bool orphan;        /* its end has come but for them */
	struct cx5_counter {
		uint64_t packets, bytes;
	} value[];
};
struct cx5_mr {
	uint64_t lo, len; /* as the host addresses it; len 0: free */
	intptr_t delta;   /* virtual = that + delta */
	uint32_t lkey_be;
};

/* mr.c: memory keys; an address is checked against the region of its key */
#define CX5_MR_MAX 8192
extern struct cx5_mr cx5_mrs[CX5_MR_MAX];
/* NULL: full.  variant is the low byte of the key, the host's to choose (PRM mkey_7_0). */
struct cx5_mr *cx5_mr_add(void *addr, size_t len, uint64_t host_addr, uint8_t variant);
void cx5_mr_del(struct cx5_mr *mr);
/* The memory at an address of the host's, or NULL: local protection error. */
static inline void *
cx5_mr_at(uint32_t lkey_be, uint64_t addr, uint32_t len)
{
	/* index and variant, as firmware makes them: mkey_index << 8 | mkey_7_0 */
	const struct cx5_mr *mr = &cx5_mrs[(be32toh(lkey_be) >> 8) & (CX5_MR_MAX - 1)];
	uint64_t at = addr - mr->lo;

	if (__builtin_expect(mr->lkey_be != lkey_be || at > mr->len || len > mr->len - at, 0))
		return NULL;
	return (void *)(uintptr_t)(addr + (uint64_t)mr->delta);
}

#endif

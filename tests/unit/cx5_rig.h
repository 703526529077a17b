/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_CX5_RIG_H
#define TEST_CX5_RIG_H

#include "drivers/mlx5/model/datapath.h"
#include "support/cmocka.h"

/*
 * The host's side of a model card: rings and buffers of exactly their size on the heap, written
 * and read from the manual's layout by code of its own.  Steering is a stand-in: rig.rq[rig.to].
 */
#define RIG_QUEUES  4
#define RIG_BUFFERS 512

struct rig_cqe { /* what a host makes of a CQE or of a mini CQE */
	uint8_t opcode, syndrome;
	uint32_t hash, bytes;
	uint16_t types; /* hds_ip_ext << 8 | l4_hdr_type_etc: hdr_type_etc, as the host has it */
	uint16_t vlan, counter, wqe_id, strides;
	uint32_t mark; /* or opcode and queue */
	uint8_t hash_type;
	bool filler, mini;
};
struct rig_rq {
	struct cx5_rq rq;
	struct cx5_cq cq;
	uint32_t ci;             /* of the CQ, the host's */
	uint32_t left, at, next; /* of a session: mini CQEs left, the one to read, CI behind it */
	struct rig_cqe title;
	uint8_t **buffer; /* of each scatter entry */
	uint32_t *room;
	uint16_t posted;
};
struct rig_sq {
	struct cx5_sq sq;
	struct cx5_cq cq;
	uint32_t ci;
	uint16_t pi;
};
extern struct rig {
	struct soft_port port;
	struct cx5 nic;
	struct cx5_tir tir;
	unsigned int to;                /* the queue that steering chooses; RIG_QUEUES: none */
	unsigned int to_step;           /* not 0: after as many frames the other of two queues */
	unsigned int steered;           /* how often it was asked */
	uint32_t mark, mark_step, hash; /* the mark goes up by the step with every frame */
	bool pop;
	uint64_t now_ns; /* soft_now_ns() */
	struct rig_rq rq[RIG_QUEUES];
	struct rig_sq sq[RIG_QUEUES];
	struct soft_frame out[SOFT_BATCH];
} rig;

int rig_open(void **state); /* cmocka's set-up and tear-down */
int rig_close(void **state);

/* Memory with a key of its own; freed by rig_close(). */
void *rig_memory(uint32_t len, uint32_t *lkey_be);

/* rqs[i]: WQEs of segs entries of bytes each, or of 2^strides strides of 2^stride bytes */
void rig_rq_open(unsigned int i, uint32_t wqes, uint32_t segs, uint32_t bytes);
void rig_rq_open_stride(unsigned int i, uint32_t wqes, unsigned int stride, unsigned int strides);
void rig_rq_post(unsigned int i, uint32_t n);
void rig_rq_ready(unsigned int i); /* RESET -> READY with an empty ring */
bool rig_rq_poll(unsigned int i, struct rig_cqe *cqe);
uint8_t *rig_rq_buffer(unsigned int i, uint16_t wqe, uint32_t seg);
unsigned int rig_receive(const uint8_t *frame, uint32_t len, bool wait); /* one frame */

void rig_sq_open(unsigned int i, uint32_t blocks);
bool rig_sq_poll(unsigned int i, struct rig_cqe *cqe);
/* A WQE: control and Ethernet segment, then what add functions append; ended by rig_wqe_post(). */
struct rig_wqe {
	unsigned int sq;
	uint8_t opcode, ce, cs_flags;
	uint16_t mss, header, vlan; /* header: bytes inline in the Ethernet segment */
	const uint8_t *inline_header;
	uint32_t bytes; /* so far, behind the two segments */
	uint8_t body[61 * 16];
};
void rig_wqe_pointer(struct rig_wqe *wqe, const void *data, uint32_t len, uint32_t lkey_be);
void rig_wqe_inline(struct rig_wqe *wqe, const void *data, uint32_t len);
void rig_wqe_post(struct rig_wqe *wqe);
unsigned int rig_transmit(unsigned int max);

/* A frame of len bytes in the heap: Ethernet, tags, IPv4, UDP or TCP, sums right; freed at close. */
struct rig_frame {
	uint32_t len;
	uint16_t tag, tag2; /* 0: none */
	bool tcp, bad_ip, bad_l4;
	uint8_t seed;
};
uint8_t *rig_frame(const struct rig_frame *spec);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_TX_H
#define N82599_TX_H

#include "drivers/ixgbe/model/data.h"
#include "drivers/ixgbe/model/tally.h"

/* What the files of the transmit path share: tx*.c. */
#define MAX_LATE 16u /* completions of a queue on their way, SOFTNIC_SLOW_COMPLETION */

/* Room for what is put together in one turn: each frame at a cache line. */
#define TX_ROOM (SOFT_BATCH * (SOFT_FRAME_MAX + 64u))
/* TCP segmentation: 18 bits of PAYLEN and headers, 7.2.4 */
#define TSO_ROOM ((256u << 10) + 1024u)

struct tx_late {
	uint64_t due_ns;
	uint32_t upto; /* descriptor after the last that is done then */
};

struct n82599_tx {
	uint64_t looked_at;        /* cycles */
	unsigned int look, first;  /* queue to look at next; queue served first */
	uint64_t touched;          /* queues with frames on the cable, bit each */
	uint64_t late;             /* queues with completions on their way */
	uint64_t odd;              /* of these, those with frames from tx_frame.c */
	uint8_t *done[SOFT_BATCH]; /* quadwords to write back (RS) of all other frames */
	unsigned int nb_done;
	struct {
		struct tx_late at[MAX_LATE];
		unsigned int head, n;
	} queue[N82599_TXQ];
	struct tally tally;
	uint32_t room_used;
	/* A TCP segmentation that did not fit into one turn. */
	struct {
		bool on;
		uint8_t queue;
		uint32_t upto; /* descriptor after its last */
		uint32_t len, header_len, mss, at;
		uint64_t cmd, context[2];
	} tso;
	uint8_t tso_data[TSO_ROOM];
	uint8_t room[TX_ROOM] __attribute__((aligned(64)));
};

/* queue.c */
void n82599_tx_look(struct n82599 *nic);
void n82599_tx_refresh(struct n82599 *nic, unsigned int i); /* queue i */

/* tx_frame.c: the frame or context at q->next, which is not a plain one.  Returns frames made, or
 * -EAGAIN: its end is not there yet. */
int n82599_tx_frame(struct n82599 *nic, unsigned int queue, uint32_t tail,
		    struct soft_frame *frames, unsigned int max);

/* tx_offload.c */
bool n82599_tx_sums(uint8_t *frame, uint32_t len, uint64_t cmd, const uint64_t context[2]);
uint32_t n82599_tx_tag(struct n82599 *nic, uint8_t *frame, uint32_t len, uint16_t tci);
/* tx_tso.c: the next segments of nic->tx->tso */
unsigned int n82599_tx_segments(struct n82599 *nic, struct soft_frame *frames, unsigned int max);

#endif

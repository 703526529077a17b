/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_DATA_H
#define N82599_DATA_H

#include "drivers/ixgbe/model/bytes.h"
#include "drivers/ixgbe/model/descs.h"
#include "drivers/ixgbe/model/model.h"
#include "drivers/ixgbe/model/tally.h"
#include "drivers/wire/dma.h"

/*
 * What the files of the datapath share: rx*.c, filter.c, tx*.c, crc.c.
 *
 * A batch of frames runs in passes, each over all of its frames, so that the memory that the next
 * pass needs is on its way to the cache while this one works.
 */
#define RARS     128u
#define FCS_LEN  4u
#define TAG_LEN  4u
#define TAG_AT   12u
#define MAX_LATE 16u /* completions of a queue on their way, SOFTNIC_SLOW_COMPLETION */

/* Room for what is put together in one turn: each frame at a cache line. */
#define TX_ROOM (SOFT_BATCH * (SOFT_FRAME_MAX + 64u))
/* TCP segmentation: 18 bits of PAYLEN and headers, 7.2.4 */
#define TSO_ROOM ((256u << 10) + 1024u)

enum rx_fate { RX_GOOD, RX_FILTERED, RX_CRC, RX_SHORT, RX_FRAGMENT, RX_LONG, RX_JABBER };

/* A frame between the passes. */
struct rx_item {
	const uint8_t *data;
	uint8_t *to;        /* its buffer, when one is enough */
	uint32_t len;       /* as the host sees it: without a stripped tag, with a kept FCS */
	uint32_t info;      /* dword 0 of the descriptor */
	uint32_t hash;      /* dword 1 */
	uint32_t status;    /* dword 2 */
	uint32_t at;        /* first descriptor */
	uint32_t frame_len; /* as it came */
	uint16_t vlan;      /* host order */
	uint8_t queue, fate, group; /* group: 1 multicast, 2 broadcast */
	bool strip, fcs, bad_fcs;
};

/* The registers that decide about each frame of a batch. */
struct rx_rules {
	bool upe, mpe, bam, sbp, vfe, mfe, rss, pcsd, fcs;
	uint8_t mo_shift;
	uint16_t vet_be;
	uint32_t mrqc;
	uint32_t max_len; /* bytes without FCS and tag */
};

struct n82599_rx {
	uint64_t mac[RARS]; /* enabled exact addresses: six bytes as on the wire */
	unsigned int nb_mac;
	bool looked; /* in this turn */
	struct rx_rules rules;
	struct tally tally;
	struct rx_item item[SOFT_BATCH];
};

struct tx_late {
	uint64_t due_ns;
	uint32_t upto; /* descriptor after the last that is done then */
};

struct n82599_tx {
	unsigned int look, first; /* queue to look at next; queue served first */
	uint64_t touched;         /* queues with frames on the cable, bit each */
	uint64_t late;            /* queues with completions on their way */
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
		uint32_t len, header_len, mss, at, first_at;
		uint64_t cmd, context[2];
	} tso;
	uint8_t tso_data[TSO_ROOM];
	uint8_t room[TX_ROOM] __attribute__((aligned(64)));
};

/* Descriptors from head to tail; a tail outside the ring gives none. */
static inline uint32_t
ring_used(uint32_t head, uint32_t tail, uint32_t size)
{
	if (tail >= size)
		return 0;
	return tail >= head ? tail - head : size - head + tail;
}

/* Fetch a line that will be written: it is in the cache of the core that polls it. */
static inline void
prefetch_write(const void *p)
{
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)p));
}

/* The bytes of a buffer; a damaged address (SOFTNIC_DMA_RX, _TX) or a wrong one counts. */
uint8_t *n82599_dma(struct soft_port *port, enum softnic_fault fault, uint64_t bus, uint32_t len);

/* rx_queue.c: the queues' registers as they are now, which the host changes without a trap */
void n82599_rx_look(struct n82599 *nic);
void n82599_rx_refresh(struct n82599 *nic, unsigned int queue);
void n82599_tx_look(struct n82599 *nic);

/* filter.c */
void n82599_rules(struct n82599 *nic);
bool n82599_wanted(const struct n82599 *nic, const struct rx_item *it);

/* rx_parse.c: frames to rx->item[]; what becomes of each, its queue and descriptor */
void n82599_rx_classify(struct n82599 *nic, const struct soft_frame *frames, unsigned int n);

/* rx_place.c: a frame's bytes into its buffers, the way they are when something is added, taken out
 * or one buffer is not enough */
int n82599_rx_scatter(struct n82599 *nic, struct n82599_rxq *q, const struct rx_item *it);
void n82599_rx_copy(const struct rx_item *it, uint32_t at, uint8_t *to, uint32_t n);

/* tx_frame.c: the frame or context at q->next, which is not a plain one.  Returns frames made, or
 * -EAGAIN: its end is not there yet. */
int n82599_tx_frame(struct n82599 *nic, unsigned int queue, uint32_t tail,
		    struct soft_frame *frames, unsigned int max);

/* tx_offload.c */
bool n82599_tx_sums(uint8_t *frame, uint32_t len, uint64_t cmd, const uint64_t context[2]);
uint32_t n82599_tx_tag(struct n82599 *nic, uint8_t *frame, uint32_t len, uint16_t tci);
/* tx_tso.c: the next segments of nic->tx->tso */
unsigned int n82599_tx_segments(struct n82599 *nic, struct soft_frame *frames, unsigned int max);

/* crc.c */
uint32_t n82599_fcs(const uint8_t *frame, uint32_t len); /* IEEE 802.3 3.2.9; little-endian */
uint32_t n82599_crc32c(const uint8_t *data, uint32_t len, uint32_t crc); /* RFC 9260 A */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_RX_H
#define N82599_RX_H

#include "drivers/ixgbe/model/data.h"

/* What the files of the receive path share: rx*.c and filter.c. */
#define RARS     128u
#define RX_AHEAD 24u /* receive descriptors that are on their way to the cache */

enum rx_fate { RX_GOOD, RX_FILTERED, RX_CRC, RX_SHORT, RX_FRAGMENT, RX_LONG, RX_JABBER };

/* A frame between the passes. */
struct rx_item {
	uint32_t word[4]; /* of its descriptor, the last one if it takes several */
	const uint8_t *data;
	uint8_t *to;        /* its buffer; NULL when it takes several and the bytes are there */
	uint8_t *desc;      /* its first descriptor */
	uint32_t frame_len; /* as it came */
	uint32_t len;       /* as the host sees it: without a stripped tag, with a kept FCS */
	uint8_t queue, fate;
	uint8_t group; /* 1 multicast, 2 broadcast */
	bool edit;     /* the bytes change on the way: */
	bool strip, fcs;
	bool bad_fcs;
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
	uint64_t looked_at; /* cycles */
	struct rx_rules rules;
	struct rx_item item[SOFT_BATCH], *go[SOFT_BATCH];
	const uint8_t *soon; /* the line that the transmit() after the next receive() reads first */
};

/* queue.c: the queues' registers as they are now, which the host changes without a trap */
void n82599_rx_look(struct n82599 *nic, unsigned int n);
void n82599_rx_refresh(struct n82599 *nic, unsigned int i); /* queue i */

/* filter.c */
void n82599_rules(struct n82599 *nic);
bool n82599_wanted(const struct n82599 *nic, const struct rx_item *it);

/* rx_parse.c: frames to rx->item[]; what becomes of each, its queue and descriptor */
void n82599_rx_classify(struct n82599 *nic, const struct soft_frame *frames, unsigned int n);

/* rx_general.c: errors of the MAC (fate); a frame that is not plain IPv4 */
void n82599_rx_errors(const struct rx_rules *r, struct rx_item *it);
void n82599_rx_general(const struct n82599 *nic, struct rx_item *it);

/* rx_place.c: a frame's bytes into its buffers, the way they are when something is added, taken out
 * or one buffer is not enough */
int n82599_rx_scatter(struct n82599 *nic, struct n82599_rxq *q, const struct rx_item *it);
void n82599_rx_copy(const struct rx_item *it, uint32_t at, uint8_t *to, uint32_t n);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_QUEUE_H
#define N82599_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* A queue as the datapath holds it between turns; built from registers, see queue.c. */
struct n82599_rxq {
	uint8_t *ring;
	uint64_t ring_bus;
	uint32_t size, head; /* descriptors; head: the next to be used */
	uint32_t shown;      /* the head's register, unless the host has written it */
	uint32_t free;       /* descriptors that this turn may use */
	uint32_t room;       /* bytes of a buffer, SRRCTL.BSIZEPACKET */
	bool on, astray, drop_en, strip_vlan; /* astray: the ring is not the host's memory */
	uint64_t frames, bytes, dropped;      /* since the last latch, 8.2.3.23 */
};
struct n82599_txq {
	uint8_t *ring;
	uint64_t ring_bus;
	uint32_t size, head, next; /* descriptors; from head to next: on the cable, not yet done */
	uint32_t tail, shown;
	bool on, astray, skipping; /* skipping: until the end of a frame that is too long a chain */
	uint64_t context[2][2];    /* the last context descriptors, 7.2.3.2.3 */
	uint64_t frames, bytes;
};

#endif

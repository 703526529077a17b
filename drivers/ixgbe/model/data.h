/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_DATA_H
#define N82599_DATA_H

#include "drivers/ixgbe/model/descs.h"
#include "drivers/ixgbe/model/model.h"
#include "drivers/wire/bytes.h"
#include "drivers/wire/dma.h"

/*
 * What the files of the datapath share.  A batch of frames runs in passes, each over all of its
 * frames, so that the memory that the next pass needs is on its way to the cache while this one
 * works.
 */
#define FCS_LEN  4u
#define TAG_LEN  4u
#define TAG_AT   12u
#define PER_LINE 4u /* descriptors of a cache line */

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

/* ahead.c: registers into the cache before they are looked at */
void n82599_ahead_rx(const struct n82599 *nic);    /* transmit(), at its start */
void n82599_ahead_learn(const struct n82599 *nic); /* at its end */
void n82599_ahead_tx(const struct n82599 *nic);    /* receive() */
void n82599_ahead_close(const struct n82599 *nic); /* this port is no more */

/* crc.c */
uint32_t n82599_fcs(const uint8_t *frame, uint32_t len); /* IEEE 802.3 3.2.9; little-endian */
uint32_t n82599_crc32c(const uint8_t *data, uint32_t len, uint32_t crc); /* RFC 9260 A */

#endif

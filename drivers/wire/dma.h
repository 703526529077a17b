/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_DMA_H
#define WIRE_DMA_H

#include "drivers/wire/softnic.h"

/*
 * Bus addresses of a device without an IOMMU of its own: what EAL has as memory (memsegs, external
 * memory registered with it) may be read and written, everything else is refused.  Both IOVA modes.
 *
 * Threads: holders of the models' lock.  Order of locks: the models', then EAL's memory lock, which
 * a look at the memory takes; so nobody may wait for the models' lock in a memory event callback.
 */
struct dma_span {
	uint64_t lo, hi; /* bus addresses, hi exclusive */
	intptr_t delta;  /* virtual = bus + delta */
};
extern SOFTNIC_API struct dma_span dma_last; /* the span of the last answer */

SOFTNIC_API void *dma_slow(uint64_t bus, uint64_t len);

/* The bytes at a bus address, or NULL when any of them is not the host's to give. */
static inline void *
dma_at(uint64_t bus, uint64_t len)
{
	/* One read: memory that goes away makes it 0 from another thread. */
	uint64_t hi = __atomic_load_n(&dma_last.hi, __ATOMIC_RELAXED);

	if (__builtin_expect(bus >= dma_last.lo && bus < hi && len <= hi - bus, 1))
		return (void *)(uintptr_t)(bus + (uint64_t)dma_last.delta);
	return dma_slow(bus, len);
}

#endif

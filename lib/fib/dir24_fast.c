/* SPDX-License-Identifier: BSD-3-Clause */
#include "fib/dir24_fast.h"

#include "base/atomics.h"
#include "fib/backend.h"

#include <rte_branch_prediction.h>

/* Behind everything else: what workers must not call is poisoned from here on. */
#include "base/fast.h"

/*
 * Two straight loops, so that the cache misses of a whole bundle overlap.  A bundle that met no
 * group never runs the second; one that met some runs it without a branch per packet, because
 * neighbours' /32 routes next to transit traffic would make that branch a coin toss: who has no
 * group reads tbl8[0] and throws it away.
 *
 * Acquire, because an id stands for an adjacency written before it, and a group for its entries.
 */
void
dir24_lookup(const struct fib_view *view, const uint32_t *dst, uint16_t *id, uint16_t n)
{
	const struct dir24_tables *t = ((const struct fib *)(const void *)view)->tables;
	const uint16_t *tbl24 = t->tbl24, *tbl8 = t->tbl8;
	unsigned int met = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint16_t entry = atomic_acquire(&tbl24[dst[i] >> 8]);

		id[i] = entry;
		met |= entry;
	}
	if (likely((met & DIR24_GROUP) == 0))
		return;

	for (unsigned int i = 0; i < n; i++) {
		uint32_t entry = id[i];
		uint32_t mask = 0u - (entry >> 15); /* all ones for a group */
		uint32_t at = (entry & ~DIR24_GROUP) * DIR24_GROUP_SIZE + (dst[i] & 0xff);
		uint32_t leaf = atomic_acquire(&tbl8[at & mask]);

		id[i] = (uint16_t)((leaf & mask) | (entry & ~mask));
	}
}

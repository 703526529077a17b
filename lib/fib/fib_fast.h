/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIB_FIB_FAST_H
#define FIB_FIB_FAST_H

#include <stdint.h>

/*
 * The default route's next hop, and so the answer when no other prefix matches.  Until there is a
 * default route the adjacency with this id says "no route".
 */
#define FIB_ID_DEFAULT 0u

struct fib;

/* The worker's view of a table: the first member of every struct fib. */
struct fib_view {
	void (*lookup)(const struct fib_view *view, const uint32_t *dst, uint16_t *id, uint16_t n);
};

/*
 * id[i] = next hop of dst[i], host byte order.  Any worker registered with the table's RCU; cannot
 * fail, block or allocate.
 */
static inline void
fib_lookup_bulk(const struct fib *fib, const uint32_t *dst, uint16_t *id, uint16_t n)
{
	const struct fib_view *view = (const struct fib_view *)(const void *)fib;

	view->lookup(view, dst, id, n);
}

#endif

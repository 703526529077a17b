/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTE_ROUTE_FAST_H
#define ROUTE_ROUTE_FAST_H

#include "base/atomics.h"

#include <stdbool.h>
#include <stdint.h>

struct adj;
struct fib;

/*
 * Our own addresses, for the martian check of every source (RFC 1812 5.3.7).  Immutable once
 * published; replaced as a whole and freed after a grace period.
 */
#define OWN_FILTER_BITS 12

struct own_table {
	uint64_t
		filter[(1u << OWN_FILTER_BITS) / 64]; /* a clear bit: not ours, no need to search */
	uint32_t n;
	uint32_t ip[]; /* host byte order, ascending */
};

static inline uint32_t
own_hash(uint32_t ip)
{
	return (ip * 0x9e3779b1u) >> (32 - OWN_FILTER_BITS);
}

/* False for nearly every address that is not ours; true wants own_has(). */
static inline bool
own_maybe(const struct own_table *t, uint32_t ip)
{
	uint32_t h = own_hash(ip);

	return t->filter[h / 64] >> (h % 64) & 1;
}

static inline bool
own_has(const struct own_table *t, uint32_t ip)
{
	uint32_t lo = 0, hi = t->n;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (t->ip[mid] == ip)
			return true;
		if (t->ip[mid] < ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* What a worker sees of the router's state.  The own pointer is loaded once a turn, by acquire. */
struct router_view {
	const struct fib *fib;
	const struct adj *adj;
	const struct own_table *own;
};

#endif

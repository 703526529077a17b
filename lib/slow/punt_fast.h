/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SLOW_PUNT_FAST_H
#define SLOW_PUNT_FAST_H

#include "base/atomics.h"

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

/*
 * Two rings between one worker and the control thread, single producer and single consumer each.
 *
 * up:   packets with a VERDICT_PUNT_*, as received (VLAN tag 0 still there, TTL not aged, padding
 *       trimmed or not), m->port being the port they came in on.
 * down: finished frames to transmit on m->port, nothing left to do to them.
 */
struct punt_rings {
	struct rte_ring *up, *down;
};

/*
 * rte_ring_empty() with its loads said to be atomic: a worker asks every turn, and the answer may
 * be one turn old.
 */
static inline bool
punt_ring_empty(const struct rte_ring *r)
{
	return atomic_get(&r->prod.tail) == atomic_get(&r->cons.tail);
}

/* What the worker knows, carried in m->hash.usr, which nobody needs after receive. */
struct punt_tag {
	uint8_t verdict; /* enum verdict, one of the PUNT ones */
	uint8_t l3_off;  /* bytes from the frame's start to the IPv4 or ARP header: 14 or 18 */
};

static inline void
punt_tag_set(struct rte_mbuf *m, uint16_t port, struct punt_tag tag)
{
	m->port = port;
	m->hash.usr = (uint32_t)tag.verdict << 8 | tag.l3_off;
}

static inline struct punt_tag
punt_tag_get(const struct rte_mbuf *m)
{
	return (struct punt_tag){ .verdict = (uint8_t)(m->hash.usr >> 8),
				  .l3_off = (uint8_t)m->hash.usr };
}

#endif

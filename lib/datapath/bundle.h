/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DATAPATH_BUNDLE_H
#define DATAPATH_BUNDLE_H

#include "base/atomics.h"
#include "stats/verdict.h"

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_mbuf.h>

#define BUNDLE_MAX  256
#define BUNDLE_STEP 4 /* some stages work on whole groups; what fills up the last has no packet */

struct core_rxq;

/* What one transmit call of a bundle came to. */
struct bundle_tx {
	uint16_t port, sent, refused;
};

/*
 * The unit of work: n packets of one receive queue and, in parallel arrays, what is known about
 * each.  Stages read left to right; none reorders.
 */
struct bundle {
	uint16_t n;            /* packets, 1..BUNDLE_MAX */
	uint16_t port;         /* they came in here */
	uint16_t odd;          /* how many do not carry VERDICT_FORWARD */
	bool one_port;         /* all that carry it leave by one port */
	uint16_t nb_tx;        /* entries of tx[] */
	struct rte_mbuf **pkt; /* into the core's receive array */
	struct core_rxq *rxq;  /* the stream that counts them */
	struct bundle_tx tx[RTE_MAX_ETHPORTS];
	uint8_t *l3[BUNDLE_MAX] __rte_cache_aligned; /* IPv4 or ARP header, 20 readable bytes */
	uint32_t room[BUNDLE_MAX];   /* bytes of frame behind 14 of Ethernet header */
	uint32_t dst[BUNDLE_MAX];    /* destination, host byte order */
	uint32_t length[BUNDLE_MAX]; /* IPv4 total length, host byte order */
	uint32_t spare[BUNDLE_MAX];  /* bytes of tag and padding to take off; 0 is the usual */
	uint32_t aged[BUNDLE_MAX]; /* TTL, protocol, checksum of one hop later, as in the header */
	uint16_t nh[BUNDLE_MAX];   /* next-hop ids, never pointers */
	uint8_t verdict[BUNDLE_MAX] __rte_cache_aligned;
	uint8_t out[BUNDLE_MAX]; /* port it leaves by */
} __rte_cache_aligned;

/* All FORWARD, none odd.  Whole stores, past n within the array: cheaper than a call. */
static inline void
bundle_clear(struct bundle *b)
{
	const struct u128 zero = { { VERDICT_FORWARD, VERDICT_FORWARD } };

	_Static_assert(VERDICT_FORWARD == 0 && BUNDLE_MAX % sizeof(zero) == 0, "whole stores");
	for (unsigned int i = 0; i < b->n; i += sizeof(zero))
		*(struct u128 *)&b->verdict[i] = zero;
	b->odd = 0;
}

/* The only way to a verdict other than FORWARD. */
static inline void
bundle_mark(struct bundle *b, unsigned int i, enum verdict v)
{
	b->verdict[i] = (uint8_t)v;
	b->odd++;
}

/* Bytes from the frame's start to its IPv4 or ARP header. */
static inline unsigned int
bundle_l3_off(const struct bundle *b, unsigned int i)
{
	return (unsigned int)(b->l3[i] - rte_pktmbuf_mtod(b->pkt[i], const uint8_t *));
}

#endif

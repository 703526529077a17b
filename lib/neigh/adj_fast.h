/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NEIGH_ADJ_FAST_H
#define NEIGH_ADJ_FAST_H

#include "base/atomics.h"

#include <stdint.h>

#include <rte_byteorder.h>

/*
 * An adjacency: what a worker does with a packet once the lookup named a next hop.  Sixteen bytes,
 * replaced at once, so that a worker never meets one next hop's port with another's MAC.
 */
enum adj_kind {
	ADJ_NO_ROUTE = 0,    /* nothing to go to: no_route */
	ADJ_FORWARD,         /* resolved: rewrite and send */
	ADJ_RESOLVE,         /* MAC not known yet: the control thread asks */
	ADJ_LOCAL,           /* an own address */
	ADJ_BAD_DESTINATION, /* network or directed broadcast address of a connected network */
	ADJ_BLACKHOLE,
};

struct adj {
	uint8_t dst[6]; /* destination MAC, then source MAC: the order of the wire */
	uint8_t src[6];
	uint8_t port; /* where it leaves, when FORWARD or RESOLVE */
	uint8_t kind; /* enum adj_kind */
	uint16_t mtu; /* longest IPv4 packet, bytes; 0 unless FORWARD, so that one compare finds
		       * every packet that cannot simply be sent */
} __attribute__((aligned(16)));

_Static_assert(sizeof(struct adj) == sizeof(struct u128), "one atomic move");

/* Ids with a meaning of their own; ids from ADJ_ID_FREE on are handed out. */
enum adj_id {
	ADJ_ID_DEFAULT = 0, /* == FIB_ID_DEFAULT */
	ADJ_ID_LOCAL,
	ADJ_ID_BAD_DESTINATION,
	ADJ_ID_BLACKHOLE,
	ADJ_ID_NO_ROUTE, /* routes whose next hop is not connected may share it */
	ADJ_ID_FREE,
};

/*
 * An entry in two registers, as a worker wants it: the MACs to store, the rest to compare.
 * Any worker registered with the table's RCU.
 */
struct adj_words {
	uint64_t macs;  /* the first eight bytes of the new Ethernet header */
	uint32_t macs4; /* the next four */
	uint32_t mtu;
	uint8_t port, kind;
};

static inline struct adj_words
adj_read(const struct adj *table, uint16_t id)
{
	struct u128 u = atomic_get16(&table[id]);

#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return (struct adj_words){ u.w[0], (uint32_t)u.w[1], (uint32_t)(u.w[1] >> 48),
				   (uint8_t)(u.w[1] >> 32), (uint8_t)(u.w[1] >> 40) };
#else
	return (struct adj_words){ u.w[0], (uint32_t)(u.w[1] >> 32), (uint32_t)(u.w[1] & 0xffff),
				   (uint8_t)(u.w[1] >> 24), (uint8_t)(u.w[1] >> 16) };
#endif
}

#endif

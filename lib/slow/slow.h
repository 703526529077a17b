/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SLOW_SLOW_H
#define SLOW_SLOW_H

#include "base/err.h"
#include "slow/punt_fast.h"

#include <stdbool.h>
#include <stdint.h>

struct router;
struct rte_mempool;
struct stats_core;

/*
 * The control thread's end of the data path: ARP, ICMP echo, packets that wait for a neighbour.
 *
 * Every packet taken in ends as delivered, dropped by reason, held, or handed out again to a
 * worker; the control thread's own stats block says which.  One control thread.
 */
struct slow;

struct slow_config {
	struct router *router;          /* borrowed */
	struct stats_core *stats;       /* the control thread's row; borrowed */
	const struct punt_rings *rings; /* one per worker; borrowed */
	uint16_t nb_rings;              /* at least 1 */
	struct rte_mempool *pool;       /* for ARP frames; borrowed */
	uint32_t hold_per_neigh;        /* packets, at least 8; 0 takes 16 */
	uint32_t hold_total;            /* packets over all neighbours; 0 takes 1024 */
	uint32_t incomplete_max;        /* neighbours asked for at once; 0 takes 1024 */
	uint32_t learn_max; /* neighbours known at which requests teach no new ones; 0 takes 8192 */
};

int slow_create(struct slow **out, const struct slow_config *cfg, struct err *err);

/* Drops what is still held, as neigh_unresolved, and frees. */
void slow_destroy(struct slow *s);

/* Take a bounded number of packets from every up ring and deal with them; how many there were. */
unsigned int slow_poll(struct slow *s);

/* Timers: ARP requests once a second, three tries, re-probe before expiry.  ~10 times a second. */
void slow_tick(struct slow *s, uint64_t now_us);

/* Gratuitous ARP (RFC 5227 announcement) for every own address, at start and for a new address. */
void slow_announce(struct slow *s);
void slow_announce_one(struct slow *s, uint16_t port, uint32_t ip);

/* At stop: everything still held becomes neigh_unresolved. */
void slow_drop_held(struct slow *s);

/* Nothing in any up ring. */
bool slow_idle(const struct slow *s);

/* A "neigh add" or anything else has changed a neighbour: send what was held for it. */
void slow_neigh_resolved(struct slow *s, uint16_t port, uint32_t ip);

struct slow_info {
	uint64_t arp_requests_sent, arp_replies_sent, arp_requests_seen, arp_replies_seen;
	uint64_t arp_malformed, arp_conflicts, echo_replies_sent;
	uint32_t held, held_max; /* now; limit */
};
void slow_info(const struct slow *s, struct slow_info *info);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SLOW_SLOW_INTERNAL_H
#define SLOW_SLOW_INTERNAL_H

#include "base/log.h"
#include "neigh/neigh.h"
#include "route/route.h"
#include "slow/slow.h"
#include "stats/stats.h"

#include <rte_ip.h>
#include <rte_mbuf.h>

/*
 * What the files of lib/slow share, and what its tests drive.  One control thread.
 *
 * A packet is taken from an up ring, handled by arp.c, icmp.c or hold.c, and ended by exactly one
 * of slow_deliver(), slow_drop(), slow_emit() or a place in a struct hold.
 */
#define SLOW_BURST 64 /* packets moved by one ring operation, and per ring and poll */

/* A packet while control looks at it. */
struct slow_pkt {
	struct rte_mbuf *m;
	uint16_t ring;  /* the worker it came from, and goes back to */
	uint8_t l3_off; /* bytes from the frame's start to the IPv4 or ARP header */
	bool ours;      /* made here (an echo reply): leaves with the TTL it has */
};

struct held {
	struct held *next;
	struct slow_pkt pkt;
};

/* What waits for one neighbour, in order of arrival. */
struct hold {
	struct hold *next;   /* free list, or the list of answered ones */
	struct neigh *neigh; /* NULL: free */
	struct held *first, **last;
	uint32_t n;
	bool answered; /* mac is known, workers do not know it yet: see hold_publish() */
	struct rte_ether_addr mac;
};

struct outbox {
	uint16_t n;
	struct rte_mbuf *m[SLOW_BURST];
};

#define SLOW_DEFENCES 64 /* slots, a power of two */

struct slow {
	struct slow_config cfg; /* with its defaults filled in */
	struct stats_core *stats;
	uint64_t (*clock)(void); /* microseconds; tests put their own here */
	uint64_t now_us;

	struct outbox *out; /* one per ring */
	struct outbox dead; /* to be freed together */
	uint16_t next_ring; /* for frames that belong to no worker's packet */

	struct held *held_mem, *held_free;
	struct hold *hold_mem, *hold_free;
	struct hold *answered;
	uint32_t nb_held;
	uint32_t asks_left; /* ARP requests this tick may still send */

	uint64_t defended_us[SLOW_DEFENCES]; /* last defence, by a hash of the address; 0 never */
	uint16_t ip_id;                      /* of the next packet of ours */
	bool no_source[RTE_MAX_ETHPORTS];    /* "has no address" was logged */
	struct log_limit conflict_log, pool_log, table_log;
	struct slow_info info;
};

static inline struct rte_ipv4_hdr *
slow_ip(const struct slow_pkt *p)
{
	return rte_pktmbuf_mtod_offset(p->m, struct rte_ipv4_hdr *, p->l3_off);
}

/* ---- send.c: the ends of a packet */
void slow_deliver(struct slow *s, struct rte_mbuf *m);
void slow_drop(struct slow *s, struct rte_mbuf *m, enum verdict why);
/* A finished frame, to leave on port by way of ring's worker. */
void slow_emit(struct slow *s, struct rte_mbuf *m, uint16_t ring, uint16_t port);
/* Age (unless ours), trim to the packet, strip a tag, write the Ethernet header, emit. */
void slow_forward(struct slow *s, const struct slow_pkt *p, uint16_t port,
		  const struct rte_ether_addr *src, const struct rte_ether_addr *dst);
/* Put what was emitted into the rings, free what has ended.  Whatever was emitted earlier and did
 * not fit is tx_full by now. */
void slow_flush(struct slow *s);
uint16_t slow_next_ring(struct slow *s);

/* ---- hold.c */
/* Route p, an IPv4 packet checked by slow_ip_check(): out, held, or dropped. */
void hold_output(struct slow *s, struct slow_pkt *p);
/* A neighbour has told its MAC. */
void hold_answer(struct slow *s, struct neigh *n, const struct rte_ether_addr *mac);
/* Tell workers of the neighbours answered in this poll. */
void hold_publish(struct slow *s);
/* Send everything held for n, which has a MAC. */
void hold_release(struct slow *s, struct neigh *n);
void hold_tick(struct slow *s);
void hold_drop_all(struct slow *s);

/* ---- arp.c */
void arp_input(struct slow *s, struct slow_pkt *p);
/* Ask port for n's MAC: by broadcast, or of the MAC given.  False: nothing was sent. */
bool arp_ask(struct slow *s, const struct neigh *n, uint16_t ring,
	     const struct rte_ether_addr *whom);
void arp_announce(struct slow *s, uint16_t port, uint32_t ip, uint16_t ring);

/* ---- icmp.c */
void icmp_input(struct slow *s, struct slow_pkt *p);

#endif

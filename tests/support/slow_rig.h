/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_SLOW_RIG_H
#define TEST_SLOW_RIG_H

#include "base/addr.h"
#include "slow/slow.h"
#include "slow/slow_internal.h"
#include "stats/ledger.h"
#include "stats/stats.h"
#include "support/frame.h"

#include <rte_arp.h>
#include <rte_icmp.h>

/*
 * lib/slow between two workers' rings, with a clock that tests move.  After every step the ledger
 * is checked against itself and against the rings; at the end every buffer is back.
 *
 * The network: port 0 is 10.0.0.1/24, port 1 is 10.1.0.1/24, each with the MAC of rig_mac(port) and
 * an MTU of 1500.  net_*() change it.
 */
#define RIG_RINGS 2
#define RIG_SLOTS 128 /* of each ring; one less is usable */
#define RIG_MBUFS 1023

struct rig {
	struct slow *slow;
	struct stats_core stats;
	struct punt_rings ring[RIG_RINGS];
	uint64_t now_us;
	uint64_t punted, collected; /* packets given to the up rings, taken from the down rings */
};
extern struct rig rig;

/* Group: EAL and the pool.  Test: rings, network, slow path; hold_per_neigh 8, hold_total 24. */
int rig_group_start(void **state);
int rig_start(void **state);
int rig_stop(void **state);
void rig_restart(const struct slow_config *cfg); /* with other limits */
void rig_check(void);
unsigned int rig_free_mbufs(void);

/* A pool's mbuf around bytes in a heap block of exactly their length, cut after first bytes when
 * that is not 0, and after every further rest bytes when that is not 0. */
struct rte_mbuf *rig_mbuf(const uint8_t *bytes, uint16_t len, uint16_t first, uint16_t rest);
void rig_punt(uint16_t ring, struct rte_mbuf *m, uint16_t port, enum verdict v, uint8_t l3_off);

/* Steps. */
unsigned int rig_poll(void);
void rig_tick(uint64_t after_us); /* move the clock, then tick */

struct rig_frame {
	uint16_t port;
	uint16_t len, segments;
	uint8_t b[2048];
};
/* The oldest frame of a down ring; false: none. */
bool rig_take(uint16_t ring, struct rig_frame *f);
void rig_none(void);                       /* nothing in any down ring */
uint64_t rig_dropped(enum verdict v);      /* since the start */
const uint8_t *rig_mac(uint16_t port);     /* our MAC there */
const uint8_t *rig_peer_mac(uint8_t last); /* 02:00:00:00:ee:last */

/* ---- ARP */
struct rig_arp {
	uint16_t op;                  /* request */
	uint16_t tag;                 /* 1: a VLAN tag 0 in front */
	const uint8_t *eth_src, *sha; /* peer 1's; eth_src: as sha */
	uint32_t sip, tip;
};
uint16_t rig_arp_build(uint8_t *out, const struct rig_arp *a);
void rig_arp(uint16_t ring, uint16_t port, const struct rig_arp *a); /* punt it, and poll */
/* Is f an ARP frame from us, of this kind, and well formed? */
void rig_is_arp(const struct rig_frame *f, uint16_t op, uint16_t port, const uint8_t *eth_dst,
		uint32_t sip, uint32_t tip);

/* ---- IPv4 */
void rig_packet(uint16_t ring, const struct frame_spec *spec); /* punt for resolution, no poll */
/* An IPv4 packet with our new header, this id and TTL, valid to the last byte? */
void rig_is_packet(const struct rig_frame *f, uint16_t port, const uint8_t *dst_mac, uint16_t id,
		   uint8_t ttl);

/* ---- the network: net_standin.c, or the real thing in net_real.c */
void net_start(void);
void net_stop(void);
struct router *net_router(void);
void net_addr_del(uint16_t port, uint32_t ip, uint8_t depth);
void net_addr_add(uint16_t port, uint32_t ip, uint8_t depth);
void net_route(uint32_t prefix, uint8_t depth, uint32_t via);
void net_route_dev(uint32_t prefix, uint8_t depth, uint16_t port);
void net_blackhole(uint32_t prefix, uint8_t depth);
void net_neigh_add(uint16_t port, uint32_t ip, const uint8_t *mac); /* static */
void net_neigh_del(uint16_t port, uint32_t ip);
struct neigh *net_neigh(uint16_t port, uint32_t ip); /* NULL: none */
bool net_is_real(void);
/* Stand-in only: called before a neighbour's state changes. */
extern void (*net_before_set)(const struct neigh *n, enum neigh_state state);

#endif

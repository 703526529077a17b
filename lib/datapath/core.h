/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DATAPATH_CORE_H
#define DATAPATH_CORE_H

#include "datapath/bundle.h"
#include "route/route_fast.h"
#include "slow/punt_fast.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_rcu_qsbr;

enum forward_mode {
	FORWARD_IP4 = 0,
	FORWARD_IO, /* yardsticks: testpmd's io, mac and rxonly */
	FORWARD_MAC,
	FORWARD_RXONLY, /* touches no packet data */
	FORWARD_DROP,   /* ip4 up to transmit */
};

/* What control may change while workers run: relaxed loads, once a turn. */
struct core_knobs {
	uint16_t burst;    /* packets of a bundle, 1..BUNDLE_MAX */
	uint16_t prefetch; /* packets ahead, 0 off */
	uint8_t polling;   /* 0: drain what is inside, receive nothing new */
	uint8_t run;       /* 0: leave the loop */
};

struct core_rxq {
	uint16_t port, queue;
	uint16_t quantum; /* the PMD returns multiples of this power of two, and nothing below it */
	struct stats_stream *stream;
	uint64_t *bursts; /* histogram, or NULL */
};

/* A port as transmit and classify see it. */
struct core_port {
	uint64_t mac;     /* its address, the six bytes as loaded little endian, two zeros above */
	uint16_t txq;     /* this core's own transmit queue there */
	uint16_t peer;    /* where io and mac send what comes in here */
	uint64_t *bursts; /* transmit histogram, or NULL */
};

/*
 * What one worker owns.  Created and destroyed by lib/worker; only its worker writes to it while
 * forwarding, except through the pointers that say so.
 */
struct core {
	/* read only while forwarding */
	struct core_knobs *knobs;       /* shared */
	const struct router_view *view; /* shared */
	int64_t *budget;                /* --stop-after: packets left, shared; NULL is no limit */
	struct rte_rcu_qsbr *rcu;
	struct punt_rings punt;
	struct core_rxq *rxq;
	uint16_t nb_rxq;
	uint16_t lcore;
	uint8_t mode;     /* enum forward_mode */
	uint8_t launched; /* 1 from launch until its thread is done with it */
	struct core_port port[RTE_MAX_ETHPORTS];

	/* this turn */
	const struct own_table *own;
	uint16_t burst, prefetch;

	struct stats_core *stats;
	struct bundle b;
	struct rte_mbuf *rx[BUNDLE_MAX + 32];
	struct rte_mbuf *scratch[BUNDLE_MAX];
} __rte_cache_aligned;

/* One turn: every queue polled once, every packet to its end.  Returns the packets met. */
unsigned int core_turn(struct core *core);

/* Turns until knobs->run is 0; registered with RCU and online by the caller. */
void core_loop(struct core *core);

/* The stages, in order.  Each is documented above its definition. */
unsigned int stage_rx(struct core *core, struct core_rxq *rxq);
void stage_classify(struct core *core, struct bundle *b);
void stage_ip4(struct core *core, struct bundle *b);
void stage_rewrite(struct core *core, struct bundle *b);
void stage_yardstick(struct core *core, struct bundle *b);
void stage_tx(struct core *core, struct bundle *b);
void stage_settle(struct core *core, struct bundle *b);

/* Frames from the control thread, ready to send; how many there were. */
unsigned int stage_inject(struct core *core);

/*
 * The one scalar judge, for packets that are not plain: every check of an IPv4 packet in the order
 * of the design, the reason named here and nowhere else.  group: the frame came in a group MAC.
 * Returns FORWARD (and fills b->dst, b->length) or the verdict.
 */
enum verdict ip4_judge(const struct core *core, struct bundle *b, unsigned int i, bool group);

/* Make len bytes of the frame contiguous in its first segment; false when there is no room. */
bool seg_pull(struct rte_mbuf *m, unsigned int len);

/* Cut a frame of any number of segments to len bytes, 1..pkt_len. */
void seg_cut(struct rte_mbuf *m, unsigned int len);

#endif

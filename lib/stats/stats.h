/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "base/atomics.h"
#include "stats/verdict.h"

#include <stdint.h>

#include <rte_common.h>
#include <rte_config.h>

/*
 * Counters, one block per thread, one writer each.
 *
 * A writer brackets its changes with stats_begin() and stats_end(); a reader (stats_read()) copies
 * until it met no change, so that what it sees closes: no packet is between two counters.
 *
 * Units: packets unless a name says otherwise.  Everything counts from process start and never
 * goes back; "clear" commands are baselines kept by who prints.
 */
#define STATS_BURST_MAX   256 /* largest burst */
#define STATS_STREAMS_MAX 64  /* RX (port, queue) pairs of one lcore */

/* What came in through one RX (port, queue), and what became of it. */
struct stats_stream {
	uint64_t received;
	uint64_t sent;    /* left on whatever port, at once or after ARP: not counted here then */
	uint64_t dropped; /* any drop verdict given by the worker */
};

struct stats_core {
	uint32_t seq; /* odd while the owner changes the block */

	/* The ledger: see struct ledger_row. */
	uint64_t received;
	uint64_t originated;
	uint64_t sent;
	uint64_t delivered;
	uint64_t handed_out;
	uint64_t taken_in;
	uint64_t held; /* a gauge, not a sum: packets that wait for ARP now */
	uint64_t dropped[VERDICT_MAX];

	uint64_t sent_by_port[RTE_MAX_ETHPORTS];
	uint64_t refused_by_port[RTE_MAX_ETHPORTS]; /* tx_full */
	struct stats_stream stream[STATS_STREAMS_MAX];

	/* Time, in TSC cycles. */
	uint64_t turns;
	uint64_t busy_turns;     /* turns that met a packet */
	uint64_t busy_cycles;    /* spent in them */
	uint64_t total_cycles;   /* spent in all of them */
	uint64_t max_gap_cycles; /* longest time between two polls */
} __rte_cache_aligned;

/* Sizes of bursts seen, by --record-burst-stats; allocated only then. */
struct stats_bursts {
	uint64_t rx[STATS_STREAMS_MAX][STATS_BURST_MAX + 1];
	uint64_t tx[RTE_MAX_ETHPORTS][STATS_BURST_MAX + 1];
};

#define stats_add(counter, n) atomic_release((counter), atomic_get(counter) + (n))

static inline void
stats_begin(struct stats_core *s)
{
	atomic_put(&s->seq, atomic_get(&s->seq) + 1);
}

static inline void
stats_end(struct stats_core *s)
{
	atomic_release(&s->seq, atomic_get(&s->seq) + 1);
}

/*
 * Copy a block while its owner may be writing.  Any thread but a worker: it may sleep, for some
 * 200 ms at the longest.  Returns 0, or -EAGAIN when there was no clean copy in all that time; the
 * copy is usable, but the ledger may be off by the packets of one turn.
 */
int stats_read(const struct stats_core *from, struct stats_core *to);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_SINK_H
#define WIRE_SINK_H

#include "drivers/wire/probe.h"

/*
 * The wire "sink", which takes frames and judges them; what its files share.  Under the models'
 * lock.
 */
#define SINK_FLOWS_MAX (1u << 24)

/*
 * What is known of each flow's numbers: the next one expected, and of the last `window` ones which
 * have come.  Memory of a stream is reserved when its first frame comes; what no flow touches costs
 * nothing.
 */
struct sink_flow {
	uint64_t next;
	uint64_t since; /* from this number up to next all have come; earlier ones are in `came` */
};
struct sink_flows {
	struct {
		struct sink_flow *flow;
		uint64_t *came; /* ring of `words` words a flow, bit a number */
	} stream[PROBE_STREAMS];
	uint32_t limit; /* flows of a stream that are followed */
	uint32_t words; /* power of two */

	uint64_t lost; /* numbers that have been passed over and have not come since */
	uint64_t misordered, duplicated;
	uint64_t late; /* too far behind to know which of both; counted as misordered, stay lost */
	uint64_t untracked; /* of flows beyond the limit, or no memory */
	char first[96];     /* what happened first */
};
/* window: numbers, a multiple of 64. */
void sink_flows_init(struct sink_flows *flows, uint32_t limit, uint32_t window);
void sink_flows_release(struct sink_flows *flows);
void sink_flows_slow(struct sink_flows *flows, struct probe_seen seen);

static inline void
sink_flows_see(struct sink_flows *flows, struct probe_seen seen)
{
	struct sink_flow *flow = flows->stream[seen.stream].flow;

	if (__builtin_expect(flow != NULL && seen.flow < flows->limit &&
				     flow[seen.flow].next == seen.seq,
			     1))
		flow[seen.flow].next = seen.seq + 1;
	else
		sink_flows_slow(flows, seen);
}

enum sink_verify { SINK_ALL, SINK_SEQ, SINK_NONE };
struct sink_conf {
	uint32_t verify; /* enum sink_verify */
	uint32_t flows, window;
	char hops[8];             /* "any" or a number */
	uint8_t dmac[6], smac[6]; /* zero: any */
	uint32_t vlan;            /* 0: no tag; SINK_VLAN_ANY */
	bool arp;
	uint8_t mac[6]; /* that answers */
};
#define SINK_VLAN_ANY 4096
#define SINK_BAD      7 /* kinds of bad frames: bits of probe_judge() below PROBE_NONE */

struct sink {
	struct probe_expect want;
	uint32_t verify; /* enum sink_verify */
	bool arp_on;
	uint8_t mac[6];

	uint64_t frames, bytes, arp, answered, other;
	uint64_t bad[SINK_BAD], bad_total;
	struct sink_flows flows;
	uint64_t last_ns, last_gap_us, longest_gap_us;
	char first_bad[320];
};

/* sink_arp.c: was it ARP?  A request is answered when the sink does that. */
bool sink_arp(struct soft_wire *wire, const uint8_t *frame, uint32_t len);

#endif

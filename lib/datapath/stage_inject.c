/* SPDX-License-Identifier: BSD-3-Clause */
#include "datapath/core.h"
#include "datapath/tx_send.h"

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "base/fast.h"

/* A run of frames for one port; what is refused is dropped as tx_full. */
static void
inject_run(struct core *core, struct rte_mbuf **pkt, uint16_t n)
{
	uint16_t port = pkt[0]->port, sent = tx_send(core, port, pkt, n);
	uint16_t left = (uint16_t)(n - sent);
	struct stats_core *s = core->stats;

	stats_begin(s);
	stats_add(&s->taken_in, n);
	stats_add(&s->sent, sent);
	stats_add(&s->sent_by_port[port], sent);
	stats_add(&s->dropped[VERDICT_TX_FULL], left);
	stats_add(&s->refused_by_port[port], left);
	stats_end(s);
	if (left != 0)
		rte_pktmbuf_free_bulk(pkt + sent, left);
}

/*
 * In:  the ring from the control thread: ARP frames, echo replies, packets that waited for a
 *      neighbour; finished frames, m->port saying where they leave.
 * Out: all that was there on entry is sent, in its order.
 *
 * Control fills the ring and then publishes the neighbour's MAC, so a bundle that was looked up
 * before this call leaves behind what waited.
 */
unsigned int
stage_inject(struct core *core)
{
	unsigned int met = 0;

	/* At most a ring's worth: control must not be able to keep a worker here. */
	while (unlikely(!punt_ring_empty(core->punt.down)) && met < core->punt.down->capacity) {
		unsigned int from = 0, n;

		n = rte_ring_sc_dequeue_burst(core->punt.down, (void **)core->scratch, BUNDLE_MAX,
					      NULL);
		for (unsigned int i = 1; i <= n; i++) {
			if (i < n && core->scratch[i]->port == core->scratch[from]->port)
				continue;
			inject_run(core, &core->scratch[from], (uint16_t)(i - from));
			from = i;
		}
		met += n;
	}
	return met;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "datapath/core.h"

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "base/fast.h"

/* What becomes of a punt that finds the ring full; by verdict. */
static const uint8_t refused[] = {
	[VERDICT_PUNT_ARP] = VERDICT_PUNT_FULL,
	[VERDICT_PUNT_LOCAL] = VERDICT_PUNT_FULL,
	[VERDICT_PUNT_RESOLVE] = VERDICT_NEIGH_QUEUE_FULL,
};

/* Hand the punts over, in order; those that find no room become drops.  How many went. */
static uint16_t
punt(struct core *core, struct bundle *b)
{
	uint8_t index[BUNDLE_MAX];
	unsigned int n = 0, went;

	for (unsigned int i = 0; i < b->n; i++) {
		if (b->verdict[i] == VERDICT_FORWARD || VERDICT_IS_DROP(b->verdict[i]))
			continue;
		punt_tag_set(b->pkt[i], b->port,
			     (struct punt_tag){ b->verdict[i], (uint8_t)bundle_l3_off(b, i) });
		index[n] = (uint8_t)i;
		core->scratch[n++] = b->pkt[i];
	}
	if (n == 0)
		return 0;
	went = rte_ring_sp_enqueue_burst(core->punt.up, (void **)core->scratch, n, NULL);
	for (unsigned int i = went; i < n; i++)
		b->verdict[index[i]] = refused[b->verdict[index[i]]];
	return (uint16_t)went;
}

/* Free the drops in bulk and count them by reason; how many. */
static uint16_t
drop(struct core *core, struct bundle *b)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->n; i++) {
		if (!VERDICT_IS_DROP(b->verdict[i]))
			continue;
		stats_add(&core->stats->dropped[b->verdict[i]], 1);
		core->scratch[n++] = b->pkt[i];
	}
	if (n != 0)
		rte_pktmbuf_free_bulk(core->scratch, n);
	return (uint16_t)n;
}

/*
 * The one place where packets end.
 *
 * In:  b->verdict[], final; b->tx[].
 * Out: the ledger.  Nothing of the bundle is ours any more.
 */
void
stage_settle(struct core *core, struct bundle *b)
{
	struct stats_stream *stream = b->rxq->stream;
	struct stats_core *s = core->stats;
	uint16_t punted = 0, dropped = 0, sent = 0;

	if (unlikely(b->odd != 0))
		punted = punt(core, b);

	stats_begin(s);
	if (unlikely(b->odd != 0))
		dropped = drop(core, b);
	for (unsigned int i = 0; i < b->nb_tx; i++) {
		const struct bundle_tx *tx = &b->tx[i];

		stats_add(&s->sent_by_port[tx->port], tx->sent);
		if (unlikely(tx->refused != 0))
			stats_add(&s->refused_by_port[tx->port], tx->refused);
		sent = (uint16_t)(sent + tx->sent);
	}
	stats_add(&s->received, b->n);
	stats_add(&s->sent, sent);
	stats_add(&stream->received, b->n);
	stats_add(&stream->sent, sent);
	if (unlikely(b->odd != 0)) {
		stats_add(&s->handed_out, punted);
		stats_add(&stream->dropped, dropped);
	}
	stats_end(s);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "datapath/core.h"

#include <string.h>

#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "base/fast.h"

/* testpmd's mac: our address as the source, 02:00:00:00:00:PORT as the destination. */
static void
rewrite_macs(const struct core *core, struct bundle *b, uint16_t out)
{
	const unsigned int ahead = core->prefetch;
	const uint64_t src = core->port[out].mac;
	uint8_t dst[RTE_ETHER_ADDR_LEN] = { 0x02, 0, 0, 0, 0, (uint8_t)out };

	for (unsigned int i = 0; i < RTE_MIN(ahead, b->n); i++)
		rte_prefetch0(rte_pktmbuf_mtod(b->pkt[i], void *));
	for (unsigned int i = 0; i < b->n; i++) {
		uint8_t *frame = rte_pktmbuf_mtod(b->pkt[i], uint8_t *);

		if (ahead != 0 && i + ahead < b->n)
			rte_prefetch0(rte_pktmbuf_mtod(b->pkt[i + ahead], void *));
		if (unlikely(rte_pktmbuf_data_len(b->pkt[i]) < RTE_ETHER_HDR_LEN)) {
			bundle_mark(b, i, VERDICT_TOO_SHORT);
			continue;
		}
		memcpy(frame, dst, sizeof(dst));
		memcpy(frame + sizeof(dst), &src, RTE_ETHER_ADDR_LEN);
	}
}

/*
 * The modes that are not ip4: what testpmd's modes of these names do, to measure against.
 * drop is ip4 up to here.
 *
 * In:  b->pkt[]; in drop mode ip4's verdicts.
 * Out: b->verdict[] and b->out[].
 */
void
stage_yardstick(struct core *core, struct bundle *b)
{
	uint16_t out = core->port[b->port].peer;

	if (core->mode != FORWARD_DROP)
		bundle_clear(b);
	if (core->mode == FORWARD_RXONLY || core->mode == FORWARD_DROP) {
		for (unsigned int i = 0; i < b->n; i++)
			if (b->verdict[i] == VERDICT_FORWARD)
				bundle_mark(b, i, VERDICT_DISCARDED);
		return;
	}
	if (core->mode == FORWARD_MAC)
		rewrite_macs(core, b, out);
	/* One transmit call looks at the first only; sorting, after a drop, at each. */
	b->out[0] = (uint8_t)out;
	if (unlikely(b->odd != 0))
		memset(b->out, out, b->n);
	b->one_port = true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hdr4.h"
#include "datapath/core.h"
#include "neigh/adj_fast.h"

#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>

#include "base/fast.h"

/* Why a packet cannot simply be sent, or what it was found to be. */
static const uint8_t fate[] = {
	[ADJ_NO_ROUTE] = VERDICT_NO_ROUTE,
	[ADJ_FORWARD] = VERDICT_MTU_EXCEEDED,
	[ADJ_RESOLVE] = VERDICT_PUNT_RESOLVE,
	[ADJ_LOCAL] = VERDICT_PUNT_LOCAL,
	[ADJ_BAD_DESTINATION] = VERDICT_BAD_DESTINATION,
	[ADJ_BLACKHOLE] = VERDICT_BLACKHOLE,
};

/* Off with a priority tag and with padding: the frame is 14 bytes and the packet, no more. */
static void
trim(struct rte_mbuf *m, unsigned int l3_off, unsigned int length)
{
	unsigned int tag = l3_off - RTE_ETHER_HDR_LEN;

	m->data_off = (uint16_t)(m->data_off + tag);
	m->data_len = (uint16_t)(m->data_len - tag);
	m->pkt_len -= tag;
	if (rte_pktmbuf_pkt_len(m) > RTE_ETHER_HDR_LEN + length)
		seg_cut(m, RTE_ETHER_HDR_LEN + length);
}

/*
 * In:  b->nh[] and b->length[] of what carries FORWARD.
 * Out: b->out[]; what still carries FORWARD is aged by one hop, has its new Ethernet header and
 *      nothing behind the packet.  What does not is as it was received.
 */
void
stage_rewrite(struct core *core, struct bundle *b)
{
	const struct adj *table = core->view->adj;
	int first = -1;

	b->one_port = true;
	for (unsigned int i = 0; i < b->n; i++) {
		struct rte_mbuf *m = b->pkt[i];
		struct adj adj = adj_read(table, b->nh[i]);
		unsigned int l3_off = b->l3_off[i];
		uint8_t *l3;

		if (unlikely(b->verdict[i] != VERDICT_FORWARD))
			continue;
		if (unlikely(b->length[i] > adj.mtu)) {
			bundle_mark(b, i, (enum verdict)fate[adj.kind]);
			continue;
		}
		l3 = rte_pktmbuf_mtod_offset(m, uint8_t *, l3_off);
		hdr4_age((struct rte_ipv4_hdr *)l3);
		memcpy(l3 - RTE_ETHER_HDR_LEN, adj.dst, 2 * RTE_ETHER_ADDR_LEN);
		if (unlikely(rte_pktmbuf_pkt_len(m) != b->length[i] + l3_off ||
			     l3_off != RTE_ETHER_HDR_LEN)) {
			static const uint16_t type = RTE_BE16(RTE_ETHER_TYPE_IPV4);

			memcpy(l3 - sizeof(type), &type, sizeof(type));
			trim(m, l3_off, b->length[i]);
		}
		b->out[i] = adj.port;
		if (first < 0)
			first = adj.port;
		b->one_port &= first == adj.port;
	}
}

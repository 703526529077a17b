/* SPDX-License-Identifier: BSD-3-Clause */
#include "datapath/core.h"
#include "neigh/adj_fast.h"

#include <stddef.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>

#include "base/fast.h"

#define AGED_OFF offsetof(struct rte_ipv4_hdr, time_to_live)

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
trim(struct bundle *b, unsigned int i)
{
	const uint16_t type = RTE_BE16(RTE_ETHER_TYPE_IPV4);
	struct rte_mbuf *m = b->pkt[i];
	unsigned int tag = bundle_l3_off(b, i) - RTE_ETHER_HDR_LEN;

	memcpy(b->l3[i] - sizeof(type), &type, sizeof(type));
	m->data_off = (uint16_t)(m->data_off + tag);
	m->data_len = (uint16_t)(m->data_len - tag);
	m->pkt_len -= tag;
	if (b->spare[i] != tag)
		seg_cut(m, RTE_ETHER_HDR_LEN + b->length[i]);
}

/* One packet; the bit of the port it leaves by, 0 when it does not. */
static inline uint32_t
rewrite(struct bundle *b, unsigned int i, const struct adj *table)
{
	struct adj_words adj = adj_read(table, b->nh[i]);
	uint8_t *l3 = b->l3[i], *l2 = l3 - RTE_ETHER_HDR_LEN;

	if (unlikely(b->length[i] > adj.mtu)) {
		bundle_mark(b, i, (enum verdict)fate[adj.kind]);
		return 0;
	}
	memcpy(l3 + AGED_OFF, &b->aged[i], sizeof(b->aged[i]));
	memcpy(l2, &adj.macs, sizeof(adj.macs));
	memcpy(l2 + sizeof(adj.macs), &adj.macs4, sizeof(adj.macs4));
	if (unlikely(b->spare[i] != 0))
		trim(b, i);
	b->out[i] = adj.port;
	return 1u << adj.port;
}

/*
 * In:  b->nh[], b->length[], b->spare[] and b->aged[] of what carries FORWARD.
 * Out: b->out[]; what still carries FORWARD is aged by one hop, has its new Ethernet header and
 *      nothing behind the packet.  What does not is as it was received.
 */
void
stage_rewrite(struct core *core, struct bundle *b)
{
	const struct adj *table = core->view->adj;
	const unsigned int n = b->n;
	uint32_t ports = 0; /* a bit for each that a packet leaves by */

	_Static_assert(RTE_MAX_ETHPORTS <= 32, "one bit a port");
	if (likely(b->odd == 0)) {
		for (unsigned int i = 0; i < n; i++)
			ports |= rewrite(b, i, table);
	} else {
		for (unsigned int i = 0; i < n; i++)
			if (b->verdict[i] == VERDICT_FORWARD)
				ports |= rewrite(b, i, table);
	}
	b->one_port = (ports & (ports - 1)) == 0;
}

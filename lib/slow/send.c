/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hdr4.h"
#include "slow/slow_internal.h"

#include <string.h>

#include <rte_ring.h>

static void
dead_flush(struct slow *s)
{
	rte_pktmbuf_free_bulk(s->dead.m, s->dead.n);
	s->dead.n = 0;
}

static void
bury(struct slow *s, struct rte_mbuf *m)
{
	if (s->dead.n == SLOW_BURST)
		dead_flush(s);
	s->dead.m[s->dead.n++] = m;
}

void
slow_deliver(struct slow *s, struct rte_mbuf *m)
{
	stats_add(&s->stats->delivered, 1);
	bury(s, m);
}

void
slow_drop(struct slow *s, struct rte_mbuf *m, enum verdict why)
{
	stats_add(&s->stats->dropped[why], 1);
	bury(s, m);
}

static void
out_flush(struct slow *s, uint16_t ring)
{
	struct outbox *out = &s->out[ring];
	unsigned int sent;

	if (out->n == 0)
		return;
	sent = rte_ring_enqueue_burst(s->cfg.rings[ring].down, (void **)out->m, out->n, NULL);
	stats_add(&s->stats->handed_out, sent);
	for (unsigned int i = sent; i < out->n; i++)
		slow_drop(s, out->m[i], VERDICT_TX_FULL);
	out->n = 0;
}

void
slow_emit(struct slow *s, struct rte_mbuf *m, uint16_t ring, uint16_t port)
{
	struct outbox *out = &s->out[ring];

	m->port = port;
	out->m[out->n++] = m;
	if (out->n == SLOW_BURST)
		out_flush(s, ring);
}

void
slow_flush(struct slow *s)
{
	for (uint16_t i = 0; i < s->cfg.nb_rings; i++)
		out_flush(s, i);
	if (s->dead.n > 0)
		dead_flush(s);
}

uint16_t
slow_next_ring(struct slow *s)
{
	uint16_t ring = s->next_ring;

	s->next_ring = (uint16_t)((ring + 1) % s->cfg.nb_rings);
	return ring;
}

/* Cut m to len bytes, whichever segment that ends in: padding may fill segments of its own. */
static void
trim(struct rte_mbuf *m, uint32_t len)
{
	struct rte_mbuf *seg = m;
	uint32_t left = len;

	if (len >= m->pkt_len)
		return;
	m->pkt_len = len;
	m->nb_segs = 1;
	while (left > seg->data_len && seg->next != NULL) {
		left -= seg->data_len;
		seg = seg->next;
		m->nb_segs++;
	}
	seg->data_len = (uint16_t)left;
	if (seg->next != NULL) {
		rte_pktmbuf_free(seg->next);
		seg->next = NULL;
	}
}

void
slow_forward(struct slow *s, const struct slow_pkt *p, uint16_t port,
	     const struct rte_ether_addr *src, const struct rte_ether_addr *dst)
{
	struct rte_ipv4_hdr *ip = slow_ip(p);
	struct rte_ether_hdr *eth;

	if (!p->ours)
		hdr4_age(ip);
	trim(p->m, (uint32_t)p->l3_off + rte_be_to_cpu_16(ip->total_length));
	eth = (struct rte_ether_hdr *)rte_pktmbuf_adj(p->m,
						      (uint16_t)(p->l3_off - RTE_ETHER_HDR_LEN));
	eth->dst_addr = *dst;
	eth->src_addr = *src;
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV4);
	slow_emit(s, p->m, p->ring, port);
}

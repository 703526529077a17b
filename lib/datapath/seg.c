/* SPDX-License-Identifier: BSD-3-Clause */
#include "datapath/core.h"

#include <string.h>

#include <rte_mbuf.h>

#include "base/fast.h"

/*
 * Rare: a header that a device spread over segments.  Bytes move forward into the first segment's
 * tail room; segments that this empties leave the chain, since PMDs take no empty ones.
 */
bool
seg_pull(struct rte_mbuf *m, unsigned int len)
{
	unsigned int want;

	if (likely(rte_pktmbuf_data_len(m) >= len))
		return true;
	want = len - rte_pktmbuf_data_len(m);
	if (rte_pktmbuf_pkt_len(m) < len || rte_pktmbuf_tailroom(m) < want)
		return false;
	while (want != 0) {
		struct rte_mbuf *next = m->next;
		uint16_t n = (uint16_t)RTE_MIN(want, rte_pktmbuf_data_len(next));

		memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len),
		       rte_pktmbuf_mtod(next, const uint8_t *), n);
		m->data_len = (uint16_t)(m->data_len + n);
		next->data_off = (uint16_t)(next->data_off + n);
		next->data_len = (uint16_t)(next->data_len - n);
		want -= n;
		if (next->data_len == 0) {
			m->next = next->next;
			m->nb_segs--;
			rte_pktmbuf_free_seg(next);
		}
	}
	return true;
}

void
seg_cut(struct rte_mbuf *m, unsigned int len)
{
	struct rte_mbuf *last = m, *tail;
	unsigned int before = 0;

	m->pkt_len = len;
	while (before + last->data_len < len) {
		before += last->data_len;
		last = last->next;
	}
	last->data_len = (uint16_t)(len - before);
	tail = last->next;
	last->next = NULL;
	while (tail != NULL) {
		struct rte_mbuf *next = tail->next;

		m->nb_segs--;
		rte_pktmbuf_free_seg(tail);
		tail = next;
	}
}

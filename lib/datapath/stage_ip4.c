/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hdr4.h"
#include "datapath/core.h"
#include "fib/fib_fast.h"
#include "neigh/adj_fast.h"

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "base/fast.h"

/* The NIC's word, or ours when it says nothing (RFC 1812 5.2.2). */
static inline bool
checksum_good(const struct rte_mbuf *m, const struct rte_ipv4_hdr *ip, unsigned int len)
{
	uint64_t said = m->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK;

	if (said == RTE_MBUF_F_RX_IP_CKSUM_GOOD)
		return true;
	return said != RTE_MBUF_F_RX_IP_CKSUM_BAD && hdr4_checksum_good(ip, len);
}

/* TTL 0 or 1 ends here unless the packet is for us, whatever its TTL, or for nobody. */
static enum verdict
judge_expiring(const struct core *core, uint32_t dst)
{
	uint16_t nh;

	fib_lookup_bulk(core->view->fib, &dst, &nh, 1);
	switch (adj_read(core->view->adj, nh).kind) {
	case ADJ_LOCAL:
		return VERDICT_PUNT_LOCAL;
	case ADJ_BAD_DESTINATION:
		return VERDICT_BAD_DESTINATION;
	default:
		return VERDICT_TTL_EXPIRED;
	}
}

enum verdict
ip4_judge(const struct core *core, struct bundle *b, unsigned int i, bool group)
{
	struct rte_mbuf *m = b->pkt[i];
	const struct rte_ipv4_hdr *ip =
		rte_pktmbuf_mtod_offset(m, const struct rte_ipv4_hdr *, b->l3_off[i]);
	unsigned int ihl = (ip->version_ihl & 0xfu) * 4;
	uint32_t src = rte_be_to_cpu_32(ip->src_addr);

	b->dst[i] = rte_be_to_cpu_32(ip->dst_addr);
	b->length[i] = rte_be_to_cpu_16(ip->total_length);

	if (ip->version_ihl >> 4 != 4)
		return VERDICT_BAD_VERSION;
	if (ihl < sizeof(*ip) || ihl > b->length[i])
		return VERDICT_BAD_HEADER_LENGTH;
	if (b->length[i] + (unsigned int)b->l3_off[i] > rte_pktmbuf_pkt_len(m))
		return VERDICT_BAD_LENGTH;
	if (!seg_pull(m, b->l3_off[i] + ihl))
		return VERDICT_BAD_HEADER_LENGTH;
	if (!checksum_good(m, ip, ihl))
		return VERDICT_BAD_CHECKSUM;
	if (hdr4_no_host(src) || own_has(core->own, src))
		return VERDICT_MARTIAN_SOURCE;
	if (group || hdr4_no_host(b->dst[i]))
		return VERDICT_BAD_DESTINATION;
	if (!hdr4_options_good((const uint8_t *)(ip + 1), ihl - (unsigned int)sizeof(*ip)))
		return VERDICT_OPTIONS_REFUSED;
	if (ip->time_to_live <= 1)
		return judge_expiring(core, b->dst[i]);
	return VERDICT_FORWARD;
}

/* Nothing about it needs ip4_judge(): all its checks at once, in any order. */
static inline bool
plain(const struct core *core, const struct rte_mbuf *m, const struct rte_ipv4_hdr *ip,
      unsigned int l3_off)
{
	uint32_t src = rte_be_to_cpu_32(ip->src_addr);
	uint32_t dst = rte_be_to_cpu_32(ip->dst_addr);
	unsigned int length = rte_be_to_cpu_16(ip->total_length);

	return ip->version_ihl == RTE_IPV4_VHL_DEF && length >= sizeof(*ip) &&
	       length + l3_off <= rte_pktmbuf_pkt_len(m) && ip->time_to_live > 1 &&
	       !hdr4_no_host(src) && !hdr4_no_host(dst) && !own_maybe(core->own, src) &&
	       checksum_good(m, ip, sizeof(*ip));
}

/*
 * In:  b->pkt[]; what carries FORWARD is IPv4 with a whole fixed header.
 * Out: b->dst[], b->length[] and b->nh[] of what still carries FORWARD: a valid packet, and where
 *      the table sends it.  The packet itself is unchanged.
 */
void
stage_ip4(struct core *core, struct bundle *b)
{
	for (unsigned int i = 0; i < b->n; i++) {
		const struct rte_ipv4_hdr *ip = rte_pktmbuf_mtod_offset(
			b->pkt[i], const struct rte_ipv4_hdr *, b->l3_off[i]);

		if (unlikely(b->verdict[i] != VERDICT_FORWARD)) {
			b->dst[i] = 0;
			continue;
		}
		b->dst[i] = rte_be_to_cpu_32(ip->dst_addr);
		b->length[i] = rte_be_to_cpu_16(ip->total_length);
		if (likely(plain(core, b->pkt[i], ip, b->l3_off[i])))
			continue;

		enum verdict v = ip4_judge(core, b, i, false);

		if (v != VERDICT_FORWARD)
			bundle_mark(b, i, v);
	}

	/* Looking up a rejected packet is harmless and cheaper than skipping it. */
	fib_lookup_bulk(core->view->fib, b->dst, b->nh, b->n);
}

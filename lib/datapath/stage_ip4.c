/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hdr4.h"
#include "base/hdr4_four.h"
#include "datapath/core.h"
#include "fib/fib_fast.h"
#include "neigh/adj_fast.h"

#include <rte_ether.h>
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
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)b->l3[i];
	unsigned int l3_off = bundle_l3_off(b, i);
	unsigned int ihl = (ip->version_ihl & 0xfu) * 4;
	uint32_t src = rte_be_to_cpu_32(ip->src_addr);
	uint32_t dst = rte_be_to_cpu_32(ip->dst_addr);
	unsigned int length = rte_be_to_cpu_16(ip->total_length);

	if (ip->version_ihl >> 4 != 4)
		return VERDICT_BAD_VERSION;
	if (ihl < sizeof(*ip))
		return VERDICT_BAD_HEADER_LENGTH;
	if (length < ihl || l3_off + length > rte_pktmbuf_pkt_len(m))
		return VERDICT_BAD_LENGTH;
	if (!seg_pull(m, l3_off + ihl))
		return VERDICT_BAD_HEADER_LENGTH;
	if (!checksum_good(m, ip, ihl))
		return VERDICT_BAD_CHECKSUM;
	if (hdr4_no_host(src) || own_has(core->own, src))
		return VERDICT_MARTIAN_SOURCE;
	if (group || hdr4_no_host(dst))
		return VERDICT_BAD_DESTINATION;
	if (!hdr4_options_good((const uint8_t *)(ip + 1), ihl - (unsigned int)sizeof(*ip)))
		return VERDICT_OPTIONS_REFUSED;
	if (ip->time_to_live <= 1)
		return judge_expiring(core, dst);
	return VERDICT_FORWARD;
}

#if RTE_BYTE_ORDER == RTE_BIG_ENDIAN
#error "hdr4_four.h reads headers as little-endian words"
#endif

/* Few own addresses are compared one by one, four packets at once; many go through the filter. */
#define OWN_FEW 8

static inline unsigned int
from_ourselves(const struct own_table *own, four src)
{
	unsigned int maybe = 0;
	four hit = { 0 };

	if (likely(own->n <= OWN_FEW)) {
		for (unsigned int a = 0; a < own->n; a++)
			hit |= (four)(src == own->ip[a]);
		return four_mask(hit);
	}
	for (unsigned int k = 0; k < BUNDLE_STEP; k++)
		maybe |= (unsigned int)own_maybe(own, src[k]) << k;
	return maybe;
}

/* Packets i..i+3: fill their arrays; a bit for each that ip4_judge() must see. */
static inline unsigned int
check_four(const struct own_table *own, struct bundle *b, unsigned int i)
{
	four room = four_load(&b->room[i]);
	struct hdr4_four h = hdr4_four(&b->l3[i], room);

	four_store(&b->dst[i], h.dst);
	four_store(&b->length[i], h.length);
	four_store(&b->spare[i], room - h.length);
	four_store(&b->aged[i], h.aged);
	return four_mask(h.odd) | from_ourselves(own, h.src);
}

/*
 * In:  b->pkt[], b->l3[] and b->room[]; what carries FORWARD is IPv4 with a whole fixed header.
 * Out: b->dst[], b->length[], b->spare[], b->aged[] and b->nh[] of what still carries FORWARD: a
 *      valid packet, and where the table sends it.  The packet itself is unchanged.
 */
void
stage_ip4(struct core *core, struct bundle *b)
{
	for (unsigned int i = 0; i < b->n; i += BUNDLE_STEP) {
		unsigned int odd = check_four(core->own, b, i);

		for (; unlikely(odd != 0); odd &= odd - 1) {
			unsigned int k = i + (unsigned int)__builtin_ctz(odd);
			enum verdict v;

			if (k >= b->n || b->verdict[k] != VERDICT_FORWARD)
				continue;
			v = ip4_judge(core, b, k, false);
			if (v != VERDICT_FORWARD)
				bundle_mark(b, k, v);
		}
	}

	/* Looking up a rejected packet is harmless and cheaper than skipping it. */
	fib_lookup_bulk(core->view->fib, b->dst, b->nh, b->n);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "datapath/core.h"

#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "base/fast.h"

#define SHORTEST (RTE_ETHER_HDR_LEN + sizeof(struct rte_ipv4_hdr))
#define TAG_LEN  4
#define TAGGED   (RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ_STRIPPED)
#define SAID_BAD RTE_MBUF_F_RX_IP_CKSUM_BAD /* a bit of 'none' as well */

#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
#define MAC_OF(word) ((word)&0xffffffffffffull)
#define GROUP_BIT    1ull
#else
#define MAC_OF(word) ((word) >> 16)
#define GROUP_BIT    (1ull << 40)
#endif

static inline uint64_t
frame_word(const uint8_t *frame)
{
	uint64_t word;

	memcpy(&word, frame, sizeof(word));
	return word;
}

static inline uint16_t
frame_type(const uint8_t *frame, unsigned int off)
{
	uint16_t type;

	memcpy(&type, frame + off, sizeof(type));
	return type;
}

/* The EtherType behind a priority tag (VID 0, IEEE 802.1Q table 9-2), which is as untagged. */
static enum verdict
untag(struct rte_mbuf *m, uint16_t *type)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	if (rte_pktmbuf_pkt_len(m) < SHORTEST + TAG_LEN ||
	    !seg_pull(m, (unsigned int)SHORTEST + TAG_LEN))
		return VERDICT_TOO_SHORT;
	if ((frame_type(frame, RTE_ETHER_HDR_LEN) & RTE_BE16(0x0fff)) != 0)
		return VERDICT_VLAN_UNKNOWN;
	*type = frame_type(frame, RTE_ETHER_HDR_LEN + 2);
	return VERDICT_FORWARD;
}

static inline bool
is_tag(uint16_t type)
{
	return type == RTE_BE16(RTE_ETHER_TYPE_VLAN) || type == RTE_BE16(RTE_ETHER_TYPE_QINQ) ||
	       type == RTE_BE16(0x9100);
}

static uint8_t no_header[sizeof(struct rte_ipv4_hdr)]; /* what is read where there is none */

/* A frame that is not a plain one for us, in the order of the design's checks. */
static enum verdict
classify_odd(const struct core *core, struct bundle *b, unsigned int i)
{
	struct rte_mbuf *m = b->pkt[i];
	uint16_t type;
	uint64_t dmac;
	bool group;

	if (rte_pktmbuf_pkt_len(m) < SHORTEST || !seg_pull(m, SHORTEST)) {
		b->l3[i] = no_header;
		return VERDICT_TOO_SHORT;
	}
	dmac = MAC_OF(frame_word(rte_pktmbuf_mtod(m, const uint8_t *)));
	group = (dmac & GROUP_BIT) != 0;
	if (!group && dmac != core->port[b->port].mac)
		return VERDICT_NOT_FOR_US;

	/* A tag the NIC took off is judged by what it left in the mbuf. */
	if (m->ol_flags & TAGGED) {
		if ((m->ol_flags & RTE_MBUF_F_RX_QINQ_STRIPPED) || (m->vlan_tci & 0x0fff) != 0)
			return VERDICT_VLAN_UNKNOWN;
	}
	type = frame_type(rte_pktmbuf_mtod(m, const uint8_t *), 2 * RTE_ETHER_ADDR_LEN);
	if (is_tag(type)) {
		enum verdict v = VERDICT_VLAN_UNKNOWN;

		if (type == RTE_BE16(RTE_ETHER_TYPE_VLAN) && !(m->ol_flags & TAGGED))
			v = untag(m, &type);
		if (v != VERDICT_FORWARD)
			return v;
		b->l3[i] += TAG_LEN;
		if (is_tag(type))
			return VERDICT_VLAN_UNKNOWN;
	}
	if (type == RTE_BE16(RTE_ETHER_TYPE_ARP))
		return VERDICT_PUNT_ARP;
	if (type != RTE_BE16(RTE_ETHER_TYPE_IPV4))
		return VERDICT_NOT_IP;
	return ip4_judge(core, b, i, group);
}

/* What is unusual about a group of frames, OR-ed together, so that a group needs one branch. */
struct unusual {
	uint64_t mac;   /* differs from ours; the upper two bytes say nothing */
	uint64_t flags; /* all of the mbufs' flags */
	uint32_t type;  /* is not IPv4's */
	uint32_t cut;   /* is too short */
};

static inline void
look(struct unusual *u, struct bundle *b, unsigned int i, uint64_t ours)
{
	const struct rte_mbuf *m = b->pkt[i];
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);

	b->l3[i] = frame + RTE_ETHER_HDR_LEN;
	b->room[i] = rte_pktmbuf_pkt_len(m) - RTE_ETHER_HDR_LEN;
	if (unlikely(rte_pktmbuf_data_len(m) < SHORTEST)) {
		u->cut = 1;
		return;
	}
	u->mac |= frame_word(frame) ^ ours;
	u->flags |= m->ol_flags;
	u->type |=
		(uint32_t)frame_type(frame, 2 * RTE_ETHER_ADDR_LEN) ^ RTE_BE16(RTE_ETHER_TYPE_IPV4);
}

/* All plain: to our MAC, untagged, IPv4, long enough, no checksum that the NIC called bad. */
static inline bool
none(const struct unusual *u)
{
	return (MAC_OF(u->mac) | (u->flags & (TAGGED | SAID_BAD)) | u->type | u->cut) == 0;
}

/* The packets of a group that is not all plain, each by itself. */
static void
sort_out(const struct core *core, struct bundle *b, unsigned int from, unsigned int to)
{
	const uint64_t ours = core->port[b->port].mac;

	for (unsigned int i = from; i < to; i++) {
		struct unusual u = { 0 };
		enum verdict v;

		look(&u, b, i, ours);
		if (none(&u))
			continue;
		v = classify_odd(core, b, i);
		if (v != VERDICT_FORWARD)
			bundle_mark(b, i, v);
	}
}

static inline void
prefetch_frame(const struct bundle *b, unsigned int i)
{
	rte_prefetch0(rte_pktmbuf_mtod(b->pkt[i], void *));
}

static inline void
prefetch_group(const struct bundle *b, unsigned int i)
{
	if (likely(i + BUNDLE_STEP <= b->n)) {
		prefetch_frame(b, i);
		prefetch_frame(b, i + 1);
		prefetch_frame(b, i + 2);
		prefetch_frame(b, i + 3);
		return;
	}
	for (; i < b->n; i++)
		prefetch_frame(b, i);
}

/*
 * In:  b->pkt[].
 * Out: b->verdict[], b->l3[] and b->room[]; what carries FORWARD is IPv4 to our MAC, with 20 bytes
 *      of header in the first segment, and has been judged if anything about the frame was
 *      unusual.
 */
void
stage_classify(struct core *core, struct bundle *b)
{
	const uint64_t ours = core->port[b->port].mac;
	const unsigned int ahead = core->prefetch, n = b->n;

	bundle_clear(b);
	for (unsigned int i = 0; i < RTE_MIN(ahead, n); i++)
		prefetch_frame(b, i);

	for (unsigned int i = 0; i < n; i += BUNDLE_STEP) {
		unsigned int to = RTE_MIN(i + BUNDLE_STEP, n);
		struct unusual u = { 0 };

		if (ahead != 0)
			prefetch_group(b, i + ahead);
		if (likely(to == i + BUNDLE_STEP)) {
			look(&u, b, i, ours);
			look(&u, b, i + 1, ours);
			look(&u, b, i + 2, ours);
			look(&u, b, i + 3, ours);
		} else {
			for (unsigned int k = i; k < to; k++)
				look(&u, b, k, ours);
		}
		if (unlikely(!none(&u)))
			sort_out(core, b, i, to);
	}
	for (unsigned int i = n; i < RTE_ALIGN_CEIL(n, BUNDLE_STEP); i++)
		b->l3[i] = no_header;
}

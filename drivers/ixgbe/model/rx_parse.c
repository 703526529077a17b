/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/rx.h"
#include "drivers/ixgbe/model/steer.h"
#include "drivers/wire/hdr.h"

/*
 * What the receive path finds out about a frame: good or bad, wanted or not, its type (7.1.6.2),
 * checksums (7.1.11), RSS hash and queue.  Every frame passes here; rx_general.c has the rare ones.
 */
#define AHEAD       8u  /* frames whose headers are on their way to the cache */
#define FRAME_MIN   60u /* bytes without FCS */
#define MAC_BYTES   0x0000ffffffffffffull
#define MAC_GROUP   0x01u
#define TYPE_AT     12u
#define IP_AT       14u
#define ADDRS_AT    26u         /* of IPv4: what the L4 sum covers begins here */
#define L4_AT       34u         /* behind an IPv4 header without options */
#define IP4_PLAIN   0x450008u   /* type, version and length of the header, as they lie in memory */
#define IP4_FRAG    0x0000ff3fu /* MF and offset of the word at PROTO_WORD */
#define PROTO_WORD  20u
#define PROTO_SHIFT 24u
#define PROTO_TCP   6u
#define PROTO_UDP   17u
#define SHORT_SUM   96u /* bytes that are summed here and not by a call */

/*
 * Sums of 16-bit words (RFC 1071) are taken eight bytes at a time, carries added in again: modulo
 * 65535 it does not matter where a word lies in a larger one.  0xffff is what is right, a multiple
 * of 65535; nothing here sums up to 0.
 *
 * n >= 8 bytes: the last few as the top of an eight-byte word.
 */
static inline uint64_t
sum_short(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;

	if (n & 7u)
		sum = load64(p + n - 8) >> (64u - 8u * (n & 7u));
	for (const uint8_t *end = p + (n & ~7u); p < end; p += 8)
		sum = carry_add(sum, load64(p));
	return sum;
}

static inline bool
l4_good(const uint8_t *frame, uint32_t total, uint32_t proto)
{
	uint32_t covered = total - (ADDRS_AT - IP_AT), len = total - (L4_AT - IP_AT);
	uint64_t sum;

	/* A UDP sum of zero, "none", is reported as wrong (specification update, erratum 44). */
	if (proto == PROTO_UDP && load16(frame + L4_AT + 6) == 0)
		return false;
	if (covered <= SHORT_SUM)
		sum = sum_short(frame + ADDRS_AT, covered);
	else
		sum = hdr_sum(frame + ADDRS_AT, covered, 0);
	return sum_good(carry_add(sum, __builtin_bswap16((uint16_t)len) + (proto << 8)));
}

/* IPv4 without options, tags or fragments, with a whole UDP or TCP header: nearly everything. */
static inline bool
plain4(const struct n82599 *nic, struct rx_item *it)
{
	const uint8_t *f = it->data;
	uint64_t first = load64(f + TYPE_AT);
	uint32_t total = __builtin_bswap16((uint16_t)(first >> 32)), room = it->frame_len - IP_AT;
	uint32_t word = load32(f + PROTO_WORD), proto = word >> PROTO_SHIFT;
	uint32_t info = RXD_IPV4 | RXD_TCP, status = it->word[RXD_STATUS] | RXD_IPCS | RXD_L4I;

	if ((first & 0xffffffu) != IP4_PLAIN || word & IP4_FRAG || total > room)
		return false;
	if (proto == PROTO_UDP) {
		/* Bytes behind the datagram, or a wrong length */
		if (total < 28 || load16_be(f + L4_AT + 4) != total - 20)
			return false;
		info = RXD_IPV4 | RXD_UDP;
		status |= RXD_UDPCS;
	} else if (proto != PROTO_TCP || total < 40) {
		return false;
	}
	if (!sum_good(carry_add(carry_add(load64(f + IP_AT), load64(f + IP_AT + 8)),
				load32(f + IP_AT + 16))))
		status |= RXD_IPE;
	if (!l4_good(f, total, proto))
		status |= RXD_L4E;
	it->word[RXD_INFO] = info;
	it->word[RXD_STATUS] = status;
	if (nic->rx->rules.rss)
		steer4(nic, it, f + IP_AT, f + L4_AT);
	return true;
}

/* A tag that is taken out, an FCS that stays. */
static inline void
finish(const struct rx_rules *r, const struct n82599_rxq *q, struct rx_item *it)
{
	uint32_t vlan = 0;

	it->len = it->frame_len;
	if (q->strip_vlan && load16(it->data + TAG_AT) == r->vet_be) {
		it->strip = true;
		vlan = load16_be(it->data + TAG_AT + 2);
		it->len -= TAG_LEN;
		it->word[RXD_STATUS] |= RXD_VP;
	}
	if (r->fcs) {
		it->fcs = true;
		it->len += FCS_LEN;
	}
	it->edit = it->strip || it->fcs;
	it->word[RXD_LEN] = it->len | vlan << 16;
}

static inline void
parse(struct n82599 *nic, const struct n82599_rx *rx, struct rx_item *it)
{
	const struct rx_rules *r = &rx->rules;
	uint64_t mac;

	if (__builtin_expect(it->frame_len < FRAME_MIN || it->frame_len > r->max_len || it->bad_fcs,
			     0)) {
		n82599_rx_errors(r, it);
		if (it->fate != RX_GOOD)
			return;
	}
	mac = load64(it->data) & MAC_BYTES;
	if (__builtin_expect(mac != rx->mac[0] || r->vfe, 0)) {
		if (!n82599_wanted(nic, it)) {
			it->fate = RX_FILTERED;
			return;
		}
		if (it->data[0] & MAC_GROUP) {
			it->group = mac == MAC_BYTES ? 2 : 1;
			it->word[RXD_STATUS] |= RXD_PIF;
		}
	}
	if (__builtin_expect(!plain4(nic, it), 0))
		n82599_rx_general(nic, it);
	if (__builtin_expect(!nic->rxq[it->queue].on, 0))
		n82599_rx_refresh(nic, it->queue);
	finish(r, &nic->rxq[it->queue], it);
}

void
n82599_rx_classify(struct n82599 *nic, const struct soft_frame *frames, unsigned int n)
{
	struct n82599_rx *rx = nic->rx;
	struct rx_item *it = rx->item;

	for (unsigned int i = 0; i < n && i < AHEAD; i++)
		__builtin_prefetch(frames[i].data);
	for (unsigned int i = 0; i < n; i++, it++) {
		if (i + AHEAD < n)
			__builtin_prefetch(frames[i + AHEAD].data);
		*it = (struct rx_item){
			.word = { [RXD_STATUS] = RXD_DD | RXD_EOP },
			.data = frames[i].data,
			.frame_len = frames[i].len,
			.bad_fcs = frames[i].flags & SOFT_BAD_FCS,
		};
		parse(nic, rx, it);
	}
}

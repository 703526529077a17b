/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/data.h"
#include "drivers/wire/hdr.h"

/*
 * What the receive path finds out about a frame: good or bad, wanted or not, its type (7.1.6.2),
 * checksums (7.1.11), RSS hash and queue (7.1.2.8).
 */
#define AHEAD      8u  /* frames whose headers are on their way to the cache */
#define FRAME_MIN  60u /* bytes without FCS */
#define MAC_BYTES  0x0000ffffffffffffull
#define MAC_GROUP  0x01u
#define IP_AT      14u
#define L4_AT      34u     /* behind an IPv4 header without options */
#define TYPE_IPV4  0x0008u /* as it lies in memory */
#define FRAGMENT   0xff3fu /* MF and offset, as they lie in memory */
#define PROTO_TCP  6u
#define PROTO_UDP  17u
#define RETA_MASK  127u
#define RETA_QUEUE 15u /* an entry has four bits, 8.2.3.7.13 */
#define RSS_IP4_AT 12u /* of the IP header: both addresses */
#define RSS_IP6_AT 8u
#define SHORT_SUM  64u /* bytes that are summed here and not by a call */

static inline uint64_t
halves(uint64_t v)
{
	return (v >> 32) + (v & UINT32_MAX);
}

/* Whether words in memory order sum up to all ones, RFC 1071. */
static inline bool
all_ones(uint64_t sum)
{
	sum = halves(halves(sum));
	sum = (sum >> 16) + (sum & UINT16_MAX);
	sum = (sum >> 16) + (sum & UINT16_MAX);
	return sum == UINT16_MAX;
}

/* 8 <= n <= SHORT_SUM bytes: the last of them as the top of an eight-byte word. */
static inline uint64_t
sum_short(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t rest = n & 7u;

	for (uint32_t i = 0; i + 8 <= n; i += 8)
		sum += halves(load64(p + i));
	if (rest)
		sum += halves(load64(p + n - 8) >> (64u - 8u * rest));
	return sum;
}

static void
mac_errors(const struct rx_rules *r, struct rx_item *it)
{
	uint32_t longest = r->max_len;

	if (it->frame_len > TAG_AT + 2 && load16(it->data + TAG_AT) == r->vet_be)
		longest += TAG_LEN; /* MAXFRS is without a tag, 8.2.3.22.13 */
	if (it->frame_len < FRAME_MIN)
		it->fate = it->bad_fcs ? RX_FRAGMENT : RX_SHORT;
	else if (it->frame_len > longest)
		it->fate = it->bad_fcs ? RX_JABBER : RX_LONG;
	else if (it->bad_fcs && !r->sbp)
		it->fate = RX_CRC;
	else if (it->bad_fcs)
		it->status |= RXD_RXE;
}

static inline void
steer(const struct n82599 *nic, struct rx_item *it, uint32_t type, uint32_t hash)
{
	if (nic->rx->rules.pcsd) {
		it->info |= type;
		it->hash = hash;
	}
	it->queue = nic->regs[R_RETA(0) + (hash & RETA_MASK)] & RETA_QUEUE;
}

static void
steer4(const struct n82599 *nic, struct rx_item *it, const uint8_t *ip, const uint8_t *l4)
{
	uint32_t mrqc = nic->rx->rules.mrqc, hash, type;
	bool tcp = it->info & RXD_TCP && mrqc & MRQC_TCP4;
	bool udp = it->info & RXD_UDP && mrqc & MRQC_UDP4;

	if (!(tcp || udp || mrqc & MRQC_IP4))
		return;
	hash = toeplitz_add(&nic->rss, 0, ip + RSS_IP4_AT, 0, 8);
	type = RXD_RSS_IP4;
	if (tcp || udp) {
		hash = toeplitz_add(&nic->rss, hash, l4, 8, 4);
		type = tcp ? RXD_RSS_TCP4 : RXD_RSS_UDP4;
	}
	steer(nic, it, type, hash);
}

static void
steer6(const struct n82599 *nic, struct rx_item *it, const uint8_t *ip, const uint8_t *l4)
{
	uint32_t mrqc = nic->rx->rules.mrqc, hash, type;
	bool tcp = it->info & RXD_TCP && mrqc & MRQC_TCP6;
	bool udp = it->info & RXD_UDP && mrqc & MRQC_UDP6;

	if (!(tcp || udp || mrqc & MRQC_IP6))
		return;
	hash = toeplitz_add(&nic->rss, 0, ip + RSS_IP6_AT, 0, 32);
	type = RXD_RSS_IP6;
	if (tcp || udp) {
		hash = toeplitz_add(&nic->rss, hash, l4, 32, 4);
		type = tcp ? RXD_RSS_TCP6 : RXD_RSS_UDP6;
	}
	steer(nic, it, type, hash);
}

/* IPv4 without options, tags or fragments, with a whole UDP or TCP header: nearly everything. */
static inline bool
plain4(const struct n82599 *nic, struct rx_item *it)
{
	const uint8_t *ip = it->data + IP_AT, *l4 = it->data + L4_AT;
	uint32_t total, len, room = it->frame_len - IP_AT, proto = ip[9];
	uint64_t pseudo;
	bool bad;

	if (load16(ip - 2) != TYPE_IPV4 || ip[0] != 0x45 || load16(ip + 6) & FRAGMENT)
		return false;
	total = load16_be(ip + 2);
	if (total > room || total < (proto == PROTO_UDP ? 28u : 40u))
		return false;
	len = total - 20;
	it->info = RXD_IPV4 | RXD_TCP;
	it->status |= RXD_IPCS | RXD_L4I;
	if (proto == PROTO_UDP) {
		it->info = RXD_IPV4 | RXD_UDP;
		it->status |= RXD_UDPCS;
		if (load16_be(l4 + 4) != len)
			return false; /* bytes behind the datagram, or a wrong length */
	} else if (proto != PROTO_TCP) {
		return false;
	}
	pseudo = halves(load64(ip + 12));
	if (!all_ones(halves(load64(ip)) + (load64(ip + 8) & UINT32_MAX) + pseudo))
		it->status |= RXD_IPE;
	pseudo += (uint64_t)__builtin_bswap16((uint16_t)len) + (proto << 8);
	if (len <= SHORT_SUM)
		bad = !all_ones(pseudo + sum_short(l4, len));
	else
		bad = !all_ones(halves(pseudo) + halves(hdr_sum(l4, len, 0)));
	/* A UDP sum of zero, "none", is reported as wrong (specification update, erratum 44). */
	if (bad || (proto == PROTO_UDP && load16(l4 + 6) == 0))
		it->status |= RXD_L4E;
	if (nic->rx->rules.rss)
		steer4(nic, it, ip, l4);
	return true;
}

static bool
sctp_good(const struct hdr *h, const uint8_t *frame)
{
	const uint8_t *l4 = frame + h->l4_at;
	uint32_t crc = n82599_crc32c(l4, 8, UINT32_MAX);

	crc = n82599_crc32c((const uint8_t[4]){ 0 }, 4, crc);
	return ~n82599_crc32c(l4 + 12, h->l4_len - 12u, crc) == load32(l4 + 8);
}

static void
integrity(const struct hdr *h, struct rx_item *it)
{
	bool bad;

	switch (h->l4) {
	case HDR_L4_SCTP:
		it->info |= RXD_SCTP;
		bad = !sctp_good(h, it->data);
		break;
	case HDR_L4_UDP:
		it->info |= RXD_UDP;
		it->status |= RXD_UDPCS;
		bad = hdr_check_l4(h, it->data) != HDR_SUM_GOOD; /* none: see plain4() */
		break;
	case HDR_L4_TCP:
		it->info |= RXD_TCP;
		bad = hdr_check_l4(h, it->data) != HDR_SUM_GOOD;
		break;
	default:
		return;
	}
	it->status |= RXD_L4I | (bad ? RXD_L4E : 0);
}

/* Everything else.  The parser knows one tag, of the type in VLNCTRL (7.1.1.4). */
static void
general(const struct n82599 *nic, struct rx_item *it)
{
	const struct rx_rules *r = &nic->rx->rules;
	struct hdr h;

	it->info = 0;
	it->status &= ~(RXD_IPCS | RXD_L4I | RXD_UDPCS);
	hdr_parse(&h, it->data, it->frame_len);
	if (h.nb_tags > 1 || (h.nb_tags == 1 && load16(it->data + TAG_AT) != r->vet_be))
		return;
	if (h.l3 == HDR_L3_IPV4) {
		it->info |= RXD_IPV4 | (h.options ? RXD_IPV4E : 0);
		it->status |= RXD_IPCS;
		if (hdr_check_ip(&h, it->data) == HDR_SUM_BAD)
			it->status |= RXD_IPE;
		integrity(&h, it);
		if (r->rss)
			steer4(nic, it, it->data + h.l3_at, it->data + h.l4_at);
	} else if (h.l3 == HDR_L3_IPV6) {
		it->info |= RXD_IPV6 | (h.options ? RXD_IPV6E : 0);
		integrity(&h, it);
		if (r->rss)
			steer6(nic, it, it->data + h.l3_at, it->data + h.l4_at);
	}
}

static inline void
parse(struct n82599 *nic, struct rx_item *it)
{
	const struct rx_rules *r = &nic->rx->rules;
	uint64_t mac;

	it->status = RXD_DD | RXD_EOP;
	it->info = it->hash = 0;
	it->fate = RX_GOOD;
	it->queue = it->group = 0;
	it->strip = false;
	if (__builtin_expect(it->frame_len < FRAME_MIN || it->frame_len > r->max_len || it->bad_fcs,
			     0)) {
		mac_errors(r, it);
		if (it->fate != RX_GOOD)
			return;
	}
	mac = load64(it->data) & MAC_BYTES;
	if (__builtin_expect(mac != nic->rx->mac[0] || r->vfe, 0)) {
		if (!n82599_wanted(nic, it)) {
			it->fate = RX_FILTERED;
			return;
		}
		if (it->data[0] & MAC_GROUP) {
			it->group = mac == MAC_BYTES ? 2 : 1;
			it->status |= RXD_PIF;
		}
	}
	if (!plain4(nic, it))
		general(nic, it);
	if (__builtin_expect(!nic->rxq[it->queue].on, 0))
		n82599_rx_refresh(nic, it->queue);
	it->len = it->frame_len;
	it->vlan = 0;
	if (nic->rxq[it->queue].strip_vlan && load16(it->data + TAG_AT) == r->vet_be) {
		it->strip = true;
		it->vlan = load16_be(it->data + TAG_AT + 2);
		it->len -= TAG_LEN;
		it->status |= RXD_VP;
	}
	it->fcs = r->fcs;
	if (it->fcs)
		it->len += FCS_LEN;
}

void
n82599_rx_classify(struct n82599 *nic, const struct soft_frame *frames, unsigned int n)
{
	uint32_t ahead[N82599_RXQ] = { 0 };

	for (unsigned int i = 0; i < n && i < AHEAD; i++)
		__builtin_prefetch(frames[i].data);
	for (unsigned int i = 0; i < n; i++) {
		struct rx_item *it = &nic->rx->item[i];
		const struct n82599_rxq *q;

		if (i + AHEAD < n)
			__builtin_prefetch(frames[i + AHEAD].data);
		it->data = frames[i].data;
		it->frame_len = frames[i].len;
		it->bad_fcs = frames[i].flags & SOFT_BAD_FCS;
		parse(nic, it);
		q = &nic->rxq[it->queue];
		if (q->free != 0) {
			uint32_t at = q->head + ahead[it->queue]++;

			prefetch_write(q->ring + (at < q->size ? at : at - q->size) * DESC_LEN);
		}
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/rx.h"
#include "drivers/ixgbe/model/steer.h"
#include "drivers/wire/hdr.h"

/*
 * Frames that are not plain IPv4: what rx_parse.c leaves over.
 */
#define FRAME_MIN  60u /* bytes without FCS */
#define RSS_IP6_AT 8u  /* of the IP header: both addresses */

void
n82599_rx_errors(const struct rx_rules *r, struct rx_item *it)
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
		it->word[RXD_STATUS] |= RXD_RXE;
}

static void
steer6(const struct n82599 *nic, struct rx_item *it, const uint8_t *ip, const uint8_t *l4)
{
	uint32_t mrqc = nic->rx->rules.mrqc, hash, type;
	bool tcp = it->word[RXD_INFO] & RXD_TCP && mrqc & MRQC_TCP6;
	bool udp = it->word[RXD_INFO] & RXD_UDP && mrqc & MRQC_UDP6;

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
		it->word[RXD_INFO] |= RXD_SCTP;
		bad = !sctp_good(h, it->data);
		break;
	case HDR_L4_UDP:
		it->word[RXD_INFO] |= RXD_UDP;
		it->word[RXD_STATUS] |= RXD_UDPCS;
		bad = hdr_check_l4(h, it->data) !=
		      HDR_SUM_GOOD; /* none: see plain4(), rx_parse.c */
		break;
	case HDR_L4_TCP:
		it->word[RXD_INFO] |= RXD_TCP;
		bad = hdr_check_l4(h, it->data) != HDR_SUM_GOOD;
		break;
	default:
		return;
	}
	it->word[RXD_STATUS] |= RXD_L4I | (bad ? RXD_L4E : 0);
}

/* Everything else.  The parser knows one tag, of the type in VLNCTRL (7.1.1.4). */
void
n82599_rx_general(const struct n82599 *nic, struct rx_item *it)
{
	const struct rx_rules *r = &nic->rx->rules;
	struct hdr h;

	hdr_parse(&h, it->data, it->frame_len);
	if (h.nb_tags > 1 || (h.nb_tags == 1 && load16(it->data + TAG_AT) != r->vet_be))
		return;
	if (h.l3 == HDR_L3_IPV4) {
		it->word[RXD_INFO] |= RXD_IPV4 | (h.options ? RXD_IPV4E : 0);
		it->word[RXD_STATUS] |= RXD_IPCS;
		if (hdr_check_ip(&h, it->data) == HDR_SUM_BAD)
			it->word[RXD_STATUS] |= RXD_IPE;
		integrity(&h, it);
		if (r->rss)
			steer4(nic, it, it->data + h.l3_at, it->data + h.l4_at);
	} else if (h.l3 == HDR_L3_IPV6) {
		it->word[RXD_INFO] |= RXD_IPV6 | (h.options ? RXD_IPV6E : 0);
		integrity(&h, it);
		if (r->rss)
			steer6(nic, it, it->data + h.l3_at, it->data + h.l4_at);
	}
}

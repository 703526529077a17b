/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/tx.h"
#include "drivers/wire/hdr.h"

/*
 * TCP segmentation, datasheet 7.2.4: the header is the pattern of each segment's.
 */
#define IP4_LEN_AT   2u
#define IP4_ID_AT    4u
#define IP4_SUM_AT   10u
#define IP6_LEN_AT   4u
#define IP6_LEN      40u
#define TCP_SEQ_AT   4u
#define TCP_FLAGS_AT 12u /* with the header length: 12 bits of flags */
#define TCP_SUM_AT   16u

static uint32_t
tcp_flags(const struct n82599 *nic, bool first, bool last)
{
	if (last)
		return N82599_REG(nic, R_DTXTCPFLGH) & 0xfffu;
	return N82599_REG(nic, R_DTXTCPFLGL) >> (first ? 0 : 16) & 0xfffu;
}

/* IP header: length, identification, sum. */
static void
ip_header(const struct n82599_tx *tx, uint8_t *ip, uint32_t ip_len, uint32_t l4_len, uint32_t k)
{
	if (!(tx->tso.context[1] & TXC_IPV4)) {
		store16_be(ip + IP6_LEN_AT, (uint16_t)(ip_len - IP6_LEN + l4_len));
		return;
	}
	store16_be(ip + IP4_LEN_AT, (uint16_t)(ip_len + l4_len));
	store16_be(ip + IP4_ID_AT, (uint16_t)(load16_be(ip + IP4_ID_AT) + k));
	store16_be(ip + IP4_SUM_AT, 0);
	store16_be(ip + IP4_SUM_AT, hdr_fold(hdr_sum(ip, ip_len, 0)));
}

/* TCP header: sequence number, flags, sum.  The host's sum of the pseudo header has no length. */
static void
tcp_header(uint8_t *tcp, uint32_t l4_len, uint32_t offset, uint32_t keep)
{
	uint32_t seq = __builtin_bswap32(load32(tcp + TCP_SEQ_AT)) + offset;
	uint16_t flags = load16_be(tcp + TCP_FLAGS_AT);

	seq = __builtin_bswap32(seq);
	memcpy(tcp + TCP_SEQ_AT, &seq, sizeof(seq));
	store16_be(tcp + TCP_FLAGS_AT, (uint16_t)(flags & (0xf000u | keep)));
	store16_be(tcp + TCP_SUM_AT,
		   hdr_fold(hdr_sum(tcp, l4_len, __builtin_bswap16((uint16_t)l4_len))));
}

static uint32_t
segment(struct n82599 *nic, uint8_t *to)
{
	struct n82599_tx *tx = nic->tx;
	uint32_t header = tx->tso.header_len, mss = tx->tso.mss;
	uint32_t ip_at = TXC_MACLEN(tx->tso.context[0]), ip_len = TXC_IPLEN(tx->tso.context[0]);
	uint32_t left = tx->tso.len - tx->tso.at, data = left < mss ? left : mss;
	uint32_t offset = tx->tso.at - header, l4_len = header - ip_at - ip_len + data;
	uint32_t len = header + data;

	memcpy(to, tx->tso_data, header);
	memcpy(to + header, tx->tso_data + tx->tso.at, data);
	ip_header(tx, to + ip_at, ip_len, l4_len, offset / mss);
	tcp_header(to + ip_at + ip_len, l4_len, offset, tcp_flags(nic, offset == 0, data == left));
	if (tx->tso.cmd & TXD_VLE)
		len = n82599_tx_tag(nic, to, len, TXC_VLAN(tx->tso.context[0]));
	tx->tso.at += data;
	return len;
}

unsigned int
n82599_tx_segments(struct n82599 *nic, struct soft_frame *frames, unsigned int max)
{
	struct n82599_tx *tx = nic->tx;
	unsigned int n = 0;

	while (n < max) {
		uint8_t *to = tx->room + tx->room_used;
		uint32_t len = segment(nic, to);

		tx->room_used += (len + 63u) & ~63u;
		frames[n++] = (struct soft_frame){ .data = to, .len = len };
		if (tx->tso.at >= tx->tso.len) {
			tx->tso.on = false;
			tx->touched |= 1ull << tx->tso.queue;
			tx->odd |= 1ull << tx->tso.queue;
			nic->txq[tx->tso.queue].next = tx->tso.upto;
			break;
		}
	}
	return n;
}

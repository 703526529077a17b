/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/tx.h"
#include "drivers/wire/hdr.h"

/*
 * Sums and tags that the NIC adds to a frame, datasheet 7.2.5 and 7.4.4.  The offsets are the
 * context's: the NIC does not look for headers itself.
 */
#define IP_SUM_AT   10u
#define UDP_SUM_AT  6u
#define TCP_SUM_AT  16u
#define SCTP_SUM_AT 8u

static bool
l4_sum(uint8_t *l4, uint32_t len, uint32_t kind)
{
	uint32_t at = kind == TXC_TCP ? TCP_SUM_AT : kind == TXC_UDP ? UDP_SUM_AT : SCTP_SUM_AT;
	uint16_t sum;

	if (len < at + (kind == TXC_SCTP ? 4u : 2u) || kind > TXC_SCTP)
		return false;
	if (kind == TXC_SCTP) {
		uint32_t crc;

		memset(l4 + at, 0, sizeof(crc));
		crc = ~n82599_crc32c(l4, len, UINT32_MAX);
		memcpy(l4 + at, &crc, sizeof(crc));
		return true;
	}
	/* The host has put the sum of the pseudo header there, 7.2.5.2. */
	sum = hdr_fold(hdr_sum(l4, len, 0));
	if (sum == 0 && kind == TXC_UDP)
		sum = 0xffff;
	store16_be(l4 + at, sum);
	return true;
}

/* False: the context does not fit the frame. */
bool
n82599_tx_sums(uint8_t *frame, uint32_t len, uint64_t cmd, const uint64_t context[2])
{
	uint32_t ip_at = TXC_MACLEN(context[0]), ip_len = TXC_IPLEN(context[0]);

	if (ip_at + ip_len > len)
		return false;
	if (cmd & TXD_IXSM && context[1] & TXC_IPV4) {
		if (ip_len < 20)
			return false;
		/* Over the header as it stands: the host has to have cleared the field. */
		store16_be(frame + ip_at + IP_SUM_AT, hdr_fold(hdr_sum(frame + ip_at, ip_len, 0)));
	}
	if (!(cmd & TXD_TXSM))
		return true;
	return l4_sum(frame + ip_at + ip_len, len - ip_at - ip_len, TXC_L4T(context[1]));
}

/* There is room for it behind the frame.  Returns the new length. */
uint32_t
n82599_tx_tag(struct n82599 *nic, uint8_t *frame, uint32_t len, uint16_t tci)
{
	memmove(frame + TAG_AT + TAG_LEN, frame + TAG_AT, len - TAG_AT);
	store16_be(frame + TAG_AT, (uint16_t)(N82599_REG(nic, R_DMATXCTL) >> DMATXCTL_VT_SHIFT));
	store16_be(frame + TAG_AT + 2, tci);
	return len + TAG_LEN;
}

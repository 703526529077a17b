/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/datapath.h"

#include <errno.h>
#include <string.h>

/* What the card changes in a frame on its way out: sums, and the headers of TCP segments. */
#define IPV4_LEN  2
#define IPV4_ID   4
#define IPV6_LEN  4
#define IPV6_SIZE 40
#define TCP_SEQ   4
#define TCP_FLAGS 13
#define TCP_FIN   0x01
#define TCP_PSH   0x08
#define TCP_CWR   0x80

static inline void
put_be16(uint8_t *to, uint32_t value)
{
	uint16_t be = htobe16((uint16_t)value);

	memcpy(to, &be, sizeof(be));
}

static inline uint16_t
get_be16(const uint8_t *from)
{
	uint16_t be;

	memcpy(&be, from, sizeof(be));
	return be16toh(be);
}

void
cx5_sum(uint8_t *frame, uint32_t len, uint8_t cs_flags)
{
	struct hdr hdr;

	hdr_parse(&hdr, frame, len);
	if ((cs_flags & MLX5_ETH_WQE_L3_CSUM) != 0)
		hdr_set_ip(&hdr, frame);
	if ((cs_flags & MLX5_ETH_WQE_L4_CSUM) != 0)
		hdr_set_l4(&hdr, frame);
}

/*
 * Segmentation (PRM "Large Send Offload"): lengths and the sequence number per segment, the IPv4
 * identification counts on, FIN and PSH only in the last segment, CWR only in the first (RFC 3168),
 * sums whatever the Ethernet segment says.
 */
int
cx5_segment(uint8_t *frame, const struct cx5_part *part)
{
	uint32_t seq_be, len = part->header + part->len;
	struct hdr hdr;
	uint8_t *ip, *tcp;

	hdr_parse(&hdr, frame, len);
	if (hdr.l4 != HDR_L4_TCP || (uint32_t)hdr.l4_at + 20 > part->header)
		return -EINVAL;
	ip = frame + hdr.l3_at;
	tcp = frame + hdr.l4_at;
	if (hdr.l3 == HDR_L3_IPV4) {
		put_be16(ip + IPV4_LEN, len - hdr.l3_at);
		put_be16(ip + IPV4_ID, get_be16(ip + IPV4_ID) + part->number);
	} else {
		put_be16(ip + IPV6_LEN, len - hdr.l3_at - IPV6_SIZE);
	}
	memcpy(&seq_be, tcp + TCP_SEQ, sizeof(seq_be));
	seq_be = htobe32(be32toh(seq_be) + part->at);
	memcpy(tcp + TCP_SEQ, &seq_be, sizeof(seq_be));
	if (!part->last)
		tcp[TCP_FLAGS] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
	if (part->number != 0)
		tcp[TCP_FLAGS] &= (uint8_t)~TCP_CWR;
	cx5_sum(frame, len, CX5_SUMS);
	return 0;
}

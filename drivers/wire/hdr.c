/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"

#include <string.h>

#define ETHER_LEN 14
#define TAG_LEN   4
#define IPV4_MIN  20
#define IPV6_LEN  40

#define TYPE_IPV4 0x0800u
#define TYPE_ARP  0x0806u
#define TYPE_VLAN 0x8100u
#define TYPE_IPV6 0x86ddu
#define TYPE_QINQ 0x88a8u

#define ARP_IPV4_LEN 28 /* RFC 826 for Ethernet and IPv4 */

#define IPV4_MORE   0x2000u
#define IPV4_OFFSET 0x1fffu

#define NEXT_HOP_BY_HOP  0u
#define NEXT_TCP         6u
#define NEXT_UDP         17u
#define NEXT_ROUTING     43u
#define NEXT_FRAGMENT    44u
#define NEXT_DESTINATION 60u
#define NEXT_SCTP        132u

static inline uint16_t
be16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap16(v);
}

/* The protocol behind IP, when its fixed header is there as a whole. */
static void
parse_l4(struct hdr *hdr, uint8_t protocol)
{
	if (protocol == NEXT_UDP && hdr->l4_len >= 8)
		hdr->l4 = HDR_L4_UDP;
	else if (protocol == NEXT_TCP && hdr->l4_len >= 20)
		hdr->l4 = HDR_L4_TCP;
	else if (protocol == NEXT_SCTP && hdr->l4_len >= 12)
		hdr->l4 = HDR_L4_SCTP;
}

/* room: bytes from the IP header to the end of the frame. */
static void
parse_ipv4(struct hdr *hdr, const uint8_t *ip, uint32_t room)
{
	uint32_t header, total;

	if (room < IPV4_MIN || ip[0] >> 4 != 4)
		return;
	header = (ip[0] & 0xfu) * 4;
	if (header < IPV4_MIN || header > room)
		return;
	hdr->l3 = HDR_L3_IPV4;
	hdr->options = header > IPV4_MIN;
	hdr->fragment = (be16(ip + 6) & (IPV4_MORE | IPV4_OFFSET)) != 0;
	hdr->l4_at = (uint16_t)(hdr->l3_at + header);

	total = be16(ip + 2);
	if (total > room)
		total = room;
	if (total < header)
		return;
	hdr->l4_len = (uint16_t)(total - header);
	if (!hdr->fragment)
		parse_l4(hdr, ip[9]);
}

static void
parse_ipv6(struct hdr *hdr, const uint8_t *ip, uint32_t room)
{
	uint32_t at = IPV6_LEN, total;
	uint8_t next;

	if (room < IPV6_LEN || ip[0] >> 4 != 6)
		return;
	hdr->l3 = HDR_L3_IPV6;
	total = IPV6_LEN + be16(ip + 4);
	if (total > room)
		total = room;

	next = ip[6];
	while (next == NEXT_HOP_BY_HOP || next == NEXT_ROUTING || next == NEXT_FRAGMENT ||
	       next == NEXT_DESTINATION) {
		uint32_t len = 8;

		hdr->options = true;
		if (total - at < 8) {
			next = 0xff; /* cut off: there is nothing behind it */
			break;
		}
		if (next == NEXT_FRAGMENT)
			hdr->fragment = true;
		else
			len += ip[at + 1] * 8u;
		if (len > total - at) {
			next = 0xff;
			break;
		}
		next = ip[at];
		at += len;
		if (hdr->fragment)
			break; /* what follows may be the middle of anything */
	}
	hdr->l4_at = (uint16_t)(hdr->l3_at + at);
	hdr->l4_len = (uint16_t)(total - at);
	if (!hdr->fragment)
		parse_l4(hdr, next);
}

void
hdr_parse(struct hdr *hdr, const uint8_t *frame, uint32_t len)
{
	uint32_t at = ETHER_LEN;
	uint16_t type;

	memset(hdr, 0, sizeof(*hdr));
	if (len < ETHER_LEN)
		return;
	type = be16(frame + ETHER_LEN - 2);
	while ((type == TYPE_VLAN || type == TYPE_QINQ) && hdr->nb_tags < 2 &&
	       len - at >= TAG_LEN) {
		hdr->tci[hdr->nb_tags++] = be16(frame + at);
		type = be16(frame + at + 2);
		at += TAG_LEN;
	}
	hdr->ether_type = type;
	hdr->l3_at = (uint16_t)at;
	if (type == TYPE_IPV4)
		parse_ipv4(hdr, frame + at, len - at);
	else if (type == TYPE_IPV6)
		parse_ipv6(hdr, frame + at, len - at);
	else if (type == TYPE_ARP && len - at >= ARP_IPV4_LEN)
		hdr->l3 = HDR_L3_ARP;
}

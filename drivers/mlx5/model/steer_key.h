/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_STEER_KEY_H
#define CX5_STEER_KEY_H

#include "drivers/mlx5/model/steer.h"

#include <string.h>

/*
 * The match key of a frame, for steer.c, which makes one of every frame: inline for that.  Words are
 * put together as a little-endian machine reads the bytes of fte_match_param.
 */
#define CX5_TYPE_QINQ 0x88a8u
#define CX5_LOW_48    0xffffffffffffull

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "words are put together for x86");

static inline uint64_t
cx5_load64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint32_t
cx5_load32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint8_t
cx5_ip_protocol(const struct hdr *hdr, const uint8_t *ip)
{
	static const uint8_t number[] = {
		[HDR_L4_TCP] = 6,
		[HDR_L4_UDP] = 17,
		[HDR_L4_SCTP] = 132,
	};

	if (hdr->l4 != HDR_L4_NONE)
		return number[hdr->l4];
	return hdr->l3 == HDR_L3_IPV4 ? ip[9] : ip[6];
}

/* Bytes 16 to 23: protocol, TOS, flags of the parser, TCP ports. */
static inline uint64_t
cx5_word_protocol(const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *ip = frame + hdr->l3_at;
	uint32_t version = 0, flags;
	uint64_t word = 0;

	if (hdr->l3 == HDR_L3_IPV4) {
		version = 4;
		word = cx5_ip_protocol(hdr, ip) | (uint64_t)ip[1] << 8;
	} else if (hdr->l3 == HDR_L3_IPV6) {
		version = 6;
		word = cx5_ip_protocol(hdr, ip) |
		       (uint64_t)(be16toh((uint16_t)cx5_load32(ip)) >> 4 & 0xff) << 8;
	}
	/* 0x90: CVLAN, SVLAN, fragment, version 4, TCP flags 9 */
	flags = version << 9 | (uint32_t)hdr->fragment << 13;
	if (hdr->nb_tags > 0)
		flags |= frame[12] == CX5_TYPE_QINQ >> 8 ? 1u << 14 : 1u << 15;
	if (hdr->l4 == HDR_L4_TCP) {
		const uint8_t *tcp = frame + hdr->l4_at;

		flags |= (uint32_t)(tcp[12] & 1) << 8 | tcp[13];
		word |= (uint64_t)cx5_load32(tcp) << 32;
	}
	return word | (uint64_t)htobe16((uint16_t)flags) << 16;
}

/* Bytes 24 to 31: IHL, TTL, UDP ports. */
static inline uint64_t
cx5_word_ttl(const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *ip = frame + hdr->l3_at;
	uint64_t word = 0;

	if (hdr->l3 == HDR_L3_IPV4)
		word = (uint64_t)(ip[0] & 0xf) << 20 | (uint64_t)ip[8] << 24;
	else if (hdr->l3 == HDR_L3_IPV6)
		word = (uint64_t)ip[7] << 24;
	if (hdr->l4 == HDR_L4_UDP)
		word |= (uint64_t)cx5_load32(frame + hdr->l4_at) << 32;
	return word;
}

/* Words 4 to 7: source and destination, an IPv4 address at the end of the place of an IPv6 one. */
static inline void
cx5_read_addresses(struct cx5_key *key, const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *ip = frame + hdr->l3_at;

	if (hdr->l3 == HDR_L3_IPV6) {
		memcpy(&key->w[4], ip + 8, 32);
		return;
	}
	key->w[4] = 0;
	key->w[6] = 0;
	key->w[5] = hdr->l3 == HDR_L3_IPV4 ? (uint64_t)cx5_load32(ip + 12) << 32 : 0;
	key->w[7] = hdr->l3 == HDR_L3_IPV4 ? (uint64_t)cx5_load32(ip + 16) << 32 : 0;
}

/* Words 8 to 15, misc parameters: the second tag (bytes 72 and 76), the flow label (byte 92). */
static inline void
cx5_read_misc(struct cx5_key *key, const struct hdr *hdr, const uint8_t *frame)
{
	memset(&key->w[8], 0, sizeof(key->w) / 2);
	if (hdr->nb_tags > 1) {
		/* bit 0x60 C-VLAN, 0x62 S-VLAN: from the top of byte 76 */
		uint64_t kind = frame[16] == CX5_TYPE_QINQ >> 8 ? 0x20 : 0x80;

		key->w[9] = (uint64_t)htobe16(hdr->tci[1]) | kind << 32;
	}
	if (hdr->l3 == HDR_L3_IPV6)
		key->w[11] = (uint64_t)(cx5_load32(frame + hdr->l3_at) & htobe32(0xfffff)) << 32;
}

/* Those words whose bits are set in words; the others are left as they are.  Needs 14 bytes. */
static inline void
cx5_key_read(struct cx5_key *key, uint32_t words, const struct hdr *hdr, const uint8_t *frame)
{
	if (words & 0x1)
		key->w[0] = (cx5_load64(frame + 6) & CX5_LOW_48) |
			    (uint64_t)htobe16(hdr->ether_type) << 48;
	if (words & 0x2)
		key->w[1] = (cx5_load64(frame) & CX5_LOW_48) |
			    (uint64_t)htobe16(hdr->nb_tags > 0 ? hdr->tci[0] : 0) << 48;
	if (words & 0x4)
		key->w[2] = cx5_word_protocol(hdr, frame);
	if (words & 0x8)
		key->w[3] = cx5_word_ttl(hdr, frame);
	if (words & 0xf0)
		cx5_read_addresses(key, hdr, frame);
	if (words & 0xff00)
		cx5_read_misc(key, hdr, frame);
}

#endif

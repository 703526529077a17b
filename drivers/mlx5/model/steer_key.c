/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/prm.h"
#include "drivers/mlx5/model/steer.h"

#include <errno.h>

#include <rte_common.h>

/*
 * Match keys, PRM "fte_match_param": a section of 64 bytes each for the outer headers, misc, inner
 * headers, misc 2 to misc 5; bit i of the criteria switches section i on.  The first two are
 * modelled.
 */
#define SECTION      64
#define SECTION_LAST 6
#define MISC_5       6

#define TYPE_QINQ 0x88a8u
#define LOW_48    0xffffffffffffull

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "words are put together for x86");

static inline uint64_t
load64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint32_t
load32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint64_t
be16(uint16_t v)
{
	return htobe16(v);
}

static uint8_t
ip_protocol(const struct hdr *hdr, const uint8_t *ip)
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
word_protocol(const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *ip = frame + hdr->l3_at;
	uint32_t version = 0, flags;
	uint64_t word = 0;

	if (hdr->l3 == HDR_L3_IPV4) {
		version = 4;
		word = ip_protocol(hdr, ip) | (uint64_t)ip[1] << 8;
	} else if (hdr->l3 == HDR_L3_IPV6) {
		version = 6;
		word = ip_protocol(hdr, ip) | (uint64_t)(be16toh((uint16_t)load32(ip)) >> 4 & 0xff)
						      << 8;
	}
	/* 0x90: CVLAN, SVLAN, fragment, version 4, TCP flags 9 */
	flags = version << 9 | (uint32_t)hdr->fragment << 13;
	if (hdr->nb_tags > 0)
		flags |= frame[12] == TYPE_QINQ >> 8 ? 1u << 14 : 1u << 15;
	if (hdr->l4 == HDR_L4_TCP) {
		const uint8_t *tcp = frame + hdr->l4_at;

		flags |= (uint32_t)(tcp[12] & 1) << 8 | tcp[13];
		word |= (uint64_t)load32(tcp) << 32;
	}
	return word | be16((uint16_t)flags) << 16;
}

/* Bytes 24 to 31: IHL, TTL, UDP ports. */
static inline uint64_t
word_ttl(const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *ip = frame + hdr->l3_at;
	uint64_t word = 0;

	if (hdr->l3 == HDR_L3_IPV4)
		word = (uint64_t)(ip[0] & 0xf) << 20 | (uint64_t)ip[8] << 24;
	else if (hdr->l3 == HDR_L3_IPV6)
		word = (uint64_t)ip[7] << 24;
	if (hdr->l4 == HDR_L4_UDP)
		word |= (uint64_t)load32(frame + hdr->l4_at) << 32;
	return word;
}

/* Words 4 to 7: source and destination, an IPv4 address at the end of the place of an IPv6 one. */
static inline void
read_addresses(struct cx5_key *key, const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *ip = frame + hdr->l3_at;

	if (hdr->l3 == HDR_L3_IPV6) {
		memcpy(&key->w[4], ip + 8, 32);
		return;
	}
	key->w[4] = 0;
	key->w[6] = 0;
	key->w[5] = hdr->l3 == HDR_L3_IPV4 ? (uint64_t)load32(ip + 12) << 32 : 0;
	key->w[7] = hdr->l3 == HDR_L3_IPV4 ? (uint64_t)load32(ip + 16) << 32 : 0;
}

/* Words 8 to 15, misc parameters: the second tag (bytes 72 and 76), the flow label (byte 92). */
static void
read_misc(struct cx5_key *key, const struct hdr *hdr, const uint8_t *frame)
{
	memset(&key->w[8], 0, SECTION);
	if (hdr->nb_tags > 1) {
		/* bit 0x60 C-VLAN, 0x62 S-VLAN: from the top of byte 76 */
		uint64_t kind = frame[16] == TYPE_QINQ >> 8 ? 0x20 : 0x80;

		key->w[9] = be16(hdr->tci[1]) | kind << 32;
	}
	if (hdr->l3 == HDR_L3_IPV6)
		key->w[11] = (uint64_t)(load32(frame + hdr->l3_at) & htobe32(0xfffff)) << 32;
}

/* Needs a frame of 14 bytes and more. */
void
cx5_key_read(struct cx5_key *key, uint32_t words, const struct hdr *hdr, const uint8_t *frame)
{
	if (words & 0x1)
		key->w[0] = (load64(frame + 6) & LOW_48) | be16(hdr->ether_type) << 48;
	if (words & 0x2)
		key->w[1] = (load64(frame) & LOW_48) | be16(hdr->nb_tags > 0 ? hdr->tci[0] : 0)
							       << 48;
	if (words & 0x4)
		key->w[2] = word_protocol(hdr, frame);
	if (words & 0x8)
		key->w[3] = word_ttl(hdr, frame);
	if (words & 0xf0)
		read_addresses(key, hdr, frame);
	if (words & 0xff00)
		read_misc(key, hdr, frame);
}

/* Bits that cx5_key_read() fills in. */
static void
modelled(struct cx5_key *key)
{
	memset(key, 0xff, SECTION);
	memset(&key->w[8], 0, SECTION);
	prm_set(key, 0xc0, 16, 0); /* reserved */
	prm_set(key, 0xd4, 4, 0);  /* l3_ok, l4_ok, checksums */
	prm_set(key, FTE_SECOND_TCI, 16, 0xffff);
	prm_set(key, FTE_SECOND_CVLAN, 1, 1);
	prm_set(key, FTE_SECOND_SVLAN, 1, 1);
	prm_set(key, FTE_FLOW_LABEL, 20, 0xfffff);
}

static bool
any_set(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != 0)
			return true;
	}
	return false;
}

int
cx5_key_mask(struct cx5_key *mask, const struct mlx5dv_flow_match_parameters *match,
	     uint8_t criteria, const char **what)
{
	static const char *const later[] = { "inner headers", "metadata registers or MPLS (misc 2)",
					     "tunnel or ICMP fields (misc 3)",
					     "programmable samples (misc 4)" };
	const uint8_t *bytes = (const uint8_t *)match->match_buf;
	struct cx5_key known;

	*what = NULL;
	if (match->match_sz % 4 != 0)
		return -EINVAL;
	memset(mask, 0, sizeof(*mask));
	for (unsigned int i = 0; i <= SECTION_LAST && i * SECTION < match->match_sz; i++) {
		size_t len = RTE_MIN((size_t)SECTION, match->match_sz - i * SECTION);

		if (!(criteria & 1u << i))
			continue;
		if (i < 2)
			memcpy(&mask->w[i * 8], bytes + i * SECTION, len);
		else if (any_set(bytes + i * SECTION, len)) {
			/* Whether there is a misc 5 at all is what the PMD asks at each probe. */
			*what = i == MISC_5 ? NULL : later[i - 2];
			return -EOPNOTSUPP;
		}
	}
	modelled(&known);
	for (unsigned int i = 0; i < CX5_KEY_WORDS; i++) {
		if (mask->w[i] & ~known.w[i]) {
			*what = i < 8 ? "checksum verdicts or reserved bits (outer headers)"
				      : "tunnels or the source port (misc)";
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

int
cx5_key_value(struct cx5_key *value, const struct mlx5dv_flow_match_parameters *match,
	      const struct cx5_key *mask)
{
	if (match->match_sz % 4 != 0)
		return -EINVAL;
	memset(value, 0, sizeof(*value));
	memcpy(value, match->match_buf, RTE_MIN(match->match_sz, sizeof(*value)));
	for (unsigned int i = 0; i < CX5_KEY_WORDS; i++)
		value->w[i] &= mask->w[i];
	return 0;
}

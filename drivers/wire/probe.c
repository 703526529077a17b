/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"
#include "drivers/wire/probe_fast.h"

uint8_t probe_pattern[256 + SOFT_FRAME_MAX];
/* [i]: sum of the 16-bit words before i, every second one: those at odd places for an odd i. */
uint32_t probe_pattern_sum[256 + SOFT_FRAME_MAX + 1];

void
probe_init(void)
{
	uint64_t state = 0x736c756963650a00ull;

	for (unsigned int i = 0; i < sizeof(probe_pattern); i++) {
		/* xorshift64 (Marsaglia 2003): the same bytes in every process */
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		probe_pattern[i] = (uint8_t)(state >> 32);
	}
	for (unsigned int i = 2; i <= sizeof(probe_pattern); i++)
		probe_pattern_sum[i] = probe_pattern_sum[i - 2] + probe_pattern[i - 2] +
				       ((uint32_t)probe_pattern[i - 1] << 8);
}

void
probe_expect_mac(uint64_t *value, uint64_t *mask, const uint8_t mac[6])
{
	*value = 0;
	memcpy(value, mac, 6);
	*mask = *value == 0 ? 0 : 0xffffffffffffull;
}

const char *
probe_reason(unsigned int bad)
{
	static const char *const names[] = {
		"header",
		"IPv4 header checksum",
		"UDP or TCP checksum",
		"TTL",
		"payload",
		"MAC address",
		"tag",
	};
	unsigned int bit = bad == 0 ? 7 : (unsigned int)__builtin_ctz(bad);

	return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : "nothing";
}

static inline uint16_t
be16(const uint8_t *p)
{
	return __builtin_bswap16(load16(p));
}

/* Where things are in a frame. */
struct place {
	uint32_t ip, l4, tag;
	bool udp;
};

static inline void
take_tag(struct probe_seen *seen, uint64_t w0, uint64_t w1)
{
	seen->stream = (uint32_t)(w0 >> 8) & 0xff;
	seen->flow = (uint32_t)(w0 >> 32);
	seen->seq = w1 & PROBE_SEQ_MASK;
}

/* The checksum over pseudo header, L4 header, tag and what follows, which sums up to rest. */
static bool
l4_is_good(const uint8_t *frame, uint32_t len, const struct place *at, uint64_t rest, bool sent)
{
	const uint8_t *l4 = frame + at->l4;
	uint64_t sum = rest + ((uint64_t)frame[at->ip + 9] << 8);

	if (at->udp && (load16(l4 + 6) == 0 || !sent))
		return load16(l4 + 6) == 0 && !sent;
	sum += at->udp ? load16(l4 + 4) : __builtin_bswap16((uint16_t)(len - at->l4));
	sum = carry_add(sum, load64(frame + at->ip + 12));
	return sum_good(hdr_sum(l4, at->tag - at->l4 + PROBE_TAG, sum));
}

static bool
header_is_good(const uint8_t *frame, uint32_t len, const struct place *at, uint64_t w0)
{
	const uint8_t *ip = frame + at->ip, *l4 = frame + at->l4;
	bool good = be16(ip + 2) == len - at->ip;

	if (at->udp)
		good &= be16(l4 + 4) == len - at->l4;
	/* As probe_build.c makes them: no options, DSCP or identification, DF. */
	if (w0 & PROBE_OWN)
		good &= load16(ip) == 0x0045 && load32(ip + 4) == 0x00400000 &&
			be16(l4) == probe_source_port((uint32_t)(w0 >> 32)) &&
			be16(l4 + 2) == PROBE_PORT;
	return good;
}

static bool
vlan_is_good(const struct probe_expect *want, const struct hdr *hdr)
{
	if (want->tci == PROBE_ANY)
		return true;
	if (want->tci == 0)
		return hdr->nb_tags == 0;
	return hdr->nb_tags == 1 && hdr->tci[0] == want->tci;
}

/* PROBE_NONE when there is no tag where it should be. */
static unsigned int
judge_at(const struct probe_expect *want, const uint8_t *frame, uint32_t len,
	 const struct place *at, struct probe_seen *seen)
{
	const uint8_t *end = frame + at->tag + PROBE_TAG;
	uint64_t w0 = load64(frame + at->tag), w1 = load64(frame + at->tag + 8);
	uint32_t n = len - at->tag - PROBE_TAG;
	unsigned int bad = 0;

	if (!probe_tag_is_good(w0, w1))
		return PROBE_NONE;
	take_tag(seen, w0, w1);
	if (!header_is_good(frame, len, at, w0))
		bad |= PROBE_BAD_HEADER;
	if (!l4_is_good(frame, len, at, hdr_sum(end, n, 0), w0 & PROBE_SUM))
		bad |= PROBE_BAD_L4;
	if (!probe_ttl_is_good(want, frame[at->ip + 8], (uint32_t)(w0 >> 16) & 0xff))
		bad |= PROBE_BAD_TTL;
	if (memcmp(end, probe_pattern + (w1 >> PROBE_PHASE_AT), n) != 0)
		bad |= PROBE_BAD_PAYLOAD;
	if (!probe_macs_are_good(want, frame))
		bad |= PROBE_BAD_MAC;
	return bad;
}

/* The ports say that it is ours. */
static bool
is_claimed(const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *l4 = frame + hdr->l4_at;

	return hdr->l4 != HDR_L4_NONE && be16(l4 + 2) == PROBE_PORT &&
	       be16(l4) >= probe_source_port(0);
}

/* 0, or PROBE_NONE: there is no place for a tag. */
static unsigned int
find_place(struct place *at, const struct hdr *hdr, const uint8_t *frame, uint32_t len)
{
	const uint8_t *l4 = frame + hdr->l4_at;

	if (hdr->l3 != HDR_L3_IPV4 || (hdr->l4 != HDR_L4_UDP && hdr->l4 != HDR_L4_TCP))
		return PROBE_NONE;
	at->ip = hdr->l3_at;
	at->l4 = hdr->l4_at;
	at->udp = hdr->l4 == HDR_L4_UDP;
	at->tag = at->l4 + (at->udp ? 8 : (uint32_t)(l4[12] >> 4) * 4);
	if (at->tag < at->l4 + 8 || at->tag + PROBE_TAG > len)
		return PROBE_NONE;
	return 0;
}

/* A good tag with a good payload behind damaged headers; where that is when it is nowhere else. */
static bool
is_damaged(const uint8_t *frame, uint32_t len, struct probe_seen *seen)
{
	/* UDP and TCP, without and with a VLAN tag */
	static const uint8_t places[] = { PROBE_AT, PROBE_AT + 4, PROBE_AT + 12, PROBE_AT + 16 };

	for (unsigned int i = 0; i < sizeof(places); i++) {
		uint32_t at = places[i];
		uint64_t w0, w1;

		if (at + PROBE_TAG > len)
			break;
		w0 = load64(frame + at);
		w1 = load64(frame + at + 8);
		if (!probe_tag_is_good(w0, w1) ||
		    memcmp(frame + at + PROBE_TAG, probe_pattern + (w1 >> PROBE_PHASE_AT),
			   len - at - PROBE_TAG) != 0)
			continue;
		take_tag(seen, w0, w1);
		return true;
	}
	return false;
}

unsigned int
probe_judge(const struct probe_expect *want, const uint8_t *frame, uint32_t len,
	    struct probe_seen *seen)
{
	unsigned int bad;
	struct place at;
	struct hdr hdr;

	if (probe_is_good(want, frame, len, seen))
		return 0;
	if (len > SOFT_FRAME_MAX)
		return PROBE_NONE;
	hdr_parse(&hdr, frame, len);
	bad = find_place(&at, &hdr, frame, len);
	if (bad == 0)
		bad = judge_at(want, frame, len, &at, seen);
	if (bad == PROBE_NONE) {
		if (is_damaged(frame, len, seen))
			bad = PROBE_BAD_HEADER;
		else if (is_claimed(&hdr, frame))
			bad = PROBE_BAD_TAG;
		else
			return PROBE_NONE;
		if (hdr_check_l4(&hdr, frame) == HDR_SUM_BAD)
			bad |= PROBE_BAD_L4;
	}
	if (!vlan_is_good(want, &hdr))
		bad |= PROBE_BAD_HEADER;
	if (hdr_check_ip(&hdr, frame) == HDR_SUM_BAD)
		bad |= PROBE_BAD_IP;
	return bad;
}

unsigned int
probe_look(const uint8_t *frame, uint32_t len, struct probe_seen *seen)
{
	struct place at;
	struct hdr hdr;
	uint64_t w0, w1;
	unsigned int bad;

	hdr_parse(&hdr, frame, len);
	bad = find_place(&at, &hdr, frame, len);
	if (bad != 0)
		return is_claimed(&hdr, frame) ? PROBE_BAD_TAG : PROBE_NONE;
	w0 = load64(frame + at.tag);
	w1 = load64(frame + at.tag + 8);
	if (!probe_tag_is_good(w0, w1))
		return is_claimed(&hdr, frame) ? PROBE_BAD_TAG : PROBE_NONE;
	take_tag(seen, w0, w1);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/probe.h"

#include "drivers/wire/hdr.h"

#define IP_AT  14 /* of a frame without VLAN tag */
#define UDP_AT 34
#define UDP    17u

uint8_t probe_pattern[256 + SOFT_FRAME_MAX];
/* [i]: sum of the 16-bit words before i, every second one: those at odd places for an odd i. */
static uint32_t pattern_sum[256 + SOFT_FRAME_MAX + 1];

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
		pattern_sum[i] = pattern_sum[i - 2] + probe_pattern[i - 2] +
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

static inline uint32_t
load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint16_t
load16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint16_t
be16(const uint8_t *p)
{
	return __builtin_bswap16(load16(p));
}

/* All ones: a sum that includes the checksum of what it covers is right. */
static inline bool
sum_is_good(uint64_t sum)
{
	sum = (sum >> 32) + (sum & UINT32_MAX);
	sum = (sum >> 32) + (sum & UINT32_MAX);
	return sum % UINT16_MAX == 0 && sum != 0;
}

/* Where things are in a frame. */
struct place {
	uint32_t ip, l4, tag;
	bool udp;
};

static inline bool
tag_is_good(uint64_t w0, uint64_t w1)
{
	return (w0 & PROBE_MAGIC_MASK) == PROBE_MAGIC && (w0 >> 8 & 0xff) < PROBE_STREAMS &&
	       probe_check(w0, w1) == PROBE_CHECK_GOOD;
}

static inline void
take_tag(struct probe_seen *seen, uint64_t w0, uint64_t w1)
{
	seen->stream = (uint32_t)(w0 >> 8) & 0xff;
	seen->flow = (uint32_t)(w0 >> 32);
	seen->seq = w1 & PROBE_SEQ_MASK;
}

static inline bool
pattern_is_good(const uint8_t *data, uint32_t n, unsigned int phase)
{
	/* What a frame of 60 bytes has room for. */
	if (__builtin_expect(n == 2, 1))
		return load16(data) == load16(probe_pattern + phase);
	return memcmp(data, probe_pattern + phase, n) == 0;
}

static inline uint32_t
pattern_sum_of(uint32_t n, unsigned int phase)
{
	uint32_t even = n & ~1u;
	uint32_t sum = pattern_sum[phase + even] - pattern_sum[phase];

	return n == even ? sum : sum + probe_pattern[phase + even];
}

/* The checksum over pseudo header, L4 header, tag and what follows, which sums up to rest. */
static inline bool
l4_is_good(const uint8_t *frame, uint32_t len, const struct place *at, uint64_t rest, bool sent)
{
	const uint8_t *l4 = frame + at->l4;
	uint64_t sum = rest + ((uint64_t)frame[at->ip + 9] << 8);

	if (at->udp && (load16(l4 + 6) == 0 || !sent))
		return load16(l4 + 6) == 0 && !sent;
	sum += at->udp ? load16(l4 + 4) : __builtin_bswap16((uint16_t)(len - at->l4));
	sum = probe_carry(sum, probe_load64(frame + at->ip + 12));
	sum = probe_carry(sum, probe_load64(l4));
	if (!at->udp)
		sum = hdr_sum(l4 + 8, at->tag - at->l4 - 8, sum);
	sum = probe_carry(sum, probe_load64(frame + at->tag));
	sum = probe_carry(sum, probe_load64(frame + at->tag + 8));
	return sum_is_good(sum);
}

static inline bool
ip_is_good(const uint8_t *frame, const struct place *at)
{
	const uint8_t *ip = frame + at->ip;
	uint32_t header = at->l4 - at->ip;
	uint64_t sum = probe_carry(probe_load64(ip), probe_load64(ip + 8));

	sum = probe_carry(sum, load32(ip + 16));
	if (header > 20)
		sum = hdr_sum(ip + 20, header - 20, sum);
	return sum_is_good(sum);
}

static inline unsigned int
judge_mac(const struct probe_expect *want, const uint8_t *frame)
{
	uint64_t d = (probe_load64(frame) ^ want->dmac) & want->dmac_mask;
	uint64_t s = (probe_load64(frame + 6) ^ want->smac) & want->smac_mask;

	return (d | s) == 0 ? 0 : PROBE_BAD_MAC;
}

static inline unsigned int
judge_ttl(const struct probe_expect *want, uint32_t ttl, uint32_t sent)
{
	bool good = want->hops == PROBE_ANY ? ttl <= sent : ttl + want->hops == sent;

	return good ? 0 : PROBE_BAD_TTL;
}

static inline unsigned int
judge_header(const uint8_t *frame, uint32_t len, const struct place *at, uint64_t w0)
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
	return good ? 0 : PROBE_BAD_HEADER;
}

/* The one body, for places known when it is compiled and for others. */
static inline __attribute__((always_inline)) unsigned int
judge_at(const struct probe_expect *want, const uint8_t *frame, uint32_t len,
	 const struct place *at, struct probe_seen *seen)
{
	const uint8_t *end = frame + at->tag + PROBE_TAG;
	uint64_t w0 = probe_load64(frame + at->tag), w1 = probe_load64(frame + at->tag + 8);
	unsigned int phase = (unsigned int)(w1 >> PROBE_PHASE_AT);
	uint32_t n = len - at->tag - PROBE_TAG;
	unsigned int bad = 0;
	uint64_t rest;

	if (__builtin_expect(!tag_is_good(w0, w1), 0))
		return PROBE_NONE;
	take_tag(seen, w0, w1);
	if (__builtin_expect(pattern_is_good(end, n, phase), 1)) {
		rest = pattern_sum_of(n, phase);
	} else {
		bad |= PROBE_BAD_PAYLOAD;
		rest = hdr_sum(end, n, 0);
	}
	if (!ip_is_good(frame, at))
		bad |= PROBE_BAD_IP;
	if (!l4_is_good(frame, len, at, rest, w0 & PROBE_SUM))
		bad |= PROBE_BAD_L4;
	bad |= judge_ttl(want, frame[at->ip + 8], (uint32_t)(w0 >> 16) & 0xff);
	bad |= judge_header(frame, len, at, w0);
	return bad | judge_mac(want, frame);
}

/* Untagged IPv4 without options, whole, and UDP: nearly every frame. */
static inline bool
is_plain(const uint8_t *frame, uint32_t len)
{
	return len >= PROBE_MIN && (load32(frame + 12) & 0xffffff) == 0x450008 &&
	       (load16(frame + IP_AT + 6) & 0xffbf) == 0 && frame[IP_AT + 9] == UDP;
}

/* 0, PROBE_NONE; or PROBE_BAD_TAG: the frame is too short to hold what its ports promise. */
static unsigned int
find_place(struct place *at, const struct hdr *hdr, const uint8_t *frame, uint32_t len)
{
	const uint8_t *l4 = frame + hdr->l4_at;
	bool ours;

	if (hdr->l3 != HDR_L3_IPV4 || (hdr->l4 != HDR_L4_UDP && hdr->l4 != HDR_L4_TCP))
		return PROBE_NONE;
	ours = be16(l4 + 2) == PROBE_PORT && be16(l4) >= probe_source_port(0);
	at->ip = hdr->l3_at;
	at->l4 = hdr->l4_at;
	at->udp = hdr->l4 == HDR_L4_UDP;
	at->tag = at->l4 + (at->udp ? 8 : (uint32_t)(l4[12] >> 4) * 4);
	if (at->tag < at->l4 + 8 || at->tag + PROBE_TAG > len)
		return ours ? PROBE_BAD_TAG : PROBE_NONE;
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
		w0 = probe_load64(frame + at);
		w1 = probe_load64(frame + at + 8);
		if (!tag_is_good(w0, w1) ||
		    memcmp(frame + at + PROBE_TAG, probe_pattern + (w1 >> PROBE_PHASE_AT),
			   len - at - PROBE_TAG) != 0)
			continue;
		take_tag(seen, w0, w1);
		return true;
	}
	return false;
}

static unsigned int
judge_vlan(const struct probe_expect *want, const struct hdr *hdr)
{
	if (want->tci == PROBE_ANY)
		return 0;
	if (want->tci == 0)
		return hdr->nb_tags == 0 ? 0 : PROBE_BAD_HEADER;
	return hdr->nb_tags == 1 && hdr->tci[0] == want->tci ? 0 : PROBE_BAD_HEADER;
}

/* Of a frame whose ports say that it is ours and whose tag is broken. */
static bool
is_claimed(const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *l4 = frame + hdr->l4_at;

	return hdr->l4 != HDR_L4_NONE && be16(l4 + 2) == PROBE_PORT &&
	       be16(l4) >= probe_source_port(0);
}

static __attribute__((noinline)) unsigned int
judge_slowly(const struct probe_expect *want, const uint8_t *frame, uint32_t len,
	     struct probe_seen *seen)
{
	struct place at;
	struct hdr hdr;
	unsigned int bad;

	if (len > SOFT_FRAME_MAX)
		return PROBE_NONE;
	hdr_parse(&hdr, frame, len);
	bad = find_place(&at, &hdr, frame, len);
	if (bad == 0) {
		bad = judge_at(want, frame, len, &at, seen);
		if (bad != PROBE_NONE)
			return bad | judge_vlan(want, &hdr);
	}
	if (is_damaged(frame, len, seen))
		bad = PROBE_BAD_HEADER;
	else if (is_claimed(&hdr, frame))
		bad = PROBE_BAD_TAG;
	if (bad == PROBE_NONE)
		return bad;
	if (hdr_check_ip(&hdr, frame) == HDR_SUM_BAD)
		bad |= PROBE_BAD_IP;
	if (hdr_check_l4(&hdr, frame) == HDR_SUM_BAD)
		bad |= PROBE_BAD_L4;
	return bad;
}

unsigned int
probe_judge(const struct probe_expect *want, const uint8_t *frame, uint32_t len,
	    struct probe_seen *seen)
{
	static const struct place plain = { IP_AT, UDP_AT, PROBE_AT, true };

	if (__builtin_expect(is_plain(frame, len) && len <= SOFT_FRAME_MAX, 1)) {
		unsigned int bad = judge_at(want, frame, len, &plain, seen);

		if (__builtin_expect(bad != PROBE_NONE, 1)) {
			bool tag_missing = want->tci != PROBE_ANY && want->tci != 0;

			return tag_missing ? bad | PROBE_BAD_HEADER : bad;
		}
	}
	return judge_slowly(want, frame, len, seen);
}

unsigned int
probe_look(const uint8_t *frame, uint32_t len, struct probe_seen *seen)
{
	struct place at = { IP_AT, UDP_AT, PROBE_AT, true };
	uint64_t w0, w1;

	if (!is_plain(frame, len)) {
		struct hdr hdr;
		unsigned int bad;

		hdr_parse(&hdr, frame, len);
		bad = find_place(&at, &hdr, frame, len);
		if (bad != 0)
			return bad;
	}
	w0 = probe_load64(frame + at.tag);
	w1 = probe_load64(frame + at.tag + 8);
	if (!tag_is_good(w0, w1))
		return be16(frame + at.l4 + 2) == PROBE_PORT ? PROBE_BAD_TAG : PROBE_NONE;
	take_tag(seen, w0, w1);
	return 0;
}

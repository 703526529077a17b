/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_PROBE_FAST_H
#define WIRE_PROBE_FAST_H

#include "drivers/wire/probe.h"

/*
 * The judge's short way: true for the frames that nearly all are, good ones with UDP and no VLAN
 * tag.  What it does not know to be good is for probe_judge(), which also knows what is wrong.
 */
/* Sums are of 16-bit words, added up in words of 64 by carry_add(). */

/* Sums of the words before each place of the pattern; see probe.c. */
extern uint32_t probe_pattern_sum[256 + SOFT_FRAME_MAX + 1];

static inline uint32_t
probe_pattern_sum_of(uint32_t n, unsigned int phase)
{
	uint32_t even = n & ~1u;
	uint32_t sum = probe_pattern_sum[phase + even] - probe_pattern_sum[phase];

	return n == even ? sum : sum + probe_pattern[phase + even];
}

/* Is it there?  Then *sum is that of its words. */
static inline bool
probe_pattern_is_good(const uint8_t *data, uint32_t n, unsigned int phase, uint32_t *sum)
{
	/* What a frame of 60 bytes has room for. */
	if (__builtin_expect(n == 2, 1)) {
		*sum = load16(data);
		return *sum == load16(probe_pattern + phase);
	}
	*sum = probe_pattern_sum_of(n, phase);
	return memcmp(data, probe_pattern + phase, n) == 0;
}

static inline bool
probe_tag_is_good(uint64_t w0, uint64_t w1)
{
	return (w0 & PROBE_MAGIC_MASK) == PROBE_MAGIC && (w0 >> 8 & 0xff) < PROBE_STREAMS &&
	       probe_check(w0, w1) == PROBE_CHECK_GOOD;
}

static inline bool
probe_macs_are_good(const struct probe_expect *want, const uint8_t *frame)
{
	uint64_t d = (load64(frame) ^ want->dmac) & want->dmac_mask;
	uint64_t s = (load64(frame + 6) ^ want->smac) & want->smac_mask;

	return (d | s) == 0;
}

static inline bool
probe_ttl_is_good(const struct probe_expect *want, uint32_t ttl, uint32_t sent)
{
	return want->hops == PROBE_ANY ? ttl <= sent : ttl + want->hops == sent;
}

/* The checksum of a UDP datagram that has one; rest is the sum of what is behind the tag. */
static inline bool
probe_udp_is_good(const uint8_t *ip, uint64_t udp, uint64_t w0, uint64_t w1, uint32_t rest)
{
	/* The pseudo header has the length a second time, and the protocol. */
	uint64_t sum = (udp >> 32 & UINT16_MAX) + (17u << 8) + rest;

	sum = carry_add(sum, load64(ip + 12));
	sum = carry_add(sum, udp);
	sum = carry_add(sum, w0);
	return udp >> 48 != 0 && sum_good(carry_add(sum, w1));
}

static inline bool
probe_is_good(const struct probe_expect *want, const uint8_t *frame, uint32_t len,
	      struct probe_seen *seen)
{
	const uint8_t *ip = frame + 14, *tag = frame + PROBE_AT;
	uint64_t w0, w1, udp, want_ip, want_udp, sum;
	uint32_t rest;

	if (len < PROBE_MIN || len > SOFT_FRAME_MAX || want->tci + 1 > 1)
		return false;
	w0 = load64(tag);
	w1 = load64(tag + 8);
	/* IPv4, no options; no DSCP; the length; no identification; DF */
	want_ip = 0x0040000000000045ull | (uint64_t)__builtin_bswap16((uint16_t)(len - 14)) << 16;
	if (load16(frame + 12) != 0x0008 || load64(ip) != want_ip || ip[9] != 17 ||
	    !probe_tag_is_good(w0, w1))
		return false;

	/* All but the checksum. */
	udp = load64(frame + 34);
	want_udp = __builtin_bswap16(probe_source_port((uint32_t)(w0 >> 32))) |
		   (uint64_t)PROBE_PORT << 24 |
		   (uint64_t)__builtin_bswap16((uint16_t)(len - 34)) << 32;
	if ((udp ^ want_udp) << 16 != 0 ||
	    !probe_pattern_is_good(tag + PROBE_TAG, len - PROBE_AT - PROBE_TAG,
				   (unsigned int)(w1 >> PROBE_PHASE_AT), &rest))
		return false;

	sum = carry_add(load64(ip + 8), load32(ip + 16));
	if (!sum_good(carry_add(want_ip, sum)))
		return false;
	if (!(w0 & PROBE_SUM ? probe_udp_is_good(ip, udp, w0, w1, rest) : udp >> 48 == 0))
		return false;
	seen->stream = (uint32_t)(w0 >> 8) & 0xff;
	seen->flow = (uint32_t)(w0 >> 32);
	seen->seq = w1 & PROBE_SEQ_MASK;
	return probe_ttl_is_good(want, ip[8], (uint32_t)(w0 >> 16) & 0xff) &&
	       probe_macs_are_good(want, frame);
}

#endif

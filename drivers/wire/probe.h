/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_PROBE_H
#define WIRE_PROBE_H

#include "drivers/wire/bytes.h"
#include "drivers/wire/soft.h"

#include <string.h>

/*
 * A test frame: Ethernet, IPv4, UDP or TCP, and a payload that says which stream and flow it is of,
 * which number it has there, and what every byte after that must be.  Built by gen, judged by sink.
 *
 * Frames without FCS of 60 bytes and up.  Any thread, pure, once probe_init() has been called.
 */
#define PROBE_AT      42 /* of the tag, without VLAN tag, with UDP */
#define PROBE_TAG     16 /* bytes */
#define PROBE_MIN     60
#define PROBE_PORT    9u /* destination port: discard (RFC 863) */
#define PROBE_STREAMS SOFT_PORT_MAX

/*
 * The tag is two little-endian words:
 *
 *   byte 0     check, over the 15 others
 *        1     stream: index of the port that gen hangs on
 *        2     TTL as sent
 *        3     magic
 *        4..7  flow
 *        8..14 number within the flow, from 0
 *        15    phase of the pattern
 *
 * From the tag to the end of the frame, byte i is probe_pattern[phase + i].  Frames in flight at
 * the same time have different phases, so that parts of two of them do not pass for one.
 */
#define PROBE_MAGIC      (0x50ull << 24)
#define PROBE_MAGIC_MASK (0xfcull << 24)
#define PROBE_SUM        (1ull << 24) /* sent with a UDP or TCP checksum */
#define PROBE_OWN        (2ull << 24) /* all headers are gen's; else those of a capture */
#define PROBE_SEQ_MASK   ((1ull << 56) - 1)
#define PROBE_PHASE_AT   56 /* bit of the second word */
#define PROBE_CHECK_GOOD 0x5au

extern uint8_t probe_pattern[256 + SOFT_FRAME_MAX];
void probe_init(void); /* fill it; again and again is fine */

/* Two bytes of both words, each byte of which makes one of them another. */
static inline uint32_t
probe_digest(uint64_t w0, uint64_t w1)
{
	uint64_t x = w0 ^ (w1 << 8 | w1 >> 56);

	x ^= x >> 32;
	return (uint16_t)(x ^ x >> 16);
}

/* PROBE_CHECK_GOOD; something else when any single byte of the words is, or, nearly always, when two
 * bytes are swapped that are an odd number of bytes apart. */
static inline uint8_t
probe_check(uint64_t w0, uint64_t w1)
{
	uint32_t x = probe_digest(w0, w1);

	return (uint8_t)(x + 3 * (x >> 8));
}

/* The check byte, byte 0 of the first word, for words that have 0 there. */
static inline uint8_t
probe_check_byte(uint64_t w0, uint64_t w1)
{
	uint32_t x = probe_digest(w0, w1);

	return (uint8_t)(x ^ (PROBE_CHECK_GOOD - 3 * (x >> 8)));
}

static inline uint16_t
probe_source_port(uint32_t flow)
{
	return (uint16_t)(0x8000u | (flow & 0x7fffu));
}

/* What a frame must be like besides what its tag says. */
#define PROBE_ANY UINT32_MAX
struct probe_expect {
	uint64_t dmac, dmac_mask; /* as the bytes lie in memory; mask 0: any */
	uint64_t smac, smac_mask;
	uint32_t hops; /* TTL less than sent, or PROBE_ANY: at most what was sent */
	uint32_t tci;  /* of the one VLAN tag; 0: no tag; or PROBE_ANY */
};
void probe_expect_mac(uint64_t *value, uint64_t *mask, const uint8_t mac[6]);

enum {
	PROBE_BAD_HEADER = 1u << 0, /* lengths, ports, fragment, VLAN tag, no IPv4 where it was */
	PROBE_BAD_IP = 1u << 1,     /* header checksum */
	PROBE_BAD_L4 = 1u << 2,     /* UDP or TCP checksum wrong, or there where none was sent */
	PROBE_BAD_TTL = 1u << 3,
	PROBE_BAD_PAYLOAD = 1u << 4,
	PROBE_BAD_MAC = 1u << 5,
	PROBE_BAD_TAG = 1u << 6, /* a test frame by its ports, and nothing is known of it */
	PROBE_NONE = 1u << 7,    /* not a test frame */
};
const char *probe_reason(unsigned int bad); /* of the lowest bit */

struct probe_seen { /* unset with PROBE_NONE and PROBE_BAD_TAG */
	uint32_t stream, flow;
	uint64_t seq;
};
/* What is wrong with a frame; 0: nothing. */
unsigned int probe_judge(const struct probe_expect *want, const uint8_t *frame, uint32_t len,
			 struct probe_seen *seen);
/* Only whose it is: 0, PROBE_NONE or PROBE_BAD_TAG. */
unsigned int probe_look(const uint8_t *frame, uint32_t len, struct probe_seen *seen);

#endif

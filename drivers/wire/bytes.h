/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_BYTES_H
#define WIRE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Words in frames and descriptors, at any alignment. */
static inline uint64_t
load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
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
load16_be(const uint8_t *p)
{
	return __builtin_bswap16(load16(p));
}

static inline void
store16_be(uint8_t *p, uint16_t v)
{
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

/* Ones' complement: the carry comes in again at the low end. */
static inline uint64_t
carry_add(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum + (sum < b);
}

/* A sum of 16-bit words that includes its own checksum: 0 in ones' complement. */
static inline bool
sum_good(uint64_t sum)
{
	return sum % UINT16_MAX == 0;
}

#endif

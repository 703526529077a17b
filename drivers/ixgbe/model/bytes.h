/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_BYTES_H
#define N82599_BYTES_H

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

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_PRM_H
#define CX5_PRM_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Fields of PRM structures: a bit is counted from the start of the structure, the first bit of a
 * big-endian dword is its highest, as the manual's tables have it.  A field never crosses a dword.
 * Pure; any thread.
 */
static inline uint32_t
prm_get(const void *at, uint32_t bit, uint32_t width)
{
	uint32_t dw_be;

	memcpy(&dw_be, (const uint8_t *)at + bit / 32 * 4, 4);
	return (be32toh(dw_be) >> (32 - bit % 32 - width)) & (uint32_t)((1ull << width) - 1);
}

static inline void
prm_set(void *at, uint32_t bit, uint32_t width, uint32_t value)
{
	uint32_t shift = 32 - bit % 32 - width;
	uint32_t mask = (uint32_t)((1ull << width) - 1) << shift;
	uint32_t dw_be;

	memcpy(&dw_be, (const uint8_t *)at + bit / 32 * 4, 4);
	dw_be = htobe32((be32toh(dw_be) & ~mask) | (value << shift & mask));
	memcpy((uint8_t *)at + bit / 32 * 4, &dw_be, 4);
}

/* Two dwords, the high one first. */
static inline uint64_t
prm_get64(const void *at, uint32_t bit)
{
	return (uint64_t)prm_get(at, bit, 32) << 32 | prm_get(at, bit + 32, 32);
}

static inline void
prm_set64(void *at, uint32_t bit, uint64_t value)
{
	prm_set(at, bit, 32, (uint32_t)(value >> 32));
	prm_set(at, bit + 32, 32, (uint32_t)value);
}

#endif

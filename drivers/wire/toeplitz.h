/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_TOEPLITZ_H
#define WIRE_TOEPLITZ_H

#include "drivers/wire/softnic.h"

/*
 * The receive-side scaling hash (82599 datasheet 7.1.2.8.1; the Toeplitz hash of Microsoft's RSS
 * specification), one table look-up a byte.  Equal to rte_softrss().  Pure.
 */
#define TOEPLITZ_KEY   40
#define TOEPLITZ_INPUT 36 /* two IPv6 addresses and two ports */
struct toeplitz {
	uint32_t table[TOEPLITZ_INPUT][256];
};
SOFTNIC_API void toeplitz_init(struct toeplitz *t, const uint8_t key[TOEPLITZ_KEY]);

/* Continue a hash: len bytes whose first is input byte at. */
static inline uint32_t
toeplitz_add(const struct toeplitz *t, uint32_t hash, const uint8_t *data, unsigned int at,
	     unsigned int len)
{
	for (unsigned int i = 0; i < len; i++)
		hash ^= t->table[at + i][data[i]];
	return hash;
}

#endif

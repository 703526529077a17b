/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/toeplitz.h"

void
toeplitz_init(struct toeplitz *t, const uint8_t key[TOEPLITZ_KEY])
{
	for (unsigned int at = 0; at < TOEPLITZ_INPUT; at++) {
		/* The 40 bits of the key that an input byte sees, 32 at a time. */
		uint64_t bits = 0;

		for (unsigned int i = 0; i < 5; i++)
			bits = bits << 8 | key[at + i];
		t->table[at][0] = 0;
		for (unsigned int byte = 1; byte < 256; byte++) {
			unsigned int low = (unsigned int)__builtin_ctz(byte);

			t->table[at][byte] =
				t->table[at][byte & (byte - 1)] ^ (uint32_t)(bits >> (low + 1));
		}
	}
}

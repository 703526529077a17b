/* SPDX-License-Identifier: BSD-3-Clause */
#include "chatter.h"

#include "base/clock.h"

#include <string.h>

/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t
hash_of(const char *line, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)line[i]) * 0x100000001b3;
	return hash;
}

static unsigned int
place_of(struct chatter *chatter, uint64_t hash)
{
	unsigned int at;

	for (at = 0; at < CHATTER_LINES; at++)
		if (chatter->line[at].hash == hash)
			return at;
	at = chatter->oldest;
	chatter->oldest = (at + 1) % CHATTER_LINES;
	chatter->line[at].hash = hash;
	chatter->line[at].n = 0;
	return at;
}

bool
chatter_pass(struct chatter *chatter, const char *line, size_t len, uint64_t now_us,
	     uint64_t *left_out)
{
	*left_out = 0;
	if (now_us >= chatter->until_us) {
		*left_out = chatter->left_out;
		memset(chatter, 0, sizeof(*chatter));
		chatter->until_us = now_us + CLOCK_SECOND_US;
	}
	if (chatter->line[place_of(chatter, hash_of(line, len))].n++ < CHATTER_SECOND)
		return true;
	chatter->left_out++;
	return false;
}

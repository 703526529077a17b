/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * splitmix64: the same numbers on every machine for the same seed, which a failing test prints.
 * TEST_SEED in the environment replaces the seed that is built in.
 */
struct test_random {
	uint64_t state;
};

static inline struct test_random
test_random_start(uint64_t seed)
{
	const char *text = getenv("TEST_SEED");

	if (text != NULL)
		seed = strtoull(text, NULL, 0);
	printf("TEST_SEED=%llu\n", (unsigned long long)seed);
	return (struct test_random){ seed };
}

static inline uint64_t
test_random_next(struct test_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* 0 .. n - 1 */
static inline uint32_t
test_random_below(struct test_random *r, uint32_t n)
{
	return (uint32_t)((test_random_next(r) >> 32) * n >> 32);
}

#endif

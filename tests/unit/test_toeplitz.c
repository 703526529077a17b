/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/toeplitz.h"
#include "support/cmocka.h"
#include "support/random.h"

#include <rte_byteorder.h>
#include <rte_thash.h>

/* The key and the sums that Microsoft's "Verifying the RSS Hash Calculation" publishes. */
static const uint8_t known_key[TOEPLITZ_KEY] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static struct toeplitz table;

static void
published_values_come_out(void **state)
{
	/* 66.9.149.187:2794 to 161.142.100.80:1766 */
	static const uint8_t tuple[] = {
		66, 9, 149, 187, 161, 142, 100, 80, 0x0a, 0xea, 0x06, 0xe6
	};

	(void)state;
	toeplitz_init(&table, known_key);
	assert_int_equal(toeplitz_add(&table, 0, tuple, 0, 8), 0x323e8fc2);
	assert_int_equal(toeplitz_add(&table, 0, tuple, 0, 12), 0x51ccc178);
}

/* words: of the tuple, 2 and 3 for IPv4 without and with ports, 8 and 9 for IPv6. */
static void
compare(struct test_random *r, unsigned int words)
{
	uint32_t host[9], key_words[TOEPLITZ_KEY / 4];
	uint8_t key[TOEPLITZ_KEY], wire[36];
	uint32_t want, got;

	for (unsigned int i = 0; i < TOEPLITZ_KEY / 4; i++)
		key_words[i] = (uint32_t)test_random_next(r);
	memcpy(key, key_words, sizeof(key));
	for (unsigned int i = 0; i < words; i++) {
		uint32_t be;

		host[i] = (uint32_t)test_random_next(r);
		be = rte_cpu_to_be_32(host[i]);
		memcpy(wire + 4 * i, &be, 4);
	}
	toeplitz_init(&table, key);
	want = rte_softrss(host, words, key);
	got = toeplitz_add(&table, 0, wire, 0, 4 * words);
	assert_int_equal(got, want);

	/* In pieces, as a model does that takes addresses and ports from different places. */
	got = toeplitz_add(&table, 0, wire, 0, 4 * (words / 2));
	got = toeplitz_add(&table, got, wire + 4 * (words / 2), 4 * (words / 2),
			   4 * (words - words / 2));
	assert_int_equal(got, want);
}

static void
it_is_what_dpdk_computes(void **state)
{
	struct test_random r = test_random_start(0x70e9117);
	static const unsigned int sizes[] = { 2, 3, 8, 9 };

	(void)state;
	for (unsigned int i = 0; i < 400; i++)
		compare(&r, sizes[i % RTE_DIM(sizes)]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_values_come_out),
		cmocka_unit_test(it_is_what_dpdk_computes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

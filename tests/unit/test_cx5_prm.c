/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of PRM structures: the highest bit of a big-endian dword comes first. */
#include "drivers/mlx5/model/prm.h"
#include "support/cmocka.h"

static const uint8_t bytes[16] = { 0x80, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
				   0xef, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc };

static const struct {
	uint32_t bit, width, want;
} fields[] = {
	{ 0, 1, 1 },       { 1, 1, 0 },        { 0, 32, 0x80012345 },
	{ 0, 16, 0x8001 }, { 16, 16, 0x2345 }, { 8, 24, 0x012345 },
	{ 20, 4, 3 },      { 31, 1, 1 },       { 32, 32, 0x6789abcd },
	{ 35, 5, 7 },      { 0x63, 5, 0x16 },  { 120, 8, 0xdc },
};

static void
a_field_is_read_from_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < RTE_DIM(fields); i++)
		if (prm_get(bytes, fields[i].bit, fields[i].width) != fields[i].want)
			fail_msg("bit 0x%x, %u wide: 0x%x, want 0x%x", fields[i].bit,
				 fields[i].width, prm_get(bytes, fields[i].bit, fields[i].width),
				 fields[i].want);
	assert_int_equal(prm_get64(bytes, 32), 0x6789abcdef103254);
}

static void
a_field_is_written_and_nothing_beside_it(void **state)
{
	(void)state;
	for (uint32_t bit = 0; bit < 64; bit++)
		for (uint32_t width = 1; width <= 32 - bit % 32; width++) {
			uint32_t all = (uint32_t)((1ull << width) - 1);
			uint8_t zero[8] = { 0 }, ones[8];

			memset(ones, 0xff, sizeof(ones));
			prm_set(zero, bit, width, 0xffffffff);
			prm_set(ones, bit, width, 0);
			assert_int_equal(prm_get(zero, bit, width), all);
			assert_int_equal(prm_get(ones, bit, width), 0);
			for (size_t i = 0; i < sizeof(zero); i++)
				assert_int_equal(zero[i] ^ ones[i], 0xff);
			assert_int_equal(__builtin_popcount(prm_get(zero, 0, 32)) +
						 __builtin_popcount(prm_get(zero, 32, 32)),
					 width);
		}
}

static void
two_dwords_are_written_high_first(void **state)
{
	uint8_t at[12] = { 0 };

	(void)state;
	prm_set64(at, 32, 0x0123456789abcdef);
	assert_memory_equal(at, "\0\0\0\0\x01\x23\x45\x67\x89\xab\xcd\xef", 12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_is_read_from_its_place),
		cmocka_unit_test(a_field_is_written_and_nothing_beside_it),
		cmocka_unit_test(two_dwords_are_written_high_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

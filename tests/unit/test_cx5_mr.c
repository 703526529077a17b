/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory keys: what a key covers is reached by it, to the byte, and nothing else. */
#include "cx5_host.h"

#define LEN 4096

static uint8_t memory[LEN];

static void
a_key_reaches_its_region_to_the_byte(void **state)
{
	struct ibv_mr *mr = glue_reg_mr(host.pd, memory, LEN, 0);
	uint64_t lo = (uintptr_t)memory;
	uint32_t key_be;

	(void)state;
	assert_non_null(mr);
	assert_int_equal(mr->lkey, mr->rkey);
	key_be = htobe32(mr->lkey);
	assert_ptr_equal(cx5_mr_at(key_be, lo, LEN), memory);
	assert_ptr_equal(cx5_mr_at(key_be, lo + 1, LEN - 1), memory + 1);
	assert_ptr_equal(cx5_mr_at(key_be, lo + LEN - 1, 1), memory + LEN - 1);
	assert_null(cx5_mr_at(key_be, lo, LEN + 1));
	assert_null(cx5_mr_at(key_be, lo + LEN - 1, 2));
	assert_null(cx5_mr_at(key_be, lo + LEN, 1));
	assert_null(cx5_mr_at(key_be, lo - 1, 1));
	assert_null(cx5_mr_at(key_be, lo + 16, UINT32_MAX));
	assert_null(cx5_mr_at(key_be, UINT64_MAX, 1));
	assert_null(cx5_mr_at(key_be, 0, 1));
	assert_int_equal(glue_dereg_mr(mr), 0);
}

static void
a_key_that_is_not_right_reaches_nothing(void **state)
{
	struct ibv_mr *mr = glue_reg_mr(host.pd, memory, LEN, 0);
	uint64_t lo = (uintptr_t)memory;
	uint32_t lkey = mr->lkey;

	(void)state;
	assert_null(cx5_mr_at(lkey, lo, 1));                  /* byte order */
	assert_null(cx5_mr_at(htobe32(lkey ^ 1), lo, 1));     /* variant */
	assert_null(cx5_mr_at(htobe32(lkey + 0x100), lo, 1)); /* another's index */
	assert_null(cx5_mr_at(htobe32(lkey + CX5_MR_MAX * 0x100), lo, 1));
	assert_null(cx5_mr_at(0, lo, 1));
	assert_null(cx5_mr_at(0xffffffff, lo, 1));
	assert_int_equal(glue_dereg_mr(mr), 0);
	assert_null(cx5_mr_at(htobe32(lkey), lo, 1));
}

/* Whoever takes the entry next has another key, also when all others are taken. */
static void
a_stale_key_does_not_fit_its_successor(void **state)
{
	static struct ibv_mr *mr[CX5_MR_MAX];
	uint32_t stale;

	(void)state;
	for (unsigned int i = 0; i < CX5_MR_MAX - 1; i++) {
		mr[i] = glue_reg_mr(host.pd, memory, LEN, 0);
		assert_non_null(mr[i]);
	}
	errno = 0;
	assert_null(glue_reg_mr(host.pd, memory, LEN, 0));
	assert_int_equal(errno, ENOMEM);
	stale = mr[77]->lkey;
	glue_dereg_mr(mr[77]);
	mr[77] = glue_reg_mr(host.pd, memory, LEN, 0);
	assert_non_null(mr[77]);
	assert_int_equal(mr[77]->lkey >> 8, stale >> 8);
	assert_null(cx5_mr_at(htobe32(stale), (uintptr_t)memory, 1));
	for (unsigned int i = 0; i < CX5_MR_MAX - 1; i++)
		assert_int_equal(glue_dereg_mr(mr[i]), 0);
}

static void
the_host_may_address_it_from_elsewhere(void **state)
{
	struct ibv_mr *mr = glue_reg_mr_iova(host.pd, memory, LEN, 0x1000, 0);
	uint32_t key_be = htobe32(mr->lkey);

	(void)state;
	assert_ptr_equal(cx5_mr_at(key_be, 0x1000, LEN), memory);
	assert_ptr_equal(cx5_mr_at(key_be, 0x1fff, 1), memory + LEN - 1);
	assert_null(cx5_mr_at(key_be, 0x2000, 1));
	assert_null(cx5_mr_at(key_be, 0xfff, 1));
	assert_null(cx5_mr_at(key_be, (uintptr_t)memory, 1));
	glue_dereg_mr(mr);
}

/* As the PMD makes keys for dumps of counters: an mkey with one entry, which names another key. */
static void
a_key_may_cover_what_another_covers(void **state)
{
	struct ibv_mr *mr = glue_reg_mr(host.pd, memory, LEN, 0);
	uint64_t lo = (uintptr_t)memory;
	/* CREATE_MKEY: KLM access, start and length; an entry of length, key and address */
	struct host_dword dw[] = {
		{ 0, 0x02000000 },
		{ 4, 0x00000e00 },
		{ 5, 0xffffff00 },
		{ 8, (uint32_t)(lo >> 32) },
		{ 9, (uint32_t)lo },
		{ 11, LEN },
		{ 24, 4 },
		{ 68, LEN },
		{ 69, mr->lkey },
		{ 70, (uint32_t)(lo >> 32) },
		{ 71, (uint32_t)lo },
	};
	struct host_answer answer;
	struct mlx5dv_devx_obj *mkey = host_create(dw, RTE_DIM(dw), 336, &answer);
	uint32_t key_be;

	(void)state;
	assert_non_null(mkey);
	key_be = htobe32(prm_get(answer.out, 0x48, 24) << 8);
	assert_ptr_equal(cx5_mr_at(key_be, lo, LEN), memory);
	assert_null(cx5_mr_at(key_be, lo, LEN + 1));
	assert_int_equal(glue_devx_obj_destroy(mkey), 0);
	assert_null(cx5_mr_at(key_be, lo, 1));

	dw[7].value = LEN - 1; /* the entry does not reach as far as the mkey */
	assert_null(host_create(dw, RTE_DIM(dw), 336, &answer));
	assert_int_equal(answer.status, CX5_BAD_PARAM);
	assert_int_equal(answer.syndrome, CX5_SYN_MKEY);
	dw[7].value = LEN;
	assert_null(host_create(dw, RTE_DIM(dw) - 4, 272, &answer)); /* the entry is not there */
	assert_int_equal(answer.status, CX5_BAD_PARAM);
	glue_dereg_mr(mr);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_key_reaches_its_region_to_the_byte, host_open,
						host_close),
		cmocka_unit_test_setup_teardown(a_key_that_is_not_right_reaches_nothing, host_open,
						host_close),
		cmocka_unit_test_setup_teardown(a_stale_key_does_not_fit_its_successor, host_open,
						host_close),
		cmocka_unit_test_setup_teardown(the_host_may_address_it_from_elsewhere, host_open,
						host_close),
		cmocka_unit_test_setup_teardown(a_key_may_cover_what_another_covers, host_open,
						host_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

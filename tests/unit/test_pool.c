/* SPDX-License-Identifier: BSD-3-Clause */
#include "pool/pool.h"
#include "support/cmocka.h"
#include "support/eal.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>

static const struct pool_config usual = {
	.nb_mbufs = 2048,
	.cache = 250,
	.mbuf_size = 2048 + RTE_PKTMBUF_HEADROOM,
	.need = { .rx_rings = 1000,
		  .tx_rings = 500,
		  .lcores = 300,
		  .punt = 100,
		  .hold = 48,
		  .steer = 100 },
};

static void
need_is_the_sum_of_its_terms(void **state)
{
	(void)state;
	assert_int_equal(pool_need_total(&usual.need), 2048);
}

static void
too_small_is_refused_with_the_number(void **state)
{
	struct pool_config cfg = usual;
	struct rte_mempool *pool = NULL;
	struct err err;

	(void)state;
	cfg.nb_mbufs = 2047;
	assert_int_equal(pool_create(&pool, &cfg, &err), -EINVAL);
	assert_non_null(strstr(err.text, "1 too few"));
	assert_non_null(strstr(err.text, "give 2048"));
	assert_null(pool);

	cfg = usual;
	cfg.cache = RTE_MEMPOOL_CACHE_MAX_SIZE + 1;
	assert_int_equal(pool_create(&pool, &cfg, &err), -EINVAL);
	assert_non_null(strstr(err.text, "limit of 512"));

	cfg = usual;
	cfg.mbuf_size = 65536;
	assert_int_equal(pool_create(&pool, &cfg, &err), -EINVAL);
	assert_non_null(strstr(err.text, "128..65535"));
}

static void
too_large_says_how_many_bytes(void **state)
{
	struct pool_config cfg = usual;
	struct rte_mempool *pool = NULL;
	char bytes[32];
	struct err err;

	(void)state;
	cfg.nb_mbufs = 1u << 20;
	assert_int_equal(pool_create(&pool, &cfg, &err), -ENOMEM);
	snprintf(bytes, sizeof(bytes), "%llu bytes", (unsigned long long)pool_bytes(&cfg));
	assert_non_null(strstr(err.text, bytes));
	assert_true(pool_bytes(&cfg) > (2176ull << 20));
	assert_null(pool);
}

static void
occupancy_counts_caches_as_free_and_keeps_the_low_water(void **state)
{
	struct rte_mempool *pool = NULL;
	struct rte_mbuf *m[300];
	struct pool_info info;
	struct err err;

	(void)state;
	assert_int_equal(pool_create(&pool, &usual, &err), 0);
	pool_info(pool, &info);
	assert_int_equal(info.size, 2048);
	assert_int_equal(info.free, 2048);
	assert_int_equal(info.low_water, 2048);
	assert_int_equal(info.cache, 250);
	assert_int_equal(info.socket, 0);

	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, m, RTE_DIM(m)), 0);
	assert_int_equal(rte_pktmbuf_tailroom(m[0]), 2048);
	pool_sample(pool);
	rte_pktmbuf_free_bulk(m, RTE_DIM(m));
	pool_info(pool, &info);
	assert_int_equal(info.free, 2048);
	assert_int_equal(info.low_water, 2048 - RTE_DIM(m));

	pool_destroy(pool);
	assert_int_equal(pool_create(&pool, &usual, &err), 0);
	pool_destroy(pool);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(need_is_the_sum_of_its_terms),
		cmocka_unit_test(too_small_is_refused_with_the_number),
		cmocka_unit_test(too_large_says_how_many_bytes),
		cmocka_unit_test(occupancy_counts_caches_as_free_and_keeps_the_low_water),
	};

	(void)argc;
	test_eal_init(argv[0], "0", "64");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

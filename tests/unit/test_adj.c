/* SPDX-License-Identifier: BSD-3-Clause */
#include "neigh/adj.h"
#include "support/adj.h"
#include "support/cmocka.h"
#include "support/eal.h"

#include <pthread.h>

#include <rte_rcu_qsbr.h>

#define IDS 12u

static struct rte_rcu_qsbr *rcu;

static int
setup(void **state)
{
	size_t size = RTE_ALIGN_CEIL(rte_rcu_qsbr_get_memsize(2), RTE_CACHE_LINE_SIZE);
	struct adj_table *t;

	rcu = aligned_alloc(RTE_CACHE_LINE_SIZE, size);
	assert_non_null(rcu);
	assert_int_equal(rte_rcu_qsbr_init(rcu, 2), 0);
	assert_int_equal(adj_create(&t, IDS, SOCKET_ID_ANY, rcu), 0);
	*state = t;
	return 0;
}

static int
teardown(void **state)
{
	adj_destroy(*state);
	free(rcu);
	return 0;
}

static void
limits_are_checked(void **state)
{
	struct adj_table *t = NULL;

	(void)state;
	assert_int_equal(adj_create(&t, ADJ_ID_FREE, SOCKET_ID_ANY, rcu), -EINVAL);
	assert_int_equal(adj_create(&t, 32769, SOCKET_ID_ANY, rcu), -EINVAL);
	assert_int_equal(adj_create(&t, 100, SOCKET_ID_ANY, NULL), -EINVAL);
	assert_null(t);
	assert_int_equal(adj_create(&t, 32768, SOCKET_ID_ANY, rcu), 0);
	adj_destroy(t);
	adj_destroy(NULL);
}

static void
fixed_ids_mean_what_they_say(void **state)
{
	static const uint8_t kind[] = {
		[ADJ_ID_DEFAULT] = ADJ_NO_ROUTE,
		[ADJ_ID_LOCAL] = ADJ_LOCAL,
		[ADJ_ID_BAD_DESTINATION] = ADJ_BAD_DESTINATION,
		[ADJ_ID_BLACKHOLE] = ADJ_BLACKHOLE,
		[ADJ_ID_NO_ROUTE] = ADJ_NO_ROUTE,
	};
	const struct adj *array = adj_array(*state);

	for (uint16_t id = 0; id < RTE_DIM(kind); id++) {
		assert_int_equal(adj_at(array, id).kind, kind[id]);
		assert_int_equal(adj_at(array, id).mtu, 0);
	}
}

static void
every_id_is_given_once(void **state)
{
	struct adj_table *t = *state;
	bool seen[IDS] = { false };

	for (uint32_t i = ADJ_ID_FREE; i < IDS; i++) {
		int id = adj_alloc(t);

		assert_in_range(id, ADJ_ID_FREE, IDS - 1);
		assert_false(seen[id]);
		seen[id] = true;
	}
	assert_int_equal(adj_used(t), IDS - ADJ_ID_FREE);
	assert_int_equal(adj_alloc(t), -ENOSPC);
}

static void
an_id_rests_until_workers_let_go(void **state)
{
	struct adj_table *t = *state;
	struct adj sends = { .kind = ADJ_FORWARD, .mtu = 1500, .port = 1 };
	int id = 0;

	assert_int_equal(rte_rcu_qsbr_thread_register(rcu, 0), 0);
	rte_rcu_qsbr_thread_online(rcu, 0);
	for (uint32_t i = ADJ_ID_FREE; i < IDS; i++)
		id = adj_alloc(t);
	adj_write(t, (uint16_t)id, &sends);
	adj_free(t, (uint16_t)id);
	assert_int_equal(adj_used(t), IDS - ADJ_ID_FREE - 1);
	assert_int_equal(adj_alloc(t), -EAGAIN);
	/* A worker that has the id still finds the old next hop behind it. */
	assert_int_equal(adj_at(adj_array(t), (uint16_t)id).kind, ADJ_FORWARD);

	/* Handing it back twice must not give it out twice. */
	adj_free(t, (uint16_t)id);
	adj_free(t, ADJ_ID_LOCAL);
	rte_rcu_qsbr_quiescent(rcu, 0);
	assert_int_equal(adj_alloc(t), id);
	assert_int_equal(adj_at(adj_array(t), (uint16_t)id).kind, ADJ_NO_ROUTE);
	assert_int_equal(adj_at(adj_array(t), (uint16_t)id).mtu, 0);
	assert_int_equal(adj_alloc(t), -ENOSPC);
	rte_rcu_qsbr_thread_offline(rcu, 0);
	rte_rcu_qsbr_thread_unregister(rcu, 0);
}

static void
reclaim_takes_what_is_due(void **state)
{
	struct adj_table *t = *state;
	int a, b;

	assert_int_equal(rte_rcu_qsbr_thread_register(rcu, 0), 0);
	rte_rcu_qsbr_thread_online(rcu, 0);
	for (uint32_t i = ADJ_ID_FREE + 2; i < IDS; i++)
		assert_true(adj_alloc(t) > 0);
	a = adj_alloc(t);
	b = adj_alloc(t);
	adj_free(t, (uint16_t)a);
	rte_rcu_qsbr_quiescent(rcu, 0);
	adj_free(t, (uint16_t)b);
	adj_reclaim(t);
	assert_int_equal(adj_alloc(t), a);
	assert_int_equal(adj_alloc(t), -EAGAIN);
	rte_rcu_qsbr_quiescent(rcu, 0);
	assert_int_equal(adj_alloc(t), b);
	rte_rcu_qsbr_thread_offline(rcu, 0);
	rte_rcu_qsbr_thread_unregister(rcu, 0);
}

#define ROUNDS 100000

struct reader {
	const struct adj *array;
	const struct adj *a, *b;
	unsigned int odd;
	int stop;
};

static void *
read_on(void *arg)
{
	struct reader *rd = arg;

	while (!atomic_get(&rd->stop)) {
		struct adj seen = adj_at(rd->array, ADJ_ID_FREE);

		if (memcmp(&seen, rd->a, sizeof(seen)) != 0 &&
		    memcmp(&seen, rd->b, sizeof(seen)) != 0)
			rd->odd++;
	}
	return NULL;
}

static void
a_reader_sees_one_or_the_other(void **state)
{
	static const struct adj a = { .dst = { 2, 1, 1, 1, 1, 1 },
				      .src = { 2, 1, 1, 1, 1, 1 },
				      .mtu = 0x0101,
				      .port = 1,
				      .kind = ADJ_FORWARD };
	static const struct adj b = { .dst = { 4, 2, 2, 2, 2, 2 },
				      .src = { 4, 2, 2, 2, 2, 2 },
				      .mtu = 0x0202,
				      .port = 2,
				      .kind = ADJ_RESOLVE };
	struct adj_table *t = *state;
	struct reader rd = { .array = adj_array(t), .a = &a, .b = &b };
	pthread_t thread;

	assert_int_equal(adj_alloc(t), ADJ_ID_FREE);
	adj_write(t, ADJ_ID_FREE, &a);
	assert_int_equal(pthread_create(&thread, NULL, read_on, &rd), 0);
	for (unsigned int i = 0; i < ROUNDS; i++)
		adj_write(t, ADJ_ID_FREE, i % 2 ? &a : &b);
	atomic_put(&rd.stop, 1);
	pthread_join(thread, NULL);
	assert_int_equal(rd.odd, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(limits_are_checked, setup, teardown),
		cmocka_unit_test_setup_teardown(fixed_ids_mean_what_they_say, setup, teardown),
		cmocka_unit_test_setup_teardown(every_id_is_given_once, setup, teardown),
		cmocka_unit_test_setup_teardown(an_id_rests_until_workers_let_go, setup, teardown),
		cmocka_unit_test_setup_teardown(reclaim_takes_what_is_due, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reader_sees_one_or_the_other, setup, teardown),
	};

	test_eal_init("test_adj", "0", "32");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

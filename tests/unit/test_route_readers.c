/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "support/router.h"

#include <pthread.h>

/*
 * No torn route: a reader on another thread, between quiescent points like a worker, meets the old
 * next hop of an address or the new one.  On the real FIB; its oracle is a list of both.
 */
#define ROUNDS  3000u
#define TIME_US 2000000u /* enough on a loaded machine */

struct watch {
	uint32_t ip;
	struct adj may[2];
};

struct reader {
	struct bed *b;
	struct watch *watch;
	unsigned int n;
	unsigned long looked, odd;
	struct adj first_odd;
	int stop;
};

static void
look(struct reader *rd)
{
	for (unsigned int i = 0; i < rd->n; i++) {
		const struct watch *w = &rd->watch[i];
		const struct router_view *view = router_view(rd->b->r);
		struct adj seen;
		uint16_t id;

		fib_lookup_bulk(view->fib, &w->ip, &id, 1);
		seen = adj_at(view->adj, id);
		rd->looked++;
		if (memcmp(&seen, &w->may[0], sizeof(seen)) == 0 ||
		    memcmp(&seen, &w->may[1], sizeof(seen)) == 0)
			continue;
		if (rd->odd++ == 0)
			rd->first_odd = seen;
	}
}

static void *
read_on(void *arg)
{
	struct reader *rd = arg;

	rte_rcu_qsbr_thread_online(rd->b->rcu, 0);
	while (!atomic_get(&rd->stop)) {
		look(rd);
		rte_rcu_qsbr_quiescent(rd->b->rcu, 0);
	}
	rte_rcu_qsbr_thread_offline(rd->b->rcu, 0);
	return NULL;
}

/* Room may have to wait for the reader; nothing else may fail. */
#define until_room(b, call)                                                                        \
	do {                                                                                       \
		int ret_;                                                                          \
		while ((ret_ = (call)) == -EAGAIN)                                                 \
			router_reclaim((b)->r);                                                    \
		assert_int_equal(ret_, 0);                                                         \
	} while (0)

static int
txn_round(struct bed *b, const char *gateway)
{
	router_begin(b->r, NULL);
	bed_route_del(b, "20.0.0.0/22");
	bed_replace(b, "30.0.0.0/25", gateway);
	bed_route(b, "20.0.0.0/22", gateway);
	return router_commit(b->r, NULL);
}

static void
readers_see_the_old_or_the_new(void **state)
{
	static const char *const gateway[2] = { "192.0.2.1", "198.51.100.1" };
	struct watch watch[] = {
		{ .ip = IP4(10, 0, 0, 1) }, { .ip = IP4(8, 8, 8, 8) },  { .ip = IP4(20, 0, 0, 1) },
		{ .ip = IP4(30, 0, 0, 1) }, { .ip = IP4(40, 0, 0, 1) },
	};
	struct bed *b = *state;
	struct reader rd = { .b = b, .watch = watch, .n = RTE_DIM(watch) };
	struct route_spec both = bed_spec("40.0.0.0/20", ROUTE_VIA);
	uint64_t until_us;
	pthread_t thread;

	bed_addr(b, "192.0.2.2/24", 1);
	bed_addr(b, "198.51.100.2/24", 2);
	bed_learn(b, 1, gateway[0], 1);
	bed_learn(b, 2, gateway[1], 2);
	bed_via(&both, "203.0.113.1", ROUTE_PORT_ANY);
	bed_via(&both, gateway[1], ROUTE_PORT_ANY);
	assert_int_equal(router_route_add(b->r, &both, false, NULL), 0);
	for (unsigned int i = 0; i < RTE_DIM(watch); i++) {
		watch[i].may[0] = bed_adj(b, gateway[0]);
		watch[i].may[1] = bed_adj(b, gateway[1]);
	}
	/* The route of several next hops goes to a third gateway when that is connected. */
	bed_addr(b, "203.0.113.2/24", 0);
	watch[4].may[0] = bed_adj(b, "40.0.0.1");
	bed_replace(b, "10.0.0.0/20", gateway[0]);
	bed_replace(b, "0.0.0.0/0", gateway[0]);
	bed_replace(b, "30.0.0.0/25", gateway[0]);
	bed_replace(b, "20.0.0.0/22", gateway[0]);

	assert_int_equal(rte_rcu_qsbr_thread_register(b->rcu, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_on, &rd), 0);
	until_us = clock_us() + TIME_US;
	for (unsigned int i = 1; i <= ROUNDS && clock_us() < until_us; i++) {
		until_room(b, bed_replace(b, "10.0.0.0/20", gateway[i % 2]));
		until_room(b, bed_replace(b, "0.0.0.0/0", gateway[i % 2]));
		until_room(b, txn_round(b, gateway[i % 2]));
		if (i % 2)
			until_room(b, bed_addr_del(b, "203.0.113.2/24", 0));
		else
			until_room(b, bed_addr(b, "203.0.113.2/24", 0));
		router_reclaim(b->r);
	}
	atomic_put(&rd.stop, 1);
	pthread_join(thread, NULL);
	rte_rcu_qsbr_thread_unregister(b->rcu, 0);
	if (rd.odd > 0)
		fail_msg("%lu of %lu looks met a third next hop, first kind %u port %u", rd.odd,
			 rd.looked, rd.first_odd.kind, rd.first_odd.port);
	assert_true(rd.looked > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(readers_see_the_old_or_the_new, bed_setup,
						bed_teardown),
	};

	test_eal_init("test_route_readers", "0", "128");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

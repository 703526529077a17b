/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers on real lcores: start, stop, again and again; limits; what control sends through them.
 */
#include "stats/ledger.h"
#include "support/cmocka.h"
#include "support/eal.h"
#include "worker/worker.h"

#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <rte_rcu_qsbr.h>

#define POOL_SIZE 4095
#define STARTS    100

static struct rte_mempool *pool;
static struct rte_rcu_qsbr *rcu;
static struct own_table own;
static struct router_view view = { .own = &own };
static uint16_t port;
static struct workers *w;

static int
set_up(void **state)
{
	const struct worker_port p = { .id = port, .peer = port };
	const struct worker_plan plan = {
		.lcore = 1,
		.nb_rxq = 1,
		.rxq = { { port, 0, 1 } },
	};
	const struct workers_config cfg = {
		.plan = &plan,
		.nb_workers = 1,
		.port = &p,
		.nb_ports = 1,
		.view = &view,
		.rcu = rcu,
		.mode = FORWARD_IO,
		.burst = 32,
		.prefetch = 4,
		.punt_ring = 64,
		.record_bursts = true,
	};
	struct err err;

	(void)state;
	if (workers_create(&w, &cfg, &err) != 0)
		fail_msg("%s", err.text);
	return 0;
}

static int
tear_down(void **state)
{
	struct ledger_row row;

	(void)state;
	workers_stop(w);
	ledger_row(&row, workers_stats(w, 0));
	assert_int_equal(row.unaccounted, 0);
	workers_destroy(w);
	w = NULL;
	return 0;
}

/* Wait for an event, with an end to it. */
static void
until_received(uint64_t n)
{
	for (unsigned int i = 0; workers_received(w) < n; i++) {
		if (i > 100000)
			fail_msg("only %lu received", workers_received(w));
		usleep(10);
	}
}

static void
starts_and_stops_many_times(void **state)
{
	struct err err;
	uint64_t before = 0;

	(void)state;
	for (unsigned int i = 0; i < STARTS; i++) {
		assert_false(workers_running(w));
		assert_int_equal(workers_start(w, 0, &err), 0);
		assert_int_equal(workers_start(w, 0, &err), -EBUSY);
		assert_non_null(strstr(err.text, "stop"));
		until_received(before + 64);
		workers_stop(w);
		before = workers_received(w);
		assert_int_equal(workers_received(w), before);
	}
}

static void
a_limit_is_overshot_by_less_than_a_burst(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(workers_start(w, 1000, &err), 0);
	until_received(1000);
	assert_true(workers_spent(w));
	workers_stop(w);
	assert_in_range(workers_received(w), 1000, 1031);
	assert_false(workers_spent(w));

	/* A second start has a budget of its own. */
	assert_int_equal(workers_start(w, 10, &err), 0);
	until_received(1010);
	workers_stop(w);
	assert_in_range(workers_received(w), 1010, 1063);
}

static void
control_frames_leave_while_nothing_is_polled(void **state)
{
	struct rte_ring *down = workers_rings(w)[0].down;
	struct ledger_row row;
	uint64_t received;
	struct err err;

	(void)state;
	assert_int_equal(workers_start(w, 0, &err), 0);
	until_received(1);
	workers_stop_polling(w);
	for (unsigned int i = 0; i < 40; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

		assert_non_null(m);
		m->port = port;
		m->data_len = 60;
		m->pkt_len = 60;
		while (rte_ring_enqueue(down, m) != 0)
			usleep(10);
	}
	for (unsigned int i = 0; !workers_drained(w); i++) {
		assert_true(i < 100000);
		usleep(10);
	}
	workers_stop(w);
	received = workers_received(w);
	ledger_row(&row, workers_stats(w, 0));
	assert_int_equal(row.taken_in, 40);
	assert_int_equal(row.sent, received + 40);
}

static void
the_burst_can_change_while_running(void **state)
{
	const struct stats_bursts *bursts = workers_bursts(w, 0);
	struct err err;

	(void)state;
	assert_int_equal(workers_set_burst(w, 0, &err), -EINVAL);
	assert_int_equal(workers_set_burst(w, 257, &err), -EINVAL);
	assert_non_null(strstr(err.text, "1..256"));
	assert_int_equal(workers_start(w, 0, &err), 0);
	until_received(320);
	assert_int_equal(workers_set_burst(w, 5, &err), 0);
	until_received(workers_received(w) + 3200);
	workers_stop(w);
	assert_true(bursts->rx[0][32] > 0);
	assert_true(bursts->rx[0][5] > 0);
	assert_true(bursts->tx[port][5] > 0);
}

static int hold; /* while set, the worker stays inside receive */

static uint16_t
hang(uint16_t p, uint16_t queue, struct rte_mbuf **pkt, uint16_t n, uint16_t max, void *arg)
{
	(void)p, (void)queue, (void)pkt, (void)max, (void)arg;
	while (atomic_acquire(&hold))
		usleep(100);
	return n;
}

/* The worker reports its turns, which it does not do after each. */
static void
until_turned(void)
{
	uint64_t turns = atomic_get(&workers_stats(w, 0)->turns);

	for (unsigned int i = 0; turns == atomic_get(&workers_stats(w, 0)->turns); i++) {
		assert_true(i < 100000);
		usleep(10);
	}
}

static void
a_silent_worker_is_named(void **state)
{
	const struct rte_eth_rxtx_callback *cb = rte_eth_add_rx_callback(port, 0, hang, NULL);
	const uint64_t late = UINT64_MAX / 2;
	struct err err;
	uint64_t turns;

	(void)state;
	assert_non_null(cb);
	assert_int_equal(workers_stuck(w, late), UINT16_MAX); /* not running: never */
	assert_int_equal(workers_start(w, 0, &err), 0);
	until_received(1);
	until_turned();
	assert_int_equal(workers_stuck(w, late), UINT16_MAX); /* turned since the start */

	atomic_release(&hold, 1);
	do {
		turns = atomic_get(&workers_stats(w, 0)->turns);
		usleep(20000);
	} while (turns != atomic_get(&workers_stats(w, 0)->turns));
	workers_stuck(w, late);
	assert_int_equal(workers_stuck(w, late + 500000), UINT16_MAX); /* half a second */
	assert_int_equal(workers_stuck(w, late + 1500000), 1);
	atomic_release(&hold, 0);
	until_turned();
	assert_int_equal(workers_stuck(w, late + 3000000), UINT16_MAX);
	workers_stop(w);
	rte_eth_remove_rx_callback(port, 0, cb);
}

static void
modes_have_names(void **state)
{
	uint8_t mode;
	struct err err;

	(void)state;
	assert_int_equal(forward_mode_parse("drop", &mode, &err), 0);
	assert_string_equal(forward_mode_name(mode), "drop");
	assert_int_equal(forward_mode_parse("ip6", &mode, &err), -EINVAL);
	assert_non_null(strstr(err.text, "rxonly"));
	assert_string_equal(forward_mode_name(77), "unknown");
}

/* net_null: frames without end, and a transmit that takes all. */
static void
open_port(void)
{
	struct rte_eth_conf conf = { 0 };

	assert_int_equal(rte_eal_hotplug_add("vdev", "net_null0", ""), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name("net_null0", &port), 0);
	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(port, 0, 512, 0, NULL, pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(port, 0, 512, 0, NULL), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(starts_and_stops_many_times, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_limit_is_overshot_by_less_than_a_burst, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(control_frames_leave_while_nothing_is_polled,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_burst_can_change_while_running, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_silent_worker_is_named, set_up, tear_down),
		cmocka_unit_test(modes_have_names),
	};
	int failed;

	(void)argc;
	test_eal_init(argv[0], "0,1", "256");
	pool = rte_pktmbuf_pool_create("worker", POOL_SIZE, 128, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	rcu = aligned_alloc(RTE_CACHE_LINE_SIZE,
			    RTE_CACHE_LINE_ROUNDUP(rte_rcu_qsbr_get_memsize(RTE_MAX_LCORE)));
	rte_rcu_qsbr_init(rcu, RTE_MAX_LCORE);
	open_port();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rte_eth_dev_stop(port);
	rte_eth_dev_close(port);
	if (rte_mempool_avail_count(pool) != POOL_SIZE) {
		fprintf(stderr, "the pool is not whole\n");
		failed++;
	}
	free(rcu);
	rte_eal_cleanup();
	return failed;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/atomics.h"
#include "base/log.h"
#include "drivers/nic_priv.h"
#include "support/cmocka.h"
#include "support/eal.h"

#include <stdio.h>
#include <string.h>

#include <rte_dev.h>
#include <rte_mbuf.h>

/* How a port fails, on a device that does not: what its driver would say is put into its state. */
#define SECOND_US 1000000ull
#define NAME      "net_null0"

static struct rte_mempool *pool;
static FILE *log_file;
static char *log_text;
static size_t log_size;

static const char *
logged(void)
{
	fflush(log_file);
	return log_text;
}

static unsigned int
times_logged(const char *text)
{
	unsigned int n = 0;

	for (const char *at = strstr(logged(), text); at != NULL; at = strstr(at + 1, text))
		n++;
	return n;
}

static uint16_t
open_port(void)
{
	struct nic_config cfg = {
		.nb_rxq = 2,
		.nb_txq = 1,
		.rxd = 256,
		.txd = 256,
		.rx_free = NIC_DEFAULT,
		.tx_free = NIC_DEFAULT,
		.tx_rs = NIC_DEFAULT,
		.mbuf_size = RTE_MBUF_DEFAULT_BUF_SIZE,
		.rx_pool = { pool, pool },
	};
	struct err err = { "" };
	uint16_t port = RTE_MAX_ETHPORTS;

	assert_int_equal(rte_eal_hotplug_add("vdev", NAME, "no-rx=1"), 0);
	if (nic_find(NAME, &port, &err) != 0 || nic_configure(port, &cfg, &err) != 0 ||
	    nic_start(port, &err) != 0)
		fail_msg("%s", err.text);
	return port;
}

static int
no_port(void **state)
{
	struct err err;
	uint16_t port;

	(void)state;
	if (nic_find(NAME, &port, &err) == 0)
		nic_close(port);
	rte_eal_hotplug_remove("vdev", NAME);
	rte_openlog_stream(NULL);
	fclose(log_file);
	free(log_text);
	return 0;
}

static int
fresh_log(void **state)
{
	(void)state;
	log_file = open_memstream(&log_text, &log_size);
	return log_file != NULL ? rte_openlog_stream(log_file) : -1;
}

static void
no_counter(const char *name, uint64_t value, const char *hint, void *arg)
{
	(void)name;
	(void)value;
	(void)hint;
	(void)arg;
	fail();
}

static void
send_one(uint16_t port)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	assert_non_null(m);
	assert_int_equal(rte_eth_tx_burst(port, 0, &m, 1), 1);
}

static void
a_device_that_says_it_is_gone_is_left_alone(void **state)
{
	uint16_t port = open_port();
	struct nic_state *st = nic_state(port);
	struct rte_eth_stats stats;
	struct nic_link link;

	(void)state;
	st->total.stats.opackets = 7;
	nic_poll_link(SECOND_US);
	assert_false(nic_removed(port));
	nic_link(port, &link);
	assert_true(link.up);

	atomic_release(&st->removal_event, 1u); /* what the event's callback does */
	atomic_release(&st->link_event, 1u);
	nic_poll_link(SECOND_US + 1);
	assert_true(nic_removed(port));
	assert_int_equal(times_logged("port 0 (net_null0): the device is gone (surprise removal). "
				      "Its counters stand still, what is routed there is dropped "
				      "as tx_full; restart sluice once it is back"),
			 1);
	assert_int_equal(times_logged("port 0 (net_null0): link down"), 1);
	nic_link(port, &link);
	assert_false(link.up);

	send_one(port); /* what the device says now is no matter */
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.opackets, 7);
	assert_int_equal(nic_xstats(port, no_counter, NULL), -ENODEV);
	assert_int_equal(nic_dead_queue(port), -1);
	nic_poll_link(9 * SECOND_US);
	assert_int_equal(times_logged("the device is gone"), 1);
	assert_false(nic_removed(RTE_MAX_ETHPORTS));

	nic_close(port);
	assert_false(nic_removed(port)); /* the next device there is another */
}

static unsigned int asked;
static bool answer;

static bool
is_gone(uint16_t port)
{
	(void)port;
	asked++;
	return answer;
}

static bool
counters_pass(uint16_t port, uint64_t before, uint64_t now, size_t which)
{
	union nic_counters a = { .each = { 0 } }, b = { .each = { 0 } };

	a.each[which] = before;
	b.each[which] = now;
	return nic_health_counters(port, &a, &b);
}

static void
counters_that_jump_are_asked_about(void **state)
{
	static const size_t watched[] = {
		offsetof(struct rte_eth_stats, ipackets) / sizeof(uint64_t),
		offsetof(struct rte_eth_stats, opackets) / sizeof(uint64_t),
		offsetof(struct rte_eth_stats, imissed) / sizeof(uint64_t),
		offsetof(struct rte_eth_stats, ierrors) / sizeof(uint64_t),
	};
	struct nic_profile profile = nic_profile_generic;
	uint16_t port = open_port();

	(void)state;
	assert_true(counters_pass(port, 0, UINT64_MAX, 0)); /* this family's PMDs tell themselves */
	nic_state(port)->profile = &profile;
	profile.gone = is_gone;
	answer = false;
	assert_true(counters_pass(port, 5, 5 + UINT32_MAX - 1ull, 0));
	assert_true(counters_pass(port, UINT64_MAX, 0, 0));
	assert_int_equal(asked, 0);
	for (size_t i = 0; i < RTE_DIM(watched); i++) {
		assert_true(counters_pass(port, 5, 5 + (uint64_t)UINT32_MAX, watched[i]));
		assert_int_equal(asked, i + 1);
	}
	assert_false(nic_removed(port));
	answer = true;
	assert_false(counters_pass(port, 5, 5 + (uint64_t)UINT32_MAX, watched[0]));
	assert_true(nic_removed(port));
	assert_int_equal(times_logged("the device is gone"), 1);
}

static void
a_counter_gains_and_starts_again(void **state)
{
	static const struct {
		uint64_t last, now, gain, next;
	} rows[] = {
		{ 0, 0, 0, 0 },
		{ 5, 9, 4, 9 },
		{ 9, 2, 2, 2 },          /* reset */
		{ 100000, 0, 0, 0 },     /* reset, and nothing yet */
		{ 100000, 7, 7, 7 },     /* */
		{ 5000, 4990, 0, 5000 }, /* a driver takes back ten */
		{ 5000, 5003, 3, 5003 }, /* the next three */
		{ 5000, 904, 904, 904 }, /* small, but most of it */
		{ 90000, 85903, 85903, 85903 },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		uint64_t last = rows[i].last;

		if (nic_stats_step(&last, rows[i].now) != rows[i].gain || last != rows[i].next)
			fail_msg("row %zu", i);
	}
}

struct look {
	uint64_t packets, errors;
	bool dead;
};

static void
look_at(const struct look *look, size_t n)
{
	struct nic_rxq_health q = { 0 };

	for (size_t i = 0; i < n; i++)
		if (nic_health_dead(&q, look[i].packets, look[i].errors) != look[i].dead)
			fail_msg("look %zu", i);
}
#define LOOKS(...)                                                                                 \
	look_at((const struct look[]){ __VA_ARGS__ },                                              \
		sizeof((const struct look[]){ __VA_ARGS__ }) / sizeof(struct look))

static void
a_queue_is_dead_that_failed_and_receives_nothing(void **state)
{
	(void)state;
	/* idle; busy; errors among packets */
	LOOKS({ 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 });
	LOOKS({ 1, 0, 0 }, { 2, 0, 0 }, { 2, 0, 0 }, { 2, 0, 0 });
	LOOKS({ 1, 1, 0 }, { 2, 2, 0 }, { 3, 3, 0 }, { 4, 3, 0 }, { 4, 3, 0 }, { 4, 3, 0 });
	/* the error was the last of that second; it goes on counting errors */
	LOOKS({ 9, 1, 0 }, { 9, 1, 0 }, { 9, 1, 1 }, { 9, 1, 1 });
	LOOKS({ 9, 0, 0 }, { 9, 5, 0 }, { 9, 50, 1 });
	/* it came back by itself */
	LOOKS({ 9, 0, 0 }, { 9, 5, 0 }, { 10, 5, 0 }, { 10, 5, 0 }, { 10, 5, 0 });
	/* and failed again */
	LOOKS({ 9, 0, 0 }, { 9, 5, 0 }, { 10, 5, 0 }, { 10, 6, 0 }, { 10, 6, 1 });
}

static void
only_a_driver_known_for_it_has_dead_queues(void **state)
{
	struct nic_profile profile = nic_profile_generic;
	uint16_t port = open_port();
	struct nic_state *st = nic_state(port);
	struct rte_eth_stats *now = &st->total.stats;
	struct err err;

	(void)state;
	profile.rx_fast = "unknown"; /* what this driver says of its receive function */
	st->profile = &profile;
	now->q_errors[1] = 3;
	for (int i = 0; i < 4; i++)
		assert_int_equal(nic_dead_queue(port), -1);
	profile.rx_may_die = true;
	nic_health_begin(port);
	now->q_errors[1]++;
	assert_int_equal(nic_dead_queue(port), -1);
	assert_int_equal(nic_dead_queue(port), 1);
	profile.rx_fast = "Vector"; /* another function reads it, and revives it itself */
	assert_int_equal(nic_dead_queue(port), -1);
	profile.rx_fast = "unknown";
	assert_int_equal(nic_dead_queue(port), 1);
	st->removed = true;
	assert_int_equal(nic_dead_queue(port), -1);
	st->removed = false;

	/* no buffers: not its fault */
	nic_health_begin(port);
	for (int i = 0; i < 4; i++) {
		now->q_errors[0]++;
		now->rx_nombuf++;
		assert_int_equal(nic_dead_queue(port), -1);
	}

	/* a start is a new life */
	now->q_errors[0]++;
	assert_int_equal(nic_dead_queue(port), -1);
	nic_stop(port);
	assert_int_equal(nic_dead_queue(port), -1);
	assert_int_equal(nic_start(port, &err), 0);
	assert_int_equal(nic_dead_queue(port), -1);
	assert_int_equal(nic_dead_queue(port), -1);
}

static void
a_revived_port_has_counted_on(void **state)
{
	uint16_t port = open_port();
	struct rte_eth_stats stats;
	struct err err = { "" };

	(void)state;
	for (unsigned int i = 1; i < 4; i++) {
		send_one(port);
		if (nic_revive(port, &err) != 0)
			fail_msg("%s", err.text);
		assert_true(nic_state(port)->started);
		assert_int_equal(nic_stats(port, &stats), 0);
		assert_int_equal(stats.opackets, i);
	}
	nic_state(port)->cfg.rx_pool[1] = NULL;
	assert_int_equal(nic_revive(port, &err), -EINVAL);
	assert_string_equal(err.text, "port 0 (net_null0): RX queue 1 has no buffer pool");
	assert_false(nic_state(port)->started);
}

static void
a_device_slow_to_answer_is_asked_rarely(void **state)
{
	uint64_t start_us = clock_us(), due_us;

	(void)state;
	due_us = nic_poll_due(500, 100, start_us);
	assert_true(due_us >= 600 && due_us < 600 + SECOND_US);
	due_us = nic_poll_due(500, 100, start_us - SECOND_US);
	assert_true(due_us >= 500 + 10 * SECOND_US && due_us < 500 + 11 * SECOND_US);
}

static void
what_was_read_last_costs_no_reading(void **state)
{
	uint16_t port = open_port();
	struct rte_eth_stats stats;

	(void)state;
	send_one(port);
	assert_int_equal(nic_stats_seen(port, &stats), 0);
	assert_int_equal(stats.opackets, 0);
	nic_poll_stats(SECOND_US);
	assert_int_equal(nic_stats_seen(port, &stats), 0);
	assert_int_equal(stats.opackets, 1);
	assert_int_equal(nic_stats_seen(RTE_MAX_ETHPORTS - 1, &stats), -ENODEV);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_device_that_says_it_is_gone_is_left_alone,
						fresh_log, no_port),
		cmocka_unit_test_setup_teardown(counters_that_jump_are_asked_about, fresh_log,
						no_port),
		cmocka_unit_test(a_counter_gains_and_starts_again),
		cmocka_unit_test(a_queue_is_dead_that_failed_and_receives_nothing),
		cmocka_unit_test_setup_teardown(only_a_driver_known_for_it_has_dead_queues,
						fresh_log, no_port),
		cmocka_unit_test_setup_teardown(a_revived_port_has_counted_on, fresh_log, no_port),
		cmocka_unit_test(a_device_slow_to_answer_is_asked_rarely),
		cmocka_unit_test_setup_teardown(what_was_read_last_costs_no_reading, fresh_log,
						no_port),
	};
	int ret;

	(void)argc;
	test_eal_init(argv[0], "0", "64");
	log_init();
	pool = rte_pktmbuf_pool_create("test", 1023, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
				       SOCKET_ID_ANY);
	if (pool == NULL)
		return 1;
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	rte_mempool_free(pool);
	rte_eal_cleanup();
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/softnic.h"
#include "support/cmocka.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

/*
 * The net_ixgbe of this DPDK on two software 82599s with a cable between them, in lock-step: what
 * the PMD and EAL have to find for link and queue interrupts, restarts, removal and return.
 */
#define QUEUES 2
#define FRAME  60
static struct rte_mempool *pool;

/* cmocka has its own handler while a test runs, but registers need theirs. */
static struct sigaction trap;

static void
begin(void **state)
{
	(void)state;
	assert_int_equal(sigaction(SIGSEGV, &trap, NULL), 0);
}

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void
start(uint16_t port, bool lsc, bool rxq)
{
	struct rte_eth_conf conf = { .intr_conf = { .lsc = lsc, .rxq = rxq } };

	conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP;
	assert_int_equal(rte_eth_dev_configure(port, QUEUES, QUEUES, &conf), 0);
	for (uint16_t q = 0; q < QUEUES; q++) {
		assert_int_equal(rte_eth_rx_queue_setup(port, q, 128, 0, NULL, pool), 0);
		assert_int_equal(rte_eth_tx_queue_setup(port, q, 128, 0, NULL), 0);
	}
	assert_int_equal(rte_eth_dev_start(port), 0);
	assert_int_equal(rte_eth_promiscuous_enable(port), 0);
}

/* UDP over IPv4: ports decide the queue. */
static void
put(uint16_t port, uint16_t udp_source)
{
	static const uint8_t head[] = {
		2,  0, 0, 0, 0, 1,  2,  0, 0, 0,  0, 2, 8, 0,  0x45, 0, 0,
		46, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0,    0, 2,
	};
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	uint8_t *data;

	assert_non_null(m);
	data = rte_pktmbuf_mtod(m, uint8_t *);
	m->data_len = FRAME;
	m->pkt_len = FRAME;
	memset(data, 0, FRAME);
	memcpy(data, head, sizeof(head));
	data[34] = (uint8_t)(udp_source >> 8);
	data[35] = (uint8_t)udp_source;
	assert_int_equal(rte_eth_tx_burst(port, 0, &m, 1), 1);
	assert_true(softnic_step(64) >= 0);
}

/* Frames that wait in a queue; the vector path gives none for less than four. */
static unsigned int
drain(uint16_t port, uint16_t queue)
{
	struct rte_mbuf *m[32];
	unsigned int sum = 0;
	uint16_t n;

	while ((n = rte_eth_rx_burst(port, queue, m, 32)) > 0) {
		rte_pktmbuf_free_bulk(m, n);
		sum += n;
	}
	return sum;
}

static unsigned int
drain_all(uint16_t port)
{
	unsigned int sum = 0;

	for (uint16_t q = 0; q < QUEUES; q++)
		sum += drain(port, q);
	return sum;
}

/* The queue whose interrupt comes within the time, or -1. */
static int
woken(int ms)
{
	struct rte_epoll_event event;

	if (rte_epoll_wait(RTE_EPOLL_PER_THREAD, &event, 1, ms) != 1)
		return -1;
	return (int)(uintptr_t)event.epdata.data;
}

static void
control_queues(uint16_t port, int op)
{
	for (uint16_t q = 0; q < QUEUES; q++)
		assert_int_equal(rte_eth_dev_rx_intr_ctl_q(port, q, RTE_EPOLL_PER_THREAD, op,
							   (void *)(uintptr_t)q),
				 0);
}

static void
a_queue_wakes_who_waits_for_it(void **state)
{
	unsigned int hits[QUEUES] = { 0 };

	begin(state);
	start(0, true, true);
	start(1, false, false);
	for (int round = 0; round < 2; round++) { /* the second after a restart */
		control_queues(0, RTE_INTR_EVENT_ADD);
		assert_int_equal(woken(0), -1);
		for (uint16_t source = 0; source < 16; source++) {
			int queue;

			for (uint16_t q = 0; q < QUEUES; q++)
				assert_int_equal(rte_eth_dev_rx_intr_enable(0, q), 0);
			assert_int_equal(woken(0), -1);
			put(1, source);
			queue = woken(1000);
			assert_in_range(queue, 0, QUEUES - 1);
			assert_int_equal(drain(0, (uint16_t)queue), 1);
			hits[queue]++;
			/* No more of them until it is asked for. */
			put(1, source);
			assert_int_equal(woken(0), -1);
			assert_int_equal(drain(0, (uint16_t)queue), 1);
			/* What came meanwhile is told at once. */
			assert_int_equal(rte_eth_dev_rx_intr_enable(0, (uint16_t)queue), 0);
			assert_int_equal(woken(1000), queue);
		}
		assert_true(hits[0] > 0 && hits[1] > 0);
		control_queues(0, RTE_INTR_EVENT_DEL);
		assert_int_equal(rte_eth_dev_stop(0), 0);
		assert_int_equal(rte_eth_dev_start(0), 0);
	}
	rte_eth_dev_stop(0);
	rte_eth_dev_stop(1);
}

static unsigned int changes;

static int
on_link(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret)
{
	(void)port;
	(void)type;
	(void)arg;
	(void)ret;
	__atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
	return 0;
}

static void
wait_for_link(int status, unsigned int events)
{
	uint64_t end = now_ms() + 8000; /* the PMD looks again 4 s after a link went down */
	struct rte_eth_link link;

	do {
		softnic_step(0);
		assert_int_equal(rte_eth_link_get_nowait(0, &link), 0);
		if (link.link_status == status &&
		    __atomic_load_n(&changes, __ATOMIC_RELAXED) == events)
			return;
		rte_delay_us_sleep(10000);
	} while (now_ms() < end);
	fail_msg("link %u after %u events, not %d after %u", link.link_status, changes, status,
		 events);
}

static void
a_link_change_is_told(void **state)
{
	begin(state);
	rte_eth_dev_callback_register(0, RTE_ETH_EVENT_INTR_LSC, on_link, NULL);
	start(0, true, false);
	wait_for_link(RTE_ETH_LINK_UP, 0);
	assert_int_equal(softnic_fault(0, SOFTNIC_LINK_DOWN, 1, NULL), 0);
	wait_for_link(RTE_ETH_LINK_DOWN, 1);
	assert_int_equal(softnic_fault(0, SOFTNIC_LINK_DOWN, 0, NULL), 0);
	wait_for_link(RTE_ETH_LINK_UP, 2);
	rte_eth_dev_callback_unregister(0, RTE_ETH_EVENT_INTR_LSC, on_link, NULL);
	rte_eth_dev_stop(0);
}

static void
burst(void)
{
	for (uint16_t source = 0; source < 64; source++)
		put(1, source);
}

static void
queues_and_ports_restart(void **state)
{
	struct rte_eth_stats stats;

	begin(state);
	start(0, false, false);
	start(1, false, false);
	rte_eth_stats_reset(0);
	burst();
	assert_int_equal(drain_all(0), 64);
	for (int i = 0; i < 3; i++) {
		burst(); /* these are lost with the queue */
		for (uint16_t q = 0; q < QUEUES; q++) {
			assert_int_equal(rte_eth_dev_rx_queue_stop(0, q), 0);
			softnic_step(0);
			assert_int_equal(rte_eth_dev_rx_queue_start(0, q), 0);
		}
		assert_int_equal(rte_eth_dev_tx_queue_stop(1, 0), 0);
		assert_int_equal(rte_eth_dev_tx_queue_start(1, 0), 0);
		burst();
		assert_int_equal(drain_all(0), 64);
		rte_eth_stats_get(0, &stats);
		assert_int_equal(stats.ipackets, 64 * (3 * (uint64_t)i + 3) - 64 * (uint64_t)i);
		rte_eth_dev_stop(0);
		rte_eth_dev_stop(1);
		rte_eth_dev_start(0);
		rte_eth_dev_start(1);
		assert_int_equal(drain_all(0), 0);
	}
	rte_eth_dev_stop(0);
	rte_eth_dev_stop(1);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

static unsigned int
open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

/* Other threads have a file open for moments. */
static void
assert_open_files(unsigned int want)
{
	for (int i = 0; i < 100 && open_files() != want; i++)
		usleep(10000);
	assert_int_equal(open_files(), want);
}

/* Detached by the program, found again by the bus. */
static void
a_port_comes_back(void **state)
{
	struct rte_eth_dev_info info;
	unsigned int files = 0;
	uint16_t port;

	begin(state);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rte_eth_dev_get_port_by_name(softnic_bdf(0), &port), 0);
		assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
		assert_true(rte_eth_dev_close(port) >= 0);
		assert_int_equal(rte_dev_remove(info.device), 0);
		assert_int_not_equal(rte_eth_dev_get_port_by_name(softnic_bdf(0), &port), 0);
		assert_int_equal(rte_dev_probe(softnic_bdf(0)), 0);
		if (i > 0)
			assert_open_files(files);
		files = open_files();
		start(0, true, true);
		rte_eth_dev_stop(0);
	}
	assert_int_equal(rte_eth_dev_get_port_by_name(softnic_bdf(0), &port), 0);
	assert_int_equal(port, 0);
	start(0, false, false);
	start(1, false, false);
	burst();
	assert_int_equal(drain_all(0), 64);
	rte_eth_dev_stop(0);
	rte_eth_dev_stop(1);
}

static void
a_port_that_was_pulled_out_is_gone(void **state)
{
	struct rte_eth_link link;
	struct rte_mbuf *m;

	begin(state);
	start(0, false, false);
	assert_int_equal(rte_eth_dev_is_removed(0), 0);
	assert_int_equal(softnic_fault(0, SOFTNIC_REMOVE, 1, NULL), 0);
	assert_int_equal(rte_eth_rx_burst(0, 0, &m, 1), 0);
	rte_eth_link_get_nowait(0, &link);
	rte_eth_dev_stop(0);
	assert_int_equal(softnic_fault(0, SOFTNIC_REMOVE, 0, NULL), 0);
	rte_eth_dev_close(0);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

static int
eal(const char *plugin)
{
	const char *args[] = { "test_pmd_82599",
			       "-d",
			       plugin,
			       "--no-huge",
			       "--no-shconf",
			       "-m",
			       "64",
			       "-l",
			       "0",
			       "--no-telemetry",
			       "--log-level=lib.eal:error" };
	char *argv[sizeof(args) / sizeof(args[0])];

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		argv[i] = (char *)(uintptr_t)args[i];
	/* One port in each of the two ways to see the rings' registers. */
	setenv("SLUICE_NICS", "run,step ; 82599,trap=all pair,with=1 ; 82599 pair,with=0", 1);
	if (rte_eal_init((int)(sizeof(args) / sizeof(args[0])), argv) < 0)
		return -1;
	sigaction(SIGSEGV, NULL, &trap);
	pool = rte_pktmbuf_pool_create("frames", 2047, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	return pool != NULL && rte_eth_dev_count_avail() == 2 ? 0 : -1;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_and_ports_restart),
		cmocka_unit_test(a_queue_wakes_who_waits_for_it),
		cmocka_unit_test(a_port_comes_back),
		cmocka_unit_test(a_link_change_is_told),
		cmocka_unit_test(a_port_that_was_pulled_out_is_gone),
	};
	int ret;

	if (argc != 2 || eal(argv[1]) != 0) {
		fprintf(stderr, "no software NICs: %s PLUGIN\n", argv[0]);
		return 2;
	}
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	sigaction(SIGSEGV, &trap, NULL);
	rte_eal_cleanup();
	return ret;
}

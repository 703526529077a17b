/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/plan.h"
#include "support/cmocka.h"

/*
 * A machine of two nodes: lcore 0 controls, 1 to 4 are on node 0, 5 to 8 on node 1; up to four
 * ports.  Each row changes what it is about.
 */
#define NODES 2

static struct nic_caps nics[4];
static struct plan_lcore lcores[8];
static struct app_args args;
static struct plan_input in;
static struct plan plan;
static struct err err;

static int
distance(int from, int to)
{
	return from == to ? 10 : 21;
}

static int
find(const char *text, uint16_t *port, struct err *e)
{
	for (uint16_t i = 0; i < in.nb_ports; i++) {
		if (strcmp(text, nics[i].name) == 0 ||
		    (text[0] == (char)('0' + i) && text[1] == '\0')) {
			*port = nics[i].port;
			return 0;
		}
	}
	return err_set(e, -ENODEV, "there is no port '%s'", text);
}

static void
machine(uint16_t nb_ports, uint16_t nb_lcores)
{
	char *argv[] = { (char *)(uintptr_t) "sluice" };

	assert_int_equal(args_parse(1, argv, &args, &err), 0);
	memset(nics, 0, sizeof(nics));
	for (uint16_t i = 0; i < RTE_DIM(nics); i++) {
		struct nic_caps *n = &nics[i];

		*n = (struct nic_caps){
			.port = i,
			.family = "ixgbe",
			.driver = "net_ixgbe",
			.socket = 0,
			.mtu = 1500,
			.max_rxq = 16,
			.max_txq = 16,
			.min_rxd = 32,
			.max_rxd = 4096,
			.align_rxd = 8,
			.min_txd = 32,
			.max_txd = 4096,
			.align_txd = 8,
			.rxd = 1024,
			.txd = 512,
			.burst = 32,
			.mbcache = 256,
			.rx_quantum = 4,
			.fast_free = true,
			.rss = true,
		};
		snprintf(n->name, sizeof(n->name), "0000:0%u:00.0", i + 1);
	}
	for (uint16_t i = 0; i < RTE_DIM(lcores); i++)
		lcores[i] = (struct plan_lcore){ .id = i + 1, .socket = i < 4 ? 0 : 1 };
	in = (struct plan_input){
		.args = &args,
		.nic = nics,
		.nb_ports = nb_ports,
		.lcore = lcores,
		.nb_lcores = nb_lcores,
		.main = { .id = 0, .socket = 0 },
		.find = find,
		.distance = distance,
	};
}

static void
config(const char *text)
{
	assert_int_equal(cfg_poll_parse(text, args.poll, CFG_POLL_MAX, &args.nb_poll, &err), 0);
}

static void
must_make(void)
{
	if (plan_make(&plan, &in, &err) != 0)
		fail_msg("refused: %s", err.text);
}

static void
must_refuse(const char *what, const char *text)
{
	if (plan_make(&plan, &in, &err) == 0)
		fail_msg("%s: taken", what);
	if (strstr(err.text, text) == NULL)
		fail_msg("%s: '%s' does not say '%s'", what, err.text, text);
}

static unsigned int
notes_saying(const char *text)
{
	unsigned int n = 0;

	for (uint16_t i = 0; i < plan.nb_notes; i++)
		n += strstr(plan.note[i].text, text) != NULL;
	return n;
}

static void
bad_configs_are_named(void **state)
{
	static const struct {
		const char *config, *text;
	} bad[] = {
		{ "(0,0,0)", "lcore 0 is the main lcore" },
		{ "(0,0,1),(1,0,77)", "(1,0,77): lcore 77 is not one of EAL's" },
		{ "(7,0,1)", "no port '7'" },
		{ "(eth0,0,1)", "no port 'eth0'" },
		{ "(0,0,1),(0000:01:00.0,0,2)",
		  "queue 0 of port 0 (0000:01:00.0) is polled already" },
		{ "(0,0,1),(0,1,1),(0,2,1),(0,3,1),(0,4,1),(0,5,1),(0,6,1),(0,7,1),(0,8,1),"
		  "(0,9,1),(0,10,1),(0,11,1),(0,12,1),(0,13,1),(0,14,1),(0,15,1),(0,16,1)",
		  "has 16 receive queues; write queue 0..15" },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		machine(2, 8);
		config(bad[i].config);
		must_refuse(bad[i].config, bad[i].text);
	}
}

static void
options_must_fit_the_machine(void **state)
{
	static const struct {
		const char *what;
		size_t option;
		uint64_t value;
		const char *config, *text;
	} bad[] = {
#define OPTION(name) "--" #name, offsetof(struct app_args, name)
		{ OPTION(rxd), 8192, NULL, "--rxd 8192: port 0 (0000:01:00.0) takes 32..4096" },
		{ OPTION(rxd), 31, NULL, "takes 32..4096" },
		{ OPTION(rxd), 100, NULL, "in steps of 8" },
		{ OPTION(txd), 4104, NULL, "--txd 4104: port 0" },
		{ OPTION(rxq), 17, NULL, "--rxq 17: port 0 (0000:01:00.0) has 16" },
		{ OPTION(txq), 17, NULL, "has 16 transmit queues" },
		{ OPTION(txq), 1, NULL, "--txq 1: 4 lcores forward" },
		{ OPTION(nb_cores), 9, NULL, "--nb-cores 9: EAL has 8" },
		{ OPTION(nb_cores), 2, "(0,0,1)", "--nb-cores 2, but --config names 1" },
		{ OPTION(rxq), 1, "(0,0,1),(0,1,2)", "--rxq allows 1" },
		{ OPTION(rxq), 2, "(0,0,1)", "nobody polls queue 1" },
		{ OPTION(total_num_mbufs), 100, NULL, "--total-num-mbufs 100: node 0 needs" },
#undef OPTION
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		machine(2, 8);
		if (bad[i].config != NULL)
			config(bad[i].config);
		*(uint64_t *)(void *)((char *)&args + bad[i].option) = bad[i].value;
		must_refuse(bad[i].what, bad[i].text);
	}
}

static void
a_machine_may_not_do(void **state)
{
	(void)state;
	machine(0, 8);
	must_refuse("no port", "no port: bind a NIC");
	machine(2, 0);
	must_refuse("no worker", "no lcore forwards");
	machine(2, 8);
	nics[1].max_txq = 1;
	config("(0,0,1),(1,0,2)");
	must_refuse("few transmit queues", "port 1 (0000:02:00.0) has 1 transmit queues");
	machine(2, 8);
	nics[1].max_txq = 1;
	args.nb_cores = 2;
	must_refuse("few transmit queues", "port 1 (0000:02:00.0) has 1 transmit queues");
}

static void
config_says_who_polls(void **state)
{
	(void)state;
	machine(3, 8);
	config("(1,0,3),(0000:01:00.0,0,2),(1,1,2)");
	must_make();
	assert_int_equal(plan.nb_workers, 2);
	assert_int_equal(plan.worker[0].lcore, 2);
	assert_int_equal(plan.worker[0].nb_rxq, 2);
	assert_int_equal(plan.worker[0].rxq[0].port, 0);
	assert_int_equal(plan.worker[0].rxq[1].port, 1);
	assert_int_equal(plan.worker[0].rxq[1].queue, 1);
	assert_int_equal(plan.worker[0].rxq[1].quantum, 4);
	assert_int_equal(plan.worker[1].lcore, 3);
	assert_int_equal(plan.worker[1].nb_rxq, 1);
	assert_int_equal(plan.port[1].cfg.nb_rxq, 2);
	for (uint16_t i = 0; i < 3; i++) {
		assert_int_equal(plan.port[i].cfg.nb_txq, 2);
		assert_int_equal(plan.worker[0].txq[i], 0);
		assert_int_equal(plan.worker[1].txq[i], 1);
	}
	assert_false(plan.port[2].polled);
	assert_int_equal(plan.port[2].cfg.nb_rxq, 1);
	assert_int_equal(notes_saying("port 2 (0000:03:00.0) is not in --config"), 1);
	assert_int_equal(notes_saying("is in -l but not in --config"), 6);
}

static void
without_config_queues_stay_on_their_node(void **state)
{
	(void)state;
	machine(2, 8);
	nics[1].socket = 1;
	must_make();
	assert_int_equal(plan.nb_workers, 8);
	for (uint16_t w = 0; w < 8; w++) {
		assert_int_equal(plan.worker[w].nb_rxq, 1);
		assert_int_equal(plan.worker[w].rxq[0].port, w < 4 ? 0 : 1);
		assert_int_equal(plan.worker[w].rxq[0].queue, w % 4);
	}
	assert_int_equal(plan.nb_pools, 2);
	assert_int_equal(plan.port[0].pool_of[0], 0);
	assert_int_equal(plan.port[1].pool_of[0], 1);
	assert_int_equal(plan.pool[0].need.rx_rings, 4 * 1024);
	assert_int_equal(plan.pool[1].need.rx_rings, 4 * 1024);
	assert_int_equal(plan.pool[1].need.tx_rings, 2 * 8 * 512);
	assert_int_equal(plan.port[1].cfg.rx_socket[0], 1);
	assert_int_equal(notes_saying("interconnect"), 0);
}

static void
without_config_load_is_even(void **state)
{
	(void)state;
	machine(4, 2);
	must_make();
	assert_int_equal(plan.nb_workers, 2);
	assert_int_equal(plan.worker[0].nb_rxq, 4);
	assert_int_equal(plan.worker[1].nb_rxq, 4);

	machine(2, 4);
	args.rxq = 3;
	must_make();
	assert_int_equal(plan.nb_workers, 4);
	assert_int_equal(plan.worker[0].nb_rxq, 2);
	assert_int_equal(plan.worker[1].nb_rxq, 2);
	assert_int_equal(plan.worker[2].nb_rxq, 1);
	assert_int_equal(plan.worker[3].nb_rxq, 1);

	machine(2, 8);
	nics[0].rss = nics[1].rss = false;
	must_make();
	assert_int_equal(plan.nb_workers, 2);
	assert_int_equal(notes_saying("has no queue to poll"), 6);
	assert_int_equal(plan.worker[1].rxq[0].port, 1);
	assert_int_equal(plan.port[1].worker_of[0], 1);
}

static void
nb_cores_takes_the_closest(void **state)
{
	(void)state;
	machine(2, 8);
	nics[0].socket = nics[1].socket = 1;
	args.nb_cores = 2;
	must_make();
	assert_int_equal(plan.nb_workers, 2);
	assert_int_equal(plan.worker[0].lcore, 5);
	assert_int_equal(plan.worker[1].lcore, 6);
	assert_int_equal(plan.nb_pools, 1);
	assert_int_equal(plan.pool[0].socket, 1);
}

static void
idle_ones_leave_no_gap_in_transmit_queues(void **state)
{
	(void)state;
	machine(1, 8);
	nics[0].socket = 1;
	nics[0].rss = false;
	must_make();
	assert_int_equal(plan.nb_workers, 1);
	assert_int_equal(plan.worker[0].lcore, 5);
	assert_int_equal(plan.worker[0].txq[0], 0);
	assert_int_equal(plan.port[0].worker_of[0], 0);
	assert_int_equal(plan.port[0].cfg.nb_txq, 1);
}

static void
transmit_queues_limit_the_plan_aloud(void **state)
{
	(void)state;
	machine(2, 4);
	nics[1].max_txq = 1;
	must_make();
	assert_int_equal(plan.nb_workers, 1);
	assert_int_equal(notes_saying("port 1 (0000:02:00.0) has 1 transmit queues"), 1);
	assert_true(plan.note[0].warning);
}

static void
wrong_nodes_are_warned_of_once(void **state)
{
	(void)state;
	machine(2, 8);
	nics[1].socket = 1;
	config("(0,0,1),(1,0,1),(1,1,1)");
	must_make();
	assert_int_equal(notes_saying("port 1 (0000:02:00.0) is on NUMA node 1 and lcore 1"), 1);
	assert_int_equal(notes_saying("interconnect"), 1);

	machine(1, 8);
	nics[0].socket = SOCKET_ID_ANY;
	config("(0,0,8)");
	must_make();
	assert_int_equal(notes_saying("interconnect"), 0);
	assert_int_equal(plan.port[0].cfg.rx_socket[0], 1);
}

static void
pools_hold_every_ring(void **state)
{
	const struct pool_need *need = &plan.pool[0].need;

	(void)state;
	machine(2, 4);
	config("(0,0,1),(1,0,2)");
	must_make();
	assert_int_equal(plan.nb_pools, 1);
	assert_int_equal(need->rx_rings, 2 * 1024);
	assert_int_equal(need->tx_rings, 2 * 2 * 512);
	assert_int_equal(need->lcores, 3 * (256 + 128 + 2 * 256));
	assert_int_equal(need->punt, 2 * 2 * PLAN_PUNT_RING);
	assert_int_equal(need->hold, PLAN_HOLD_TOTAL);
	assert_int_equal(plan.pool[0].nb_mbufs % 1024, 0);
	assert_true(plan.pool[0].nb_mbufs >= pool_need_total(need));
	assert_true(plan.pool[0].nb_mbufs < pool_need_total(need) + 1024);

	args.total_num_mbufs = pool_need_total(need);
	args.mbcache = 256;
	must_make();
	assert_int_equal(plan.pool[0].nb_mbufs, args.total_num_mbufs);
	args.total_num_mbufs--;
	must_refuse("one too few", "needs 9856");
}

static void
fast_free_only_where_its_contract_holds(void **state)
{
	(void)state;
	machine(2, 4);
	must_make();
	assert_true(plan.port[0].cfg.fast_free);

	machine(2, 4);
	nics[0].fast_free = false;
	must_make();
	assert_false(plan.port[0].cfg.fast_free);
	assert_true(plan.port[1].cfg.fast_free);

	machine(2, 8);
	nics[1].socket = 1;
	must_make();
	assert_false(plan.port[0].cfg.fast_free);

	/* Chains that come in on port 0 leave on port 1. */
	machine(2, 4);
	nics[0].mtu = 9000;
	must_make();
	assert_false(plan.port[1].cfg.fast_free);

	machine(2, 4);
	nics[0].mtu = 9000;
	args.mbuf_size = 9216;
	must_make();
	assert_true(plan.port[1].cfg.fast_free);
}

static void
ports_pair_as_in_testpmd(void **state)
{
	static const uint16_t want[] = { 1, 0, 2 };

	(void)state;
	machine(3, 4);
	must_make();
	for (uint16_t i = 0; i < 3; i++)
		assert_int_equal(plan.port[i].peer, want[i]);
	machine(1, 4);
	must_make();
	assert_int_equal(plan.port[0].peer, 0);
}

static void
numbers_are_the_users_or_the_familys(void **state)
{
	(void)state;
	machine(2, 4);
	nics[1].burst = 64;
	must_make();
	assert_int_equal(plan.burst, 64);
	assert_int_equal(plan.prefetch, PLAN_PREFETCH);
	assert_int_equal(plan.port[0].cfg.rxd, 1024);
	assert_int_equal(plan.port[0].cfg.tx_rs, NIC_DEFAULT);
	assert_int_equal(plan.port[0].cfg.mbuf_size, 2176);

	args.burst = 1;
	args.prefetch = 0;
	args.mbcache = 0;
	args.txrst = 0;
	args.rxd = 64;
	args.promiscuous = true;
	must_make();
	assert_int_equal(plan.burst, 1);
	assert_int_equal(plan.prefetch, 0);
	assert_int_equal(plan.pool[0].cache, 0);
	assert_int_equal(plan.port[1].cfg.tx_rs, 0);
	assert_int_equal(plan.port[1].cfg.rxd, 64);
	assert_true(plan.port[1].cfg.promisc);
}

static void
paired_devices_get_as_many_queues_both_ways(void **state)
{
	(void)state;
	machine(2, 4);
	nics[0].paired = nics[1].paired = true;
	config("(0,0,1),(1,0,2)");
	must_make();
	assert_int_equal(plan.port[0].cfg.nb_rxq, 2);
	assert_int_equal(plan.worker[0].nb_rxq, 2);
	assert_int_equal(plan.worker[0].rxq[1].port, 0);
	assert_int_equal(plan.worker[1].rxq[1].port, 1);
	assert_int_equal(plan.worker[1].rxq[1].queue, 1);
	assert_int_equal(notes_saying("has as many receive as transmit queues"), 2);
}

static void
a_paired_device_that_only_transmits_has_its_queues(void **state)
{
	(void)state;
	machine(2, 4);
	nics[1].paired = true;
	config("(0,0,1),(0,1,2)");
	must_make();
	assert_false(plan.port[1].polled);
	assert_int_equal(plan.port[1].cfg.nb_rxq, 2);
	assert_int_equal(plan.worker[0].nb_rxq, 1);
}

static void
the_print_shows_all_of_it(void **state)
{
	static const char *const want[] = {
		"Polling: 2 lcores forward, lcore 0 controls",
		"  port queue lcore node  device\n     0     0     1    0  0000:01:00.0\n",
		"pool of node 0: ",
		"need 9856 = receive rings 2048 + transmit rings 2048 + lcores 2688",
		"FIB: 65536 routes, 48.0 MiB",
		"driver net_ixgbe, family ixgbe",
		"rxq 1 x 1024 descriptors, txq 2 x 512 descriptors",
		"Drivers: burst 32, prefetch 4",
		"port 1 MAC 00:00:00:00:00:00, promisc on, rx_mode Vector SSE, tx_mode Scalar",
		"slower than it could be: txrst is 16",
		"Notice: lcore 3 is in -l but not in --config",
	};
	const bool promisc[2] = { false, true };
	static struct nic_modes modes[2] = {
		{ .rx = "Vector SSE", .tx = "Vector SSE" },
		{ .rx = "Vector SSE", .tx = "Scalar", .why = "txrst is 16" },
	};
	const struct plan_more more = {
		.modes = modes,
		.promisc = promisc,
		.fib_bytes = 48u << 20,
		.max_routes = 65536,
	};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	machine(2, 4);
	config("(0,0,1),(1,0,2)");
	must_make();
	plan_print(&plan, &more, out);
	fclose(out);
	for (size_t i = 0; i < RTE_DIM(want); i++)
		if (strstr(text, want[i]) == NULL)
			fail_msg("'%s' is not in:\n%s", want[i], text);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_configs_are_named),
		cmocka_unit_test(options_must_fit_the_machine),
		cmocka_unit_test(a_machine_may_not_do),
		cmocka_unit_test(config_says_who_polls),
		cmocka_unit_test(without_config_queues_stay_on_their_node),
		cmocka_unit_test(without_config_load_is_even),
		cmocka_unit_test(nb_cores_takes_the_closest),
		cmocka_unit_test(idle_ones_leave_no_gap_in_transmit_queues),
		cmocka_unit_test(transmit_queues_limit_the_plan_aloud),
		cmocka_unit_test(wrong_nodes_are_warned_of_once),
		cmocka_unit_test(pools_hold_every_ring),
		cmocka_unit_test(fast_free_only_where_its_contract_holds),
		cmocka_unit_test(ports_pair_as_in_testpmd),
		cmocka_unit_test(numbers_are_the_users_or_the_familys),
		cmocka_unit_test(paired_devices_get_as_many_queues_both_ways),
		cmocka_unit_test(a_paired_device_that_only_transmits_has_its_queues),
		cmocka_unit_test(the_print_shows_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

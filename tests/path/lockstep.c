/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shortest program that runs software NICs in lock-step, see docs/software-nics.md:
 *
 *   gen --- cable --- NIC 0 | net_ixgbe | main() | net_ixgbe | NIC 1 --- cable --- sink
 *
 *   lockstep libsluice_82599.so
 */
#include "drivers/wire/softnic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_ethdev.h>

static bool
start(uint16_t port, struct rte_mempool *pool)
{
	const struct rte_eth_conf conf = { 0 };

	return rte_eth_dev_configure(port, 1, 1, &conf) == 0 &&
	       rte_eth_rx_queue_setup(port, 0, 512, 0, NULL, pool) == 0 &&
	       rte_eth_tx_queue_setup(port, 0, 512, 0, NULL) == 0 && rte_eth_dev_start(port) == 0;
}

int
main(int argc, char **argv)
{
	static char words[][16] = { "lockstep", "--no-huge", "--no-shconf", "--no-telemetry",
				    "-m",       "64",        "-l",          "0",
				    "-d" };
	char *eal[RTE_DIM(words) + 1];
	static char report[65536];
	struct rte_mempool *pool;
	struct rte_mbuf *pkt[32];

	if (argc != 2) {
		fprintf(stderr, "usage: lockstep libsluice_82599.so\n");
		return 2;
	}
	setenv("SLUICE_NICS", "run,step ; 82599 gen,count=10000 ; 82599 sink,hops=0", 1);
	for (size_t i = 0; i < RTE_DIM(words); i++)
		eal[i] = words[i];
	eal[RTE_DIM(words)] = argv[1];
	if (rte_eal_init(RTE_DIM(eal), eal) < 0)
		return 1;
	pool = rte_pktmbuf_pool_create("pool", 4095, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (pool == NULL || !start(0, pool) || !start(1, pool))
		return 1;
	for (int turn = 0; turn < 1000; turn++) {
		uint16_t n;

		softnic_step(32);                    /* cards and cables */
		n = rte_eth_rx_burst(0, 0, pkt, 32); /* what is to be tested */
		if (rte_eth_tx_burst(1, 0, pkt, n) != n)
			return 1;
	}
	softnic_command("stats", report, sizeof(report));
	puts(report);
	return strstr(report, "sink frames 10000\n") == NULL ||
	       strstr(report, "sink bad_total 0\n") == NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PMD_RIG_H
#define TEST_PMD_RIG_H

#include "base/err.h"
#include "drivers/nic.h"
#include "route/route.h"
#include "stats/ledger.h"
#include "worker/core_create.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * sluice's datapath on two ports of software NICs, behind their production PMDs, in lock-step: one
 * thread runs the worker's turns and, between them, the models'.  Nothing spins, nothing races, a
 * run is the same every time.
 *
 *   port 0  10.0.0.1/24   port 1  10.0.1.1/24
 *   20.0.0.0/8 via 10.0.1.2, 30.0.0.0/8 via 10.0.0.2, 40.0.0.0/8 blackhole,
 *   198.18.0.0/15 via 10.0.1.2, default via 10.0.1.3
 *
 * It is the network of the golden captures (tests/path/mkgolden.py); the specification
 * SLUICE_NICS, with "run,step", gives the wires.
 */
struct pmd_config {
	const char *plugin;   /* path of the EAL plugin; NULL: real cards */
	const char *allow[2]; /* PCI addresses; NULL: what EAL finds */
	bool huge;            /* hugepages: real cards need them */
	/*
	 * The other use, by ./run hwcheck: a cable joins the two ports, the datapath has one of them
	 * and sends back out of it what comes for 198.18.0.0/15; the other is the caller's.
	 */
	bool hairpin;
	uint16_t dut;           /* with hairpin: the datapath's port, 0 or 1 */
	const char *simd;       /* --force-max-simd-bitwidth, or NULL */
	const char *devargs;    /* of every port, as "mprq_en=1", or NULL */
	uint16_t queues;        /* RX queues a port */
	uint16_t mtu, rxd, txd; /* 0: the family's */
	int32_t rx_free, tx_rs; /* NIC_DEFAULT: the family's */
	uint16_t burst, prefetch;
	uint32_t mbuf_size; /* data room with headroom; 0: the default */
	uint8_t mode;       /* enum forward_mode */
	bool promisc;
};

struct pmd_rig {
	struct pmd_config cfg;
	struct nic_caps caps[2];
	struct rte_mempool *pool;
	struct rte_rcu_qsbr *rcu;
	struct router *router;
	struct core *core;
	struct core_make make;
	struct core_knobs knobs;
	struct workers_config workers;
	struct worker_plan plan;
	struct worker_port port[2];
};

/* EAL, two ports, started.  Prints and returns negative when something is refused. */
int pmd_open(struct pmd_rig *rig, const char *program);
/* Turns until neither side has moved a frame for so many in a row. */
uint64_t pmd_run(struct pmd_rig *rig, unsigned int idle_turns);
/* The ledger's row; ports stopped and closed; mbufs that are not back, 0 or a leak. */
uint32_t pmd_close(struct pmd_rig *rig, struct ledger_row *row);

#endif

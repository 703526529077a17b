/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_PLAN_H
#define APP_PLAN_H

#include "args.h"
#include "base/err.h"
#include "drivers/nic.h"
#include "pool/pool.h"
#include "worker/worker.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_ether.h>
#include <rte_mbuf.h>

/*
 * Configuration + what the NICs are + lcores -> who polls what, which transmit queue is whose, how
 * large the pools are.  Pure: everything comes in, nothing is looked up.
 */
#define PLAN_PREFETCH   4 /* packets, unless --prefetch says otherwise */
#define PLAN_MBUF_SIZE  (2048 + RTE_PKTMBUF_HEADROOM)
#define PLAN_PUNT_RING  512  /* slots of each ring between a worker and control */
#define PLAN_HOLD_TOTAL 1024 /* packets that may wait for ARP answers */
#define PLAN_NOTES_MAX  64

/* Beside an IPv4 packet in its mbuf: headroom, Ethernet header, a VLAN tag and the checksum. */
#define PLAN_MBUF_OVERHEAD                                                                         \
	(RTE_PKTMBUF_HEADROOM + RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN + RTE_ETHER_CRC_LEN)

struct plan_lcore {
	uint16_t id;
	int socket;
};

struct plan_input {
	const struct app_args *args;
	const struct nic_caps *nic; /* by rising port id; borrowed by the plan */
	uint16_t nb_ports;
	const struct plan_lcore *lcore; /* EAL's workers by rising id */
	uint16_t nb_lcores;
	struct plan_lcore main;
	int (*find)(const char *text, uint16_t *port, struct err *err);
	int (*distance)(int from, int to); /* between NUMA nodes, as libnuma: 10 is the same */
};

struct plan_port {
	const struct nic_caps *nic;
	uint16_t peer;         /* where io and mac send what comes in here */
	bool polled;           /* false: it only transmits */
	struct nic_config cfg; /* all but rx_pool[], which comes from pool_of[] */
	uint8_t pool_of[NIC_QUEUES_MAX];
	uint16_t worker_of[NIC_QUEUES_MAX]; /* by RX queue; index into worker[] */
};

struct plan_note {
	bool warning; /* else a notice */
	char text[224];
};

struct plan {
	uint16_t nb_workers, nb_ports, nb_pools, nb_notes;
	uint16_t main_lcore;
	uint16_t burst, prefetch;
	struct worker_plan worker[RTE_MAX_LCORE];
	struct plan_port port[RTE_MAX_ETHPORTS];
	struct pool_config pool[POOL_NODES_MAX];
	struct plan_note note[PLAN_NOTES_MAX];
};

/* 0, or -EINVAL/-ENODEV with the thing, the reason and the way out in err. */
int plan_make(struct plan *plan, const struct plan_input *in, struct err *err);

/* Second half of plan_make(), in plan_memory.c: rings, bursts, pools, FAST_FREE. */
int plan_memory(struct plan *plan, const struct plan_input *in, struct err *err);
void plan_note(struct plan *plan, bool warning, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What there is to say beside the plan itself; zeros and NULL where it is not known (yet). */
struct plan_more {
	const struct nic_modes *modes; /* by index of port */
	const bool *promisc;           /* likewise */
	uint64_t fib_bytes, adj_bytes;
	uint32_t max_routes;
};
void plan_print(const struct plan *plan, const struct plan_more *more, FILE *out);

#endif

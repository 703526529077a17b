/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "base/err.h"
#include "datapath/core.h"

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

/*
 * Creates and destroys cores, and runs them on their lcores.  One control thread.
 */
struct workers;

struct worker_rxq {
	uint16_t port, queue, quantum;
};

struct worker_plan {
	uint16_t lcore;
	int socket;
	uint16_t nb_rxq; /* may be 0: then it only transmits what control injects */
	struct worker_rxq rxq[STATS_STREAMS_MAX];
	uint16_t txq[RTE_MAX_ETHPORTS]; /* its own transmit queue on each port */
};

struct worker_port {
	uint16_t id;
	uint16_t peer; /* for io and mac */
	struct rte_ether_addr mac;
};

struct workers_config {
	const struct worker_plan *plan;
	uint16_t nb_workers; /* at least 1 */
	const struct worker_port *port;
	uint16_t nb_ports;
	const struct router_view *view; /* borrowed */
	struct rte_rcu_qsbr *rcu;       /* borrowed; sized for RTE_MAX_LCORE threads */
	uint8_t mode;                   /* enum forward_mode */
	uint16_t burst, prefetch;
	uint32_t punt_ring; /* slots of each up and down ring, power of two */
	bool record_bursts;
};

int workers_create(struct workers **out, const struct workers_config *cfg, struct err *err);
void workers_destroy(struct workers *w); /* stopped ones only; NULL is fine */

/* Launch every worker on its lcore.  limit: packets to receive in all, 0 is none.  -EBUSY: they
 * run already. */
int workers_start(struct workers *w, uint64_t limit, struct err *err);
/* Receive nothing more, but go on sending what control injects. */
void workers_stop_polling(struct workers *w);
/* Every down ring is empty. */
bool workers_drained(const struct workers *w);
/* End the loops and wait for them. */
void workers_stop(struct workers *w);
bool workers_running(const struct workers *w);
/* --stop-after's budget is used up. */
bool workers_spent(const struct workers *w);

int workers_set_burst(struct workers *w, uint16_t burst, struct err *err); /* 1..BUNDLE_MAX */
void workers_set_prefetch(struct workers *w, uint16_t prefetch);

uint16_t workers_count(const struct workers *w);
const struct worker_plan *workers_plan(const struct workers *w, uint16_t i);
const struct stats_core *workers_stats(const struct workers *w, uint16_t i);
const struct stats_bursts *workers_bursts(const struct workers *w, uint16_t i); /* or NULL */
const struct punt_rings *workers_rings(const struct workers *w); /* nb_workers of them */
uint8_t workers_mode(const struct workers *w);
const char *forward_mode_name(uint8_t mode);
int forward_mode_parse(const char *text, uint8_t *mode, struct err *err);

/* Packets received by all workers since they were created. */
uint64_t workers_received(const struct workers *w);

/* A worker that has not reported for a second while running; UINT16_MAX when all do. */
uint16_t workers_stuck(struct workers *w, uint64_t now_us);

#endif

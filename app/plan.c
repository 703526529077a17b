/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_poll.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

void
plan_note(struct plan *plan, bool warning, const char *fmt, ...)
{
	struct plan_note *note = &plan->note[plan->nb_notes];
	va_list ap;

	if (plan->nb_notes == PLAN_NOTES_MAX)
		return;
	note->warning = warning;
	va_start(ap, fmt);
	vsnprintf(note->text, sizeof(note->text), fmt, ap);
	va_end(ap);
	plan->nb_notes++;
}

int
plan_distance(const struct plan_input *in, int a, int b)
{
	return a < 0 || b < 0 || a == b ? 10 : in->distance(a, b);
}

void
plan_add_worker(struct plan *plan, const struct plan_lcore *lcore)
{
	struct worker_plan *w = &plan->worker[plan->nb_workers++];

	memset(w, 0, sizeof(*w));
	w->lcore = lcore->id;
	w->socket = lcore->socket;
}

/* Worker w polls that queue. */
int
plan_give_queue(struct plan *plan, struct plan_port *port, uint16_t queue, uint16_t w,
		struct err *err)
{
	struct worker_plan *worker = &plan->worker[w];
	struct worker_rxq *rxq = &worker->rxq[worker->nb_rxq];

	if (worker->nb_rxq == STATS_STREAMS_MAX)
		return err_set(err, -EINVAL,
			       "lcore %u would poll more than %u queues; give it fewer, or more "
			       "lcores",
			       worker->lcore, STATS_STREAMS_MAX);
	worker->nb_rxq++;
	rxq->port = port->nic->port;
	rxq->queue = queue;
	rxq->quantum = RTE_MAX(port->nic->rx_quantum, 1);
	port->worker_of[queue] = w;
	port->polled = true;
	port->cfg.nb_rxq = RTE_MAX(port->cfg.nb_rxq, queue + 1);
	return 0;
}

/* Each worker has a transmit queue of its own on every port: no locks, no sharing. */
static int
give_tx_queues(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct app_args *args = in->args;
	uint16_t want = (uint16_t)args_or(args->txq, plan->nb_workers);

	if (want < plan->nb_workers)
		return err_set(
			err, -EINVAL,
			"--txq %u: %u lcores forward, and each needs a transmit queue on every "
			"port; write --txq %u, or use fewer lcores",
			want, plan->nb_workers, plan->nb_workers);
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		const struct nic_caps *nic = plan->port[i].nic;

		if (want > plan_max_txq(nic))
			return err_set(
				err, -EINVAL,
				"port %u (%s) has %u transmit queues, fewer than %s (%u); use "
				"fewer",
				nic->port, nic->name, plan_max_txq(nic),
				args->txq != ARGS_UNSET ? "--txq" : "the lcores that forward",
				want);
		plan->port[i].cfg.nb_txq = want;
		for (uint16_t w = 0; w < plan->nb_workers; w++)
			plan->worker[w].txq[nic->port] = w;
	}
	return 0;
}

/*
 * Some devices have one descriptor for both directions of a queue, and spread what comes in over all
 * of them.  Whoever polls the port's queue 0 polls the extra ones as well.
 */
static int
even_out_pairs(struct plan *plan, struct err *err)
{
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		struct plan_port *port = &plan->port[i];
		uint16_t had = port->cfg.nb_rxq;

		if (!port->nic->paired || !port->polled)
			continue;
		port->cfg.nb_txq = RTE_MAX(port->cfg.nb_txq, had);
		while (port->cfg.nb_rxq < port->cfg.nb_txq) {
			int ret = plan_give_queue(plan, port, port->cfg.nb_rxq, port->worker_of[0],
						  err);

			if (ret < 0)
				return ret;
		}
		if (port->cfg.nb_rxq != had)
			plan_note(plan, false,
				  "port %u (%s) has as many receive as transmit queues: "
				  "lcore %u polls %u of them",
				  port->nic->port, port->nic->name,
				  plan->worker[port->worker_of[0]].lcore, port->cfg.nb_rxq);
	}
	return 0;
}

/* Queues that nobody polls take what arrives, and the NIC counts it as missed. */
static void
transmit_only(struct plan *plan)
{
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		struct plan_port *port = &plan->port[i];

		if (port->polled)
			continue;
		port->cfg.nb_rxq = port->nic->paired ? port->cfg.nb_txq : 1;
		memset(port->worker_of, 0, sizeof(port->worker_of));
		plan_note(plan, false,
			  "port %u (%s) is not in --config: it only transmits, and nothing is "
			  "received there",
			  port->nic->port, port->nic->name);
	}
}

/* As testpmd's paired topology: 0-1, 2-3, and an odd last one with itself. */
static void
pair_ports(struct plan *plan)
{
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		uint16_t peer = i ^ 1;

		plan->port[i].peer = plan->port[peer < plan->nb_ports ? peer : i].nic->port;
	}
}

static void
warn_of_nodes(struct plan *plan, const struct plan_input *in)
{
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		const struct nic_caps *nic = plan->port[i].nic;
		uint16_t last = PLAN_NOBODY;

		for (uint16_t q = 0; plan->port[i].polled && q < plan->port[i].cfg.nb_rxq; q++) {
			uint16_t w = plan->port[i].worker_of[q];

			if (w == last ||
			    plan_distance(in, nic->socket, plan->worker[w].socket) <= 10)
				continue;
			last = w;
			plan_note(
				plan, true,
				"port %u (%s) is on NUMA node %d and lcore %u, which polls it, on "
				"node %d: every packet crosses the interconnect; poll it from an "
				"lcore of node %d",
				nic->port, nic->name, nic->socket, plan->worker[w].lcore,
				plan->worker[w].socket, nic->socket);
		}
	}
}

int
plan_make(struct plan *plan, const struct plan_input *in, struct err *err)
{
	int ret;

	memset(plan, 0, sizeof(*plan));
	if (in->nb_ports == 0)
		return err_set(err, -ENODEV,
			       "no port: bind a NIC to a userspace driver (dpdk-devbind.py -s), "
			       "allow it with -a, or give --vdev");
	if (in->nb_lcores == 0)
		return err_set(err, -EINVAL,
			       "no lcore forwards: the main lcore %u only controls; give EAL "
			       "another, as in -l 0,1",
			       in->main.id);
	plan->main_lcore = in->main.id;
	plan->nb_ports = in->nb_ports;
	for (uint16_t i = 0; i < in->nb_ports; i++) {
		plan->port[i].nic = &in->nic[i];
		memset(plan->port[i].worker_of, 0xff, sizeof(plan->port[i].worker_of));
	}
	ret = in->args->nb_poll > 0 ? plan_poll_config(plan, in, err)
				    : plan_poll_auto(plan, in, err);
	if (ret == 0)
		ret = give_tx_queues(plan, in, err);
	if (ret == 0)
		ret = even_out_pairs(plan, err);
	if (ret < 0)
		return ret;
	transmit_only(plan);
	pair_ports(plan);
	warn_of_nodes(plan, in);
	return plan_memory(plan, in, err);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_poll.h"

#include <errno.h>
#include <stdbool.h>

/* How far an lcore is from the ports all together. */
static int
remoteness(const struct plan_input *in, const struct plan_lcore *lcore)
{
	int sum = 0;

	for (uint16_t i = 0; i < in->nb_ports; i++)
		sum += plan_distance(in, in->nic[i].socket, lcore->socket);
	return sum;
}

/* How many workers a plan without --config begins with. */
static int
count_workers(struct plan *plan, const struct plan_input *in, uint16_t *n, struct err *err)
{
	const struct app_args *args = in->args;

	*n = in->nb_lcores;
	if (args->nb_cores != ARGS_UNSET) {
		if (args->nb_cores > in->nb_lcores)
			return err_set(err, -EINVAL,
				       "--nb-cores %u: EAL has %u lcores beside the main one; add "
				       "to -l",
				       (unsigned int)args->nb_cores, in->nb_lcores);
		*n = (uint16_t)args->nb_cores;
		return 0;
	}
	if (args->txq != ARGS_UNSET)
		return 0;
	for (uint16_t i = 0; i < in->nb_ports; i++) {
		if (plan_max_txq(&in->nic[i]) >= *n || plan_max_txq(&in->nic[i]) == 0)
			continue;
		*n = plan_max_txq(&in->nic[i]);
		plan_note(plan, true,
			  "port %u (%s) has %u transmit queues, and each lcore needs one: %u of %u "
			  "lcores forward",
			  in->nic[i].port, in->nic[i].name, *n, *n, in->nb_lcores);
	}
	return 0;
}

/* The n lcores closest to the ports become workers, by rising id. */
static void
choose_workers(struct plan *plan, const struct plan_input *in, uint16_t n)
{
	bool chosen[RTE_MAX_LCORE] = { false };

	while (n-- > 0) {
		uint16_t best = PLAN_NOBODY;

		for (uint16_t l = 0; l < in->nb_lcores; l++)
			if (!chosen[l] &&
			    (best == PLAN_NOBODY ||
			     remoteness(in, &in->lcore[l]) < remoteness(in, &in->lcore[best])))
				best = l;
		chosen[best] = true;
	}
	for (uint16_t l = 0; l < in->nb_lcores; l++)
		if (chosen[l])
			plan_add_worker(plan, &in->lcore[l]);
}

/* The least loaded of the workers closest to a port; how many are that close in *near. */
static uint16_t
closest_worker(const struct plan *plan, const struct plan_input *in, int socket, uint16_t *near)
{
	uint16_t best = 0;
	int best_distance = plan_distance(in, socket, plan->worker[0].socket);

	*near = 0;
	for (uint16_t w = 0; w < plan->nb_workers; w++) {
		int d = plan_distance(in, socket, plan->worker[w].socket);

		if (d < best_distance)
			*near = 0;
		if (d <= best_distance)
			++*near;
		if (d < best_distance ||
		    (d == best_distance && plan->worker[w].nb_rxq < plan->worker[best].nb_rxq))
			best = w;
		best_distance = RTE_MIN(best_distance, d);
	}
	return best;
}

static int
queues_by_distance(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct app_args *args = in->args;

	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		struct plan_port *port = &plan->port[i];
		uint16_t limit = plan_max_rxq(port->nic);
		uint16_t near, n;

		if (args->rxq != ARGS_UNSET && args->rxq > limit)
			return err_set(err, -EINVAL,
				       "--rxq %u: port %u (%s) has %u receive queues at most",
				       (unsigned int)args->rxq, port->nic->port, port->nic->name,
				       limit);
		closest_worker(plan, in, port->nic->socket, &near);
		n = port->nic->rss ? RTE_MIN(near, limit) : RTE_MIN(1, limit);
		n = (uint16_t)args_or(args->rxq, n);
		for (uint16_t q = 0; q < n; q++) {
			uint16_t w = closest_worker(plan, in, port->nic->socket, &near);
			int ret = plan_give_queue(plan, port, q, w, err);

			if (ret < 0)
				return ret;
		}
	}
	return 0;
}

/* An lcore without a queue would only burn: leave it out, and close the gap in the numbers. */
static void
drop_idle_workers(struct plan *plan)
{
	uint16_t to[RTE_MAX_LCORE] = { 0 };
	uint16_t n = 0;

	for (uint16_t w = 0; w < plan->nb_workers; w++) {
		to[w] = n;
		if (plan->worker[w].nb_rxq == 0) {
			plan_note(plan, false, "lcore %u has no queue to poll: it stays idle",
				  plan->worker[w].lcore);
			continue;
		}
		if (n != w)
			plan->worker[n] = plan->worker[w];
		n++;
	}
	plan->nb_workers = n;
	for (uint16_t i = 0; i < plan->nb_ports; i++)
		for (uint16_t q = 0; q < plan->port[i].cfg.nb_rxq; q++)
			plan->port[i].worker_of[q] = to[plan->port[i].worker_of[q]];
}

int
plan_poll_auto(struct plan *plan, const struct plan_input *in, struct err *err)
{
	uint16_t n;
	int ret;

	ret = count_workers(plan, in, &n, err);
	if (ret < 0)
		return ret;
	choose_workers(plan, in, n);
	ret = queues_by_distance(plan, in, err);
	if (ret == 0)
		drop_idle_workers(plan);
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_poll.h"

#include <errno.h>

static struct plan_port *
port_by_id(struct plan *plan, uint16_t id)
{
	for (uint16_t i = 0; i < plan->nb_ports; i++)
		if (plan->port[i].nic->port == id)
			return &plan->port[i];
	return NULL;
}

static uint16_t
worker_by_lcore(const struct plan *plan, uint16_t lcore)
{
	for (uint16_t i = 0; i < plan->nb_workers; i++)
		if (plan->worker[i].lcore == lcore)
			return i;
	return PLAN_NOBODY;
}

static const struct plan_lcore *
lcore_by_id(const struct plan_input *in, uint16_t id)
{
	for (uint16_t i = 0; i < in->nb_lcores; i++)
		if (in->lcore[i].id == id)
			return &in->lcore[i];
	return NULL;
}

/* --config: the lcores it names, by rising id, so that --check reads the same for any order. */
static int
workers_from_config(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct app_args *args = in->args;

	for (unsigned int i = 0; i < args->nb_poll; i++) {
		const struct cfg_poll *p = &args->poll[i];

		if (p->lcore == in->main.id)
			return err_set(err, -EINVAL,
				       "--config: (%s,%u,%u): lcore %u is the main lcore, which "
				       "controls and never forwards; name another, or choose the "
				       "main one with --main-lcore",
				       p->port, p->queue, p->lcore, p->lcore);
		if (lcore_by_id(in, p->lcore) == NULL)
			return err_set(err, -EINVAL,
				       "--config: (%s,%u,%u): lcore %u is not one of EAL's; add it "
				       "to -l",
				       p->port, p->queue, p->lcore, p->lcore);
	}
	for (uint16_t l = 0; l < in->nb_lcores; l++) {
		bool named = false;

		for (unsigned int i = 0; i < args->nb_poll; i++)
			named |= args->poll[i].lcore == in->lcore[l].id;
		if (named)
			plan_add_worker(plan, &in->lcore[l]);
		else
			plan_note(plan, false,
				  "lcore %u is in -l but not in --config: it stays idle",
				  in->lcore[l].id);
	}
	if (args->nb_cores != ARGS_UNSET && args->nb_cores != plan->nb_workers)
		return err_set(err, -EINVAL,
			       "--nb-cores %u, but --config names %u lcores; leave --nb-cores out",
			       (unsigned int)args->nb_cores, plan->nb_workers);
	return 0;
}

static int
check_tuple(const struct plan_port *port, const struct cfg_poll *p, const struct app_args *args,
	    struct err *err)
{
	if (p->queue >= plan_max_rxq(port->nic))
		return err_set(err, -EINVAL,
			       "--config: (%s,%u,%u): port %u (%s) has %u receive queues; write "
			       "queue 0..%u",
			       p->port, p->queue, p->lcore, port->nic->port, port->nic->name,
			       plan_max_rxq(port->nic), plan_max_rxq(port->nic) - 1);
	if (args->rxq != ARGS_UNSET && p->queue >= args->rxq)
		return err_set(err, -EINVAL,
			       "--config: (%s,%u,%u): --rxq allows %u queues; raise it or leave it "
			       "out",
			       p->port, p->queue, p->lcore, (unsigned int)args->rxq);
	if (port->worker_of[p->queue] != PLAN_NOBODY)
		return err_set(err, -EINVAL,
			       "--config: (%s,%u,%u): queue %u of port %u (%s) is polled already; "
			       "name it once",
			       p->port, p->queue, p->lcore, p->queue, port->nic->port,
			       port->nic->name);
	return 0;
}

static int
queues_from_config(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct app_args *args = in->args;
	int ret;

	for (unsigned int i = 0; i < args->nb_poll; i++) {
		const struct cfg_poll *p = &args->poll[i];
		struct plan_port *port;
		uint16_t id;

		ret = in->find(p->port, &id, err);
		if (ret < 0)
			return err_prefix(err, ret, "--config: (%s,%u,%u)", p->port, p->queue,
					  p->lcore);
		port = port_by_id(plan, id);
		if (port == NULL)
			return err_set(err, -ENODEV, "--config: port %u is not one of sluice's",
				       id);
		ret = check_tuple(port, p, args, err);
		if (ret == 0)
			ret = plan_give_queue(plan, port, p->queue, worker_by_lcore(plan, p->lcore),
					      err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Spelled in two ways, a port may still have gaps that the parser could not see. */
static int
check_gaps(const struct plan *plan, const struct app_args *args, struct err *err)
{
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		const struct plan_port *port = &plan->port[i];

		for (uint16_t q = 0; q < port->cfg.nb_rxq; q++)
			if (port->worker_of[q] == PLAN_NOBODY)
				return err_set(err, -EINVAL,
					       "--config: port %u (%s): nobody polls queue %u of "
					       "%u; queues count from 0 without a gap",
					       port->nic->port, port->nic->name, q,
					       port->cfg.nb_rxq);
		if (port->polled && args->rxq != ARGS_UNSET && args->rxq != port->cfg.nb_rxq)
			return err_set(err, -EINVAL,
				       "--config: port %u (%s): nobody polls queue %u, and --rxq "
				       "says %u; what the NIC puts there would be lost",
				       port->nic->port, port->nic->name, port->cfg.nb_rxq,
				       (unsigned int)args->rxq);
	}
	return 0;
}

int
plan_poll_config(struct plan *plan, const struct plan_input *in, struct err *err)
{
	int ret = workers_from_config(plan, in, err);

	if (ret == 0)
		ret = queues_from_config(plan, in, err);
	return ret < 0 ? ret : check_gaps(plan, in->args, err);
}

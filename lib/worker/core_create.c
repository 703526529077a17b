/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker/core_create.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

/* Rings are named in one flat space: the direction and the lcore make a name unique. */
static int
ring_create(struct rte_ring **out, const char *what, const struct core_make *make, struct err *err)
{
	char name[RTE_RING_NAMESIZE];
	struct rte_ring *r;

	snprintf(name, sizeof(name), "%s_%u", what, make->plan->lcore);
	r = rte_ring_create(name, make->cfg->punt_ring, make->plan->socket,
			    RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
	if (r == NULL)
		return err_set(err, -rte_errno, "lcore %u: no ring of %u slots (%s): %s",
			       make->plan->lcore, make->cfg->punt_ring, what,
			       rte_strerror(rte_errno));
	*out = r;
	return 0;
}

static void
ring_destroy(struct rte_ring *r)
{
	void *m;

	while (rte_ring_sc_dequeue(r, &m) == 0)
		rte_pktmbuf_free(m);
	rte_ring_free(r);
}

static void
fill_rxq(struct core *core, const struct core_make *make)
{
	const struct worker_plan *plan = make->plan;

	core->nb_rxq = plan->nb_rxq;
	for (uint16_t q = 0; q < plan->nb_rxq; q++) {
		core->rxq[q] = (struct core_rxq){
			.port = plan->rxq[q].port,
			.queue = plan->rxq[q].queue,
			.quantum = RTE_MAX(plan->rxq[q].quantum, 1),
			.stream = &core->stats->stream[q],
			.bursts = make->bursts != NULL ? make->bursts->rx[q] : NULL,
		};
	}
}

static void
fill_ports(struct core *core, const struct core_make *make)
{
	for (uint16_t i = 0; i < make->cfg->nb_ports; i++) {
		const struct worker_port *p = &make->cfg->port[i];
		struct core_port *to = &core->port[p->id];

		memcpy(&to->mac, p->mac.addr_bytes, RTE_ETHER_ADDR_LEN);
		to->txq = make->plan->txq[p->id];
		to->peer = p->peer;
		to->bursts = make->bursts != NULL ? make->bursts->tx[p->id] : NULL;
	}
}

int
core_create(struct core **out, struct core_make *make, struct err *err)
{
	const struct worker_plan *plan = make->plan;
	struct core *core;
	int ret = -ENOMEM;

	core = rte_zmalloc_socket("core", sizeof(*core), RTE_CACHE_LINE_SIZE, plan->socket);
	if (core == NULL)
		return err_set(err, ret, "lcore %u: no memory for its state on node %d",
			       plan->lcore, plan->socket);

	core->stats = rte_zmalloc_socket("stats", sizeof(*core->stats), RTE_CACHE_LINE_SIZE,
					 plan->socket);
	core->rxq = rte_zmalloc_socket("rxq", sizeof(*core->rxq) * RTE_MAX(plan->nb_rxq, 1),
				       RTE_CACHE_LINE_SIZE, plan->socket);
	if (make->cfg->record_bursts)
		make->bursts = rte_zmalloc_socket("bursts", sizeof(*make->bursts),
						  RTE_CACHE_LINE_SIZE, plan->socket);
	if (core->stats == NULL || core->rxq == NULL ||
	    (make->cfg->record_bursts && make->bursts == NULL)) {
		err_set(err, ret, "lcore %u: no memory for its counters on node %d", plan->lcore,
			plan->socket);
		goto err_free;
	}

	ret = ring_create(&core->punt.up, "punt", make, err);
	if (ret < 0)
		goto err_free;
	ret = ring_create(&core->punt.down, "inject", make, err);
	if (ret < 0)
		goto err_destroy_up;

	core->knobs = make->knobs;
	core->view = make->cfg->view;
	core->rcu = make->cfg->rcu;
	core->mode = make->cfg->mode;
	core->lcore = plan->lcore;
	fill_rxq(core, make);
	fill_ports(core, make);
	*out = core;
	return 0;

err_destroy_up:
	ring_destroy(core->punt.up);
err_free:
	rte_free(make->bursts);
	rte_free(core->rxq);
	rte_free(core->stats);
	rte_free(core);
	return ret;
}

void
core_destroy(struct core *core, struct stats_bursts *bursts)
{
	if (core == NULL)
		return;
	ring_destroy(core->punt.down);
	ring_destroy(core->punt.up);
	rte_free(bursts);
	rte_free(core->rxq);
	rte_free(core->stats);
	rte_free(core);
}

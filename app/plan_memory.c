/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_mempool.h>

#define POOL_STEP 1024 /* a pool nobody sized is a multiple of this, mbufs */

struct ring_limit {
	const char *option;
	uint16_t min, max, align;
};

static int
ring_size(const struct nic_caps *nic, const struct ring_limit *limit, uint64_t asked,
	  uint16_t usual, uint16_t *size, struct err *err)
{
	uint16_t align = RTE_MAX(limit->align, 1);

	*size = (uint16_t)args_or(asked, usual);
	if (asked == ARGS_UNSET)
		return 0;
	if (*size < limit->min || *size > limit->max || *size % align != 0)
		return err_set(err, -EINVAL,
			       "%s %u: port %u (%s) takes %u..%u descriptors in steps of %u",
			       limit->option, *size, nic->port, nic->name, limit->min, limit->max,
			       align);
	return 0;
}

static int32_t
threshold(uint64_t asked)
{
	return asked == ARGS_UNSET ? NIC_DEFAULT : (int32_t)asked;
}

static int
port_config(struct plan_port *port, const struct plan *plan, const struct app_args *args,
	    struct err *err)
{
	const struct nic_caps *nic = port->nic;
	struct nic_config *cfg = &port->cfg;
	const struct ring_limit rx = { "--rxd", nic->min_rxd, nic->max_rxd, nic->align_rxd };
	const struct ring_limit tx = { "--txd", nic->min_txd, nic->max_txd, nic->align_txd };
	int ret;

	ret = ring_size(nic, &rx, args->rxd, nic->rxd, &cfg->rxd, err);
	if (ret == 0)
		ret = ring_size(nic, &tx, args->txd, nic->txd, &cfg->txd, err);
	if (ret < 0)
		return ret;
	cfg->rx_free = threshold(args->rxfreet);
	cfg->tx_free = threshold(args->txfreet);
	cfg->tx_rs = threshold(args->txrst);
	cfg->promisc = args->promiscuous;
	cfg->mbuf_size = (uint32_t)args_or(args->mbuf_size, PLAN_MBUF_SIZE);
	for (uint16_t q = 0; q < cfg->nb_rxq; q++)
		cfg->rx_socket[q] =
			nic->socket >= 0 ? nic->socket : plan->worker[port->worker_of[q]].socket;
	for (uint16_t q = 0; q < cfg->nb_txq; q++)
		cfg->tx_socket[q] =
			nic->socket >= 0 ? nic->socket : plan->worker[q % plan->nb_workers].socket;
	return 0;
}

static uint8_t
pool_of_node(struct plan *plan, int socket)
{
	uint8_t i;

	for (i = 0; i < plan->nb_pools; i++)
		if (plan->pool[i].socket == socket)
			return i;
	if (i < POOL_NODES_MAX)
		plan->pool[plan->nb_pools++].socket = socket;
	return i;
}

/* Which pool each receive queue fills itself from: the one of the lcore that polls it. */
static int
assign_pools(struct plan *plan, struct err *err)
{
	for (uint16_t w = 0; w < plan->nb_workers; w++)
		if (pool_of_node(plan, plan->worker[w].socket) == POOL_NODES_MAX)
			return err_set(err, -EINVAL,
				       "lcores on more than %u NUMA nodes; use fewer nodes",
				       POOL_NODES_MAX);
	for (uint16_t i = 0; i < plan->nb_ports; i++)
		for (uint16_t q = 0; q < plan->port[i].cfg.nb_rxq; q++)
			plan->port[i].pool_of[q] =
				pool_of_node(plan, plan->worker[plan->port[i].worker_of[q]].socket);
	return 0;
}

/*
 * As if every ring were full.  A transmit ring may hold mbufs of any pool, and an idle NIC need
 * never give them back, so every pool counts all of them.  Bursts count at the largest that
 * "set burst" allows, and caches at the 1.5 times that rte_mempool lets them grow to.
 */
static void
pool_terms(const struct plan *plan, uint8_t p, uint32_t cache, struct pool_need *need)
{
	memset(need, 0, sizeof(*need));
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		const struct plan_port *port = &plan->port[i];

		need->tx_rings += (uint64_t)port->cfg.nb_txq * port->cfg.txd;
		for (uint16_t q = 0; q < port->cfg.nb_rxq; q++)
			if (port->pool_of[q] == p)
				need->rx_rings += port->cfg.rxd;
	}
	need->lcores = (plan->nb_workers + 1ull) * (cache + cache / 2 + 2 * BUNDLE_MAX);
	need->punt = plan->nb_workers * 2ull * PLAN_PUNT_RING;
	need->hold = PLAN_HOLD_TOTAL;
}

static int
size_pools(struct plan *plan, const struct app_args *args, uint32_t cache, struct err *err)
{
	for (uint8_t p = 0; p < plan->nb_pools; p++) {
		struct pool_config *pool = &plan->pool[p];
		uint64_t need;

		pool_terms(plan, p, cache, &pool->need);
		need = pool_need_total(&pool->need);
		pool->cache = cache;
		pool->mbuf_size = (uint32_t)args_or(args->mbuf_size, PLAN_MBUF_SIZE);
		pool->nb_mbufs =
			(uint32_t)args_or(args->total_num_mbufs, RTE_ALIGN_CEIL(need, POOL_STEP));
		if (pool->nb_mbufs < need)
			return err_set(err, -EINVAL,
				       "--total-num-mbufs %u: node %d needs %" PRIu64
				       " (receive rings %" PRIu64 ", transmit rings %" PRIu64
				       ", lcores %" PRIu64 ", control rings %" PRIu64
				       ", waiting for ARP %" PRIu64
				       "); give that many, or shorten rings with --rxd and --txd",
				       pool->nb_mbufs, pool->socket, need, pool->need.rx_rings,
				       pool->need.tx_rings, pool->need.lcores, pool->need.punt,
				       pool->need.hold);
	}
	return 0;
}

/* The NIC may skip every look at an mbuf it frees where one pool, one segment, one owner is sure. */
static void
vouch_for_fast_free(struct plan *plan)
{
	bool whole = true;

	/* What comes in anywhere may leave anywhere. */
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		uint32_t longest = plan->port[i].nic->mtu + PLAN_MBUF_OVERHEAD;

		whole = whole && longest <= plan->port[i].cfg.mbuf_size;
	}
	for (uint16_t i = 0; i < plan->nb_ports; i++)
		plan->port[i].cfg.fast_free =
			plan->port[i].nic->fast_free && plan->nb_pools == 1 && whole;
}

int
plan_memory(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct app_args *args = in->args;
	uint16_t burst = 0, cache = 0;
	int ret;

	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		ret = port_config(&plan->port[i], plan, args, err);
		if (ret < 0)
			return ret;
		burst = RTE_MAX(burst, plan->port[i].nic->burst);
		cache = RTE_MAX(cache, plan->port[i].nic->mbcache);
	}
	burst = RTE_MIN(burst, BUNDLE_MAX);
	burst = RTE_MAX(burst, 1);
	cache = RTE_MIN(cache, RTE_MEMPOOL_CACHE_MAX_SIZE);
	plan->burst = (uint16_t)args_or(args->burst, burst);
	plan->prefetch = (uint16_t)args_or(args->prefetch, PLAN_PREFETCH);
	ret = assign_pools(plan, err);
	if (ret == 0)
		ret = size_pools(plan, args, (uint32_t)args_or(args->mbcache, cache), err);
	if (ret == 0)
		vouch_for_fast_free(plan);
	return ret;
}

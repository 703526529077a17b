/* SPDX-License-Identifier: BSD-3-Clause */
#include "datapath/core.h"

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include "base/fast.h"

/* How many packets to ask for: the burst, in whole quanta of the PMD (a power of two). */
static inline uint16_t
rx_ask(const struct core *core, const struct core_rxq *rxq)
{
	uint16_t mask = (uint16_t)(rxq->quantum - 1);

	return (uint16_t)((core->burst + mask) & ~mask);
}

/*
 * In:  a queue.
 * Out: core->rx[], the first headers on their way into the cache; how many.
 *
 * Nothing of a packet is read here but its mbuf, which the PMD has just written.
 */
unsigned int
stage_rx(struct core *core, struct core_rxq *rxq)
{
	uint16_t n;

	if (unlikely(!atomic_get(&core->knobs->polling)))
		return 0;
	if (unlikely(core->budget != NULL) && atomic_get(core->budget) <= 0)
		return 0;

	n = rte_eth_rx_burst(rxq->port, rxq->queue, core->rx, rx_ask(core, rxq));

	if (unlikely(core->budget != NULL) && n != 0)
		atomic_take(core->budget, (int64_t)n);
	if (unlikely(rxq->bursts != NULL))
		atomic_bump(&rxq->bursts[RTE_MIN(n, STATS_BURST_MAX)], 1);
	return n;
}

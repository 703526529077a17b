/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DATAPATH_TX_SEND_H
#define DATAPATH_TX_SEND_H

#include "datapath/core.h"

#include <rte_ethdev.h>

/*
 * A PMD may take part of a burst and more of it when asked again (ixgbe cleans tx_rs_thresh
 * descriptors a call), so only a call that takes nothing means full.
 */
static inline uint16_t
tx_send(struct core *core, uint16_t port, struct rte_mbuf **pkt, uint16_t n)
{
	const struct core_port *p = &core->port[port];
	uint16_t sent = rte_eth_tx_burst(port, p->txq, pkt, n);

	while (unlikely(sent < n)) {
		uint16_t more = rte_eth_tx_burst(port, p->txq, pkt + sent, (uint16_t)(n - sent));

		if (more == 0)
			break;
		sent = (uint16_t)(sent + more);
	}
	if (unlikely(p->bursts != NULL))
		atomic_bump(&p->bursts[RTE_MIN(sent, STATS_BURST_MAX)], 1);
	return sent;
}

#endif

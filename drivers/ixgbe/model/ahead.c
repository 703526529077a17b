/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/rx.h"
#include "drivers/ixgbe/model/tx.h"

/*
 * The registers that the looks of queue.c need, fetched some time before: those of receive queues
 * when the port transmits; those of the transmit queue that comes first while the port receives
 * whose turn is before, which is learned from one round to the next.
 */
#define STRIDE 0x40u /* bytes between the registers of two queues: a line each */

static struct n82599_rx *before; /* the port that received last; NULL if there is none */

void
n82599_ahead_rx(const struct n82599 *nic)
{
	for (uint64_t m = nic->rxq_on; m != 0; m &= m - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(m);

		if (nic->rxq[i].free < SOFT_BATCH)
			prefetch_write(nic->regs + R_RXQ(0) + STRIDE * i);
	}
}

void
n82599_ahead_learn(const struct n82599 *nic)
{
	uint64_t from = nic->txq_on >> nic->tx->first << nic->tx->first;

	if (before == NULL || nic->txq_on == 0)
		return;
	before->soon = nic->regs + R_TXQ(0) +
		       STRIDE * (unsigned int)__builtin_ctzll(from != 0 ? from : nic->txq_on);
}

/* It may belong to a port that is gone: to fetch what is not there does nothing. */
void
n82599_ahead_tx(const struct n82599 *nic)
{
	if (nic->rx->soon != NULL)
		prefetch_write(nic->rx->soon);
	before = nic->rx;
}

void
n82599_ahead_close(const struct n82599 *nic)
{
	if (before == nic->rx)
		before = NULL;
}

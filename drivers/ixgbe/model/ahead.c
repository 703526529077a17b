/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/rx.h"

/*
 * The registers that the looks of queue.c need, fetched some time before: those of receive queues
 * when the port transmits; those of transmit queues while the port receives whose turn is before
 * theirs, which is learned from one round to the next.
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
	if (before == NULL)
		return;
	before->nb_soon = 0;
	for (uint64_t m = nic->txq_on; m != 0 && before->nb_soon < SOON; m &= m - 1)
		before->soon[before->nb_soon++] =
			nic->regs + R_TXQ(0) + STRIDE * (unsigned int)__builtin_ctzll(m);
}

/* These may belong to a port that is gone: to fetch what is not there does nothing. */
void
n82599_ahead_tx(const struct n82599 *nic)
{
	for (unsigned int i = 0; i < nic->rx->nb_soon; i++)
		prefetch_write(nic->rx->soon[i]);
	before = nic->rx;
}

void
n82599_ahead_close(const struct n82599 *nic)
{
	if (before == nic->rx)
		before = NULL;
}

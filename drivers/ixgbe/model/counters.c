/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"

#define QUEUE_SETS 16 /* of queue counters, chosen by RQSMR and TQSM */

/* 8.2.3.23: counters stick at their maximum. */
void
n82599_count(struct n82599 *nic, uint32_t off, uint32_t n)
{
	uint32_t sum = N82599_REG(nic, off) + n;

	N82599_REG(nic, off) = sum < n ? UINT32_MAX : sum;
}

/* Octets have 36 bits in two registers, the low one first. */
void
n82599_count_octets(struct n82599 *nic, uint32_t low, uint64_t bytes)
{
	uint64_t sum = N82599_REG(nic, low) + bytes;

	N82599_REG(nic, low) = (uint32_t)sum;
	if (sum >> 32)
		N82599_REG(nic, low + 4) = (N82599_REG(nic, low + 4) + (uint32_t)(sum >> 32)) & 0xf;
}

bool
n82599_read_clears(uint32_t off)
{
	return (off >= 0x02f50 && off < 0x02f80) || /* RXDGPC .. RXDLPBKGBCH */
	       (off >= 0x03f60 && off < 0x04200) || /* LXONTXC, MPC, CRCERRS .. */
	       (off >= 0x08680 && off < 0x08800) || /* QPTC, QBTC, SSVPC, TXDGPC */
	       (off >= R_FDIRUSTAT && off <= R_FDIRMISS);
}

static unsigned int
set_of(struct n82599 *nic, uint32_t map, unsigned int queue)
{
	return N82599_REG(nic, map + (queue & ~3u)) >> 8 * (queue & 3) & (QUEUE_SETS - 1);
}

static void
show_rx(struct n82599 *nic, unsigned int queue)
{
	struct n82599_rxq *q = &nic->rxq[queue];
	unsigned int set = set_of(nic, R_RQSMR(0), queue);

	n82599_count(nic, R_QPRC(set), (uint32_t)q->frames);
	n82599_count_octets(nic, R_QBRC_L(set), q->bytes);
	n82599_count(nic, R_QPRDC(set), (uint32_t)q->dropped);
	q->frames = q->bytes = q->dropped = 0;
}

static void
show_tx(struct n82599 *nic, unsigned int queue)
{
	struct n82599_txq *q = &nic->txq[queue];
	unsigned int set = set_of(nic, R_TQSM(0), queue);

	n82599_count(nic, R_QPTC(set), (uint32_t)q->frames);
	n82599_count_octets(nic, R_QBTC_L(set), q->bytes);
	q->frames = q->bytes = 0;
}

void
n82599_queue_counters(struct n82599 *nic, bool show)
{
	for (unsigned int i = 0; show && i < N82599_RXQ; i++)
		if (nic->rxq[i].frames != 0 || nic->rxq[i].dropped != 0)
			show_rx(nic, i);
	for (unsigned int i = 0; show && i < N82599_TXQ; i++)
		if (nic->txq[i].frames != 0)
			show_tx(nic, i);
	for (unsigned int i = 0; !show && i < QUEUE_SETS; i++) {
		N82599_REG(nic, R_QPRC(i)) = N82599_REG(nic, R_QPRDC(i)) = 0;
		N82599_REG(nic, R_QBRC_L(i)) = N82599_REG(nic, R_QBRC_H(i)) = 0;
		N82599_REG(nic, R_QPTC(i)) = 0;
	}
}

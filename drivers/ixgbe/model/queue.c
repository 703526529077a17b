/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/rx.h"
#include "drivers/ixgbe/model/tx.h"

#include <x86intrin.h>

/*
 * Queues as their registers say.  These lie on pages that do not trap in a fast run, so nothing
 * tells when the host has written one, and in another core's cache, so a look at them costs more
 * than a frame.  Queues that are on are looked at when their descriptors run short and when the
 * last look is a while ago: a driver that switches a queue off waits a millisecond or more before it
 * takes the buffers away.  Of the others, transmit queues are looked at a few a turn, a receive
 * queue when there is a frame for it.  Heads are shown at the next look.  Without patience, in
 * lock-step, all that happens in every turn.
 */
#define LOOK_AHEAD 8u        /* queues a turn that were off */
#define FEW        4u        /* queues, of which many descriptors are fetched ahead */
#define STRIDE     0x40u     /* bytes between the registers of two queues */
#define BASE_MASK  (~127ull) /* a ring's base, 8.2.3.8.1 */
#define OLD_SRRCTL 16u       /* of these, those that net_ixgbe writes at R_SRRCTL_OLD() */

/*
 * A disabled queue forgets where it was (7.1.4.3): were the old tail still there when the queue is
 * enabled again, descriptors of the past would be used until the host writes the new one.  A tail
 * that the host writes at this very moment stays.
 */
static void
forget(struct n82599 *nic, uint32_t head_off, uint32_t tail_off, uint32_t size)
{
	_Atomic uint32_t *tail = (_Atomic uint32_t *)(void *)(nic->regs + tail_off);
	uint32_t was = atomic_load_explicit(tail, memory_order_relaxed);

	N82599_REG(nic, head_off) = 0;
	if (was != size - 1)
		atomic_compare_exchange_strong(tail, &was, 0);
}

static uint64_t
base(const struct n82599 *nic, uint32_t off)
{
	return (N82599_REG(nic, off) | (uint64_t)N82599_REG(nic, off + 4) << 32) & BASE_MASK;
}

/* The ring's bytes, asked for each turn: the host may have given the memory back. */
static uint8_t *
ring_at(struct n82599 *nic, bool *astray, uint64_t bus, uint32_t size)
{
	uint8_t *ring = size ? dma_at(bus, (uint64_t)size * DESC_LEN) : NULL;
	bool bad = size != 0 && ring == NULL;

	if (bad && !*astray)
		nic->port->stats.dma_errors++;
	*astray = bad;
	return ring;
}

static void
rx_off(struct n82599 *nic, unsigned int i)
{
	struct n82599_rxq *q = &nic->rxq[i];
	uint32_t at = i * STRIDE;

	if (!q->on)
		return;
	forget(nic, R_RDH(0) + at, R_RDT(0) + at, q->size);
	q->on = false;
	q->head = q->shown = q->free = 0;
	nic->rxq_on &= ~(1ull << i);
}

void
n82599_rx_refresh(struct n82599 *nic, unsigned int i)
{
	struct n82599_rxq *q = &nic->rxq[i];
	uint32_t at = i * STRIDE, srrctl, head;
	uint32_t control = N82599_REG(nic, R_RXDCTL(0) + at);

	if (!(control & RXDCTL_ENABLE)) {
		rx_off(nic, i);
		return;
	}
	q->on = true;
	nic->rxq_on |= 1ull << i;
	q->strip_vlan = control & RXDCTL_VME;
	srrctl = N82599_REG(nic, i < OLD_SRRCTL ? R_SRRCTL_OLD(i) : R_SRRCTL(0) + at);
	q->drop_en = srrctl & SRRCTL_DROP_EN;
	q->room = (srrctl & SRRCTL_BSIZE) << 10;
	q->size = N82599_REG(nic, R_RDLEN(0) + at) / DESC_LEN;
	q->ring_bus = base(nic, R_RDBAL(0) + at);
	q->ring = ring_at(nic, &q->astray, q->ring_bus, q->size);
	head = N82599_REG(nic, R_RDH(0) + at);
	if (head != q->shown) /* the host writes the head when it starts the queue */
		q->head = head;
	if (q->head >= q->size)
		q->head = 0;
	if (q->head != head)
		N82599_REG(nic, R_RDH(0) + at) = q->head;
	q->shown = q->head;
	q->free = 0;
	if (q->ring != NULL && q->room != 0 && !nic->port->fault[SOFTNIC_RX_STARVE])
		q->free = ring_used(q->head, N82599_REG(nic, R_RDT(0) + at), q->size);
}

/* Nothing of this queue is on its way any more. */
static void
tx_drop(struct n82599 *nic, unsigned int i)
{
	struct n82599_tx *tx = nic->tx;

	nic->txq[i].skipping = false;
	tx->touched &= ~(1ull << i);
	tx->late &= ~(1ull << i);
	tx->queue[i].n = 0;
	if (tx->tso.queue == i)
		tx->tso.on = false;
}

static void
tx_off(struct n82599 *nic, unsigned int i)
{
	struct n82599_txq *q = &nic->txq[i];

	if (!q->on)
		return;
	forget(nic, R_TDH(i), R_TDT(i), 0);
	tx_drop(nic, i);
	q->on = false;
	q->head = q->shown = q->next = q->tail = 0;
	nic->txq_on &= ~(1ull << i);
}

void
n82599_tx_refresh(struct n82599 *nic, unsigned int i)
{
	struct n82599_txq *q = &nic->txq[i];
	uint32_t head, size;
	uint64_t bus;

	if (!(N82599_REG(nic, R_TXDCTL(i)) & TXDCTL_ENABLE)) {
		tx_off(nic, i);
		return;
	}
	head = N82599_REG(nic, R_TDH(i));
	size = N82599_REG(nic, R_TDLEN(i)) / DESC_LEN;
	bus = base(nic, R_TDBAL(i));
	if (!q->on || head != q->shown || size != q->size || bus != q->ring_bus) {
		tx_drop(nic, i); /* the host has written it: from here on it is another ring */
		q->size = size;
		q->ring_bus = bus;
		q->head = q->next = head < size ? head : 0;
		q->on = true;
		nic->txq_on |= 1ull << i;
	}
	if (head != q->head)
		N82599_REG(nic, R_TDH(i)) = q->head;
	q->shown = q->head;
	q->ring = ring_at(nic, &q->astray, bus, size);
	q->tail = N82599_REG(nic, R_TDT(i));
	if (q->ring == NULL || q->tail >= size)
		q->tail = q->next;
}

/* For a batch of n frames, or for the time that passes without one. */
void
n82599_rx_look(struct n82599 *nic, unsigned int n)
{
	const uint64_t now = __rdtsc();
	bool all = now - nic->rx->looked_at >= nic->patience ||
		   nic->port->fault[SOFTNIC_RX_STARVE] != 0;
	uint32_t ahead;

	if (nic->queues_dirty)
		n82599_queues(nic);
	if (all)
		nic->rx->looked_at = now;
	ahead = (unsigned int)__builtin_popcountll(nic->rxq_on) <= FEW ? RX_AHEAD : PER_LINE;
	for (uint64_t m = nic->rxq_on; m != 0; m &= m - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(m);
		const struct n82599_rxq *q = &nic->rxq[i];

		if (all || q->free < n)
			n82599_rx_refresh(nic, i);
		for (uint32_t k = 0; n > 0 && k < ahead && k < q->free; k += PER_LINE)
			prefetch_write(q->ring + (q->head + k) * DESC_LEN);
	}
}

void
n82599_tx_look(struct n82599 *nic)
{
	const uint64_t now = __rdtsc();
	unsigned int *look = &nic->tx->look;

	if (nic->queues_dirty)
		n82599_queues(nic);
	if (now - nic->tx->looked_at >= nic->patience) {
		nic->tx->looked_at = now;
		for (uint64_t m = nic->txq_on; m != 0; m &= m - 1)
			n82599_tx_refresh(nic, (unsigned int)__builtin_ctzll(m));
	}
	for (unsigned int i = 0; i < LOOK_AHEAD; i++) {
		if (!(nic->txq_on >> *look & 1u))
			n82599_tx_refresh(nic, *look);
		*look = (*look + 1) % N82599_TXQ;
	}
}

void
n82599_queues(struct n82599 *nic)
{
	nic->queues_dirty = false;
	for (unsigned int i = 0; i < N82599_RXQ; i++)
		n82599_rx_refresh(nic, i);
	for (unsigned int i = 0; i < N82599_TXQ; i++)
		n82599_tx_refresh(nic, i);
}

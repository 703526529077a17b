/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/tx.h"

#include "drivers/ixgbe/model/rx.h"

#include <errno.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Transmit, datasheet 7.2.  A frame in one descriptor that asks for nothing goes to the cable where
 * it lies; tx_frame.c puts the others together.  Descriptors are done when the cable has taken the
 * frames: transmitted().
 */
#define LINES_AHEAD 8u      /* of descriptors, four a line */
#define PATIENCE    100000u /* cycles, some 40 us: far less than a driver waits, see queue.c */
#define FRAME_MIN   60u     /* bytes without FCS; shorter ones are padded */

/* Everything that makes a data descriptor a whole plain frame, 7.2.3.2.4 */
#define PLAIN_MASK                                                                                 \
	(TXD_DTYP | TXD_EOP | TXD_IFCS | TXD_DEXT | TXD_VLE | TXD_TSE | TXD_IXSM | TXD_TXSM |      \
	 TXD_IPSEC)
#define PLAIN (TXD_DATA | TXD_EOP | TXD_IFCS | TXD_DEXT)

/* What goes on the cable. */
static inline void
account(struct tally *t, const struct soft_frame *frame)
{
	t->frames++;
	t->bytes += frame->len;
	t->size[size_class(frame->len + FCS_LEN)]++;
}

static inline bool
is_plain(uint64_t cmd)
{
	uint32_t len = (uint32_t)cmd & TXD_DTALEN;

	return (cmd & PLAIN_MASK) == PLAIN && cmd >> TXD_PAYLEN == len && len >= FRAME_MIN &&
	       len <= SOFT_FRAME_MAX;
}

/* Plain frames from q->next on, as many as there are. */
static unsigned int
fetch_plain(struct n82599_tx *tx, struct n82599_txq *q, struct soft_frame *frames, unsigned int max)
{
	const uint32_t size = q->size, tail = q->tail;
	uint8_t *const ring = q->ring;
	uint32_t next = q->next;
	unsigned int n = 0;

	while (n < max && next != tail) {
		uint8_t *d = ring + next * DESC_LEN;
		uint64_t cmd = load64(d + 8);
		struct soft_frame *f = &frames[n];

		if (next % PER_LINE == 0)
			__builtin_prefetch(d + LINES_AHEAD * PER_LINE * DESC_LEN);
		if (__builtin_expect(!is_plain(cmd), 0))
			break;
		f->len = (uint32_t)cmd & TXD_DTALEN;
		f->flags = 0;
		f->data = dma_at(load64(d), f->len);
		if (__builtin_expect(f->data == NULL, 0))
			break;
		__builtin_prefetch(f->data);
		if (cmd & TXD_RS)
			tx->done[tx->nb_done++] = d + 8;
		account(&tx->tally, f);
		next = next + 1 == size ? 0 : next + 1;
		n++;
	}
	q->next = next;
	return n;
}

static unsigned int
fetch(struct n82599 *nic, unsigned int i, struct soft_frame *frames, unsigned int max)
{
	struct n82599_txq *q = &nic->txq[i];
	struct n82599_tx *tx = nic->tx;
	const bool damage = nic->port->fault[SOFTNIC_DMA_TX] != 0;
	const uint64_t bytes = tx->tally.bytes;
	unsigned int n = 0;

	for (unsigned int l = 0; l < LINES_AHEAD; l++)
		__builtin_prefetch(q->ring + (q->next + l * PER_LINE) * DESC_LEN);
	for (;;) {
		int made;

		if (!q->skipping && !damage)
			n += fetch_plain(tx, q, frames + n, max - n);
		if (n == max || q->next == q->tail || tx->tso.on)
			break;
		tx->odd |= 1ull << i;
		made = n82599_tx_frame(nic, i, q->tail, frames + n, max - n);
		if (made < 0)
			break;
		for (int k = 0; k < made; k++)
			account(&tx->tally, &frames[n++]);
	}
	q->frames += n;
	q->bytes += tx->tally.bytes - bytes;
	return n;
}

static void
settle(struct n82599 *nic)
{
	struct tally *t = &nic->tx->tally;
	struct softnic_stats *stats = &nic->port->stats;

	if (t->frames == 0)
		return;
	stats->tx_frames += t->frames;
	stats->tx_bytes += t->bytes;
	n82599_count(nic, R_GPTC, t->frames);
	n82599_count(nic, R_TPT, t->frames);
	n82599_count_octets(nic, R_GOTCL, t->bytes + (uint64_t)FCS_LEN * t->frames);
	n82599_count(nic, R_TXDGPC, t->frames);
	n82599_count_octets(nic, R_TXDGBCL, t->bytes + (uint64_t)FCS_LEN * t->frames);
	for (unsigned int i = 0; i < SIZES; i++)
		if (t->size[i])
			n82599_count(nic, R_PTC64 + 4u * i, t->size[i]);
	memset(t, 0, sizeof(*t));
}

/* Write back what asked for it (RS) up to a descriptor. */
static void
complete(struct n82599 *nic, unsigned int i, uint32_t upto)
{
	struct n82599_txq *q = &nic->txq[i];

	while (q->head != upto) {
		uint8_t *d = q->ring + q->head * DESC_LEN + 8;

		if (load64(d) & TXD_RS)
			*(volatile uint64_t *)(void *)d = TXD_DD;
		q->head = q->head + 1 == q->size ? 0 : q->head + 1;
	}
}

/* SOFTNIC_SLOW_COMPLETION: what was on its way long enough. */
static void
arrive(struct n82599 *nic)
{
	struct n82599_tx *tx = nic->tx;
	uint64_t now = soft_now_ns();

	for (uint64_t m = tx->late; m != 0; m &= m - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(m);
		struct tx_late *at = tx->queue[i].at;

		if (nic->txq[i].ring == NULL)
			continue;
		while (tx->queue[i].n && at[tx->queue[i].head].due_ns <= now) {
			complete(nic, i, at[tx->queue[i].head].upto);
			tx->queue[i].head = (tx->queue[i].head + 1) % MAX_LATE;
			tx->queue[i].n--;
		}
		if (tx->queue[i].n == 0)
			tx->late &= ~(1ull << i);
	}
	if (nic->patience == 0)
		n82599_tx_look(nic);
}

/* With no place left the newest entry takes this one in, and both come later. */
static void
delay(struct n82599 *nic, unsigned int i)
{
	struct n82599_tx *tx = nic->tx;
	uint64_t us = nic->port->fault[SOFTNIC_SLOW_COMPLETION];

	if (tx->queue[i].n < MAX_LATE)
		tx->queue[i].n++;
	tx->late |= 1ull << i;
	tx->queue[i].at[(tx->queue[i].head + tx->queue[i].n - 1) % MAX_LATE] = (struct tx_late){
		.due_ns = soft_now_ns() + us * 1000,
		.upto = nic->txq[i].next,
	};
}

static bool
sending(const struct n82599 *nic)
{
	return !nic->removed && N82599_REG(nic, R_DMATXCTL) & DMATXCTL_TE &&
	       N82599_REG(nic, R_LINKS) & LINKS_UP && !nic->port->fault[SOFTNIC_TX_HANG];
}

/* The queues in turn: each goes on while there is room, the next turn starts behind the last. */
static unsigned int
serve(struct n82599 *nic, struct soft_frame *frames, unsigned int max)
{
	struct n82599_tx *tx = nic->tx;
	unsigned int first = tx->first, n = 0;
	uint64_t m = nic->txq_on >> first | nic->txq_on << (-first % N82599_TXQ);

	for (; m != 0 && n < max && !tx->tso.on; m &= m - 1) {
		unsigned int i = ((unsigned int)__builtin_ctzll(m) + first) % N82599_TXQ;
		const struct n82599_txq *q = &nic->txq[i];
		uint32_t from;

		if (ring_used(q->next, q->tail, q->size) < max - n)
			n82599_tx_refresh(nic, i);
		from = q->next;
		if (from == q->tail)
			continue;
		n += fetch(nic, i, &frames[n], max - n);
		if (q->next != from)
			tx->touched |= 1ull << i;
		tx->first = (i + 1) % N82599_TXQ;
	}
	return n;
}

/* A segmentation that the last turn had no room for. */
static unsigned int
go_on(struct n82599 *nic, struct soft_frame *frames, unsigned int max)
{
	struct n82599_txq *q = &nic->txq[nic->tx->tso.queue];
	struct tally *t = &nic->tx->tally;
	unsigned int n = n82599_tx_segments(nic, frames, max);

	for (unsigned int k = 0; k < n; k++) {
		account(t, &frames[k]);
		q->bytes += frames[k].len;
	}
	q->frames += n;
	return n;
}

unsigned int
n82599_transmit(struct soft_port *port, struct soft_frame *frames, unsigned int max)
{
	struct n82599 *nic = port->nic;
	struct n82599_tx *tx = nic->tx;
	unsigned int n = 0;

	n82599_rx_look(nic, 0);
	n82599_tx_look(nic);
	n82599_ahead_rx(nic);
	if (tx->late)
		arrive(nic);
	if (!sending(nic))
		return 0;
	tx->room_used = 0;
	if (tx->tso.on)
		n = go_on(nic, frames, max);
	n += serve(nic, &frames[n], max - n);
	n82599_ahead_learn(nic);
	settle(nic);
	return n;
}

/* What was in single descriptors is known already, unless a completion has to wait. */
void
n82599_transmitted(struct soft_port *port)
{
	struct n82599 *nic = port->nic;
	struct n82599_tx *tx = nic->tx;
	const bool slow = port->fault[SOFTNIC_SLOW_COMPLETION] != 0 || tx->late != 0;

	for (unsigned int k = 0; k < tx->nb_done && !slow; k++)
		*(volatile uint64_t *)(void *)tx->done[k] = TXD_DD;
	for (uint64_t m = tx->touched; m != 0; m &= m - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(m);
		struct n82599_txq *q = &nic->txq[i];

		if (slow)
			delay(nic, i);
		else if (tx->odd >> i & 1u)
			complete(nic, i, q->next);
		else
			q->head = q->next;
	}
	if (nic->patience == 0 && tx->touched != 0)
		n82599_tx_look(nic);
	tx->touched = tx->odd = 0;
	tx->nb_done = 0;
}

int
n82599_datapath_open(struct n82599 *nic)
{
	nic->rx = calloc(1, sizeof(*nic->rx));
	nic->tx = aligned_alloc(alignof(struct n82599_tx), sizeof(*nic->tx));
	if (nic->rx == NULL || nic->tx == NULL) {
		n82599_datapath_close(nic);
		return -ENOMEM;
	}
	memset(nic->tx, 0, offsetof(struct n82599_tx, tso_data));
	nic->queues_dirty = nic->rss_dirty = nic->filter_dirty = true;
	nic->patience = soft_is_step() ? 0 : PATIENCE;
	return 0;
}

void
n82599_datapath_close(struct n82599 *nic)
{
	if (nic->rx != NULL)
		n82599_ahead_close(nic);
	free(nic->rx);
	free(nic->tx);
	nic->rx = NULL;
	nic->tx = NULL;
}

/* After the registers have lost everything, 4.2.1.6. */
void
n82599_datapath_reset(struct n82599 *nic)
{
	memset(nic->rxq, 0, sizeof(nic->rxq));
	memset(nic->txq, 0, sizeof(nic->txq));
	nic->rxq_on = nic->txq_on = 0;
	nic->queues_dirty = nic->rss_dirty = nic->filter_dirty = true;
	nic->tx->touched = nic->tx->late = 0;
	nic->tx->tso.on = false;
	for (unsigned int i = 0; i < N82599_TXQ; i++)
		nic->tx->queue[i].n = 0;
	N82599_REG(nic, R_VLNCTRL) = TYPE_VLAN;
	N82599_REG(nic, R_DMATXCTL) = TYPE_VLAN << DMATXCTL_VT_SHIFT;
	/* 8.2.3.9.13: FIN and PSH stay out but of the last segment, CWR but of the first */
	N82599_REG(nic, R_DTXTCPFLGL) = 0xf76u << 16 | 0xff6u;
	N82599_REG(nic, R_DTXTCPFLGH) = 0xf7fu;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/tx.h"

#include <errno.h>

/*
 * Frames that are not one plain descriptor: contexts before them, chains of buffers, tags, sums,
 * segmentation (datasheet 7.2.3.2.3, 7.2.3.2.4).
 */
#define FRAME_MIN 60u /* bytes without FCS */

/* The descriptors of a frame, data only. */
struct chain {
	uint32_t nb, upto, len;
	uint64_t first; /* quadword 1 of the first: it alone counts for most fields */
	struct {
		uint64_t bus;
		uint32_t len;
	} part[N82599_CHAIN];
};

static inline uint32_t
after(const struct n82599_txq *q, uint32_t at)
{
	return at + 1 == q->size ? 0 : at + 1;
}

/* The frame is refused and its descriptors are done. */
static int
refuse(struct n82599 *nic, struct n82599_txq *q, uint32_t upto, bool descriptor)
{
	nic->port->stats.tx_lost++;
	nic->port->stats.bad_descriptors += descriptor;
	q->next = upto;
	return 0;
}

/* Leave out descriptors to the end of a frame that is refused already. */
static int
skip(struct n82599_txq *q, uint32_t tail)
{
	while (q->skipping && q->next != tail) {
		uint64_t cmd = load64(q->ring + q->next * DESC_LEN + 8);

		q->skipping = !(cmd & TXD_EOP);
		q->next = after(q, q->next);
	}
	return 0;
}

/* 0; -EAGAIN: the end of the frame is not there yet; -E2BIG: a chain without end, -EINVAL: not a
 * data descriptor. */
static int
collect(const struct n82599_txq *q, uint32_t tail, struct chain *c)
{
	uint64_t cmd;

	c->nb = c->len = 0;
	c->first = 0;
	c->upto = q->next;
	do {
		const uint8_t *d = q->ring + c->upto * DESC_LEN;

		if (c->upto == tail)
			return -EAGAIN;
		if (c->nb == N82599_CHAIN)
			return -E2BIG;
		cmd = load64(d + 8);
		c->upto = after(q, c->upto);
		if ((cmd & (TXD_DTYP | TXD_DEXT)) != (TXD_DATA | TXD_DEXT))
			return -EINVAL;
		if (c->nb == 0)
			c->first = cmd;
		c->part[c->nb].bus = load64(d);
		c->part[c->nb].len = (uint32_t)cmd & TXD_DTALEN;
		c->len += c->part[c->nb++].len;
	} while (!(cmd & TXD_EOP));
	return 0;
}

/* The bytes in one piece; -EFAULT: some are not the host's. */
static int
gather(struct n82599 *nic, const struct chain *c, uint8_t *to)
{
	for (uint32_t i = 0; i < c->nb; i++) {
		const uint8_t *from;

		if (c->part[i].len == 0)
			continue;
		from = n82599_dma(nic->port, SOFTNIC_DMA_TX, c->part[i].bus, c->part[i].len);

		if (from == NULL)
			return -EFAULT;
		memcpy(to, from, c->part[i].len);
		to += c->part[i].len;
	}
	return 0;
}

static bool
well_formed(const struct chain *c, const uint64_t context[2])
{
	uint32_t payload = (uint32_t)(c->first >> TXD_PAYLEN);
	uint32_t header = TXC_MACLEN(context[0]) + TXC_IPLEN(context[0]) + TXC_L4LEN(context[1]);

	if (!(c->first & TXD_IFCS) || c->first & TXD_IPSEC || c->len < TXD_MIN_LEN)
		return false;
	if (!(c->first & TXD_TSE))
		return payload == c->len && c->len <= SOFT_FRAME_MAX;
	return payload + header == c->len && TXC_MSS(context[1]) != 0 &&
	       TXC_L4T(context[1]) == TXC_TCP && TXC_L4LEN(context[1]) >= 20 &&
	       TXC_MSS(context[1]) + header + TAG_LEN <= SOFT_FRAME_MAX;
}

static int
start_tso(struct n82599 *nic, unsigned int queue, const struct chain *c, const uint64_t context[2])
{
	struct n82599_tx *tx = nic->tx;

	if (gather(nic, c, tx->tso_data) < 0)
		return refuse(nic, &nic->txq[queue], c->upto, false);
	tx->tso.on = true;
	tx->tso.queue = (uint8_t)queue;
	tx->tso.upto = c->upto;
	tx->tso.len = c->len;
	tx->tso.header_len = c->len - (uint32_t)(c->first >> TXD_PAYLEN);
	tx->tso.at = tx->tso.header_len;
	tx->tso.mss = TXC_MSS(context[1]);
	tx->tso.cmd = c->first;
	memcpy(tx->tso.context, context, sizeof(tx->tso.context));
	return 1;
}

static int
single(struct n82599 *nic, struct n82599_txq *q, const struct chain *c, struct soft_frame *frame)
{
	const uint64_t *context = q->context[TXD_IDX(c->first)];
	uint8_t *at = nic->tx->room + nic->tx->room_used;
	uint32_t len = c->len;

	if (gather(nic, c, at) < 0)
		return refuse(nic, q, c->upto, false);
	if (c->first & (TXD_IXSM | TXD_TXSM) && !n82599_tx_sums(at, len, c->first, context))
		return refuse(nic, q, c->upto, true);
	if (c->first & TXD_VLE)
		len = n82599_tx_tag(nic, at, len, TXC_VLAN(context[0]));
	if (len > SOFT_FRAME_MAX)
		return refuse(nic, q, c->upto, true);
	if (len < FRAME_MIN && N82599_REG(nic, R_HLREG0) & HLREG0_TXPADEN) {
		memset(at + len, 0, FRAME_MIN - len);
		len = FRAME_MIN;
	}
	nic->tx->room_used += (len + 63u) & ~63u;
	q->next = c->upto;
	*frame = (struct soft_frame){ .data = at, .len = len };
	return 1;
}

int
n82599_tx_frame(struct n82599 *nic, unsigned int queue, uint32_t tail, struct soft_frame *frames,
		unsigned int max)
{
	struct n82599_txq *q = &nic->txq[queue];
	const uint8_t *d = q->ring + q->next * DESC_LEN;
	const uint64_t *context;
	struct chain c;
	int ret;

	if (q->skipping)
		return skip(q, tail);
	if ((load64(d + 8) & (TXD_DTYP | TXD_DEXT)) == (TXD_CONTEXT | TXD_DEXT)) {
		uint32_t index = TXD_IDX(load64(d + 8));

		q->context[index][0] = load64(d);
		q->context[index][1] = load64(d + 8);
		q->next = after(q, q->next);
		return 0;
	}
	ret = collect(q, tail, &c);
	if (ret == -EAGAIN)
		return ret;
	if (ret < 0) {
		refuse(nic, q, c.upto, true);
		q->skipping = ret == -E2BIG;
		return 0;
	}
	context = q->context[TXD_IDX(c.first)];
	if (!well_formed(&c, context))
		return refuse(nic, q, c.upto, true);
	if (!(c.first & TXD_TSE))
		return single(nic, q, &c, frames);
	ret = start_tso(nic, queue, &c, context);
	return ret > 0 ? (int)n82599_tx_segments(nic, frames, max) : ret;
}

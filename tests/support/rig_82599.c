/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/rig_82599.h"

#include "drivers/wire/hdr.h"
#include "support/cmocka.h"

#include <assert.h>

static const uint8_t own_mac[6] = { 2, 0, 0, 0, 0, 1 };

void
rig_open(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	r->port.nic = &r->nic;
	r->port.in = r->port.out = &r->wire;
	memcpy(r->port.mac, own_mac, sizeof(own_mac));
	strcpy(r->port.bdf, "0000:01:00.0");
	r->nic.port = &r->port;
	for (unsigned int i = 0; i <= N82599_VECTORS; i++)
		r->nic.irq[i] = -1;
	r->nic.regs = aligned_alloc(4096, N82599_BAR);
	assert_non_null(r->nic.regs);
	assert_int_equal(n82599_datapath_open(&r->nic), 0);
	r->nic.patience = 0;
	n82599_reset(&r->nic);
	N82599_REG(&r->nic, R_RXCTRL) = RXCTRL_RXEN;
	N82599_REG(&r->nic, R_DMATXCTL) |= DMATXCTL_TE;
	N82599_REG(&r->nic, R_RDRXCTL) |= RDRXCTL_CRCSTRIP;
	N82599_REG(&r->nic, R_RXCSUM) = RXCSUM_PCSD;
	/* Everything that malloc() gives is the host's memory. */
	dma_last = (struct dma_span){ .lo = 1, .hi = 1ull << 47, .delta = 0 };
}

static void
ring_free(struct rig_ring *ring)
{
	for (uint32_t i = 0; ring->buf != NULL && i < ring->size; i++)
		free(ring->buf[i]);
	free(ring->buf);
	free(ring->desc);
	memset(ring, 0, sizeof(*ring));
}

void
rig_close(struct rig *r)
{
	for (unsigned int i = 0; i < N82599_RXQ; i++)
		ring_free(&r->rx[i]);
	for (unsigned int i = 0; i < N82599_TXQ; i++)
		ring_free(&r->tx[i]);
	n82599_datapath_close(&r->nic);
	free(r->nic.regs);
	dma_last = (struct dma_span){ 0 };
}

static void
ring_new(struct rig_ring *ring, uint32_t size)
{
	ring->size = size;
	ring->tail = 0;
	ring->desc = aligned_alloc(128, size * DESC_LEN);
	ring->buf = calloc(size, sizeof(*ring->buf));
	assert_non_null(ring->desc);
	assert_non_null(ring->buf);
	memset(ring->desc, 0, size * DESC_LEN);
}

static void
set_ring(struct rig *r, uint32_t off, const struct rig_ring *ring)
{
	uint64_t bus = (uintptr_t)ring->desc;

	N82599_REG(&r->nic, off) = (uint32_t)bus;
	N82599_REG(&r->nic, off + 4) = (uint32_t)(bus >> 32);
	N82599_REG(&r->nic, off + 8) = ring->size * DESC_LEN;
}

void
rig_rx_arm(struct rig *r, unsigned int queue, uint32_t at)
{
	struct rig_ring *ring = &r->rx[queue];
	uint64_t words[2] = { (uintptr_t)ring->buf[at], 0 };

	memset(ring->buf[at], RIG_FILL, ring->kb * RIG_KB);
	memcpy(ring->desc + at * DESC_LEN, words, sizeof(words));
}

void
rig_rx_tail(struct rig *r, unsigned int queue, uint32_t tail)
{
	N82599_REG(&r->nic, R_RDT(queue)) = tail;
}

void
rig_rx_start(struct rig *r, unsigned int queue, uint32_t size, uint32_t kb)
{
	struct rig_ring *ring = &r->rx[queue];

	ring_new(ring, size);
	ring->kb = kb;
	for (uint32_t i = 0; i < size; i++) {
		ring->buf[i] = malloc(kb * RIG_KB);
		assert_non_null(ring->buf[i]);
		rig_rx_arm(r, queue, i);
	}
	set_ring(r, R_RDBAL(queue), ring);
	n82599_write(&r->nic, R_SRRCTL(queue), 1u << 25 | kb);
	N82599_REG(&r->nic, R_RXDCTL(queue)) |= RXDCTL_ENABLE;
	N82599_REG(&r->nic, R_RDH(queue)) = 0;
	rig_rx_tail(r, queue, size - 1);
}

void
rig_rx_stop(struct rig *r, unsigned int queue)
{
	N82599_REG(&r->nic, R_RXDCTL(queue)) &= ~RXDCTL_ENABLE;
	n82599_rx_look(&r->nic, 0);
	ring_free(&r->rx[queue]);
}

struct rig_rxd
rig_rxd(const struct rig *r, unsigned int queue, uint32_t at)
{
	struct rig_rxd d;

	static_assert(sizeof(d) == DESC_LEN, "as it lies in memory");
	memcpy(&d, r->rx[queue].desc + at * DESC_LEN, sizeof(d));
	return d;
}

unsigned int
rig_receive(struct rig *r, const uint8_t *frame, uint32_t len, uint32_t flags, bool wait)
{
	uint8_t *copy = malloc(len);
	struct soft_frame f = { .data = copy, .len = len, .flags = flags };
	unsigned int taken;

	assert_non_null(copy);
	memcpy(copy, frame, len);
	taken = n82599_receive(&r->port, &f, 1, wait);
	free(copy);
	return taken;
}

void
rig_tx_start(struct rig *r, unsigned int queue, uint32_t size)
{
	ring_new(&r->tx[queue], size);
	set_ring(r, R_TDBAL(queue), &r->tx[queue]);
	N82599_REG(&r->nic, R_TDH(queue)) = 0;
	N82599_REG(&r->nic, R_TXDCTL(queue)) |= TXDCTL_ENABLE;
	N82599_REG(&r->nic, R_TDT(queue)) = 0;
	n82599_queues(&r->nic);
}

void
rig_tx_stop(struct rig *r, unsigned int queue)
{
	N82599_REG(&r->nic, R_TXDCTL(queue)) &= ~TXDCTL_ENABLE;
	n82599_tx_look(&r->nic);
	ring_free(&r->tx[queue]);
}

static void
tx_put(struct rig_ring *ring, uint64_t q0, uint64_t q1)
{
	uint64_t words[2] = { q0, q1 };

	memcpy(ring->desc + ring->tail * DESC_LEN, words, sizeof(words));
	ring->tail = (ring->tail + 1) % ring->size;
}

/* The driver's buffer: a copy that lives until its place in the ring is used again. */
void
rig_tx_data(struct rig *r, unsigned int queue, const void *data, uint32_t len, uint64_t cmd)
{
	struct rig_ring *ring = &r->tx[queue];
	uint8_t *copy = malloc(len > 0 ? len : 1);

	assert_non_null(copy);
	memcpy(copy, data, len);
	free(ring->buf[ring->tail]);
	ring->buf[ring->tail] = copy;
	tx_put(ring, (uintptr_t)copy, cmd | len);
}

void
rig_tx_context(struct rig *r, unsigned int queue, uint64_t q0, uint64_t q1)
{
	tx_put(&r->tx[queue], q0, q1 | TXD_CONTEXT | TXD_DEXT);
}

void
rig_tx_tail(struct rig *r, unsigned int queue)
{
	N82599_REG(&r->nic, R_TDT(queue)) = r->tx[queue].tail;
}

bool
rig_tx_done(const struct rig *r, unsigned int queue, uint32_t at)
{
	return load64(r->tx[queue].desc + at * DESC_LEN + 8) == TXD_DD;
}

unsigned int
rig_transmit(struct rig *r, struct soft_frame *frames, unsigned int max)
{
	unsigned int n = n82599_transmit(&r->port, frames, max);

	n82599_transmitted(&r->port);
	return n;
}

static uint32_t
put_ip(uint8_t *at, const struct rig_packet *p, uint32_t len)
{
	uint32_t src = __builtin_bswap32(p->src), dst = __builtin_bswap32(p->dst);

	memset(at, 0, 40);
	if (p->ipv6) {
		at[0] = 0x60;
		store16_be(at + 4, (uint16_t)(len - 40));
		at[6] = p->tcp ? 6 : 17;
		at[7] = 64;
		at[8] = at[24] = 0xfd;
		memcpy(at + 20, &src, 4);
		memcpy(at + 36, &dst, 4);
		return 40;
	}
	at[0] = 0x45;
	store16_be(at + 2, (uint16_t)len);
	at[8] = 64;
	at[9] = p->tcp ? 6 : 17;
	memcpy(at + 12, &src, 4);
	memcpy(at + 16, &dst, 4);
	return 20;
}

void
rig_packet(uint8_t *frame, const struct rig_packet *p)
{
	static const uint8_t none[6];
	uint32_t at = 12;
	struct hdr h;

	memcpy(frame, memcmp(p->mac, none, 6) == 0 ? own_mac : p->mac, 6);
	memcpy(frame + 6, "\x02\x00\x00\x00\x00\x02", 6);
	if (p->tag != 0) {
		store16_be(frame + at, TYPE_VLAN);
		store16_be(frame + at + 2, p->tag);
		at += TAG_LEN;
	}
	store16_be(frame + at, p->ipv6 ? 0x86dd : 0x0800);
	at += 2;
	at += put_ip(frame + at, p, p->len - at);
	for (uint32_t i = at; i < p->len; i++)
		frame[i] = (uint8_t)(i * 7);
	store16_be(frame + at, p->sport);
	store16_be(frame + at + 2, p->dport);
	if (p->tcp)
		frame[at + 12] = 0x50; /* five words of header */
	else
		store16_be(frame + at + 4, (uint16_t)(p->len - at));
	hdr_parse(&h, frame, p->len);
	hdr_set_ip(&h, frame);
	hdr_set_l4(&h, frame);
}

void
rig_check_sums(const struct rig *r, uint64_t offered)
{
	const struct softnic_stats *s = &r->port.stats;

	assert_int_equal(s->rx_frames + s->rx_missed + s->rx_filtered + s->rx_bad + s->rx_lost,
			 offered);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/data.h"

#include <emmintrin.h>

/*
 * Receive, datasheet 7.1: advanced descriptors with one buffer.  The passes over a batch:
 *
 *   classify    fate, queue and descriptor words of each frame: rx_parse.c
 *   place       in order: which descriptors, where their buffers are; or why not
 *   deliver     the bytes
 *   write_back  the descriptors, DD last, in one go: the host polls these lines
 *   settle      counters, heads, interrupts
 */
struct batch {
	struct n82599 *nic;
	unsigned int n; /* frames taken so far */
	unsigned int nb_go;
	uint8_t go[SOFT_BATCH]; /* items that are delivered, in order */
	uint64_t queues;        /* that they go to */
	uint64_t bytes;         /* as they came */
	uint32_t missed, crc, too_short, fragment, too_long, jabber;
};

bool
n82599_listening(const struct soft_port *port)
{
	const struct n82599 *nic = port->nic;

	return !nic->removed && N82599_REG(nic, R_RXCTRL) & RXCTRL_RXEN &&
	       N82599_REG(nic, R_LINKS) & LINKS_UP;
}

uint8_t *
n82599_dma(struct soft_port *port, enum softnic_fault fault, uint64_t bus, uint32_t len)
{
	uint8_t *p;

	if (__builtin_expect(port->fault[fault] != 0, 0)) {
		port->fault[fault]--;
		bus ^= 1ull << 62; /* no memory is there in either IOVA mode */
	}
	p = dma_at(bus, len);
	if (__builtin_expect(p == NULL, 0))
		port->stats.dma_errors++;
	return p;
}

/* It has come as far as the packet buffer and out of it again. */
static inline void
count_good(struct tally *t, const struct rx_item *it)
{
	tally_add(t, it->frame_len + FCS_LEN);
	t->multicast += it->group == 1;
	t->broadcast += it->group == 2;
	t->sum_errors += (it->status & (RXD_IPE | RXD_L4E)) != 0;
}

/* No descriptor: at the queue's door when it may drop, 8.2.3.8.7, else in the packet buffer. */
static void
miss(struct batch *b, struct n82599_rxq *q, const struct rx_item *it)
{
	b->nic->port->stats.rx_missed++;
	if (q->on && !q->drop_en) {
		b->missed++;
		return;
	}
	q->dropped++;
	count_good(&b->nic->rx->tally, it);
}

/* A good frame: false when it has to wait. */
static inline bool
place_good(struct batch *b, struct rx_item *it, bool wait)
{
	struct n82599 *nic = b->nic;
	struct n82599_rxq *q = &nic->rxq[it->queue];
	uint32_t need = 1;

	if (__builtin_expect(it->len > q->room && q->free != 0, 0))
		need = (it->len + q->room - 1) / q->room;
	if (__builtin_expect(q->free < need, 0)) {
		if (wait && q->on && q->ring != NULL)
			return false;
		miss(b, q, it);
		return true;
	}
	it->to = NULL;
	it->at = q->head;
	if (__builtin_expect(need == 1, 1)) {
		it->to = n82599_dma(nic->port, SOFTNIC_DMA_RX, load64(q->ring + q->head * DESC_LEN),
				    it->len);
		if (it->to != NULL)
			prefetch_write(it->to);
	}
	if (__builtin_expect(it->to == NULL, 0) &&
	    (need == 1 || n82599_rx_scatter(nic, q, it) < 0)) {
		nic->port->stats.rx_lost++;
		return true;
	}
	q->head += need;
	if (q->head >= q->size)
		q->head -= q->size;
	q->free -= need;
	q->frames++;
	q->bytes += it->len;
	b->go[b->nb_go++] = (uint8_t)(it - nic->rx->item);
	b->queues |= 1ull << it->queue;
	b->bytes += it->frame_len;
	count_good(&nic->rx->tally, it);
	return true;
}

static void
place_bad(struct batch *b, const struct rx_item *it)
{
	struct softnic_stats *stats = &b->nic->port->stats;

	if (it->fate == RX_FILTERED) {
		stats->rx_filtered++;
		return;
	}
	stats->rx_bad++;
	b->crc += it->fate == RX_CRC;
	b->too_short += it->fate == RX_SHORT;
	b->fragment += it->fate == RX_FRAGMENT;
	b->too_long += it->fate == RX_LONG;
	b->jabber += it->fate == RX_JABBER;
}

static void
place(struct batch *b, unsigned int n, bool wait)
{
	struct n82599_rx *rx = b->nic->rx;

	for (b->n = 0; b->n < n; b->n++) {
		struct rx_item *it = &rx->item[b->n];

		if (__builtin_expect(it->fate != RX_GOOD, 0)) {
			place_bad(b, it);
			continue;
		}
		if (!place_good(b, it, wait))
			return;
	}
}

/* 32 to 64 bytes by loads and stores that overlap, else a call. */
static inline void
copy(uint8_t *to, const uint8_t *from, uint32_t n)
{
	__m128i a, b, c, d;

	if (__builtin_expect(n < 32 || n > 64, 0)) {
		memcpy(to, from, n);
		return;
	}
	a = _mm_loadu_si128((const __m128i *)(const void *)from);
	b = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
	c = _mm_loadu_si128((const __m128i *)(const void *)(from + n - 32));
	d = _mm_loadu_si128((const __m128i *)(const void *)(from + n - 16));
	_mm_storeu_si128((__m128i *)(void *)to, a);
	_mm_storeu_si128((__m128i *)(void *)(to + 16), b);
	_mm_storeu_si128((__m128i *)(void *)(to + n - 32), c);
	_mm_storeu_si128((__m128i *)(void *)(to + n - 16), d);
}

static void
deliver(const struct batch *b)
{
	for (unsigned int i = 0; i < b->nb_go; i++) {
		const struct rx_item *it = &b->nic->rx->item[b->go[i]];

		if (it->to == NULL)
			continue;
		if (__builtin_expect(it->strip || it->fcs, 0))
			n82599_rx_copy(it, 0, it->to, it->len);
		else
			copy(it->to, it->data, it->len);
	}
}

/* One 16-byte store a descriptor, like one PCIe write: the host never sees half of it. */
static inline void
store(const struct n82599_rxq *q, const struct rx_item *it, uint32_t at, uint32_t status,
      uint32_t len)
{
	__m128i words = _mm_set_epi32((int)(len | (uint32_t)it->vlan << 16), (int)status,
				      (int)it->hash, (int)it->info);

	_mm_store_si128((__m128i *)(void *)(q->ring + at * DESC_LEN), words);
}

static void
write_back(const struct batch *b)
{
	__asm__ volatile("" ::: "memory"); /* x86 keeps stores in order, so must the compiler */
	for (unsigned int i = 0; i < b->nb_go; i++) {
		const struct rx_item *it = &b->nic->rx->item[b->go[i]];
		const struct n82599_rxq *q = &b->nic->rxq[it->queue];
		uint32_t left = it->len, at = it->at;

		/* All but the last of a chain: no EOP and no verdicts, 7.1.6.2 */
		for (; __builtin_expect(left > q->room, 0); left -= q->room) {
			store(q, it, at, RXD_DD, q->room);
			at = at + 1 == q->size ? 0 : at + 1;
		}
		store(q, it, at, it->status, left);
	}
	__asm__ volatile("" ::: "memory");
}

static void
count_bad(const struct batch *b)
{
	struct n82599 *nic = b->nic;

	n82599_count(nic, R_MPC(0), b->missed);
	n82599_count(nic, R_CRCERRS, b->crc);
	n82599_count(nic, R_RUC, b->too_short);
	n82599_count(nic, R_RFC, b->fragment);
	n82599_count(nic, R_ROC, b->too_long);
	n82599_count(nic, R_RJC, b->jabber);
}

static void
settle(const struct batch *b)
{
	struct n82599 *nic = b->nic;
	struct tally *t = &nic->rx->tally;

	for (uint64_t m = b->queues; m != 0; m &= m - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(m);

		N82599_REG(nic, R_RDH(i)) = nic->rxq[i].head;
		n82599_irq_rx(nic, i);
	}
	nic->port->stats.rx_frames += b->nb_go;
	nic->port->stats.rx_bytes += b->bytes;
	n82599_count(nic, R_TPR, b->n);
	n82599_count(nic, R_GPRC, t->frames);
	n82599_count_octets(nic, R_GORCL, t->octets);
	n82599_count(nic, R_MPRC, t->multicast);
	n82599_count(nic, R_BPRC, t->broadcast);
	n82599_count(nic, R_XEC, t->sum_errors);
	for (unsigned int i = 0; i < SIZES; i++)
		if (t->size[i])
			n82599_count(nic, R_PRC64 + 4u * i, t->size[i]);
	n82599_count(nic, R_RXDGPC, b->nb_go);
	n82599_count_octets(nic, R_RXDGBCL, b->bytes + (uint64_t)FCS_LEN * b->nb_go);
	if (b->nb_go < b->n)
		count_bad(b);
	memset(t, 0, sizeof(*t));
}

unsigned int
n82599_receive(struct soft_port *port, const struct soft_frame *frames, unsigned int n, bool wait)
{
	struct n82599 *nic = port->nic;
	struct batch b = { .nic = nic };

	if (n > SOFT_BATCH)
		n = SOFT_BATCH;
	n82599_rx_look(nic);
	nic->rx->looked = true;
	if (n == 0 || !n82599_listening(port)) {
		if (wait)
			return 0;
		port->stats.rx_missed += n;
		return n;
	}
	n82599_rules(nic);
	n82599_rx_classify(nic, frames, n);
	place(&b, n, wait);
	deliver(&b);
	write_back(&b);
	settle(&b);
	return b.n;
}

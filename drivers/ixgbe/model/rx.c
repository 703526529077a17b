/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/rx.h"

#include "drivers/ixgbe/model/tally.h"

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
	uint64_t queues;   /* that the frames go to, bit each */
	uint64_t bytes;    /* delivered, as they came */
	struct tally good; /* as far as the packet buffer and out of it; frames, bytes: dropped */
	uint32_t missed, crc, too_short, fragment, too_long, jabber;
	struct rx_item **go; /* rx->go: that are delivered, in order */
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

/* But for frames and bytes, see settle(). */
static inline void
count_good(struct tally *good, const struct rx_item *it)
{
	good->size[size_class(it->frame_len + FCS_LEN)]++;
	if (__builtin_expect(it->group != 0, 0)) {
		good->multicast += it->group == 1;
		good->broadcast += it->group == 2;
	}
	if (__builtin_expect(it->word[RXD_STATUS] & (RXD_IPE | RXD_L4E), 0))
		good->sum_errors++;
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
	b->good.frames++;
	b->good.bytes += it->frame_len;
	count_good(&b->good, it);
}

/* The frame goes into need descriptors from q->head on. */
static inline void
take(struct batch *b, struct n82599_rxq *q, struct rx_item *it, uint32_t need)
{
	uint32_t head = q->head;

	it->desc = q->ring + head * DESC_LEN;
	if (head % PER_LINE == 0 && q->free > RX_AHEAD)
		prefetch_write(it->desc + RX_AHEAD * DESC_LEN);
	head += need;
	q->head = head >= q->size ? head - q->size : head;
	q->free -= need;
	q->frames++;
	q->bytes += it->len;
	b->go[b->nb_go++] = it;
	b->queues |= 1ull << it->queue;
	b->bytes += it->frame_len;
	count_good(&b->good, it);
}

/* A frame that does not just go into the next buffer.  False when it has to wait. */
static bool
place_odd(struct batch *b, struct n82599_rxq *q, struct rx_item *it, bool wait)
{
	struct n82599 *nic = b->nic;
	uint32_t need = q->room != 0 ? (it->len + q->room - 1) / q->room : 1;

	if (q->free < need && q->on)
		n82599_rx_refresh(nic, it->queue);
	if (q->free < need) {
		if (wait && q->on && q->ring != NULL)
			return false;
		miss(b, q, it);
		return true;
	}
	it->to = NULL;
	if (need == 1)
		it->to = n82599_dma(nic->port, SOFTNIC_DMA_RX, load64(q->ring + q->head * DESC_LEN),
				    it->len);
	if (it->to == NULL && (need == 1 || n82599_rx_scatter(nic, q, it) < 0))
		nic->port->stats.rx_lost++;
	else
		take(b, q, it, need);
	return true;
}

static void
refuse(struct batch *b, const struct rx_item *it)
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
	struct n82599 *nic = b->nic;
	struct rx_item *it = nic->rx->item;
	const bool damage = nic->port->fault[SOFTNIC_DMA_RX] != 0;

	for (const struct rx_item *end = it + n; it < end; it++) {
		struct n82599_rxq *q = &nic->rxq[it->queue];

		if (__builtin_expect(it->fate != RX_GOOD, 0)) {
			refuse(b, it);
			continue;
		}
		if (__builtin_expect(q->free != 0 && it->len <= q->room && !damage, 1)) {
			it->to = dma_at(load64(q->ring + q->head * DESC_LEN), it->len);
			if (__builtin_expect(it->to != NULL, 1)) {
				prefetch_write(it->to);
				take(b, q, it, 1);
				continue;
			}
		}
		if (!place_odd(b, q, it, wait))
			break;
	}
	b->n = (unsigned int)(it - nic->rx->item);
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
		const struct rx_item *it = b->go[i];

		if (__builtin_expect(it->to == NULL, 0))
			continue;
		if (__builtin_expect(it->edit, 0))
			n82599_rx_copy(it, 0, it->to, it->len);
		else
			copy(it->to, it->data, it->len);
	}
}

/* One 16-byte store a descriptor, like one PCIe write: the host never sees half of it. */
static inline void
store(uint8_t *desc, const uint32_t word[4])
{
	_mm_store_si128((__m128i *)(void *)desc,
			_mm_loadu_si128((const __m128i *)(const void *)word));
}

/* All descriptors but the last have no EOP and no verdicts, 7.1.6.2. */
static void
write_back_chain(const struct n82599_rxq *q, const struct rx_item *it)
{
	uint32_t word[4] = { it->word[RXD_INFO], it->word[RXD_HASH], RXD_DD, q->room };
	uint8_t *desc = it->desc;
	uint32_t left = it->len;

	for (; left > q->room; left -= q->room) {
		store(desc, word);
		desc += DESC_LEN;
		if (desc == q->ring + q->size * DESC_LEN)
			desc = q->ring;
	}
	word[RXD_STATUS] = it->word[RXD_STATUS];
	word[RXD_LEN] = (it->word[RXD_LEN] & 0xffff0000u) | left;
	store(desc, word);
}

static void
write_back(const struct batch *b)
{
	__asm__ volatile("" ::: "memory"); /* x86 keeps stores in order, so must the compiler */
	for (unsigned int i = 0; i < b->nb_go; i++) {
		const struct rx_item *it = b->go[i];

		if (__builtin_expect(it->to != NULL, 1))
			store(it->desc, it->word);
		else
			write_back_chain(&b->nic->rxq[it->queue], it);
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
	const struct tally *good = &b->good;
	const uint32_t frames = good->frames + b->nb_go; /* dropped at a queue, and delivered */
	const uint64_t bytes = good->bytes + b->bytes;

	for (uint64_t m = b->queues; m != 0; m &= m - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(m);

		if (nic->patience == 0)
			n82599_rx_refresh(nic, i);
		n82599_irq_rx(nic, i);
	}
	nic->port->stats.rx_frames += b->nb_go;
	nic->port->stats.rx_bytes += b->bytes;
	n82599_count(nic, R_TPR, b->n);
	n82599_count(nic, R_GPRC, frames);
	n82599_count_octets(nic, R_GORCL, bytes + (uint64_t)FCS_LEN * frames);
	n82599_count(nic, R_RXDGPC, b->nb_go);
	n82599_count_octets(nic, R_RXDGBCL, b->bytes + (uint64_t)FCS_LEN * b->nb_go);
	for (unsigned int i = 0; i < SIZES; i++)
		if (good->size[i] != 0)
			n82599_count(nic, R_PRC64 + 4u * i, good->size[i]);
	if (good->multicast + good->broadcast + good->sum_errors != 0) {
		n82599_count(nic, R_MPRC, good->multicast);
		n82599_count(nic, R_BPRC, good->broadcast);
		n82599_count(nic, R_XEC, good->sum_errors);
	}
	if (b->nb_go < b->n)
		count_bad(b);
}

unsigned int
n82599_receive(struct soft_port *port, const struct soft_frame *frames, unsigned int n, bool wait)
{
	struct n82599 *nic = port->nic;
	struct batch b = { .nic = nic, .go = nic->rx->go };

	if (n > SOFT_BATCH)
		n = SOFT_BATCH;
	n82599_rx_look(nic, n);
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
	n82599_ahead_tx(nic);
	write_back(&b);
	settle(&b);
	return b.n;
}

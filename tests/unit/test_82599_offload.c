/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"
#include "support/cmocka.h"
#include "support/rig_82599.h"

/*
 * What the NIC adds to frames: sums, tags, segments.  Descriptors are those that net_ixgbe's full
 * transmit function writes.
 */
static struct rig r;
static uint8_t frame[1u << 18], want[RIG_FRAME];
static struct soft_frame out[SOFT_BATCH];

static int
setup(void **state)
{
	(void)state;
	rig_open(&r);
	rig_tx_start(&r, 0, 64);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_close(&r);
	return 0;
}

/* MACLEN, IPLEN, VLAN */
static uint64_t
lens(uint32_t mac, uint32_t ip, uint16_t vlan)
{
	return ip | mac << 9 | (uint64_t)vlan << 16;
}

static uint64_t
tucmd(bool ipv6, uint32_t l4t)
{
	return (ipv6 ? 0 : TXC_IPV4) | (uint64_t)l4t << 11;
}

/* What software leaves in the sum's field for the NIC: the sum of the pseudo header. */
static void
put_pseudo(uint8_t *f, uint32_t len, bool with_len)
{
	struct hdr h;
	uint8_t *at;
	uint64_t sum;

	hdr_parse(&h, f, len);
	at = f + h.l4_at + (h.l4 == HDR_L4_TCP ? 16 : 6);
	sum = hdr_sum(f + h.l3_at + (h.l3 == HDR_L3_IPV4 ? 12 : 8), h.l3 == HDR_L3_IPV4 ? 8 : 32,
		      0);
	sum += (uint64_t)(h.l4 == HDR_L4_TCP ? 6 : 17) << 8;
	if (with_len)
		sum += __builtin_bswap16(h.l4_len);
	store16_be(at, (uint16_t)~hdr_fold(sum));
}

/* In one buffer and in three. */
static void
send_and_compare(uint32_t len, uint64_t more, uint32_t want_len)
{
	for (unsigned int pieces = 1; pieces <= 3; pieces += 2) {
		for (unsigned int i = 0; i < pieces; i++) {
			uint32_t from = len * i / pieces, to = len * (i + 1) / pieces;
			uint64_t cmd = RIG_WHOLE(len) | more;

			rig_tx_data(&r, 0, frame + from, to - from,
				    i + 1 == pieces ? cmd : cmd & ~TXD_EOP);
		}
		rig_tx_tail(&r, 0);
		assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
		assert_int_equal(out[0].len, want_len);
		assert_memory_equal(out[0].data, want, want_len);
	}
}

static const struct rig_packet packets[] = {
	{ .len = 60 },
	{ .len = 60, .tcp = true },
	{ .len = 1513 },
	{ .len = 1514, .tcp = true },
	{ .len = 9001, .tcp = true },
	{ .len = 68, .tag = 7 },
	{ .len = 62, .ipv6 = true },
	{ .len = 1025, .ipv6 = true, .tcp = true },
};

static void
sums_are_inserted(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(packets); i++) {
		struct rig_packet p = packets[i];
		uint32_t mac = p.tag ? 18 : 14, ip = p.ipv6 ? 40 : 20;

		p.src = 0x0a000001 + i;
		p.dst = 0xc0000201;
		rig_packet(want, &p);
		memcpy(frame, want, p.len);
		put_pseudo(frame, p.len, true);
		if (!p.ipv6)
			store16_be(frame + mac + 10, 0);
		assert_memory_not_equal(frame, want, p.len);
		rig_tx_context(&r, 0, lens(mac, ip, 0),
			       tucmd(p.ipv6, p.tcp ? TXC_TCP : TXC_UDP) | (i & 1ull) << 36);
		send_and_compare(p.len, TXD_TXSM | (p.ipv6 ? 0 : TXD_IXSM) | (i & 1ull) << 36,
				 p.len);
	}
	assert_int_equal(r.port.stats.tx_lost, 0);
}

/* IXSM alone, and over what the host has left in the field: it has to clear it. */
static void
only_what_was_asked_for(void **state)
{
	struct rig_packet p = { .len = 100, .src = 1, .dst = 2 };

	(void)state;
	rig_packet(want, &p);
	memcpy(frame, want, p.len);
	rig_tx_context(&r, 0, lens(14, 20, 0), tucmd(false, 3));
	store16_be(frame + 24, 0);
	store16_be(frame + 40, 0x1234);
	store16_be(want + 40, 0x1234);
	send_and_compare(p.len, TXD_IXSM, p.len);
	store16_be(frame + 24, 1);
	store16_be(want + 24, (uint16_t)(load16_be(want + 24) - 1));
	send_and_compare(p.len, TXD_IXSM, p.len);
}

static void
a_udp_sum_of_zero_becomes_ones(void **state)
{
	struct rig_packet p = { .len = 60 };
	uint16_t sum;

	(void)state;
	rig_packet(want, &p);
	/* The sum is 0 when the payload has what it lacks. */
	sum = load16_be(want + 40);
	store16_be(want + 42, (uint16_t)((load16_be(want + 42) + sum) % 65535));
	memcpy(frame, want, p.len);
	put_pseudo(frame, p.len, true);
	store16_be(want + 40, 0xffff);
	rig_tx_context(&r, 0, lens(14, 20, 0), tucmd(false, TXC_UDP));
	send_and_compare(p.len, TXD_TXSM, p.len);
}

static void
sctp_gets_its_crc(void **state)
{
	struct rig_packet p = { .len = 90 };
	uint32_t crc;

	(void)state;
	rig_packet(want, &p);
	want[23] = 132;
	memset(want + 42, 0, 4);
	memcpy(frame, want, p.len);
	frame[43] = 9; /* does not count */
	crc = ~n82599_crc32c(want + 34, p.len - 34, UINT32_MAX);
	memcpy(want + 42, &crc, 4);
	rig_tx_context(&r, 0, lens(14, 20, 0), tucmd(false, TXC_SCTP));
	send_and_compare(p.len, TXD_TXSM, p.len);
}

static void
tags_are_inserted(void **state)
{
	(void)state;
	for (uint32_t len = 50; len < 1600; len += 31) {
		uint32_t total = len + 4 < 60 ? 60 : len + 4;

		rig_packet(frame, &(struct rig_packet){ .len = len });
		memset(want, 0, sizeof(want));
		memcpy(want, frame, 12);
		store16_be(want + 12, 0x8100);
		store16_be(want + 14, 0x6123);
		memcpy(want + 16, frame + 12, len - 12);
		rig_tx_context(&r, 0, lens(14, 0, 0x6123), tucmd(false, 3));
		send_and_compare(len, TXD_VLE, total);
	}
	n82599_write(&r.nic, R_DMATXCTL, DMATXCTL_TE | 0x88a8u << 16);
	store16_be(want + 12, 0x88a8);
	send_and_compare(1569, TXD_VLE, 1573); /* the last of them */
}

/* A tag and sums: the offsets are those without the tag. */
static void
tags_and_sums_together(void **state)
{
	struct rig_packet p = { .len = 777, .src = 5, .dst = 6, .tcp = true };

	(void)state;
	rig_packet(frame, &p);
	p.tag = 0x0042;
	p.len += 4;
	memcpy(want, frame, 12);
	store16_be(want + 12, 0x8100);
	store16_be(want + 14, p.tag);
	memcpy(want + 16, frame + 12, p.len - 16);
	put_pseudo(frame, 777, true);
	store16_be(frame + 24, 0);
	rig_tx_context(&r, 0, lens(14, 20, p.tag), tucmd(false, TXC_TCP));
	send_and_compare(777, TXD_VLE | TXD_TXSM | TXD_IXSM, p.len);
	/* The longest frame with a tag would be too long for the cable. */
	rig_tx_data(&r, 0, frame, SOFT_FRAME_MAX - 3, RIG_WHOLE(SOFT_FRAME_MAX - 3) | TXD_VLE);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_int_equal(r.port.stats.tx_lost, 1);
}

/* Segmentation ---------------------------------------------------------------------------------- */

struct tso {
	bool ipv6;
	uint16_t vlan;
	uint32_t payload, mss, pieces;
};

#define FLAGS_ALL 0x1ff

/* The frame that the host wants cut: flags all set, sequence number and id close to wrapping. */
static uint32_t
tso_frame(const struct tso *t)
{
	uint32_t ip = t->ipv6 ? 40 : 20, header = 14 + ip + 20, at = 14 + ip;
	uint32_t seq = __builtin_bswap32(0xfffffff0u);

	rig_packet(frame, &(struct rig_packet){ .len = header,
						.ipv6 = t->ipv6,
						.tcp = true,
						.src = 0x0a000001,
						.dst = 0x0a000002 });
	for (uint32_t i = 0; i < t->payload; i++)
		frame[header + i] = (uint8_t)(i * 31 + (i >> 8));
	store16_be(frame + at + 12, 0x5000 | FLAGS_ALL);
	memcpy(frame + at + 4, &seq, 4);
	put_pseudo(frame, header, false);
	if (!t->ipv6) {
		store16_be(frame + 14 + 2, 0);
		store16_be(frame + 14 + 4, 0xfffe);
		store16_be(frame + 14 + 10, 0);
	}
	return header + t->payload;
}

static void
post_tso(const struct tso *t)
{
	uint32_t len = tso_frame(t), ip = t->ipv6 ? 40 : 20;
	uint64_t cmd = (RIG_WHOLE(t->payload) | TXD_TSE | TXD_TXSM | TXD_RS) & ~TXD_EOP;

	if (!t->ipv6)
		cmd |= TXD_IXSM;
	if (t->vlan)
		cmd |= TXD_VLE;
	rig_tx_context(&r, 0, lens(14, ip, t->vlan),
		       tucmd(t->ipv6, TXC_TCP) | 20ull << 40 | (uint64_t)t->mss << 48);
	for (uint32_t i = 0; i < t->pieces; i++) {
		uint32_t from = (uint32_t)((uint64_t)len * i / t->pieces);
		uint32_t to = (uint32_t)((uint64_t)len * (i + 1) / t->pieces);

		rig_tx_data(&r, 0, frame + from, to - from,
			    i + 1 == t->pieces ? cmd | TXD_EOP : cmd);
	}
	rig_tx_tail(&r, 0);
}

/* The k-th segment; returns its payload's length. */
static uint32_t
check_segment(const struct tso *t, const struct soft_frame *f, uint32_t k, uint32_t done)
{
	uint32_t tag = t->vlan ? 4 : 0, ip = 14 + tag, header;
	bool first = done == 0, last;
	uint32_t data, seq;
	uint16_t flags;
	struct hdr h;

	hdr_parse(&h, f->data, f->len);
	assert_int_equal(h.l4, HDR_L4_TCP);
	assert_int_equal(h.tci[0], t->vlan);
	header = h.l4_at + 20u;
	data = f->len - header;
	last = done + data == t->payload;
	assert_int_equal(data, last ? t->payload - done : t->mss);
	assert_int_equal(h.l4_len, 20 + data);
	assert_memory_equal(f->data + header, frame + header - tag + done, data);
	assert_int_equal(hdr_check_l4(&h, f->data), HDR_SUM_GOOD);
	if (!t->ipv6) {
		assert_int_equal(hdr_check_ip(&h, f->data), HDR_SUM_GOOD);
		assert_int_equal(load16_be(f->data + ip + 4), (uint16_t)(0xfffe + k));
	}
	seq = __builtin_bswap32(load32(f->data + h.l4_at + 4));
	assert_int_equal(seq, 0xfffffff0u + done);
	flags = load16_be(f->data + h.l4_at + 12) & FLAGS_ALL;
	assert_int_equal(flags & 0x09, last ? 0x09 : 0);           /* PSH, FIN */
	assert_int_equal(flags & 0x80, first && !last ? 0x80 : 0); /* CWR */
	assert_int_equal(flags & 0x176, 0x176 & FLAGS_ALL);
	return data;
}

static const struct tso tsos[] = {
	{ .payload = 1, .mss = 1, .pieces = 1 },
	{ .payload = 1460, .mss = 1460, .pieces = 2 },
	{ .payload = 1461, .mss = 1460, .pieces = 2 },
	{ .payload = 60000, .mss = 1460, .pieces = 30 },
	{ .payload = 60000, .mss = 1440, .pieces = 1, .ipv6 = true },
	{ .payload = 60000, .mss = 1000, .pieces = 40, .vlan = 0x0abc },
	{ .payload = 9000, .mss = 536, .pieces = 7, .ipv6 = true, .vlan = 5 },
	{ .payload = 200000, .mss = 9000, .pieces = 39 }, /* 18 bits of length */
	{ .payload = 5000, .mss = 20, .pieces = 3 },      /* 250 segments: many turns */
};

static void
segments_are_right(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(tsos); i++) {
		const struct tso *t = &tsos[i];
		uint32_t done = 0, k = 0, last;

		post_tso(t);
		last = (r.tx[0].tail + 63) % 64;
		while (done < t->payload) {
			unsigned int n = rig_transmit(&r, out, 1 + i * 7);

			assert_in_range(n, 1, 1 + i * 7);
			for (unsigned int j = 0; j < n; j++)
				done += check_segment(t, &out[j], k++, done);
			assert_int_equal(rig_tx_done(&r, 0, last), done == t->payload);
		}
		assert_int_equal(k, (t->payload + t->mss - 1) / t->mss);
		assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
		assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), r.tx[0].tail);
	}
	assert_int_equal(r.port.stats.tx_lost, 0);
	assert_int_equal(r.nic.txq[0].frames, r.port.stats.tx_frames);
	assert_int_equal(r.nic.txq[0].bytes, r.port.stats.tx_bytes);
	assert_int_equal(N82599_REG(&r.nic, R_GPTC), r.port.stats.tx_frames);
}

/* What follows goes out behind the last segment. */
static void
order_is_kept(void **state)
{
	const struct tso t = { .payload = 1000, .mss = 100, .pieces = 2 };

	(void)state;
	post_tso(&t);
	rig_tx_data(&r, 0, frame, 61, RIG_WHOLE(61));
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, 9), 9);
	assert_int_equal(rig_transmit(&r, out, 9), 2);
	assert_int_equal(out[0].len, 154);
	assert_int_equal(out[1].len, 61);
}

/* The queue goes off in the middle of one, and comes again. */
static void
a_segmentation_can_be_cut_off(void **state)
{
	const struct tso t = { .payload = 5000, .mss = 20, .pieces = 2 };

	(void)state;
	post_tso(&t);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), SOFT_BATCH);
	rig_tx_stop(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	rig_tx_start(&r, 0, 32);
	rig_tx_data(&r, 0, frame, 61, RIG_WHOLE(61));
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_int_equal(out[0].len, 61);
}

/* Others share the turn in which the last segment goes out. */
static void
a_segmentation_ends_beside_another_queue(void **state)
{
	const struct tso t = { .payload = 700, .mss = 100, .pieces = 2 };

	(void)state;
	rig_tx_start(&r, 1, 32);
	post_tso(&t);
	assert_int_equal(rig_transmit(&r, out, 5), 5);
	rig_tx_data(&r, 1, frame, 61, RIG_WHOLE(61) | TXD_RS);
	rig_tx_data(&r, 1, frame, 50, RIG_WHOLE(50) | TXD_RS);
	rig_tx_tail(&r, 1);
	assert_int_equal(rig_transmit(&r, out, 5), 4);
	assert_true(rig_tx_done(&r, 0, 2));
	assert_true(rig_tx_done(&r, 1, 0));
	assert_true(rig_tx_done(&r, 1, 1));
}

static void
the_longest_segment_is_as_long_as_a_frame(void **state)
{
	struct tso t = {
		.payload = 20000, .mss = SOFT_FRAME_MAX - 54 - TAG_LEN, .pieces = 3, .vlan = 5
	};

	(void)state;
	post_tso(&t);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 3);
	assert_int_equal(out[0].len, SOFT_FRAME_MAX);
	t.mss++;
	post_tso(&t);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_int_equal(r.port.stats.bad_descriptors, 1);
}

static void
wrong_segmentations_are_refused(void **state)
{
	uint64_t ctx = tucmd(false, TXC_TCP) | 20ull << 40 | 1000ull << 48;
	uint64_t cmd = RIG_WHOLE(2000) | TXD_TSE | TXD_TXSM | TXD_IXSM;
	const uint64_t contexts[] = {
		ctx & ~(0xffffull << 48),                   /* MSS 0 */
		(ctx & ~(0xffffull << 48)) | 9700ull << 48, /* frames that are too long */
		(ctx & ~(0xffull << 40)) | 8ull << 40,      /* not a TCP header */
		ctx & ~(3ull << 11),                        /* UDP */
		(ctx & ~(0xffull << 40)) | 24ull << 40,     /* lengths that do not add up */
	};

	(void)state;
	for (unsigned int i = 0; i < RTE_DIM(contexts); i++) {
		rig_tx_context(&r, 0, lens(14, 20, 0), contexts[i]);
		rig_tx_data(&r, 0, frame, 2054, cmd);
		rig_tx_tail(&r, 0);
		assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
		assert_int_equal(r.port.stats.bad_descriptors, i + 1);
	}
	r.port.fault[SOFTNIC_DMA_TX] = 1;
	rig_tx_context(&r, 0, lens(14, 20, 0), ctx);
	rig_tx_data(&r, 0, frame, 2054, cmd | TXD_RS);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_int_equal(r.port.stats.dma_errors, 1);
	assert_int_equal(r.port.stats.tx_lost, RTE_DIM(contexts) + 1);
	assert_true(rig_tx_done(&r, 0, 2 * RTE_DIM(contexts) + 1));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(sums_are_inserted),
		T(only_what_was_asked_for),
		T(a_udp_sum_of_zero_becomes_ones),
		T(sctp_gets_its_crc),
		T(tags_are_inserted),
		T(tags_and_sums_together),
		T(segments_are_right),
		T(order_is_kept),
		T(a_segmentation_can_be_cut_off),
		T(a_segmentation_ends_beside_another_queue),
		T(the_longest_segment_is_as_long_as_a_frame),
		T(wrong_segmentations_are_refused),
	};

	return cmocka_run_group_tests_name("82599 offload", tests, NULL, NULL);
}

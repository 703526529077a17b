/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/run.h"
#include "support/cmocka.h"
#include "support/rig_82599.h"

/* Frames and chains; queues: test_82599_tx_queue.c; what is added: test_82599_offload.c */
static struct rig r;
static uint8_t bytes[1u << 16];
static struct soft_frame out[SOFT_BATCH];

static int
setup(void **state)
{
	(void)state;
	rig_open(&r);
	for (uint32_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 13 + (i >> 8));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_close(&r);
	return 0;
}

static void
put(unsigned int queue, uint32_t len, uint64_t more)
{
	rig_tx_data(&r, queue, bytes, len, RIG_WHOLE(len) | more);
}

/* A frame in nb buffers of about the same length. */
static void
put_chain(unsigned int queue, uint32_t len, uint32_t nb, uint64_t more)
{
	for (uint32_t i = 0; i < nb; i++) {
		uint32_t from = len * i / nb, to = len * (i + 1) / nb;
		uint64_t cmd = RIG_WHOLE(len) | more;

		rig_tx_data(&r, queue, bytes + from, to - from,
			    i + 1 == nb ? cmd : cmd & ~(TXD_EOP | TXD_RS));
	}
}

static void
a_plain_frame_goes_out_where_it_lies(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	put(0, 60, TXD_RS);
	put(0, 61, 0);
	assert_int_equal(n82599_transmit(&r.port, out, SOFT_BATCH), 0); /* no tail yet */
	rig_tx_tail(&r, 0);
	assert_int_equal(n82599_transmit(&r.port, out, SOFT_BATCH), 2);
	assert_ptr_equal(out[0].data, r.tx[0].buf[0]);
	assert_int_equal(out[0].len, 60);
	assert_int_equal(out[1].len, 61);
	assert_int_equal(out[1].flags, 0);
	assert_false(rig_tx_done(&r, 0, 0));
	assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), 0);
	n82599_transmitted(&r.port);
	assert_true(rig_tx_done(&r, 0, 0));
	assert_false(rig_tx_done(&r, 0, 1)); /* did not ask for it */
	assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), 2);
	assert_int_equal(N82599_REG(&r.nic, R_GPTC), 2);
	assert_int_equal(N82599_REG(&r.nic, R_GOTCL), 129);
	assert_int_equal(N82599_REG(&r.nic, R_TXDGPC), 2);
	assert_int_equal(N82599_REG(&r.nic, R_TXDGBCL), 129);
	assert_int_equal(N82599_REG(&r.nic, R_TPT), 2);
	assert_int_equal(N82599_REG(&r.nic, R_PTC64), 1);
	assert_int_equal(N82599_REG(&r.nic, R_PTC127), 1);
	assert_int_equal(r.nic.txq[0].frames, 2);
	assert_int_equal(r.nic.txq[0].bytes, 121);
	assert_int_equal(r.port.stats.tx_frames, 2);
	assert_int_equal(r.port.stats.tx_bytes, 121);
}

static void
each_length_in_one_piece_and_in_several(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 64);
	for (uint32_t len = 60; len <= SOFT_FRAME_MAX; len += len < 200 || len > 9700 ? 1 : 89) {
		static const uint32_t pieces[] = { 1, 2, 3, 9, 40 };

		for (unsigned int i = 0; i < RTE_DIM(pieces); i++) {
			uint32_t last;

			put_chain(0, len, pieces[i], TXD_RS);
			last = (r.tx[0].tail + 63) % 64;
			rig_tx_tail(&r, 0);
			assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
			assert_int_equal(out[0].len, len);
			assert_memory_equal(out[0].data, bytes, len);
			assert_true(rig_tx_done(&r, 0, last));
			assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), r.tx[0].tail);
		}
	}
	assert_int_equal(r.port.stats.tx_lost, 0);
}

static void
short_frames_are_padded(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	for (uint32_t len = TXD_MIN_LEN; len < 60; len++) {
		put(0, len, 0);
		rig_tx_tail(&r, 0);
		assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
		assert_int_equal(out[0].len, 60);
		assert_memory_equal(out[0].data, bytes, len);
		for (uint32_t i = len; i < 60; i++)
			assert_int_equal(out[0].data[i], 0);
	}
	n82599_write(&r.nic, R_HLREG0, HLREG0_TXCRCEN);
	put(0, 40, 0);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_int_equal(out[0].len, 40);
}

/* As a whole burst: places of the frames must not overlap. */
static void
a_burst_of_chains(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 256);
	for (uint32_t i = 0; i < SOFT_BATCH; i++) {
		bytes[0] = bytes[SOFT_FRAME_MAX - i - 1] = (uint8_t)i;
		put_chain(0, SOFT_FRAME_MAX - i, 2, 0);
	}
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), SOFT_BATCH);
	for (uint32_t i = 0; i < SOFT_BATCH; i++) {
		assert_int_equal(out[i].len, SOFT_FRAME_MAX - i);
		assert_int_equal(out[i].data[0], i);
		assert_int_equal(out[i].data[out[i].len - 1], i);
	}
}

static void
a_chain_without_its_end_waits(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	rig_tx_data(&r, 0, bytes, 100, RIG_WHOLE(200) & ~TXD_EOP);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), 0);
	rig_tx_data(&r, 0, bytes + 100, 100, RIG_WHOLE(200));
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_int_equal(out[0].len, 200);
	assert_memory_equal(out[0].data, bytes, 200);
}

static const struct {
	const char *what;
	uint32_t len;
	uint64_t cmd;
} malformed[] = {
	{ "PAYLEN is not the length", 60, RIG_WHOLE(61) },
	{ "PAYLEN 0", 60, RIG_WHOLE(0) },
	{ "too short", 16, RIG_WHOLE(16) },
	{ "nothing", 0, RIG_WHOLE(0) },
	{ "too long", 9729, RIG_WHOLE(9729) },
	{ "without IFCS", 60, RIG_WHOLE(60) & ~TXD_IFCS },
	{ "legacy", 60, RIG_WHOLE(60) & ~TXD_DEXT },
	{ "no type", 60, RIG_WHOLE(60) & ~TXD_DTYP },
	{ "IPsec", 60, RIG_WHOLE(60) | TXD_IPSEC },
	{ "TSE without a context", 600, RIG_WHOLE(600) | TXD_TSE },
	{ "TXSM beyond the frame", 60, RIG_WHOLE(60) | TXD_TXSM | 1ull << 36 },
	{ "TXSM without the place", 49, RIG_WHOLE(49) | TXD_TXSM },
	{ "IXSM of half a header", 60, RIG_WHOLE(60) | TXD_IXSM },
	{ "TXSM of no protocol", 638 + 60, RIG_WHOLE(638 + 60) | TXD_TXSM | 1ull << 36 },
};

static void
malformed_frames_are_refused(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	rig_tx_context(&r, 0, 14u << 9 | 19u, TXC_IPV4 | 1u << 11);
	rig_tx_context(&r, 0, 127u << 9 | 511u, TXC_IPV4 | 3u << 11 | 1ull << 36);
	for (unsigned int i = 0; i < RTE_DIM(malformed); i++) {
		rig_tx_data(&r, 0, bytes, malformed[i].len, malformed[i].cmd | TXD_RS);
		put(0, 60, 0);
		rig_tx_tail(&r, 0);
		if (rig_transmit(&r, out, SOFT_BATCH) != 1 || out[0].len != 60)
			fail_msg("%s: went out", malformed[i].what);
		if (r.port.stats.tx_lost != i + 1 || r.port.stats.bad_descriptors != i + 1)
			fail_msg("%s: not counted", malformed[i].what);
		/* The host has its buffer back. */
		assert_true(rig_tx_done(&r, 0, 2 + 2 * i));
	}
	assert_int_equal(r.port.stats.tx_frames, RTE_DIM(malformed));
	assert_int_equal(r.port.stats.dma_errors, 0);
}

static void
a_chain_too_long_is_one_loss(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 128);
	put_chain(0, 4000, 41, TXD_RS);
	put(0, 60, 0);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_int_equal(out[0].len, 60);
	assert_int_equal(r.port.stats.tx_lost, 1);
	assert_int_equal(r.port.stats.bad_descriptors, 1);
	assert_true(rig_tx_done(&r, 0, 40));
	assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), 42);
	/* Its end comes turns later. */
	for (unsigned int i = 0; i < 50; i++)
		rig_tx_data(&r, 0, bytes, 100, RIG_WHOLE(5000) & ~TXD_EOP);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	rig_tx_data(&r, 0, bytes, 100, RIG_WHOLE(100)); /* looks like a frame of its own */
	put(0, 61, 0);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_int_equal(out[0].len, 61);
	assert_int_equal(r.port.stats.tx_lost, 2);
}

static void
damaged_and_wrong_addresses_lose_their_frames(void **state)
{
	uint64_t wrong = 1ull << 60;

	(void)state;
	rig_tx_start(&r, 0, 32);
	r.port.fault[SOFTNIC_DMA_TX] = 2;
	put(0, 60, TXD_RS);
	put_chain(0, 500, 3, TXD_RS);
	put(0, 70, TXD_RS);
	put(0, 80, TXD_RS);
	memcpy(r.tx[0].desc + 5 * DESC_LEN, &wrong, sizeof(wrong));
	put(0, 90, TXD_RS);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 2);
	assert_int_equal(out[0].len, 70);
	assert_int_equal(out[1].len, 90);
	assert_memory_equal(out[1].data, bytes, 90);
	assert_int_equal(r.port.stats.tx_lost, 3);
	assert_int_equal(r.port.stats.dma_errors, 3);
	assert_int_equal(r.port.stats.bad_descriptors, 0);
	assert_true(rig_tx_done(&r, 0, 0));
	assert_true(rig_tx_done(&r, 0, 3));
	assert_true(rig_tx_done(&r, 0, 5));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_plain_frame_goes_out_where_it_lies),
		T(each_length_in_one_piece_and_in_several),
		T(short_frames_are_padded),
		T(a_burst_of_chains),
		T(a_chain_without_its_end_waits),
		T(malformed_frames_are_refused),
		T(a_chain_too_long_is_one_loss),
		T(damaged_and_wrong_addresses_lose_their_frames),
	};

	return cmocka_run_group_tests_name("82599 tx", tests, NULL, NULL);
}

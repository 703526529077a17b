/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/run.h"
#include "support/cmocka.h"
#include "support/rig_82599.h"

/* Transmit queues: turns, starts and stops, completions. */
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
queues_take_turns(void **state)
{
	unsigned int served[4] = { 0 };

	(void)state;
	for (unsigned int q = 0; q < 4; q++) {
		rig_tx_start(&r, 21 * q, 512);
		for (unsigned int i = 0; i < 400; i++)
			put(21 * q, 60 + q, 0);
		rig_tx_tail(&r, 21 * q);
	}
	for (unsigned int i = 0; i < 4 * 16; i++) {
		assert_int_equal(rig_transmit(&r, out, 16), 16);
		for (unsigned int k = 0; k < 16; k++)
			served[out[k].len - 60]++;
	}
	for (unsigned int q = 0; q < 4; q++)
		assert_in_range(served[q], 160, 400);
	for (unsigned int i = 0; i < 100; i++)
		rig_transmit(&r, out, SOFT_BATCH);
	assert_int_equal(r.port.stats.tx_frames, 1600);
}

/* Enabled behind the model's back, on a page that does not trap. */
static void
a_queue_is_seen_without_a_trap(void **state)
{
	unsigned int turns = 0;

	(void)state;
	rig_tx_start(&r, 63, 32);
	N82599_REG(&r.nic, R_TXDCTL(63)) = 0;
	rig_transmit(&r, out, SOFT_BATCH);
	assert_int_equal(r.nic.txq_on, 0);
	N82599_REG(&r.nic, R_TXDCTL(63)) = TXDCTL_ENABLE;
	put(63, 60, 0);
	rig_tx_tail(&r, 63);
	while (rig_transmit(&r, out, SOFT_BATCH) == 0)
		assert_true(turns++ < 8);
}

static void
a_queue_that_is_off_sends_nothing(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	put(0, 60, 0);
	put(0, 60, 0);
	rig_tx_tail(&r, 0);
	rig_tx_stop(&r, 0);
	assert_int_equal(N82599_REG(&r.nic, R_TDT(0)), 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	rig_tx_start(&r, 0, 32);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	put(0, 62, TXD_RS);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_int_equal(out[0].len, 62);
	assert_true(rig_tx_done(&r, 0, 0));
	N82599_REG(&r.nic, R_DMATXCTL) &= ~DMATXCTL_TE;
	put(0, 60, 0);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
}

/* Restarted as net_ixgbe does, and no turn saw it off. */
static void
a_head_that_the_host_writes_counts(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	for (unsigned int i = 0; i < 7; i++)
		put(0, 60, 0);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 7);
	N82599_REG(&r.nic, R_TDH(0)) = 0;
	r.tx[0].tail = 0;
	put(0, 61, 0);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_int_equal(out[0].len, 61);
	assert_int_equal(r.port.stats.tx_lost, 0);
	/* And in the middle of the ring. */
	N82599_REG(&r.nic, R_TDH(0)) = 9;
	r.tx[0].tail = 9;
	put(0, 62, TXD_RS);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_int_equal(out[0].len, 62);
	assert_true(rig_tx_done(&r, 0, 9));
}

static void
what_is_outside_the_ring_is_not_used(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	N82599_REG(&r.nic, R_TDT(0)) = 32;
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	N82599_REG(&r.nic, R_TDH(0)) = 32;
	N82599_REG(&r.nic, R_TDT(0)) = 0;
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	N82599_REG(&r.nic, R_TDBAH(0)) = 1u << 28;
	N82599_REG(&r.nic, R_TDT(0)) = 5;
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_int_equal(r.port.stats.dma_errors, 1);
	assert_int_equal(r.port.stats.tx_lost, 0);
}

/* Two queues in a turn, one with a chain; in a run that is not lock-step. */
static void
queues_are_done_together(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	rig_tx_start(&r, 1, 32);
	r.nic.patience = UINT64_MAX;
	put_chain(0, 300, 2, TXD_RS);
	put(0, 60, TXD_RS);
	put(1, 61, TXD_RS);
	rig_tx_tail(&r, 0);
	rig_tx_tail(&r, 1);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 3);
	assert_true(rig_tx_done(&r, 0, 1));
	assert_true(rig_tx_done(&r, 0, 2));
	assert_true(rig_tx_done(&r, 1, 0));
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), 3); /* shown at the next look */
	assert_int_equal(N82599_REG(&r.nic, R_TDH(1)), 1);
}

static void
a_reset_forgets_everything(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	r.port.fault[SOFTNIC_SLOW_COMPLETION] = 1;
	put(0, 60, TXD_RS);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	n82599_write(&r.nic, R_CTRL, CTRL_RST);
	assert_int_equal(r.nic.txq_on, 0);
	assert_int_equal(r.nic.txq[0].frames, 0);
	for (uint64_t start = soft_now_ns(); soft_now_ns() - start < 10000;)
		assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_false(rig_tx_done(&r, 0, 0));
	N82599_REG(&r.nic, R_DMATXCTL) |= DMATXCTL_TE;
	r.port.fault[SOFTNIC_SLOW_COMPLETION] = 0;
	rig_tx_stop(&r, 0);
	free(r.tx[0].desc);
	r.tx[0] = (struct rig_ring){ 0 };
	rig_tx_start(&r, 0, 32);
	put(0, 62, TXD_RS);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_true(rig_tx_done(&r, 0, 0));
}

static void
nothing_leaves_without_a_link_or_when_hung(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 32);
	put(0, 60, TXD_RS);
	rig_tx_tail(&r, 0);
	r.port.fault[SOFTNIC_TX_HANG] = 1;
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_false(rig_tx_done(&r, 0, 0));
	r.port.fault[SOFTNIC_TX_HANG] = 0;
	r.port.fault[SOFTNIC_LINK_DOWN] = 1;
	n82599_fault(&r.port, SOFTNIC_LINK_DOWN);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	r.port.fault[SOFTNIC_LINK_DOWN] = 0;
	n82599_fault(&r.port, SOFTNIC_LINK_DOWN);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_true(rig_tx_done(&r, 0, 0));
}

/* Until soft_now_ns() has gone on, 100 us here. */
static void
a_slow_completion_is_late(void **state)
{
	uint64_t start = soft_now_ns();
	unsigned int sent = 0;

	(void)state;
	rig_tx_start(&r, 0, 128);
	r.port.fault[SOFTNIC_SLOW_COMPLETION] = 100;
	for (unsigned int i = 0; i < 40; i++) { /* more often than there are places for */
		put(0, 60, TXD_RS);
		rig_tx_tail(&r, 0);
		sent += rig_transmit(&r, out, SOFT_BATCH);
		if (soft_now_ns() - start < 100000)
			assert_false(rig_tx_done(&r, 0, 0));
	}
	assert_int_equal(sent, 40);
	while (soft_now_ns() - start < 100000 || !rig_tx_done(&r, 0, 39))
		assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), 40);
	r.port.fault[SOFTNIC_SLOW_COMPLETION] = 0;
	put(0, 60, TXD_RS);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	assert_true(rig_tx_done(&r, 0, 40));
}

/* The host takes the ring away while completions are on their way. */
static void
late_completions_of_a_stopped_queue_are_dropped(void **state)
{
	(void)state;
	rig_tx_start(&r, 0, 128);
	r.port.fault[SOFTNIC_SLOW_COMPLETION] = 1;
	for (unsigned int i = 0; i < 100; i++)
		put(0, 60, TXD_RS);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), SOFT_BATCH);
	rig_tx_stop(&r, 0);
	rig_tx_start(&r, 0, 32);
	for (uint64_t start = soft_now_ns(); soft_now_ns() - start < 10000;)
		assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), 0);
	put(0, 60, TXD_RS);
	rig_tx_tail(&r, 0);
	assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 1);
	for (uint64_t start = soft_now_ns(); soft_now_ns() - start < 10000;)
		assert_int_equal(rig_transmit(&r, out, SOFT_BATCH), 0);
	assert_true(rig_tx_done(&r, 0, 0));
	assert_int_equal(N82599_REG(&r.nic, R_TDH(0)), 1);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(queues_take_turns),
		T(a_queue_is_seen_without_a_trap),
		T(a_queue_that_is_off_sends_nothing),
		T(a_head_that_the_host_writes_counts),
		T(what_is_outside_the_ring_is_not_used),
		T(queues_are_done_together),
		T(a_reset_forgets_everything),
		T(nothing_leaves_without_a_link_or_when_hung),
		T(a_slow_completion_is_late),
		T(late_completions_of_a_stopped_queue_are_dropped),
	};

	return cmocka_run_group_tests_name("82599 tx queues", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/cmocka.h"
#include "support/rig_82599.h"

static struct rig r;
static uint8_t frame[RIG_FRAME];

static int
setup(void **state)
{
	(void)state;
	rig_open(&r);
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
udp(uint32_t len)
{
	rig_packet(frame, &(struct rig_packet){ .len = len, .src = 0x0a000001, .dst = 0x0a000002 });
}

static void
jumbo(uint32_t with_fcs)
{
	N82599_REG(&r.nic, R_HLREG0) |= HLREG0_JUMBOEN;
	N82599_REG(&r.nic, R_MAXFRS) = with_fcs << MAXFRS_SHIFT;
}

/* The frame that was received from descriptor at on, and that nothing else was written. */
static uint32_t
check_frame(unsigned int queue, uint32_t at, const uint8_t *want, uint32_t len)
{
	uint32_t room = r.rx[queue].kb * RIG_KB;

	for (;;) {
		struct rig_rxd d = rig_rxd(&r, queue, at);
		const uint8_t *buf = r.rx[queue].buf[at];
		uint32_t part = len < room ? len : room;

		assert_true(d.status & RXD_DD);
		assert_int_equal(d.len, part);
		assert_memory_equal(buf, want, part);
		for (uint32_t i = part; i < room; i++)
			assert_int_equal(buf[i], RIG_FILL);
		at = (at + 1) % r.rx[queue].size;
		want += part;
		len -= part;
		assert_int_equal((d.status & RXD_EOP) != 0, len == 0);
		if (len == 0)
			return at;
	}
}

static void
a_frame_arrives_with_its_descriptor(void **state)
{
	struct rig_rxd d;

	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	udp(60);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	check_frame(0, 0, frame, 60);
	d = rig_rxd(&r, 0, 0);
	assert_int_equal(d.info, RXD_IPV4 | RXD_UDP);
	assert_int_equal(d.status, RXD_DD | RXD_EOP | RXD_IPCS | RXD_L4I | RXD_UDPCS);
	assert_int_equal(d.vlan, 0);
	assert_int_equal(N82599_REG(&r.nic, R_RDH(0)), 1);
	assert_int_equal(N82599_REG(&r.nic, R_GPRC), 1);
	assert_int_equal(N82599_REG(&r.nic, R_GORCL), 64);
	assert_int_equal(N82599_REG(&r.nic, R_PRC64), 1);
	assert_int_equal(r.nic.rxq[0].frames, 1);
	assert_int_equal(r.nic.rxq[0].bytes, 60);
	assert_int_equal(r.port.stats.rx_bytes, 60);
	rig_check_sums(&r, 1);
}

/* Around a ring that is far smaller than the number of frames: wraps in the middle of chains. */
static void
each_length_arrives(void **state)
{
	uint32_t at = 0, n = 0;

	(void)state;
	rig_rx_start(&r, 0, 32, 1);
	jumbo(9728);
	for (uint32_t len = 60; len <= 9700; len += len % 1024 < 1018 && len > 200 ? 97 : 1, n++) {
		uint32_t next;

		udp(len);
		assert_int_equal(rig_receive(&r, frame, len, 0, true), 1);
		next = check_frame(0, at, frame, len);
		for (; at != next; at = (at + 1) % 32)
			rig_rx_arm(&r, 0, at);
		rig_rx_tail(&r, 0, (at + 31) % 32);
		assert_int_equal(N82599_REG(&r.nic, R_RDH(0)), at);
	}
	assert_int_equal(r.port.stats.rx_frames, n);
	rig_check_sums(&r, n);
}

static void
a_batch_arrives_in_order(void **state)
{
	struct soft_frame frames[SOFT_BATCH];
	uint8_t bytes[SOFT_BATCH][64];

	(void)state;
	rig_rx_start(&r, 0, 128, 2);
	for (unsigned int i = 0; i < SOFT_BATCH; i++) {
		rig_packet(bytes[i], &(struct rig_packet){ .len = 60 + i % 5, .src = i, .dst = 7 });
		frames[i] = (struct soft_frame){ .data = bytes[i], .len = 60 + i % 5 };
	}
	assert_int_equal(n82599_receive(&r.port, frames, SOFT_BATCH, false), SOFT_BATCH);
	for (unsigned int i = 0; i < SOFT_BATCH; i++)
		check_frame(0, i, bytes[i], frames[i].len);
}

static void
without_descriptors_frames_wait_or_are_missed(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	udp(60);
	for (unsigned int i = 0; i < 31; i++)
		assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 0);
	assert_int_equal(r.port.stats.rx_missed, 0);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(r.port.stats.rx_missed, 1);
	assert_int_equal(N82599_REG(&r.nic, R_MPC(0)), 1);
	assert_int_equal(r.nic.rxq[0].dropped, 0);

	n82599_write(&r.nic, R_SRRCTL(0), SRRCTL_DROP_EN | 2);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(r.port.stats.rx_missed, 2);
	assert_int_equal(N82599_REG(&r.nic, R_MPC(0)), 1);
	assert_int_equal(r.nic.rxq[0].dropped, 1);
	/* What is dropped at a queue was received; what the packet buffer missed was not. */
	assert_int_equal(N82599_REG(&r.nic, R_GPRC), 32);
	assert_int_equal(N82599_REG(&r.nic, R_GORCL), 32 * 64);
	assert_int_equal(N82599_REG(&r.nic, R_RXDGPC), 31);
	assert_int_equal(N82599_REG(&r.nic, R_TPR), 33);

	rig_rx_arm(&r, 0, 31);
	rig_rx_tail(&r, 0, 0);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	check_frame(0, 31, frame, 60);
	rig_check_sums(&r, 34);
}

/* A chain needs all of its descriptors at once. */
static void
half_a_chain_is_not_delivered(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 1);
	rig_rx_tail(&r, 0, 2);
	jumbo(9728);
	udp(2049);
	assert_int_equal(rig_receive(&r, frame, 2049, 0, true), 0);
	assert_int_equal(rig_rxd(&r, 0, 0).status, 0);
	assert_int_equal(r.rx[0].buf[0][0], RIG_FILL);
	rig_rx_tail(&r, 0, 3);
	assert_int_equal(rig_receive(&r, frame, 2049, 0, true), 1);
	check_frame(0, 0, frame, 2049);
}

static void
a_disabled_queue_takes_nothing(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	udp(60);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	rig_rx_stop(&r, 0);
	assert_int_equal(N82599_REG(&r.nic, R_RDH(0)), 0);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(r.port.stats.rx_missed, 1);
	assert_int_equal(r.nic.rxq[0].dropped, 1);

	rig_rx_start(&r, 0, 64, 2);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	check_frame(0, 0, frame, 60);
	rig_check_sums(&r, 3);
}

/* Enabled again, and the host has not written the tail yet: nothing there. */
static void
a_tail_of_the_past_is_forgotten(void **state)
{
	struct soft_frame none[1];

	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	rig_rx_tail(&r, 0, 9);
	udp(60);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	N82599_REG(&r.nic, R_RXDCTL(0)) &= ~RXDCTL_ENABLE;
	rig_transmit(&r, none, 1); /* a turn without frames sees it */
	rig_transmit(&r, none, 1);
	N82599_REG(&r.nic, R_RXDCTL(0)) |= RXDCTL_ENABLE;
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 0);
	assert_int_equal(N82599_REG(&r.nic, R_RDT(0)), 0);
	assert_int_equal(r.port.stats.rx_frames, 1);
}

/* The host restarted it and no turn saw it off. */
static void
a_head_that_the_host_writes_counts(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	udp(60);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	for (unsigned int i = 0; i < 32; i++)
		rig_rx_arm(&r, 0, i);
	N82599_REG(&r.nic, R_RDH(0)) = 0;
	rig_rx_tail(&r, 0, 31);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	check_frame(0, 0, frame, 60);
}

/* In a run that is not lock-step, registers are looked at when they have to be. */
static void
a_look_is_for_when_descriptors_run_short(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	udp(60);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	r.nic.patience = UINT64_MAX;
	N82599_REG(&r.nic, R_RXDCTL(0)) = 0; /* off, but nobody looks yet */
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(r.port.stats.rx_frames, 2);
	r.nic.patience = 1; /* now the next turn sees it, with frames or without */
	rig_transmit(&r, (struct soft_frame[1]){ { 0 } }, 1);
	r.nic.patience = UINT64_MAX;
	assert_int_equal(r.nic.rxq_on, 0);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(r.port.stats.rx_frames, 2);

	for (uint32_t i = 0; i < 4; i++)
		rig_rx_arm(&r, 0, i);
	N82599_REG(&r.nic, R_RXDCTL(0)) = RXDCTL_ENABLE;
	rig_rx_tail(&r, 0, 2);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 0);
	rig_rx_tail(&r, 0, 4); /* more of them: seen before a frame is missed */
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(r.port.stats.rx_frames, 6);
	assert_int_equal(r.port.stats.rx_missed, 2);
	assert_int_equal(N82599_REG(&r.nic, R_RDH(0)), 4);

	for (uint32_t i = 4; i < 10; i++) /* one is known, the frame takes three */
		rig_rx_arm(&r, 0, i);
	rig_rx_tail(&r, 0, 5);
	r.nic.patience = 1;
	rig_transmit(&r, (struct soft_frame[1]){ { 0 } }, 1);
	r.nic.patience = UINT64_MAX;
	assert_int_equal(r.nic.rxq[0].free, 1);
	rig_rx_tail(&r, 0, 10);
	jumbo(9728);
	udp(5000);
	assert_int_equal(rig_receive(&r, frame, 5000, 0, false), 1);
	check_frame(0, 4, frame, 5000);
}

/* A batch for several queues: each gets its frames, its head and its interrupt. */
static void
a_batch_is_for_several_queues(void **state)
{
	struct soft_frame frames[SOFT_BATCH];
	uint8_t bytes[SOFT_BATCH][64];
	uint64_t sum = 0;

	(void)state;
	N82599_REG(&r.nic, R_MRQC) = MRQC_RSS | MRQC_IP4;
	for (unsigned int i = 0; i < 10; i++)
		n82599_write(&r.nic, R_RSSRK(i), 0x6d5a56da + i);
	for (unsigned int i = 0; i < 128; i++)
		r.nic.regs[R_RETA(0) + i] = (uint8_t)(i & 3);
	for (unsigned int q = 0; q < 4; q++) {
		rig_rx_start(&r, q, 128, 2);
		n82599_write(&r.nic, R_IVAR(q / 2), IVAR_VALID | (IVAR_VALID | 1) << 16);
	}
	for (unsigned int i = 0; i < SOFT_BATCH; i++) {
		rig_packet(bytes[i], &(struct rig_packet){ .len = 60, .src = i * 77, .dst = 7 });
		frames[i] = (struct soft_frame){ .data = bytes[i], .len = 60 };
	}
	assert_int_equal(n82599_receive(&r.port, frames, SOFT_BATCH, false), SOFT_BATCH);
	for (unsigned int q = 0; q < 4; q++) {
		assert_true(r.nic.rxq[q].frames > 0);
		assert_int_equal(N82599_REG(&r.nic, R_RDH(q)), r.nic.rxq[q].frames);
		assert_true(rig_rxd(&r, q, (uint32_t)r.nic.rxq[q].frames - 1).status & RXD_EOP);
		sum += r.nic.rxq[q].frames;
	}
	assert_int_equal(sum, SOFT_BATCH);
	assert_int_equal(r.nic.causes, 3);
}

static void
a_reset_forgets_everything(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	udp(60);
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	n82599_write(&r.nic, R_CTRL, CTRL_RST);
	assert_int_equal(r.nic.rxq_on, 0);
	assert_false(r.nic.rxq[0].on);
	assert_int_equal(r.nic.rxq[0].frames, 0);
	assert_int_equal(N82599_REG(&r.nic, R_GPRC), 0);
	assert_false(n82599_listening(&r.port));
	N82599_REG(&r.nic, R_RXCTRL) = RXCTRL_RXEN;
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(r.port.stats.rx_missed, 1); /* there is no queue */
}

static void
any_of_64_queues_can_be_used(void **state)
{
	(void)state;
	N82599_REG(&r.nic, R_MRQC) = MRQC_RSS | MRQC_IP4;
	for (unsigned int q = 0; q < N82599_RXQ; q++)
		rig_rx_start(&r, q, 32, 2);
	udp(60);
	for (unsigned int q = 0; q < 16; q++) {
		memset(r.nic.regs + R_RETA(0), (int)q, 128);
		assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
		assert_int_equal(r.nic.rxq[q].frames, 1);
	}
	assert_int_equal(r.nic.rxq_on, UINT64_MAX);
	memset(r.nic.regs + R_RETA(0), 0x35, 128); /* an entry has four bits */
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(r.nic.rxq[5].frames, 2);
}

static void
starved_frames_wait_or_are_missed(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	udp(60);
	r.port.fault[SOFTNIC_RX_STARVE] = 1;
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 0);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(r.port.stats.rx_missed, 1);
	r.port.fault[SOFTNIC_RX_STARVE] = 0;
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	check_frame(0, 0, frame, 60);
}

static void
a_damaged_address_loses_its_frame_only(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 1);
	jumbo(9728);
	udp(3000);
	r.port.fault[SOFTNIC_DMA_RX] = 2;
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(rig_receive(&r, frame, 3000, 0, false), 1);
	assert_int_equal(r.port.fault[SOFTNIC_DMA_RX], 0);
	assert_int_equal(r.port.stats.rx_lost, 2);
	assert_int_equal(r.port.stats.dma_errors, 2);
	assert_int_equal(rig_rxd(&r, 0, 0).status, 0);
	assert_int_equal(rig_receive(&r, frame, 3000, 0, false), 1);
	check_frame(0, 0, frame, 3000);
	rig_check_sums(&r, 3);
}

/* The second buffer of a chain is not the host's: the first stays untouched. */
static void
a_wrong_address_within_a_chain_is_seen(void **state)
{
	uint64_t wrong = 1ull << 60;

	(void)state;
	rig_rx_start(&r, 0, 32, 1);
	memcpy(r.rx[0].desc + DESC_LEN, &wrong, sizeof(wrong));
	jumbo(9728);
	udp(2000);
	assert_int_equal(rig_receive(&r, frame, 2000, 0, false), 1);
	assert_int_equal(r.port.stats.rx_lost, 1);
	assert_int_equal(r.port.stats.dma_errors, 1);
	assert_int_equal(r.rx[0].buf[0][0], RIG_FILL);
	assert_int_equal(rig_rxd(&r, 0, 0).status, 0);
}

static void
a_ring_that_is_not_the_hosts_is_counted_once(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	N82599_REG(&r.nic, R_RDBAH(0)) = 1u << 28;
	udp(60);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(r.port.stats.dma_errors, 1);
	assert_int_equal(r.port.stats.rx_missed, 3);
}

static void
a_ring_of_no_length_takes_nothing(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	N82599_REG(&r.nic, R_RDLEN(0)) = 0;
	udp(60);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(r.port.stats.rx_missed, 1);
	N82599_REG(&r.nic, R_RDLEN(0)) = 32 * DESC_LEN;
	rig_rx_tail(&r, 0, 32); /* outside */
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(r.port.stats.rx_missed, 2);
}

/* Once a batch and queue, when descriptors were written back. */
static void
an_interrupt_is_raised_by_ivar(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	n82599_write(&r.nic, R_IVAR(0), IVAR_VALID | 3);
	udp(60);
	frame[0] = 4; /* not for us */
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(r.nic.causes, 0);
	frame[0] = 2;
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 1);
	assert_int_equal(r.nic.causes, 1u << 3);
}

static void
deaf_or_gone_it_hears_nothing(void **state)
{
	(void)state;
	rig_rx_start(&r, 0, 32, 2);
	udp(60);
	assert_true(n82599_listening(&r.port));
	r.port.fault[SOFTNIC_LINK_DOWN] = 1;
	n82599_fault(&r.port, SOFTNIC_LINK_DOWN);
	assert_false(n82599_listening(&r.port));
	assert_int_equal(rig_receive(&r, frame, 60, 0, true), 0);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(rig_rxd(&r, 0, 0).status, 0);
	r.port.fault[SOFTNIC_LINK_DOWN] = 0;
	n82599_fault(&r.port, SOFTNIC_LINK_DOWN);
	N82599_REG(&r.nic, R_RXCTRL) = 0;
	assert_false(n82599_listening(&r.port));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_frame_arrives_with_its_descriptor),
		T(each_length_arrives),
		T(a_batch_arrives_in_order),
		T(without_descriptors_frames_wait_or_are_missed),
		T(half_a_chain_is_not_delivered),
		T(a_disabled_queue_takes_nothing),
		T(a_tail_of_the_past_is_forgotten),
		T(a_head_that_the_host_writes_counts),
		T(a_look_is_for_when_descriptors_run_short),
		T(a_batch_is_for_several_queues),
		T(a_reset_forgets_everything),
		T(any_of_64_queues_can_be_used),
		T(starved_frames_wait_or_are_missed),
		T(a_damaged_address_loses_its_frame_only),
		T(a_wrong_address_within_a_chain_is_seen),
		T(a_ring_that_is_not_the_hosts_is_counted_once),
		T(a_ring_of_no_length_takes_nothing),
		T(an_interrupt_is_raised_by_ivar),
		T(deaf_or_gone_it_hears_nothing),
	};

	return cmocka_run_group_tests_name("82599 rx", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cx5_rig.h"

#include <string.h>

#define WQES 128

static struct soft_frame
frame(uint8_t seed, bool tcp)
{
	struct rig_frame spec = { .len = 60 + seed, .seed = seed, .tcp = tcp };

	return (struct soft_frame){ .data = rig_frame(&spec), .len = spec.len };
}

static void
laps_turn_the_owner_bit(void **state)
{
	struct soft_frame f[48];
	struct rig_cqe cqe;
	uint16_t wqe = 0;

	(void)state;
	rig_rq_open(0, 32, 1, 256);
	for (unsigned int i = 0; i < 48; i++)
		f[i] = frame((uint8_t)i, false);
	rig_rq_post(0, 32);
	for (unsigned int turn = 0; turn < 40; turn++) {
		unsigned int n = turn % 29 + 1;

		assert_int_equal(cx5_receive(&rig.port, f, n, false), n);
		for (unsigned int i = 0; i < n; i++, wqe++) {
			assert_true(rig_rq_poll(0, &cqe));
			assert_int_equal(cqe.opcode, MLX5_CQE_RESP_SEND);
			assert_int_equal(cqe.bytes, f[i].len);
			assert_int_equal(cqe.counter, wqe);
			assert_memory_equal(rig_rq_buffer(0, wqe, 0), f[i].data, f[i].len);
		}
		assert_false(rig_rq_poll(0, &cqe));
		rig_rq_post(0, n);
	}
	assert_int_equal(rig.port.stats.rx_frames, wqe);
	assert_int_equal(rig.port.stats.bad_descriptors, 0);
}

/* Turns of every length, over many laps: sessions end with the turn and with the ring. */
static void
sessions_hold_every_frame(void **state)
{
	struct soft_frame f[64];
	unsigned int minis = 0;
	struct rig_cqe cqe;
	uint16_t wqe = 0;

	(void)state;
	rig_rq_open(0, WQES, 1, 256);
	rig.rq[0].cq.compress = true;
	for (unsigned int i = 0; i < 64; i++)
		f[i] = frame((uint8_t)i, false);
	rig_rq_post(0, WQES);
	for (unsigned int turn = 0; turn < 200; turn++) {
		unsigned int n = (turn * 37) % 64 + 1;

		rig.hash = turn + 1;
		assert_int_equal(cx5_receive(&rig.port, f, n, false), n);
		for (unsigned int i = 0; i < n; i++, wqe++) {
			assert_true(rig_rq_poll(0, &cqe));
			minis += cqe.mini;
			assert_int_equal(cqe.bytes, f[i].len);
			assert_int_equal(cqe.counter, wqe);
			assert_int_equal(cqe.hash, turn + 1);
			assert_int_equal(cqe.hash_type, 5);
		}
		assert_false(rig_rq_poll(0, &cqe));
		rig_rq_post(0, n);
	}
	assert_true(minis > wqe * 9u / 10);
	assert_int_equal(rig.port.stats.bad_descriptors, 0);
}

/* What mini CQEs do not carry is the title's, so where it changes a session ends. */
static void
another_title_ends_a_session(void **state)
{
	struct rig_cqe cqe;
	struct soft_frame f[24];

	(void)state;
	rig_rq_open(0, WQES, 1, 256);
	rig.rq[0].cq.compress = true;
	for (unsigned int i = 0; i < 24; i++)
		f[i] = frame((uint8_t)i, i % 8 >= 4);
	rig_rq_post(0, WQES);
	assert_int_equal(cx5_receive(&rig.port, f, 24, false), 24);
	for (unsigned int i = 0; i < 24; i++) {
		assert_true(rig_rq_poll(0, &cqe));
		assert_true(cqe.mini);
		assert_int_equal(cqe.types >> 4 & 7, i % 8 >= 4 ? 4 : 2); /* TCP, UDP */
		assert_int_equal(cqe.bytes, f[i].len);
		if (i % 4 == 0)
			assert_int_equal(rig.rq[0].left, 3);
	}
	rig.mark_step = 1;
	assert_int_equal(cx5_receive(&rig.port, f, 4, false), 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_true(rig_rq_poll(0, &cqe));
		assert_false(cqe.mini); /* alone in its session */
		assert_int_equal(cqe.mark, i);
	}
}

/* Two queues that complete into CQs of their own, frames mixed. */
static void
sessions_of_two_queues_do_not_mix(void **state)
{
	struct rig_cqe cqe;
	struct soft_frame f = frame(1, false);

	(void)state;
	rig_rq_open(0, WQES, 1, 256);
	rig_rq_open(1, WQES, 1, 256);
	rig.rq[0].cq.compress = true;
	rig.rq[1].cq.compress = true;
	rig_rq_post(0, WQES);
	rig_rq_post(1, WQES);
	for (unsigned int i = 0; i < 100; i++) {
		rig.to = i & 1;
		rig.hash = i + 1;
		assert_int_equal(rig_receive(f.data, f.len, false), 1);
	}
	for (unsigned int i = 0; i < 100; i++) {
		assert_true(rig_rq_poll(i & 1, &cqe));
		assert_int_equal(cqe.hash, i + 1);
		assert_int_equal(cqe.counter, i / 2);
	}
	assert_null(rig.nic.rx->pending);
}

/* Two queues that complete into one CQ: a session holds WQEs that follow each other. */
static void
a_shared_cq_has_the_right_wqes(void **state)
{
	struct soft_frame f[60];
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open(0, WQES, 1, 256);
	rig_rq_open(1, WQES, 1, 256);
	rig.rq[0].cq.compress = true;
	rig.rq[1].rq.cq = &rig.rq[0].cq;
	rig_rq_post(0, WQES);
	rig_rq_post(1, WQES);
	for (unsigned int i = 0; i < 60; i++)
		f[i] = frame(1, false);
	rig.to_step = 3;
	assert_int_equal(cx5_receive(&rig.port, f, 60, false), 60);
	for (unsigned int i = 0; i < 60; i++) {
		assert_true(rig_rq_poll(0, &cqe));
		assert_int_equal(cqe.counter, i / 6 * 3 + i % 3);
	}
}

/* A host that does not move its consumer index finds what it has not read yet unharmed. */
static void
overrun_stops_the_ring(void **state)
{
	struct soft_frame f = frame(1, false);
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open(0, 16, 1, 256);
	rig_rq_post(0, 16);
	for (unsigned int i = 0; i < 20; i++) {
		rig.hash = i + 1;
		rig_rq_post(0, 1); /* more WQEs than the CQ has room for */
		assert_int_equal(rig_receive(f.data, f.len, false), 1);
	}
	assert_int_equal(rig.port.stats.bad_descriptors, 4);
	for (unsigned int i = 0; i < 16; i++) {
		assert_true(rig_rq_poll(0, &cqe));
		assert_int_equal(cqe.hash, i + 1);
	}
	assert_false(rig_rq_poll(0, &cqe));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)
	const struct CMUnitTest tests[] = {
		T(laps_turn_the_owner_bit),        T(sessions_hold_every_frame),
		T(another_title_ends_a_session),   T(sessions_of_two_queues_do_not_mix),
		T(a_shared_cq_has_the_right_wqes), T(overrun_stops_the_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

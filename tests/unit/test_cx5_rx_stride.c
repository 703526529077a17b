/* SPDX-License-Identifier: BSD-3-Clause */
#include "cx5_rig.h"

#include <string.h>

#define STRIDE  7 /* 128 bytes */
#define STRIDES 4 /* 16 of them */

/* What the host reckons: each frame in the next strides, fillers where one would not fit. */
struct reckon {
	uint32_t wqe, at;
	unsigned int minis;
};

static void
expect(struct reckon *r, const uint8_t *frame, uint32_t len)
{
	uint32_t strides = (len + (1u << STRIDE) - 1) >> STRIDE;
	struct rig_cqe cqe;

	assert_true(rig_rq_poll(0, &cqe));
	if (r->at + strides > 1u << STRIDES) {
		assert_true(cqe.filler);
		assert_false(cqe.mini);
		assert_int_equal(cqe.bytes, 0);
		assert_int_equal(cqe.strides, (1u << STRIDES) - r->at);
		assert_int_equal(cqe.wqe_id, r->wqe);
		r->wqe++;
		r->at = 0;
		assert_true(rig_rq_poll(0, &cqe));
	}
	assert_false(cqe.filler);
	r->minis += cqe.mini;
	assert_int_equal(cqe.bytes, len);
	assert_int_equal(cqe.strides, strides);
	assert_int_equal(cqe.wqe_id, r->wqe & 0xffff);
	if (!cqe.mini || rig.rq[0].cq.stride_mini)
		assert_int_equal(cqe.counter, r->at);
	assert_memory_equal(rig_rq_buffer(0, (uint16_t)r->wqe, 0) + (r->at << STRIDE), frame, len);
	r->at += strides;
	if (r->at == 1u << STRIDES) {
		r->at = 0;
		r->wqe++;
	}
}

static void
run(bool compress, bool stride_mini)
{
	struct reckon r = { 0 };
	struct soft_frame f[64];
	uint32_t posted = 8;

	rig_rq_open_stride(0, 8, STRIDE, STRIDES);
	rig.rq[0].cq.compress = compress;
	rig.rq[0].cq.stride_mini = stride_mini;
	for (unsigned int i = 0; i < 64; i++) {
		uint32_t len = 60 + (i * 97) % 700;

		f[i] = (struct soft_frame){ .data = rig_frame(&(struct rig_frame){ .len = len }),
					    .len = len };
	}
	f[63].len = 1u << STRIDE;
	rig_rq_post(0, 8);
	for (unsigned int turn = 0; turn < 100; turn++) {
		unsigned int at = (turn * 13) % 50, n = turn % 14 + 1;

		assert_int_equal(cx5_receive(&rig.port, f + at, n, false), n);
		for (unsigned int i = 0; i < n; i++)
			expect(&r, f[at + i].data, f[at + i].len);
		rig_rq_post(0, r.wqe + 8 - posted);
		posted = r.wqe + 8;
	}
	assert_int_equal(rig.port.stats.rx_missed, 0);
	assert_true(r.minis >= (compress ? 300 : 0));
	assert_true(r.minis == 0 || compress);
}

static void
frames_share_a_wqe(void **state)
{
	(void)state;
	run(false, false);
}

static void
sessions_with_hashes(void **state)
{
	(void)state;
	run(true, false);
}

static void
sessions_with_stride_indices(void **state)
{
	(void)state;
	run(true, true);
}

/* One's complement sum of what is behind the Ethernet header, as the CSUM format has it. */
static void
a_mini_cqe_has_the_sum(void **state)
{
	struct rig_cqe cqe;
	struct soft_frame f[2];
	uint32_t sum = 0;

	(void)state;
	rig_rq_open_stride(0, 8, STRIDE, STRIDES);
	rig.rq[0].cq.compress = true;
	rig.rq[0].cq.stride_mini = true;
	rig_rq_post(0, 8);
	for (unsigned int i = 0; i < 2; i++)
		f[i] = (struct soft_frame){ rig_frame(&(struct rig_frame){ .len = 61 }), 61, 0 };
	for (unsigned int i = 14; i < 61; i++)
		sum += i & 1 ? f[0].data[i] : (uint32_t)f[0].data[i] << 8;
	sum = (sum >> 16) + (sum & 0xffff);
	assert_int_equal(cx5_receive(&rig.port, f, 2, false), 2);
	assert_true(rig_rq_poll(0, &cqe));
	assert_true(cqe.mini);
	assert_int_equal(cqe.hash, (sum >> 16) + (sum & 0xffff));
}

/* The last strides are filled up, yet the next WQE is not there: the frame waits, then comes. */
static void
a_filler_comes_once(void **state)
{
	uint32_t len = 9 << STRIDE;
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = len });
	struct reckon r = { 0 };
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open_stride(0, 8, STRIDE, STRIDES);
	rig_rq_post(0, 1);
	assert_int_equal(rig_receive(f, len, true), 1);
	expect(&r, f, len);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(rig_receive(f, len, true), 0);
	rig_rq_post(0, 1);
	assert_int_equal(rig_receive(f, len, true), 1);
	expect(&r, f, len);
	assert_int_equal(rig_receive(f, len, false), 1);
	assert_int_equal(rig.port.stats.rx_missed, 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_true(cqe.filler);
	assert_false(rig_rq_poll(0, &cqe));
}

static void
more_than_a_wqe_is_too_long(void **state)
{
	uint32_t len = (16 << STRIDE) + 1;
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = len });
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open_stride(0, 8, STRIDE, STRIDES);
	rig_rq_post(0, 8);
	assert_int_equal(rig_receive(f, 60, true), 1);
	assert_int_equal(rig_receive(f, len, true), 1);
	assert_int_equal(rig_receive(f, len - 1, true), 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_true(rig_rq_poll(0, &cqe));
	assert_true(cqe.filler);
	assert_int_equal(cqe.strides, 15);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.opcode, MLX5_CQE_RESP_ERR);
	assert_int_equal(cqe.syndrome, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(cqe.strides, 16);
	assert_int_equal(cqe.wqe_id, 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.wqe_id, 2);
	assert_memory_equal(rig_rq_buffer(0, 2, 0), f, len - 1);
	assert_int_equal(rig.port.stats.rx_bad, 1);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)
	const struct CMUnitTest tests[] = {
		T(frames_share_a_wqe),     T(sessions_with_hashes), T(sessions_with_stride_indices),
		T(a_mini_cqe_has_the_sum), T(a_filler_comes_once),  T(more_than_a_wqe_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

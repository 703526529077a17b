/* SPDX-License-Identifier: BSD-3-Clause */
#include "cx5_rig.h"

#include <string.h>

#define EMPW  0x29
#define FLUSH MLX5_CQE_SYNDROME_WR_FLUSH_ERR

static void
is_error(bool (*poll)(unsigned int, struct rig_cqe *), uint8_t opcode, uint8_t syndrome,
	 uint16_t counter)
{
	struct rig_cqe cqe;

	assert_true(poll(0, &cqe));
	assert_int_equal(cqe.opcode, opcode);
	assert_int_equal(cqe.syndrome, syndrome);
	assert_int_equal(cqe.counter, counter);
}

/* Three good frames, one that meets the error, then what is posted comes back flushed, whenever it
 * was posted; nothing is received until the queue has been to RESET. */
static void
rq_fails(uint8_t syndrome)
{
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = 60 });
	struct rig_cqe cqe;

	rig_rq_post(0, 6);
	for (unsigned int i = 0; i < 3; i++)
		assert_true(rig_rq_poll(0, &cqe) && cqe.opcode == MLX5_CQE_RESP_SEND);
	is_error(rig_rq_poll, MLX5_CQE_RESP_ERR, syndrome, 3);
	is_error(rig_rq_poll, MLX5_CQE_RESP_ERR, FLUSH, 4);
	is_error(rig_rq_poll, MLX5_CQE_RESP_ERR, FLUSH, 5);
	assert_false(rig_rq_poll(0, &cqe)); /* posted after the error: with the next turn */
	assert_int_equal(rig_transmit(64), 0);
	for (uint16_t i = 6; i < 12; i++)
		is_error(rig_rq_poll, MLX5_CQE_RESP_ERR, FLUSH, i);
	assert_false(rig_rq_poll(0, &cqe));
	assert_int_equal(rig.rq[0].rq.state, CX5_ERROR);
	assert_int_equal(rig_receive(f, 60, true), 1); /* does not wait for the host to see it */
	assert_int_equal(rig.port.stats.rx_missed, 1);
	assert_int_equal(rig.port.stats.rx_lost, 1);

	rig_rq_ready(0);
	assert_int_equal(rig_receive(f, 60, true), 0);
	rig_rq_post(0, 8);
	assert_int_equal(rig_receive(f, 60, true), 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.opcode, MLX5_CQE_RESP_SEND);
	assert_int_equal(cqe.counter, 0);
	assert_int_equal(rig.port.stats.rx_frames, 4);
}

static void
rq_receives(unsigned int n)
{
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = 60 });

	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(rig_receive(f, 60, false), 1);
}

static void
a_completion_error_stops_an_rq(void **state)
{
	(void)state;
	rig_rq_open(0, 16, 1, 64);
	rig_rq_post(0, 6);
	rq_receives(3);
	rig.port.fault[SOFTNIC_CQE_RX] = 1;
	rq_receives(1);
	assert_int_equal(rig.port.fault[SOFTNIC_CQE_RX], 0);
	rq_fails(MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
a_misaddressed_buffer_stops_an_rq(void **state)
{
	(void)state;
	rig_rq_open(0, 16, 1, 64);
	rig_rq_post(0, 6);
	rq_receives(3);
	rig.port.fault[SOFTNIC_DMA_RX] = 1;
	rq_receives(1);
	assert_int_equal(rig.port.fault[SOFTNIC_DMA_RX], 0);
	rq_fails(MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(rig.port.stats.dma_errors, 1);
}

/* A buffer that is longer than the memory its key stands for. */
static void
a_buffer_out_of_its_region_stops_an_rq(void **state)
{
	struct mlx5_wqe_data_seg *seg;

	(void)state;
	rig_rq_open(0, 16, 1, 59);
	seg = (struct mlx5_wqe_data_seg *)rig.rq[0].rq.buf;
	seg->byte_count = htobe32(60);
	rig_rq_post(0, 2);
	rq_receives(1);
	is_error(rig_rq_poll, MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, 0);
	is_error(rig_rq_poll, MLX5_CQE_RESP_ERR, FLUSH, 1);
	assert_int_equal(rig.port.stats.dma_errors, 1);
	assert_int_equal(rig.port.stats.rx_lost, 1);
}

/* A session that is open goes out before the error. */
static void
errors_follow_sessions(void **state)
{
	struct soft_frame f[4];
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open(0, 16, 1, 64);
	rig.rq[0].cq.compress = true;
	rig_rq_post(0, 4);
	for (unsigned int i = 0; i < 4; i++)
		f[i] = (struct soft_frame){ rig_frame(&(struct rig_frame){ .len = 60 }), 60, 0 };
	rig.rq[0].buffer[0] = NULL;
	((struct mlx5_wqe_data_seg *)(rig.rq[0].rq.buf + 2 * 16))->lkey = 0;
	assert_int_equal(cx5_receive(&rig.port, f, 4, false), 4);
	assert_true(rig_rq_poll(0, &cqe));
	assert_true(cqe.mini);
	assert_true(rig_rq_poll(0, &cqe));
	is_error(rig_rq_poll, MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, 2);
	is_error(rig_rq_poll, MLX5_CQE_RESP_ERR, FLUSH, 3);
	assert_int_equal(rig.port.stats.rx_lost, 1);
	assert_int_equal(rig.port.stats.rx_missed, 1);
}

/* A striding WQE is flushed as one, with the strides that are left of it. */
static void
strides_are_flushed(void **state)
{
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open_stride(0, 4, 6, 3);
	rig_rq_post(0, 3);
	rq_receives(3);
	rig.port.fault[SOFTNIC_DMA_RX] = 1;
	rq_receives(1);
	for (unsigned int i = 0; i < 3; i++)
		assert_true(rig_rq_poll(0, &cqe));
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.syndrome, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(cqe.counter, 3);
	assert_int_equal(cqe.strides, 5);
	for (unsigned int i = 1; i < 3; i++) {
		assert_true(rig_rq_poll(0, &cqe));
		assert_int_equal(cqe.syndrome, FLUSH);
		assert_int_equal(cqe.wqe_id, i);
		assert_int_equal(cqe.strides, 8);
	}
	assert_false(rig_rq_poll(0, &cqe));
}

static void
starving_ends(void **state)
{
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = 60 });

	(void)state;
	rig_rq_open(0, 16, 1, 64);
	rig_rq_post(0, 8);
	rig.port.fault[SOFTNIC_RX_STARVE] = 1;
	assert_int_equal(rig_receive(f, 60, true), 0);
	assert_int_equal(rig_receive(f, 60, false), 1);
	assert_int_equal(rig.nic.out_of_buffer, 1);
	rig.port.fault[SOFTNIC_RX_STARVE] = 0;
	assert_int_equal(rig_receive(f, 60, true), 1);
	assert_int_equal(rig.port.stats.rx_frames, 1);
}

/* --- send queues --- */

static const uint8_t *frame;
static uint32_t key;

static void
post(unsigned int n, uint8_t ce, uint32_t lkey_be)
{
	struct rig_wqe w = { .opcode = EMPW, .ce = ce };

	for (unsigned int i = 0; i < n; i++)
		rig_wqe_pointer(&w, frame, 60, lkey_be);
	rig_wqe_post(&w);
}

static void
sq_open(void)
{
	uint8_t *at = rig_memory(60, &key);

	memset(at, 1, 60);
	frame = at;
	rig_sq_open(0, 64);
}

/* The host's way back: RESET, READY, and what it sends then goes out. */
static void
sq_recovers(void)
{
	struct cx5_sq *sq = &rig.sq[0].sq;
	struct rig_cqe cqe;

	assert_int_equal(sq->state, CX5_ERROR);
	cx5_sq_detach(sq);
	sq->state = CX5_RESET;
	cx5_sq_reset(sq);
	sq->state = CX5_READY;
	assert_int_equal(cx5_sq_attach(sq), 0);
	rig.sq[0].pi = 0;
	assert_int_equal(rig_transmit(64), 0); /* an old doorbell is none */
	post(2, 2, key);
	assert_int_equal(rig_transmit(64), 2);
	cx5_transmitted(&rig.port);
	assert_true(rig_sq_poll(0, &cqe));
	assert_int_equal(cqe.opcode, MLX5_CQE_REQ);
	assert_int_equal(cqe.counter, 0);
	assert_false(rig_sq_poll(0, &cqe));
}

/* Behind the error, those that want more than the first error complete as flushed. */
static void
sq_fails(uint8_t syndrome, uint16_t counter)
{
	struct rig_cqe cqe;

	cx5_transmitted(&rig.port);
	is_error(rig_sq_poll, MLX5_CQE_REQ_ERR, syndrome, counter);
	is_error(rig_sq_poll, MLX5_CQE_REQ_ERR, FLUSH, rig.sq[0].pi - 2);
	assert_false(rig_sq_poll(0, &cqe));
	post(3, 2, key);
	assert_int_equal(rig_transmit(64), 0);
	cx5_transmitted(&rig.port);
	is_error(rig_sq_poll, MLX5_CQE_REQ_ERR, FLUSH, rig.sq[0].pi - 2);
	assert_false(rig_sq_poll(0, &cqe));
	sq_recovers();
}

static void
a_bad_key_stops_an_sq(void **state)
{
	struct rig_wqe w = { .opcode = EMPW, .ce = 1 };

	(void)state;
	sq_open();
	post(5, 1, key);
	rig_wqe_pointer(&w, frame, 60, key);
	rig_wqe_pointer(&w, frame, 61, key); /* a byte more than the region has */
	rig_wqe_pointer(&w, frame, 60, key);
	rig_wqe_post(&w);
	post(3, 1, key);
	post(3, 2, key);
	assert_int_equal(rig_transmit(64), 6);
	sq_fails(MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, 2);
	assert_int_equal(rig.port.stats.tx_lost, 2 + 3 + 3 + 3);
	assert_int_equal(rig.port.stats.dma_errors, 1);
	assert_int_equal(rig.port.stats.tx_frames, 8);
}

static void
injected_errors_stop_an_sq(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		enum softnic_fault fault = i == 0 ? SOFTNIC_CQE_TX : SOFTNIC_DMA_TX;

		sq_open();
		rig.port.fault[fault] = 1;
		post(2, 1, key);
		post(3, 2, key);
		assert_int_equal(rig_transmit(64), 0);
		assert_int_equal(rig.port.fault[fault], 0);
		sq_fails(i == 0 ? MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR
				: MLX5_CQE_SYNDROME_LOCAL_PROT_ERR,
			 0);
		cx5_sq_detach(&rig.sq[0].sq);
	}
	assert_int_equal(rig.port.stats.dma_errors, 1);
	assert_int_equal(rig.port.stats.tx_lost, 2 * (2 + 3 + 3));
}

/* What no host may write: wrong index, queue, opcode, size, or segments that end beyond it. */
static void
malformed_wqes_stop_an_sq(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		uint8_t *wqe;

		sq_open();
		post(2, 2, key);
		wqe = rig.sq[0].sq.buf;
		switch (i) {
		case 0: /* index */
			wqe[2] = 1;
			break;
		case 1: /* queue */
			wqe[6] ^= 1;
			break;
		case 2: /* opcode: RDMA read */
			wqe[3] = MLX5_OPCODE_RDMA_READ;
			break;
		case 3: /* no segments */
			wqe[7] = 0;
			break;
		case 4: /* more than was posted */
			wqe[7] = 8;
			break;
		case 5: /* a header that is longer than the WQE */
			wqe[3] = MLX5_OPCODE_SEND;
			wqe[28] = 1;
			break;
		case 6: /* inline data that are */
			wqe[32] = 0x80;
			wqe[34] = 1;
			break;
		case 7: /* a frame without a header */
			wqe[35] = 13;
			break;
		}
		assert_int_equal(rig_transmit(64), 0);
		cx5_transmitted(&rig.port);
		is_error(rig_sq_poll, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, 0);
		assert_int_equal(rig.port.stats.bad_descriptors, i + 1);
		sq_recovers();
		cx5_sq_detach(&rig.sq[0].sq);
	}
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)
	const struct CMUnitTest tests[] = {
		T(a_completion_error_stops_an_rq),
		T(a_misaddressed_buffer_stops_an_rq),
		T(a_buffer_out_of_its_region_stops_an_rq),
		T(errors_follow_sessions),
		T(strides_are_flushed),
		T(starving_ends),
		T(a_bad_key_stops_an_sq),
		T(injected_errors_stop_an_sq),
		T(malformed_wqes_stop_an_sq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

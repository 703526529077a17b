/* SPDX-License-Identifier: BSD-3-Clause */
#include "cx5_rig.h"

#include <string.h>

#define EMPW 0x29

/* len bytes that depend on seed, in host memory of exactly that size */
static const uint8_t *
data(uint32_t len, uint8_t seed, uint32_t *lkey_be)
{
	uint8_t *at = rig_memory(len, lkey_be);

	for (uint32_t i = 0; i < len; i++)
		at[i] = (uint8_t)(i * 3 + seed);
	return at;
}

static void
is_frame(unsigned int i, const uint8_t *want, uint32_t len)
{
	assert_int_equal(rig.out[i].len, len);
	assert_memory_equal(rig.out[i].data, want, len);
}

/* What was sent is done, but no sooner than the cable has it. */
static void
completes(unsigned int q, uint16_t wqe, uint8_t opcode)
{
	struct rig_cqe cqe;

	assert_false(rig_sq_poll(q, &cqe));
	cx5_transmitted(&rig.port);
	assert_true(rig_sq_poll(q, &cqe));
	assert_int_equal(cqe.opcode, MLX5_CQE_REQ);
	assert_int_equal(cqe.counter, wqe);
	assert_int_equal(cqe.mark, (uint32_t)opcode << 24 | rig.sq[q].sq.sqn);
	assert_false(rig_sq_poll(q, &cqe));
}

static void
a_pointer_goes_out_in_place(void **state)
{
	struct rig_wqe w = { .opcode = MLX5_OPCODE_SEND, .ce = 2 };
	uint32_t lkey;
	const uint8_t *f = data(60, 1, &lkey);

	(void)state;
	rig_sq_open(0, 8);
	rig_wqe_pointer(&w, f, 60, lkey);
	rig_wqe_post(&w);
	assert_int_equal(rig_transmit(64), 1);
	assert_ptr_equal(rig.out[0].data, f);
	is_frame(0, f, 60);
	completes(0, 0, MLX5_OPCODE_SEND);
	assert_int_equal(rig.port.stats.tx_frames, 1);
	assert_int_equal(rig.port.stats.tx_bytes, 60);
}

/* SEND with a header in the Ethernet segment and data segments of both kinds, over laps of a ring
 * that every size of WQE wraps at every place. */
static void
pieces_are_gathered(void **state)
{
	uint8_t want[2048], part[200];
	uint16_t index = 0;

	(void)state;
	rig_sq_open(0, 16);
	for (unsigned int turn = 0; turn < 300; turn++) {
		struct rig_wqe w = { .opcode = MLX5_OPCODE_SEND, .ce = 2 };
		uint32_t header = turn % 4 == 0 ? 0 : 14 + (turn * 29) % 180;
		uint32_t words = (turn * 7) % 190 + 1, lkey, len;
		const uint8_t *more = data(70 + turn % 5, (uint8_t)turn, &lkey);

		for (uint32_t i = 0; i < sizeof(part); i++)
			part[i] = (uint8_t)(i + turn);
		w.header = (uint16_t)header;
		w.inline_header = part;
		memcpy(want, part, header);
		len = header;
		rig_wqe_pointer(&w, more, 70 + turn % 5, lkey);
		memcpy(want + len, more, 70 + turn % 5);
		len += 70 + turn % 5;
		rig_wqe_inline(&w, part, words);
		memcpy(want + len, part, words);
		len += words;
		rig_wqe_post(&w);
		assert_int_equal(rig_transmit(64), 1);
		is_frame(0, want, len);
		completes(0, index, MLX5_OPCODE_SEND);
		index = rig.sq[0].pi;
	}
	assert_int_equal(rig.port.stats.bad_descriptors, 0);
}

/* Two bytes fit into the Ethernet segment itself: as many segments as without them. */
static void
the_shortest_header_is_sent(void **state)
{
	struct rig_wqe w = { .opcode = MLX5_OPCODE_SEND, .ce = 2, .header = 2 };
	uint8_t want[72];
	uint32_t lkey;
	const uint8_t *f = data(70, 5, &lkey);

	(void)state;
	rig_sq_open(0, 8);
	w.inline_header = f;
	rig_wqe_pointer(&w, f, 70, lkey);
	rig_wqe_post(&w);
	assert_int_equal(rig_transmit(64), 1);
	memcpy(want, f, 2);
	memcpy(want + 2, f, 70);
	is_frame(0, want, 72);
}

/* Enhanced MPW: a frame a segment, pointers and bytes mixed, round the end of the ring, and cut
 * into turns of any size. */
static void
many_frames_of_one_wqe(void **state)
{
	const uint8_t *f[28];
	uint32_t lkey[28];

	(void)state;
	rig_sq_open(0, 32);
	for (unsigned int i = 0; i < 28; i++)
		f[i] = data(60 + i, (uint8_t)i, &lkey[i]);
	for (unsigned int turn = 0; turn < 100; turn++) {
		struct rig_wqe w = { .opcode = EMPW, .ce = 2 };
		unsigned int n = turn % 28 + 1, at = 0, max = turn % 9 + 1;
		uint16_t index = rig.sq[0].pi;
		struct rig_cqe cqe;

		for (unsigned int i = 0; i < n && w.bytes < 800; i++, at++) {
			if ((turn + i) % 3 == 0)
				rig_wqe_inline(&w, f[i], 60 + i);
			else
				rig_wqe_pointer(&w, f[i], 60 + i, lkey[i]);
		}
		rig_wqe_post(&w);
		for (unsigned int i = 0; i < at; i += max) {
			unsigned int want = at - i < max ? at - i : max;

			assert_false(rig_sq_poll(0, &cqe));
			assert_int_equal(rig_transmit(max), want);
			for (unsigned int k = 0; k < want; k++)
				is_frame(k, f[i + k], 60 + i + k);
			if (i + want < at)
				cx5_transmitted(&rig.port);
		}
		completes(0, index, EMPW);
	}
}

/* A host that keeps 16 bits of its consumer index is not taken for one that is behind. */
static void
completions_do_not_end(void **state)
{
	uint32_t lkey;
	const uint8_t *f = data(60, 1, &lkey);
	struct rig_cqe cqe;

	(void)state;
	rig_sq_open(0, 8);
	for (uint32_t i = 0; i < 70000; i++) {
		struct rig_wqe w = { .opcode = MLX5_OPCODE_SEND, .ce = 2 };

		rig_wqe_pointer(&w, f, 60, lkey);
		rig_wqe_post(&w);
		assert_int_equal(rig_transmit(64), 1);
		cx5_transmitted(&rig.port);
		assert_true(rig_sq_poll(0, &cqe));
		assert_int_equal(cqe.counter, i & 0xffff);
	}
}

/* Without a request there is no completion; of a no-op, too, there is one if asked for. */
static void
completions_come_where_asked(void **state)
{
	uint32_t lkey;
	const uint8_t *f = data(60, 1, &lkey);

	(void)state;
	rig_sq_open(0, 16);
	for (unsigned int i = 0; i < 6; i++) {
		struct rig_wqe w = { .opcode = i == 5 ? MLX5_OPCODE_NOP : MLX5_OPCODE_SEND,
				     .ce = i == 5 ? 2 : 1 };

		if (i < 5)
			rig_wqe_pointer(&w, f, 60, lkey);
		rig_wqe_post(&w);
	}
	assert_int_equal(rig_transmit(64), 5);
	completes(0, 5, MLX5_OPCODE_NOP);
}

static void
runts_are_padded(void **state)
{
	struct rig_wqe w = { .opcode = EMPW, .ce = 2 };
	uint8_t want[60] = { 0 };
	uint32_t lkey;
	const uint8_t *f = data(42, 9, &lkey);

	(void)state;
	rig_sq_open(0, 8);
	rig_wqe_pointer(&w, f, 42, lkey);
	rig_wqe_inline(&w, f, 14);
	rig_wqe_post(&w);
	assert_int_equal(rig_transmit(64), 2);
	memcpy(want, f, 42);
	is_frame(0, want, 60);
	memset(want + 14, 0, 28);
	is_frame(1, want, 60);
}

/* Frames that must be put together come as far as there is room, then in the next turn. */
static void
room_is_not_endless(void **state)
{
	uint32_t lkey;
	const uint8_t *f = data(SOFT_FRAME_MAX - 18, 3, &lkey);
	unsigned int sent = 0, turns = 0;

	(void)state;
	rig_sq_open(0, 512);
	for (unsigned int i = 0; i < 200; i++) {
		struct rig_wqe w = {
			.opcode = MLX5_OPCODE_SEND, .ce = 1, .header = 18, .inline_header = f
		};

		rig_wqe_pointer(&w, f, SOFT_FRAME_MAX - 18, lkey);
		rig_wqe_post(&w);
	}
	while (sent < 200 && turns++ < 20) {
		unsigned int n = rig_transmit(64);

		assert_true(n > 0);
		for (unsigned int i = 0; i < n; i++) {
			assert_int_equal(rig.out[i].len, SOFT_FRAME_MAX);
			assert_memory_equal(rig.out[i].data + 18, f, SOFT_FRAME_MAX - 18);
		}
		sent += n;
		cx5_transmitted(&rig.port);
	}
	assert_int_equal(sent, 200);
}

/* No queue stays behind: four that are always full send alike. */
static void
queues_take_turns(void **state)
{
	uint32_t lkey;
	const uint8_t *f = data(60, 1, &lkey);

	(void)state;
	for (unsigned int q = 0; q < 4; q++) {
		rig_sq_open(q, 256);
		for (unsigned int i = 0; i < 256; i++) {
			struct rig_wqe w = { .sq = q, .opcode = MLX5_OPCODE_SEND, .ce = 1 };

			rig_wqe_pointer(&w, f, 60, lkey);
			rig_wqe_post(&w);
		}
	}
	for (unsigned int turn = 0; turn < 8; turn++) {
		assert_int_equal(rig_transmit(64), 64);
		cx5_transmitted(&rig.port);
	}
	for (unsigned int q = 0; q < 4; q++)
		assert_int_equal(rig.sq[q].sq.frames, 128);
}

static void
a_hang_ends(void **state)
{
	struct rig_wqe w = { .opcode = MLX5_OPCODE_SEND, .ce = 2 };
	uint32_t lkey;
	const uint8_t *f = data(60, 1, &lkey);

	(void)state;
	rig_sq_open(0, 8);
	rig_wqe_pointer(&w, f, 60, lkey);
	rig_wqe_post(&w);
	rig.port.fault[SOFTNIC_TX_HANG] = 1;
	assert_int_equal(rig_transmit(64), 0);
	rig.port.fault[SOFTNIC_TX_HANG] = 0;
	assert_int_equal(rig_transmit(64), 1);
	completes(0, 0, MLX5_OPCODE_SEND);
}

static void
without_a_link_frames_are_dropped(void **state)
{
	struct rig_wqe w = { .opcode = MLX5_OPCODE_SEND, .ce = 2 };
	uint32_t lkey;
	const uint8_t *f = data(60, 1, &lkey);

	(void)state;
	rig_sq_open(0, 8);
	rig_wqe_pointer(&w, f, 60, lkey);
	rig_wqe_post(&w);
	rig.port.fault[SOFTNIC_LINK_DOWN] = 1;
	assert_int_equal(rig_transmit(64), 0);
	completes(0, 0, MLX5_OPCODE_SEND);
	assert_int_equal(rig.port.stats.tx_lost, 1);
	assert_int_equal(rig.port.stats.tx_frames, 0);
	rig.port.fault[SOFTNIC_LINK_DOWN] = 0;
	w.bytes = 0;
	rig_wqe_pointer(&w, f, 60, lkey);
	rig_wqe_post(&w);
	assert_int_equal(rig_transmit(64), 1);
	completes(0, 1, MLX5_OPCODE_SEND);
}

static void
completions_can_be_slow(void **state)
{
	uint32_t lkey;
	const uint8_t *f = data(60, 1, &lkey);
	struct rig_cqe cqe;

	(void)state;
	rig_sq_open(0, 8);
	rig.now_ns = 1000000;
	rig.port.fault[SOFTNIC_SLOW_COMPLETION] = 50; /* microseconds */
	for (unsigned int i = 0; i < 2; i++, rig.now_ns += 20000) {
		struct rig_wqe w = { .opcode = MLX5_OPCODE_SEND, .ce = 2 };

		rig_wqe_pointer(&w, f, 60, lkey);
		rig_wqe_post(&w);
		assert_int_equal(rig_transmit(64), 1);
		cx5_transmitted(&rig.port);
		assert_false(rig_sq_poll(0, &cqe));
	}
	rig.now_ns = 1049999;
	cx5_transmitted(&rig.port);
	assert_false(rig_sq_poll(0, &cqe));
	rig.now_ns = 1050000;
	cx5_transmitted(&rig.port);
	assert_true(rig_sq_poll(0, &cqe));
	assert_false(rig_sq_poll(0, &cqe));
	/* The queue goes away before the second is due. */
	cx5_sq_detach(&rig.sq[0].sq);
	rig.now_ns = 2000000;
	cx5_transmitted(&rig.port);
	assert_false(rig_sq_poll(0, &cqe));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)
	const struct CMUnitTest tests[] = {
		T(a_pointer_goes_out_in_place),
		T(pieces_are_gathered),
		T(the_shortest_header_is_sent),
		T(many_frames_of_one_wqe),
		T(completions_do_not_end),
		T(completions_come_where_asked),
		T(runts_are_padded),
		T(room_is_not_endless),
		T(queues_take_turns),
		T(a_hang_ends),
		T(without_a_link_frames_are_dropped),
		T(completions_can_be_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

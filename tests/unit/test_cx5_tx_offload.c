/* SPDX-License-Identifier: BSD-3-Clause */
#include "cx5_rig.h"

#include <string.h>

#define EMPW 0x29
#define L3   (1 << 6)
#define L4   (1 << 7)

/* A frame in memory with a key; its sums wrong on purpose where asked. */
static uint8_t *
memory(const struct rig_frame *spec, uint32_t *lkey_be)
{
	uint8_t *at = rig_memory(spec->len, lkey_be);

	memcpy(at, rig_frame(spec), spec->len);
	return at;
}

static const struct {
	struct rig_frame frame;
	uint8_t cs_flags;
} sums[] = {
	{ { .len = 60, .bad_ip = true }, L3 },
	{ { .len = 61, .bad_l4 = true }, L4 },
	{ { .len = 62, .bad_ip = true, .bad_l4 = true }, L3 | L4 },
	{ { .len = 99, .tcp = true, .bad_ip = true, .bad_l4 = true }, L3 | L4 },
	{ { .len = 1500, .tcp = true, .tag = 5, .bad_l4 = true }, L4 },
};

static void
sums_are_inserted(void **state)
{
	(void)state;
	rig_sq_open(0, 64);
	for (unsigned int form = 0; form < 3; form++) {
		for (unsigned int i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
			struct rig_frame good = sums[i].frame;
			uint32_t lkey, len = good.len;
			uint8_t *f = memory(&good, &lkey), before[2048];
			struct rig_wqe w = { .opcode = form == 0 ? EMPW : MLX5_OPCODE_SEND,
					     .ce = 1,
					     .cs_flags = sums[i].cs_flags };

			memcpy(before, f, len);
			if (form == 2) {
				w.header = 18;
				w.inline_header = f;
			}
			rig_wqe_pointer(&w, f + w.header, len - w.header, lkey);
			rig_wqe_post(&w);
			assert_int_equal(rig_transmit(64), 1);
			cx5_transmitted(&rig.port);
			good.bad_ip = false;
			good.bad_l4 = false;
			assert_int_equal(rig.out[0].len, len);
			assert_memory_equal(rig.out[0].data, rig_frame(&good), len);
			assert_memory_equal(f, before, len); /* the host's memory is not ours */
		}
	}
}

static void
a_tag_is_inserted(void **state)
{
	uint32_t lkey;
	uint8_t *f = memory(&(struct rig_frame){ .len = 70, .bad_ip = true }, &lkey);
	struct rig_wqe w = { .opcode = MLX5_OPCODE_SEND, .ce = 1, .vlan = 0x3123, .cs_flags = L3 };

	(void)state;
	rig_sq_open(0, 8);
	rig_wqe_pointer(&w, f, 70, lkey);
	rig_wqe_post(&w);
	assert_int_equal(rig_transmit(64), 1);
	assert_int_equal(rig.out[0].len, 74);
	assert_memory_equal(rig.out[0].data, f, 12);
	assert_memory_equal(rig.out[0].data + 12, "\x81\x00\x31\x23", 4);
	f = rig_frame(&(struct rig_frame){ .len = 70 });
	assert_memory_equal(rig.out[0].data + 16, f + 12, 58);
}

#define HEADER 54
#define MSS    500

static uint32_t
be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

/* One segment: as if the host had made it itself. */
static void
is_segment(const struct soft_frame *f, const uint8_t *whole, uint32_t payload, uint32_t number)
{
	uint32_t at = number * MSS, len = payload - at < MSS ? payload - at : MSS;
	bool last = at + len == payload;
	const uint8_t *ip = f->data + 14, *tcp = f->data + 34;
	struct hdr hdr;

	assert_int_equal(f->len, HEADER + len < 60 ? 60 : HEADER + len);
	assert_memory_equal(f->data + HEADER, whole + HEADER + at, len);
	assert_memory_equal(f->data, whole, 16);
	assert_int_equal(ip[2] << 8 | ip[3], 40 + len);
	assert_int_equal(ip[4] << 8 | ip[5], (whole[18] << 8 | whole[19]) + number);
	assert_memory_equal(ip + 6, whole + 20, 4);
	assert_memory_equal(ip + 12, whole + 26, 8);
	assert_int_equal(be32(tcp + 4), be32(whole + 38) + at);
	assert_int_equal(tcp[13], last ? 0x19 : 0x10);
	hdr_parse(&hdr, f->data, f->len);
	assert_int_equal(hdr_check_ip(&hdr, f->data), HDR_SUM_GOOD);
	assert_int_equal(hdr_check_l4(&hdr, f->data), HDR_SUM_GOOD);
}

static void
tcp_is_segmented(void **state)
{
	static const uint32_t payload[] = { 1, 499, 500, 501, 9000, 60000 };

	(void)state;
	rig_sq_open(0, 64);
	for (unsigned int i = 0; i < sizeof(payload) / sizeof(payload[0]); i++) {
		uint32_t len = HEADER + payload[i], lkey, done = 0;
		uint8_t *f =
			memory(&(struct rig_frame){ .len = len, .tcp = true, .seed = 77 }, &lkey);
		struct rig_wqe w = { .opcode = MLX5_OPCODE_TSO,
				     .ce = 2,
				     .mss = MSS,
				     .header = HEADER,
				     .inline_header = f };
		uint32_t all = (payload[i] + MSS - 1) / MSS, half = payload[i] / 2;
		struct rig_cqe cqe;

		if (half != 0)
			rig_wqe_pointer(&w, f + HEADER, half, lkey);
		rig_wqe_pointer(&w, f + HEADER + half, payload[i] - half, lkey);
		rig_wqe_post(&w);
		while (done < all) {
			uint32_t n = rig_transmit(50);

			assert_int_equal(n, all - done < 50 ? all - done : 50);
			for (uint32_t k = 0; k < n; k++)
				is_segment(&rig.out[k], f, payload[i], done + k);
			done += n;
			assert_false(rig_sq_poll(0, &cqe));
			cx5_transmitted(&rig.port);
		}
		assert_true(rig_sq_poll(0, &cqe));
		assert_int_equal(rig_transmit(64), 0);
	}
	assert_int_equal(rig.port.stats.tx_lost, 0);
}

/* What cannot be segmented is an error, not a frame. */
static void
only_tcp_is_segmented(void **state)
{
	uint32_t lkey;
	uint8_t *f = memory(&(struct rig_frame){ .len = 900 }, &lkey);

	(void)state;
	rig_sq_open(0, 64);
	for (unsigned int i = 0; i < 3; i++) {
		struct rig_wqe w = { .opcode = MLX5_OPCODE_TSO,
				     .ce = 2,
				     .mss = i == 1 ? 0 : MSS,
				     .header = i == 2 ? 0 : HEADER,
				     .inline_header = f };
		struct rig_cqe cqe;

		rig_wqe_pointer(&w, f + HEADER, 700, lkey);
		rig_wqe_post(&w);
		assert_int_equal(rig_transmit(64), 0);
		cx5_transmitted(&rig.port);
		assert_true(rig_sq_poll(0, &cqe));
		assert_int_equal(cqe.syndrome, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
		cx5_sq_detach(&rig.sq[0].sq);
		rig.sq[0].sq.state = CX5_READY;
		cx5_sq_reset(&rig.sq[0].sq);
		cx5_sq_attach(&rig.sq[0].sq);
		rig.sq[0].pi = 0;
	}
	assert_int_equal(rig.port.stats.tx_lost, 3);
	assert_int_equal(rig.port.stats.bad_descriptors, 3);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)
	const struct CMUnitTest tests[] = {
		T(sums_are_inserted),
		T(a_tag_is_inserted),
		T(tcp_is_segmented),
		T(only_tcp_is_segmented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

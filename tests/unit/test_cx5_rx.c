/* SPDX-License-Identifier: BSD-3-Clause */
#include "cx5_rig.h"

#include <string.h>

static void
is_accounted(uint64_t offered)
{
	const struct softnic_stats *s = &rig.port.stats;

	assert_int_equal(s->rx_frames + s->rx_missed + s->rx_filtered + s->rx_bad + s->rx_lost,
			 offered);
}

static const struct {
	const char *what;
	struct rig_frame frame;
	uint16_t
		types; /* 10 L4 ok, 9 L3 ok, 8 L2 ok, 7 fragment, 6:4 L4, 3:2 L3, 1 options, 0 VLAN */
} verdicts[] = {
	{ "UDP", { .len = 60 }, 0x700 | 2 << 4 | 2 << 2 },
	{ "TCP with acknowledgment", { .len = 100, .tcp = true }, 0x700 | 4 << 4 | 2 << 2 },
	{ "only an acknowledgment", { .len = 54, .tcp = true }, 0x700 | 3 << 4 | 2 << 2 },
	{ "bad IP sum", { .len = 60, .bad_ip = true }, 0x500 | 2 << 4 | 2 << 2 },
	{ "bad UDP sum", { .len = 60, .bad_l4 = true }, 0x300 | 2 << 4 | 2 << 2 },
	{ "bad TCP sum", { .len = 70, .tcp = true, .bad_l4 = true }, 0x300 | 4 << 4 | 2 << 2 },
	{ "tagged", { .len = 64, .tag = 100 }, 0x700 | 2 << 4 | 2 << 2 },
	{ "long", { .len = 1514 }, 0x700 | 2 << 4 | 2 << 2 },
};

static void
a_cqe_says_what_was_found(void **state)
{
	(void)state;
	rig_rq_open(0, 16, 1, 2048);
	rig_rq_post(0, 16);
	for (unsigned int i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		uint32_t len = verdicts[i].frame.len;
		uint8_t *f = rig_frame(&verdicts[i].frame);
		struct rig_cqe cqe;

		rig.mark = i;
		assert_int_equal(rig_receive(f, len, false), 1);
		assert_true(rig_rq_poll(0, &cqe));
		if (cqe.types != verdicts[i].types)
			fail_msg("%s: types %x, want %x", verdicts[i].what, cqe.types,
				 verdicts[i].types);
		assert_int_equal(cqe.vlan, 0);
		assert_int_equal(cqe.bytes, len);
		assert_int_equal(cqe.mark, i);
		assert_int_equal(cqe.wqe_id, 0);
		assert_memory_equal(rig_rq_buffer(0, (uint16_t)i, 0), f, len);
	}
}

/* Every length around where copying changes its way, into buffers of exactly that length. */
static void
every_length_fits_exactly(void **state)
{
	struct rig_cqe cqe;

	(void)state;
	for (uint32_t len = 42; len <= 140; len++) {
		uint8_t *f = rig_frame(&(struct rig_frame){ .len = len, .seed = (uint8_t)len });

		rig.nic.nb_rq = 0;
		rig_rq_open(0, 1, 1, len);
		rig_rq_post(0, 1);
		assert_int_equal(rig_receive(f, len, false), 1);
		assert_true(rig_rq_poll(0, &cqe));
		assert_int_equal(cqe.bytes, len);
		assert_memory_equal(rig_rq_buffer(0, 0, 0), f, len);
	}
}

static void
long_frames_are_scattered(void **state)
{
	uint32_t len = 9000, at = 0;
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = len });
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open(0, 4, 8, 2048);
	rig_rq_post(0, 4);
	assert_int_equal(rig_receive(f, len, false), 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.bytes, len);
	for (uint32_t seg = 0; at < len; seg++, at += 2048) {
		uint32_t put = len - at < 2048 ? len - at : 2048;

		assert_memory_equal(rig_rq_buffer(0, 0, seg), f + at, put);
	}
	assert_int_equal(rig_rq_buffer(0, 0, 4)[len - 4 * 2048], 0xee);
}

static void
a_tag_is_stripped(void **state)
{
	struct rig_frame spec = { .len = 68, .tag = 0x2064, .tag2 = 7 };
	uint8_t *f = rig_frame(&spec), *to;
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open(0, 4, 1, 64);
	rig.rq[0].rq.strip_vlan = true;
	rig_rq_post(0, 4);
	assert_int_equal(rig_receive(f, 68, false), 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.bytes, 64);
	assert_int_equal(cqe.types & 1, 1);
	assert_int_equal(cqe.vlan, 0x2064);
	to = rig_rq_buffer(0, 0, 0);
	assert_memory_equal(to, f, 12);
	assert_memory_equal(to + 12, f + 16, 52);

	/* A rule takes the outer one off without a word in the CQE, the queue the next. */
	rig.pop = true;
	assert_int_equal(rig_receive(f, 68, false), 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.bytes, 60);
	assert_int_equal(cqe.vlan, 7);
	rig.rq[0].rq.strip_vlan = false;
	assert_int_equal(rig_receive(f, 68, false), 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.bytes, 64);
	assert_int_equal(cqe.types & 1, 0);
	assert_int_equal(cqe.vlan, 0);
	assert_int_equal(rig.port.stats.rx_bytes, 3 * 68);
}

/* CRC-32 of IEEE 802.3, a bit at a time. */
static uint32_t
crc32(const uint8_t *data, uint32_t len)
{
	uint32_t crc = UINT32_MAX;

	for (uint32_t i = 0; i < len; i++) {
		crc ^= data[i];
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static void
the_fcs_is_kept(void **state)
{
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = 60 });
	struct rig_cqe cqe;
	uint32_t fcs;

	(void)state;
	rig_rq_open(0, 4, 2, 62); /* it is cut by the end of the first buffer */
	rig.rq[0].rq.keep_fcs = true;
	rig_rq_post(0, 4);
	assert_int_equal(rig_receive(f, 60, false), 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.bytes, 64);
	memcpy(&fcs, rig_rq_buffer(0, 0, 0) + 60, 2);
	memcpy((uint8_t *)&fcs + 2, rig_rq_buffer(0, 0, 1), 2);
	assert_int_equal(fcs, crc32(f, 60));
}

static void
without_wqes_frames_are_missed(void **state)
{
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = 60 });
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open(0, 8, 1, 64);
	rig_rq_post(0, 2);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(rig_receive(f, 60, false), 1);
	assert_int_equal(rig.port.stats.rx_frames, 2);
	assert_int_equal(rig.port.stats.rx_missed, 3);
	assert_int_equal(rig.nic.out_of_buffer, 3);
	assert_int_equal(rig.rq[0].rq.no_buffer, 3);
	assert_true(rig_rq_poll(0, &cqe) && rig_rq_poll(0, &cqe) && !rig_rq_poll(0, &cqe));
	is_accounted(5);
}

/* A source that waits: nothing is lost, and steering is asked once a frame. */
static void
frames_wait_for_wqes(void **state)
{
	struct soft_frame f[20];
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open(0, 8, 1, 256);
	for (unsigned int i = 0; i < 20; i++)
		f[i] = (struct soft_frame){ rig_frame(&(struct rig_frame){ .len = 60 + i }), 60 + i,
					    0 };
	for (unsigned int i = 0; i < 20; i += 4) {
		assert_int_equal(cx5_receive(&rig.port, f + i, 20 - i, true), 0);
		rig_rq_post(0, 4);
		assert_int_equal(cx5_receive(&rig.port, f + i, 20 - i, true), 4);
		for (unsigned int k = i; k < i + 4; k++) {
			assert_true(rig_rq_poll(0, &cqe));
			assert_int_equal(cqe.bytes, f[k].len);
		}
	}
	assert_int_equal(rig.steered, 20);
	assert_int_equal(rig.port.stats.rx_missed, 0);
	is_accounted(20);
}

/* Another frame than the one that waited, and a queue that came between: judged anew. */
static void
what_waits_is_not_mistaken(void **state)
{
	uint8_t *a = rig_frame(&(struct rig_frame){ .len = 60 });
	uint8_t *b = rig_frame(&(struct rig_frame){ .len = 61 });

	(void)state;
	rig_rq_open(0, 8, 1, 256);
	assert_int_equal(rig_receive(a, 60, true), 0);
	assert_int_equal(rig_receive(b, 60, true), 0);
	assert_int_equal(rig_receive(b, 61, true), 0);
	assert_int_equal(rig.steered, 3);
	rig_rq_open(1, 8, 1, 256);
	rig_rq_post(1, 1);
	rig.to = 1;
	assert_int_equal(rig_receive(b, 61, true), 1);
	assert_int_equal(rig.rq[1].rq.frames, 1);
}

static void
what_is_not_for_us_is_counted(void **state)
{
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = 60 });
	struct soft_frame damaged = { f, 60, SOFT_BAD_FCS };
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open(0, 8, 1, 64);
	rig_rq_post(0, 8);
	rig.to = RIG_QUEUES;
	assert_int_equal(rig_receive(f, 60, true), 1);
	assert_int_equal(rig.port.stats.rx_filtered, 1);
	rig.to = 0;
	assert_int_equal(cx5_receive(&rig.port, &damaged, 1, true), 1);
	assert_int_equal(rig_receive(f, 13, true), 1);
	assert_int_equal(rig.port.stats.rx_bad, 2);
	assert_false(rig_rq_poll(0, &cqe));
	is_accounted(3);
}

/* A length error takes a WQE and leaves the queue as it is. */
static void
too_long_for_a_wqe_is_an_error(void **state)
{
	uint8_t *f = rig_frame(&(struct rig_frame){ .len = 65 });
	struct rig_cqe cqe;

	(void)state;
	rig_rq_open(0, 8, 1, 64);
	rig.rq[0].cq.compress = true;
	rig_rq_post(0, 8);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(rig_receive(f, i == 1 ? 65 : 64, true), 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.opcode, MLX5_CQE_RESP_SEND);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.opcode, MLX5_CQE_RESP_ERR);
	assert_int_equal(cqe.syndrome, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(cqe.counter, 1);
	assert_true(rig_rq_poll(0, &cqe));
	assert_int_equal(cqe.counter, 2);
	assert_int_equal(rig.rq[0].rq.state, CX5_READY);
	assert_int_equal(rig_rq_buffer(0, 1, 0)[0], 0xee);
	assert_int_equal(rig.port.stats.rx_bad, 1);
	is_accounted(3);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)
	const struct CMUnitTest tests[] = {
		T(a_cqe_says_what_was_found),
		T(every_length_fits_exactly),
		T(long_frames_are_scattered),
		T(a_tag_is_stripped),
		T(the_fcs_is_kept),
		T(without_wqes_frames_are_missed),
		T(frames_wait_for_wqes),
		T(what_waits_is_not_mistaken),
		T(what_is_not_for_us_is_counted),
		T(too_long_for_a_wqe_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DevX commands of the ConnectX-5 model, in the bytes that the PMD of DPDK 22.11 sends, recorded:
 * what becomes of each field, and what the firmware refuses.
 */
#include "cx5_host.h"

/* Dwords of the commands.  NUM stands for numbers that the test fills in. */
#define NUM 0
static const struct host_dword create_cq_mini[] = {
	/* compressed, checksum and stride index */
	{ 0, 0x04000000 }, { 4, 0x02007000 },  { 5, NUM },  { 7, 0x05000001 },
	{ 9, 0x00000001 }, { 19, 0x00000800 }, { 22, NUM }, { 23, 0x80000000 },
};
static const struct host_dword create_rq_striding[] = {
	/* 8 WQEs of 2^6 strides of 2^11 bytes */
	{ 0, 0x09080000 },  { 8, 0x10040000 },  { 10, NUM },        { 11, 0x01000000 },
	{ 20, 0x30000000 }, { 22, 0x00000001 }, { 25, 0x00000100 }, { 28, 0x00050003 },
	{ 29, 0xc0000d05 }, { 30, NUM },        { 31, NUM },
};
static void
a_cq_lies_where_the_command_says(void **state)
{
	const struct cx5_cq *made = host_of(host.cq);

	(void)state;
	assert_int_equal(made->size, 32);
	assert_int_equal(made->cqn, host_id(host.cq));
	assert_ptr_equal(made->buf, host.cq_ring.memory);
	assert_ptr_equal((const void *)(uintptr_t)made->dbrec, host.cq_ring.memory + 32 * 64);
	assert_false(made->compress);
	assert_false(made->owned);
}

static void
a_cq_may_take_mini_cqes(void **state)
{
	struct host_ring ring;
	struct mlx5dv_devx_obj *obj;
	struct host_edit e;

	(void)state;
	host_ring_open(&ring, 32 * 64);
	host_edit(&e, create_cq_mini, RTE_DIM(create_cq_mini));
	host_set(&e, 5, ring.umem->umem_id);
	host_set(&e, 22, ring.umem->umem_id);
	obj = host_make(&e);
	assert_true(((struct cx5_cq *)host_of(obj))->compress);
	assert_true(((struct cx5_cq *)host_of(obj))->stride_mini);
	glue_devx_obj_destroy(obj);
	host_set(&e, 4, 0x02004000); /* format 0: the hash */
	obj = host_make(&e);
	assert_true(((struct cx5_cq *)host_of(obj))->compress);
	assert_false(((struct cx5_cq *)host_of(obj))->stride_mini);
	glue_devx_obj_destroy(obj);
	host_set(&e, 4, 0x02006000); /* format 2: flow tag and stride index */
	host_refused(&e, HOST_CREATE, CX5_BAD_PARAM, CX5_SYN_FORMAT);
	host_ring_close(&ring);
}

static void
a_cq_must_lie_in_its_memory(void **state)
{
	struct host_edit e;

	(void)state;
	host_cq(&e, &host.cq_ring);
	host_set(&e, 7, 0x06000001); /* 64 CQEs */
	host_refused(&e, HOST_CREATE, CX5_BAD_PARAM, CX5_SYN_UMEM);
	host_set(&e, 7, 0x05000001);
	host_set(&e, 21, 65); /* an offset: one byte too far */
	host_refused(&e, HOST_CREATE, CX5_BAD_PARAM, CX5_SYN_UMEM);
	host_set(&e, 20, 0xffffffff);
	host_refused(&e, HOST_CREATE, CX5_BAD_PARAM, CX5_SYN_UMEM);
	host_set(&e, 20, 0);
	host_set(&e, 21, 0);
	host_set(&e, 19, 32 * 64 + 57); /* the doorbell record */
	host_refused(&e, HOST_CREATE, CX5_BAD_PARAM, CX5_SYN_UMEM);
	host_set(&e, 19, 32 * 64 + 56);
	glue_devx_obj_destroy(host_make(&e));
	host_set(&e, 22, host.cq_ring.umem->umem_id + 1000); /* nobody's */
	host_refused(&e, HOST_CREATE, CX5_BAD_PARAM, CX5_SYN_UMEM);
	host_set(&e, 22, host.cq_ring.umem->umem_id);
	host_set(&e, 23, 0); /* no memory region at all */
	host_refused(&e, HOST_CREATE, CX5_BAD_PARAM, CX5_SYN_UMEM);
}

static void
a_receive_queue_is_as_the_command_says(void **state)
{
	struct mlx5dv_devx_obj *obj = host_make(&host.rq_edit);
	const struct cx5_rq *rq = host_of(obj);

	(void)state;
	assert_int_equal(rq->size, 4);
	assert_int_equal(rq->stride, 16);
	assert_int_equal(rq->nb_seg, 1);
	assert_int_equal(rq->strides_log, 0);
	assert_ptr_equal(rq->buf, host.rq_ring.memory);
	assert_ptr_equal((const void *)(uintptr_t)rq->dbrec, host.rq_ring.memory + 64);
	assert_ptr_equal(rq->cq, host_of(host.cq));
	assert_int_equal(rq->state, CX5_RESET);
	assert_false(rq->strip_vlan); /* vsd */
	assert_false(rq->keep_fcs);
	glue_devx_obj_destroy(obj);

	host_set(&host.rq_edit, 8, 0x20040000); /* scatter_fcs, not vsd */
	obj = host_make(&host.rq_edit);
	rq = host_of(obj);
	assert_true(rq->strip_vlan);
	assert_true(rq->keep_fcs);
	glue_devx_obj_destroy(obj);
}

static void
a_striding_receive_queue_says_so_in_biased_fields(void **state)
{
	struct mlx5dv_devx_obj *obj;
	struct host_ring ring;
	const struct cx5_rq *rq;
	struct host_edit e;

	(void)state;
	host_ring_open(&ring, 8 * 32);
	host_edit(&e, create_rq_striding, RTE_DIM(create_rq_striding));
	host_set(&e, 10, host_id(host.cq));
	host_set(&e, 30, ring.umem->umem_id);
	host_set(&e, 31, ring.umem->umem_id);
	obj = host_make(&e);
	rq = host_of(obj);
	assert_int_equal(rq->size, 8);
	assert_int_equal(rq->stride, 32);
	assert_int_equal(rq->strides_log, 6); /* 9 - 3 */
	assert_int_equal(rq->stride_log, 11); /* 6 + 5 */
	glue_devx_obj_destroy(obj);
	host_set(&e, 29, 0xc0000207); /* 9 + 2, 6 + 7 */
	obj = host_make(&e);
	rq = host_of(obj);
	assert_int_equal(rq->strides_log, 11);
	assert_int_equal(rq->stride_log, 13);
	glue_devx_obj_destroy(obj);
	host_ring_close(&ring);
}

static const struct {
	const char *what;
	unsigned int at;
	uint32_t value;
	enum cx5_status status;
	enum cx5_syndrome syndrome;
} bad_rq[] = {
	{ "no such CQ", 10, 0xfff, CX5_BAD_RES, CX5_SYN_CQN },
	{ "starts in RDY", 8, 0x10140000, CX5_BAD_PARAM, CX5_SYN_STATE },
	{ "hairpin", 8, 0x10060000, CX5_BAD_PARAM, CX5_SYN_FORMAT },
	{ "of an RMP", 8, 0x11040000, CX5_BAD_PARAM, CX5_SYN_FORMAT },
	{ "a linked list", 20, 0x00000000, CX5_BAD_PARAM, CX5_SYN_FORMAT },
	{ "16 WQEs in memory for 4", 28, 0x00040004, CX5_BAD_PARAM, CX5_SYN_UMEM },
	{ "2^31 WQEs", 28, 0x0004001f, CX5_BAD_PARAM, CX5_SYN_SIZE },
	{ "WQEs of 8 bytes", 28, 0x00030002, CX5_BAD_PARAM, CX5_SYN_SIZE },
	{ "no memory region", 29, 0x00000000, CX5_BAD_PARAM, CX5_SYN_UMEM },
	{ "an opcode there is not", 0, 0x0aaa0000, CX5_BAD_OP, CX5_SYN_OPCODE },
};

static void
a_receive_queue_that_cannot_be_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad_rq); i++) {
		struct host_answer answer;
		struct host_edit e;

		host_edit(&e, host.rq_edit.dw, host.rq_edit.n);
		host_set(&e, bad_rq[i].at, bad_rq[i].value);
		if (host_create(e.dw, e.n, HOST_CREATE, &answer) != NULL)
			fail_msg("%s: made", bad_rq[i].what);
		if (answer.status != bad_rq[i].status || answer.syndrome != bad_rq[i].syndrome)
			fail_msg("%s: status 0x%x, syndrome 0x%x", bad_rq[i].what, answer.status,
				 answer.syndrome);
	}
	host_refused(&host.rq_edit, HOST_CREATE - 4, CX5_BAD_LEN, CX5_SYN_LENGTH);
}

static void
memory_and_cqs_stay_while_a_queue_needs_them(void **state)
{
	struct mlx5dv_devx_obj *obj = host_make(&host.rq_edit);

	(void)state;
	assert_int_equal(glue_devx_obj_destroy(host.cq), EREMOTEIO);
	assert_int_equal(glue_devx_umem_dereg(host.rq_ring.umem), EREMOTEIO);
	assert_int_equal(glue_devx_umem_dereg(host.cq_ring.umem), EREMOTEIO);
	assert_int_equal(glue_devx_obj_destroy(obj), 0);
}

#define RQ_MODIFY(obj, from, to, mask)                                                             \
	{                                                                                          \
		{ 0, 0x09090000 }, { 2, (uint32_t)(from) << 28 | host_id(obj) }, { 5, mask },      \
		{                                                                                  \
			8, 0x10000000 | (uint32_t)(to) << 20                                       \
		}                                                                                  \
	}
#define RST 0
#define RDY 1
#define ERR 3

static void
a_queue_goes_its_states(void **state)
{
	static const struct {
		int from, to;
		bool fine;
		unsigned int attached;
	} steps[] = {
		{ RDY, RDY, false, 0 }, { RST, ERR, false, 0 }, { RST, RST, true, 0 },
		{ RST, RDY, true, 1 },  { RST, RDY, false, 1 }, { RDY, RDY, true, 1 },
		{ RDY, ERR, true, 1 },  { ERR, RDY, false, 1 }, { RDY, RST, false, 1 },
		{ ERR, RST, true, 0 },  { RST, RDY, true, 1 },  { RDY, RST, true, 0 },
		{ RST, 2, false, 0 },   { RST, RDY, true, 1 },
	};
	struct mlx5dv_devx_obj *obj = host_make(&host.rq_edit);

	(void)state;
	for (size_t i = 0; i < RTE_DIM(steps); i++) {
		struct host_dword dw[] = RQ_MODIFY(obj, steps[i].from, steps[i].to, 0);
		struct host_answer answer;

		host_modify(obj, dw, RTE_DIM(dw), &answer);
		if ((answer.status == 0) != steps[i].fine ||
		    (!steps[i].fine && answer.status != CX5_BAD_STATE))
			fail_msg("step %zu: status 0x%x", i, answer.status);
		assert_int_equal(answer.code, steps[i].fine ? 0 : EREMOTEIO);
		assert_int_equal(host.nic.nb_rq, steps[i].attached);
	}
	assert_int_equal(glue_devx_obj_destroy(obj), 0);
	assert_int_equal(host.nic.nb_rq, 0);
}

static void
stripping_is_changed_in_passing(void **state)
{
	struct mlx5dv_devx_obj *obj = host_make(&host.rq_edit);
	struct host_dword dw[] = RQ_MODIFY(obj, RST, RST, 2);
	struct host_answer answer;

	(void)state;
	dw[3].value = 0; /* not vsd */
	host_modify(obj, dw, RTE_DIM(dw), &answer);
	assert_int_equal(answer.status, 0);
	assert_true(((struct cx5_rq *)host_of(obj))->strip_vlan);
	dw[2].value = 1; /* a low watermark */
	host_modify(obj, dw, RTE_DIM(dw), &answer);
	assert_int_equal(answer.syndrome, CX5_SYN_MASK);
	dw[2].value = 0;
	dw[1].value = host_id(obj) + 1; /* another's number */
	host_modify(obj, dw, RTE_DIM(dw), &answer);
	assert_int_equal(answer.syndrome, CX5_SYN_RQN);
	glue_devx_obj_destroy(obj);
}

static void
numbers_come_round_late(void **state)
{
	const struct host_dword td[] = { { 0, 0x08160000 } };
	struct host_answer answer;
	uint32_t last = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct mlx5dv_devx_obj *obj = host_create(td, 1, 16, &answer);

		assert_int_not_equal(host_id(obj), last);
		last = host_id(obj);
		glue_devx_obj_destroy(obj);
	}
}

static void
a_card_that_was_pulled_out_answers_nothing(void **state)
{
	struct mlx5dv_devx_obj *obj = host_make(&host.rq_edit);
	struct host_dword dw[] = RQ_MODIFY(obj, RST, RDY, 0);
	struct host_answer answer;
	struct ibv_device_attr attr;
	uint8_t in[16] = { 0 }, out[16];

	(void)state;
	host.nic.removed = true;
	host_modify(obj, dw, RTE_DIM(dw), &answer);
	assert_int_equal(answer.code, EIO);
	assert_null(glue_devx_obj_create(host.context, in, sizeof(in), out, sizeof(out)));
	assert_int_equal(errno, EIO);
	assert_int_equal(glue_query_device(host.context, &attr), EIO);
	assert_int_equal(glue_devx_obj_destroy(obj), 0); /* to clean up is always allowed */
	host.nic.removed = false;
}

#define T(name) cmocka_unit_test_setup_teardown(name, host_open_rings, host_close_rings)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_cq_lies_where_the_command_says),
		T(a_cq_may_take_mini_cqes),
		T(a_cq_must_lie_in_its_memory),
		T(a_receive_queue_is_as_the_command_says),
		T(a_striding_receive_queue_says_so_in_biased_fields),
		T(a_receive_queue_that_cannot_be_is_refused),
		T(memory_and_cqs_stay_while_a_queue_needs_them),
		T(a_queue_goes_its_states),
		T(stripping_is_changed_in_passing),
		T(numbers_come_round_late),
		T(a_card_that_was_pulled_out_answers_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

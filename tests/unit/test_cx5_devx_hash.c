/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DevX commands for send queues, indirection tables and TIRs of the ConnectX-5 model, in the bytes
 * that the PMD of DPDK 22.11 sends, recorded.
 */
#include "cx5_host.h"

#define NUM 0 /* numbers that the test fills in */
static const struct host_dword create_sq[] = {
	/* 512 WQEBBs */
	{ 0, 0x09040000 },  { 8, 0x18000000 },  { 10, NUM },        { 16, 0x00010000 },
	{ 19, NUM },        { 20, 0x10000000 }, { 22, 0x00000001 }, { 23, 0x00000001 },
	{ 25, 0x00008000 }, { 28, 0x00060009 }, { 29, 0xc0000000 }, { 30, NUM },
	{ 31, NUM },
};
static const struct host_dword create_tir[] = {
	/* IPv6 and UDP, addresses and ports */
	{ 0, 0x09000000 },  { 9, 0x10000000 },  { 16, NUM },        { 17, 0x20000100 },
	{ 18, 0x2cc681d1 }, { 19, 0x5bdbf4f7 }, { 20, 0xfca28319 }, { 21, 0xdb1a3e94 },
	{ 22, 0x6b9e38d9 }, { 23, 0x2c9c03d1 }, { 24, 0xad9944a7 }, { 25, 0xd9563d59 },
	{ 26, 0x063c25f3 }, { 27, 0xfc1fdc2a }, { 28, 0xc000000f },
};

static void
a_send_queue_needs_a_tis(void **state)
{
	const struct host_dword create_tis[] = { { 0, 0x09120000 }, { 17, 0x00000100 } };
	struct mlx5dv_devx_obj *tis, *obj;
	struct host_answer answer;
	struct host_ring ring;
	const struct cx5_sq *sq;
	struct host_edit e;

	(void)state;
	host_ring_open(&ring, 512 * 64);
	host_edit(&e, create_sq, RTE_DIM(create_sq));
	host_set(&e, 10, host_id(host.cq));
	host_set(&e, 30, ring.umem->umem_id);
	host_set(&e, 31, ring.umem->umem_id);
	host_refused(&e, HOST_CREATE, CX5_BAD_RES, CX5_SYN_TISN);
	tis = host_create(create_tis, RTE_DIM(create_tis), 192, &answer);
	host_set(&e, 19, host_id(tis));
	obj = host_make(&e);
	sq = host_of(obj);
	assert_int_equal(sq->size, 512);
	assert_int_equal(sq->sqn, host_id(obj));
	assert_ptr_equal(sq->buf, ring.memory);
	assert_ptr_equal((const void *)(uintptr_t)sq->dbrec, ring.memory + 0x8000);
	glue_devx_obj_destroy(obj);
	host_set(&e, 28, 0x00050009); /* WQEBBs of 32 bytes */
	host_refused(&e, HOST_CREATE, CX5_BAD_PARAM, CX5_SYN_FORMAT);
	glue_devx_obj_destroy(tis);
	host_ring_close(&ring);
}

/* CREATE_RQT: its size, then numbers of receive queues. */
static void
rqt_command(struct host_edit *e, const struct mlx5dv_devx_obj *rq, uint32_t n)
{
	const struct host_dword dw[] = { { 0, 0x09160000 }, { 13, 0x200 }, { 14, n } };

	host_edit(e, dw, RTE_DIM(dw));
	for (uint32_t i = 0; i < n; i++)
		host_set(e, 68 + i, host_id(rq));
}

static void
an_indirection_table_holds_its_queues(void **state)
{
	struct mlx5dv_devx_obj *rq = host_make(&host.rq_edit), *rqt;
	struct host_answer answer;
	struct host_edit e;

	(void)state;
	rqt_command(&e, rq, 2);
	rqt = host_create(e.dw, e.n, HOST_CREATE + 8, &answer);
	assert_non_null(rqt);
	assert_int_equal(((struct cx5_rqt *)host_of(rqt))->n, 2);
	assert_ptr_equal(((struct cx5_rqt *)host_of(rqt))->rq[1], host_of(rq));
	assert_int_equal(glue_devx_obj_destroy(rq), EREMOTEIO);
	host_set(&e, 0, 0x09170000); /* MODIFY_RQT, to one entry */
	host_set(&e, 2, host_id(rqt));
	host_set(&e, 14, 1);
	host_modify(rqt, e.dw, e.n, &answer);
	assert_int_equal(answer.status, 0);
	assert_int_equal(((struct cx5_rqt *)host_of(rqt))->n, 1);
	glue_devx_obj_destroy(rqt);

	host_set(&e, 0, 0x09160000);
	host_set(&e, 14, 3);
	host_refused(&e, HOST_CREATE + 8, CX5_BAD_LEN, CX5_SYN_LENGTH);
	host_set(&e, 14, 513);
	host_refused(&e, HOST_CREATE + 8, CX5_BAD_PARAM, CX5_SYN_SIZE);
	host_set(&e, 14, 2);
	host_set(&e, 69, 0xffff);
	host_refused(&e, HOST_CREATE + 8, CX5_BAD_RES, CX5_SYN_RQN);
	assert_int_equal(glue_devx_obj_destroy(rq), 0);
}

static void
a_tir_knows_what_it_hashes(void **state)
{
	struct mlx5dv_devx_obj *rq = host_make(&host.rq_edit), *rqt, *obj;
	const struct cx5_tir *tir;
	struct host_answer answer;
	struct toeplitz want;
	struct host_edit e;
	uint8_t key[TOEPLITZ_KEY];

	(void)state;
	rqt_command(&e, rq, 1);
	rqt = host_create(e.dw, e.n, HOST_CREATE + 8, &answer);
	host_edit(&e, create_tir, RTE_DIM(create_tir));
	host_refused(&e, HOST_CREATE, CX5_BAD_RES, CX5_SYN_RQTN);
	host_set(&e, 16, host_id(rqt));
	obj = host_make(&e);
	tir = cx5_tir_of_devx(obj);
	assert_non_null(tir);
	assert_null(cx5_tir_of_devx(rq));
	assert_int_equal(tir->fields, IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6 |
					      IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP);
	for (unsigned int i = 0; i < 10; i++) {
		uint32_t dw_be = htobe32(create_tir[4 + i].value);

		memcpy(key + (size_t)i * 4, &dw_be, 4);
	}
	toeplitz_init(&want, key);
	assert_memory_equal(&tir->toeplitz, &want, sizeof(want));
	assert_int_equal(glue_devx_obj_destroy(rqt), EREMOTEIO);

	/* MODIFY_TIR: IPv4 addresses alone */
	host_set(&e, 0, 0x09010000);
	host_set(&e, 28, 0x00000003);
	e.dw[1] = (struct host_dword){ 5, 4 };
	host_modify(obj, e.dw, e.n, &answer);
	assert_int_equal(answer.status, 0);
	assert_int_equal(tir->fields, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4);
	host_set(&e, 28, 0x00000013); /* and the SPI of IPsec */
	host_modify(obj, e.dw, e.n, &answer);
	assert_int_equal(answer.syndrome, CX5_SYN_FORMAT);
	assert_int_equal(tir->fields, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4);

	((struct cx5_tir *)host_of(obj))->users = 1; /* a rule leads to it */
	assert_int_equal(glue_devx_obj_destroy(obj), EREMOTEIO);
	((struct cx5_tir *)host_of(obj))->users = 0;
	assert_int_equal(glue_devx_obj_destroy(obj), 0);
	glue_devx_obj_destroy(rqt);
	glue_devx_obj_destroy(rq);
}

#define T(name) cmocka_unit_test_setup_teardown(name, host_open_rings, host_close_rings)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_send_queue_needs_a_tis),
		T(an_indirection_table_holds_its_queues),
		T(a_tir_knows_what_it_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

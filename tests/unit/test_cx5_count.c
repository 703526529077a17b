/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters and capabilities of the ConnectX-5 model, as DevX commands ask for them. */
#include "cx5_host.h"

static const struct host_dword alloc_q[] = { { 0, 0x07710000 } };
static const struct host_dword alloc_one[] = { { 0, 0x09390000 } };
static const struct host_dword alloc_512[] = { { 0, 0x09390000 }, { 3, 0x00000004 } };

static void
out_of_buffer_counts_from_when_the_set_was_made(void **state)
{
	struct host_dword query[] = { { 0, 0x07730000 }, { 6, 0 }, { 7, 0 } };
	struct mlx5dv_devx_obj *set;
	struct host_answer answer;

	(void)state;
	host.nic.out_of_buffer = 7;
	set = host_create(alloc_q, 1, 16, &answer);
	assert_in_range(prm_get(answer.out, 0x58, 8), 1, 255);
	query[2].value = host_id(set);
	host.nic.out_of_buffer = 0x100000010; /* the field has 32 bits */
	host_query(set, query, 3, &answer);
	assert_int_equal(prm_get(answer.out, 0x180, 32), 9);
	query[1].value = 0x80000000; /* clear */
	host_query(set, query, 3, &answer);
	host.nic.out_of_buffer += 3;
	host_query(set, query, 3, &answer);
	assert_int_equal(prm_get(answer.out, 0x180, 32), 3);
	glue_devx_obj_destroy(set);
}

static void
flow_counters_are_read_one_by_one(void **state)
{
	struct mlx5dv_devx_obj *obj;
	struct host_answer answer;
	struct cx5_counters *counters;
	struct host_dword query[] = { { 0, 0x093b0000 }, { 6, 0 }, { 7, 0 } };

	(void)state;
	obj = host_create(alloc_one, 1, 16, &answer);
	counters = cx5_counters_of_devx(obj);
	assert_int_equal(counters->n, 1);
	query[2].value = prm_get(answer.out, 0x40, 32);
	counters->value[0] = (struct cx5_counter){ 0x0123456789, 0x9876543210 };
	query[1].value = 0x80000000; /* clear */
	host_query(obj, query, 3, &answer);
	assert_int_equal(prm_get64(answer.out, 0x80), 0x0123456789);
	assert_int_equal(prm_get64(answer.out, 0xc0), 0x9876543210);
	assert_int_equal(counters->value[0].packets, 0);
	query[2].value++; /* another's number */
	host_query(obj, query, 3, &answer);
	assert_int_equal(answer.status, CX5_BAD_RES);
	glue_devx_obj_destroy(obj);
}

/* The answer by a channel, the counters into memory: as the PMD does each second. */
static void
flow_counters_are_dumped_to_memory(void **state)
{
	uint64_t *memory = calloc(512, 16);
	struct ibv_mr *mr = glue_reg_mr(host.pd, memory, 512 * 16, 0);
	struct mlx5dv_devx_cmd_comp *comp = glue_devx_create_cmd_comp(host.context);
	union {
		struct mlx5dv_devx_async_cmd_hdr head;
		uint8_t all[sizeof(struct mlx5dv_devx_async_cmd_hdr) + 32];
	} answer;
	struct host_answer alloc;
	struct mlx5dv_devx_obj *obj = host_create(alloc_512, 2, 16, &alloc);
	struct cx5_counters *counters = cx5_counters_of_devx(obj);
	uint8_t in[32] = { 0 };

	(void)state;
	assert_int_equal(counters->n, 512);
	assert_int_equal(prm_get(alloc.out, 0x40, 32) % 512, 0);
	counters->value[511] = (struct cx5_counter){ 5, 300 };
	prm_set(in, CMD_OPCODE, 0x93b);
	prm_set(in, 0x60, 32, mr->lkey);
	prm_set64(in, 0x80, (uintptr_t)memory);
	prm_set(in, 0xc0, 32, 0x40000000 | 512);
	prm_set(in, 0xe0, 32, prm_get(alloc.out, 0x40, 32));
	assert_int_equal(glue_devx_obj_query_async(obj, in, sizeof(in), 32, 0x1234, comp), 0);
	assert_int_equal(glue_devx_get_async_cmd_comp(comp, &answer.head, sizeof(answer)), 0);
	assert_int_equal(answer.head.wr_id, 0x1234);
	assert_int_equal(answer.head.out_data[0], 0);
	assert_int_equal(be64toh(memory[511 * 2]), 5);
	assert_int_equal(be64toh(memory[511 * 2 + 1]), 300);

	prm_set64(in, 0x80, (uintptr_t)memory + 1); /* one byte too far */
	assert_int_equal(glue_devx_obj_query_async(obj, in, sizeof(in), 32, 1, comp), 0);
	assert_int_equal(glue_devx_get_async_cmd_comp(comp, &answer.head, sizeof(answer)), 0);
	assert_int_equal(answer.head.out_data[0], CX5_BAD_PARAM);
	glue_devx_obj_destroy(obj);
	glue_devx_destroy_cmd_comp(comp);
	glue_dereg_mr(mr);
	free(memory);
}

/* The PMD frees counters before the flow actions that name them. */
static void
flow_counters_outlive_their_allocation(void **state)
{
	struct host_answer answer;
	struct mlx5dv_devx_obj *obj = host_create(alloc_512, 2, 16, &answer);
	struct cx5_counters *counters = cx5_counters_of_devx(obj);

	(void)state;
	counters->users = 2;
	assert_int_equal(glue_devx_obj_destroy(obj), 0);
	cx5_counters_put(counters);
	assert_int_equal(counters->users, 1); /* still there, says ASan */
	cx5_counters_put(counters);
}

static void
ask(uint16_t op_mod, uint8_t *out, size_t len, int want)
{
	uint8_t in[16] = { 0 };

	prm_set(in, CMD_OPCODE, 0x100);
	prm_set(in, CMD_OP_MOD, op_mod);
	assert_int_equal(glue_devx_general_cmd(host.context, in, sizeof(in), out, len), want);
}

static void
capabilities_are_what_is_modelled(void **state)
{
	uint8_t *out = malloc(4112), *cap = out + 16;

	(void)state;
	ask(0x1, out, 4112, 0);                       /* general, current */
	assert_int_equal(prm_get(cap, 0x3db, 5), 15); /* log_max_wq_sz */
	assert_int_equal(prm_get(cap, 0x310, 8), 7);  /* flow_counter_bulk_alloc */
	assert_int_equal(prm_get(cap, 0x361, 1), 1);  /* flow_counters_dump */
	assert_int_equal(1u << prm_get(cap, 0x393, 5), CX5_RQT_MAX);
	assert_int_equal(1u << prm_get(cap, 0x363, 5), CX5_QUEUES);
	assert_int_equal(1u << prm_get(cap, 0xea, 6), CX5_MR_MAX);
	assert_int_equal(prm_get(cap, 0x1a7, 1), 0); /* eswitch_manager */
	assert_int_equal(prm_get(cap, 0x3c0, 1), 0); /* hairpin */
	ask(0x3, out, 4112, 0);                      /* Ethernet */
	assert_int_equal(prm_get(cap, 0x12, 2), 2);  /* no inline headers required */
	assert_int_equal(prm_get(cap, 0x2, 1), 0);   /* lro_cap */
	ask(0xf, out, 4112, 0);                      /* flow tables */
	assert_int_equal(prm_get(cap, 0x200, 3), 7);
	ask(0x19, out, 4112, EREMOTEIO); /* QoS: not there */
	assert_int_equal(prm_get(out, CMD_STATUS), CX5_BAD_PARAM);
	ask(0x1, out, 4108, EREMOTEIO); /* does not fit */
	assert_int_equal(prm_get(out, CMD_STATUS), CX5_BAD_LEN);
	free(out);
}

static void
refusals_are_told_once_a_second(void **state)
{
	uint8_t *out = malloc(4112);

	(void)state;
	for (int i = 0; i < 100; i++)
		ask(0x19, out, 4112, EREMOTEIO);
	assert_int_equal(host.lines, 1);
	host.now_ns += 1000000000;
	ask(0x19, out, 4112, EREMOTEIO);
	assert_int_equal(host.lines, 2);
	free(out);
}

#define T(name) cmocka_unit_test_setup_teardown(name, host_open, host_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(out_of_buffer_counts_from_when_the_set_was_made),
		T(flow_counters_are_read_one_by_one),
		T(flow_counters_are_dumped_to_memory),
		T(flow_counters_outlive_their_allocation),
		T(capabilities_are_what_is_modelled),
		T(refusals_are_told_once_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of the ConnectX-5 model by verbs: sizes, states, what depends on what; channels. */
#include "cx5_host.h"
#include "drivers/mlx5/model/verbs.h"

#include <fcntl.h>

static struct ibv_cq *
cq_new(uint32_t cqes, struct ibv_comp_channel *channel)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = cqes, .channel = channel };
	struct mlx5dv_cq_init_attr dv = { 0 };
	struct ibv_cq_ex *cq = glue_dv_create_cq(host.context, &attr, &dv);

	assert_non_null(cq);
	return glue_cq_ex_to_cq(cq);
}

static struct ibv_wq *
wq_new(struct ibv_cq *cq, uint32_t wr, uint32_t sge)
{
	struct ibv_wq_init_attr attr = { .wq_type = IBV_WQT_RQ,
					 .max_wr = wr,
					 .max_sge = sge,
					 .pd = host.pd,
					 .cq = cq,
					 .comp_mask = IBV_WQ_INIT_ATTR_FLAGS,
					 .create_flags = IBV_WQ_FLAGS_CVLAN_STRIPPING };
	struct mlx5dv_wq_init_attr dv = { 0 };
	struct ibv_wq *wq = glue_dv_create_wq(host.context, &attr, &dv);

	assert_non_null(wq);
	return wq;
}

static int
wq_to(struct ibv_wq *wq, enum ibv_wq_state state)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = state };

	return glue_modify_wq(wq, &attr);
}

static void
rings_are_as_rdma_core_makes_them(void **state)
{
	struct ibv_cq *cq = cq_new(511, NULL);
	struct ibv_wq *wq = wq_new(cq, 128, 4);
	struct mlx5dv_cq cq_out;
	struct mlx5dv_rwq wq_out;
	struct mlx5dv_obj obj = { .cq = { .in = cq, .out = &cq_out },
				  .rwq = { .in = wq, .out = &wq_out } };
	const uint8_t *cqes;

	(void)state;
	assert_int_equal(glue_dv_init_obj(&obj, MLX5DV_OBJ_CQ | MLX5DV_OBJ_RWQ), 0);
	assert_int_equal(cq_out.cqe_cnt, 512);
	assert_int_equal(cq_out.cqe_size, 64);
	cqes = cq_out.buf;
	for (unsigned int i = 0; i < 512; i++) /* none is valid, whatever its owner bit */
		assert_int_equal(cqes[(size_t)i * 64 + 63] >> 4, MLX5_CQE_INVALID);
	assert_int_equal(wq_out.wqe_cnt, 128);
	assert_int_equal(wq_out.stride, 64);
	assert_true(((struct verbs_wq *)wq)->rq.strip_vlan);
	assert_int_equal(glue_destroy_cq(cq), EBUSY);
	assert_int_equal(glue_destroy_wq(wq), 0);
	assert_int_equal(glue_destroy_cq(cq), 0);
}

static void
a_receive_queue_goes_its_states(void **state)
{
	struct ibv_cq *cq = cq_new(15, NULL);
	struct ibv_wq *wq = wq_new(cq, 8, 1);
	struct cx5_rq *rq = &((struct verbs_wq *)wq)->rq;

	(void)state;
	assert_int_equal(wq_to(wq, IBV_WQS_ERR), EINVAL);
	assert_int_equal(wq_to(wq, IBV_WQS_RDY), 0);
	assert_int_equal(host.nic.nb_rq, 1);
	rq->dbrec[MLX5_RCV_DBR] = htobe32(3);
	assert_int_equal(wq_to(wq, IBV_WQS_ERR), 0);
	assert_int_equal(rq->cq->pi, 3); /* what was posted is flushed */
	assert_int_equal(wq_to(wq, IBV_WQS_RDY), EINVAL);
	assert_int_equal(wq_to(wq, IBV_WQS_RESET), 0);
	assert_int_equal(rq->dbrec[MLX5_RCV_DBR], 0);
	assert_int_equal(rq->ci, 0);
	assert_int_equal(host.nic.nb_rq, 0);
	assert_int_equal(wq_to(wq, IBV_WQS_RDY), 0);
	assert_int_equal(glue_destroy_wq(wq), 0);
	assert_int_equal(host.nic.nb_rq, 0);
	glue_destroy_cq(cq);
}

static const struct {
	uint32_t wr, inlined, tso, want; /* WQEBBs; 0: refused */
} sq_sizes[] = {
	{ 256, 0, 0, 256 },     /* control, Ethernet, a pointer */
	{ 256, 18, 0, 256 },    /* 32 + 32 */
	{ 256, 29, 0, 512 },    /* 32 + 48 */
	{ 1024, 290, 0, 8192 }, /* 32 + 304, six blocks: up to a power of two */
	{ 512, 0, 192, 2048 },  /* 32 + 192 + 16 */
	{ 32768, 29, 0, 0 },
};

static void
a_send_queue_has_room_for_the_longest_wqes(void **state)
{
	(void)state;
	for (size_t i = 0; i < RTE_DIM(sq_sizes); i++) {
		struct ibv_cq *cq = cq_new(63, NULL);
		struct ibv_qp_init_attr_ex attr = {
			.qp_type = IBV_QPT_RAW_PACKET,
			.send_cq = cq,
			.cap = { .max_send_wr = sq_sizes[i].wr,
				 .max_send_sge = 1,
				 .max_inline_data = sq_sizes[i].inlined },
			.pd = host.pd,
			.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_MAX_TSO_HEADER,
			.max_tso_header = (uint16_t)sq_sizes[i].tso,
		};
		struct ibv_qp *qp = glue_create_qp_ex(host.context, &attr);

		if (qp == NULL) {
			assert_int_equal(sq_sizes[i].want, 0);
			assert_int_equal(errno, ENOMEM);
		} else {
			assert_int_equal(((struct verbs_qp *)qp)->sq.size, sq_sizes[i].want);
			assert_null(cx5_tir_of_qp(qp));
			assert_int_equal(glue_destroy_cq(cq), EBUSY);
			assert_int_equal(glue_destroy_qp(qp), 0);
		}
		assert_int_equal(glue_destroy_cq(cq), 0);
	}
}

static int
qp_to(struct ibv_qp *qp, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr = { .qp_state = to, .port_num = 1 };

	return glue_modify_qp(qp, &attr, IBV_QP_STATE);
}

static void
a_send_queue_sends_in_rts(void **state)
{
	struct ibv_cq *cq = cq_new(63, NULL);
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_RAW_PACKET,
					    .send_cq = cq,
					    .cap = { .max_send_wr = 64, .max_send_sge = 1 } };
	struct ibv_qp *qp = glue_create_qp_ex(host.context, &attr);

	(void)state;
	assert_int_equal(qp_to(qp, IBV_QPS_RTS), EINVAL);
	assert_int_equal(qp_to(qp, IBV_QPS_INIT), 0);
	assert_int_equal(qp_to(qp, IBV_QPS_RTR), 0);
	assert_int_equal(host.nic.nb_sq, 0);
	assert_int_equal(qp_to(qp, IBV_QPS_RTS), 0);
	assert_int_equal(host.nic.nb_sq, 1);
	((struct verbs_qp *)qp)->sq.dbrec[MLX5_SND_DBR] = htobe32(5);
	assert_int_equal(qp_to(qp, IBV_QPS_RESET), 0);
	assert_int_equal(host.nic.nb_sq, 0);
	assert_int_equal(((struct verbs_qp *)qp)->sq.dbrec[MLX5_SND_DBR], 0);
	assert_int_equal(glue_destroy_qp(qp), 0);
	glue_destroy_cq(cq);
}

static void
a_hash_qp_spreads_over_a_table(void **state)
{
	struct ibv_cq *cq = cq_new(15, NULL);
	struct ibv_wq *wq[4] = { wq_new(cq, 8, 1), wq_new(cq, 8, 1), NULL, NULL };
	struct ibv_rwq_ind_table_init_attr table_attr = { .log_ind_tbl_size = 2, .ind_tbl = wq };
	uint8_t key[TOEPLITZ_KEY] = { 0x6d, 0x5a };
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask =
			IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH,
		.rx_hash_conf = { .rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				  .rx_hash_key_len = TOEPLITZ_KEY,
				  .rx_hash_key = key,
				  .rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 },
	};
	struct ibv_qp *qp;

	(void)state;
	wq[2] = wq[0], wq[3] = wq[1];
	attr.rwq_ind_tbl = glue_create_rwq_ind_table(host.context, &table_attr);
	assert_non_null(attr.rwq_ind_tbl);
	qp = glue_dv_create_qp(host.context, &attr, NULL);
	assert_non_null(cx5_tir_of_qp(qp));
	assert_int_equal(cx5_tir_of_qp(qp)->rqt->n, 4);
	assert_ptr_equal(cx5_tir_of_qp(qp)->rqt->rq[3], &((struct verbs_wq *)wq[1])->rq);
	assert_int_equal(glue_destroy_wq(wq[0]), EBUSY);
	assert_int_equal(glue_destroy_rwq_ind_table(attr.rwq_ind_tbl), EBUSY);
	cx5_tir_of_qp(qp)->users++; /* a rule leads to it */
	assert_int_equal(glue_destroy_qp(qp), EBUSY);
	cx5_tir_of_qp(qp)->users--;
	assert_int_equal(glue_destroy_qp(qp), 0);
	attr.rx_hash_conf.rx_hash_fields_mask |= IBV_RX_HASH_SRC_IPV6; /* not both */
	assert_null(glue_dv_create_qp(host.context, &attr, NULL));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(glue_destroy_rwq_ind_table(attr.rwq_ind_tbl), 0);
	glue_destroy_wq(wq[0]);
	glue_destroy_wq(wq[1]);
	glue_destroy_cq(cq);
}

/* As the PMD arms: sequence number << 28 | consumer index. */
static void
arm(struct ibv_cq *cq, uint32_t number, uint32_t ci)
{
	((struct verbs_cq *)cq)->cq.dbrec[1] = htobe32(number << 28 | (ci & 0xffffff));
}

static bool
told(struct ibv_comp_channel *channel, const struct ibv_cq *cq)
{
	struct ibv_cq *which = NULL;
	void *cookie;

	cx5_events_slow(&host.nic);
	if (glue_get_cq_event(channel, &which, &cookie) != 0) {
		assert_int_equal(errno, EAGAIN);
		return false;
	}
	assert_ptr_equal(which, cq);
	return true;
}

static void
an_armed_cq_tells_once_of_what_comes(void **state)
{
	struct ibv_comp_channel *channel = glue_create_comp_channel(host.context);
	struct ibv_cq *cq = cq_new(15, channel);
	struct cx5_cq *made = &((struct verbs_cq *)cq)->cq;

	(void)state;
	assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	made->pi = 1;
	assert_false(told(channel, cq)); /* not armed */
	arm(cq, 0, 1);
	assert_false(told(channel, cq)); /* nothing from there on */
	made->pi = 2;
	assert_true(told(channel, cq));
	made->pi = 3;
	assert_false(told(channel, cq)); /* once */
	arm(cq, 1, 2);
	assert_true(told(channel, cq)); /* there is something already */
	made->pi = 0x1000000;           /* 24 bits: as many as consumed */
	arm(cq, 2, 0x1000000);
	assert_false(told(channel, cq));
	assert_int_equal(glue_destroy_comp_channel(channel), EBUSY);
	made->pi++;
	cx5_events_slow(&host.nic); /* told, not fetched */
	assert_int_equal(glue_destroy_cq(cq), 0);
	assert_false(told(channel, cq));
	assert_int_equal(glue_destroy_comp_channel(channel), 0);
}

static void
the_first_arming_may_be_zero(void **state)
{
	struct ibv_comp_channel *channel = glue_create_comp_channel(host.context);
	struct ibv_cq *cq = cq_new(15, channel);

	(void)state;
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	((struct verbs_cq *)cq)->cq.pi = 1;
	assert_false(told(channel, cq));
	arm(cq, 0, 0);
	assert_true(told(channel, cq));
	glue_destroy_cq(cq);
	glue_destroy_comp_channel(channel);
}

static void
the_device_tells_of_its_end(void **state)
{
	struct ibv_async_event event;

	(void)state;
	fcntl(host.context->async_fd, F_SETFL, O_NONBLOCK);
	assert_int_equal(glue_get_async_event(host.context, &event), -1);
	assert_int_equal(errno, EAGAIN);
	for (int i = 0; i < 3 * CX5_EVENTS; i++) {
		cx5_event_async(&host.nic, IBV_EVENT_PORT_ACTIVE);
		assert_int_equal(glue_get_async_event(host.context, &event), 0);
	}
	cx5_event_async(&host.nic, IBV_EVENT_PORT_ERR);
	cx5_event_async(&host.nic, IBV_EVENT_DEVICE_FATAL);
	assert_int_equal(glue_get_async_event(host.context, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ERR);
	assert_int_equal(event.element.port_num, 1);
	assert_int_equal(glue_get_async_event(host.context, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_DEVICE_FATAL);
	assert_int_equal(glue_get_async_event(host.context, &event), -1);
}

static void
an_unmodelled_qp_is_refused(void **state)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_RC };

	(void)state;
	assert_null(glue_create_qp_ex(host.context, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
}

#define T(name) cmocka_unit_test_setup_teardown(name, host_open, host_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(rings_are_as_rdma_core_makes_them),
		T(a_receive_queue_goes_its_states),
		T(a_send_queue_has_room_for_the_longest_wqes),
		T(a_send_queue_sends_in_rts),
		T(a_hash_qp_spreads_over_a_table),
		T(an_armed_cq_tells_once_of_what_comes),
		T(the_first_arming_may_be_zero),
		T(the_device_tells_of_its_end),
		T(an_unmodelled_qp_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

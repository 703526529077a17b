/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/verbs.h"

#include <errno.h>
#include <stdlib.h>

/* How rdma-core sizes rings: the next power of two. */
static uint32_t
pow2_from(uint32_t n)
{
	uint32_t size = 1;

	while (size < n)
		size <<= 1;
	return size;
}

static struct verbs_cq *
cq_new(struct ibv_context *context, uint32_t nb_cqes, void *cq_context,
       struct ibv_comp_channel *channel)
{
	struct cx5 *nic = cx5_of_context(context);
	struct verbs_cq *v = calloc(1, sizeof(*v));

	if (v == NULL)
		return NULL;
	v->ex.context = context;
	v->ex.channel = channel;
	v->ex.cq_context = cq_context;
	v->object = (struct cx5_object){ .nic = nic, .type = CX5_CQ, .of = &v->cq };
	v->cq.nic = nic;
	v->cq.owned = true;
	v->cq.size = pow2_from(nb_cqes + 1);
	v->ex.cqe = (int)v->cq.size - 1;
	v->cq.buf = cx5_ring_new((size_t)v->cq.size * sizeof(struct mlx5_cqe64));
	v->cq.dbrec = cx5_ring_new(CX5_DBR_LEN);
	if (v->cq.buf == NULL || v->cq.dbrec == NULL || cx5_id_new(&v->object) < 0) {
		free(v->cq.buf);
		free((void *)(uintptr_t)v->cq.dbrec);
		free(v);
		return NULL;
	}
	v->cq.cqn = v->object.id;
	/* Nothing there yet, whatever the owner bit says: MLX5_CQE_INVALID. */
	for (uint32_t i = 0; i < v->cq.size; i++)
		((struct mlx5_cqe64 *)v->cq.buf)[i].op_own = MLX5_CQE_INVALID << 4 | 1;
	v->cq.cookie = (uintptr_t)&v->ex;
	if (channel != NULL)
		cx5_channel_join((struct cx5_channel *)channel, &v->cq);
	cx5_count(nic, 1);
	return v;
}

struct ibv_cq *
glue_create_cq(struct ibv_context *context, int cqe, void *cq_context,
	       struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = (uint32_t)cqe,
					    .cq_context = cq_context,
					    .channel = channel };

	(void)comp_vector;
	return (struct ibv_cq *)glue_dv_create_cq(context, &attr, NULL);
}

struct ibv_cq_ex *
glue_dv_create_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr,
		  struct mlx5dv_cq_init_attr *dv_attr)
{
	struct cx5 *nic = cx5_of_context(context);
	struct verbs_cq *v;

	/* log_max_cq_sz: 2^22 */
	if (attr->cqe == 0 || attr->cqe >= 1u << 22) {
		errno = EINVAL;
		return NULL;
	}
	if (!cx5_enter(nic))
		return NULL;
	v = cq_new(context, attr->cqe, attr->cq_context, attr->channel);
	if (v == NULL) {
		cx5_unlock();
		errno = ENOMEM;
		return NULL;
	}
	if (dv_attr != NULL && dv_attr->comp_mask & MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE) {
		v->cq.compress = true;
		v->cq.stride_mini =
			dv_attr->cqe_comp_res_format == MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX;
	}
	cx5_unlock();
	return &v->ex;
}

struct ibv_cq *
glue_cq_ex_to_cq(struct ibv_cq_ex *cq)
{
	return (struct ibv_cq *)cq; /* the one starts as the other */
}

int
glue_destroy_cq(struct ibv_cq *cq)
{
	struct verbs_cq *v = (struct verbs_cq *)cq;

	cx5_lock();
	if (v->cq.users != 0) {
		cx5_unlock();
		return EBUSY;
	}
	cx5_channel_leave(&v->cq);
	cx5_id_free(&v->object);
	cx5_count(v->object.nic, -1);
	free(v->cq.buf);
	free((void *)(uintptr_t)v->cq.dbrec);
	cx5_unlock();
	free(v);
	return 0;
}

static int
wq_rings(struct verbs_wq *v, const struct ibv_wq_init_attr *attr,
	 const struct mlx5dv_wq_init_attr *dv_attr)
{
	struct cx5_rq *rq = &v->rq;
	bool striding =
		dv_attr != NULL && dv_attr->comp_mask & MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ;

	rq->size = pow2_from(attr->max_wr);
	rq->nb_seg = pow2_from(attr->max_sge);
	rq->stride = rq->nb_seg * (uint32_t)sizeof(struct mlx5_wqe_data_seg);
	if (striding) {
		const struct mlx5dv_striding_rq_init_attr *s = &dv_attr->striding_rq_attrs;

		if (s->single_stride_log_num_of_bytes < 6 ||
		    s->single_stride_log_num_of_bytes > 13 ||
		    s->single_wqe_log_num_of_strides < 3 || s->single_wqe_log_num_of_strides > 16)
			return EINVAL;
		rq->stride_log = (uint8_t)s->single_stride_log_num_of_bytes;
		rq->strides_log = (uint8_t)s->single_wqe_log_num_of_strides;
		rq->stride = 32; /* a next segment, then one data segment */
	}
	rq->buf = cx5_ring_new((size_t)rq->size * rq->stride);
	rq->dbrec = cx5_ring_new(CX5_DBR_LEN);
	return rq->buf != NULL && rq->dbrec != NULL ? 0 : ENOMEM;
}

static struct ibv_wq *
wq_new(struct ibv_context *context, struct ibv_wq_init_attr *attr,
       const struct mlx5dv_wq_init_attr *dv_attr)
{
	struct cx5 *nic = cx5_of_context(context);
	struct verbs_wq *v = calloc(1, sizeof(*v));
	int ret = ENOMEM;

	if (v == NULL)
		goto err_out;
	v->wq.context = context;
	v->wq.pd = attr->pd;
	v->wq.cq = attr->cq;
	v->wq.state = IBV_WQS_RESET;
	v->object = (struct cx5_object){ .nic = nic, .type = CX5_RQ, .of = &v->rq };
	v->rq.nic = nic;
	v->rq.owned = true;
	v->rq.cq = &((struct verbs_cq *)attr->cq)->cq;
	if (attr->comp_mask & IBV_WQ_INIT_ATTR_FLAGS) {
		v->rq.strip_vlan = attr->create_flags & IBV_WQ_FLAGS_CVLAN_STRIPPING;
		v->rq.keep_fcs = attr->create_flags & IBV_WQ_FLAGS_SCATTER_FCS;
	}
	ret = wq_rings(v, attr, dv_attr);
	if (ret != 0)
		goto err_free;
	if (cx5_id_new(&v->object) < 0) {
		ret = ENOMEM;
		goto err_free;
	}
	v->wq.wq_num = v->rq.rqn = v->object.id;
	v->rq.cq->users++;
	cx5_count(nic, 1);
	return &v->wq;

err_free:
	free(v->rq.buf);
	free((void *)(uintptr_t)v->rq.dbrec);
	free(v);
err_out:
	errno = ret;
	return NULL;
}

struct ibv_wq *
glue_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr)
{
	return glue_dv_create_wq(context, attr, NULL);
}

struct ibv_wq *
glue_dv_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr,
		  struct mlx5dv_wq_init_attr *dv_attr)
{
	struct ibv_wq *wq;

	if (attr->wq_type != IBV_WQT_RQ || attr->max_wr == 0 || attr->max_wr > 32768 ||
	    attr->max_sge == 0 || attr->max_sge > 32) {
		errno = EINVAL;
		return NULL;
	}
	if (!cx5_enter(cx5_of_context(context)))
		return NULL;
	wq = wq_new(context, attr, dv_attr);
	cx5_unlock();
	return wq;
}

static int
wq_to(struct verbs_wq *v, enum ibv_wq_state to)
{
	static const enum cx5_state state[] = {
		[IBV_WQS_RESET] = CX5_RESET, [IBV_WQS_RDY] = CX5_READY, [IBV_WQS_ERR] = CX5_ERROR
	};

	if (to > IBV_WQS_ERR || (to == IBV_WQS_RDY && v->rq.state == CX5_ERROR) ||
	    (to == IBV_WQS_ERR && v->rq.state == CX5_RESET))
		return EINVAL;
	if (cx5_rq_state(&v->rq, state[to]) < 0)
		return ENOMEM;
	if (to == IBV_WQS_RESET) /* rdma-core's part of the change */
		v->rq.dbrec[MLX5_RCV_DBR] = 0;
	v->wq.state = to;
	return 0;
}

int
glue_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	struct verbs_wq *v = (struct verbs_wq *)wq;
	int ret = 0;

	if (!cx5_enter(v->rq.nic))
		return EIO;
	if (attr->attr_mask & IBV_WQ_ATTR_FLAGS && attr->flags_mask & IBV_WQ_FLAGS_CVLAN_STRIPPING)
		v->rq.strip_vlan = attr->flags & IBV_WQ_FLAGS_CVLAN_STRIPPING;
	if (attr->attr_mask & IBV_WQ_ATTR_STATE)
		ret = wq_to(v, attr->wq_state);
	cx5_unlock();
	if (ret != 0)
		errno = ret;
	return ret;
}

int
glue_destroy_wq(struct ibv_wq *wq)
{
	struct verbs_wq *v = (struct verbs_wq *)wq;

	cx5_lock();
	if (v->rq.users != 0) {
		cx5_unlock();
		return EBUSY;
	}
	cx5_rq_state(&v->rq, CX5_RESET);
	v->rq.cq->users--;
	cx5_id_free(&v->object);
	cx5_count(v->object.nic, -1);
	free(v->rq.buf);
	free((void *)(uintptr_t)v->rq.dbrec);
	cx5_unlock();
	free(v);
	return 0;
}

struct ibv_rwq_ind_table *
glue_create_rwq_ind_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *attr)
{
	struct cx5 *nic = cx5_of_context(context);
	struct cx5_rq *rq[CX5_RQT_MAX];
	struct verbs_table *v;

	if (attr->log_ind_tbl_size > 9) { /* CX5_RQT_MAX */
		errno = EINVAL;
		return NULL;
	}
	if (!cx5_enter(nic))
		return NULL;
	v = calloc(1, sizeof(*v));
	if (v == NULL) {
		cx5_unlock();
		errno = ENOMEM;
		return NULL;
	}
	v->table.context = context;
	for (uint32_t i = 0; i < 1u << attr->log_ind_tbl_size; i++)
		rq[i] = &((struct verbs_wq *)attr->ind_tbl[i])->rq;
	cx5_rqt_set(&v->rqt, rq, 1u << attr->log_ind_tbl_size);
	cx5_count(nic, 1);
	cx5_unlock();
	return &v->table;
}

int
glue_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	struct verbs_table *v = (struct verbs_table *)table;

	cx5_lock();
	if (v->rqt.users != 0) {
		cx5_unlock();
		return EBUSY;
	}
	cx5_rqt_clear(&v->rqt);
	cx5_count(cx5_of_context(table->context), -1);
	cx5_unlock();
	free(v);
	return 0;
}

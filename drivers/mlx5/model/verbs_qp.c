/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SQ_MAX   32768 /* WQEBBs: max_qp_wr */
#define WQEBB    64
#define PDN      1 /* protection domains have nothing to tell apart here */
#define CQE_SIZE 64

/*
 * Doorbells are rung here, a page for all: the model looks at the records, which are written first.
 * The BlueFlame register is at its middle (PRM "UAR page format").
 */
static _Alignas(4096) uint8_t uar[4096];
#define UAR_BF      0x800
#define UAR_BF_SIZE 256

struct cx5_tir *
cx5_tir_of_qp(struct ibv_qp *qp)
{
	struct verbs_qp *v = (struct verbs_qp *)qp;

	return v->hash ? &v->tir : NULL;
}

/* Bytes of the longest WQE, in whole WQEBBs, as rdma-core plans for a raw packet QP. */
static uint32_t
wqe_bytes(const struct ibv_qp_init_attr_ex *attr)
{
	uint32_t head = sizeof(struct mlx5_wqe_ctrl_seg) + 16; /* and the Ethernet segment's 16 */
	uint32_t inlined = 0, pointers = head;

	if (attr->cap.max_inline_data != 0)
		inlined = head + ((4 + attr->cap.max_inline_data + 15) & ~15u);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_MAX_TSO_HEADER)
		pointers += (attr->max_tso_header + 15u) & ~15u;
	pointers += attr->cap.max_send_sge * (uint32_t)sizeof(struct mlx5_wqe_data_seg);
	if (pointers < inlined)
		pointers = inlined;
	return (pointers + WQEBB - 1) & ~(WQEBB - 1u);
}

static int
sq_new(struct verbs_qp *v, const struct ibv_qp_init_attr_ex *attr)
{
	uint64_t bytes = (uint64_t)attr->cap.max_send_wr * wqe_bytes(attr);
	uint32_t size = 1;

	v->sq.nic = v->object.nic;
	v->sq.owned = true;
	while (size < SQ_MAX && (uint64_t)size * WQEBB < bytes)
		size <<= 1;
	if ((uint64_t)size * WQEBB < bytes)
		return ENOMEM; /* as rdma-core: more WQEBBs than the device has */
	v->sq.size = size;
	v->sq.buf = cx5_ring_new((size_t)size * WQEBB);
	v->sq.dbrec = cx5_ring_new(CX5_DBR_LEN);
	if (v->sq.buf == NULL || v->sq.dbrec == NULL)
		return ENOMEM;
	v->sq.cq = &((struct verbs_cq *)attr->send_cq)->cq;
	v->sq.cq->users++;
	return 0;
}

static int
hash_new(struct verbs_qp *v, const struct ibv_qp_init_attr_ex *attr)
{
	const struct ibv_rx_hash_conf *hash = &attr->rx_hash_conf;

	v->hash = true;
	v->tir.nic = v->object.nic;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_RX_HASH) ||
	    hash->rx_hash_function != IBV_RX_HASH_FUNC_TOEPLITZ ||
	    hash->rx_hash_key_len != TOEPLITZ_KEY)
		return EINVAL;
	if (cx5_tir_hash(&v->tir, hash->rx_hash_fields_mask, hash->rx_hash_key) < 0)
		return EOPNOTSUPP;
	v->tir.rqt = &((struct verbs_table *)attr->rwq_ind_tbl)->rqt;
	v->tir.rqt->users++;
	return 0;
}

static void
qp_free(struct verbs_qp *v)
{
	if (v->tir.rqt != NULL)
		v->tir.rqt->users--;
	if (v->sq.cq != NULL)
		v->sq.cq->users--;
	free(v->sq.buf);
	free((void *)(uintptr_t)v->sq.dbrec);
	free(v);
}

struct ibv_qp *
glue_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct cx5 *nic = cx5_of_context(context);
	struct verbs_qp *v;
	int ret;

	if (attr->qp_type != IBV_QPT_RAW_PACKET) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	v = calloc(1, sizeof(*v));
	if (v == NULL || !cx5_enter(nic)) {
		free(v);
		return NULL;
	}
	v->qp.context = context;
	v->qp.pd = attr->pd;
	v->qp.qp_type = attr->qp_type;
	v->qp.state = IBV_QPS_RESET;
	v->object = (struct cx5_object){ .nic = nic, .type = CX5_SQ, .of = &v->sq };
	ret = attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE ? hash_new(v, attr) : sq_new(v, attr);
	if (v->hash)
		v->object = (struct cx5_object){ .nic = nic, .type = CX5_TIR, .of = &v->tir };
	if (ret == 0 && cx5_id_new(&v->object) < 0)
		ret = ENOMEM;
	if (ret != 0) {
		qp_free(v);
		cx5_unlock();
		errno = ret;
		return NULL;
	}
	v->qp.qp_num = v->sq.sqn = v->object.id;
	cx5_count(nic, 1);
	cx5_unlock();
	return &v->qp;
}

/* The flags are of tunnels, which are not parsed, and of loopback, which there is none of. */
struct ibv_qp *
glue_dv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
		  struct mlx5dv_qp_init_attr *dv_attr)
{
	if (dv_attr != NULL && dv_attr->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS &&
	    dv_attr->create_flags & MLX5DV_QP_CREATE_TUNNEL_OFFLOADS) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return glue_create_qp_ex(context, attr);
}

static int
qp_to(struct verbs_qp *v, enum ibv_qp_state to)
{
	/* RESET -> INIT -> RTR -> RTS; from everywhere to RESET and ERR.  It sends in RTS. */
	if (to != IBV_QPS_RESET && to != IBV_QPS_ERR && (int)to != (int)v->qp.state + 1)
		return EINVAL;
	if (to == IBV_QPS_RTS && cx5_sq_state(&v->sq, CX5_READY) < 0)
		return ENOMEM;
	if (to == IBV_QPS_ERR && v->sq.state != CX5_RESET)
		cx5_sq_state(&v->sq, CX5_ERROR);
	if (to == IBV_QPS_RESET) {
		cx5_sq_state(&v->sq, CX5_RESET);
		v->sq.dbrec[MLX5_SND_DBR] = 0; /* rdma-core's part of the change */
	}
	v->qp.state = to;
	return 0;
}

int
glue_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct verbs_qp *v = (struct verbs_qp *)qp;
	int ret = 0;

	if (!cx5_enter(v->object.nic))
		return EIO;
	if (v->hash)
		ret = EINVAL;
	else if (mask & IBV_QP_STATE)
		ret = qp_to(v, attr->qp_state);
	cx5_unlock();
	if (ret != 0)
		errno = ret;
	return ret;
}

int
glue_destroy_qp(struct ibv_qp *qp)
{
	struct verbs_qp *v = (struct verbs_qp *)qp;

	cx5_lock();
	if (v->tir.users != 0) {
		cx5_unlock();
		return EBUSY;
	}
	if (!v->hash)
		cx5_sq_state(&v->sq, CX5_RESET);
	cx5_id_free(&v->object);
	cx5_count(v->object.nic, -1);
	qp_free(v);
	cx5_unlock();
	return 0;
}

static void
init_cq(const struct verbs_cq *v, struct mlx5dv_cq *out)
{
	*out = (struct mlx5dv_cq){ .buf = v->cq.buf,
				   .dbrec = (__be32 *)(uintptr_t)v->cq.dbrec,
				   .cqe_cnt = v->cq.size,
				   .cqe_size = CQE_SIZE,
				   .cq_uar = uar,
				   .cqn = v->cq.cqn };
}

static void
init_qp(const struct verbs_qp *v, struct mlx5dv_qp *out)
{
	*out = (struct mlx5dv_qp){
		.dbrec = (__be32 *)(uintptr_t)v->sq.dbrec,
		.sq = { .buf = v->sq.buf, .wqe_cnt = v->sq.size, .stride = WQEBB },
		.bf = { .reg = uar + UAR_BF, .size = UAR_BF_SIZE },
		.comp_mask = out->comp_mask & MLX5DV_QP_MASK_UAR_MMAP_OFFSET
	};
}

int
glue_dv_init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	cx5_lock();
	if (type & MLX5DV_OBJ_PD)
		obj->pd.out->pdn = PDN;
	if (type & MLX5DV_OBJ_CQ)
		init_cq((struct verbs_cq *)obj->cq.in, obj->cq.out);
	if (type & MLX5DV_OBJ_QP)
		init_qp((struct verbs_qp *)obj->qp.in, obj->qp.out);
	if (type & MLX5DV_OBJ_RWQ) {
		const struct cx5_rq *rq = &((struct verbs_wq *)obj->rwq.in)->rq;

		*obj->rwq.out = (struct mlx5dv_rwq){ .buf = rq->buf,
						     .dbrec = (__be32 *)(uintptr_t)rq->dbrec,
						     .wqe_cnt = rq->size,
						     .stride = rq->stride };
	}
	cx5_unlock();
	return 0;
}

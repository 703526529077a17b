/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_GLUE_H
#define CX5_GLUE_H

#include "drivers/mlx5/model/model.h"

#include <stdio.h>

/*
 * What the PMD calls instead of rdma-core: one function a slot of its glue table, by the name of
 * the slot.  glue_slots.def has the order; a slot without a function here says so and fails.
 *
 * Threads: any of the host's.  Each takes the models' lock by cx5_enter() or, to destroy, which
 * works on a card that is gone as well, cx5_lock(); cx5_unlock() ends both.
 * Errors: as rdma-core's, NULL or non-zero with errno set.
 */
bool cx5_enter(struct cx5 *nic); /* false, errno EIO, not locked: the card was pulled out */
void cx5_lock(void);
void cx5_unlock(void);

/* An object more (1) or less (-1); nic NULL: of no one card.  Locked. */
void cx5_count(struct cx5 *nic, int by);
long cx5_objects_left(void); /* of no one card */

/* What a handle of the host's stands for; NULL: no such, or of another type.  Locked. */
struct cx5 *cx5_of_context(struct ibv_context *context);
struct cx5_tir *cx5_tir_of_qp(struct ibv_qp *qp); /* a hash QP */
struct cx5_tir *cx5_tir_of_devx(void *obj);       /* struct mlx5dv_devx_obj, of CREATE_TIR */
/* of ALLOC_FLOW_COUNTER: as many as it asked for */
struct cx5_counters *cx5_counters_of_devx(void *obj);
void cx5_counters_put(struct cx5_counters *counters); /* a user less */

#define GLUE(ret, name, ...) ret glue_##name(__VA_ARGS__)
struct ibv_counters_init_attr;

/* verbs_device.c */
GLUE(int, fork_init, void);
GLUE(struct ibv_device **, get_device_list, int *nb_devices);
GLUE(void, free_device_list, struct ibv_device **list);
GLUE(const char *, get_device_name, struct ibv_device *device);
GLUE(struct ibv_context *, open_device, struct ibv_device *device);
GLUE(struct ibv_context *, dv_open_device, struct ibv_device *device);
GLUE(int, close_device, struct ibv_context *context);
GLUE(struct ibv_pd *, alloc_pd, struct ibv_context *context);
GLUE(int, dealloc_pd, struct ibv_pd *pd);
GLUE(int, query_device, struct ibv_context *context, struct ibv_device_attr *attr);
GLUE(int, query_device_ex, struct ibv_context *context,
     const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr);
GLUE(int, query_rt_values_ex, struct ibv_context *context, struct ibv_values_ex *values);
GLUE(int, query_port, struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr);
GLUE(const char *, port_state_str, enum ibv_port_state state);
GLUE(int, dv_query_device, struct ibv_context *context, struct mlx5dv_context *attr);
GLUE(int, dv_set_context_attr, struct ibv_context *context, enum mlx5dv_set_ctx_attr_type type,
     void *attr);

/* mr.c */
GLUE(struct ibv_mr *, reg_mr, struct ibv_pd *pd, void *addr, size_t length, int access);
GLUE(struct ibv_mr *, reg_mr_iova, struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
     int access);
GLUE(int, dereg_mr, struct ibv_mr *mr);

/* verbs_queue.c */
GLUE(struct ibv_cq *, create_cq, struct ibv_context *context, int cqe, void *cq_context,
     struct ibv_comp_channel *channel, int comp_vector);
GLUE(struct ibv_cq_ex *, dv_create_cq, struct ibv_context *context,
     struct ibv_cq_init_attr_ex *attr, struct mlx5dv_cq_init_attr *dv_attr);
GLUE(struct ibv_cq *, cq_ex_to_cq, struct ibv_cq_ex *cq);
GLUE(int, destroy_cq, struct ibv_cq *cq);
GLUE(struct ibv_wq *, create_wq, struct ibv_context *context, struct ibv_wq_init_attr *attr);
GLUE(struct ibv_wq *, dv_create_wq, struct ibv_context *context, struct ibv_wq_init_attr *attr,
     struct mlx5dv_wq_init_attr *dv_attr);
GLUE(int, modify_wq, struct ibv_wq *wq, struct ibv_wq_attr *attr);
GLUE(int, destroy_wq, struct ibv_wq *wq);
GLUE(struct ibv_rwq_ind_table *, create_rwq_ind_table, struct ibv_context *context,
     struct ibv_rwq_ind_table_init_attr *attr);
GLUE(int, destroy_rwq_ind_table, struct ibv_rwq_ind_table *table);

/* verbs_qp.c */
GLUE(struct ibv_qp *, create_qp_ex, struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
GLUE(struct ibv_qp *, dv_create_qp, struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
     struct mlx5dv_qp_init_attr *dv_attr);
GLUE(int, modify_qp, struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
GLUE(int, destroy_qp, struct ibv_qp *qp);
GLUE(int, dv_init_obj, struct mlx5dv_obj *obj, uint64_t type);

#include "drivers/mlx5/model/glue_devx.def"
#include "drivers/mlx5/model/glue_flow.def"
#undef GLUE

#endif

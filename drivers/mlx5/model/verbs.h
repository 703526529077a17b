/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_VERBS_H
#define CX5_VERBS_H

#include "drivers/mlx5/model/objects.h"

/*
 * Handles of verbs: rdma-core's struct first, as the PMD sees it, then the card's object.  Rings
 * are the model's memory, as they are rdma-core's on a real card.
 */
#define CX5_DBR_LEN 64 /* bytes of a doorbell record with its padding */

struct verbs_cq {
	struct ibv_cq_ex ex;
	struct cx5_object object;
	struct cx5_cq cq;
};
struct verbs_wq {
	struct ibv_wq wq;
	struct cx5_object object;
	struct cx5_rq rq;
};
struct verbs_table {
	struct ibv_rwq_ind_table table;
	struct cx5_rqt rqt;
};
struct verbs_qp { /* hash: leads to an indirection table; else it sends */
	struct ibv_qp qp;
	struct cx5_object object;
	bool hash;
	struct cx5_sq sq;
	struct cx5_tir tir;
};

#endif

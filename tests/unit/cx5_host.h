/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_CX5_HOST_H
#define TEST_CX5_HOST_H

#include "drivers/mlx5/model/devx.h"
#include "support/cmocka.h"

/*
 * A card with an open context and no ports, wires or threads: the runner is stood in for, with a
 * lock that must be taken once and given back.  host_close() fails when an object is left.
 */
/* A ring of bytes and its doorbell record behind it, as the PMD lays them. */
struct host_ring {
	uint8_t *memory;
	struct mlx5dv_devx_umem *umem;
	uint32_t bytes;
};

/* A command of len bytes with these dwords, the rest zero: { place, value }, host order. */
struct host_dword {
	unsigned int at;
	uint32_t value;
};
#define HOST_CREATE 272 /* bytes of most CREATE commands */
#define HOST_DWORDS 16
struct host_edit { /* a recorded command, changed */
	struct host_dword dw[HOST_DWORDS];
	unsigned int n;
};

extern struct host {
	struct cx5 nic;
	struct soft_port port;
	struct cx5_conf conf;
	struct ibv_context *context;
	struct ibv_pd *pd;
	int locked;
	unsigned int lines; /* of the log */
	uint64_t now_ns;
	/* of host_open_rings(): a CQ of 32, and a receive queue of 4 as it would be made */
	struct host_ring cq_ring, rq_ring;
	struct mlx5dv_devx_obj *cq;
	struct host_edit rq_edit;
} host;

int host_open(void **state); /* cmocka's set-up and tear-down */
int host_close(void **state);
int host_open_rings(void **state);
int host_close_rings(void **state);

struct host_answer {
	int code; /* errno, 0 */
	uint32_t status, syndrome;
	uint8_t out[512];
};
struct mlx5dv_devx_obj *host_create(const struct host_dword *dw, unsigned int n, size_t len,
				    struct host_answer *answer);
void host_modify(struct mlx5dv_devx_obj *obj, const struct host_dword *dw, unsigned int n,
		 struct host_answer *answer);
void host_query(struct mlx5dv_devx_obj *obj, const struct host_dword *dw, unsigned int n,
		struct host_answer *answer);
uint32_t host_id(const struct mlx5dv_devx_obj *obj);
void *host_of(const struct mlx5dv_devx_obj *obj); /* struct cx5_cq, ... */
void host_ring_open(struct host_ring *ring, uint32_t bytes);
void host_ring_close(struct host_ring *ring);

void host_edit(struct host_edit *e, const struct host_dword *dw, unsigned int n);
void host_set(struct host_edit *e, unsigned int at, uint32_t value);
void host_cq(struct host_edit *e, const struct host_ring *ring); /* CREATE_CQ of 32 */
struct mlx5dv_devx_obj *host_make(const struct host_edit *e);
void host_refused(const struct host_edit *e, size_t len, enum cx5_status status,
		  enum cx5_syndrome syndrome);

#endif

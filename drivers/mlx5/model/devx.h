/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_DEVX_H
#define CX5_DEVX_H

#include "drivers/mlx5/model/objects.h"
#include "drivers/mlx5/model/prm.h"

/*
 * Commands to the firmware, in the PRM's big-endian layouts.  A field is written as its place:
 * "#define CQC_LOG_SIZE 0xe3, 5" is bit and width, counted from the start of the whole command.
 *
 * Threads: under the models' lock.
 */
enum cx5_status { /* first byte of an answer; PRM "Command Delivery Status" */
		  CX5_OK,
		  CX5_BAD_OP = 0x2,
		  CX5_BAD_PARAM = 0x3,
		  CX5_BAD_RES = 0x5,
		  CX5_RES_BUSY = 0x6,
		  CX5_BAD_STATE = 0x9, /* of a resource, as it is now */
		  CX5_NO_RES = 0xf,
		  CX5_BAD_LEN = 0x50, /* input too short */
};
enum cx5_syndrome { /* the model's own: the firmware's are not documented */
		    CX5_SYN_OPCODE = 0x5c0001,
		    CX5_SYN_LENGTH,
		    CX5_SYN_MEMORY, /* the model has none left */
		    CX5_SYN_UMEM,
		    CX5_SYN_CQN,
		    CX5_SYN_RQN,
		    CX5_SYN_RQTN,
		    CX5_SYN_TISN,
		    CX5_SYN_STATE,
		    CX5_SYN_SIZE,
		    CX5_SYN_FORMAT, /* of a queue, an entry, a hash: not modelled */
		    CX5_SYN_MASK,
		    CX5_SYN_USERS,
		    CX5_SYN_QUEUES,
		    CX5_SYN_MKEY,
		    CX5_SYN_COUNTER,
		    CX5_SYN_CAPABILITY,
};

#define CMD_OPCODE   0x0, 16
#define CMD_OP_MOD   0x30, 16
#define CMD_STATUS   0x0, 8
#define CMD_SYNDROME 0x20, 32

#define CX5_DEVX_EQN 1 /* the event queue of completions */

struct cx5_cmd {
	struct cx5 *nic;
	const void *in;
	size_t in_len; /* bytes */
	void *out;
	size_t out_len; /* at least the 16 bytes of every answer */
};
/* Writes the answer's head and says so; returns -1, errno EREMOTEIO, as the kernel has it. */
int cx5_cmd_fail(struct cx5_cmd *cmd, enum cx5_status status, enum cx5_syndrome syndrome);

/* Make what a CREATE or ALLOC command asks for: object->of.  0, or cx5_cmd_fail()'s. */
int cx5_make_cq(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_make_rq(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_make_sq(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_make_rqt(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_make_tir(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_make_q_counter(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_make_flow_counter(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_make_mkey(struct cx5_cmd *cmd, struct cx5_object *object);
/* Undo that.  0, or -EBUSY: others depend on it. */
int cx5_end_cq(struct cx5_object *object);
int cx5_end_rq(struct cx5_object *object);
int cx5_end_sq(struct cx5_object *object);
int cx5_end_rqt(struct cx5_object *object);
int cx5_end_tir(struct cx5_object *object);
int cx5_end_flow_counter(struct cx5_object *object);
int cx5_end_mkey(struct cx5_object *object);

int cx5_modify_rq(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_modify_sq(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_modify_rqt(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_modify_tir(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_query_q_counter(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_query_flow_counter(struct cx5_cmd *cmd, struct cx5_object *object);
int cx5_query_capabilities(struct cx5_cmd *cmd);
int cx5_query_vport(struct cx5_cmd *cmd);

/* The hash part of a TIR's context, of CREATE_TIR and MODIFY_TIR: -EINVAL when not modelled. */
int cx5_tir_select(struct cx5_tir *tir, const void *in);
/* The queues of an indirection table, of CREATE_RQT and MODIFY_RQT.  0, or cx5_cmd_fail()'s. */
int cx5_rqt_fill(struct cx5_cmd *cmd, struct cx5_rqt *rqt);

/* devx_mem.c: len bytes at offset of a region, or NULL: outside, or no such */
struct cx5_umem *cx5_umem_find(struct cx5 *nic, uint32_t id);
void *cx5_umem_at(const struct cx5_umem *umem, uint64_t offset, uint64_t len);

#endif

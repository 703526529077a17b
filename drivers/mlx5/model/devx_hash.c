/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/devx.h"

#include <errno.h>
#include <stdlib.h>

/* CREATE_RQT and MODIFY_RQT, their context at bit 0x100. */
#define RQT_QUEUE_TYPE  0x1a5, 3 /* 0: receive queues */
#define RQT_ACTUAL_SIZE 0x1d0, 16
#define RQT_LIST        272 /* bytes before the first number */
#define RQT_RQN         0x8, 24

/* CREATE_TIR and MODIFY_TIR, their context at bit 0x100. */
#define TIR_TYPE          0x120, 4
#define TIR_LRO           0x194, 4
#define TIR_RQN           0x1e8, 24
#define TIR_SYMMETRIC     0x200, 1
#define TIR_TUNNELED      0x202, 1
#define TIR_RQTN          0x208, 24
#define TIR_FUNCTION      0x220, 4
#define TIR_KEY           72 /* bytes */
#define TIR_IPV6          0x380, 1
#define TIR_UDP           0x381, 1
#define TIR_FIELDS        0x382, 30
#define TIR_INNER         0x3a2, 30
#define TYPE_DIRECT       0
#define TYPE_INDIRECT     1
#define FUNCTION_NONE     0
#define FUNCTION_TOEPLITZ 2

int
cx5_rqt_fill(struct cx5_cmd *cmd, struct cx5_rqt *rqt)
{
	uint32_t n = prm_get(cmd->in, RQT_ACTUAL_SIZE);
	const uint8_t *list = (const uint8_t *)cmd->in + RQT_LIST;
	struct cx5_rq *rq[CX5_RQT_MAX];

	if (prm_get(cmd->in, RQT_QUEUE_TYPE) != 0)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_FORMAT);
	if (n == 0 || n > CX5_RQT_MAX)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_SIZE);
	if (cmd->in_len < RQT_LIST + (size_t)n * 4)
		return cx5_cmd_fail(cmd, CX5_BAD_LEN, CX5_SYN_LENGTH);
	for (uint32_t i = 0; i < n; i++) {
		struct cx5_object *object =
			cx5_id_find(cmd->nic, prm_get(list + (size_t)i * 4, RQT_RQN), CX5_RQ);

		if (object == NULL)
			return cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_RQN);
		rq[i] = object->of;
	}
	if (cx5_rqt_set(rqt, rq, n) < 0)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_SIZE);
	return 0;
}

int
cx5_make_rqt(struct cx5_cmd *cmd, struct cx5_object *object)
{
	struct cx5_rqt *rqt = calloc(1, sizeof(*rqt));
	int ret;

	if (rqt == NULL)
		return cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_MEMORY);
	ret = cx5_rqt_fill(cmd, rqt);
	if (ret != 0) {
		free(rqt);
		return ret;
	}
	object->of = rqt;
	return 0;
}

int
cx5_end_rqt(struct cx5_object *object)
{
	struct cx5_rqt *rqt = object->of;

	if (rqt->users != 0)
		return -EBUSY;
	cx5_rqt_clear(rqt);
	free(rqt);
	return 0;
}

/* rx_hash_field_select has the fields apart from what kind of packet they are of. */
int
cx5_tir_select(struct cx5_tir *tir, const void *in)
{
	bool ip6 = prm_get(in, TIR_IPV6), udp = prm_get(in, TIR_UDP);
	uint32_t select = prm_get(in, TIR_FIELDS);
	uint64_t fields = 0;

	if (prm_get(in, TIR_FUNCTION) == FUNCTION_NONE)
		select = 0;
	else if (prm_get(in, TIR_FUNCTION) != FUNCTION_TOEPLITZ)
		return -EINVAL;
	if (prm_get(in, TIR_SYMMETRIC) || prm_get(in, TIR_INNER) != 0 || select > 0xf)
		return -EINVAL;
	if (select & 1)
		fields |= ip6 ? IBV_RX_HASH_SRC_IPV6 : IBV_RX_HASH_SRC_IPV4;
	if (select & 2)
		fields |= ip6 ? IBV_RX_HASH_DST_IPV6 : IBV_RX_HASH_DST_IPV4;
	if (select & 4)
		fields |= udp ? IBV_RX_HASH_SRC_PORT_UDP : IBV_RX_HASH_SRC_PORT_TCP;
	if (select & 8)
		fields |= udp ? IBV_RX_HASH_DST_PORT_UDP : IBV_RX_HASH_DST_PORT_TCP;
	return cx5_tir_hash(tir, fields, (const uint8_t *)in + TIR_KEY);
}

static int
tir_target(struct cx5_cmd *cmd, struct cx5_tir *tir)
{
	struct cx5_object *object;

	if (prm_get(cmd->in, TIR_TYPE) == TYPE_INDIRECT) {
		object = cx5_id_find(cmd->nic, prm_get(cmd->in, TIR_RQTN), CX5_RQT);
		if (object == NULL)
			return cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_RQTN);
		tir->rqt = object->of;
		tir->rqt->users++;
		return 0;
	}
	object = prm_get(cmd->in, TIR_TYPE) == TYPE_DIRECT
			 ? cx5_id_find(cmd->nic, prm_get(cmd->in, TIR_RQN), CX5_RQ)
			 : NULL;
	if (object == NULL)
		return cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_RQN);
	tir->rq = object->of;
	tir->rq->users++;
	return 0;
}

int
cx5_make_tir(struct cx5_cmd *cmd, struct cx5_object *object)
{
	struct cx5_tir *tir;
	int ret;

	if (prm_get(cmd->in, TIR_LRO) != 0 || prm_get(cmd->in, TIR_TUNNELED))
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_FORMAT);
	tir = calloc(1, sizeof(*tir));
	if (tir == NULL)
		return cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_MEMORY);
	tir->nic = cmd->nic;
	ret = cx5_tir_select(tir, cmd->in) < 0 ? cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_FORMAT)
					       : tir_target(cmd, tir);
	if (ret != 0) {
		free(tir);
		return ret;
	}
	object->of = tir;
	return 0;
}

int
cx5_end_tir(struct cx5_object *object)
{
	struct cx5_tir *tir = object->of;

	if (tir->users != 0)
		return -EBUSY;
	if (tir->rqt != NULL)
		tir->rqt->users--;
	if (tir->rq != NULL)
		tir->rq->users--;
	free(tir);
	return 0;
}

struct cx5_tir *
cx5_tir_of_devx(void *obj)
{
	struct cx5_object *object = obj;

	return object->type == CX5_TIR ? object->of : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/devx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_LEN       16 /* bytes of the shortest answer */
#define REFUSED_EVERY_NS 1000000000ull

struct maker {                   /* of CREATE and ALLOC commands */
	uint16_t opcode, in_len; /* bytes at least */
	enum cx5_type type;
	int (*make)(struct cx5_cmd *cmd,
		    struct cx5_object *object); /* NULL: nothing but a number */
	uint32_t id_at, id_width;               /* of the answer, bits */
};
static const struct maker makers[] = {
	{ 0x200, 272, CX5_MKEY, cx5_make_mkey, 0x48, 24 },
	{ 0x400, 272, CX5_CQ, cx5_make_cq, 0x48, 24 },
	{ 0x771, 16, CX5_Q_COUNTER, cx5_make_q_counter, 0x58, 8 },
	{ 0x816, 16, CX5_TD, NULL, 0x48, 24 },
	{ 0x900, 272, CX5_TIR, cx5_make_tir, 0x48, 24 },
	{ 0x904, 272, CX5_SQ, cx5_make_sq, 0x48, 24 },
	{ 0x908, 272, CX5_RQ, cx5_make_rq, 0x48, 24 },
	{ 0x912, 192, CX5_TIS, NULL, 0x48, 24 },
	{ 0x916, 272, CX5_RQT, cx5_make_rqt, 0x48, 24 },
	{ 0x939, 16, CX5_FLOW_COUNTER, cx5_make_flow_counter, 0x40, 32 },
};

struct action { /* of MODIFY and QUERY commands */
	uint16_t opcode, in_len;
	enum cx5_type type;
	int (*act)(struct cx5_cmd *cmd, struct cx5_object *object);
};
static const struct action modifiers[] = {
	{ 0x901, 272, CX5_TIR, cx5_modify_tir },
	{ 0x905, 272, CX5_SQ, cx5_modify_sq },
	{ 0x909, 272, CX5_RQ, cx5_modify_rq },
	{ 0x917, 272, CX5_RQT, cx5_modify_rqt },
};
static const struct action queries[] = {
	{ 0x773, 32, CX5_Q_COUNTER, cx5_query_q_counter },
	{ 0x93b, 32, CX5_FLOW_COUNTER, cx5_query_flow_counter },
};
#define DIM(array) (sizeof(array) / sizeof((array)[0]))

int
cx5_cmd_fail(struct cx5_cmd *cmd, enum cx5_status status, enum cx5_syndrome syndrome)
{
	struct cx5_host *host = cmd->nic->host;
	uint64_t now_ns = soft_now_ns();

	prm_set(cmd->out, CMD_STATUS, status);
	prm_set(cmd->out, CMD_SYNDROME, syndrome);
	errno = EREMOTEIO;
	/* The PMD repeats the commands of a recovery with every burst. */
	if (host->refused_ns != 0 && now_ns - host->refused_ns < REFUSED_EVERY_NS) {
		host->refused++;
		return -1;
	}
	soft_log(cmd->nic->port, "command 0x%x refused: status 0x%x, syndrome 0x%x (and %u more)",
		 prm_get(cmd->in, CMD_OPCODE), status, syndrome, host->refused);
	host->refused_ns = now_ns;
	host->refused = 0;
	return -1;
}

/* A command may begin: an answer starts as "ok", all zero.  Locks. */
static bool
cmd_enter(struct cx5_cmd *cmd)
{
	if (cmd->in_len < ANSWER_LEN || cmd->out_len < ANSWER_LEN) {
		errno = EINVAL;
		return false;
	}
	if (!cx5_enter(cmd->nic))
		return false;
	memset(cmd->out, 0, cmd->out_len);
	return true;
}

static struct cx5_object *
object_new(struct cx5_cmd *cmd, const struct maker *maker)
{
	struct cx5_object *object = calloc(1, sizeof(*object));

	if (object == NULL) {
		cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_MEMORY);
		return NULL;
	}
	object->nic = cmd->nic;
	object->type = maker->type;
	/* Flow counters have numbers of their own, a run of them for an object. */
	if (maker->type != CX5_FLOW_COUNTER && cx5_id_new(object) < 0) {
		cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_MEMORY);
		free(object);
		return NULL;
	}
	if (maker->make != NULL && maker->make(cmd, object) != 0) {
		cx5_id_free(object);
		free(object);
		return NULL;
	}
	for (int i = 0; i < 2; i++)
		if (object->umem[i] != NULL)
			object->umem[i]->users++;
	cx5_count(cmd->nic, 1);
	prm_set(cmd->out, maker->id_at, maker->id_width, object->id);
	return object;
}

struct mlx5dv_devx_obj *
glue_devx_obj_create(struct ibv_context *context, const void *in, size_t in_len, void *out,
		     size_t out_len)
{
	struct cx5_cmd cmd = { cx5_of_context(context), in, in_len, out, out_len };
	const struct maker *maker = NULL;
	struct cx5_object *object = NULL;

	if (!cmd_enter(&cmd))
		return NULL;
	for (size_t i = 0; i < DIM(makers); i++)
		if (makers[i].opcode == prm_get(in, CMD_OPCODE))
			maker = &makers[i];
	if (maker == NULL)
		cx5_cmd_fail(&cmd, CX5_BAD_OP, CX5_SYN_OPCODE);
	else if (in_len < maker->in_len)
		cx5_cmd_fail(&cmd, CX5_BAD_LEN, CX5_SYN_LENGTH);
	else
		object = object_new(&cmd, maker);
	cx5_unlock();
	return (struct mlx5dv_devx_obj *)object;
}

static int
object_end(struct cx5_object *object)
{
	switch (object->type) {
	case CX5_CQ:
		return cx5_end_cq(object);
	case CX5_RQ:
		return cx5_end_rq(object);
	case CX5_SQ:
		return cx5_end_sq(object);
	case CX5_RQT:
		return cx5_end_rqt(object);
	case CX5_TIR:
		return cx5_end_tir(object);
	case CX5_FLOW_COUNTER:
		return cx5_end_flow_counter(object);
	case CX5_MKEY:
		return cx5_end_mkey(object);
	case CX5_TIS:
	case CX5_TD:
	case CX5_Q_COUNTER:
		break;
	}
	return 0;
}

int
glue_devx_obj_destroy(struct mlx5dv_devx_obj *obj)
{
	struct cx5_object *object = (struct cx5_object *)obj;

	cx5_lock();
	if (object_end(object) < 0) {
		soft_log(object->nic->port, "object 0x%x is in use: not destroyed", object->id);
		cx5_unlock();
		errno = EREMOTEIO;
		return EREMOTEIO;
	}
	for (int i = 0; i < 2; i++)
		if (object->umem[i] != NULL)
			object->umem[i]->users--;
	cx5_id_free(object);
	cx5_count(object->nic, -1);
	cx5_unlock();
	free(object);
	return 0;
}

/* 0, or errno as rdma-core returns it.  Locked. */
static int
object_act(struct cx5_cmd *cmd, struct cx5_object *object, const struct action *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (table[i].opcode != prm_get(cmd->in, CMD_OPCODE))
			continue;
		if (table[i].type != object->type)
			cx5_cmd_fail(cmd, CX5_BAD_RES, CX5_SYN_OPCODE);
		else if (cmd->in_len < table[i].in_len)
			cx5_cmd_fail(cmd, CX5_BAD_LEN, CX5_SYN_LENGTH);
		else if (table[i].act(cmd, object) == 0)
			return 0;
		return errno;
	}
	cx5_cmd_fail(cmd, CX5_BAD_OP, CX5_SYN_OPCODE);
	return errno;
}

int
glue_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t in_len, void *out,
		     size_t out_len)
{
	struct cx5_object *object = (struct cx5_object *)obj;
	struct cx5_cmd cmd = { object->nic, in, in_len, out, out_len };
	int ret;

	if (!cmd_enter(&cmd))
		return errno;
	ret = object_act(&cmd, object, modifiers, DIM(modifiers));
	cx5_unlock();
	return ret;
}

int
glue_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t in_len, void *out,
		    size_t out_len)
{
	struct cx5_object *object = (struct cx5_object *)obj;
	struct cx5_cmd cmd = { object->nic, in, in_len, out, out_len };
	int ret;

	if (!cmd_enter(&cmd))
		return errno;
	ret = object_act(&cmd, object, queries, DIM(queries));
	cx5_unlock();
	return ret;
}

/* The model answers at once; the host hears of it by the channel, good or bad. */
int
glue_devx_obj_query_async(struct mlx5dv_devx_obj *obj, const void *in, size_t in_len,
			  size_t out_len, uint64_t wr_id, struct mlx5dv_devx_cmd_comp *comp)
{
	struct cx5_object *object = (struct cx5_object *)obj;
	struct cx5_cmd cmd = { object->nic, in, in_len, calloc(1, out_len), out_len };
	int ret;

	if (cmd.out == NULL)
		return ENOMEM;
	if (!cmd_enter(&cmd)) {
		ret = errno;
		free(cmd.out);
		return ret;
	}
	object_act(&cmd, object, queries, DIM(queries));
	ret = -cx5_comp_post(comp, wr_id, cmd.out, out_len);
	cx5_unlock();
	free(cmd.out);
	return ret;
}

int
glue_devx_general_cmd(struct ibv_context *context, const void *in, size_t in_len, void *out,
		      size_t out_len)
{
	struct cx5_cmd cmd = { cx5_of_context(context), in, in_len, out, out_len };
	int ret;

	if (!cmd_enter(&cmd))
		return errno;
	switch (prm_get(in, CMD_OPCODE)) {
	case 0x100: /* QUERY_HCA_CAP */
		ret = cx5_query_capabilities(&cmd);
		break;
	case 0x754: /* QUERY_NIC_VPORT_CONTEXT */
		ret = cx5_query_vport(&cmd);
		break;
	default:
		ret = cx5_cmd_fail(&cmd, CX5_BAD_OP, CX5_SYN_OPCODE);
	}
	cx5_unlock();
	return ret == 0 ? 0 : errno;
}

int
glue_devx_query_eqn(struct ibv_context *context, uint32_t cpus, uint32_t *eqn)
{
	(void)cpus;
	if (!cx5_enter(cx5_of_context(context)))
		return errno;
	*eqn = CX5_DEVX_EQN;
	cx5_unlock();
	return 0;
}

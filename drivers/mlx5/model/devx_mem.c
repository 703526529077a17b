/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/devx.h"

#include <errno.h>
#include <stdlib.h>

/* CREATE_MKEY, its context at bit 0x80 (PRM "Mkey context"). */
#define MKC_ACCESS_MODE  0x96, 2
#define MKC_VARIANT      0xb8, 8
#define MKC_START        0x100
#define MKC_LEN          0x140
#define MKEY_OCTWORDS    0x300, 32 /* 16-byte entries behind the command */
#define MKEY_UMEM        0x320, 32
#define MKEY_UMEM_OFFSET 0x340
#define MKEY_ENTRY       272 /* bytes before the first entry */
#define ACCESS_MODE_MTT  1
#define ACCESS_MODE_KLM  2
#define KLM_BYTES        0x0, 32
#define KLM_MKEY         0x20, 32
#define KLM_ADDRESS      0x40
#define KLM_LEN          16 /* bytes of an entry */
#define MKEY_INDEX_SHIFT 8  /* mkey = index << 8 | variant */
#define UAR_LEN          4096
#define UAR_BF           0x800 /* the BlueFlame register of a UAR page */

struct cx5_umem *
cx5_umem_find(struct cx5 *nic, uint32_t id)
{
	return id < CX5_UMEMS ? nic->host->umems[id] : NULL;
}

void *
cx5_umem_at(const struct cx5_umem *umem, uint64_t offset, uint64_t len)
{
	if (umem == NULL || offset > umem->size || len > umem->size - offset)
		return NULL;
	return umem->addr + offset;
}

struct mlx5dv_devx_umem *
glue_devx_umem_reg(struct ibv_context *context, void *addr, size_t size, uint32_t access)
{
	struct cx5 *nic = cx5_of_context(context);
	struct cx5_umem *umem;
	uint32_t id = 0;

	(void)access;
	if (addr == NULL || size == 0) {
		errno = EINVAL;
		return NULL;
	}
	if (!cx5_enter(nic))
		return NULL;
	for (uint32_t i = 0; i < CX5_UMEMS - 1 && id == 0; i++) {
		uint32_t next = 1 + (nic->host->next_umem - 1 + i) % (CX5_UMEMS - 1);

		if (nic->host->umems[next] == NULL)
			id = next;
	}
	umem = id != 0 ? calloc(1, sizeof(*umem)) : NULL;
	if (umem == NULL) {
		cx5_unlock();
		errno = ENOMEM;
		return NULL;
	}
	umem->dv.umem_id = id;
	umem->nic = nic;
	umem->addr = addr;
	umem->size = size;
	nic->host->umems[id] = umem;
	nic->host->next_umem = id + 1;
	cx5_count(nic, 1);
	cx5_unlock();
	return &umem->dv;
}

int
glue_devx_umem_dereg(struct mlx5dv_devx_umem *dv)
{
	struct cx5_umem *umem = (struct cx5_umem *)dv;

	cx5_lock();
	if (umem->users != 0) {
		soft_log(umem->nic->port, "umem %u lies under a queue: not released", dv->umem_id);
		cx5_unlock();
		errno = EREMOTEIO;
		return EREMOTEIO;
	}
	umem->nic->host->umems[dv->umem_id] = NULL;
	cx5_count(umem->nic, -1);
	cx5_unlock();
	free(umem);
	return 0;
}

struct uar {
	struct mlx5dv_devx_uar dv;
	struct cx5 *nic;
};

struct mlx5dv_devx_uar *
glue_devx_alloc_uar(struct ibv_context *context, uint32_t flags)
{
	struct cx5 *nic = cx5_of_context(context);
	struct uar *uar;

	(void)flags; /* BlueFlame or non-cached: plain memory is both */
	if (!cx5_enter(nic))
		return NULL;
	uar = calloc(1, sizeof(*uar));
	if (uar != NULL)
		uar->dv.base_addr = cx5_ring_new(UAR_LEN);
	if (uar == NULL || uar->dv.base_addr == NULL) {
		free(uar);
		cx5_unlock();
		errno = ENOMEM;
		return NULL;
	}
	uar->nic = nic;
	uar->dv.reg_addr = (uint8_t *)uar->dv.base_addr + UAR_BF;
	uar->dv.page_id = 1; /* its queues name it; nothing is told apart by it */
	cx5_count(nic, 1);
	cx5_unlock();
	return &uar->dv;
}

void
glue_devx_free_uar(struct mlx5dv_devx_uar *dv)
{
	struct uar *uar = (struct uar *)dv;

	cx5_lock();
	cx5_count(uar->nic, -1);
	cx5_unlock();
	free(dv->base_addr);
	free(uar);
}

/* The memory an mkey is to cover: part of a umem, or of what one other key covers. */
static void *
mkey_memory(const struct cx5_cmd *cmd, uint64_t len)
{
	const uint8_t *klm = (const uint8_t *)cmd->in + MKEY_ENTRY;

	if (prm_get(cmd->in, MKC_ACCESS_MODE) == ACCESS_MODE_MTT)
		return cx5_umem_at(cx5_umem_find(cmd->nic, prm_get(cmd->in, MKEY_UMEM)),
				   prm_get64(cmd->in, MKEY_UMEM_OFFSET), len);
	if (prm_get(cmd->in, MKC_ACCESS_MODE) != ACCESS_MODE_KLM ||
	    prm_get(cmd->in, MKEY_OCTWORDS) == 0 || cmd->in_len < MKEY_ENTRY + KLM_LEN ||
	    prm_get(klm, KLM_BYTES) < len)
		return NULL;
	return cx5_mr_at(htobe32(prm_get(klm, KLM_MKEY)), prm_get64(klm, KLM_ADDRESS),
			 (uint32_t)len);
}

int
cx5_make_mkey(struct cx5_cmd *cmd, struct cx5_object *object)
{
	uint64_t len = prm_get64(cmd->in, MKC_LEN);
	void *addr = len != 0 && len <= UINT32_MAX ? mkey_memory(cmd, len) : NULL;

	if (addr == NULL)
		return cx5_cmd_fail(cmd, CX5_BAD_PARAM, CX5_SYN_MKEY);
	object->of = cx5_mr_add(addr, len, prm_get64(cmd->in, MKC_START),
				(uint8_t)prm_get(cmd->in, MKC_VARIANT));
	if (object->of == NULL)
		return cx5_cmd_fail(cmd, CX5_NO_RES, CX5_SYN_MEMORY);
	/* The number is the index of the key, not one of the card's. */
	cx5_id_free(object);
	object->id = be32toh(((struct cx5_mr *)object->of)->lkey_be) >> MKEY_INDEX_SHIFT;
	return 0;
}

int
cx5_end_mkey(struct cx5_object *object)
{
	cx5_mr_del(object->of);
	return 0;
}

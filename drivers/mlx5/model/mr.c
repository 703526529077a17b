/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/objects.h"

#include <errno.h>
#include <stdlib.h>

/* Keys of all cards, as they are looked up by index: a key of another card is as wrong as a stale
 * one, but both PMD ports register the same memory with each card, so it does not occur. */
struct cx5_mr cx5_mrs[CX5_MR_MAX];
static uint32_t mr_next = 1; /* entry 0 stays free: lkey 0 is nobody's */

struct cx5_mr *
cx5_mr_add(void *addr, size_t len, uint64_t host_addr, uint8_t variant)
{
	for (uint32_t i = 0; len != 0 && i < CX5_MR_MAX - 1; i++) {
		uint32_t index = 1 + (mr_next - 1 + i) % (CX5_MR_MAX - 1);
		struct cx5_mr *mr = &cx5_mrs[index];

		if (mr->len != 0)
			continue;
		mr_next = index + 1;
		mr->lo = host_addr;
		mr->len = len;
		mr->delta = (intptr_t)((uintptr_t)addr - host_addr);
		mr->lkey_be = htobe32(index << 8 | variant);
		return mr;
	}
	return NULL;
}

void
cx5_mr_del(struct cx5_mr *mr)
{
	*mr = (struct cx5_mr){ 0 };
}

struct ibv_mr *
glue_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	static uint8_t variant; /* another one each time: a stale key does not fit its successor */
	struct cx5 *nic = cx5_of_context(pd->context);
	struct ibv_mr *mr;
	struct cx5_mr *key;

	(void)access; /* everything may be written locally; nobody is remote */
	if (!cx5_enter(nic))
		return NULL;
	mr = calloc(1, sizeof(*mr));
	key = mr == NULL ? NULL : cx5_mr_add(addr, length, iova, ++variant);
	if (key == NULL) {
		cx5_unlock();
		free(mr);
		errno = ENOMEM;
		return NULL;
	}
	*mr = (struct ibv_mr){ .context = pd->context,
			       .pd = pd,
			       .addr = addr,
			       .length = length,
			       .handle = (uint32_t)(key - cx5_mrs),
			       .lkey = be32toh(key->lkey_be),
			       .rkey = be32toh(key->lkey_be) };
	cx5_count(nic, 1);
	cx5_unlock();
	return mr;
}

struct ibv_mr *
glue_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return glue_reg_mr_iova(pd, addr, length, (uintptr_t)addr, access);
}

int
glue_dereg_mr(struct ibv_mr *mr)
{
	cx5_lock();
	cx5_mr_del(&cx5_mrs[mr->handle]);
	cx5_count(cx5_of_context(mr->context), -1);
	cx5_unlock();
	free(mr);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long objects_left; /* drop actions and the like, which belong to no one card */

bool
cx5_enter(struct cx5 *nic)
{
	soft_stall(nic->port);
	soft_lock_trap();
	nic->port->stats.traps++;
	if (!nic->removed)
		return true;
	soft_unlock();
	errno = EIO;
	return false;
}

void
cx5_lock(void)
{
	soft_lock_trap();
}

void
cx5_unlock(void)
{
	soft_unlock();
}

void
cx5_count(struct cx5 *nic, int by)
{
	if (nic != NULL)
		nic->objects += by;
	else
		objects_left += by;
}

long
cx5_objects_left(void)
{
	return objects_left;
}

int
cx5_host_open(struct cx5 *nic, struct err *err)
{
	nic->host = calloc(1, sizeof(*nic->host));
	if (nic->host == NULL)
		return err_set(err, -ENOMEM, "cx5: no memory for a card");
	nic->host->next_id = CX5_ID_FIRST;
	nic->host->next_umem = 1;
	nic->host->next_counter = 512; /* a bulk of 512 starts at a multiple of it */
	nic->host->async_fd = -1;
	return 0;
}

/* What the host has left behind goes with its process. */
void
cx5_host_close(struct cx5 *nic)
{
	if (nic->host != NULL && nic->host->async_fd >= 0)
		close(nic->host->async_fd);
	free(nic->host);
	nic->host = NULL;
}

/* The first free number from `next` on, of first..end - 1; 0: none. */
static uint32_t
id_free(const struct cx5_host *host, uint32_t next, uint32_t first, uint32_t end)
{
	for (uint32_t i = 0; i < end - first; i++) {
		uint32_t id = first + (next - first + i) % (end - first);

		if (host->ids[id] == NULL)
			return id;
	}
	return 0;
}

/* Numbers come round late, so that one kept after its object's end is noticed. */
int
cx5_id_new(struct cx5_object *object)
{
	struct cx5_host *host = object->nic->host;
	bool small = object->type == CX5_Q_COUNTER;

	object->id = small ? id_free(host, 1, 1, CX5_ID_FIRST)
			   : id_free(host, host->next_id, CX5_ID_FIRST, CX5_IDS);
	if (object->id == 0)
		return -ENOSPC;
	if (!small)
		host->next_id = object->id + 1 < CX5_IDS ? object->id + 1 : CX5_ID_FIRST;
	host->ids[object->id] = object;
	return 0;
}

void
cx5_id_free(struct cx5_object *object)
{
	if (object->id < CX5_IDS && object->nic->host->ids[object->id] == object)
		object->nic->host->ids[object->id] = NULL;
}

struct cx5_object *
cx5_id_find(struct cx5 *nic, uint32_t id, enum cx5_type type)
{
	struct cx5_object *object = id < CX5_IDS ? nic->host->ids[id] : NULL;

	return object != NULL && object->type == type ? object : NULL;
}

void *
cx5_ring_new(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *ring;

	size = (size + page - 1) & ~(page - 1);
	ring = aligned_alloc(page, size);
	if (ring != NULL)
		memset(ring, 0, size);
	return ring;
}

int
cx5_rq_state(struct cx5_rq *rq, enum cx5_state state)
{
	enum cx5_state from = rq->state;
	int ret = 0;

	rq->state = state;
	if (state == CX5_RESET && from != CX5_RESET) {
		cx5_rq_detach(rq);
		cx5_rq_reset(rq);
	} else if (state == CX5_READY && from == CX5_RESET) {
		ret = cx5_rq_attach(rq);
		if (ret < 0)
			rq->state = CX5_RESET;
	} else if (state == CX5_ERROR && from == CX5_READY) {
		cx5_rq_error(rq, 0);
	}
	return ret;
}

int
cx5_sq_state(struct cx5_sq *sq, enum cx5_state state)
{
	enum cx5_state from = sq->state;
	int ret = 0;

	sq->state = state;
	if (state == CX5_RESET && from != CX5_RESET) {
		cx5_sq_detach(sq);
		cx5_sq_reset(sq);
	} else if (state == CX5_READY && from == CX5_RESET) {
		ret = cx5_sq_attach(sq);
		if (ret < 0)
			sq->state = CX5_RESET;
	} else if (state == CX5_ERROR && from == CX5_READY) {
		cx5_sq_error(sq);
	}
	return ret;
}

int
cx5_rqt_set(struct cx5_rqt *rqt, struct cx5_rq *const *rq, uint32_t n)
{
	if (n == 0 || n > CX5_RQT_MAX || (n & (n - 1)) != 0)
		return -EINVAL;
	for (uint32_t i = 0; i < n; i++)
		rq[i]->users++;
	cx5_rqt_clear(rqt);
	memcpy(rqt->rq, rq, n * sizeof(struct cx5_rq *));
	rqt->n = n;
	return 0;
}

void
cx5_rqt_clear(struct cx5_rqt *rqt)
{
	for (uint32_t i = 0; i < rqt->n; i++)
		rqt->rq[i]->users--;
	rqt->n = 0;
}

int
cx5_tir_hash(struct cx5_tir *tir, uint64_t fields, const uint8_t key[TOEPLITZ_KEY])
{
	const uint64_t ip4 = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4;
	const uint64_t ip6 = IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6;
	const uint64_t tcp = IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP;
	const uint64_t udp = IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP;

	/* One TIR hashes one kind of packet: rx_hash_field_select has one L3 and one L4 type. */
	if ((fields & ~(ip4 | ip6 | tcp | udp)) != 0 ||
	    ((fields & ip4) != 0 && (fields & ip6) != 0) ||
	    ((fields & tcp) != 0 && (fields & udp) != 0))
		return -EINVAL;
	tir->fields = fields;
	tir->hash = fields != 0;
	if (tir->hash)
		toeplitz_init(&tir->toeplitz, key);
	return 0;
}

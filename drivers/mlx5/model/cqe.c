/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/datapath.h"

#include <emmintrin.h>
#include <string.h>

/*
 * Completion queue entries, 64 bytes each (PRM "Completion Queue Entry").  The host finds one by
 * its last byte: opcode, format, and an owner bit that turns with every lap of the ring.  So that
 * byte is stored last; x86 keeps the order of stores.
 */
#define OPCODE_SHIFT 4
#define COMPRESSED   (3u << 2) /* format: mini CQEs follow */
#define MINI_SLOT    8         /* mini CQEs in the place of a CQE */

static inline uint8_t
owner(const struct cx5_cq *cq)
{
	return (cq->pi & cq->size) != 0;
}

/*
 * The host is behind by a whole ring: the CQ overruns, and nothing more is written into it.  Of the
 * consumer index only what tells one lap from the next counts: the PMD writes 16 of its 24 bits.
 */
static bool
look_again(struct cx5_cq *cq, uint32_t n)
{
	uint32_t ci = be32toh(cq->dbrec[0]);

	cq->ci_seen = cq->pi - ((cq->pi - ci) & (2 * cq->size - 1));
	if (cq->pi + n - cq->ci_seen <= cq->size)
		return true;
	cq->nic->port->stats.bad_descriptors += n;
	return false;
}

static inline bool
has_room(struct cx5_cq *cq, uint32_t n)
{
	return __builtin_expect(cq->pi + n - cq->ci_seen <= cq->size, 1) || look_again(cq, n);
}

static inline void
store(uint8_t *slot, __m128i a, __m128i b, __m128i c, __m128i d)
{
	_mm_store_si128((__m128i *)slot, a);
	_mm_store_si128((__m128i *)slot + 1, b);
	_mm_store_si128((__m128i *)slot + 2, c);
	atomic_thread_fence(memory_order_release);
	_mm_store_si128((__m128i *)slot + 3, d);
}

static inline void
store_verdict(const struct cx5_cq *cq, const struct cx5_verdict *v, uint8_t op_own)
{
	uint64_t counter = v->ids & UINT16_MAX, wqe_id = v->ids >> 32 & UINT16_MAX;
	uint64_t tail = v->same >> 32 | counter << 32 | (uint64_t)op_own << 56;
	uint64_t hash = v->mini << 32, wqe_id_at = wqe_id << 16, type = v->same << 32;
	uint64_t bytes = v->mini & ~UINT64_C(0xffffffff);

	store(cx5_cqe_slot(cq, cq->pi), _mm_set_epi64x((long long)hash, (long long)wqe_id_at),
	      _mm_set_epi64x((long long)type, (long long)(v->ids >> 48)),
	      _mm_set_epi64x((long long)bytes, 0),
	      _mm_set_epi64x((long long)tail, (long long)cq->nic->rx->time_be));
}

static inline void
write_verdict(struct cx5_cq *cq, const struct cx5_verdict *v)
{
	if (!has_room(cq, 1))
		return;
	store_verdict(cq, v, (uint8_t)(MLX5_CQE_RESP_SEND << OPCODE_SHIFT | owner(cq)));
	cq->pi++;
}

void
cx5_cqe_write(struct cx5_cq *cq, const void *body, uint8_t opcode)
{
	uint8_t cqe[CX5_CQE] __attribute__((aligned(16)));
	const __m128i *part = (const __m128i *)cqe;

	if (cq->nb_mini != 0)
		cx5_cqe_close(cq);
	if (!has_room(cq, 1))
		return;
	memcpy(cqe, body, sizeof(cqe));
	cqe[CX5_CQE - 1] = (uint8_t)(opcode << OPCODE_SHIFT | owner(cq));
	store(cx5_cqe_slot(cq, cq->pi), part[0], part[1], part[2], part[3]);
	cq->pi++;
}

/*
 * A session of mini CQEs: a title with the number of them, then arrays of eight in the places of
 * CQEs: the first behind the title, the others at 8, 16, ... places from it.  The session takes as
 * many places as it has mini CQEs; what is not written between stays what it was.
 */
void
cx5_cqe_close(struct cx5_cq *cq)
{
	uint32_t n = cq->nb_mini;

	cq->nb_mini = 0;
	if (n == 0 || !has_room(cq, n))
		return;
	if (n == 1) { /* is shorter as it came */
		write_verdict(cq, &cq->title);
		return;
	}
	for (uint32_t i = 0; i < n; i += MINI_SLOT) {
		uint32_t left = n - i < MINI_SLOT ? n - i : MINI_SLOT;

		memcpy(cx5_cqe_slot(cq, cq->pi + (i == 0 ? 1 : i)), &cq->mini[i],
		       left * sizeof(cq->mini[0]));
	}
	cq->title.mini = (cq->title.mini & UINT32_MAX) | (uint64_t)htobe32(n) << 32;
	store_verdict(cq, &cq->title,
		      (uint8_t)(MLX5_CQE_RESP_SEND << OPCODE_SHIFT | COMPRESSED | owner(cq)));
	cq->pi += n;
}

/* Of a WQE for each frame the next one; strides say themselves where they are. */
static inline bool
same_title(const struct cx5_cq *cq, const struct cx5_verdict *v)
{
	uint64_t ids = cq->title.ids ^ v->ids;
	uint16_t counter = (uint16_t)(be16toh((uint16_t)cq->title.ids) + cq->nb_mini);

	if (cq->title.same != v->same || ids >> 32 != 0)
		return false;
	return v->ids >> 32 & UINT16_MAX || cq->stride_mini || counter == be16toh((uint16_t)v->ids);
}

static inline void
open_session(struct cx5_cq *cq, const struct cx5_verdict *v)
{
	struct cx5_rx *rx = cq->nic->rx;

	cq->title = *v;
	if (cq->pending)
		return;
	cq->pending = true;
	cq->next_pending = rx->pending;
	rx->pending = cq;
}

void
cx5_cqe_rx(struct cx5_cq *cq, const struct cx5_verdict *v)
{
	uint64_t mini = v->mini;

	if (!cq->compress) {
		write_verdict(cq, v);
		return;
	}
	if (cq->nb_mini != 0 && !same_title(cq, v))
		cx5_cqe_close(cq);
	if (cq->nb_mini == 0)
		open_session(cq, v);
	if (cq->stride_mini) /* checksum, then stride index, in the place of the hash */
		mini = (mini & ~UINT64_C(0xffffffff)) | (v->ids & UINT16_MAX) << 16 |
		       (v->ids >> 16 & UINT16_MAX);
	cq->mini[cq->nb_mini++] = mini;
	/* A session ends with the ring, and with what its title can count. */
	if (cq->nb_mini == sizeof(cq->mini) / sizeof(cq->mini[0]) ||
	    ((cq->pi + cq->nb_mini) & (cq->size - 1)) == 0)
		cx5_cqe_close(cq);
}

void
cx5_cqe_flush(struct cx5 *nic)
{
	struct cx5_cq *cq = nic->rx->pending;

	while (cq != NULL) {
		struct cx5_cq *next = cq->next_pending;

		cx5_cqe_close(cq);
		cq->pending = false;
		cq = next;
	}
	nic->rx->pending = NULL;
}

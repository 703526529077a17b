/* SPDX-License-Identifier: BSD-3-Clause */
#include "neigh/adj.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>

#define ADJ_MAX 32768 /* ids a FIB entry can hold: FIB_ID_MAX + 1 */

enum { SLOT_FREE = 0, SLOT_USED, SLOT_RETIRED };

struct retired {
	uint16_t id;
	uint64_t token;
};

struct adj_table {
	struct adj *adj; /* what workers read */
	struct rte_rcu_qsbr *rcu;
	uint32_t max;
	uint32_t used; /* handed out and not handed back; fixed ids not counted */

	uint8_t *slot;  /* of each id */
	uint16_t *free; /* a stack */
	uint32_t nb_free;
	struct retired *retired; /* a ring, oldest at head */
	uint32_t head, nb_retired;
};

static void
fill_fixed(struct adj *adj)
{
	/* Zero is ADJ_NO_ROUTE, which serves ADJ_ID_DEFAULT and ADJ_ID_NO_ROUTE. */
	adj[ADJ_ID_LOCAL].kind = ADJ_LOCAL;
	adj[ADJ_ID_BAD_DESTINATION].kind = ADJ_BAD_DESTINATION;
	adj[ADJ_ID_BLACKHOLE].kind = ADJ_BLACKHOLE;
}

int
adj_create(struct adj_table **out, uint32_t max, int socket, struct rte_rcu_qsbr *rcu)
{
	struct adj_table *t;

	if (max <= ADJ_ID_FREE || max > ADJ_MAX || rcu == NULL)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return -ENOMEM;
	t->max = max;
	t->rcu = rcu;
	t->adj = rte_zmalloc_socket("adj", max * sizeof(*t->adj), RTE_CACHE_LINE_SIZE, socket);
	t->slot = calloc(max, sizeof(*t->slot));
	t->free = calloc(max, sizeof(*t->free));
	t->retired = calloc(max, sizeof(*t->retired));
	if (t->adj == NULL || t->slot == NULL || t->free == NULL || t->retired == NULL) {
		adj_destroy(t);
		return -ENOMEM;
	}
	fill_fixed(t->adj);
	/* The stack gives low ids first: what workers read stays dense. */
	for (uint32_t id = max - 1; id >= ADJ_ID_FREE; id--)
		t->free[t->nb_free++] = (uint16_t)id;
	*out = t;
	return 0;
}

void
adj_destroy(struct adj_table *t)
{
	if (t == NULL)
		return;
	free(t->retired);
	free(t->free);
	free(t->slot);
	rte_free(t->adj);
	free(t);
}

const struct adj *
adj_array(const struct adj_table *t)
{
	return t->adj;
}

int
adj_alloc(struct adj_table *t)
{
	static const struct adj no_route = { .kind = ADJ_NO_ROUTE };
	uint16_t id;

	if (t->nb_free == 0)
		adj_reclaim(t);
	if (t->nb_free == 0)
		return t->nb_retired > 0 ? -EAGAIN : -ENOSPC;
	id = t->free[--t->nb_free];
	t->slot[id] = SLOT_USED;
	t->used++;
	adj_write(t, id, &no_route);
	return id;
}

/*
 * What the id says stays as it is: a worker that found it just before the FIB let go of it still
 * acts on the old next hop, not on a third thing.
 */
void
adj_free(struct adj_table *t, uint16_t id)
{
	if (id >= t->max || t->slot[id] != SLOT_USED)
		return;
	t->slot[id] = SLOT_RETIRED;
	t->used--;
	t->retired[(t->head + t->nb_retired) % t->max] = (struct retired){
		.id = id,
		.token = rte_rcu_qsbr_start(t->rcu),
	};
	t->nb_retired++;
}

void
adj_write(struct adj_table *t, uint16_t id, const struct adj *adj)
{
	union {
		struct adj a;
		struct u128 u;
	} x = { .a = *adj };

	if (id < t->max)
		atomic_put16(&t->adj[id], x.u);
}

void
adj_reclaim(struct adj_table *t)
{
	while (t->nb_retired > 0) {
		const struct retired *oldest = &t->retired[t->head];

		if (rte_rcu_qsbr_check(t->rcu, oldest->token, false) != 1)
			return;
		t->slot[oldest->id] = SLOT_FREE;
		t->free[t->nb_free++] = oldest->id;
		t->head = (t->head + 1) % t->max;
		t->nb_retired--;
	}
}

uint32_t
adj_used(const struct adj_table *t)
{
	return t->used;
}

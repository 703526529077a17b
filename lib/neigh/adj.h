/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NEIGH_ADJ_H
#define NEIGH_ADJ_H

#include "neigh/adj_fast.h"

#include <stdint.h>

struct rte_rcu_qsbr;

/*
 * The adjacency table: ids to struct adj.  One control thread calls what is here.
 */
struct adj_table;

/* max: ids, the fixed ones included, at most FIB_ID_MAX + 1.  0, -EINVAL or -ENOMEM. */
int adj_create(struct adj_table **out, uint32_t max, int socket, struct rte_rcu_qsbr *rcu);
void adj_destroy(struct adj_table *t);

/* The array workers index by id; as stable as the table. */
const struct adj *adj_array(const struct adj_table *t);

/* A free id with an ADJ_NO_ROUTE in it: > 0, -ENOSPC, or -EAGAIN (free after a grace period). */
int adj_alloc(struct adj_table *t);

/* Hand an id back: reused only after every worker has passed a quiescent point. */
void adj_free(struct adj_table *t, uint16_t id);

/* Replace what workers see under an id, at once. */
void adj_write(struct adj_table *t, uint16_t id, const struct adj *adj);

void adj_reclaim(struct adj_table *t);
uint32_t adj_used(const struct adj_table *t);

#endif

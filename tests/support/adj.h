/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_ADJ_H
#define TEST_ADJ_H

#include "neigh/adj_fast.h"

#include <string.h>

/* An adjacency by name, read as a worker reads it. */
static inline struct adj
adj_at(const struct adj *table, uint16_t id)
{
	struct adj_words w = adj_read(table, id);
	struct adj adj = { .mtu = w.mtu, .port = w.port, .kind = w.kind };

	memcpy(adj.dst, &w.macs, 6);
	memcpy(adj.src, (const uint8_t *)&w.macs + 6, 2);
	memcpy(adj.src + 2, &w.macs4, 4);
	return adj;
}

#endif

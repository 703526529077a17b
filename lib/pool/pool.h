/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef POOL_POOL_H
#define POOL_POOL_H

#include "base/err.h"

#include <stdint.h>

struct rte_mempool;

/*
 * Packet buffers: one pool per NUMA node that has workers, with a cache per lcore that refills and
 * flushes in bulk.  The control thread creates, destroys and samples; workers only use.
 */
#define POOL_NODES_MAX 8

/* The need, term by term, as if every ring were full (design: "size the pool"). */
struct pool_need {
	uint64_t rx_rings; /* sum of rxq * rxd */
	uint64_t tx_rings; /* sum of txq * txd */
	uint64_t lcores;   /* lcores * (1.5 * cache + 2 * burst), the control thread included */
	uint64_t punt;     /* punt and inject rings */
	uint64_t hold;     /* packets waiting for ARP */
	uint64_t steer;    /* rings between lcores */
};
uint64_t pool_need_total(const struct pool_need *need);

struct pool_config {
	int socket;
	uint32_t nb_mbufs;  /* at least the need */
	uint32_t cache;     /* per lcore, 0 off, at most RTE_MEMPOOL_CACHE_MAX_SIZE */
	uint32_t mbuf_size; /* data room, headroom included, bytes */
	struct pool_need need;
};

/* -EINVAL names what is too small and by how much; -ENOMEM how many bytes were wanted. */
int pool_create(struct rte_mempool **out, const struct pool_config *cfg, struct err *err);
void pool_destroy(struct rte_mempool *pool);
uint64_t pool_bytes(const struct pool_config *cfg);

/* Occupancy; call often (it samples the low-water mark).  Any pool made by pool_create(). */
struct pool_info {
	int socket;
	uint32_t size, free, low_water; /* mbufs; caches count as free */
	uint32_t cache;
};
void pool_sample(struct rte_mempool *pool);
void pool_info(struct rte_mempool *pool, struct pool_info *info);

#endif

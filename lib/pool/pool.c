/* SPDX-License-Identifier: BSD-3-Clause */
#include "pool/pool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_mempool.h>

/* Behind what every mbuf pool keeps in its private area. */
struct pool_priv {
	struct rte_pktmbuf_pool_private mbuf; /* first: rte_mbuf.h reads it */
	int socket;
	uint32_t low_water;
};

uint64_t
pool_need_total(const struct pool_need *need)
{
	return need->rx_rings + need->tx_rings + need->lcores + need->punt + need->hold +
	       need->steer;
}

static uint32_t
element_size(const struct pool_config *cfg)
{
	return (uint32_t)sizeof(struct rte_mbuf) + cfg->mbuf_size;
}

uint64_t
pool_bytes(const struct pool_config *cfg)
{
	struct rte_mempool_objsz size;

	rte_mempool_calc_obj_size(element_size(cfg), 0, &size);
	return (uint64_t)cfg->nb_mbufs * size.total_size +
	       (uint64_t)rte_align32pow2(cfg->nb_mbufs + 1) * sizeof(void *);
}

static int
check(const struct pool_config *cfg, struct err *err)
{
	uint64_t need = pool_need_total(&cfg->need);

	if (cfg->nb_mbufs < need)
		return err_set(err, -EINVAL,
			       "pool of node %d: %u mbufs are %" PRIu64 " too few for full rings "
			       "and caches; give %" PRIu64,
			       cfg->socket, cfg->nb_mbufs, need - cfg->nb_mbufs, need);
	if (cfg->cache > RTE_MEMPOOL_CACHE_MAX_SIZE)
		return err_set(err, -EINVAL,
			       "pool of node %d: a cache of %u mbufs is above the limit of %u",
			       cfg->socket, cfg->cache, RTE_MEMPOOL_CACHE_MAX_SIZE);
	if (cfg->mbuf_size < RTE_PKTMBUF_HEADROOM || cfg->mbuf_size > UINT16_MAX)
		return err_set(err, -EINVAL,
			       "pool of node %d: mbufs of %u bytes are outside %u..%u", cfg->socket,
			       cfg->mbuf_size, RTE_PKTMBUF_HEADROOM, UINT16_MAX);
	return 0;
}

/* As rte_pktmbuf_pool_create(), with room for our own words in the private area. */
static struct rte_mempool *
make_pool(const struct pool_config *cfg)
{
	struct rte_pktmbuf_pool_private mbuf = { .mbuf_data_room_size = (uint16_t)cfg->mbuf_size };
	char name[RTE_MEMPOOL_NAMESIZE];
	struct rte_mempool *pool;
	int ret;

	snprintf(name, sizeof(name), "sluice_node%d", cfg->socket);
	pool = rte_mempool_create_empty(name, cfg->nb_mbufs, element_size(cfg), cfg->cache,
					sizeof(struct pool_priv), cfg->socket, 0);
	if (pool == NULL)
		return NULL;
	ret = rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL);
	if (ret == 0) {
		rte_pktmbuf_pool_init(pool, &mbuf);
		ret = rte_mempool_populate_default(pool);
	}
	if (ret < 0) {
		rte_mempool_free(pool);
		rte_errno = -ret;
		return NULL;
	}
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	return pool;
}

int
pool_create(struct rte_mempool **out, const struct pool_config *cfg, struct err *err)
{
	struct rte_mempool *pool;
	struct pool_priv *priv;
	int ret;

	ret = check(cfg, err);
	if (ret < 0)
		return ret;
	pool = make_pool(cfg);
	if (pool == NULL && rte_errno == ENOMEM)
		return err_set(err, -ENOMEM,
			       "pool of node %d: no memory for %u mbufs, %" PRIu64
			       " bytes; give EAL more (-m, --socket-mem, hugepages), or shorten "
			       "rings",
			       cfg->socket, cfg->nb_mbufs, pool_bytes(cfg));
	if (pool == NULL)
		return err_set(err, -rte_errno, "pool of node %d: %s", cfg->socket,
			       rte_strerror(rte_errno));
	priv = rte_mempool_get_priv(pool);
	priv->socket = cfg->socket;
	priv->low_water = cfg->nb_mbufs;
	*out = pool;
	return 0;
}

void
pool_destroy(struct rte_mempool *pool)
{
	rte_mempool_free(pool);
}

void
pool_sample(struct rte_mempool *pool)
{
	struct pool_priv *priv = rte_mempool_get_priv(pool);
	uint32_t free = rte_mempool_avail_count(pool);

	if (free < priv->low_water)
		priv->low_water = free;
}

void
pool_info(struct rte_mempool *pool, struct pool_info *info)
{
	const struct pool_priv *priv = rte_mempool_get_priv(pool);

	pool_sample(pool);
	info->socket = priv->socket;
	info->size = pool->size;
	info->free = rte_mempool_avail_count(pool);
	info->low_water = priv->low_water;
	info->cache = pool->cache_size;
}

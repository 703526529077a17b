/* SPDX-License-Identifier: BSD-3-Clause */
#include "fib/fib.h"

#include "base/addr.h"
#include "fib/backend.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_mempool.h>
#include <rte_rib.h>
#include <rte_ring.h>

/* The first is the default. */
static const struct fib_backend *const backends[] = { &fib_dir24 };

static const struct fib_backend *
backend_find(const char *name)
{
	if (name == NULL)
		return backends[0];
	for (size_t i = 0; i < RTE_DIM(backends); i++) {
		if (strcmp(backends[i]->name, name) == 0)
			return backends[i];
	}
	return NULL;
}

static bool
config_ok(const struct fib_config *cfg)
{
	return backend_find(cfg->backend) != NULL && cfg->max_routes >= 1 &&
	       cfg->max_routes <= FIB_ROUTES_MAX && cfg->max_groups >= 1 &&
	       cfg->max_groups <= FIB_GROUPS_MAX;
}

/* n prefixes make a tree of at most 2n - 1 nodes: each fork that is no prefix itself joins two. */
static uint32_t
rib_nodes(const struct fib_config *cfg)
{
	return 2 * cfg->max_routes;
}

/* rte_rib keeps its nodes in a mempool of its own and does not say how large they are. */
#define RIB_NODE_BYTES 48

static uint64_t
rib_bytes(const struct fib_config *cfg)
{
	uint32_t node = rte_mempool_calc_obj_size(RIB_NODE_BYTES + sizeof(void *), 0, NULL);
	ssize_t ring = rte_ring_get_memsize(rte_align32pow2(rib_nodes(cfg) + 1));

	return (uint64_t)rib_nodes(cfg) * node + (ring > 0 ? (uint64_t)ring : 0);
}

uint64_t
fib_bytes(const struct fib_config *cfg)
{
	if (!config_ok(cfg))
		return 0;
	return sizeof(struct fib) + rib_bytes(cfg) + backend_find(cfg->backend)->bytes(cfg);
}

int
fib_create(struct fib **out, const struct fib_config *cfg)
{
	struct rte_rib_conf rib_conf = { .ext_sz = sizeof(void *) };
	char name[RTE_MEMPOOL_NAMESIZE];
	struct fib *fib;
	int ret;

	if (!config_ok(cfg) || cfg->rcu == NULL)
		return -EINVAL;

	fib = rte_zmalloc_socket("fib", sizeof(*fib), RTE_CACHE_LINE_SIZE, cfg->socket);
	if (fib == NULL)
		return -ENOMEM;
	fib->backend = backend_find(cfg->backend);
	fib->view.lookup = fib->backend->lookup;
	fib->max_routes = cfg->max_routes;
	fib->bytes = fib_bytes(cfg);

	/* rte_rib wants a name that no other has. */
	snprintf(name, sizeof(name), "fib%p", (void *)fib);
	rib_conf.max_nodes = (int)rib_nodes(cfg);
	fib->rib = rte_rib_create(name, cfg->socket, &rib_conf);
	if (fib->rib == NULL) {
		ret = -ENOMEM;
		goto err_free_fib;
	}

	ret = fib->backend->create(&fib->tables, cfg);
	if (ret < 0)
		goto err_free_rib;

	*out = fib;
	return 0;

err_free_rib:
	rte_rib_free(fib->rib);
err_free_fib:
	rte_free(fib);
	return ret;
}

void
fib_destroy(struct fib *fib)
{
	if (fib == NULL)
		return;
	fib->backend->destroy(fib->tables);
	rte_rib_free(fib->rib);
	rte_free(fib);
}

static bool
prefix_ok(uint32_t prefix, uint8_t depth)
{
	return depth <= 32 && (prefix & ~addr_mask(depth)) == 0;
}

static struct rte_rib_node *
node_exact(const struct fib *fib, uint32_t prefix, uint8_t depth)
{
	/* rte_rib would mask the host bits away. */
	return prefix_ok(prefix, depth) ? rte_rib_lookup_exact(fib->rib, prefix, depth) : NULL;
}

static void *
node_owner(struct rte_rib_node *node)
{
	return node == NULL ? NULL : *(void **)rte_rib_get_ext(node);
}

static uint16_t
node_id(const struct rte_rib_node *node)
{
	uint64_t id = FIB_ID_DEFAULT;

	if (node != NULL)
		rte_rib_get_nh(node, &id);
	return (uint16_t)id;
}

static void
node_set(struct rte_rib_node *node, uint16_t id, void *owner)
{
	rte_rib_set_nh(node, id);
	*(void **)rte_rib_get_ext(node) = owner;
}

/* Workers need not hear of a default route: what no prefix holds is FIB_ID_DEFAULT anyway. */
static int
show_workers(struct fib *fib, uint32_t prefix, uint8_t depth, uint16_t id)
{
	struct fib_range range = { .rib = fib->rib, .prefix = prefix, .depth = depth, .id = id };

	return depth == 0 ? 0 : fib->backend->set(fib->tables, &range);
}

static int
add_new(struct fib *fib, uint32_t prefix, uint8_t depth, uint16_t id, void *owner)
{
	struct rte_rib_node *node;
	int ret;

	if (fib->routes == fib->max_routes)
		return -ENOSPC;
	node = rte_rib_insert(fib->rib, prefix, depth);
	if (node == NULL)
		return -ENOSPC;
	node_set(node, id, owner);

	ret = show_workers(fib, prefix, depth, id);
	if (ret < 0) {
		rte_rib_remove(fib->rib, prefix, depth);
		return ret;
	}
	fib->routes++;
	fib->routes_by_depth[depth]++;
	return 0;
}

int
fib_add(struct fib *fib, uint32_t prefix, uint8_t depth, uint16_t id, void *owner)
{
	struct rte_rib_node *node;
	uint16_t old;

	if (!prefix_ok(prefix, depth) || id > FIB_ID_MAX || owner == NULL)
		return -EINVAL;
	if (depth == 0 && id != FIB_ID_DEFAULT)
		return -EINVAL;

	node = node_exact(fib, prefix, depth);
	if (node == NULL)
		return add_new(fib, prefix, depth, id, owner);

	old = node_id(node);
	node_set(node, id, owner);
	return id == old ? 0 : show_workers(fib, prefix, depth, id);
}

int
fib_del(struct fib *fib, uint32_t prefix, uint8_t depth)
{
	struct rte_rib_node *node = node_exact(fib, prefix, depth);
	uint16_t heir;

	if (node == NULL)
		return -ENOENT;
	heir = node_id(rte_rib_lookup_parent(node));
	rte_rib_remove(fib->rib, prefix, depth);
	fib->routes--;
	fib->routes_by_depth[depth]--;
	return show_workers(fib, prefix, depth, heir);
}

void *
fib_exact(const struct fib *fib, uint32_t prefix, uint8_t depth)
{
	return node_owner(node_exact(fib, prefix, depth));
}

void *
fib_match(const struct fib *fib, uint32_t ip)
{
	return node_owner(rte_rib_lookup(fib->rib, ip));
}

struct prefix {
	uint32_t ip;
	uint8_t depth;
};

static struct prefix
node_prefix(const struct rte_rib_node *node)
{
	struct prefix p;

	rte_rib_get_ip(node, &p.ip);
	rte_rib_get_depth(node, &p.depth);
	return p;
}

/* The first of the prefixes right below p, or the one that follows last. */
static struct rte_rib_node *
node_below(const struct fib *fib, struct prefix p, struct rte_rib_node *last)
{
	return rte_rib_get_nxt(fib->rib, p.ip, p.depth, last, RTE_RIB_GET_NXT_COVER);
}

/* What follows node in a walk of top: below it, else beside it, else beside one that holds it. */
static struct rte_rib_node *
walk_next(const struct fib *fib, struct prefix top, struct rte_rib_node *node)
{
	struct rte_rib_node *next = node_below(fib, node_prefix(node), NULL);

	while (next == NULL) {
		struct rte_rib_node *up = rte_rib_lookup_parent(node);

		if (up == NULL || node_prefix(up).depth <= top.depth)
			return node_below(fib, top, node);
		next = node_below(fib, node_prefix(up), node);
		node = up;
	}
	return next;
}

int
fib_walk(const struct fib *fib, uint32_t prefix, uint8_t depth, fib_walk_fn fn, void *arg)
{
	struct prefix top = { prefix, depth };
	struct rte_rib_node *node;

	if (!prefix_ok(prefix, depth))
		return -EINVAL;
	node = node_exact(fib, prefix, depth);
	if (node == NULL)
		node = node_below(fib, top, NULL);
	while (node != NULL) {
		struct prefix p = node_prefix(node);
		int ret = fn(p.ip, p.depth, node_id(node), node_owner(node), arg);

		if (ret != 0)
			return ret;
		if (p.depth == depth)
			node = node_below(fib, top, NULL);
		else
			node = walk_next(fib, top, node);
	}
	return 0;
}

void
fib_reclaim(struct fib *fib)
{
	fib->backend->reclaim(fib->tables);
}

void
fib_info(const struct fib *fib, struct fib_info *info)
{
	*info = (struct fib_info){
		.backend = fib->backend->name,
		.routes = fib->routes,
		.max_routes = fib->max_routes,
		.bytes = fib->bytes,
	};
	memcpy(info->routes_by_depth, fib->routes_by_depth, sizeof(info->routes_by_depth));
	fib->backend->info(fib->tables, info);
}

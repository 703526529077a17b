/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "fib/fib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * fib.h on a sorted array: slow, and right at a glance.  For tests of what uses a FIB.
 */
struct row {
	uint32_t prefix;
	uint8_t depth;
	uint16_t id;
	void *owner;
};

struct fib {
	struct fib_view view;
	struct fib_config cfg;
	uint32_t n;
	struct row row[];
};

static const struct row *
match(const struct fib *fib, uint32_t ip)
{
	const struct row *best = NULL;

	for (uint32_t i = 0; i < fib->n; i++) {
		const struct row *row = &fib->row[i];

		if ((ip & addr_mask(row->depth)) == row->prefix &&
		    (best == NULL || row->depth > best->depth))
			best = row;
	}
	return best;
}

static void
lookup(const struct fib_view *view, const uint32_t *dst, uint16_t *id, uint16_t n)
{
	const struct fib *fib = (const struct fib *)(const void *)view;

	for (uint16_t i = 0; i < n; i++) {
		const struct row *row = match(fib, dst[i]);

		id[i] = row == NULL ? FIB_ID_DEFAULT : row->id;
	}
}

int
fib_create(struct fib **out, const struct fib_config *cfg)
{
	struct fib *fib;

	if (cfg->max_routes == 0 || cfg->max_routes > 1u << 24 || cfg->max_groups == 0)
		return -EINVAL;
	fib = calloc(1, sizeof(*fib) + cfg->max_routes * sizeof(fib->row[0]));
	if (fib == NULL)
		return -ENOMEM;
	fib->view.lookup = lookup;
	fib->cfg = *cfg;
	*out = fib;
	return 0;
}

void
fib_destroy(struct fib *fib)
{
	free(fib);
}

/* The first row that is not before prefix/depth in walking order. */
static uint32_t
position(const struct fib *fib, uint32_t prefix, uint8_t depth)
{
	uint32_t i = 0;

	while (i < fib->n && (fib->row[i].prefix < prefix ||
			      (fib->row[i].prefix == prefix && fib->row[i].depth < depth)))
		i++;
	return i;
}

static const struct row *
exact(const struct fib *fib, uint32_t prefix, uint8_t depth)
{
	uint32_t i = position(fib, prefix, depth);

	if (i < fib->n && fib->row[i].prefix == prefix && fib->row[i].depth == depth)
		return &fib->row[i];
	return NULL;
}

static uint32_t
groups(const struct fib *fib, uint32_t extra)
{
	uint32_t n = 1, last = extra;

	for (uint32_t i = 0; i < fib->n; i++) {
		uint32_t slash24 = fib->row[i].prefix >> 8;

		if (fib->row[i].depth <= 24 || slash24 == last || slash24 == extra)
			continue;
		last = slash24;
		n++;
	}
	return n;
}

int
fib_add(struct fib *fib, uint32_t prefix, uint8_t depth, uint16_t id, void *owner)
{
	uint32_t i;

	if (depth > 32 || (prefix & ~addr_mask(depth)) != 0 || id > FIB_ID_MAX || owner == NULL)
		return -EINVAL;
	if (depth == 0 && id != FIB_ID_DEFAULT)
		return -EINVAL;
	i = position(fib, prefix, depth);
	if (exact(fib, prefix, depth) == NULL) {
		if (fib->n == fib->cfg.max_routes)
			return -ENOSPC;
		if (depth > 24 && groups(fib, prefix >> 8) > fib->cfg.max_groups)
			return -ENOSPC;
		memmove(&fib->row[i + 1], &fib->row[i], (fib->n - i) * sizeof(fib->row[0]));
		fib->n++;
	}
	fib->row[i] = (struct row){ .prefix = prefix, .depth = depth, .id = id, .owner = owner };
	return 0;
}

int
fib_del(struct fib *fib, uint32_t prefix, uint8_t depth)
{
	const struct row *row = exact(fib, prefix, depth);
	uint32_t i = position(fib, prefix, depth);

	if (row == NULL)
		return -ENOENT;
	fib->n--;
	memmove(&fib->row[i], &fib->row[i + 1], (fib->n - i) * sizeof(fib->row[0]));
	return 0;
}

void *
fib_exact(const struct fib *fib, uint32_t prefix, uint8_t depth)
{
	const struct row *row = exact(fib, prefix, depth);

	return row == NULL ? NULL : row->owner;
}

void *
fib_match(const struct fib *fib, uint32_t ip)
{
	const struct row *row = match(fib, ip);

	return row == NULL ? NULL : row->owner;
}

int
fib_walk(const struct fib *fib, uint32_t prefix, uint8_t depth, fib_walk_fn fn, void *arg)
{
	int ret = 0;

	for (uint32_t i = 0; i < fib->n && ret == 0; i++) {
		const struct row *row = &fib->row[i];

		if (row->depth >= depth && (row->prefix & addr_mask(depth)) == prefix)
			ret = fn(row->prefix, row->depth, row->id, row->owner, arg);
	}
	return ret;
}

void
fib_reclaim(struct fib *fib)
{
	(void)fib;
}

void
fib_info(const struct fib *fib, struct fib_info *info)
{
	memset(info, 0, sizeof(*info));
	info->backend = "standin";
	info->routes = fib->n;
	info->max_routes = fib->cfg.max_routes;
	info->max_groups = fib->cfg.max_groups;
}

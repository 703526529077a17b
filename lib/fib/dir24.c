/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/atomics.h"
#include "fib/backend.h"
#include "fib/dir24_fast.h"

#include <errno.h>
#include <stdbool.h>

#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>

/* A group that no entry names any more, but that a worker may still be reading. */
struct retired {
	uint64_t token; /* of the grace period that began after the entry was gone */
	uint16_t group;
};

struct dir24 {
	struct dir24_tables t; /* first: the lookup's view */

	struct rte_rcu_qsbr *rcu __rte_cache_aligned;
	uint32_t max_groups;
	uint32_t nb_free;
	uint32_t nb_retired;
	uint32_t oldest;         /* index into retired */
	uint16_t *free_groups;   /* a stack of max_groups */
	struct retired *retired; /* a queue of max_groups, tokens ascending */
};

/* Addresses from first up to, not including, end: 64 bits, as end may be 2^32. */
struct span {
	uint64_t first, end;
};

static struct span
span_of(uint32_t prefix, uint8_t depth)
{
	return (struct span){ prefix, prefix + (UINT64_C(1) << (32 - depth)) };
}

static uint16_t *
group_of(const struct dir24 *d, uint16_t entry)
{
	return &d->t.tbl8[(entry & ~DIR24_GROUP) * DIR24_GROUP_SIZE];
}

/*
 * The one way an entry changes while workers read it: a single store of the final value.  Release,
 * because the id may be new and its adjacency was written just before; free on x86.
 */
static void
fill(uint16_t *entry, uint64_t n, uint16_t value)
{
	for (uint64_t i = 0; i < n; i++)
		atomic_release(&entry[i], value);
}

/* A span within one /24 that has a group. */
static void
fill_part(struct dir24 *d, struct span s, uint16_t id)
{
	uint16_t *group = group_of(d, d->t.tbl24[s.first >> 8]);

	fill(&group[s.first & 0xff], s.end - s.first, id);
}

/*
 * A span that no longer prefix holds.  A whole /24 in it has no group; a part of a /24 has one, for
 * what cuts it off is longer than /24.
 */
static void
fill_span(struct dir24 *d, struct span s, uint16_t id)
{
	uint64_t first24 = (s.first + 0xff) >> 8, end24 = s.end >> 8;

	if (s.first >= s.end)
		return;
	if (first24 > end24) { /* begins and ends inside one /24 */
		fill_part(d, s, id);
		return;
	}
	if ((s.first & 0xff) != 0)
		fill_part(d, (struct span){ s.first, first24 << 8 }, id);
	fill(&d->t.tbl24[first24], end24 - first24, id);
	if ((s.end & 0xff) != 0)
		fill_part(d, (struct span){ end24 << 8, s.end }, id);
}

/* Write what lies between the longer prefixes, which come in ascending order. */
static void
fill_range(struct dir24 *d, const struct fib_range *r)
{
	struct span whole = span_of(r->prefix, r->depth);
	struct rte_rib_node *longer = NULL;
	uint64_t at = whole.first;

	for (;;) {
		struct span hole;
		uint32_t prefix;
		uint8_t depth;

		longer =
			rte_rib_get_nxt(r->rib, r->prefix, r->depth, longer, RTE_RIB_GET_NXT_COVER);
		if (longer == NULL)
			break;
		rte_rib_get_ip(longer, &prefix);
		rte_rib_get_depth(longer, &depth);
		hole = span_of(prefix, depth);
		fill_span(d, (struct span){ at, hole.first }, r->id);
		at = hole.end;
	}
	fill_span(d, (struct span){ at, whole.end }, r->id);
}

static void
dir24_reclaim(void *tables)
{
	struct dir24 *d = tables;

	while (d->nb_retired > 0 &&
	       rte_rcu_qsbr_check(d->rcu, d->retired[d->oldest].token, false) == 1) {
		d->free_groups[d->nb_free++] = d->retired[d->oldest].group;
		d->oldest = (d->oldest + 1) % d->max_groups;
		d->nb_retired--;
	}
}

static void
group_retire(struct dir24 *d, uint16_t group)
{
	struct retired *last = &d->retired[(d->oldest + d->nb_retired) % d->max_groups];

	last->token = rte_rcu_qsbr_start(d->rcu);
	last->group = group;
	d->nb_retired++;
}

/* The first prefix longer than /24 within a /24: its group is complete before anyone can see it. */
static int
group_open(struct dir24 *d, const struct fib_range *r)
{
	uint16_t *entry = &d->t.tbl24[r->prefix >> 8], group;

	if (d->nb_free == 0)
		dir24_reclaim(d);
	if (d->nb_free == 0)
		return d->nb_retired > 0 ? -EAGAIN : -ENOSPC;

	group = d->free_groups[--d->nb_free];
	fill(group_of(d, group), DIR24_GROUP_SIZE, *entry);
	fill(&group_of(d, group)[r->prefix & 0xff], UINT64_C(1) << (32 - r->depth), r->id);
	atomic_release(entry, (uint16_t)(DIR24_GROUP | group));
	return 0;
}

/*
 * The last prefix longer than /24 is gone, so all of the /24 is r->id's.  The group stays as it
 * was, for workers that have read the entry but not yet the group.
 */
static void
group_close(struct dir24 *d, const struct fib_range *r)
{
	uint16_t *entry = &d->t.tbl24[r->prefix >> 8], old = *entry;

	atomic_release(entry, r->id);
	group_retire(d, (uint16_t)(old & ~DIR24_GROUP));
}

static int
dir24_set(void *tables, const struct fib_range *r)
{
	struct dir24 *d = tables;

	if (r->depth > 24) {
		uint32_t slash24 = r->prefix & ~UINT32_C(0xff);

		if ((d->t.tbl24[r->prefix >> 8] & DIR24_GROUP) == 0)
			return group_open(d, r);
		if (rte_rib_get_nxt(r->rib, slash24, 24, NULL, RTE_RIB_GET_NXT_COVER) == NULL) {
			group_close(d, r);
			return 0;
		}
	}
	fill_range(d, r);
	return 0;
}

static uint64_t
dir24_bytes(const struct fib_config *cfg)
{
	uint64_t group =
		DIR24_GROUP_SIZE * sizeof(uint16_t) + sizeof(uint16_t) + sizeof(struct retired);

	return sizeof(struct dir24) + DIR24_SLOTS * sizeof(uint16_t) + cfg->max_groups * group;
}

static void
dir24_destroy(void *tables)
{
	struct dir24 *d = tables;

	rte_free(d->retired);
	rte_free(d->free_groups);
	rte_free(d->t.tbl8);
	rte_free(d->t.tbl24);
	rte_free(d);
}

static void *
table(size_t bytes, int socket)
{
	return rte_zmalloc_socket("fib_dir24", bytes, RTE_CACHE_LINE_SIZE, socket);
}

static int
dir24_create(void **tables, const struct fib_config *cfg)
{
	struct dir24 *d = table(sizeof(*d), cfg->socket);

	if (d == NULL)
		return -ENOMEM;
	d->rcu = cfg->rcu;
	d->max_groups = cfg->max_groups;
	d->t.tbl24 = table(DIR24_SLOTS * sizeof(uint16_t), cfg->socket);
	d->t.tbl8 =
		table((size_t)cfg->max_groups * DIR24_GROUP_SIZE * sizeof(uint16_t), cfg->socket);
	d->free_groups = table(cfg->max_groups * sizeof(*d->free_groups), cfg->socket);
	d->retired = table(cfg->max_groups * sizeof(*d->retired), cfg->socket);
	if (d->t.tbl24 == NULL || d->t.tbl8 == NULL || d->free_groups == NULL ||
	    d->retired == NULL) {
		dir24_destroy(d);
		return -ENOMEM;
	}

	/* Lowest on top: tbl8[0], which every lookup may touch, is used first. */
	while (d->nb_free < d->max_groups) {
		d->free_groups[d->nb_free] = (uint16_t)(d->max_groups - 1 - d->nb_free);
		d->nb_free++;
	}
	*tables = d;
	return 0;
}

static void
dir24_info(const void *tables, struct fib_info *info)
{
	const struct dir24 *d = tables;

	info->max_groups = d->max_groups;
	info->groups_retired = d->nb_retired;
	info->groups_used = d->max_groups - d->nb_free - d->nb_retired;
}

_Static_assert(FIB_ID_DEFAULT == 0, "zeroed tables answer the default route");
_Static_assert(FIB_ID_MAX < DIR24_GROUP && FIB_GROUPS_MAX <= DIR24_GROUP, "both fit an entry");

const struct fib_backend fib_dir24 = {
	.name = "dir24",
	.lookup = dir24_lookup,
	.create = dir24_create,
	.destroy = dir24_destroy,
	.bytes = dir24_bytes,
	.set = dir24_set,
	.reclaim = dir24_reclaim,
	.info = dir24_info,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIB_BACKEND_H
#define FIB_BACKEND_H

#include "fib/fib.h"

#include <stdint.h>

#include <rte_common.h>
#include <rte_rib.h>

/*
 * What a lookup structure fills in to be one of fib.c's choices; see docs/adding.md.  fib.c has
 * checked every argument, keeps the RIB and the counts, and never hands depth 0 down: addresses
 * that no prefix holds are FIB_ID_DEFAULT, with or without a default route.
 */
struct fib_range {
	struct rte_rib *rib; /* with the change in it already; the backend reads only */
	uint32_t prefix;
	uint8_t depth; /* 1..32 */
	uint16_t id;   /* what the addresses of prefix/depth answer that no longer prefix holds */
};

struct fib_backend {
	const char *name;

	/* Worker code.  Finds its data in ((const struct fib *)view)->tables. */
	void (*lookup)(const struct fib_view *view, const uint32_t *dst, uint16_t *id, uint16_t n);

	/* All addresses answer FIB_ID_DEFAULT.  0 or -ENOMEM. */
	int (*create)(void **tables, const struct fib_config *cfg);
	void (*destroy)(void *tables);
	uint64_t (*bytes)(const struct fib_config *cfg);

	/*
	 * Carry one added, replaced or deleted prefix to the workers, each address in one step from
	 * its old id to its new one.  Fails only for an added prefix, with -ENOSPC or -EAGAIN as in
	 * fib.h, and then has changed nothing.
	 */
	int (*set)(void *tables, const struct fib_range *range);

	void (*reclaim)(void *tables);
	void (*info)(const void *tables, struct fib_info *info); /* groups_* and max_groups */
};

extern const struct fib_backend fib_dir24;

struct fib {
	/* Workers read these two and nobody writes them again: a line of their own. */
	struct fib_view view;
	void *tables;

	const struct fib_backend *backend __rte_cache_aligned;
	struct rte_rib *rib;
	uint64_t bytes;
	uint32_t routes, max_routes;
	uint32_t routes_by_depth[33];
};

#endif

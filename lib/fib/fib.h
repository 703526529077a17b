/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIB_FIB_H
#define FIB_FIB_H

#include "fib/fib_fast.h"

#include <stdint.h>

struct fib;
struct rte_rcu_qsbr;

/*
 * IPv4 longest-prefix match: address -> next-hop id (an index into the adjacency table).  The
 * control side is the one RIB of the router: every prefix carries its owner's pointer too.
 *
 * Units:   addresses and prefixes are host byte order; depth is 0..32 bits.
 * Threads: one control thread calls what is here; workers see fib_fast.h only.
 */
#define FIB_ID_MAX     32767 /* two-byte entries, one bit of them says "group" */
#define FIB_ROUTES_MAX (1u << 24)
#define FIB_GROUPS_MAX 32767u

struct fib_config {
	const char *backend;      /* "dir24"; NULL takes the default */
	uint32_t max_routes;      /* prefixes of all depths, 1..16M */
	uint32_t max_groups;      /* /24s that may hold prefixes longer than /24, 1..32767 */
	int socket;               /* NUMA node, or SOCKET_ID_ANY */
	struct rte_rcu_qsbr *rcu; /* borrowed; must outlive the table */
};

/*
 * Create an empty table.  On success the caller owns *out and releases it with fib_destroy(); on
 * failure *out is left as it was.
 *
 * Returns 0, -EINVAL (unknown backend, a capacity out of range, no rcu) or -ENOMEM.
 */
int fib_create(struct fib **out, const struct fib_config *cfg);

/* Free a table that no worker reads any more.  NULL is fine. */
void fib_destroy(struct fib *fib);

/* Bytes that fib_create() would take, for the memory plan; 0 for what it would refuse. */
uint64_t fib_bytes(const struct fib_config *cfg);

/*
 * Add a prefix, or change where an existing one points and who owns it.  For each address a worker
 * sees the old answer or the new one, never anything else.  Depth 0 must point at FIB_ID_DEFAULT:
 * the default route is changed in the adjacency table, with one store.
 *
 * owner must not be NULL; the table never follows it.
 *
 * Returns 0; -EINVAL (depth > 32, host bits set, id out of range, NULL owner); -ENOSPC when
 * max_routes or max_groups is reached; -EAGAIN when groups are free only after workers passed a
 * quiescent point.  On error the table is unchanged.
 */
int fib_add(struct fib *fib, uint32_t prefix, uint8_t depth, uint16_t id, void *owner);

/* Remove a prefix; its addresses fall to the next shorter one.  0 or -ENOENT. */
int fib_del(struct fib *fib, uint32_t prefix, uint8_t depth);

/* The owner of exactly this prefix, or NULL; and of the longest prefix that holds ip, or NULL. */
void *fib_exact(const struct fib *fib, uint32_t prefix, uint8_t depth);
void *fib_match(const struct fib *fib, uint32_t ip);

/*
 * Walk all prefixes within prefix/depth, itself included, in the order of the RIB's tree (by
 * address, shorter first).  fn returns 0 to go on; anything else ends the walk and is returned.
 * fn must not change the table.  -EINVAL: depth > 32 or host bits set.
 */
typedef int (*fib_walk_fn)(uint32_t prefix, uint8_t depth, uint16_t id, void *owner, void *arg);
int fib_walk(const struct fib *fib, uint32_t prefix, uint8_t depth, fib_walk_fn fn, void *arg);

/* Give groups whose grace period is over back; called by the control thread's timer. */
void fib_reclaim(struct fib *fib);

struct fib_info {
	const char *backend;
	uint32_t routes, max_routes;
	uint32_t routes_by_depth[33];
	uint32_t groups_used, groups_retired, max_groups;
	uint64_t bytes;
};
void fib_info(const struct fib *fib, struct fib_info *info);

#endif

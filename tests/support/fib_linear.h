/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_FIB_LINEAR_H
#define TEST_FIB_LINEAR_H

#include "base/addr.h"
#include "support/cmocka.h"

#include <stdbool.h>

/*
 * Longest-prefix match that is obviously right: a sorted list, read from end to end.  The oracle
 * for every lookup structure.
 */
struct linear_route {
	uint32_t prefix;
	uint8_t depth;
	uint16_t id;
	void *owner;
};

struct linear {
	unsigned int n, max;
	struct linear_route *route; /* by address, shorter first */
};

static inline void
linear_init(struct linear *l, unsigned int max)
{
	l->n = 0;
	l->max = max;
	l->route = calloc(max, sizeof(*l->route));
	assert_non_null(l->route);
}

static inline void
linear_fini(struct linear *l)
{
	free(l->route);
}

static inline bool
linear_holds(const struct linear_route *r, uint32_t ip)
{
	return (ip & addr_mask(r->depth)) == r->prefix;
}

static inline struct linear_route *
linear_exact(const struct linear *l, uint32_t prefix, uint8_t depth)
{
	for (unsigned int i = 0; i < l->n; i++) {
		if (l->route[i].prefix == prefix && l->route[i].depth == depth)
			return &l->route[i];
	}
	return NULL;
}

/* The longest prefix that holds ip, or NULL. */
static inline const struct linear_route *
linear_match(const struct linear *l, uint32_t ip)
{
	const struct linear_route *best = NULL;

	for (unsigned int i = 0; i < l->n; i++) {
		const struct linear_route *r = &l->route[i];

		if (linear_holds(r, ip) && (best == NULL || r->depth > best->depth))
			best = r;
	}
	return best;
}

static inline void
linear_add(struct linear *l, uint32_t prefix, uint8_t depth, uint16_t id, void *owner)
{
	struct linear_route *r = linear_exact(l, prefix, depth);
	unsigned int at = 0;

	if (r == NULL) {
		assert_true(l->n < l->max);
		while (at < l->n && (l->route[at].prefix < prefix ||
				     (l->route[at].prefix == prefix && l->route[at].depth < depth)))
			at++;
		r = &l->route[at];
		memmove(r + 1, r, (l->n - at) * sizeof(*r));
		l->n++;
	}
	*r = (struct linear_route){ prefix, depth, id, owner };
}

static inline bool
linear_del(struct linear *l, uint32_t prefix, uint8_t depth)
{
	struct linear_route *r = linear_exact(l, prefix, depth);

	if (r == NULL)
		return false;
	l->n--;
	memmove(r, r + 1, (size_t)(&l->route[l->n] - r) * sizeof(*r));
	return true;
}

/* The /24s that hold prefixes longer than /24; the list is sorted, so each comes in one run. */
static inline unsigned int
linear_groups(const struct linear *l)
{
	unsigned int groups = 0;
	uint32_t last = UINT32_MAX;

	for (unsigned int i = 0; i < l->n; i++) {
		if (l->route[i].depth > 24 && l->route[i].prefix >> 8 != last) {
			last = l->route[i].prefix >> 8;
			groups++;
		}
	}
	return groups;
}

#endif

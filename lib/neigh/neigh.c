/* SPDX-License-Identifier: BSD-3-Clause */
#include "neigh/neigh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#define BUCKETS_MIN 64u
#define BUCKETS_MAX 65536u

struct neigh_table {
	neigh_changed_fn changed;
	void *arg;
	uint32_t max, count;
	uint32_t mask;
	struct neigh *bucket[];
};

int
neigh_create(struct neigh_table **out, uint32_t max, neigh_changed_fn changed, void *arg)
{
	uint32_t buckets;
	struct neigh_table *t;

	if (max == 0 || changed == NULL)
		return -EINVAL;
	buckets = rte_align32pow2(RTE_MIN(RTE_MAX(max, BUCKETS_MIN), BUCKETS_MAX));
	t = calloc(1, sizeof(*t) + buckets * sizeof(t->bucket[0]));
	if (t == NULL)
		return -ENOMEM;
	t->changed = changed;
	t->arg = arg;
	t->max = max;
	t->mask = buckets - 1;
	*out = t;
	return 0;
}

void
neigh_destroy(struct neigh_table *t)
{
	if (t == NULL)
		return;
	for (uint32_t i = 0; i <= t->mask; i++) {
		while (t->bucket[i] != NULL) {
			struct neigh *n = t->bucket[i];

			t->bucket[i] = n->next;
			free(n);
		}
	}
	free(t);
}

/* Neighbours are often one dense network: the multiplication spreads neighbouring addresses. */
static uint32_t
bucket_of(const struct neigh_table *t, uint16_t port, uint32_t ip)
{
	return ((ip ^ (uint32_t)port << 24) * 0x9e3779b1u >> 16) & t->mask;
}

struct neigh *
neigh_find(const struct neigh_table *t, uint16_t port, uint32_t ip)
{
	struct neigh *n = t->bucket[bucket_of(t, port, ip)];

	while (n != NULL && (n->ip != ip || n->port != port))
		n = n->next;
	return n;
}

struct neigh *
neigh_get(struct neigh_table *t, uint16_t port, uint32_t ip)
{
	struct neigh *n = neigh_find(t, port, ip);
	struct neigh **head;

	if (n != NULL || t->count >= t->max)
		return n;
	n = calloc(1, sizeof(*n));
	if (n == NULL)
		return NULL;
	n->ip = ip;
	n->port = port;
	n->state = NEIGH_IDLE;
	head = &t->bucket[bucket_of(t, port, ip)];
	n->next = *head;
	*head = n;
	t->count++;
	return n;
}

void
neigh_remove(struct neigh_table *t, struct neigh *n)
{
	struct neigh **link;

	if (n->refs > 0 || n->hold != NULL)
		return;
	/* The listener takes back what it derived from the MAC. */
	neigh_set(t, n, NEIGH_IDLE, NULL);
	link = &t->bucket[bucket_of(t, n->port, n->ip)];
	while (*link != n)
		link = &(*link)->next;
	*link = n->next;
	t->count--;
	free(n);
}

void
neigh_set(struct neigh_table *t, struct neigh *n, enum neigh_state state,
	  const struct rte_ether_addr *mac)
{
	struct rte_ether_addr old_mac = n->mac;

	n->state = (uint8_t)state;
	if (mac != NULL)
		n->mac = *mac;
	if (!neigh_has_mac(n))
		memset(&n->mac, 0, sizeof(n->mac));
	/* No MAC is the zero MAC, so this is also when one came or went. */
	if (!rte_is_same_ether_addr(&old_mac, &n->mac))
		t->changed(n, t->arg);
}

int
neigh_walk(struct neigh_table *t, neigh_walk_fn fn, void *arg)
{
	for (uint32_t i = 0; i <= t->mask; i++) {
		struct neigh *next;

		for (struct neigh *n = t->bucket[i]; n != NULL; n = next) {
			int ret;

			next = n->next;
			ret = fn(n, arg);
			if (ret != 0)
				return ret;
		}
	}
	return 0;
}

uint32_t
neigh_count(const struct neigh_table *t)
{
	return t->count;
}

const char *
neigh_state_name(enum neigh_state state)
{
	static const char *const name[] = {
		[NEIGH_IDLE] = "idle",           [NEIGH_INCOMPLETE] = "incomplete",
		[NEIGH_REACHABLE] = "reachable", [NEIGH_PROBE] = "probe",
		[NEIGH_FAILED] = "failed",       [NEIGH_STATIC] = "static",
	};

	return (unsigned int)state < RTE_DIM(name) ? name[state] : "unknown";
}

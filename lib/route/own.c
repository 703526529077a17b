/* SPDX-License-Identifier: BSD-3-Clause */
#include "route/route_internal.h"

#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>

/* In front of every table: what is needed to free it later without allocating then. */
struct own_head {
	struct own_head *next;
	uint64_t token;
} __rte_cache_aligned;

static int
by_ip(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void
put(struct own_table *t, uint32_t ip)
{
	uint32_t h = own_hash(ip);

	t->ip[t->n++] = ip;
	t->filter[h / 64] |= 1ull << (h % 64);
}

/* The router's addresses with one more or one less; NULL when there is no memory. */
struct own_table *
own_build(const struct router *r, const struct router_addr *more, const struct router_addr *less)
{
	struct own_head *head;
	struct own_table *t;

	head = rte_zmalloc_socket("own",
				  sizeof(*head) + sizeof(*t) + (r->nb_addrs + 1) * sizeof(t->ip[0]),
				  RTE_CACHE_LINE_SIZE, r->socket);
	if (head == NULL)
		return NULL;
	t = (struct own_table *)(void *)(head + 1);
	for (uint32_t i = 0; i < r->nb_addrs; i++)
		if (less == NULL || r->addr[i].ip != less->ip)
			put(t, r->addr[i].ip);
	if (more != NULL)
		put(t, more->ip);
	qsort(t->ip, t->n, sizeof(t->ip[0]), by_ip);
	return t;
}

static struct own_head *
head_of(const struct own_table *t)
{
	return (struct own_head *)(uintptr_t)t - 1;
}

void
own_free(struct own_table *t)
{
	if (t != NULL)
		rte_free(head_of(t));
}

/* Takes t over; the table it replaces goes when no worker can hold it any more. */
void
own_publish(struct router *r, struct own_table *t)
{
	const struct own_table *old = r->view.own;
	struct own_head *head;

	atomic_release(&r->view.own, t);
	if (old == NULL)
		return;
	head = head_of(old);
	head->token = rte_rcu_qsbr_start(r->rcu);
	head->next = r->own_retired;
	r->own_retired = head;
}

void
own_reclaim(struct router *r, bool all)
{
	struct own_head **link = &r->own_retired;

	while (*link != NULL) {
		struct own_head *head = *link;

		if (!all && rte_rcu_qsbr_check(r->rcu, head->token, false) != 1) {
			link = &head->next;
			continue;
		}
		*link = head->next;
		rte_free(head);
	}
}

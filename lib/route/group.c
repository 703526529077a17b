/* SPDX-License-Identifier: BSD-3-Clause */
#include "route/route_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct hop_group **
bucket(struct router *r, const struct group_leg *leg, uint8_t n)
{
	uint32_t h = n;

	for (uint8_t i = 0; i < n; i++)
		h = (h ^ leg[i].hop->adj ^ (uint32_t)leg[i].weight << 16) * 0x9e3779b1u;
	return &r->group[(h >> 16) % GROUP_BUCKETS];
}

/* The first active next hop; without one the first, whose adjacency says "no route". */
struct nexthop *
group_select(const struct hop_group *g)
{
	for (uint8_t i = 0; i < g->nb_legs; i++)
		if (g->leg[i].hop->port != ROUTE_PORT_ANY)
			return g->leg[i].hop;
	return g->leg[0].hop;
}

static void
publish(struct router *r, const struct hop_group *g)
{
	const struct nexthop *hop = group_select(g);
	struct adj adj = hop_adj(r, hop->port, hop->neigh);

	hop_write(r, g->adj, &adj);
}

static bool
same_legs(const struct hop_group *g, const struct group_leg *leg, uint8_t n)
{
	if (g->nb_legs != n)
		return false;
	for (uint8_t i = 0; i < n; i++)
		if (g->leg[i].hop != leg[i].hop || g->leg[i].weight != leg[i].weight)
			return false;
	return true;
}

/* Takes the references to the legs' next hops over, unless it fails. */
static int
find_or_make(struct router *r, const struct group_leg *leg, uint8_t n, struct hop_group **out,
	     struct err *err)
{
	struct hop_group **head = bucket(r, leg, n), *g;
	int id = leg[0].hop->adj;

	for (g = *head; g != NULL && !same_legs(g, leg, n); g = g->next)
		;
	if (g != NULL) {
		for (uint8_t i = 0; i < n; i++)
			nexthop_put(r, leg[i].hop);
		g->refs++;
		*out = g;
		return 0;
	}
	g = calloc(1, sizeof(*g) + n * sizeof(g->leg[0]));
	if (g == NULL)
		return err_set(err, -ENOMEM, "no memory for another set of next hops");
	if (n > 1)
		id = hop_alloc(r, err);
	if (id < 0) {
		free(g);
		return id;
	}
	g->refs = 1;
	g->adj = (uint16_t)id;
	g->nb_legs = n;
	memcpy(g->leg, leg, n * sizeof(g->leg[0]));
	g->next = *head;
	*head = g;
	if (n > 1)
		publish(r, g);
	*out = g;
	return 0;
}

int
group_get(struct router *r, const struct route_spec *spec, struct hop_group **out, struct err *err)
{
	struct group_leg leg[ROUTE_NH_MAX];
	uint8_t n = 0;
	int ret;

	for (; n < spec->nb_nh; n++) {
		const struct route_nh *nh = &spec->nh[n];

		ret = nexthop_get(r, nh->ip, nh->port, &leg[n].hop, err);
		if (ret < 0)
			goto err_put_legs;
		leg[n].weight = nh->weight;
	}
	ret = find_or_make(r, leg, n, out, err);
	if (ret == 0)
		return 0;

err_put_legs:
	while (n-- > 0)
		nexthop_put(r, leg[n].hop);
	return ret;
}

/* No prefix of the FIB may point at its id any more when the last reference goes. */
void
group_put(struct router *r, struct hop_group *g)
{
	struct hop_group **link;

	if (--g->refs > 0)
		return;
	link = bucket(r, g->leg, g->nb_legs);
	while (*link != g)
		link = &(*link)->next;
	*link = g->next;
	if (g->nb_legs > 1)
		adj_free(r->adjs, g->adj);
	for (uint8_t i = 0; i < g->nb_legs; i++)
		nexthop_put(r, g->leg[i].hop);
	free(g);
}

/* Some next hop changed: those that have a choice say where they go now, in one store each. */
void
group_follow(struct router *r)
{
	for (uint32_t i = 0; i < GROUP_BUCKETS; i++)
		for (const struct hop_group *g = r->group[i]; g != NULL; g = g->next)
			if (g->nb_legs > 1)
				publish(r, g);
}

void
group_free_all(struct router *r)
{
	for (uint32_t i = 0; i < GROUP_BUCKETS; i++) {
		while (r->group[i] != NULL) {
			struct hop_group *g = r->group[i];

			r->group[i] = g->next;
			free(g);
		}
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_STAGE_H
#define TEST_STAGE_H

#include "datapath/core.h"
#include "fib/fib_fast.h"
#include "neigh/adj_fast.h"
#include "support/frame.h"

/*
 * A core around which stages can be called one by one, without EAL.  The table behind it:
 *   10/8           -> FORWARD by port 1, MTU 1500
 *   10.9/16        -> FORWARD by port 2, MTU 1500
 *   10.99/16       -> FORWARD by port 1, MTU 100
 *   192.0.2/24     -> connected, RESOLVE on port 1; .0 and .255 BAD_DESTINATION
 *   203.0.113/24   -> FORWARD by port 1 (the usual destination)
 *   198.51.100.254 -> LOCAL; and it is in the table of own addresses
 *   172.16/12      -> BLACKHOLE
 *   else           -> NO_ROUTE
 */
enum { ID_P1 = ADJ_ID_FREE, ID_P2, ID_SMALL, ID_GLEAN, ID_MAX };

#define STAGE_OWN IP4(198, 51, 100, 254)

struct stage_env {
	struct fib_view fib;
	struct adj adj[ID_MAX];
	struct own_table *own;
	struct router_view view;
	struct core *core;
	struct core_rxq rxq;
};

static void
stage_lookup(const struct fib_view *view, const uint32_t *dst, uint16_t *id, uint16_t n)
{
	(void)view;
	for (uint16_t i = 0; i < n; i++) {
		uint32_t d = dst[i];

		id[i] = ADJ_ID_DEFAULT;
		if (d >> 24 == 10)
			id[i] = (d >> 16 & 255) == 9    ? ID_P2
				: (d >> 16 & 255) == 99 ? ID_SMALL
							: ID_P1;
		if (d >> 8 == IP4(0, 192, 0, 2))
			id[i] = (d & 255) == 0 || (d & 255) == 255 ? ADJ_ID_BAD_DESTINATION
								   : ID_GLEAN;
		if (d >> 8 == IP4(0, 203, 0, 113))
			id[i] = ID_P1;
		if (d == STAGE_OWN)
			id[i] = ADJ_ID_LOCAL;
		if (d >> 20 == IP4(172, 16, 0, 0) >> 20)
			id[i] = ADJ_ID_BLACKHOLE;
	}
}

static inline struct adj
stage_adj(uint8_t port, uint16_t mtu)
{
	return (struct adj){
		.dst = { 0x02, 0xaa, 0, 0, 0, port },
		.src = { 0x02, 0xbb, 0, 0, 0, port },
		.mtu = mtu,
		.port = port,
		.kind = ADJ_FORWARD,
	};
}

static inline struct stage_env *
stage_env_new(void)
{
	static const uint8_t ours[6] = FRAME_MAC_OURS;
	struct stage_env *e = aligned_alloc(64, RTE_CACHE_LINE_ROUNDUP(sizeof(*e)));
	uint32_t h = own_hash(STAGE_OWN);

	assert_non_null(e);
	memset(e, 0, sizeof(*e));
	e->core = aligned_alloc(64, sizeof(*e->core));
	e->own = calloc(1, sizeof(*e->own) + sizeof(uint32_t));
	assert_non_null(e->core);
	assert_non_null(e->own);
	memset(e->core, 0, sizeof(*e->core));
	e->core->stats = aligned_alloc(64, sizeof(*e->core->stats));
	assert_non_null(e->core->stats);
	memset(e->core->stats, 0, sizeof(*e->core->stats));

	e->fib.lookup = stage_lookup;
	e->adj[ADJ_ID_LOCAL].kind = ADJ_LOCAL;
	e->adj[ADJ_ID_BAD_DESTINATION].kind = ADJ_BAD_DESTINATION;
	e->adj[ADJ_ID_BLACKHOLE].kind = ADJ_BLACKHOLE;
	e->adj[ID_P1] = stage_adj(1, 1500);
	e->adj[ID_P2] = stage_adj(2, 1500);
	e->adj[ID_SMALL] = stage_adj(1, 100);
	e->adj[ID_GLEAN] = (struct adj){ .port = 1, .kind = ADJ_RESOLVE };
	e->own->filter[h / 64] |= 1ull << (h % 64);
	e->own->n = 1;
	e->own->ip[0] = STAGE_OWN;
	e->view = (struct router_view){ (const struct fib *)(const void *)&e->fib, e->adj, e->own };

	e->rxq.stream = &e->core->stats->stream[0];
	e->core->view = &e->view;
	e->core->own = e->own;
	e->core->prefetch = 4;
	memcpy(&e->core->port[0].mac, ours, 6);
	return e;
}

static inline void
stage_env_free(struct stage_env *e)
{
	free(e->core->stats);
	free(e->core);
	free(e->own);
	free(e);
}

/* A bundle of n packets that came in on port 0. */
static inline struct bundle *
stage_bundle(struct stage_env *e, struct rte_mbuf **pkt, uint16_t n)
{
	struct bundle *b = &e->core->b;

	b->n = n;
	b->port = 0;
	b->pkt = pkt;
	b->rxq = &e->rxq;
	return b;
}

/* classify, ip4, rewrite. */
static inline void
stage_run(struct stage_env *e, struct bundle *b)
{
	stage_classify(e->core, b);
	stage_ip4(e->core, b);
	stage_rewrite(e->core, b);
}

#endif

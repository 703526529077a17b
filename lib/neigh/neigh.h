/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NEIGH_NEIGH_H
#define NEIGH_NEIGH_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

/*
 * The neighbour table: (port, IPv4 address) -> MAC and state.  State only: packets and ARP frames
 * are lib/slow's, adjacencies lib/route's.  One control thread.
 */
enum neigh_state {
	NEIGH_IDLE = 0,   /* a route points here; nobody has asked yet */
	NEIGH_INCOMPLETE, /* asked, no answer yet */
	NEIGH_REACHABLE,
	NEIGH_PROBE,  /* reachable, being asked again before it expires */
	NEIGH_FAILED, /* three requests without an answer */
	NEIGH_STATIC, /* "neigh add": never asked, never learnt over, never expires */
};

struct hold;
struct neigh_table;

struct neigh {
	uint32_t ip;
	uint16_t port;
	uint8_t state;             /* enum neigh_state; changed by neigh_set_*() only */
	uint8_t tries;             /* requests sent since the last answer */
	struct rte_ether_addr mac; /* when REACHABLE, PROBE or STATIC */
	uint32_t refs;             /* next hops that go through it; 0 lets it be forgotten */
	uint16_t adj;              /* lib/route's own /32 adjacency; 0 is none */
	uint64_t due_us;           /* when the ARP timer looks at it next; 0 is never */
	uint64_t confirmed_us;     /* last answer */
	struct hold *hold;         /* lib/slow's packets; NULL is none */
	struct neigh *next;        /* chain in the table */
};

static inline bool
neigh_has_mac(const struct neigh *n)
{
	return n->state == NEIGH_REACHABLE || n->state == NEIGH_PROBE || n->state == NEIGH_STATIC;
}

/* Called after a neighbour's state or MAC changed, so that adjacencies follow. */
typedef void (*neigh_changed_fn)(struct neigh *n, void *arg);

int neigh_create(struct neigh_table **out, uint32_t max, neigh_changed_fn changed, void *arg);
void neigh_destroy(struct neigh_table *t);

struct neigh *neigh_find(const struct neigh_table *t, uint16_t port, uint32_t ip);

/* Find, or make one in state IDLE.  NULL when the table is full. */
struct neigh *neigh_get(struct neigh_table *t, uint16_t port, uint32_t ip);

/* Forget it.  Only without refs and without hold. */
void neigh_remove(struct neigh_table *t, struct neigh *n);

/* Change state (and MAC, unless NULL) and tell the listener when something a worker sees changed. */
void neigh_set(struct neigh_table *t, struct neigh *n, enum neigh_state state,
	       const struct rte_ether_addr *mac);

/* Walk all; fn may remove the one it was given; non-zero ends the walk and is returned. */
typedef int (*neigh_walk_fn)(struct neigh *n, void *arg);
int neigh_walk(struct neigh_table *t, neigh_walk_fn fn, void *arg);

uint32_t neigh_count(const struct neigh_table *t);
const char *neigh_state_name(enum neigh_state state);

#endif

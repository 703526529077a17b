/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/clock.h"
#include "slow/slow_internal.h"

#define ASK_EVERY_US CLOCK_SECOND_US /* RFC 1122 2.3.2.1: one request per second and address */
#define ASK_TRIES    3               /* then nobody is there */

/* A neighbour that answered is taken at its word for this long, then asked again by unicast. */
#define REACHABLE_US (240 * CLOCK_SECOND_US)

/* How long "show neigh" shows one that did not answer and that no route names. */
#define FORGET_US (10 * CLOCK_SECOND_US)

/* Requests of one tick, so that many timers due at once do not overrun a worker's ring; the rest
 * are sent a tick later. */
#define ASKS_PER_TICK 256

static struct hold *
hold_attach(struct slow *s, struct neigh *n)
{
	struct hold *h = s->hold_free;

	if (h == NULL)
		return NULL;
	s->hold_free = h->next;
	*h = (struct hold){ .neigh = n };
	h->last = &h->first;
	n->hold = h;
	return h;
}

static void
hold_detach(struct slow *s, struct hold *h)
{
	h->neigh->hold = NULL;
	h->neigh = NULL;
	h->next = s->hold_free;
	s->hold_free = h;
}

static void
set_held(struct slow *s, uint32_t n)
{
	s->nb_held = n;
	atomic_release(&s->stats->held, n);
}

/* False: no room, p is still the caller's. */
static bool
hold_push(struct slow *s, struct hold *h, const struct slow_pkt *p)
{
	struct held *e = s->held_free;

	if (h->n >= s->cfg.hold_per_neigh || e == NULL)
		return false;
	s->held_free = e->next;
	e->next = NULL;
	e->pkt = *p;
	*h->last = e;
	h->last = &e->next;
	h->n++;
	set_held(s, s->nb_held + 1);
	return true;
}

/* The oldest; the hold has one. */
static struct slow_pkt
hold_pop(struct slow *s, struct hold *h)
{
	struct held *e = h->first;

	h->first = e->next;
	if (h->first == NULL)
		h->last = &h->first;
	h->n--;
	e->next = s->held_free;
	s->held_free = e;
	set_held(s, s->nb_held - 1);
	return e->pkt;
}

static void
hold_drop(struct slow *s, struct hold *h)
{
	while (h->first != NULL)
		slow_drop(s, hold_pop(s, h).m, VERDICT_NEIGH_UNRESOLVED);
}

/* In order of arrival; without a port to leave by they are unresolved. */
static void
hold_send(struct slow *s, struct hold *h, const struct rte_ether_addr *dst)
{
	const struct router_port *port = router_port(s->cfg.router, h->neigh->port);

	if (port == NULL || !port->present) {
		hold_drop(s, h);
		return;
	}
	while (h->first != NULL) {
		struct slow_pkt p = hold_pop(s, h);

		slow_forward(s, &p, port->id, &port->mac, dst);
	}
}

static void
confirm(struct slow *s, struct neigh *n, const struct rte_ether_addr *mac)
{
	n->tries = 0;
	n->confirmed_us = s->now_us;
	n->due_us = s->now_us + REACHABLE_US;
	neigh_set(router_neighs(s->cfg.router), n, NEIGH_REACHABLE, mac);
}

static void
ask(struct slow *s, struct neigh *n, uint16_t ring)
{
	n->tries++;
	n->due_us = s->now_us + ASK_EVERY_US;
	arp_ask(s, n, ring, n->state == NEIGH_PROBE ? &n->mac : NULL);
}

static void
start_asking(struct slow *s, struct neigh *n, uint16_t ring)
{
	n->tries = 0;
	neigh_set(router_neighs(s->cfg.router), n, NEIGH_INCOMPLETE, NULL);
	ask(s, n, ring);
}

/* May hop's port speak at all?  ARP needs an address to speak from. */
static bool
has_source(struct slow *s, const struct router_hop *hop)
{
	const struct router_port *port = router_port(s->cfg.router, hop->port);

	if (port == NULL || !port->present)
		return false;
	if (router_source_for(s->cfg.router, hop->port, hop->next_ip) != 0) {
		s->no_source[hop->port] = false;
		return true;
	}
	if (!s->no_source[hop->port])
		log_warn("port %s has no address to send ARP from, so no next hop there can be "
			 "resolved: addr add, or neigh add",
			 port->name);
	s->no_source[hop->port] = true;
	return false;
}

/* p waits for hop's neighbour, which is asked for its MAC. */
static void
resolve(struct slow *s, const struct slow_pkt *p, const struct router_hop *hop)
{
	struct neigh *n = hop->neigh;
	struct hold *h;

	if (!has_source(s, hop)) {
		slow_drop(s, p->m, VERDICT_NEIGH_UNRESOLVED);
		return;
	}
	if (n == NULL)
		n = neigh_get(router_neighs(s->cfg.router), hop->port, hop->next_ip);
	if (n == NULL) {
		if (log_allowed(&s->table_log))
			log_warn("the neighbour table is full (%u)",
				 neigh_count(router_neighs(s->cfg.router)));
		slow_drop(s, p->m, VERDICT_NEIGH_QUEUE_FULL);
		return;
	}
	h = n->hold != NULL ? n->hold : hold_attach(s, n);
	if (h == NULL) { /* too many are sought at once */
		slow_drop(s, p->m, VERDICT_NEIGH_QUEUE_FULL);
		return;
	}
	if (n->state != NEIGH_INCOMPLETE)
		start_asking(s, n, p->ring);
	if (!hold_push(s, h, p))
		slow_drop(s, p->m, VERDICT_NEIGH_QUEUE_FULL);
}

/*
 * The MAC behind hop, if control knows one.  Workers may not know it: not yet (hold_publish()), or
 * not at all, when the tables were too full for lib/route to tell them.
 */
static const struct rte_ether_addr *
known_mac(struct slow *s, const struct router_hop *hop)
{
	struct neigh *n = hop->neigh;

	if (n == NULL)
		return hop->kind == ADJ_FORWARD ? &hop->dst : NULL;
	if (n->hold != NULL && n->hold->answered)
		return &n->hold->mac;
	if (!neigh_has_mac(n))
		return NULL;
	hold_release(s, n); /* a "neigh add" has come in between: these are older */
	return &n->mac;
}

static void
output_hop(struct slow *s, const struct slow_pkt *p, struct router_hop *hop)
{
	const struct rte_ipv4_hdr *ip = slow_ip(p);
	const struct router_port *port = router_port(s->cfg.router, hop->port);
	const struct rte_ether_addr *mac;

	if (rte_be_to_cpu_16(ip->total_length) > hop->mtu) {
		slow_drop(s, p->m, VERDICT_MTU_EXCEEDED);
		return;
	}
	if (hop->neigh == NULL)
		hop->neigh = neigh_find(router_neighs(s->cfg.router), hop->port, hop->next_ip);
	mac = known_mac(s, hop);
	if (mac != NULL && port != NULL)
		slow_forward(s, p, hop->port, &port->mac, mac);
	else
		resolve(s, p, hop);
}

void
hold_output(struct slow *s, struct slow_pkt *p)
{
	const struct rte_ipv4_hdr *ip = slow_ip(p);
	struct router_hop hop;

	if (!p->ours && ip->time_to_live <= 1) {
		slow_drop(s, p->m, VERDICT_TTL_EXPIRED);
		return;
	}
	/* Looked up anew: what the worker saw may be gone, and no id crosses a ring. */
	router_hop(s->cfg.router, rte_be_to_cpu_32(ip->dst_addr), &hop);
	switch (hop.kind) {
	case ADJ_FORWARD:
	case ADJ_RESOLVE:
		output_hop(s, p, &hop);
		return;
	case ADJ_LOCAL:
		if (p->ours)
			break;
		icmp_input(s, p);
		return;
	case ADJ_BAD_DESTINATION:
		slow_drop(s, p->m, VERDICT_BAD_DESTINATION);
		return;
	case ADJ_BLACKHOLE:
		slow_drop(s, p->m, VERDICT_BLACKHOLE);
		return;
	case ADJ_NO_ROUTE:
		slow_drop(s, p->m, VERDICT_NO_ROUTE);
		return;
	}
	slow_drop(s, p->m, VERDICT_LOCAL_UNHANDLED);
}

void
hold_answer(struct slow *s, struct neigh *n, const struct rte_ether_addr *mac)
{
	struct hold *h = n->hold;
	char ip[ADDR_IP4_TEXT], text[ADDR_MAC_TEXT];

	if (neigh_has_mac(n) && !rte_is_same_ether_addr(&n->mac, mac))
		log_debug("neighbour %s on port %u moved to %s", addr_ip4(ip, n->ip), n->port,
			  addr_mac(text, mac));
	if (h == NULL) {
		confirm(s, n, mac);
		return;
	}
	h->mac = *mac;
	if (!h->answered) {
		h->answered = true;
		h->next = s->answered;
		s->answered = h;
	}
	hold_send(s, h, mac);
}

void
hold_publish(struct slow *s)
{
	/* Workers forward by themselves from here on: what came before has to be ahead of that. */
	slow_flush(s);
	while (s->answered != NULL) {
		struct hold *h = s->answered;
		struct rte_ether_addr mac = h->mac;
		struct neigh *n = h->neigh;

		s->answered = h->next;
		hold_detach(s, h);
		confirm(s, n, &mac);
	}
}

void
hold_release(struct slow *s, struct neigh *n)
{
	if (n->hold == NULL || n->hold->answered)
		return;
	hold_send(s, n->hold, &n->mac);
	hold_detach(s, n->hold);
}

static void
forget(struct slow *s, struct neigh *n)
{
	struct neigh_table *table = router_neighs(s->cfg.router);

	n->due_us = 0;
	n->tries = 0;
	if (n->state != NEIGH_IDLE)
		neigh_set(table, n, NEIGH_IDLE, NULL);
	if (n->refs == 0)
		neigh_remove(table, n);
}

static void
fail(struct slow *s, struct neigh *n)
{
	if (n->hold != NULL) {
		hold_drop(s, n->hold);
		hold_detach(s, n->hold);
	}
	n->due_us = s->now_us + FORGET_US;
	neigh_set(router_neighs(s->cfg.router), n, NEIGH_FAILED, NULL);
}

/* n's time has come. */
static void
tick_due(struct slow *s, struct neigh *n)
{
	struct hold *h = n->hold;

	if (n->state == NEIGH_FAILED) {
		if (h != NULL) /* a "neigh del" while it was sought */
			fail(s, n);
		else if (n->refs == 0)
			forget(s, n);
		else
			n->due_us = s->now_us + FORGET_US;
		return;
	}
	if (n->state == NEIGH_REACHABLE) {
		n->tries = 0;
		neigh_set(router_neighs(s->cfg.router), n, NEIGH_PROBE, NULL);
	}
	if (n->tries < ASK_TRIES) {
		s->asks_left--;
		ask(s, n, h != NULL && h->first != NULL ? h->first->pkt.ring : slow_next_ring(s));
	} else if (n->state == NEIGH_INCOMPLETE) {
		fail(s, n);
	} else {
		forget(s, n); /* the route stays; its next packet asks again */
	}
}

static int
tick_neigh(struct neigh *n, void *arg)
{
	struct slow *s = arg;

	switch ((enum neigh_state)n->state) {
	case NEIGH_STATIC:
		hold_release(s, n);
		break;
	case NEIGH_IDLE:
		if (n->hold != NULL) /* cannot be, but they must not wait for ever */
			start_asking(s, n, slow_next_ring(s));
		else if (n->refs == 0)
			forget(s, n);
		break;
	case NEIGH_INCOMPLETE:
	case NEIGH_REACHABLE:
	case NEIGH_PROBE:
	case NEIGH_FAILED:
		if (s->now_us >= n->due_us && s->asks_left > 0)
			tick_due(s, n);
		break;
	}
	return 0;
}

void
hold_tick(struct slow *s)
{
	s->asks_left = ASKS_PER_TICK;
	neigh_walk(router_neighs(s->cfg.router), tick_neigh, s);
}

void
hold_drop_all(struct slow *s)
{
	for (uint32_t i = 0; i < s->cfg.incomplete_max; i++) {
		struct hold *h = &s->hold_mem[i];

		if (h->neigh == NULL)
			continue;
		hold_drop(s, h);
		hold_detach(s, h);
	}
}

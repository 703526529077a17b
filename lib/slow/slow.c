/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "slow/slow_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ring.h>

#define HOLD_PER_NEIGH_MIN 8
#define HOLD_PER_NEIGH     16
#define HOLD_TOTAL         1024
#define INCOMPLETE_MAX     1024
#define LEARN_MAX          8192

static int
check_config(struct slow_config *cfg, struct err *err)
{
	if (cfg->hold_per_neigh == 0)
		cfg->hold_per_neigh = HOLD_PER_NEIGH;
	if (cfg->hold_total == 0)
		cfg->hold_total = RTE_MAX((uint32_t)HOLD_TOTAL, cfg->hold_per_neigh);
	if (cfg->incomplete_max == 0)
		cfg->incomplete_max = INCOMPLETE_MAX;
	if (cfg->learn_max == 0)
		cfg->learn_max = LEARN_MAX;
	if (cfg->nb_rings == 0)
		return err_set(err, -EINVAL, "slow path: no worker to send by; give it one");
	if (cfg->hold_per_neigh < HOLD_PER_NEIGH_MIN)
		return err_set(err, -EINVAL,
			       "slow path: %u packets held per neighbour; at least %u are needed",
			       cfg->hold_per_neigh, HOLD_PER_NEIGH_MIN);
	if (cfg->hold_total < cfg->hold_per_neigh)
		return err_set(err, -EINVAL,
			       "slow path: %u packets held in all, but %u per neighbour; "
			       "raise the total",
			       cfg->hold_total, cfg->hold_per_neigh);
	return 0;
}

static void
link_free_lists(struct slow *s)
{
	for (uint32_t i = s->cfg.hold_total; i-- > 0;) {
		s->held_mem[i].next = s->held_free;
		s->held_free = &s->held_mem[i];
	}
	for (uint32_t i = s->cfg.incomplete_max; i-- > 0;) {
		s->hold_mem[i].next = s->hold_free;
		s->hold_free = &s->hold_mem[i];
	}
}

int
slow_create(struct slow **out, const struct slow_config *cfg, struct err *err)
{
	struct slow_config full = *cfg;
	struct slow *s;
	int ret = check_config(&full, err);

	if (ret < 0)
		return ret;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		goto err_memory;
	s->cfg = full;
	s->stats = full.stats;
	s->clock = clock_us;
	s->now_us = clock_us();
	s->out = calloc(full.nb_rings, sizeof(*s->out));
	if (s->out == NULL)
		goto err_free_slow;
	s->held_mem = calloc(full.hold_total, sizeof(*s->held_mem));
	if (s->held_mem == NULL)
		goto err_free_out;
	s->hold_mem = calloc(full.incomplete_max, sizeof(*s->hold_mem));
	if (s->hold_mem == NULL)
		goto err_free_held;
	link_free_lists(s);
	*out = s;
	return 0;

err_free_held:
	free(s->held_mem);
err_free_out:
	free(s->out);
err_free_slow:
	free(s);
err_memory:
	return err_set(err, -ENOMEM,
		       "slow path: no memory to hold %u packets for %u neighbours; hold fewer",
		       full.hold_total, full.incomplete_max);
}

/* Between these two every packet finds its end, so that a reader's ledger closes. */
static void
enter(struct slow *s)
{
	stats_begin(s->stats);
}

static void
leave(struct slow *s)
{
	slow_flush(s);
	stats_end(s->stats);
}

void
slow_destroy(struct slow *s)
{
	if (s == NULL)
		return;
	slow_drop_held(s);
	free(s->hold_mem);
	free(s->held_mem);
	free(s->out);
	free(s);
}

/*
 * Workers have checked the header before they punt.  It is checked here again as far as memory
 * safety goes: a ring is a border, and control has the time.
 */
static enum verdict
check_header(const struct slow_pkt *p)
{
	const struct rte_ipv4_hdr *ip;
	uint32_t length, header;

	if (p->l3_off < RTE_ETHER_HDR_LEN || p->m->data_len < p->l3_off + sizeof(*ip))
		return VERDICT_TOO_SHORT;
	ip = slow_ip(p);
	header = rte_ipv4_hdr_len(ip);
	length = rte_be_to_cpu_16(ip->total_length);
	if (header < sizeof(*ip))
		return VERDICT_BAD_HEADER_LENGTH;
	if (length < header)
		return VERDICT_BAD_LENGTH;
	if (p->m->data_len < p->l3_off + header)
		return VERDICT_TOO_SHORT;
	if (p->l3_off + length > p->m->pkt_len)
		return VERDICT_BAD_LENGTH;
	return VERDICT_FORWARD;
}

static void
to_local(struct slow *s, struct slow_pkt *p)
{
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(p->m, const struct rte_ether_hdr *);
	uint16_t port;

	if (rte_is_multicast_ether_addr(&eth->dst_addr))
		slow_drop(s, p->m, VERDICT_BAD_DESTINATION);
	else if (!router_is_own(s->cfg.router, rte_be_to_cpu_32(slow_ip(p)->dst_addr), &port))
		slow_drop(s, p->m, VERDICT_LOCAL_UNHANDLED); /* the address has just been removed */
	else
		icmp_input(s, p);
}

static void
dispatch(struct slow *s, struct rte_mbuf *m, uint16_t ring)
{
	struct punt_tag tag = punt_tag_get(m);
	struct slow_pkt p = { .m = m, .ring = ring, .l3_off = tag.l3_off };
	enum verdict v;

	if (tag.verdict == VERDICT_PUNT_ARP) {
		arp_input(s, &p);
		return;
	}
	v = check_header(&p);
	if (v != VERDICT_FORWARD)
		slow_drop(s, m, v);
	else if (tag.verdict == VERDICT_PUNT_RESOLVE)
		hold_output(s, &p);
	else
		to_local(s, &p);
}

static unsigned int
take(struct slow *s, uint16_t ring, unsigned int max)
{
	struct rte_mbuf *m[SLOW_BURST];
	unsigned int done = 0, n;

	do {
		n = RTE_MIN(max - done, (unsigned int)SLOW_BURST);
		n = rte_ring_dequeue_burst(s->cfg.rings[ring].up, (void **)m, n, NULL);
		stats_add(&s->stats->taken_in, n);
		for (unsigned int i = 0; i < n; i++)
			dispatch(s, m[i], ring);
		done += n;
	} while (n > 0 && done < max);
	return done;
}

unsigned int
slow_poll(struct slow *s)
{
	unsigned int n = 0;

	if (slow_idle(s))
		return 0;
	s->now_us = s->clock();
	enter(s);
	for (uint16_t i = 0; i < s->cfg.nb_rings; i++)
		n += take(s, i, SLOW_BURST);
	/*
	 * A neighbour has answered.  Packets to it that wait in another worker's ring are older
	 * than what that worker will forward once it knows, so they are sent before it does.
	 */
	for (uint16_t i = 0; i < s->cfg.nb_rings && s->answered != NULL; i++)
		n += take(s, i, rte_ring_get_capacity(s->cfg.rings[i].up));
	if (s->answered != NULL)
		hold_publish(s);
	leave(s);
	return n;
}

void
slow_tick(struct slow *s, uint64_t now_us)
{
	s->now_us = now_us;
	enter(s);
	hold_tick(s);
	leave(s);
}

static int
announce_addr(const struct router_addr *a, void *arg)
{
	struct slow *s = arg;

	arp_announce(s, a->port, a->ip, slow_next_ring(s));
	return 0;
}

void
slow_announce(struct slow *s)
{
	enter(s);
	router_addr_walk(s->cfg.router, announce_addr, s);
	leave(s);
}

void
slow_announce_one(struct slow *s, uint16_t port, uint32_t ip)
{
	enter(s);
	arp_announce(s, port, ip, slow_next_ring(s));
	leave(s);
}

void
slow_drop_held(struct slow *s)
{
	enter(s);
	hold_drop_all(s);
	leave(s);
}

bool
slow_idle(const struct slow *s)
{
	for (uint16_t i = 0; i < s->cfg.nb_rings; i++) {
		if (!punt_ring_empty(s->cfg.rings[i].up))
			return false;
	}
	return true;
}

void
slow_neigh_resolved(struct slow *s, uint16_t port, uint32_t ip)
{
	struct neigh *n = neigh_find(router_neighs(s->cfg.router), port, ip);

	if (n == NULL || !neigh_has_mac(n))
		return;
	enter(s);
	hold_release(s, n);
	leave(s);
}

void
slow_info(const struct slow *s, struct slow_info *info)
{
	*info = s->info;
	info->held = s->nb_held;
	info->held_max = s->cfg.hold_total;
}

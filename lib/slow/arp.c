/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/clock.h"
#include "base/hdr4.h"
#include "slow/slow_internal.h"

#include <string.h>

#include <rte_arp.h>

#define ARP_FRAME_LEN 60 /* the shortest Ethernet frame, without its FCS */
#define ARP_L3_MAX    18 /* behind a VLAN tag */

/* RFC 5227 1.1, DEFEND_INTERVAL: an address is defended by at most one announcement in this. */
#define DEFEND_US (10 * CLOCK_SECOND_US)

static const struct rte_ether_addr nobody;
static const struct rte_ether_addr everybody = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } };

/* What an ARP frame says; addresses in host byte order. */
struct arp_msg {
	struct rte_ether_addr sha; /* sender's MAC: one station's */
	uint32_t sip, tip;         /* sender's address, 0 in a probe; target's */
	uint16_t port, ring;
	bool request;
};

static bool
is_station(const struct rte_ether_addr *mac)
{
	return rte_is_unicast_ether_addr(mac) && !rte_is_zero_ether_addr(mac);
}

/* Read the frame, whatever its segments; false: malformed (RFC 826 "packet reception"). */
static bool
arp_parse(const struct slow_pkt *p, struct arp_msg *a)
{
	uint8_t copy[ARP_L3_MAX + sizeof(struct rte_arp_hdr)];
	const struct rte_ether_hdr *eth;
	const struct rte_arp_hdr *arp;
	const uint8_t *frame;

	if (p->l3_off < sizeof(*eth) || p->l3_off > ARP_L3_MAX)
		return false;
	frame = rte_pktmbuf_read(p->m, 0, p->l3_off + (uint32_t)sizeof(*arp), copy);
	if (frame == NULL)
		return false;
	eth = (const struct rte_ether_hdr *)frame;
	arp = (const struct rte_arp_hdr *)(frame + p->l3_off);
	if (arp->arp_hardware != RTE_BE16(RTE_ARP_HRD_ETHER) ||
	    arp->arp_protocol != RTE_BE16(RTE_ETHER_TYPE_IPV4) ||
	    arp->arp_hlen != RTE_ETHER_ADDR_LEN || arp->arp_plen != sizeof(rte_be32_t))
		return false;
	a->request = arp->arp_opcode == RTE_BE16(RTE_ARP_OP_REQUEST);
	if (!a->request && arp->arp_opcode != RTE_BE16(RTE_ARP_OP_REPLY))
		return false;
	a->sha = arp->arp_data.arp_sha;
	a->sip = rte_be_to_cpu_32(arp->arp_data.arp_sip);
	a->tip = rte_be_to_cpu_32(arp->arp_data.arp_tip);
	a->port = p->m->port;
	a->ring = p->ring;
	return is_station(&a->sha) && is_station(&eth->src_addr) &&
	       (!hdr4_no_host(a->sip) || (a->sip == 0 && a->request));
}

/* Make an ARP frame and send it from port; false and a log line without a buffer or port. */
static bool
arp_send(struct slow *s, const struct arp_msg *a, const struct rte_ether_addr *eth_dst,
	 const struct rte_ether_addr *tha)
{
	const struct router_port *port = router_port(s->cfg.router, a->port);
	struct rte_ether_hdr *eth;
	struct rte_arp_hdr *arp;
	struct rte_mbuf *m;

	if (port == NULL || !port->present)
		return false;
	m = rte_pktmbuf_alloc(s->cfg.pool);
	if (m == NULL) {
		if (log_allowed(&s->pool_log))
			log_warn("no packet buffer for an ARP frame on port %s: the pool is empty, "
				 "--total-num-mbufs makes it larger",
				 port->name);
		return false;
	}
	eth = (struct rte_ether_hdr *)rte_pktmbuf_append(m, ARP_FRAME_LEN);
	memset(eth, 0, ARP_FRAME_LEN);
	arp = (struct rte_arp_hdr *)(eth + 1);
	eth->dst_addr = *eth_dst;
	eth->src_addr = port->mac;
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_ARP);
	arp->arp_hardware = RTE_BE16(RTE_ARP_HRD_ETHER);
	arp->arp_protocol = RTE_BE16(RTE_ETHER_TYPE_IPV4);
	arp->arp_hlen = RTE_ETHER_ADDR_LEN;
	arp->arp_plen = sizeof(rte_be32_t);
	arp->arp_opcode = a->request ? RTE_BE16(RTE_ARP_OP_REQUEST) : RTE_BE16(RTE_ARP_OP_REPLY);
	arp->arp_data.arp_sha = port->mac;
	arp->arp_data.arp_sip = rte_cpu_to_be_32(a->sip);
	arp->arp_data.arp_tha = *tha;
	arp->arp_data.arp_tip = rte_cpu_to_be_32(a->tip);
	if (a->request)
		s->info.arp_requests_sent++;
	else
		s->info.arp_replies_sent++;
	stats_add(&s->stats->originated, 1);
	slow_emit(s, m, a->ring, a->port);
	return true;
}

bool
arp_ask(struct slow *s, const struct neigh *n, uint16_t ring, const struct rte_ether_addr *whom)
{
	struct arp_msg a = {
		.request = true,
		.sip = router_source_for(s->cfg.router, n->port, n->ip),
		.tip = n->ip,
		.port = n->port,
		.ring = ring,
	};

	/* A request from 0.0.0.0 is a probe (RFC 5227): it claims the address it asks for. */
	return a.sip != 0 && arp_send(s, &a, whom != NULL ? whom : &everybody, &nobody);
}

void
arp_announce(struct slow *s, uint16_t port, uint32_t ip, uint16_t ring)
{
	struct arp_msg a = { .request = true, .sip = ip, .tip = ip, .port = port, .ring = ring };

	arp_send(s, &a, &everybody, &nobody);
}

static bool
is_own_here(const struct slow *s, uint16_t port, uint32_t ip)
{
	uint16_t on;

	return router_is_own(s->cfg.router, ip, &on) && on == port;
}

static bool
is_own_mac(const struct slow *s, const struct rte_ether_addr *mac)
{
	for (uint16_t i = 0; i < RTE_MAX_ETHPORTS; i++) {
		const struct router_port *port = router_port(s->cfg.router, i);

		if (port != NULL && rte_is_same_ether_addr(&port->mac, mac))
			return true;
	}
	return false;
}

/* The answer to a request, unicast to who asked. */
static void
reply(struct slow *s, const struct arp_msg *to)
{
	struct arp_msg a = *to;

	a.request = false;
	a.sip = to->tip;
	a.tip = to->sip;
	arp_send(s, &a, &to->sha, &to->sha);
}

/* Another station uses an address of ours: say so, and keep it (RFC 5227 2.4). */
static void
conflict(struct slow *s, const struct arp_msg *a)
{
	const struct router_port *port = router_port(s->cfg.router, a->port);
	uint64_t *defended_us = &s->defended_us[(a->sip * 0x9e3779b1u) >> 26];
	char ip[ADDR_IP4_TEXT], mac[ADDR_MAC_TEXT];

	_Static_assert(SLOW_DEFENCES == 1 << (32 - 26), "the hash names a slot");
	s->info.arp_conflicts++;
	if (log_allowed(&s->conflict_log))
		log_warn("address conflict: %s is ours, but on port %u (%s) %s uses it too",
			 addr_ip4(ip, a->sip), a->port, port != NULL ? port->name : "?",
			 addr_mac(mac, &a->sha));
	if (a->request && is_own_here(s, a->port, a->tip))
		reply(s, a);
	if (a->request && a->tip == a->sip)
		return; /* the reply has said it */
	if (!is_own_here(s, a->port, a->sip))
		return;
	if (*defended_us != 0 && s->now_us - *defended_us < DEFEND_US)
		return;
	*defended_us = s->now_us;
	arp_announce(s, a->port, a->sip, a->ring);
}

/*
 * A request costs its sender nothing and may name any sender: a flood of them must not take the
 * places of neighbours that packets go to, which are asked for when a packet does.
 */
static bool
may_learn(struct slow *s)
{
	if (neigh_count(router_neighs(s->cfg.router)) < s->cfg.learn_max)
		return true;
	if (log_allowed(&s->table_log))
		log_warn("%u neighbours are known: who asks for us is answered, but no longer "
			 "learnt",
			 s->cfg.learn_max);
	return false;
}

/* RFC 826: an entry that is there follows its sender; a new one is made for who asks for us. */
static void
learn(struct slow *s, const struct arp_msg *a, bool make)
{
	struct neigh_table *table = router_neighs(s->cfg.router);
	struct neigh *n = neigh_find(table, a->port, a->sip);
	struct router_hop hop;

	if (a->sip == 0)
		return; /* a probe's sender has no address yet */
	if (n == NULL && make && may_learn(s)) {
		router_hop(s->cfg.router, a->sip, &hop);
		if ((hop.kind != ADJ_FORWARD && hop.kind != ADJ_RESOLVE) || hop.port != a->port ||
		    hop.next_ip != a->sip)
			return; /* not on a network that is connected here */
		n = neigh_get(table, a->port, a->sip);
		if (n == NULL && log_allowed(&s->table_log))
			log_warn("the neighbour table is full (%u)", neigh_count(table));
	}
	if (n != NULL && n->state != NEIGH_STATIC)
		hold_answer(s, n, &a->sha);
}

void
arp_input(struct slow *s, struct slow_pkt *p)
{
	struct arp_msg a;
	uint16_t port;

	if (!arp_parse(p, &a)) {
		s->info.arp_malformed++;
		slow_deliver(s, p->m);
		return;
	}
	if (a.request)
		s->info.arp_requests_seen++;
	else
		s->info.arp_replies_seen++;
	slow_deliver(s, p->m);
	if (is_own_mac(s, &a.sha))
		return; /* our own frame came back */
	if (router_is_own(s->cfg.router, a.sip, &port)) {
		conflict(s, &a);
		return;
	}
	if (a.request && is_own_here(s, a.port, a.tip)) {
		learn(s, &a, true);
		reply(s, &a);
	} else {
		learn(s, &a, false);
	}
}

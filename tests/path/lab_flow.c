/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_flow.h>

/*
 * Flow rules (rte_flow) of the mlx5 PMD on an isolated port: nothing arrives but by a rule.  For
 * every row the queue and the mark of each frame, and the counters.
 */
#define ROUNDS   3
#define COUNT_MS 5000

enum item { ETH = 1, VLAN = 2, IP4 = 4, IP6 = 8, TCP = 16, UDP = 32 };
enum fate { TO_QUEUE, DROP, TO_GROUP_1, SPREAD };

/* Specification and mask of an item are [0] and [1]. */
struct rule {
	unsigned int items; /* of the pattern, in the order of enum item */
	struct rte_flow_item_eth eth[2];
	struct rte_flow_item_vlan vlan[2];
	struct rte_flow_item_ipv4 ip4[2];
	struct rte_flow_item_ipv6 ip6[2];
	struct rte_flow_item_tcp tcp[2];
	struct rte_flow_item_udp udp[2];
	uint32_t priority, group;
	enum fate fate;
	uint16_t queue;
	bool mark, count;
	uint32_t mark_id;
};
#define RULES 3
struct row {
	const char *what;
	struct rule rule[RULES];
	const char *want; /* for each frame of the list the number of its rule, or none */
};

#define OWN_MAC                                                                                    \
	{                                                                                          \
		.hdr.dst_addr = {.addr_bytes = { 0xaa } }                                          \
	} /* replaced by port 0's */
#define ANY_MAC                                                                                    \
	{                                                                                          \
		.hdr.dst_addr = {.addr_bytes = { 255, 255, 255, 255, 255, 255 } }                  \
	}
#define IN(value, mask)                                                                            \
	{                                                                                          \
		{ value },                                                                         \
		{                                                                                  \
			mask                                                                       \
		}                                                                                  \
	}

/*                      DNS, UDP, HTTP, HTTPS, ICMP, fragment, VLAN 5, VLAN 6, UDP6, TCP6,
 *                      another MAC, ARP, multicast, multicast6 */
static const struct row rows[] = {
	{ "no rule", { { 0 } }, ".............." },
	{ "any frame", { { ETH, .queue = 3 } }, "00000000000000" },
	{ "destination MAC",
	  { { ETH, .eth = { OWN_MAC, ANY_MAC }, .queue = 2 } },
	  "0000000000...." },
	{ "a bit of the destination MAC",
	  { { ETH, .eth = IN(.hdr.dst_addr.addr_bytes = { 1 }, .hdr.dst_addr.addr_bytes = { 1 }),
	      .queue = 1 } },
	  "...........000" },
	{ "Ethernet type",
	  { { ETH,
	      .eth = IN(.hdr.ether_type = RTE_BE16(0x0806), .hdr.ether_type = RTE_BE16(0xffff)) } },
	  "...........0.." },
	{ "VLAN",
	  { { ETH | VLAN, .vlan = IN(.hdr.vlan_tci = RTE_BE16(5), .hdr.vlan_tci = RTE_BE16(0xfff)),
	      .queue = 1 } },
	  "......0......." },
	{ "IPv4", { { ETH | IP4, .queue = 1 } }, "00000000..0.0." },
	{ "IPv4 destination",
	  { { ETH | IP4,
	      .ip4 = IN(.hdr.dst_addr = RTE_BE32(0xc6120005), .hdr.dst_addr = RTE_BE32(0xffffffff)),
	      .queue = 2, .mark = true, .mark_id = 7 } },
	  "0.0.000...0..." },
	{ "IPv4 source network",
	  { { ETH | IP4,
	      .ip4 = IN(.hdr.src_addr = RTE_BE32(0x0a000100), .hdr.src_addr = RTE_BE32(0xffffff00)),
	      .queue = 3 } },
	  "..00.........." },
	{ "IP protocol",
	  { { ETH | IP4, .ip4 = IN(.hdr.next_proto_id = 1, .hdr.next_proto_id = 255) } },
	  "....0........." },
	{ "UDP port",
	  { { ETH | IP4 | UDP,
	      .udp = IN(.hdr.dst_port = RTE_BE16(53), .hdr.dst_port = RTE_BE16(0xffff)), .queue = 1,
	      .mark = true, .mark_id = 0 } },
	  "0.....0...0.0." },
	{ "TCP ports",
	  { { ETH | IP4 | TCP,
	      .tcp = IN(.hdr.src_port = RTE_BE16(2000), .hdr.src_port = RTE_BE16(0xffff)),
	      .queue = 1 },
	    { ETH | IP4 | TCP,
	      .tcp = IN(.hdr.dst_port = RTE_BE16(80), .hdr.dst_port = RTE_BE16(0xffff)),
	      .priority = 1, .queue = 2 } },
	  "..0....1......" },
	{ "IPv6 destination",
	  { { ETH | IP6,
	      .ip6 = { { .hdr.dst_addr = { [0] = 0x20, [15] = 5 } },
		       { .hdr.dst_addr = { [0] = 0xff, [15] = 0xff } } },
	      .queue = 3 } },
	  "........0....." },
	{ "TCP over IPv6",
	  { { ETH | IP6 | TCP,
	      .tcp = IN(.hdr.dst_port = RTE_BE16(80), .hdr.dst_port = RTE_BE16(0xffff)),
	      .queue = 1 } },
	  ".........0...." },
	{ "drop, counted, before the rest",
	  { { ETH | IP4 | UDP,
	      .udp = IN(.hdr.dst_port = RTE_BE16(53), .hdr.dst_port = RTE_BE16(0xffff)),
	      .fate = DROP, .count = true },
	    { ETH | IP4, .priority = 1, .queue = 1, .mark = true, .mark_id = 0xabcd,
	      .count = true } },
	  "01111101..0.0." },
	{ "of two that fit the more urgent",
	  { { ETH | IP4, .priority = 2, .queue = 1 },
	    { ETH | IP4 | TCP, .priority = 1, .queue = 2 },
	    { ETH, .eth = { OWN_MAC, ANY_MAC }, .queue = 3, .mark = true, .mark_id = 0xffffef } },
	  "22222222220.0." },
	{ "spread",
	  { { ETH | IP4, .fate = SPREAD, .count = true, .mark = true, .mark_id = 5 } },
	  "00000000..0.0." },
};

/* Not with verbs flows: there is no table but the root's. */
static const struct row group_rows[] = {
	{ "a group behind group 0",
	  { { ETH | IP4, .fate = TO_GROUP_1 },
	    { ETH | IP4 | UDP, .group = 1, .queue = 1, .mark = true, .mark_id = 9, .count = true },
	    { ETH | IP4,
	      .ip4 = IN(.hdr.dst_addr = RTE_BE32(0xc6120005), .hdr.dst_addr = RTE_BE32(0xffffffff)),
	      .group = 1, .priority = 1, .fate = DROP, .count = true } },
	  "112.211...1.1." },
};

static const uint16_t spread_to[] = { 3, 1 };
static const uint8_t spread_key[40] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa
};
#define SPREAD_HF (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV4_TCP)

static bool
is_zero(const void *at, size_t len)
{
	const uint8_t *bytes = at;

	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

/* An item of the pattern; without a mask it stands for the header's presence. */
static void
put_item(struct rte_flow_item **at, enum rte_flow_item_type type, const void *spec, size_t len)
{
	const void *mask = (const uint8_t *)spec + len;

	**at = (struct rte_flow_item){ .type = type };
	if (!is_zero(mask, len)) {
		(*at)->spec = spec;
		(*at)->mask = mask;
	}
	(*at)++;
}

static void
put_pattern(struct rte_flow_item *at, const struct rule *rule)
{
	if (rule->items & ETH)
		put_item(&at, RTE_FLOW_ITEM_TYPE_ETH, rule->eth, sizeof(rule->eth[0]));
	if (rule->items & VLAN)
		put_item(&at, RTE_FLOW_ITEM_TYPE_VLAN, rule->vlan, sizeof(rule->vlan[0]));
	if (rule->items & IP4)
		put_item(&at, RTE_FLOW_ITEM_TYPE_IPV4, rule->ip4, sizeof(rule->ip4[0]));
	if (rule->items & IP6)
		put_item(&at, RTE_FLOW_ITEM_TYPE_IPV6, rule->ip6, sizeof(rule->ip6[0]));
	if (rule->items & TCP)
		put_item(&at, RTE_FLOW_ITEM_TYPE_TCP, rule->tcp, sizeof(rule->tcp[0]));
	if (rule->items & UDP)
		put_item(&at, RTE_FLOW_ITEM_TYPE_UDP, rule->udp, sizeof(rule->udp[0]));
	at->type = RTE_FLOW_ITEM_TYPE_END;
}

static struct rte_flow *
rule_create(struct lab *lab, const char *what, const struct rule *rule)
{
	const struct rte_flow_attr attr = { .group = rule->group,
					    .priority = rule->priority,
					    .ingress = 1 };
	const struct rte_flow_action_queue queue = { .index = rule->queue };
	const struct rte_flow_action_mark mark = { .id = rule->mark_id };
	const struct rte_flow_action_jump jump = { .group = 1 };
	const struct rte_flow_action_count count = { 0 };
	const struct rte_flow_action_rss rss = { .types = SPREAD_HF,
						 .key_len = sizeof(spread_key),
						 .key = spread_key,
						 .queue_num = RTE_DIM(spread_to),
						 .queue = spread_to };
	const struct rte_flow_action fates[] = {
		[TO_QUEUE] = { RTE_FLOW_ACTION_TYPE_QUEUE, &queue },
		[DROP] = { RTE_FLOW_ACTION_TYPE_DROP, NULL },
		[TO_GROUP_1] = { RTE_FLOW_ACTION_TYPE_JUMP, &jump },
		[SPREAD] = { RTE_FLOW_ACTION_TYPE_RSS, &rss },
	};
	struct rte_flow_action actions[4], *at = actions;
	struct rte_flow_error error = { 0 };
	struct rte_flow_item pattern[8];
	struct rule own = *rule;
	struct rte_flow *flow;

	if (own.eth[0].hdr.dst_addr.addr_bytes[0] == 0xaa)
		own.eth[0].hdr.dst_addr = lab->mac;
	put_pattern(pattern, &own);
	if (rule->mark)
		*at++ = (struct rte_flow_action){ RTE_FLOW_ACTION_TYPE_MARK, &mark };
	if (rule->count)
		*at++ = (struct rte_flow_action){ RTE_FLOW_ACTION_TYPE_COUNT, &count };
	*at++ = fates[rule->fate];
	at->type = RTE_FLOW_ACTION_TYPE_END;
	flow = rte_flow_create(0, &attr, pattern, actions, &error);
	if (flow == NULL)
		lab_fail(lab, "%s: refused: %s (%s)", what, error.message, rte_strerror(rte_errno));
	return flow;
}

static void
check_queue(struct lab *lab, const char *what, const struct lab_frame *frame,
	    const struct rule *rule, const struct lab_seen *seen)
{
	uint16_t queue = rule->queue;
	uint32_t hash = 0;

	if (rule->fate == SPREAD) {
		lab_softrss(lab, frame, SPREAD_HF, spread_key, &hash);
		queue = spread_to[hash % RTE_DIM(spread_to)];
	}
	if (seen->queue != queue)
		lab_fail(lab, "%s: %s is in queue %u, want %u", what, frame->name, seen->queue,
			 queue);
	if (rule->fate == SPREAD && seen->hash != hash)
		lab_fail(lab, "%s: %s has hash 0x%x, want 0x%x", what, frame->name, seen->hash,
			 hash);
	if (((seen->flags & LAB_MARKED) == LAB_MARKED) != rule->mark ||
	    (rule->mark && seen->mark != rule->mark_id))
		lab_fail(lab, "%s: %s has flags 0x%" PRIx64 " and mark 0x%x", what, frame->name,
			 (uint64_t)(seen->flags & LAB_MARKED), seen->mark);
}

static void
check_frames(struct lab *lab, const struct row *row)
{
	struct lab_seen seen[64];

	lab_send(lab, lab_frames, lab_nb_frames, seen);
	for (unsigned int i = 0; i < lab_nb_frames; i++) {
		const struct rule *rule =
			row->want[i] == '.' ? NULL : &row->rule[row->want[i] - '0'];
		unsigned int times = rule == NULL || rule->fate == DROP ? 0 : 1;

		if (seen[i].times != times)
			lab_fail(lab, "%s: %s came %u times, want %u", row->what,
				 lab_frames[i].name, seen[i].times, times);
		else if (times > 0)
			check_queue(lab, row->what, &lab_frames[i], rule, &seen[i]);
	}
}

/* With DevX the PMD reads counters in the background, once a second. */
static void
check_count(struct lab *lab, const struct row *row, unsigned int i, struct rte_flow *flow)
{
	const struct rte_flow_action action = { .type = RTE_FLOW_ACTION_TYPE_COUNT };
	struct rte_flow_query_count count = { 0 };
	uint64_t want = 0;

	for (unsigned int f = 0; f < lab_nb_frames; f++)
		want += row->want[f] == (char)('0' + i) ? ROUNDS : 0;
	for (unsigned int ms = 0; ms < COUNT_MS && count.hits != want; ms += 10) {
		rte_delay_us_sleep(10000);
		if (rte_flow_query(0, flow, &action, &count, NULL) < 0) {
			lab_fail(lab, "%s: rule %u: no counter", row->what, i);
			return;
		}
	}
	if (count.hits != want || count.bytes != want * LAB_LEN)
		lab_fail(lab,
			 "%s: rule %u counted %" PRIu64 " frames, %" PRIu64 " bytes, want %" PRIu64,
			 row->what, i, (uint64_t)count.hits, (uint64_t)count.bytes, want);
}

static void
check_row(struct lab *lab, const struct row *row)
{
	struct rte_flow *flow[RULES] = { NULL };
	struct lab_seen seen[64];

	for (unsigned int i = 0; i < RULES && row->rule[i].items != 0; i++) {
		flow[i] = rule_create(lab, row->what, &row->rule[i]);
		if (flow[i] == NULL)
			goto out;
	}
	for (unsigned int i = 0; i < ROUNDS; i++)
		check_frames(lab, row);
	for (unsigned int i = 0; i < RULES; i++) {
		if (row->rule[i].count)
			check_count(lab, row, i, flow[i]);
	}
out:
	rte_flow_flush(0, NULL);
	lab_send(lab, lab_frames, lab_nb_frames, seen);
	for (unsigned int i = 0; i < lab_nb_frames; i++) {
		if (seen[i].times != 0)
			lab_fail(lab, "%s: %s comes without a rule", row->what, lab_frames[i].name);
	}
}

void
lab_flow(struct lab *lab)
{
	struct rte_flow_error error = { 0 };

	lab->eth.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	lab->eth.rxmode.offloads = RTE_ETH_RX_OFFLOAD_RSS_HASH;
	/* no rule of the PMD's own hashes, but without it mbufs get no hash */
	lab->eth.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IPV4;
	if (rte_flow_isolate(0, 1, &error) < 0) {
		lab_fail(lab, "no isolated port: %s", error.message);
		return;
	}
	lab_start(lab);
	for (size_t i = 0; i < RTE_DIM(rows); i++)
		check_row(lab, &rows[i]);
	for (size_t i = 0; lab->conf.groups && i < RTE_DIM(group_rows); i++)
		check_row(lab, &group_rows[i]);
}

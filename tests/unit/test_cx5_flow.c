/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow rules of the ConnectX-5 model as the PMD makes them, by verbs and by DR: which frames meet
 * them, what is refused, what is in use.  What the objects' side gives is stood in for here.
 */
#include "drivers/mlx5/model/glue.h"
#include "drivers/mlx5/model/prm.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct soft_port port;
static struct cx5 nic = { .port = &port };
static struct ibv_context context;
static struct ibv_qp qp[2] = { { .context = &context }, { .context = &context } };
static struct cx5_tir *tir[2];
static struct cx5_counters *bulk; /* of a DevX object: 4 */
static int objects, loose, locked, lines;

bool
cx5_enter(struct cx5 *card)
{
	assert_ptr_equal(card, &nic);
	if (nic.removed) {
		errno = EIO;
		return false;
	}
	cx5_lock();
	return true;
}

void
cx5_lock(void)
{
	assert_int_equal(locked++, 0);
}

void
cx5_unlock(void)
{
	assert_int_equal(--locked, 0);
}

void
cx5_count(struct cx5 *card, int by)
{
	assert_int_equal(locked, 1);
	*(card != NULL ? &objects : &loose) += by;
}

struct cx5 *
cx5_of_context(struct ibv_context *ctx)
{
	return ctx == &context ? &nic : NULL;
}

struct cx5_tir *
cx5_tir_of_qp(struct ibv_qp *handle)
{
	return handle == &qp[0] ? tir[0] : handle == &qp[1] ? tir[1] : NULL;
}

struct cx5_tir *
cx5_tir_of_devx(void *obj)
{
	return obj == &tir[0] ? tir[0] : obj == &tir[1] ? tir[1] : NULL;
}

struct cx5_counters *
cx5_counters_of_devx(void *obj)
{
	return obj == &bulk ? bulk : NULL;
}

void
cx5_counters_put(struct cx5_counters *counters)
{
	counters->users--;
}

void
soft_log(const struct soft_port *where, const char *fmt, ...)
{
	assert_ptr_equal(where, &port);
	assert_non_null(fmt);
	lines++;
}

/* Frames with an edit each; the first is UDP 10.0.0.1:0x1111 to 198.18.0.2:0x2222. */
static const uint8_t udp4[64] = { 2,    0,    0,   0,  0, 1, 4,    0,    0,    0,    0, 2, 8,  0,
				  0x45, 0xb8, 0,   46, 0, 0, 0,    0,    64,   17,   0, 0, 10, 0,
				  0,    1,    198, 18, 0, 2, 0x11, 0x11, 0x22, 0x22, 0, 26 };
static const uint8_t tcp6[80] = { 0x33, 0x33, 0,    1,        0,           2,    4,
				  0,    0,    0,    0,        2,           0x86, 0xdd,
				  0x6b, 0x8a, 0xbc, 0xde,     0,           26,   6,
				  64,   0x20, 1,    [37] = 1, 0x20,        2,    [53] = 2,
				  0x11, 0x11, 0x22, 0x22,     [66] = 0x50, 0x12 };
enum { UDP4, TAGGED, OTHER_MAC, TCP6, FRAMES };
static uint8_t frame[FRAMES][80];

static void
frames_build(void)
{
	memcpy(frame[UDP4], udp4, sizeof(udp4));
	memcpy(frame[TAGGED], udp4, 12);
	memcpy(frame[TAGGED] + 12, "\x81\x00\x20\x05", 4);
	memcpy(frame[TAGGED] + 16, udp4 + 12, sizeof(udp4) - 12);
	memcpy(frame[OTHER_MAC], udp4, sizeof(udp4));
	frame[OTHER_MAC][5] = 9;
	memcpy(frame[TCP6], tcp6, sizeof(tcp6));
}

static struct cx5_way
way_of(unsigned int i)
{
	struct cx5_way way;
	struct hdr hdr;

	hdr_parse(&hdr, frame[i], sizeof(frame[i]));
	cx5_steer(&nic, &hdr, frame[i], sizeof(frame[i]), &way);
	return way;
}

/* Which frames reach the first queue: a bit each. */
static unsigned int
reached(void)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < FRAMES; i++)
		bits |= (unsigned int)(way_of(i).tir == tir[0]) << i;
	return bits;
}

/* A verbs flow with up to three specifications. */
struct flow_attr {
	struct ibv_flow_attr attr;
	uint8_t specs[3 * sizeof(struct ibv_flow_spec)];
	size_t len;
};

static void
flow_add(struct flow_attr *flow, struct ibv_flow_spec spec, size_t size)
{
	spec.hdr.size = (uint16_t)size;
	memcpy(flow->specs + flow->len, &spec, size);
	flow->len += size;
	flow->attr.num_of_specs++;
}

#define ETH(...)                                                                                   \
	{                                                                                          \
		.eth = {.type = IBV_FLOW_SPEC_ETH, __VA_ARGS__ }                                   \
	}
#define V4(...)                                                                                    \
	{                                                                                          \
		.ipv4_ext = {.type = IBV_FLOW_SPEC_IPV4_EXT, __VA_ARGS__ }                         \
	}
#define V6(...)                                                                                    \
	{                                                                                          \
		.ipv6 = {.type = IBV_FLOW_SPEC_IPV6, __VA_ARGS__ }                                 \
	}
#define L4(kind, ...)                                                                              \
	{                                                                                          \
		.tcp_udp = {.type = IBV_FLOW_SPEC_##kind, __VA_ARGS__ }                            \
	}
#define ALL_OF(f) (1u << (f))
static const struct {
	const char *what;
	struct ibv_flow_spec spec[2];
	unsigned int want;
} verbs_rows[] = {
	{ "any", { ETH() }, 0xf },
	{ "destination",
	  { ETH(.val.dst_mac = { 2, 0, 0, 0, 0, 1 },
		.mask.dst_mac = { 255, 255, 255, 255, 255, 255 }) },
	  ALL_OF(UDP4) | ALL_OF(TAGGED) },
	{ "multicast", { ETH(.val.dst_mac = { 1 }, .mask.dst_mac = { 1 }) }, ALL_OF(TCP6) },
	{ "source", { ETH(.val.src_mac = { 4 }, .mask.src_mac = { 255 }) }, 0xf },
	{ "VLAN 5", { ETH(.val.vlan_tag = 0x0500, .mask.vlan_tag = 0xff0f) }, ALL_OF(TAGGED) },
	{ "VLAN 0, tagged", { ETH(.mask.vlan_tag = 0xff0f) }, 0 },
	{ "type behind the tag",
	  { ETH(.val.ether_type = 0x0008, .mask.ether_type = 0xffff) },
	  ALL_OF(UDP4) | ALL_OF(TAGGED) | ALL_OF(OTHER_MAC) },
	{ "IPv4", { ETH(), V4() }, ALL_OF(UDP4) | ALL_OF(TAGGED) | ALL_OF(OTHER_MAC) },
	{ "IPv4 without extension",
	  { ETH(),
	    { .ipv4 = { .type = IBV_FLOW_SPEC_IPV4,
			.val.dst_ip = 0x020012c6,
			.mask.dst_ip = 0xffffffff } } },
	  ALL_OF(UDP4) | ALL_OF(TAGGED) | ALL_OF(OTHER_MAC) },
	{ "another source", { V4(.val.src_ip = 0x0200000a, .mask.src_ip = 0xffffffff) }, 0 },
	{ "a bit outside the mask",
	  { V4(.val.src_ip = 0x0200000a, .mask.src_ip = 0x00ffffff) },
	  ALL_OF(UDP4) | ALL_OF(TAGGED) | ALL_OF(OTHER_MAC) },
	{ "TOS",
	  { V4(.val.tos = 0xb8, .mask.tos = 0xff) },
	  ALL_OF(UDP4) | ALL_OF(TAGGED) | ALL_OF(OTHER_MAC) },
	{ "TTL 63", { V4(.val.ttl = 63, .mask.ttl = 0xff) }, 0 },
	{ "protocol", { V4(.val.proto = 6, .mask.proto = 0xff) }, 0 },
	{ "IPv6", { V6() }, ALL_OF(TCP6) },
	{ "IPv6 destination",
	  { V6(.val.dst_ip = { 0x20, 2 }, .mask.dst_ip = { 255, 255 }) },
	  ALL_OF(TCP6) },
	{ "IPv6 source", { V6(.val.src_ip = { 0x20, 2 }, .mask.src_ip = { 255, 255 }) }, 0 },
	{ "traffic class",
	  { V6(.val.traffic_class = 0xb8, .mask.traffic_class = 0xff) },
	  ALL_OF(TCP6) },
	{ "flow label",
	  { V6(.val.flow_label = 0xdebc0a00, .mask.flow_label = 0xffff0f00) },
	  ALL_OF(TCP6) },
	{ "UDP", { L4(UDP) }, ALL_OF(UDP4) | ALL_OF(TAGGED) | ALL_OF(OTHER_MAC) },
	{ "UDP port",
	  { ETH(), L4(UDP, .val.dst_port = 0x2222, .mask.dst_port = 0xffff) },
	  ALL_OF(UDP4) | ALL_OF(TAGGED) | ALL_OF(OTHER_MAC) },
	{ "TCP port",
	  { ETH(), L4(TCP, .val.src_port = 0x1111, .mask.src_port = 0xffff) },
	  ALL_OF(TCP6) },
	{ "other TCP port",
	  { ETH(), L4(TCP, .val.src_port = 0x1112, .mask.src_port = 0xffff) },
	  0 },
};

static size_t
spec_size(const struct ibv_flow_spec *spec)
{
	switch (spec->hdr.type) {
	case IBV_FLOW_SPEC_ETH:
		return sizeof(spec->eth);
	case IBV_FLOW_SPEC_IPV4:
		return sizeof(spec->ipv4);
	case IBV_FLOW_SPEC_IPV4_EXT:
		return sizeof(spec->ipv4_ext);
	case IBV_FLOW_SPEC_IPV6:
		return sizeof(spec->ipv6);
	default:
		return sizeof(spec->tcp_udp);
	}
}

static void
verbs_flows_catch_their_frames(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(verbs_rows) / sizeof(verbs_rows[0]); i++) {
		struct flow_attr attr = { .attr.port = 1, .attr.priority = 3 };
		struct ibv_flow *flow;
		unsigned int got;

		for (unsigned int k = 0; k < 2 && verbs_rows[i].spec[k].hdr.type != 0; k++)
			flow_add(&attr, verbs_rows[i].spec[k], spec_size(&verbs_rows[i].spec[k]));
		flow = glue_create_flow(&qp[0], &attr.attr);
		assert_non_null(flow);
		got = reached();
		if (got != verbs_rows[i].want)
			fail_msg("%s: 0x%x, want 0x%x", verbs_rows[i].what, got,
				 verbs_rows[i].want);
		assert_int_equal(tir[0]->users, 1);
		assert_int_equal(glue_destroy_flow(flow), 0);
		assert_int_equal(reached(), 0);
		assert_int_equal(tir[0]->users, 0);
	}
}

static void
verbs_actions_tag_drop_and_count(void **state)
{
	struct ibv_counter_attach_attr packets = { .counter_desc = IBV_COUNTER_PACKETS };
	struct ibv_counter_attach_attr bytes = { .counter_desc = IBV_COUNTER_BYTES, .index = 1 };
	struct ibv_counters *counters = glue_create_counters(&context, NULL);
	struct flow_attr all = { .attr.priority = 7 }, drop = { .attr.priority = 1 };
	struct ibv_flow *flow[2];
	uint64_t values[3] = { 9, 9, 9 };

	(void)state;
	assert_non_null(counters);
	assert_int_equal(glue_attach_counters(counters, &packets, NULL), 0);
	assert_int_equal(glue_attach_counters(counters, &bytes, NULL), 0);
	bytes.index = 2;
	assert_int_equal(glue_attach_counters(counters, &bytes, NULL), ENOTSUP);

	flow_add(&all, (struct ibv_flow_spec)ETH(), sizeof(struct ibv_flow_spec_eth));
	flow_add(&all,
		 (struct ibv_flow_spec){
			 .flow_tag = { .type = IBV_FLOW_SPEC_ACTION_TAG, .tag_id = 0x12345 } },
		 sizeof(struct ibv_flow_spec_action_tag));
	flow_add(&drop, (struct ibv_flow_spec)L4(UDP), sizeof(struct ibv_flow_spec_tcp_udp));
	flow_add(&drop, (struct ibv_flow_spec){ .drop = { .type = IBV_FLOW_SPEC_ACTION_DROP } },
		 sizeof(struct ibv_flow_spec_action_drop));
	flow_add(&drop,
		 (struct ibv_flow_spec){ .flow_count = { .type = IBV_FLOW_SPEC_ACTION_COUNT,
							 .counters = counters } },
		 sizeof(struct ibv_flow_spec_counter_action));
	flow[0] = glue_create_flow(&qp[0], &all.attr);
	flow[1] = glue_create_flow(&qp[1], &drop.attr);
	assert_non_null(flow[0]);
	assert_non_null(flow[1]);
	assert_int_equal(tir[1]->users, 0); /* nothing gets there */

	assert_int_equal(reached(), 1u << TCP6);
	assert_int_equal(reached(), 1u << TCP6);
	assert_int_equal(way_of(TCP6).mark, 0x12345);
	assert_int_equal(glue_query_counters(counters, values, 3, 0), 0);
	assert_int_equal(values[0], 6);
	assert_int_equal(values[1], 6 * sizeof(frame[0]));
	assert_int_equal(values[2], 0);
	assert_int_equal(glue_destroy_counters(counters), EBUSY);
	glue_destroy_flow(flow[1]);
	assert_int_equal(reached(), 0xf);
	glue_destroy_flow(flow[0]);
	assert_int_equal(glue_destroy_counters(counters), 0);
}

static void
verbs_refuses_what_it_cannot(void **state)
{
	static const struct {
		const char *what;
		struct ibv_flow_attr attr;
		struct ibv_flow_spec spec;
		size_t size;
		int error, lines;
	} rows[] = {
		{ "priority",
		  { .priority = 16 },
		  ETH(),
		  sizeof(struct ibv_flow_spec_eth),
		  EINVAL,
		  0 },
		{ "sniffer",
		  { .type = IBV_FLOW_ATTR_SNIFFER },
		  ETH(),
		  sizeof(struct ibv_flow_spec_eth),
		  EOPNOTSUPP,
		  1 },
		{ "don't trap",
		  { .flags = IBV_FLOW_ATTR_FLAGS_DONT_TRAP },
		  ETH(),
		  sizeof(struct ibv_flow_spec_eth),
		  EOPNOTSUPP,
		  1 },
		{ "VXLAN",
		  { 0 },
		  { .tunnel = { .type = IBV_FLOW_SPEC_VXLAN_TUNNEL } },
		  sizeof(struct ibv_flow_spec_tunnel),
		  EOPNOTSUPP,
		  1 },
		{ "inner",
		  { 0 },
		  { .eth = { .type = IBV_FLOW_SPEC_ETH | IBV_FLOW_SPEC_INNER } },
		  sizeof(struct ibv_flow_spec_eth),
		  EOPNOTSUPP,
		  1 },
		{ "IPv4 flags",
		  { 0 },
		  V4(.mask.flags = 1),
		  sizeof(struct ibv_flow_spec_ipv4_ext),
		  EOPNOTSUPP,
		  1 },
		{ "too short", { 0 }, V6(), 8, EINVAL, 0 },
		{ "tag of 25 bits",
		  { 0 },
		  { .flow_tag = { .type = IBV_FLOW_SPEC_ACTION_TAG, .tag_id = 0x1000000 } },
		  sizeof(struct ibv_flow_spec_action_tag),
		  EINVAL,
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct flow_attr attr = { .attr = rows[i].attr };
		struct ibv_flow *flow;

		lines = 0;
		errno = 0;
		flow_add(&attr, rows[i].spec, rows[i].size);
		flow = glue_create_flow(&qp[0], &attr.attr);
		if (flow != NULL || errno != rows[i].error || lines != rows[i].lines)
			fail_msg("%s: errno %d, %d lines", rows[i].what, errno, lines);
	}
}

static struct mlx5dv_flow_match_parameters *
match_new(unsigned int which)
{
	static uint64_t store[2][1 + 512 / 8];
	struct mlx5dv_flow_match_parameters *match = (void *)store[which];

	memset(store[which], 0, sizeof(store[which]));
	match->match_sz = 512;
	return match;
}

static void *
matcher_new(void *table, uint16_t priority, unsigned int bit, unsigned int width)
{
	struct mlx5dv_flow_matcher_attr attr = { .priority = priority,
						 .match_criteria_enable = 0x7f,
						 .match_mask = match_new(0) };

	if (width > 0)
		prm_set(attr.match_mask->match_buf, bit, width, 0xffffffff);
	errno = 0;
	return glue_dv_create_flow_matcher(&context, &attr, table);
}

static void *
rule_new(void *matcher, unsigned int bit, unsigned int width, uint32_t value, void *a, void *b)
{
	struct mlx5dv_flow_match_parameters *match = match_new(1);
	void *actions[] = { a, b };

	if (width > 0)
		prm_set(match->match_buf, bit, width, value);
	errno = 0;
	return glue_dv_create_flow(matcher, match, (a != NULL) + (size_t)(b != NULL), actions);
}

/* As the PMD does it: a jump from the root, rules with priorities in a table of their own. */
static void
dr_rules_lead_through_tables(void **state)
{
	void *domain = glue_dr_create_domain(&context, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
	void *root = glue_dr_create_flow_tbl(domain, 0),
	     *table = glue_dr_create_flow_tbl(domain, 1);
	void *jump = glue_dr_create_flow_action_dest_flow_tbl(table);
	void *drop = glue_dr_create_flow_action_drop();
	void *tag = glue_dv_create_flow_action_tag(0xabc);
	void *count = glue_dv_create_flow_action_counter(&bulk, 2);
	void *queue[2] = { glue_dv_create_flow_action_dest_devx_tir(&tir[0]),
			   glue_dv_create_flow_action_dest_ibv_qp(&qp[1]) };
	void *any = matcher_new(root, 0, 0, 0), *udp = matcher_new(table, 5, 0x80, 8);
	void *to = matcher_new(table, 1, 0x60, 16), *rest = matcher_new(table, 9, 0, 0);
	void *rule[5];

	(void)state;
	rule[0] = rule_new(any, 0, 0, 0, jump, NULL);
	rule[1] = rule_new(udp, 0x80, 8, 17, queue[0], tag);
	rule[2] = rule_new(to, 0x60, 16, 9, drop, count);
	rule[3] = rule_new(rest, 0, 0, 0, queue[1], NULL);
	for (unsigned int i = 0; i < 4; i++)
		assert_non_null(rule[i]);
	assert_int_equal(tir[0]->users, 1);
	for (unsigned int i = 0; i < 3; i++) {
		assert_ptr_equal(way_of(UDP4).tir, tir[0]);
		assert_int_equal(way_of(TAGGED).mark, 0xabc);
		assert_null(way_of(OTHER_MAC).tir);
		assert_ptr_equal(way_of(TCP6).tir, tir[1]);
		assert_int_equal(way_of(TCP6).mark, 0);
	}
	assert_int_equal(bulk->value[2].packets, 3);
	assert_int_equal(bulk->value[2].bytes, 3 * sizeof(frame[0]));
	assert_int_equal(bulk->users, 1);

	/* in use */
	assert_int_equal(glue_destroy_flow_action(queue[0]), EBUSY);
	assert_int_equal(glue_dv_destroy_flow_matcher(udp), EBUSY);
	assert_int_equal(glue_dr_destroy_flow_tbl(table), EBUSY);
	assert_int_equal(glue_dr_destroy_domain(domain), EBUSY);

	/* a second rule of the same value waits for the first to go, or is refused */
	rule[4] = rule_new(udp, 0x80, 8, 17, queue[1], NULL);
	assert_non_null(rule[4]);
	assert_ptr_equal(way_of(UDP4).tir, tir[0]);
	glue_dr_allow_duplicate_rules(domain, 0);
	assert_null(rule_new(udp, 0x80, 8, 17, queue[1], NULL));
	assert_int_equal(errno, EEXIST);
	assert_int_equal(glue_dv_destroy_flow(rule[1]), 0);
	assert_ptr_equal(way_of(UDP4).tir, tir[1]);

	assert_int_equal(glue_dv_destroy_flow(rule[0]), 0);
	assert_null(way_of(TCP6).tir);
	for (unsigned int i = 2; i < 5; i++)
		assert_int_equal(glue_dv_destroy_flow(rule[i]), 0);
	assert_int_equal(glue_dv_destroy_flow_matcher(any) | glue_dv_destroy_flow_matcher(udp) |
				 glue_dv_destroy_flow_matcher(to) |
				 glue_dv_destroy_flow_matcher(rest),
			 0);
	assert_int_equal(glue_dr_destroy_flow_tbl(table), EBUSY); /* the jump */
	assert_int_equal(glue_destroy_flow_action(jump) | glue_destroy_flow_action(drop) |
				 glue_destroy_flow_action(tag) | glue_destroy_flow_action(count) |
				 glue_destroy_flow_action(queue[0]) |
				 glue_destroy_flow_action(queue[1]),
			 0);
	assert_int_equal(glue_dr_destroy_flow_tbl(table) | glue_dr_destroy_flow_tbl(root), 0);
	assert_int_equal(glue_dr_destroy_domain(domain), 0);
}

static void
dr_refuses_what_it_cannot(void **state)
{
	void *rx = glue_dr_create_domain(&context, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
	void *tx = glue_dr_create_domain(&context, MLX5DV_DR_DOMAIN_TYPE_NIC_TX);
	void *root = glue_dr_create_flow_tbl(rx, 0), *out = glue_dr_create_flow_tbl(tx, 0);
	void *table = glue_dr_create_flow_tbl(rx, 2), *pop = glue_dr_create_flow_action_pop_vlan();
	void *queue = glue_dv_create_flow_action_dest_devx_tir(&tir[0]);
	void *jump = glue_dr_create_flow_action_dest_flow_tbl(table);
	void *aside = glue_dr_create_flow_action_dest_flow_tbl(out);
	void *count = glue_dv_create_flow_action_counter(&bulk, 4);
	void *any = matcher_new(root, 15, 0, 0), *any_out = matcher_new(out, 0, 0, 0);
	uint64_t copy = htobe64(3ull << 60), set = htobe64(1ull << 60);

	(void)state;
	lines = 0;
	assert_null(glue_dr_create_domain(&context, MLX5DV_DR_DOMAIN_TYPE_FDB));
	assert_null(matcher_new(root, 16, 0, 0));
	assert_int_equal(errno, EINVAL);
	assert_null(matcher_new(table, 3, 3072 + 0x20, 32)); /* misc 5 */
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(rule_new(any_out, 0, 0, 0, count, NULL)); /* beyond the allocation */
	assert_int_equal(errno, EINVAL);
	assert_null(rule_new(any, 0, 0, 0, NULL, NULL));
	assert_int_equal(errno, EINVAL);
	assert_null(rule_new(any, 0, 0, 0, aside, NULL));
	assert_int_equal(errno, EINVAL);
	assert_null(glue_dv_create_flow_action_modify_header(&context, 0, rx, 0, 8, &copy));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(glue_dv_create_flow_action_tag(0x1000000));
	assert_null(glue_dv_create_flow_action_dest_devx_tir(&lines));
	assert_null(glue_dv_create_flow_action_counter(&lines, 0));
	assert_int_equal(lines, 0);

	assert_null(matcher_new(root, 3, 0xd5, 1)); /* l4_ok */
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(rule_new(any, 0, 0, 0, queue, jump));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(rule_new(any, 0, 0, 0, pop, jump));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(rule_new(any_out, 0, 0, 0, queue, NULL));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(glue_dv_create_flow_action_modify_header(&context, 0, rx, 0, 8, &set));
	assert_int_equal(lines, 5);

	nic.removed = true;
	assert_null(matcher_new(root, 1, 0, 0));
	assert_int_equal(errno, EIO);
	assert_int_equal(glue_dv_destroy_flow_matcher(any) | glue_dv_destroy_flow_matcher(any_out),
			 0);
	assert_int_equal(glue_destroy_flow_action(queue) | glue_destroy_flow_action(jump) |
				 glue_destroy_flow_action(aside) | glue_destroy_flow_action(count) |
				 glue_destroy_flow_action(pop),
			 0);
	assert_int_equal(glue_dr_destroy_flow_tbl(root) | glue_dr_destroy_flow_tbl(table) |
				 glue_dr_destroy_flow_tbl(out),
			 0);
	assert_int_equal(glue_dr_destroy_domain(rx) | glue_dr_destroy_domain(tx), 0);
	nic.removed = false;
}

static void
dr_dumps_its_rules(void **state)
{
	void *domain = glue_dr_create_domain(&context, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
	void *root = glue_dr_create_flow_tbl(domain, 0);
	void *tag = glue_dv_create_flow_action_tag(0xabc);
	void *queue = glue_dv_create_flow_action_dest_devx_tir(&tir[0]);
	void *matcher = matcher_new(root, 7, 0x40, 32);
	void *rule = rule_new(matcher, 0x40, 32, 0x02000000, queue, tag);
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(glue_dr_dump_domain(file, domain), 0);
	assert_int_equal(glue_dr_dump_rule(file, rule), 0);
	fclose(file);
	assert_non_null(strstr(text, "table: level 0\n  matcher: priority 7\n"));
	assert_non_null(strstr(text, "rule: queues, tag 0xabc\n"));
	assert_non_null(strstr(text, "00000000.00000000.02000000."));
	free(text);
	glue_dv_destroy_flow(rule);
	glue_dv_destroy_flow_matcher(matcher);
	glue_destroy_flow_action(queue);
	glue_destroy_flow_action(tag);
	glue_dr_destroy_flow_tbl(root);
	glue_dr_destroy_domain(domain);
}

static int
setup(void **state)
{
	(void)state;
	frames_build();
	for (unsigned int i = 0; i < 2; i++) {
		tir[i] = calloc(1, sizeof(*tir[i]));
		tir[i]->nic = &nic;
	}
	bulk = calloc(1, sizeof(*bulk) + 4 * sizeof(bulk->value[0]));
	bulk->n = 4;
	return cx5_steer_open(&nic);
}

/* Every test leaves nothing behind. */
static int
nothing_left(void **state)
{
	(void)state;
	return objects != 0 || loose != 0 || tir[0]->users != 0 || tir[1]->users != 0 ||
	       bulk->users != 0;
}

static int
teardown(void **state)
{
	(void)state;
	cx5_steer_close(&nic);
	free(bulk);
	free(tir[0]);
	free(tir[1]);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(verbs_flows_catch_their_frames, nothing_left),
		cmocka_unit_test_teardown(verbs_actions_tag_drop_and_count, nothing_left),
		cmocka_unit_test_teardown(verbs_refuses_what_it_cannot, nothing_left),
		cmocka_unit_test_teardown(dr_rules_lead_through_tables, nothing_left),
		cmocka_unit_test_teardown(dr_refuses_what_it_cannot, nothing_left),
		cmocka_unit_test_teardown(dr_dumps_its_rules, nothing_left),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

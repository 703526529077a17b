/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/flow.h"
#include "drivers/mlx5/model/prm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Flows as verbs describe them: a list of header specifications, which becomes a rule of the root
 * table as the kernel makes it (drivers/infiniband/hw/mlx5/fs.c).  Values are big-endian already
 * where the header's fields are.
 */
struct flow {
	struct ibv_flow handle; /* first: what the host holds */
	struct cx5 *nic;
	struct cx5_rule *rule;
	struct cx5_tir *tir; /* used */
	struct cx5_counters *counters;
};

struct counters {
	struct ibv_counters handle; /* first */
	struct cx5 *nic;
	uint8_t what[2]; /* of a value: 0 none, 1 + enum ibv_counter_description */
	struct cx5_counters *values;
};

/* A flow on its way to a rule. */
struct draft {
	struct cx5_key mask, value;
	struct cx5_fate fate;
	struct cx5_counters *counters;
	bool drops;
	const char *what; /* not modelled */
};

static void
match(struct draft *draft, enum cx5_fte at, unsigned int width, uint32_t mask, uint32_t value)
{
	prm_set(&draft->mask, at, width, mask);
	prm_set(&draft->value, at, width, value & mask);
}

static void
match_bytes(struct draft *draft, enum cx5_fte at, const void *mask, const void *value, size_t len)
{
	const uint8_t *from = value, *bits = mask;

	for (size_t i = 0; i < len; i++) {
		((uint8_t *)&draft->mask)[at / 8 + i] = bits[i];
		((uint8_t *)&draft->value)[at / 8 + i] = from[i] & bits[i];
	}
}

static int
spec_eth(struct draft *draft, const struct ibv_flow_spec *spec)
{
	const struct ibv_flow_eth_filter *mask = &spec->eth.mask, *value = &spec->eth.val;

	match_bytes(draft, FTE_DMAC, mask->dst_mac, value->dst_mac, 6);
	match_bytes(draft, FTE_SMAC, mask->src_mac, value->src_mac, 6);
	match(draft, FTE_ETHERTYPE, 16, be16toh(mask->ether_type), be16toh(value->ether_type));
	if (mask->vlan_tag != 0) {
		match(draft, FTE_CVLAN_TAG, 1, 1, 1);
		match(draft, FTE_FIRST_TCI, 16, be16toh(mask->vlan_tag), be16toh(value->vlan_tag));
	}
	return 0;
}

static int
spec_ipv4(struct draft *draft, const struct ibv_flow_spec *spec)
{
	struct ibv_flow_ipv4_ext_filter mask = { 0 }, value = { 0 };

	if (spec->hdr.type == IBV_FLOW_SPEC_IPV4_EXT) {
		mask = spec->ipv4_ext.mask;
		value = spec->ipv4_ext.val;
	} else {
		mask.src_ip = spec->ipv4.mask.src_ip;
		mask.dst_ip = spec->ipv4.mask.dst_ip;
		value.src_ip = spec->ipv4.val.src_ip;
		value.dst_ip = spec->ipv4.val.dst_ip;
	}
	if (mask.flags != 0) {
		draft->what = "IPv4 flags";
		return -EOPNOTSUPP; /* the kernel's answer, too */
	}
	match(draft, FTE_IP_VERSION, 4, 0xf, 4);
	match_bytes(draft, FTE_SRC_IPV4, &mask.src_ip, &value.src_ip, 4);
	match_bytes(draft, FTE_DST_IPV4, &mask.dst_ip, &value.dst_ip, 4);
	match(draft, FTE_IP_TOS, 8, mask.tos, value.tos);
	match(draft, FTE_TTL_HOPLIMIT, 8, mask.ttl, value.ttl);
	match(draft, FTE_IP_PROTOCOL, 8, mask.proto, value.proto);
	return 0;
}

static int
spec_ipv6(struct draft *draft, const struct ibv_flow_spec *spec)
{
	const struct ibv_flow_ipv6_filter *mask = &spec->ipv6.mask, *value = &spec->ipv6.val;

	match(draft, FTE_IP_VERSION, 4, 0xf, 6);
	match_bytes(draft, FTE_SRC_IPV6, mask->src_ip, value->src_ip, 16);
	match_bytes(draft, FTE_DST_IPV6, mask->dst_ip, value->dst_ip, 16);
	match(draft, FTE_IP_TOS, 8, mask->traffic_class, value->traffic_class);
	match(draft, FTE_TTL_HOPLIMIT, 8, mask->hop_limit, value->hop_limit);
	match(draft, FTE_IP_PROTOCOL, 8, mask->next_hdr, value->next_hdr);
	match(draft, FTE_FLOW_LABEL, 20, be32toh(mask->flow_label), be32toh(value->flow_label));
	return 0;
}

/* TCP or UDP: the protocol is matched as well, whatever the IP specification says of it. */
static int
spec_l4(struct draft *draft, const struct ibv_flow_spec *spec)
{
	const struct ibv_flow_tcp_udp_filter *mask = &spec->tcp_udp.mask;
	const struct ibv_flow_tcp_udp_filter *value = &spec->tcp_udp.val;
	bool tcp = spec->hdr.type == IBV_FLOW_SPEC_TCP;

	match(draft, FTE_IP_PROTOCOL, 8, 0xff, tcp ? 6 : 17);
	match(draft, tcp ? FTE_TCP_SPORT : FTE_UDP_SPORT, 16, be16toh(mask->src_port),
	      be16toh(value->src_port));
	match(draft, tcp ? FTE_TCP_DPORT : FTE_UDP_DPORT, 16, be16toh(mask->dst_port),
	      be16toh(value->dst_port));
	return 0;
}

static int
spec_tag(struct draft *draft, const struct ibv_flow_spec *spec)
{
	draft->fate.mark = spec->flow_tag.tag_id;
	draft->fate.marks = true;
	return spec->flow_tag.tag_id > 0xffffff ? -EINVAL : 0;
}

static int
spec_drop(struct draft *draft, const struct ibv_flow_spec *spec)
{
	(void)spec;
	draft->drops = true;
	return 0;
}

static int
spec_count(struct draft *draft, const struct ibv_flow_spec *spec)
{
	const struct counters *counters = (const struct counters *)spec->flow_count.counters;

	if (draft->counters != NULL || counters == NULL)
		return -EINVAL;
	draft->counters = counters->values;
	draft->fate.counter = &counters->values->value[0];
	return 0;
}

static const struct {
	enum ibv_flow_spec_type type;
	size_t size;
	int (*add)(struct draft *draft, const struct ibv_flow_spec *spec);
} kinds[] = {
	{ IBV_FLOW_SPEC_ETH, sizeof(struct ibv_flow_spec_eth), spec_eth },
	{ IBV_FLOW_SPEC_IPV4, sizeof(struct ibv_flow_spec_ipv4), spec_ipv4 },
	{ IBV_FLOW_SPEC_IPV4_EXT, sizeof(struct ibv_flow_spec_ipv4_ext), spec_ipv4 },
	{ IBV_FLOW_SPEC_IPV6, sizeof(struct ibv_flow_spec_ipv6), spec_ipv6 },
	{ IBV_FLOW_SPEC_TCP, sizeof(struct ibv_flow_spec_tcp_udp), spec_l4 },
	{ IBV_FLOW_SPEC_UDP, sizeof(struct ibv_flow_spec_tcp_udp), spec_l4 },
	{ IBV_FLOW_SPEC_ACTION_TAG, sizeof(struct ibv_flow_spec_action_tag), spec_tag },
	{ IBV_FLOW_SPEC_ACTION_DROP, sizeof(struct ibv_flow_spec_action_drop), spec_drop },
	{ IBV_FLOW_SPEC_ACTION_COUNT, sizeof(struct ibv_flow_spec_counter_action), spec_count },
};

static int
draft_add(struct draft *draft, const struct ibv_flow_spec *spec)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].type != spec->hdr.type)
			continue;
		return spec->hdr.size < kinds[i].size ? -EINVAL : kinds[i].add(draft, spec);
	}
	draft->what = "a specification that is not of Ethernet, IP, TCP or UDP";
	return -EOPNOTSUPP;
}

static int
draft_make(struct draft *draft, const struct ibv_flow_attr *attr, struct cx5_tir *tir)
{
	const uint8_t *at = (const uint8_t *)(attr + 1);
	int ret = 0;

	memset(draft, 0, sizeof(*draft));
	if (attr->type != IBV_FLOW_ATTR_NORMAL || attr->flags != 0) {
		draft->what = "a default, sniffer, egress or shared flow";
		return -EOPNOTSUPP;
	}
	if (attr->priority >= CX5_ROOT_PRIO)
		return -EINVAL;
	for (unsigned int i = 0; i < attr->num_of_specs && ret == 0; i++) {
		struct ibv_flow_spec spec = { .hdr = { 0 } };
		uint16_t size;

		/* One follows the other at multiples of 4, the type wants 8. */
		memcpy(&spec.hdr, at, sizeof(spec.hdr));
		size = spec.hdr.size;
		memcpy(&spec, at, size < sizeof(spec) ? size : sizeof(spec));
		ret = draft_add(draft, &spec);
		at += size;
	}
	if (ret == 0 && !draft->drops) {
		draft->fate.tir = tir;
		ret = tir == NULL ? -EINVAL : 0;
	}
	return ret;
}

static struct cx5_rule *
rule_make(struct cx5 *nic, uint16_t priority, const struct draft *draft)
{
	struct cx5_table *root = cx5_root(nic);
	struct cx5_matcher *matcher = cx5_matcher_find(root, priority, &draft->mask);
	struct cx5_rule *rule;

	if (matcher == NULL) {
		matcher = cx5_matcher_new(root, priority, &draft->mask);
		if (matcher == NULL)
			return NULL;
		matcher->own = true;
	}
	rule = cx5_rule_new(matcher, &draft->value, &draft->fate);
	if (rule == NULL && matcher->nb_rules == 0)
		cx5_matcher_free(matcher);
	return rule;
}

static struct flow *
flow_make(struct cx5 *nic, const struct ibv_flow_attr *attr, struct cx5_tir *tir)
{
	struct draft draft;
	struct flow *flow;
	int ret = draft_make(&draft, attr, tir);

	if (ret < 0) {
		if (draft.what != NULL)
			soft_log(nic->port, "a flow wants %s: not modelled, refused", draft.what);
		errno = -ret;
		return NULL;
	}
	flow = calloc(1, sizeof(*flow));
	if (flow != NULL)
		flow->rule = rule_make(nic, attr->priority, &draft);
	if (flow == NULL || flow->rule == NULL) {
		free(flow);
		errno = ENOMEM;
		return NULL;
	}
	flow->nic = nic;
	flow->tir = draft.fate.tir;
	flow->counters = draft.counters;
	if (flow->tir != NULL)
		flow->tir->users++;
	if (flow->counters != NULL)
		flow->counters->users++;
	cx5_count(nic, 1);
	return flow;
}

struct ibv_flow *
glue_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	struct cx5 *nic = cx5_of_context(qp->context);
	struct flow *flow;

	if (!cx5_enter(nic))
		return NULL;
	flow = flow_make(nic, attr, cx5_tir_of_qp(qp));
	cx5_unlock();
	if (flow == NULL)
		return NULL;
	flow->handle.context = qp->context;
	return &flow->handle;
}

int
glue_destroy_flow(struct ibv_flow *handle)
{
	struct flow *flow = (struct flow *)handle;

	cx5_lock();
	cx5_rule_free(flow->rule);
	if (flow->tir != NULL)
		flow->tir->users--;
	if (flow->counters != NULL)
		flow->counters->users--;
	cx5_count(flow->nic, -1);
	cx5_unlock();
	free(flow);
	return 0;
}

struct ibv_counters *
glue_create_counters(struct ibv_context *context, struct ibv_counters_init_attr *attr)
{
	struct cx5 *nic = cx5_of_context(context);
	struct counters *counters;

	(void)attr;
	if (!cx5_enter(nic))
		return NULL;
	counters = calloc(1, sizeof(*counters));
	if (counters != NULL)
		counters->values =
			calloc(1, sizeof(*counters->values) + sizeof(struct cx5_counter));
	if (counters == NULL || counters->values == NULL) {
		cx5_unlock();
		free(counters);
		errno = ENOMEM;
		return NULL;
	}
	counters->handle.context = context;
	counters->nic = nic;
	counters->values->n = 1;
	cx5_count(nic, 1);
	cx5_unlock();
	return &counters->handle;
}

int
glue_destroy_counters(struct ibv_counters *handle)
{
	struct counters *counters = (struct counters *)handle;

	cx5_lock();
	if (counters->values->users > 0) {
		cx5_unlock();
		errno = EBUSY;
		return EBUSY;
	}
	cx5_count(counters->nic, -1);
	cx5_unlock();
	free(counters->values);
	free(counters);
	return 0;
}

/* Which place of an answer has the packets and which the bytes. */
int
glue_attach_counters(struct ibv_counters *handle, struct ibv_counter_attach_attr *attr,
		     struct ibv_flow *flow)
{
	struct counters *counters = (struct counters *)handle;

	if (flow != NULL || attr->index >= 2 ||
	    (attr->counter_desc != IBV_COUNTER_PACKETS &&
	     attr->counter_desc != IBV_COUNTER_BYTES)) {
		errno = ENOTSUP;
		return ENOTSUP;
	}
	cx5_lock();
	counters->what[attr->index] = (uint8_t)(1 + attr->counter_desc);
	cx5_unlock();
	return 0;
}

int
glue_query_counters(struct ibv_counters *handle, uint64_t *values, uint32_t nb_values,
		    uint32_t flags)
{
	const struct counters *counters = (const struct counters *)handle;
	const struct cx5_counter *counter = &counters->values->value[0];

	(void)flags;
	cx5_lock();
	for (uint32_t i = 0; i < nb_values; i++) {
		uint8_t what = i < 2 ? counters->what[i] : 0;

		values[i] = what == 1 + IBV_COUNTER_PACKETS ? counter->packets
			    : what == 1 + IBV_COUNTER_BYTES ? counter->bytes
							    : 0;
	}
	cx5_unlock();
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_STEER_H
#define CX5_STEER_H

#include "drivers/mlx5/model/model.h"

/*
 * Flow steering (PRM 8.x, "Flow Steering"): a table has matchers, a matcher has rules that look at
 * the same bits, the first rule that fits in the order of the matchers' priorities says what becomes
 * of a frame.  DR and verbs flows both end here; verbs knows the root table only.
 *
 * Private to steer*.c and flow_*.c.  Under the models' lock.  Errors: negative errno.
 */
#define CX5_KEY_WORDS (CX5_KEY / 8)
#define CX5_HOPS      16 /* tables that a frame may visit: rules can send it in circles */
#define CX5_ROOT_PRIO 16 /* priorities of the root table, those of the kernel's bypass namespace */

/* Fields of fte_match_param, by the bit (prm.h) at which they start. */
enum cx5_fte {
	FTE_SMAC = 0x00,
	FTE_ETHERTYPE = 0x30, /* behind the last tag */
	FTE_DMAC = 0x40,
	FTE_FIRST_TCI = 0x70,   /* priority 3, CFI 1, VID 12 */
	FTE_IP_PROTOCOL = 0x80, /* 8 */
	FTE_IP_TOS = 0x88,      /* DSCP 6, ECN 2; traffic class */
	FTE_CVLAN_TAG = 0x90,   /* 1; the outermost tag is 0x8100 */
	FTE_SVLAN_TAG = 0x91,   /* 1; the outermost tag is 0x88a8 */
	FTE_FRAG = 0x92,        /* 1 */
	FTE_IP_VERSION = 0x93,  /* 4 */
	FTE_TCP_FLAGS = 0x97,   /* 9 */
	FTE_TCP_SPORT = 0xa0,
	FTE_TCP_DPORT = 0xb0,
	FTE_IPV4_IHL = 0xd0,     /* 4 */
	FTE_TTL_HOPLIMIT = 0xd8, /* 8 */
	FTE_UDP_SPORT = 0xe0,
	FTE_UDP_DPORT = 0xf0,
	FTE_SRC_IPV6 = 0x100,
	FTE_SRC_IPV4 = 0x160, /* the last of its 16 bytes */
	FTE_DST_IPV6 = 0x180,
	FTE_DST_IPV4 = 0x1e0,
	FTE_SECOND_TCI = 0x240,   /* misc parameters + 0x40 */
	FTE_SECOND_CVLAN = 0x260, /* 1 */
	FTE_SECOND_SVLAN = 0x262, /* 1 */
	FTE_FLOW_LABEL = 0x2ec,   /* 20, IPv6 */
};

/* The bytes of fte_match_param up to the misc parameters' end, as words of the machine. */
struct cx5_key {
	uint64_t w[CX5_KEY_WORDS];
};

/* steer_key.c */
/* A mask of the host's: -EINVAL malformed, -EOPNOTSUPP if it looks at what is not modelled; *what
 * names that, or is NULL when it is nothing to talk about. */
int cx5_key_mask(struct cx5_key *mask, const struct mlx5dv_flow_match_parameters *match,
		 uint8_t criteria, const char **what);
int cx5_key_value(struct cx5_key *value, const struct mlx5dv_flow_match_parameters *match,
		  const struct cx5_key *mask);

/* What a rule does.  Neither tir nor jump: the frame ends here. */
struct cx5_fate {
	struct cx5_tir *tir;
	struct cx5_table *jump;
	struct cx5_counter *counter;
	uint32_t mark;
	bool marks, pop_vlan;
};
struct cx5_rule {
	struct cx5_rule *next; /* in its bucket */
	struct cx5_matcher *matcher;
	struct cx5_key value; /* masked */
	struct cx5_fate fate;
};
struct cx5_matcher {
	struct cx5_matcher *next; /* of the same or a less urgent priority */
	struct cx5_table *table;
	struct cx5_key mask;
	uint32_t words; /* bit i: mask.w[i] is not zero */
	uint32_t nb_rules, nb_buckets;
	struct cx5_rule **bucket;
	uint16_t priority; /* 0 comes first */
	bool own;          /* made for verbs flows, goes with the last of them */
};
struct cx5_table {
	struct cx5 *nic;
	struct cx5_table *next; /* of the card's receive tables */
	struct cx5_matcher *matchers;
	uint32_t level;     /* 0: root */
	unsigned int users; /* matchers, actions that jump here */
	bool egress;
};

/* steer.c; a table of the host's own is linked in and out, the root table is always there */
struct cx5_table *cx5_root(struct cx5 *nic);
struct cx5_table *cx5_tables(struct cx5 *nic); /* the first of the receive side's */
void cx5_table_link(struct cx5_table *table);
void cx5_table_unlink(struct cx5_table *table);

/* steer_rule.c */
struct cx5_matcher *cx5_matcher_new(struct cx5_table *table, uint16_t priority,
				    const struct cx5_key *mask); /* NULL: no memory */
struct cx5_matcher *cx5_matcher_find(const struct cx5_table *table, uint16_t priority,
				     const struct cx5_key *mask);
void cx5_matcher_free(struct cx5_matcher *matcher); /* has no rules */
/* The one that decides of several with the same value is the oldest. */
struct cx5_rule *cx5_rule_new(struct cx5_matcher *matcher, const struct cx5_key *value,
			      const struct cx5_fate *fate); /* NULL: no memory */
void cx5_rule_free(struct cx5_rule *rule);
const struct cx5_rule *cx5_rule_find(const struct cx5_matcher *matcher, const struct cx5_key *key);

/* For steer_rule.c: rules, matchers and queues of a card have changed. */
void cx5_steer_changed(struct cx5 *nic);
int cx5_dest_use(struct cx5 *nic, struct cx5_tir *tir); /* -ENOMEM */
void cx5_dest_release(struct cx5 *nic, const struct cx5_tir *tir);

static inline uint64_t
cx5_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull; /* 2^64 / golden ratio */
	return hash ^ hash >> 29;
}

#endif

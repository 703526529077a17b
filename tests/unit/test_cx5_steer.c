/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow steering of the ConnectX-5 model: what a key holds, and that the answers, kept or not, are
 * those of a plain search through rules and frames at random.
 */
#include "drivers/mlx5/model/prm.h"
#include "drivers/mlx5/model/steer_key.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A frame in words, and its bytes. */
struct pkt {
	uint8_t dmac[6], smac[6];
	unsigned int nb_tags;
	uint16_t tpid[2], tci[2];
	unsigned int version; /* 0: ARP */
	uint8_t protocol, tos, ttl;
	bool fragment;
	uint32_t flow_label;
	uint8_t src[16], dst[16]; /* IPv4: the last four */
	uint16_t sport, dport, tcp_flags;
	uint8_t bytes[128];
};

static uint8_t *
put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
	return at + 2;
}

static uint8_t *
put_ip(const struct pkt *p, uint8_t *at)
{
	if (p->version == 4) {
		put16(at, 0x4500u | p->tos);
		put16(at + 2, 60);
		put16(at + 6, p->fragment ? 0x2000 : 0);
		put16(at + 8, (uint32_t)p->ttl << 8 | p->protocol);
		memcpy(at + 12, p->src + 12, 4);
		memcpy(at + 16, p->dst + 12, 4);
		return at + 20;
	}
	put16(at, 6u << 12 | (uint32_t)p->tos << 4 | p->flow_label >> 16);
	put16(at + 2, p->flow_label & 0xffff);
	put16(at + 4, 40);
	at[6] = p->fragment ? 44 : p->protocol;
	at[7] = p->ttl;
	memcpy(at + 8, p->src, 16);
	memcpy(at + 24, p->dst, 16);
	if (p->fragment) {
		at[40] = p->protocol;
		put16(at + 42, 1);
		return at + 48;
	}
	return at + 40;
}

static void
pkt_build(struct pkt *p)
{
	uint8_t *at = p->bytes;

	memset(p->bytes, 0, sizeof(p->bytes));
	memcpy(at, p->dmac, 6);
	memcpy(at + 6, p->smac, 6);
	at += 12;
	for (unsigned int i = 0; i < p->nb_tags; i++) {
		at = put16(at, p->tpid[i]);
		at = put16(at, p->tci[i]);
	}
	at = put16(at, p->version == 4 ? 0x0800 : p->version == 6 ? 0x86dd : 0x0806);
	if (p->version == 0)
		return;
	at = put_ip(p, at);
	put16(at, p->sport);
	put16(at + 2, p->dport);
	if (p->protocol == 6)
		put16(at + 12, 0x5000u | p->tcp_flags);
	else if (p->protocol == 17)
		put16(at + 4, 20);
}

/* The key as the PRM's table has it, field by field, from the words. */
static void
oracle_key(const struct pkt *p, struct cx5_key *key)
{
	uint8_t *k = (uint8_t *)key;

	memset(k, 0, CX5_KEY);
	memcpy(k, p->smac, 6);
	memcpy(k + 8, p->dmac, 6);
	prm_set(k, 0x30, 16, p->version == 4 ? 0x0800 : p->version == 6 ? 0x86dd : 0x0806);
	if (p->nb_tags > 0) {
		prm_set(k, 0x70, 16, p->tci[0]);
		prm_set(k, p->tpid[0] == 0x8100 ? 0x90 : 0x91, 1, 1);
	}
	if (p->nb_tags > 1) {
		prm_set(k, 512 + 0x40, 16, p->tci[1]);
		prm_set(k, 512 + (p->tpid[1] == 0x8100 ? 0x60 : 0x62), 1, 1);
	}
	if (p->version == 0)
		return;
	prm_set(k, 0x80, 8, p->version == 6 && p->fragment ? 44 : p->protocol);
	prm_set(k, 0x88, 8, p->tos);
	prm_set(k, 0x92, 1, p->fragment);
	prm_set(k, 0x93, 4, p->version);
	prm_set(k, 0xd8, 8, p->ttl);
	if (p->version == 4) {
		prm_set(k, 0xd0, 4, 5);
		memcpy(k + 44, p->src + 12, 4);
		memcpy(k + 60, p->dst + 12, 4);
	} else {
		memcpy(k + 32, p->src, 16);
		memcpy(k + 48, p->dst, 16);
		prm_set(k, 512 + 0xec, 20, p->flow_label);
	}
	if (!p->fragment && p->protocol == 6) {
		prm_set(k, 0xa0, 16, p->sport);
		prm_set(k, 0xb0, 16, p->dport);
		prm_set(k, 0x97, 9, p->tcp_flags);
	} else if (!p->fragment && p->protocol == 17) {
		prm_set(k, 0xe0, 16, p->sport);
		prm_set(k, 0xf0, 16, p->dport);
	}
}

/* Few values of each kind, so that rules and frames meet. */
static void
pkt_random(struct pkt *p)
{
	static const uint8_t protocols[] = { 6, 17, 17, 1 };
	static const unsigned int versions[] = { 0, 4, 4, 4, 6 };

	memset(p, 0, sizeof(*p));
	p->dmac[0] = 2;
	p->dmac[5] = (uint8_t)(rand() % 4);
	p->smac[0] = 4;
	p->smac[5] = (uint8_t)(rand() % 2);
	p->nb_tags = rand() % 4 > 2 ? 2 : (unsigned int)rand() % 2;
	p->tpid[0] = p->nb_tags > 1 ? 0x88a8 : 0x8100;
	p->tpid[1] = 0x8100;
	p->tci[0] = (uint16_t)(rand() % 3 << 13 | rand() % 4);
	p->tci[1] = (uint16_t)(rand() % 3);
	p->version = versions[rand() % 5];
	p->protocol = protocols[rand() % 4];
	p->tos = (uint8_t)(rand() % 2 * 0xb8);
	p->ttl = (uint8_t)(rand() % 2 * 63 + 1);
	p->fragment = rand() % 8 == 0;
	p->flow_label = (uint32_t)(rand() % 2) * 0xabcde;
	p->src[0] = 0x20;
	p->src[12] = 10;
	p->src[15] = (uint8_t)(rand() % 4);
	p->dst[0] = 0x20;
	p->dst[12] = 198;
	p->dst[15] = (uint8_t)(rand() % 8);
	p->sport = (uint16_t)(rand() % 4);
	p->dport = (uint16_t)(rand() % 4 + 0x100);
	p->tcp_flags = (uint16_t)(rand() % 2 * 0x112);
	pkt_build(p);
}

static void
a_key_holds_what_the_frame_says(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct cx5_key key, want;
		struct hdr hdr;
		struct pkt p;

		pkt_random(&p);
		hdr_parse(&hdr, p.bytes, sizeof(p.bytes));
		oracle_key(&p, &want);
		memset(&key, 0xa5, sizeof(key));
		cx5_key_read(&key, 0xffff, &hdr, p.bytes);
		assert_memory_equal(&key, &want, sizeof(key));
	}
}

/* 512 bytes of fte_match_param, all 0. */
static struct mlx5dv_flow_match_parameters *
match_new(size_t len)
{
	static uint64_t store[1 + 512 / 8];
	struct mlx5dv_flow_match_parameters *match = (void *)store;

	memset(store, 0, sizeof(store));
	match->match_sz = len;
	return match;
}

static void
masks_that_are_not_modelled_are_refused(void **state)
{
	static const struct {
		const char *name;
		unsigned int bit, width;
		uint8_t criteria;
		int want;
		bool named;
	} rows[] = {
		{ "destination MAC", 0x40, 32, 1, 0, false },
		{ "second tag", 512 + 0x40, 16, 2, 0, false },
		{ "second tag, misc not enabled", 512 + 0x40, 16, 1, 0, false },
		{ "flow label", 512 + 0xec, 20, 3, 0, false },
		{ "l4_ok", 0xd5, 1, 1, -EOPNOTSUPP, true },
		{ "reserved", 0xc0, 16, 1, -EOPNOTSUPP, true },
		{ "source port", 512 + 0x30, 16, 2, -EOPNOTSUPP, true },
		{ "VXLAN", 512 + 0xa0, 24, 3, -EOPNOTSUPP, true },
		{ "inner headers", 1024 + 0x40, 16, 4, -EOPNOTSUPP, true },
		{ "inner headers, not enabled", 1024 + 0x40, 16, 3, 0, false },
		{ "register C 0", 1536 + 0x160, 32, 8, -EOPNOTSUPP, true },
		{ "ICMP type", 2048 + 0x100, 8, 16, -EOPNOTSUPP, true },
		{ "misc 5, a question of the PMD's", 3072 + 0x20, 32, 64, -EOPNOTSUPP, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mlx5dv_flow_match_parameters *match = match_new(512);
		struct cx5_key mask;
		const char *what;
		int ret;

		prm_set(match->match_buf, rows[i].bit, rows[i].width, 0xffffffff);
		ret = cx5_key_mask(&mask, match, rows[i].criteria, &what);
		if (ret != rows[i].want || (what != NULL) != rows[i].named)
			fail_msg("%s: %d, %s", rows[i].name, ret, what);
	}
}

static void
lengths_of_masks_are_checked(void **state)
{
	struct mlx5dv_flow_match_parameters *match = match_new(64);
	struct cx5_key mask;
	const char *what;

	(void)state;
	memset(match->match_buf, 0xff, 512);
	prm_set(match->match_buf, 0xc0, 32, 0);
	assert_int_equal(cx5_key_mask(&mask, match, 0xff, &what), 0);
	assert_int_equal(mask.w[8], 0);
	match->match_sz = 63;
	assert_int_equal(cx5_key_mask(&mask, match, 1, &what), -EINVAL);
	assert_int_equal(cx5_key_value(&mask, match, &mask), -EINVAL);
}

/* A card with tables: [0] is the root. */
#define TABLES   4
#define RULES    48
#define COUNTERS 8
#define TIRS     6
struct rule {
	struct cx5_rule *engine;
	struct cx5_matcher *matcher;
	unsigned int table, age;
	int jump;
};
struct rig {
	struct cx5 nic;
	struct cx5_table table[TABLES];
	struct cx5_tir *tir[TIRS];
	struct cx5_counter counter[COUNTERS], want[COUNTERS];
	struct rule rule[RULES];
	unsigned int age;
};

static struct cx5_table *
rig_table(struct rig *rig, unsigned int i)
{
	return i == 0 ? cx5_root(&rig->nic) : &rig->table[i];
}

static void
rig_open(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	assert_int_equal(cx5_steer_open(&rig->nic), 0);
	for (unsigned int i = 1; i < TABLES; i++) {
		rig->table[i].nic = &rig->nic;
		rig->table[i].level = i;
		cx5_table_link(&rig->table[i]);
	}
	for (unsigned int i = 0; i < TIRS; i++)
		rig->tir[i] = calloc(1, sizeof(*rig->tir[i]));
}

static void
rule_drop(struct rule *rule)
{
	if (rule->engine == NULL)
		return;
	cx5_rule_free(rule->engine);
	cx5_matcher_free(rule->matcher);
	rule->engine = NULL;
}

static void
rig_close(struct rig *rig)
{
	for (unsigned int i = 0; i < RULES; i++)
		rule_drop(&rig->rule[i]);
	for (unsigned int i = 1; i < TABLES; i++) {
		assert_int_equal(rig->table[i].users, 0);
		cx5_table_unlink(&rig->table[i]);
	}
	cx5_steer_close(&rig->nic);
	for (unsigned int i = 0; i < TIRS; i++)
		free(rig->tir[i]);
}

static void
rule_set(struct rig *rig, struct rule *rule, unsigned int table, const struct cx5_key *mask,
	 const struct cx5_key *value)
{
	struct cx5_fate fate = { 0 };
	struct cx5_key masked;

	for (unsigned int i = 0; i < CX5_KEY_WORDS; i++)
		masked.w[i] = value->w[i] & mask->w[i];
	rule->jump = -1;
	if (rand() % 3 == 0) {
		rule->jump = rand() % TABLES;
		fate.jump = rig_table(rig, (unsigned int)rule->jump);
	} else if (rand() % 8 != 0) {
		fate.tir = rig->tir[rand() % TIRS];
	}
	fate.marks = rand() % 2 == 0;
	fate.mark = (uint32_t)rand() & 0xffffff;
	fate.pop_vlan = rand() % 4 == 0;
	if (rand() % 2 == 0)
		fate.counter = &rig->counter[rand() % COUNTERS];
	rule->table = table;
	rule->age = rig->age++;
	rule->matcher = cx5_matcher_new(rig_table(rig, table), (uint16_t)(rand() % 4), mask);
	rule->engine = cx5_rule_new(rule->matcher, &masked, &fate);
	assert_non_null(rule->engine);
}

static void
mask_random(struct cx5_key *mask)
{
	static const struct {
		unsigned int bit, width;
	} fields[] = {
		{ 0x40, 32 },  { 0x60, 16 },  { 0x00, 32 },  { 0x20, 16 }, { 0x30, 16 },
		{ 0x74, 12 },  { 0x70, 3 },   { 0x80, 8 },   { 0x88, 8 },  { 0x90, 1 },
		{ 0x92, 1 },   { 0x93, 4 },   { 0x97, 9 },   { 0xa0, 16 }, { 0xb0, 16 },
		{ 0xd8, 8 },   { 0xe0, 16 },  { 0xf0, 16 },  { 0x160, 8 }, { 0x160, 32 },
		{ 0x1e0, 24 }, { 0x1e0, 32 }, { 0x180, 32 }, { 576, 16 },  { 608, 1 },
		{ 0x2ec, 20 },
	};
	int n = rand() % 4;

	memset(mask, 0, sizeof(*mask));
	while (n-- > 0) {
		size_t i = (size_t)rand() % (sizeof(fields) / sizeof(fields[0]));

		prm_set(mask, fields[i].bit, fields[i].width, 0xffffffff);
	}
}

static bool
rule_fits(const struct rule *rule, const struct cx5_key *key)
{
	for (unsigned int i = 0; i < CX5_KEY_WORDS; i++) {
		if ((key->w[i] & rule->matcher->mask.w[i]) != rule->engine->value.w[i])
			return false;
	}
	return true;
}

/* The plain search: of all rules of the table, the most urgent and then the oldest. */
static const struct rule *
oracle_find(const struct rig *rig, unsigned int table, const struct cx5_key *key)
{
	const struct rule *best = NULL;

	for (unsigned int i = 0; i < RULES; i++) {
		const struct rule *r = &rig->rule[i];

		if (r->engine == NULL || r->table != table || !rule_fits(r, key))
			continue;
		if (best == NULL || r->matcher->priority < best->matcher->priority ||
		    (r->matcher->priority == best->matcher->priority && r->age < best->age))
			best = r;
	}
	return best;
}

static struct cx5_way
oracle_steer(struct rig *rig, const struct pkt *p)
{
	struct cx5_way way = { 0 };
	struct cx5_key key;
	int table = 0;

	oracle_key(p, &key);
	for (int hop = 0; hop < CX5_HOPS && table >= 0; hop++) {
		const struct rule *rule = oracle_find(rig, (unsigned int)table, &key);

		if (rule == NULL) {
			way.tir = NULL;
			break;
		}
		if (rule->engine->fate.counter != NULL) {
			long i = rule->engine->fate.counter - rig->counter;

			rig->want[i].packets++;
			rig->want[i].bytes += sizeof(p->bytes);
		}
		if (rule->engine->fate.marks)
			way.mark = rule->engine->fate.mark;
		way.pop_vlan |= rule->engine->fate.pop_vlan;
		way.tir = rule->engine->fate.tir;
		table = rule->jump;
	}
	return way;
}

static void
compare(struct rig *rig, const struct pkt *p)
{
	struct cx5_way got, want = oracle_steer(rig, p);
	struct hdr hdr;

	hdr_parse(&hdr, p->bytes, sizeof(p->bytes));
	memset(&got, 0xa5, sizeof(got));
	cx5_steer(&rig->nic, &hdr, p->bytes, sizeof(p->bytes), &got);
	assert_ptr_equal(got.tir, want.tir);
	assert_int_equal(got.mark, want.mark);
	assert_int_equal(got.pop_vlan, want.pop_vlan);
	assert_memory_equal(rig->counter, rig->want, sizeof(rig->counter));
}

static void
answers_are_those_of_a_plain_search(void **state)
{
	static struct pkt pkts[64];
	static struct rig rig;

	(void)state;
	for (int round = 0; round < 40; round++) {
		rig_open(&rig);
		for (unsigned int i = 0; i < 64; i++)
			pkt_random(&pkts[i]);
		for (int step = 0; step < 60; step++) {
			struct rule *rule = &rig.rule[rand() % RULES];
			struct cx5_key mask, value;
			struct pkt p;

			rule_drop(rule);
			pkt_random(&p);
			oracle_key(&p, &value);
			mask_random(&mask);
			if (rand() % 4 != 0)
				rule_set(&rig, rule, (unsigned int)rand() % TABLES, &mask, &value);
			for (int i = 0; i < 100; i++)
				compare(&rig, &pkts[rand() % 64]);
		}
		rig_close(&rig);
	}
}

/* Many rules of one matcher, as an application's exact-match table: its buckets grow. */
static void
rules_of_one_mask_are_all_found(void **state)
{
	enum { N = 3000 };
	static struct cx5_rule *rule[N];
	static struct rig rig;
	struct cx5_matcher *matcher;
	struct cx5_key mask = { { 0 } }, value;
	struct cx5_fate fate = { .marks = true };

	(void)state;
	rig_open(&rig);
	prm_set(&mask, FTE_DST_IPV4, 32, 0xffffffff);
	matcher = cx5_matcher_new(cx5_root(&rig.nic), 0, &mask);
	for (unsigned int i = 0; i < N; i++) {
		memset(&value, 0, sizeof(value));
		prm_set(&value, FTE_DST_IPV4, 32, i * 7);
		fate.mark = i + 1;
		fate.tir = rig.tir[i % TIRS];
		rule[i] = cx5_rule_new(matcher, &value, &fate);
	}
	assert_true(matcher->nb_buckets >= N / 2);
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < N; i++) {
			memset(&value, 0x5a, sizeof(value));
			prm_set(&value, FTE_DST_IPV4, 32, i * 7);
			if (pass == 1 && i % 2 == 0)
				assert_null(cx5_rule_find(matcher, &value));
			else
				assert_ptr_equal(cx5_rule_find(matcher, &value), rule[i]);
		}
		for (unsigned int i = 0; i < N && pass == 0; i += 2)
			cx5_rule_free(rule[i]);
	}
	for (unsigned int i = 1; i < N; i += 2)
		cx5_rule_free(rule[i]);
	cx5_matcher_free(matcher);
	rig_close(&rig);
}

static struct cx5_way
way_of(struct rig *rig, const struct pkt *p, uint32_t len)
{
	struct cx5_way way;
	struct hdr hdr;

	hdr_parse(&hdr, p->bytes, len);
	cx5_steer(&rig->nic, &hdr, p->bytes, len, &way);
	return way;
}

static void
of_equal_rules_the_oldest_decides(void **state)
{
	static struct rig rig;
	struct cx5_key none = { { 0 } };
	struct cx5_fate fate = { 0 };
	struct cx5_rule *first, *second;
	struct cx5_matcher *matcher;
	struct pkt p;

	(void)state;
	rig_open(&rig);
	pkt_random(&p);
	assert_null(way_of(&rig, &p, 60).tir);
	matcher = cx5_matcher_new(cx5_root(&rig.nic), 3, &none);
	fate.tir = rig.tir[0];
	first = cx5_rule_new(matcher, &none, &fate);
	assert_ptr_equal(way_of(&rig, &p, 60).tir, rig.tir[0]);
	fate.tir = rig.tir[1];
	second = cx5_rule_new(matcher, &none, &fate);
	assert_ptr_equal(way_of(&rig, &p, 60).tir, rig.tir[0]);
	cx5_rule_free(first);
	assert_ptr_equal(way_of(&rig, &p, 60).tir, rig.tir[1]);
	assert_null(way_of(&rig, &p, 13).tir); /* a runt is nobody's */
	cx5_rule_free(second);
	assert_null(way_of(&rig, &p, 60).tir);
	cx5_matcher_free(matcher);
	rig_close(&rig);
}

/* Through more tables with counters than a kept answer has room for, and in a circle. */
static void
long_ways_end_and_count(void **state)
{
	static struct rig rig;
	struct cx5_key none = { { 0 } };
	struct cx5_fate fate = { 0 };
	struct cx5_matcher *matcher;
	struct cx5_rule *rule;
	struct pkt p;

	(void)state;
	rig_open(&rig);
	pkt_random(&p);
	fate.jump = cx5_root(&rig.nic);
	fate.counter = &rig.counter[0];
	matcher = cx5_matcher_new(cx5_root(&rig.nic), 0, &none);
	rule = cx5_rule_new(matcher, &none, &fate);
	for (unsigned int i = 1; i <= 3; i++) {
		assert_null(way_of(&rig, &p, 100).tir);
		assert_int_equal(rig.counter[0].packets, i * CX5_HOPS);
		assert_int_equal(rig.counter[0].bytes, i * CX5_HOPS * 100);
	}
	cx5_rule_free(rule);
	cx5_matcher_free(matcher);
	rig_close(&rig);
}

static void
ready_is_who_has_rules_that_lead_somewhere(void **state)
{
	static struct rig rig;
	struct cx5_key none = { { 0 } };
	struct cx5_fate drop = { 0 }, fate = { 0 };
	struct cx5_matcher *matcher;
	struct cx5_rule *a, *b, *c;

	(void)state;
	rig_open(&rig);
	assert_false(cx5_steer_ready(&rig.nic));
	matcher = cx5_matcher_new(cx5_root(&rig.nic), 0, &none);
	a = cx5_rule_new(matcher, &none, &drop);
	assert_false(cx5_steer_ready(&rig.nic));
	fate.tir = rig.tir[0];
	b = cx5_rule_new(matcher, &none, &fate);
	c = cx5_rule_new(matcher, &none, &fate);
	assert_true(cx5_steer_ready(&rig.nic));
	cx5_rule_free(b);
	assert_true(cx5_steer_ready(&rig.nic));
	cx5_rule_free(c);
	assert_false(cx5_steer_ready(&rig.nic));
	cx5_rule_free(a);
	cx5_matcher_free(matcher);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_holds_what_the_frame_says),
		cmocka_unit_test(masks_that_are_not_modelled_are_refused),
		cmocka_unit_test(lengths_of_masks_are_checked),
		cmocka_unit_test(answers_are_those_of_a_plain_search),
		cmocka_unit_test(rules_of_one_mask_are_all_found),
		cmocka_unit_test(of_equal_rules_the_oldest_decides),
		cmocka_unit_test(long_ways_end_and_count),
		cmocka_unit_test(ready_is_who_has_rules_that_lead_somewhere),
	};
	const char *seed = getenv("SEED");
	unsigned int start = seed != NULL ? (unsigned int)strtoul(seed, NULL, 0) : 1;

	print_message("SEED=%u\n", start);
	srand(start);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

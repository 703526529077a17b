/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/steer_key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>

/*
 * Which way a frame goes.  A search through the tables is slow, so answers are kept: two frames that
 * are equal in every bit that some rule of the card looks at have the same one.  Any change of a rule
 * makes all answers of the generation before void.
 */
#define ETHER_LEN       14
#define GOLDEN          0x9e3779b97f4a7c15ull
#define ANSWER_COUNTERS 4 /* an answer with more of them is not kept */

struct answer {
	struct cx5_tir *tir;
	uint32_t mark, generation;
	bool pop_vlan;
	uint8_t nb_counters;
	struct cx5_counter *counter[ANSWER_COUNTERS];
	uint64_t key[CX5_KEY_WORDS]; /* masked, without the words that nobody looks at */
} __attribute__((aligned(64)));

struct dest { /* a TIR that rules lead to */
	struct dest *next;
	struct cx5_tir *tir;
	unsigned int users;
};

struct cx5_steer {
	bool stale; /* the plan below is older than the rules */
	uint8_t nb_words;
	uint8_t word[CX5_KEY_WORDS]; /* those that some rule looks at */
	uint32_t words, generation;
	uint64_t mask[CX5_KEY_WORDS]; /* of word[i] */
	struct cx5_table *tables;     /* receive side */
	struct dest *dests;
	struct cx5_table root;
	struct answer cache[CX5_CACHE];
};

int
cx5_steer_open(struct cx5 *nic)
{
	struct cx5_steer *steer = aligned_alloc(64, sizeof(*steer));

	if (steer == NULL)
		return -ENOMEM;
	memset(steer, 0, sizeof(*steer));
	steer->stale = true;
	steer->root.nic = nic;
	steer->tables = &steer->root;
	nic->steer = steer;
	return 0;
}

/* Rules that are left are the host's, as are tables and matchers: it has not closed the card. */
void
cx5_steer_close(struct cx5 *nic)
{
	struct cx5_steer *steer = nic->steer;

	if (steer == NULL)
		return;
	nic->steer = NULL;
	while (steer->dests != NULL) {
		struct dest *dest = steer->dests;

		steer->dests = dest->next;
		free(dest);
	}
	free(steer);
}

struct cx5_table *
cx5_root(struct cx5 *nic)
{
	return &nic->steer->root;
}

struct cx5_table *
cx5_tables(struct cx5 *nic)
{
	return nic->steer->tables;
}

void
cx5_table_link(struct cx5_table *table)
{
	struct cx5_steer *steer = table->nic->steer;

	table->next = steer->tables;
	steer->tables = table;
}

void
cx5_table_unlink(struct cx5_table *table)
{
	struct cx5_table **at = &table->nic->steer->tables;

	while (*at != table)
		at = &(*at)->next;
	*at = table->next;
}

void
cx5_steer_changed(struct cx5 *nic)
{
	nic->steer->stale = true;
}

int
cx5_dest_use(struct cx5 *nic, struct cx5_tir *tir)
{
	struct dest *dest = nic->steer->dests;

	while (dest != NULL && dest->tir != tir)
		dest = dest->next;
	if (dest == NULL) {
		dest = calloc(1, sizeof(*dest));
		if (dest == NULL)
			return -ENOMEM;
		dest->tir = tir;
		dest->next = nic->steer->dests;
		nic->steer->dests = dest;
	}
	dest->users++;
	return 0;
}

void
cx5_dest_release(struct cx5 *nic, const struct cx5_tir *tir)
{
	struct dest **at = &nic->steer->dests;
	struct dest *dest;

	while ((*at)->tir != tir)
		at = &(*at)->next;
	dest = *at;
	if (--dest->users > 0)
		return;
	*at = dest->next;
	free(dest);
}

/* Whatever the state of its queues: while one recovers from an error frames arrive, and are lost. */
bool
cx5_steer_ready(const struct cx5 *nic)
{
	return nic->steer->dests != NULL;
}

/* What the rules look at, all together. */
static __attribute__((noinline)) void
plan(struct cx5_steer *steer)
{
	struct cx5_key mask = { { 0 } };

	for (const struct cx5_table *table = steer->tables; table != NULL; table = table->next) {
		for (const struct cx5_matcher *m = table->matchers; m != NULL; m = m->next) {
			for (unsigned int i = 0; m->nb_rules > 0 && i < CX5_KEY_WORDS; i++)
				mask.w[i] |= m->mask.w[i];
		}
	}
	steer->words = 0;
	steer->nb_words = 0;
	for (unsigned int i = 0; i < CX5_KEY_WORDS; i++) {
		if (mask.w[i] == 0)
			continue;
		steer->words |= 1u << i;
		steer->word[steer->nb_words] = (uint8_t)i;
		steer->mask[steer->nb_words++] = mask.w[i];
	}
	if (++steer->generation == 0) { /* 0 is that of answers never given */
		memset(steer->cache, 0, sizeof(steer->cache));
		steer->generation = 1;
	}
	steer->stale = false;
}

static const struct cx5_rule *
table_find(const struct cx5_table *table, const struct cx5_key *key)
{
	const struct cx5_rule *rule = NULL;

	for (const struct cx5_matcher *m = table->matchers; m != NULL && rule == NULL; m = m->next)
		rule = cx5_rule_find(m, key);
	return rule;
}

/* From table to table.  Returns how many counters there are on the way. */
static unsigned int
search(const struct cx5_steer *steer, const struct cx5_key *key, struct answer *answer,
       struct cx5_counter *counter[CX5_HOPS])
{
	const struct cx5_table *table = &steer->root;
	unsigned int nb_counters = 0;

	for (unsigned int hop = 0; hop < CX5_HOPS && table != NULL; hop++) {
		const struct cx5_rule *rule = table_find(table, key);

		if (rule == NULL)
			break;
		if (rule->fate.counter != NULL)
			counter[nb_counters++] = rule->fate.counter;
		if (rule->fate.marks)
			answer->mark = rule->fate.mark;
		answer->pop_vlan |= rule->fate.pop_vlan;
		answer->tir = rule->fate.tir;
		table = rule->fate.jump;
	}
	return nb_counters;
}

static inline uint64_t
masked(const struct cx5_steer *steer, const struct cx5_key *key, unsigned int i)
{
	return key->w[steer->word[i]] & steer->mask[i];
}

/* The answer that was not there.  One with too many counters is left void, so that it is asked for
 * again, and has counted those that do not fit. */
static __attribute__((noinline)) void
answer_new(struct cx5_steer *steer, const struct cx5_key *key, struct answer *answer, uint32_t len)
{
	struct cx5_counter *counter[CX5_HOPS];
	unsigned int n;

	memset(answer, 0, offsetof(struct answer, key));
	n = search(steer, key, answer, counter);
	answer->generation = n > ANSWER_COUNTERS ? 0 : steer->generation;
	while (n > ANSWER_COUNTERS) {
		counter[--n]->packets++;
		counter[n]->bytes += len;
	}
	memcpy(answer->counter, counter, n * sizeof(counter[0]));
	answer->nb_counters = (uint8_t)n;
	for (unsigned int i = 0; i < steer->nb_words; i++)
		answer->key[i] = masked(steer, key, i);
}

static inline bool
answers(const struct cx5_steer *steer, const struct answer *answer, const struct cx5_key *key)
{
	uint64_t differ = answer->generation ^ steer->generation;

	for (unsigned int i = 0; i < steer->nb_words; i++)
		differ |= answer->key[i] ^ masked(steer, key, i);
	return differ == 0;
}

void
cx5_steer(struct cx5 *nic, const struct hdr *hdr, const uint8_t *frame, uint32_t len,
	  struct cx5_way *way)
{
	struct cx5_steer *steer = nic->steer;
	struct answer *answer;
	struct cx5_key key;
	uint64_t hash = 0;

	if (unlikely(steer->stale))
		plan(steer);
	if (unlikely(len < ETHER_LEN)) {
		*way = (struct cx5_way){ 0 };
		return;
	}
	cx5_key_read(&key, steer->words, hdr, frame);
	for (unsigned int i = 0; i < steer->nb_words; i++)
		hash += masked(steer, &key, i) * (GOLDEN + 2 * i);
	answer = &steer->cache[(hash ^ hash >> 32) >> 22 & (CX5_CACHE - 1)];
	if (unlikely(!answers(steer, answer, &key)))
		answer_new(steer, &key, answer, len);
	for (unsigned int i = 0; i < answer->nb_counters; i++) {
		answer->counter[i]->packets++;
		answer->counter[i]->bytes += len;
	}
	way->tir = answer->tir;
	way->mark = answer->mark;
	way->pop_vlan = answer->pop_vlan;
}

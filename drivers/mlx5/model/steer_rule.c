/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/steer.h"

#include <stdlib.h>
#include <string.h>

/*
 * The rules of a matcher look at the same bits, so they are a hash table by the masked key, as they
 * are on the card.
 */
#define BUCKETS_MIN 8u

static uint32_t
bucket_of(const struct cx5_matcher *matcher, const struct cx5_key *key)
{
	uint64_t hash = 0;

	for (uint32_t words = matcher->words; words != 0; words &= words - 1) {
		int i = __builtin_ctz(words);

		hash = cx5_mix(hash, key->w[i] & matcher->mask.w[i]);
	}
	return (uint32_t)hash & (matcher->nb_buckets - 1);
}

static bool
fits(const struct cx5_rule *rule, const struct cx5_key *key)
{
	const struct cx5_matcher *matcher = rule->matcher;

	for (uint32_t words = matcher->words; words != 0; words &= words - 1) {
		int i = __builtin_ctz(words);

		if ((key->w[i] & matcher->mask.w[i]) != rule->value.w[i])
			return false;
	}
	return true;
}

const struct cx5_rule *
cx5_rule_find(const struct cx5_matcher *matcher, const struct cx5_key *key)
{
	const struct cx5_rule *rule;

	if (matcher->nb_rules == 0)
		return NULL;
	rule = matcher->bucket[bucket_of(matcher, key)];
	while (rule != NULL && !fits(rule, key))
		rule = rule->next;
	return rule;
}

/* At the end of its bucket: older ones come first. */
static void
append(struct cx5_matcher *matcher, struct cx5_rule *rule)
{
	struct cx5_rule **at = &matcher->bucket[bucket_of(matcher, &rule->value)];

	while (*at != NULL)
		at = &(*at)->next;
	rule->next = NULL;
	*at = rule;
}

/* Twice the buckets; without memory for them the old ones do, only slower. */
static void
grow(struct cx5_matcher *matcher)
{
	struct cx5_rule **bucket = calloc(matcher->nb_buckets * 2, sizeof(*bucket));
	struct cx5_rule **old = matcher->bucket;
	uint32_t n = matcher->nb_buckets;

	if (bucket == NULL)
		return;
	matcher->bucket = bucket;
	matcher->nb_buckets = n * 2;
	for (uint32_t i = 0; i < n; i++) {
		struct cx5_rule *rule = old[i];

		while (rule != NULL) {
			struct cx5_rule *next = rule->next;

			append(matcher, rule);
			rule = next;
		}
	}
	free(old);
}

struct cx5_rule *
cx5_rule_new(struct cx5_matcher *matcher, const struct cx5_key *value, const struct cx5_fate *fate)
{
	struct cx5 *nic = matcher->table->nic;
	struct cx5_rule *rule = calloc(1, sizeof(*rule));

	if (rule == NULL)
		return NULL;
	if (fate->tir != NULL && cx5_dest_use(nic, fate->tir) < 0) {
		free(rule);
		return NULL;
	}
	rule->matcher = matcher;
	rule->value = *value;
	rule->fate = *fate;
	if (matcher->nb_rules >= matcher->nb_buckets)
		grow(matcher);
	append(matcher, rule);
	matcher->nb_rules++;
	cx5_steer_changed(nic);
	return rule;
}

void
cx5_rule_free(struct cx5_rule *rule)
{
	struct cx5_matcher *matcher = rule->matcher;
	struct cx5 *nic = matcher->table->nic;
	struct cx5_rule **at = &matcher->bucket[bucket_of(matcher, &rule->value)];

	while (*at != rule)
		at = &(*at)->next;
	*at = rule->next;
	matcher->nb_rules--;
	if (rule->fate.tir != NULL)
		cx5_dest_release(nic, rule->fate.tir);
	cx5_steer_changed(nic);
	free(rule);
	if (matcher->own && matcher->nb_rules == 0)
		cx5_matcher_free(matcher);
}

struct cx5_matcher *
cx5_matcher_new(struct cx5_table *table, uint16_t priority, const struct cx5_key *mask)
{
	struct cx5_matcher *matcher = calloc(1, sizeof(*matcher));
	struct cx5_matcher **at;

	if (matcher == NULL)
		return NULL;
	matcher->bucket = calloc(BUCKETS_MIN, sizeof(*matcher->bucket));
	if (matcher->bucket == NULL) {
		free(matcher);
		return NULL;
	}
	matcher->nb_buckets = BUCKETS_MIN;
	matcher->table = table;
	matcher->priority = priority;
	matcher->mask = *mask;
	for (unsigned int i = 0; i < CX5_KEY_WORDS; i++)
		matcher->words |= (uint32_t)(mask->w[i] != 0) << i;

	for (at = &table->matchers; *at != NULL && (*at)->priority <= priority;)
		at = &(*at)->next;
	matcher->next = *at;
	*at = matcher;
	table->users++;
	return matcher;
}

struct cx5_matcher *
cx5_matcher_find(const struct cx5_table *table, uint16_t priority, const struct cx5_key *mask)
{
	struct cx5_matcher *matcher = table->matchers;

	while (matcher != NULL && (matcher->priority != priority || !matcher->own ||
				   memcmp(&matcher->mask, mask, sizeof(*mask)) != 0))
		matcher = matcher->next;
	return matcher;
}

void
cx5_matcher_free(struct cx5_matcher *matcher)
{
	struct cx5_matcher **at = &matcher->table->matchers;

	while (*at != matcher)
		at = &(*at)->next;
	*at = matcher->next;
	matcher->table->users--;
	free(matcher->bucket);
	free(matcher);
}

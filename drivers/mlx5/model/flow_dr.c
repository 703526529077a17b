/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/flow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * DR ("direct rules"), as rdma-core's mlx5dv_dr_*: domains of tables of matchers of rules.
 * Frames to be sent are not steered: there are tables for them, but no rules.
 */

static int
fail(int error)
{
	errno = error;
	return error;
}

/* Destroy what others may be made of: 0 and locked, or EBUSY. */
static int
lock_unused(const unsigned int *users)
{
	cx5_lock();
	if (*users == 0)
		return 0;
	cx5_unlock();
	return fail(EBUSY);
}

void *
glue_dr_create_domain(struct ibv_context *context, enum mlx5dv_dr_domain_type type)
{
	struct cx5 *nic = cx5_of_context(context);
	struct cx5_domain *domain;

	if (type != MLX5DV_DR_DOMAIN_TYPE_NIC_RX && type != MLX5DV_DR_DOMAIN_TYPE_NIC_TX) {
		errno = EOPNOTSUPP; /* no e-switch */
		return NULL;
	}
	if (!cx5_enter(nic))
		return NULL;
	domain = calloc(1, sizeof(*domain));
	if (domain != NULL) {
		domain->nic = nic;
		domain->egress = type == MLX5DV_DR_DOMAIN_TYPE_NIC_TX;
		cx5_count(nic, 1);
	} else {
		errno = ENOMEM;
	}
	cx5_unlock();
	return domain;
}

int
glue_dr_destroy_domain(void *handle)
{
	struct cx5_domain *domain = handle;
	int ret = lock_unused(&domain->users);

	if (ret != 0)
		return ret;
	cx5_count(domain->nic, -1);
	cx5_unlock();
	free(domain);
	return 0;
}

/* Rules are in force when they are made. */
int
glue_dr_sync_domain(void *domain, uint32_t flags)
{
	(void)domain;
	(void)flags;
	return 0;
}

void
glue_dr_reclaim_domain_memory(void *domain, uint32_t enable)
{
	(void)domain;
	(void)enable;
}

void
glue_dr_allow_duplicate_rules(void *handle, uint32_t allow)
{
	struct cx5_domain *domain = handle;

	cx5_lock();
	domain->no_duplicates = allow == 0;
	cx5_unlock();
}

void *
glue_dr_create_flow_tbl(void *handle, uint32_t level)
{
	struct cx5_domain *domain = handle;
	struct cx5_dr_table *table;

	if (!cx5_enter(domain->nic))
		return NULL;
	table = calloc(1, sizeof(*table));
	if (table == NULL) {
		errno = ENOMEM;
		goto out;
	}
	table->domain = domain;
	table->own.nic = domain->nic;
	table->own.level = level;
	table->own.egress = domain->egress;
	table->engine = &table->own;
	if (level == 0 && !domain->egress)
		table->engine = cx5_root(domain->nic);
	else if (!domain->egress)
		cx5_table_link(&table->own);
	domain->users++;
	cx5_count(domain->nic, 1);
out:
	cx5_unlock();
	return table;
}

int
glue_dr_destroy_flow_tbl(void *handle)
{
	struct cx5_dr_table *table = handle;
	int ret = lock_unused(&table->users);

	if (ret != 0)
		return ret;
	if (table->own.users > 0) { /* actions jump here */
		cx5_unlock();
		return fail(EBUSY);
	}
	if (table->engine == &table->own && !table->own.egress)
		cx5_table_unlink(&table->own);
	table->domain->users--;
	cx5_count(table->domain->nic, -1);
	cx5_unlock();
	free(table);
	return 0;
}

/* The engine's matcher of what the host described, or NULL with errno. */
static struct cx5_matcher *
matcher_make(const struct cx5_dr_table *table, const struct mlx5dv_flow_matcher_attr *attr)
{
	struct cx5 *nic = table->domain->nic;
	struct cx5_matcher *matcher;
	struct cx5_key mask;
	const char *what;
	int ret;

	if (table->engine->level == 0 && attr->priority >= CX5_ROOT_PRIO) {
		errno = EINVAL;
		return NULL;
	}
	ret = cx5_key_mask(&mask, attr->match_mask, attr->match_criteria_enable, &what);
	if (ret < 0) {
		if (what != NULL)
			soft_log(nic->port, "a flow rule wants %s: not modelled, refused", what);
		errno = -ret;
		return NULL;
	}
	matcher = cx5_matcher_new(table->engine, attr->priority, &mask);
	if (matcher == NULL)
		errno = ENOMEM;
	return matcher;
}

void *
glue_dv_create_flow_matcher(struct ibv_context *context, struct mlx5dv_flow_matcher_attr *attr,
			    void *handle)
{
	struct cx5_dr_table *table = handle;
	struct cx5_dr_matcher *matcher;

	(void)context;
	if (!cx5_enter(table->domain->nic))
		return NULL;
	matcher = calloc(1, sizeof(*matcher));
	if (matcher == NULL) {
		errno = ENOMEM;
		goto out;
	}
	matcher->engine = matcher_make(table, attr);
	if (matcher->engine == NULL) {
		free(matcher);
		matcher = NULL;
		goto out;
	}
	matcher->table = table;
	table->users++;
	cx5_count(table->domain->nic, 1);
out:
	cx5_unlock();
	return matcher;
}

int
glue_dv_destroy_flow_matcher(void *handle)
{
	struct cx5_dr_matcher *matcher = handle;
	int ret = lock_unused(&matcher->users);

	if (ret != 0)
		return ret;
	matcher->table->users--;
	cx5_count(matcher->table->domain->nic, -1);
	cx5_matcher_free(matcher->engine);
	cx5_unlock();
	free(matcher);
	return 0;
}

/* 0 or a negative errno, and a line for what a card would have done. */
static int
fate_make(struct cx5_fate *fate, const struct cx5_dr_matcher *matcher, size_t nb_actions,
	  void *const actions[])
{
	const struct soft_port *port = matcher->table->domain->nic->port;
	int ret = nb_actions > CX5_ACTIONS || nb_actions == 0 ? -EINVAL : 0;

	memset(fate, 0, sizeof(*fate));
	for (size_t i = 0; i < nb_actions && ret == 0; i++)
		ret = cx5_fate_add(fate, actions[i]);
	if (ret == -EOPNOTSUPP)
		soft_log(port,
			 "a flow rule sends a frame to several places: not modelled, refused");
	if (ret < 0)
		return ret;
	if (matcher->table->domain->egress) {
		soft_log(port, "a flow rule for frames to be sent: not modelled, refused");
		return -EOPNOTSUPP;
	}
	if (fate->pop_vlan && fate->jump != NULL) {
		/* the tables behind it would have to look at another frame */
		soft_log(port, "a flow rule pops a tag and goes on: not modelled, refused");
		return -EOPNOTSUPP;
	}
	if (fate->jump != NULL && fate->jump->egress)
		return -EINVAL;
	return 0;
}

static int
rule_make(struct cx5_dr_rule *rule, const struct mlx5dv_flow_match_parameters *match,
	  size_t nb_actions, void *const actions[])
{
	struct cx5_matcher *matcher = rule->matcher->engine;
	struct cx5_fate fate;
	struct cx5_key value;
	int ret;

	ret = fate_make(&fate, rule->matcher, nb_actions, actions);
	if (ret < 0)
		return ret;
	ret = cx5_key_value(&value, match, &matcher->mask);
	if (ret < 0)
		return ret;
	if (rule->matcher->table->domain->no_duplicates && cx5_rule_find(matcher, &value) != NULL)
		return -EEXIST;
	rule->engine = cx5_rule_new(matcher, &value, &fate);
	return rule->engine == NULL ? -ENOMEM : 0;
}

void *
glue_dv_create_flow(void *handle, void *value, size_t nb_actions, void *actions[])
{
	struct cx5_dr_matcher *matcher = handle;
	struct cx5 *nic = matcher->table->domain->nic;
	struct cx5_dr_rule *rule;
	int ret = -ENOMEM;

	if (!cx5_enter(nic))
		return NULL;
	rule = calloc(1, sizeof(*rule));
	if (rule == NULL)
		goto out;
	rule->matcher = matcher;
	ret = rule_make(rule, value, nb_actions, actions);
	if (ret < 0) {
		free(rule);
		rule = NULL;
		goto out;
	}
	for (size_t i = 0; i < nb_actions; i++) {
		rule->action[i] = actions[i];
		rule->action[i]->users++;
	}
	rule->nb_actions = nb_actions;
	matcher->users++;
	cx5_count(nic, 1);
out:
	cx5_unlock();
	if (ret < 0)
		errno = -ret;
	return rule;
}

int
glue_dv_destroy_flow(void *handle)
{
	struct cx5_dr_rule *rule = handle;

	cx5_lock();
	cx5_rule_free(rule->engine);
	for (size_t i = 0; i < rule->nb_actions; i++)
		rule->action[i]->users--;
	rule->matcher->users--;
	cx5_count(rule->matcher->table->domain->nic, -1);
	cx5_unlock();
	free(rule);
	return 0;
}

static void
dump_key(FILE *file, const struct cx5_key *key)
{
	const uint8_t *bytes = (const uint8_t *)key;

	for (unsigned int i = 0; i < CX5_KEY; i++)
		fprintf(file, "%s%02x", i > 0 && i % 4 == 0 ? "." : "", bytes[i]);
	fputc('\n', file);
}

static void
dump_rule(FILE *file, const struct cx5_rule *rule)
{
	const struct cx5_fate *fate = &rule->fate;

	fprintf(file, "    rule: %s",
		fate->tir != NULL    ? "queues"
		: fate->jump != NULL ? "jump"
				     : "end");
	if (fate->jump != NULL)
		fprintf(file, " %u", fate->jump->level);
	if (fate->marks)
		fprintf(file, ", tag 0x%x", fate->mark);
	if (fate->pop_vlan)
		fprintf(file, ", pop VLAN");
	if (fate->counter != NULL)
		fprintf(file, ", counted %" PRIu64 " (%" PRIu64 " bytes)", fate->counter->packets,
			fate->counter->bytes);
	fprintf(file, "\n      ");
	dump_key(file, &rule->value);
}

static void
dump_table(FILE *file, const struct cx5_table *table)
{
	fprintf(file, "table: level %u\n", table->level);
	for (const struct cx5_matcher *m = table->matchers; m != NULL; m = m->next) {
		fprintf(file, "  matcher: priority %u\n    ", m->priority);
		dump_key(file, &m->mask);
		for (uint32_t i = 0; i < m->nb_buckets; i++) {
			for (const struct cx5_rule *r = m->bucket[i]; r != NULL; r = r->next)
				dump_rule(file, r);
		}
	}
}

int
glue_dr_dump_domain(FILE *file, void *handle)
{
	const struct cx5_domain *domain = handle;

	cx5_lock();
	for (const struct cx5_table *table = domain->egress ? NULL : cx5_tables(domain->nic);
	     table != NULL; table = table->next)
		dump_table(file, table);
	cx5_unlock();
	return 0;
}

int
glue_dr_dump_rule(FILE *file, void *handle)
{
	const struct cx5_dr_rule *rule = handle;

	cx5_lock();
	dump_rule(file, rule->engine);
	cx5_unlock();
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cfg/cfg.h"

#include "cfg/group.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What PCI addresses and device names are made of. */
#define PORT_CHARS                                                                                 \
	"abcdefghijklmnopqrstuvwxyz"                                                               \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"                                                               \
	"0123456789:._-"

static int
take_port(const struct cfg_group *g, char *port, struct err *err)
{
	struct cfg_span v = g->value[0];
	size_t good;

	if (v.len == 0)
		return err_set(err, -EINVAL,
			       "%s: '%.*s' names no port; write an id, a PCI address or a device "
			       "name first",
			       g->option, CFG_SPAN_ARG(g->text));
	if (v.len >= CFG_NAME_MAX)
		return err_set(err, -EINVAL,
			       "%s: the port name in '%.*s' is longer than %d characters; use the "
			       "port's id or PCI address",
			       g->option, CFG_SPAN_ARG(g->text), CFG_NAME_MAX - 1);
	good = strspn(v.s, PORT_CHARS);
	if (good < (size_t)v.len)
		return err_set(
			err, -EINVAL,
			"%s '%.*s': port '%.*s' has a character that no port name has; write "
			"an id, a PCI address or a device name",
			g->option, CFG_SPAN_ARG(g->text), CFG_SPAN_ARG(v));
	memcpy(port, v.s, (size_t)v.len);
	port[v.len] = '\0';
	return 0;
}

static int
take_tuple(const struct cfg_group *g, struct cfg_poll *p, struct err *err)
{
	int ret;

	if (g->nb_values != 3)
		return err_set(err, -EINVAL,
			       "%s: '%.*s' has %u value%s where three belong; write %s", g->option,
			       CFG_SPAN_ARG(g->text), g->nb_values, g->nb_values == 1 ? "" : "s",
			       g->form);
	ret = take_port(g, p->port, err);
	if (ret < 0)
		return ret;
	ret = cfg_group_number(g, 1, "queue", CFG_QUEUES_MAX - 1, &p->queue, err);
	if (ret < 0)
		return ret;
	return cfg_group_number(g, 2, "lcore", CFG_LCORES_MAX - 1, &p->lcore, err);
}

static const struct cfg_poll *
find(const struct cfg_poll *poll, unsigned int n, const char *port, uint16_t queue)
{
	for (unsigned int i = 0; i < n; i++)
		if (poll[i].queue == queue && strcmp(poll[i].port, port) == 0)
			return &poll[i];
	return NULL;
}

static int
check_new(const struct cfg_group *g, const struct cfg_poll *poll, unsigned int n, struct err *err)
{
	const struct cfg_poll *p = &poll[n];
	const struct cfg_poll *old = find(poll, n, p->port, p->queue);

	if (old == NULL)
		return 0;
	if (old->lcore == p->lcore)
		return err_set(err, -EINVAL, "%s: '(%s,%u,%u)' stands there twice; remove one",
			       g->option, p->port, p->queue, p->lcore);
	return err_set(err, -EINVAL,
		       "%s: '(%s,%u,%u)' gives queue %u of port '%s' to a second lcore, %u has it "
		       "already; one lcore polls a queue, so remove one of the two",
		       g->option, p->port, p->queue, p->lcore, p->queue, p->port, old->lcore);
}

static int
check_gaps(const struct cfg_group *g, const struct cfg_poll *poll, unsigned int n, struct err *err)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct cfg_poll *p = &poll[i];

		if (p->queue > 0 && find(poll, n, p->port, (uint16_t)(p->queue - 1)) == NULL)
			return err_set(err, -EINVAL,
				       "%s: '(%s,%u,%u)', but nobody polls queue %u of port '%s'; "
				       "number a port's queues from 0 without a gap",
				       g->option, p->port, p->queue, p->lcore, p->queue - 1u,
				       p->port);
	}
	return 0;
}

int
cfg_poll_parse(const char *text, struct cfg_poll *poll, unsigned int max, unsigned int *n,
	       struct err *err)
{
	struct cfg_group g = { .option = "--config", .form = "(port,queue,lcore)" };
	unsigned int found = 0;
	int ret;

	if (*cfg_skip_blanks(text) == '\0')
		return err_set(
			err, -EINVAL,
			"--config is empty; write who polls what, as in \"(0,0,1),(1,0,2)\", "
			"or leave --config out");
	do {
		ret = cfg_group_take(&text, &g, err);
		if (ret < 0)
			return ret;
		if (found == max)
			return err_set(err, -EINVAL,
				       "--config: '%.*s' is one more than the %u tuples there is "
				       "room for; give the ports fewer queues",
				       CFG_SPAN_ARG(g.text), max);
		ret = take_tuple(&g, &poll[found], err);
		if (ret == 0)
			ret = check_new(&g, poll, found, err);
		if (ret < 0)
			return ret;
		found++;
		ret = cfg_group_more(&text, &g, err);
	} while (ret > 0);
	if (ret == 0)
		ret = check_gaps(&g, poll, found, err);
	if (ret == 0)
		*n = found;
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/nic_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Counters are how a port that fails is found out; 82599 registers also stick after 288 s at line
 * rate.  A call a second finds it due although the caller's clock has jitter.
 */
#define STATS_EVERY_US 750000
/* Packets that a driver may take back: mlx5 counts a burst before it looks for errors in it. */
#define STEP_BACK 4096

/*
 * Some PMDs keep what was dropped at a full ring out of imissed.  It is read by name, because
 * which structure holds it differs between releases.
 */
static void
find_extra(uint16_t port)
{
	struct nic_state *st = nic_state(port);
	char name[RTE_ETH_XSTATS_NAME_SIZE];

	st->nb_extra = 0;
	for (uint16_t q = 0; st->profile->missed_xstat != NULL && q < NIC_EXTRA_MAX; q++) {
		char digits[8];
		const char *at = strstr(st->profile->missed_xstat, "%u");

		if (at == NULL)
			return;
		snprintf(digits, sizeof(digits), "%u", q);
		snprintf(name, sizeof(name), "%.*s%s%s", (int)(at - st->profile->missed_xstat),
			 st->profile->missed_xstat, digits, at + 2);
		if (rte_eth_xstats_get_id_by_name(port, name, &st->extra_id[st->nb_extra]) == 0)
			st->nb_extra++;
	}
}

static int
read_device(uint16_t port, union nic_counters *now)
{
	const struct nic_state *st = nic_state(port);
	uint64_t extra[NIC_EXTRA_MAX];
	int ret;

	memset(now, 0, sizeof(*now));
	ret = rte_eth_stats_get(port, &now->stats);
	if (ret != 0 || st->nb_extra == 0)
		return ret;
	ret = rte_eth_xstats_get_by_id(port, st->extra_id, extra, st->nb_extra);
	if (ret != st->nb_extra)
		return ret < 0 ? ret : -EIO;
	for (uint16_t i = 0; i < st->nb_extra; i++)
		now->stats.imissed += extra[i];
	return 0;
}

uint64_t
nic_stats_step(uint64_t *last, uint64_t now)
{
	uint64_t before = *last;

	if (now < before) {
		if (before - now <= STEP_BACK && now >= before / 2)
			return 0;
		before = 0;
	}
	*last = now;
	return now - before;
}

int
nic_stats_read(uint16_t port)
{
	struct nic_state *st = nic_state(port);
	union nic_counters now;
	int ret;

	if (st->removed)
		return 0;
	ret = read_device(port, &now);
	if (ret != 0)
		return ret;
	if (!nic_health_counters(port, &st->last, &now))
		return 0;
	for (size_t i = 0; i < NIC_COUNTERS; i++)
		st->total.each[i] += nic_stats_step(&st->last.each[i], now.each[i]);
	return 0;
}

void
nic_stats_begin(uint16_t port)
{
	struct nic_state *st = nic_state(port);

	find_extra(port);
	st->stats_due_us = 0;
	memset(&st->total, 0, sizeof(st->total));
	nic_stats_again(port);
}

void
nic_stats_again(uint16_t port)
{
	struct nic_state *st = nic_state(port);

	if (read_device(port, &st->last) != 0)
		memset(&st->last, 0, sizeof(st->last));
}

void
nic_stats_keep(uint16_t port)
{
	if (nic_state(port)->profile != NULL)
		nic_stats_read(port);
}

int
nic_stats(uint16_t port, struct rte_eth_stats *stats)
{
	int ret;

	if (!rte_eth_dev_is_valid_port(port) || nic_state(port)->profile == NULL)
		return -ENODEV;
	ret = nic_stats_read(port);
	*stats = nic_state(port)->total.stats;
	return ret;
}

int
nic_stats_seen(uint16_t port, struct rte_eth_stats *stats)
{
	if (!rte_eth_dev_is_valid_port(port) || nic_state(port)->profile == NULL)
		return -ENODEV;
	*stats = nic_state(port)->total.stats;
	return 0;
}

void
nic_poll_stats(uint64_t now_us)
{
	uint16_t port;

	RTE_ETH_FOREACH_DEV (port) {
		struct nic_state *st = nic_state(port);

		uint64_t start_us;

		if (st->profile == NULL || now_us < st->stats_due_us)
			continue;
		start_us = clock_us();
		nic_stats_read(port);
		st->stats_due_us = nic_poll_due(now_us, STATS_EVERY_US, start_us);
	}
}

int
nic_xstats(uint16_t port, nic_xstat_fn fn, void *arg)
{
	const struct nic_profile *profile;
	struct rte_eth_xstat_name *names;
	struct rte_eth_xstat *values;
	int n, ret;

	if (!rte_eth_dev_is_valid_port(port) || nic_state(port)->profile == NULL ||
	    nic_removed(port))
		return -ENODEV;
	profile = nic_state(port)->profile;
	n = rte_eth_xstats_get_names(port, NULL, 0);
	if (n <= 0)
		return n;
	names = calloc((size_t)n, sizeof(*names));
	values = calloc((size_t)n, sizeof(*values));
	ret = names == NULL || values == NULL ? -ENOMEM : 0;
	if (ret == 0)
		ret = rte_eth_xstats_get_names(port, names, (unsigned int)n);
	if (ret == n)
		ret = rte_eth_xstats_get(port, values, (unsigned int)n);
	if (ret >= 0 && ret != n)
		ret = -EAGAIN; /* the device changed its mind between the calls */
	for (int i = 0; ret == n && i < n; i++) {
		const char *name = values[i].id < (uint64_t)n ? names[values[i].id].name : "?";

		fn(name, values[i].value, nic_profile_hint(profile, name), arg);
	}
	free(names);
	free(values);
	return ret == n ? 0 : ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/compat.h"
#include "base/log.h"
#include "ctl/ctl.h"
#include "ctl/state.h"
#include "stats/ledger.h"
#include "worker/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_telemetry.h>

/*
 * The callbacks run on telemetry's own thread.  They read statistics blocks, which any thread may,
 * and what was copied here; DPDK can neither pass them a pointer nor take them back, hence the one
 * variable and its lock.
 */
struct source {
	const struct stats_core *block;
	uint16_t lcore;
	bool control;
};

static struct {
	pthread_mutex_t lock;
	struct source *source;
	uint16_t n;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
total_of(struct ledger_row *total)
{
	memset(total, 0, sizeof(*total));
	pthread_mutex_lock(&shared.lock);
	for (uint16_t i = 0; i < shared.n; i++) {
		struct stats_core copy;
		struct ledger_row row;

		stats_read(shared.source[i].block, &copy);
		ledger_row(&row, &copy);
		ledger_add(total, &row);
	}
	pthread_mutex_unlock(&shared.lock);
	ledger_close(total);
}

static int
on_ledger(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct ledger_row total;

	(void)cmd;
	(void)params;
	total_of(&total);

	rte_tel_data_start_dict(d);
	compat_tel_add_count(d, "received", total.received);
	compat_tel_add_count(d, "originated", total.originated);
	compat_tel_add_count(d, "sent", total.sent);
	compat_tel_add_count(d, "delivered", total.delivered);
	compat_tel_add_count(d, "dropped", total.dropped_total);
	compat_tel_add_count(d, "held", total.held);
	/* An int is all there is for what may be negative. */
	return rte_tel_data_add_dict_int(
		d, "unaccounted", (int)RTE_MAX(INT32_MIN, RTE_MIN(INT32_MAX, total.unaccounted)));
}

static int
on_drops(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct ledger_row total;

	(void)cmd;
	(void)params;
	total_of(&total);

	rte_tel_data_start_dict(d);
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++) {
		int ret = compat_tel_add_count(d, verdict_name(v), total.dropped[v]);

		if (ret < 0)
			return ret;
	}
	return 0;
}

static int
add_lcore(struct rte_tel_data *d, const struct source *s)
{
	struct rte_tel_data *row = rte_tel_data_alloc();
	uint64_t hz = rte_get_tsc_hz();
	struct stats_core copy;
	char name[16];
	int ret;

	if (row == NULL)
		return -ENOMEM;
	stats_read(s->block, &copy);
	rte_tel_data_start_dict(row);
	compat_tel_add_count(row, "rx_packets", copy.received);
	compat_tel_add_count(row, "tx_packets", copy.sent);
	compat_tel_add_count(row, "busy_cycles", copy.busy_cycles);
	compat_tel_add_count(row, "total_cycles", copy.total_cycles);
	compat_tel_add_count(row, "max_gap_us",
			     hz == 0 ? 0
				     : (uint64_t)((double)copy.max_gap_cycles / (double)hz * 1e6));
	snprintf(name, sizeof(name), "lcore_%u", s->lcore);
	ret = rte_tel_data_add_dict_container(d, name, row, 0);
	if (ret < 0)
		rte_tel_data_free(row);
	return ret;
}

static int
on_lcores(const char *cmd, const char *params, struct rte_tel_data *d)
{
	int ret = 0;

	(void)cmd;
	(void)params;
	rte_tel_data_start_dict(d);
	pthread_mutex_lock(&shared.lock);
	for (uint16_t i = 0; i < shared.n && ret == 0; i++)
		if (!shared.source[i].control)
			ret = add_lcore(d, &shared.source[i]);
	pthread_mutex_unlock(&shared.lock);
	return ret;
}

static struct source *
sources(const struct ctl *ctl, uint16_t *n)
{
	struct source *s = calloc(ctl_nb_rows(ctl), sizeof(*s));

	*n = 0;
	for (uint16_t i = 0; s != NULL && i < ctl_nb_rows(ctl); i++) {
		const struct stats_core *block = ctl->cfg.control_stats;

		if (!ctl_row_is_control(ctl, i))
			block = workers_stats(ctl->cfg.workers, i);
		if (block == NULL)
			continue;
		s[(*n)++] = (struct source){
			.block = block,
			.lcore = ctl_row_lcore(ctl, i),
			.control = ctl_row_is_control(ctl, i),
		};
	}
	return s;
}

int
ctl_telemetry(struct ctl *ctl, struct err *err)
{
	static const struct {
		const char *path, *help;
		telemetry_cb fn;
	} endpoint[] = {
		{ "/sluice/ledger", "Where every packet went, in all. No parameters.", on_ledger },
		{ "/sluice/drops", "Packets dropped, by reason. No parameters.", on_drops },
		{ "/sluice/lcores", "Counters of each worker. No parameters.", on_lcores },
	};
	uint16_t n;
	struct source *s = sources(ctl, &n);

	if (s == NULL)
		return err_set(err, -ENOMEM, "no memory for telemetry");
	pthread_mutex_lock(&shared.lock);
	free(shared.source);
	shared.source = s;
	shared.n = n;
	pthread_mutex_unlock(&shared.lock);
	for (size_t i = 0; i < RTE_DIM(endpoint); i++) {
		int ret = rte_telemetry_register_cmd(endpoint[i].path, endpoint[i].fn,
						     endpoint[i].help);

		/* There already: from an earlier ctl of this process, and as good. */
		if (ret < 0 && ret != -EEXIST)
			return err_set(err, ret, "telemetry refuses %s: %s", endpoint[i].path,
				       strerror(-ret));
	}
	return 0;
}

void
ctl_telemetry_close(struct ctl *ctl)
{
	(void)ctl;
	pthread_mutex_lock(&shared.lock);
	free(shared.source);
	shared.source = NULL;
	shared.n = 0;
	pthread_mutex_unlock(&shared.lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker/worker.h"

#include "base/clock.h"
#include "worker/core_create.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>
#include <rte_rcu_qsbr.h>
#include <rte_ring.h>

#define STUCK_US CLOCK_SECOND_US

struct workers {
	struct core_knobs knobs;
	int64_t budget;
	uint16_t nb_workers;
	uint8_t mode;
	bool running;
	struct core **core;
	struct worker_plan *plan;
	struct punt_rings *rings;
	struct stats_bursts **bursts;
	uint64_t *seen_turns, *seen_us; /* for workers_stuck() */
};

static const char *const mode_names[] = {
	[FORWARD_IP4] = "ip4",       [FORWARD_IO] = "io",     [FORWARD_MAC] = "mac",
	[FORWARD_RXONLY] = "rxonly", [FORWARD_DROP] = "drop",
};

const char *
forward_mode_name(uint8_t mode)
{
	return mode < RTE_DIM(mode_names) ? mode_names[mode] : "unknown";
}

int
forward_mode_parse(const char *text, uint8_t *mode, struct err *err)
{
	for (uint8_t i = 0; i < RTE_DIM(mode_names); i++) {
		if (strcmp(text, mode_names[i]) == 0) {
			*mode = i;
			return 0;
		}
	}
	return err_set(err, -EINVAL,
		       "'%.64s' is no forward mode; ip4, io, mac, rxonly and drop are", text);
}

static int
fill(struct workers *w, const struct workers_config *cfg, struct err *err)
{
	for (uint16_t i = 0; i < cfg->nb_workers; i++) {
		struct core_make make = {
			.knobs = &w->knobs,
			.cfg = cfg,
			.plan = &w->plan[i],
		};
		int ret;

		w->plan[i] = cfg->plan[i];
		ret = core_create(&w->core[i], &make, err);
		if (ret < 0)
			return ret;
		w->rings[i] = w->core[i]->punt;
		w->bursts[i] = make.bursts;
		w->nb_workers++;
	}
	return 0;
}

int
workers_create(struct workers **out, const struct workers_config *cfg, struct err *err)
{
	struct workers *w = calloc(1, sizeof(*w));
	int ret = -ENOMEM;

	if (w == NULL)
		return err_set(err, -ENOMEM, "workers: out of memory");
	w->core = calloc(cfg->nb_workers, sizeof(*w->core));
	w->plan = calloc(cfg->nb_workers, sizeof(*w->plan));
	w->rings = calloc(cfg->nb_workers, sizeof(*w->rings));
	w->bursts = calloc(cfg->nb_workers, sizeof(struct stats_bursts *));
	w->seen_turns = calloc(cfg->nb_workers, sizeof(*w->seen_turns));
	w->seen_us = calloc(cfg->nb_workers, sizeof(*w->seen_us));
	if (w->core == NULL || w->plan == NULL || w->rings == NULL || w->bursts == NULL ||
	    w->seen_turns == NULL || w->seen_us == NULL) {
		err_set(err, ret, "workers: out of memory");
		goto err_destroy;
	}
	w->mode = cfg->mode;
	w->knobs = (struct core_knobs){ .burst = cfg->burst, .prefetch = cfg->prefetch };

	ret = fill(w, cfg, err);
	if (ret < 0)
		goto err_destroy;
	*out = w;
	return 0;

err_destroy:
	workers_destroy(w);
	return ret;
}

void
workers_destroy(struct workers *w)
{
	if (w == NULL)
		return;
	for (uint16_t i = 0; i < w->nb_workers; i++)
		core_destroy(w->core[i], w->bursts[i]);
	free(w->core);
	free(w->plan);
	free(w->rings);
	free(w->bursts);
	free(w->seen_turns);
	free(w->seen_us);
	free(w);
}

/*
 * A worker's thread, from launch to the end of the loop.  core->launched hands the core over and
 * back: EAL's own hand-shake does the same, but only for who can see into EAL.
 */
static int
run(void *arg)
{
	struct core *core = arg;

	if (!atomic_acquire(&core->launched))
		return -EINVAL;
	rte_rcu_qsbr_thread_register(core->rcu, core->lcore);
	rte_rcu_qsbr_thread_online(core->rcu, core->lcore);
	core_loop(core);
	rte_rcu_qsbr_thread_offline(core->rcu, core->lcore);
	rte_rcu_qsbr_thread_unregister(core->rcu, core->lcore);
	atomic_release(&core->launched, 0);
	return 0;
}

int
workers_start(struct workers *w, uint64_t limit, struct err *err)
{
	if (w->running)
		return err_set(err, -EBUSY, "start: forwarding already; 'stop' first");

	atomic_put(&w->budget, limit > INT64_MAX ? INT64_MAX : (int64_t)limit);
	atomic_put(&w->knobs.polling, 1);
	atomic_release(&w->knobs.run, 1);
	w->running = true;
	for (uint16_t i = 0; i < w->nb_workers; i++) {
		int ret;

		w->core[i]->budget = limit != 0 ? &w->budget : NULL;
		w->seen_us[i] = clock_us();
		atomic_release(&w->core[i]->launched, 1);
		ret = rte_eal_remote_launch(run, w->core[i], w->plan[i].lcore);
		if (ret < 0) {
			atomic_release(&w->core[i]->launched, 0);
			workers_stop(w);
			return err_set(err, ret, "lcore %u does not start: %s", w->plan[i].lcore,
				       strerror(-ret));
		}
	}
	return 0;
}

void
workers_stop_polling(struct workers *w)
{
	atomic_put(&w->knobs.polling, 0);
}

bool
workers_drained(const struct workers *w)
{
	for (uint16_t i = 0; i < w->nb_workers; i++)
		if (!punt_ring_empty(w->rings[i].down))
			return false;
	return true;
}

void
workers_stop(struct workers *w)
{
	if (!w->running)
		return;
	atomic_put(&w->knobs.polling, 0);
	atomic_release(&w->knobs.run, 0);
	for (uint16_t i = 0; i < w->nb_workers; i++) {
		rte_eal_wait_lcore(w->plan[i].lcore);
		while (atomic_acquire(&w->core[i]->launched))
			rte_pause();
	}
	w->running = false;
}

bool
workers_running(const struct workers *w)
{
	return w->running;
}

bool
workers_spent(const struct workers *w)
{
	return w->running && w->core[0]->budget != NULL && atomic_get(&w->budget) <= 0;
}

int
workers_set_burst(struct workers *w, uint16_t burst, struct err *err)
{
	if (burst < 1 || burst > BUNDLE_MAX)
		return err_set(err, -EINVAL, "burst %u is outside 1..%u; write one within", burst,
			       BUNDLE_MAX);
	atomic_put(&w->knobs.burst, burst);
	return 0;
}

void
workers_set_prefetch(struct workers *w, uint16_t prefetch)
{
	atomic_put(&w->knobs.prefetch, prefetch);
}

uint16_t
workers_count(const struct workers *w)
{
	return w->nb_workers;
}

const struct worker_plan *
workers_plan(const struct workers *w, uint16_t i)
{
	return &w->plan[i];
}

const struct stats_core *
workers_stats(const struct workers *w, uint16_t i)
{
	return w->core[i]->stats;
}

const struct stats_bursts *
workers_bursts(const struct workers *w, uint16_t i)
{
	return w->bursts[i];
}

const struct punt_rings *
workers_rings(const struct workers *w)
{
	return w->rings;
}

uint8_t
workers_mode(const struct workers *w)
{
	return w->mode;
}

uint64_t
workers_received(const struct workers *w)
{
	uint64_t n = 0;

	for (uint16_t i = 0; i < w->nb_workers; i++)
		n += atomic_get(&w->core[i]->stats->received);
	return n;
}

uint16_t
workers_stuck(struct workers *w, uint64_t now_us)
{
	for (uint16_t i = 0; w->running && i < w->nb_workers; i++) {
		uint64_t turns = atomic_get(&w->core[i]->stats->turns);

		if (turns != w->seen_turns[i]) {
			w->seen_turns[i] = turns;
			w->seen_us[i] = now_us;
		} else if (now_us > w->seen_us[i] + STUCK_US) {
			return w->plan[i].lcore;
		}
	}
	return UINT16_MAX;
}

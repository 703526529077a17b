/* SPDX-License-Identifier: BSD-3-Clause */
#include "mend.h"

#include "base/clock.h"
#include "base/log.h"
#include "drivers/nic.h"
#include "launch.h"
#include "run.h"

#include <inttypes.h>

static struct watch_sample
sample_of(const struct app *app, uint16_t port)
{
	struct watch_sample s = { .removed = nic_removed(port) };
	struct rte_eth_stats stats;
	struct nic_link link;

	for (uint16_t w = 0; w < app->plan.nb_workers; w++)
		s.refused += atomic_get(&workers_stats(app->workers, w)->refused_by_port[port]);
	if (nic_stats_seen(port, &stats) == 0)
		s.left = stats.opackets;
	nic_link(port, &link);
	s.link_up = link.up;
	return s;
}

static void
tell_stalls(struct app *app, uint16_t port)
{
	struct watch_sample now = sample_of(app, port);
	struct watch_port *w = &app->watch[port];

	switch (watch_look(w, &now)) {
	case WATCH_STALLED:
		log_warn("port %u (%s): nothing has left for %u s and %" PRIu64
			 " packets were dropped as tx_full: %s",
			 port, nic_name(port), w->quiet_s, w->lost,
			 now.removed    ? "the device is gone"
			 : !now.link_up ? "the link is down"
					: "its transmitter hangs");
		break;
	case WATCH_SENDS:
		log_notice("port %u (%s): it sends again; %" PRIu64
			   " packets were dropped as tx_full meanwhile",
			   port, nic_name(port), w->lost);
		w->lost = 0;
		break;
	case WATCH_NOTHING:
		break;
	}
}

/*
 * A port that does not start again would have to be left to workers that poll it: a supervisor
 * starts sluice anew instead.
 */
static void
give_up(struct app *app, const struct err *err)
{
	log_err("%s; sluice ends", err->text);
	app->failed = true;
	app->quit = true;
	evloop_quit(app->loop);
}

/* Nobody may be in a burst on a port that is stopped, so all workers pause. */
static void
restart(struct app *app, uint16_t port, int queue)
{
	uint64_t start_us = clock_us();
	bool running = workers_running(app->workers);
	struct err err;
	int ret;

	log_warn("port %u (%s): receive queue %d has failed and receives nothing since, and its "
		 "driver leaves it so: the port is restarted",
		 port, nic_name(port), queue);
	if (running)
		run_pause(app);
	ret = nic_revive(port, &err);
	if (ret == 0 && running)
		ret = run_resume(app, &err);
	if (ret < 0)
		give_up(app, &err);
	else
		log_notice("port %u (%s): restarted; nothing was forwarded for %" PRIu64 " ms",
			   port, nic_name(port), (clock_us() - start_us) / 1000);
}

void
mend_look(struct app *app, uint64_t now_us)
{
	for (uint16_t i = 0; i < app->nb_ports && !app->quit; i++) {
		uint16_t port = app->nic[i].port;
		int queue = nic_dead_queue(port);

		tell_stalls(app, port);
		if (queue >= 0 && watch_may_retry(&app->retry[port], now_us))
			restart(app, port, queue);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include "base/clock.h"
#include "base/log.h"
#include "drivers/nic.h"
#include "launch.h"
#include "mend.h"
#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <rte_rcu_qsbr.h>

#define MS            1000ull /* in us */
#define DRAIN_US      (2 * CLOCK_SECOND_US)
#define WIRE_US       (100 * MS) /* for what is in transmit rings when forwarding ends */
#define IDLE_TICK_MAX (20 * MS)  /* what one look may add to the idle time */
#define POLL_US       (1 * MS)
#define NO_LCORE      UINT16_MAX

/*
 * Our addresses are announced a second after the start.  RFC 5227 2.1.1 has a host wait up to
 * PROBE_WAIT (1 s) after its interface came up, so that links and switches are ready and a site
 * that was switched on does not announce all at once; and a run shorter than that leaves nothing
 * on the wire but what it forwarded.  One that ends when idle most likely replays a capture, whose
 * end a slow machine may not reach in a second.
 */
#define ANNOUNCE_US        CLOCK_SECOND_US
#define ANNOUNCE_REPLAY_US (3 * CLOCK_SECOND_US)

/* Forward, as before the last stop if there was one. */
int
run_resume(struct app *app, struct err *err)
{
	uint64_t received = workers_received(app->workers);
	uint64_t limit = 0;
	int ret;

	if (app->args.stop_after != ARGS_UNSET)
		limit = app->args.stop_after > received ? app->args.stop_after - received : 1;
	ret = workers_start(app->workers, limit, err);
	if (ret < 0)
		return ret;
	app->idle_us = 0;
	app->tick_us = clock_us();
	app->stuck = NO_LCORE;
	return 0;
}

static int
start(void *arg, struct err *err)
{
	struct app *app = arg;
	int ret = run_resume(app, err);

	if (ret < 0)
		return ret;
	app->announce_us =
		app->tick_us +
		(app->args.stop_when_idle_ms != ARGS_UNSET ? ANNOUNCE_REPLAY_US : ANNOUNCE_US);
	log_info("forwarding: mode %s, %u lcores", forward_mode_name(app->args.mode),
		 app->plan.nb_workers);
	return 0;
}

/* Every worker has ended the turn it was in, and so seen that it shall not receive. */
static void
wait_for_turn(struct app *app, uint64_t deadline_us)
{
	uint64_t token = rte_rcu_qsbr_start(app->rcu);

	while (rte_rcu_qsbr_check(app->rcu, token, false) == 0 && clock_us() < deadline_us &&
	       !signals_forced())
		slow_poll(app->slow);
}

/* Packets go up to the control thread and answers down to workers, until none is under way. */
static void
drain(struct app *app)
{
	uint64_t deadline_us = clock_us() + DRAIN_US;

	workers_stop_polling(app->workers);
	wait_for_turn(app, deadline_us);
	while (clock_us() < deadline_us && !signals_forced()) {
		slow_poll(app->slow);
		if (slow_idle(app->slow) && workers_drained(app->workers))
			return;
	}
	log_warn("stop: packets between lcores did not drain in time; they count as held");
}

void
run_pause(struct app *app)
{
	drain(app);
	workers_stop(app->workers);
}

static int
stop(void *arg, struct err *err)
{
	struct app *app = arg;

	if (!workers_running(app->workers))
		return err_set(err, -EALREADY, "stop: not forwarding; 'start' first");
	printf("Telling cores to stop...\n");
	drain(app);
	slow_drop_held(app->slow);
	printf("Waiting for lcores to finish...\n");
	workers_stop(app->workers);
	ctl_print_fwd_stats(app->ctl, stdout);
	ctl_print_ledger(app->ctl, stdout);
	printf("\nDone.\n");
	fflush(stdout);
	return 0;
}

static void
quit(void *arg)
{
	struct app *app = arg;

	app->quit = true;
	evloop_quit(app->loop);
}

static void
print_plan(void *arg, FILE *out)
{
	launch_print_plan(arg, out);
}

struct run_ops
run_ops(struct app *app)
{
	return (struct run_ops){ start, stop, quit, print_plan, app };
}

static void
report(void *arg)
{
	struct app *app = arg;
	struct err err;

	if (app->args.stats_json == NULL) {
		log_notice("SIGUSR1 writes the report, but --stats-json does not say where");
		return;
	}
	if (ctl_report(app->ctl, app->args.stats_json, &err) < 0)
		log_err("%s", err.text);
}

int
run_configure(struct app *app, struct err *err)
{
	const struct app_args *args = &app->args;
	bool wants_start = false;
	int ret = 0;

	if (args->cmdline_file != NULL)
		ret = ctl_file_check(app->ctl, args->cmdline_file, err);
	if (ret == 0 && args->route_file != NULL)
		ret = ctl_route_file_check(app->ctl, args->route_file, stderr, err);
	if (ret < 0)
		return ret;
	/* --check too: that a route is there already, or the table full, shows in no line by itself. */
	if (args->cmdline_file != NULL)
		ret = ctl_file_apply(app->ctl, args->cmdline_file, stdout,
				     args->check ? NULL : &wants_start, err);
	if (ret == 0 && args->route_file != NULL)
		ret = ctl_route_file_load(app->ctl, args->route_file, stdout, err);
	fflush(stdout);
	if (ret < 0 || args->check || app->quit || (!args->auto_start && !wants_start))
		return ret;
	ret = start(app, err);
	app->failed = ret < 0;
	return ret;
}

static void
tick(void *arg)
{
	struct app *app = arg;
	uint64_t now_us = clock_us();

	/* Nobody sends while forwarding is stopped: what control made then would only lie in rings. */
	if (workers_running(app->workers)) {
		if (now_us >= app->announce_us) {
			slow_announce(app->slow);
			app->announce_us = UINT64_MAX;
		}
		slow_tick(app->slow, now_us);
	}
	router_reclaim(app->router);
	for (uint16_t p = 0; p < app->plan.nb_pools; p++)
		pool_sample(app->pool[p]);
}

static void
second(void *arg)
{
	struct app *app = arg;
	uint64_t now_us = clock_us();
	uint16_t stuck = workers_stuck(app->workers, now_us);

	nic_poll_link(now_us);
	nic_poll_stats(now_us);
	mend_look(app, now_us);
	if (stuck != app->stuck && stuck != NO_LCORE)
		log_warn("lcore %u has not ended a turn for a second: is its CPU shared?", stuck);
	app->stuck = stuck;
}

/* A reader that has stopped reading, a pager for one, must not stop the control thread. */
static bool
has_room(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) == 1;
}

static void
print_stats(void *arg)
{
	struct app *app = arg;

	if (!has_room(STDOUT_FILENO))
		return;
	ctl_print_port_stats(app->ctl, stdout);
	fflush(stdout);
}

static bool
all_turned(const struct app *app)
{
	for (uint16_t w = 0; w < app->plan.nb_workers; w++)
		if (atomic_get(&workers_stats(app->workers, w)->turns) == app->seen_turns[w])
			return false;
	return true;
}

/*
 * Time counts as idle once every worker has looked since and found nothing: a look of a control
 * thread that was not scheduled for long, or of workers that were not, says nothing about the wire.
 */
static bool
idle_for_long(struct app *app)
{
	bool turned = all_turned(app); /* before the count of what those turns received */
	uint64_t now_us = clock_us(), received = workers_received(app->workers);

	if (received != app->seen_received)
		app->idle_us = 0;
	else if (!turned)
		return false;
	else
		app->idle_us += RTE_MIN(now_us - app->tick_us, IDLE_TICK_MAX);
	for (uint16_t w = 0; w < app->plan.nb_workers; w++)
		app->seen_turns[w] = atomic_get(&workers_stats(app->workers, w)->turns);
	app->seen_received = received;
	app->tick_us = now_us;
	return app->idle_us >= app->args.stop_when_idle_ms * MS;
}

static uint64_t
poll_rings(void *arg)
{
	struct app *app = arg;
	unsigned int met;

	if (!workers_running(app->workers))
		return UINT64_MAX;
	met = slow_poll(app->slow);
	if (workers_spent(app->workers) ||
	    (app->args.stop_when_idle_ms != ARGS_UNSET && idle_for_long(app)))
		quit(app);
	return met > 0 ? 0 : POLL_US;
}

static int
add_timers(struct app *app)
{
	const struct app_args *args = &app->args;
	const struct {
		uint64_t period_us;
		evloop_fn fn;
	} timers[] = {
		{ CLOCK_SECOND_US / 10, tick },
		{ CLOCK_SECOND_US, second },
		{ args_or(args->stats_period_s, 0) * CLOCK_SECOND_US, print_stats },
		{ args_or(args->run_for_s, 0) * CLOCK_SECOND_US, quit },
	};

	for (size_t i = 0; i < RTE_DIM(timers); i++) {
		int ret;

		if (timers[i].period_us == 0)
			continue;
		ret = evloop_timer(app->loop, timers[i].period_us, timers[i].fn, app);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int
run_loop(struct app *app, struct err *err)
{
	const struct signals_fns signals = { .end = quit, .report = report, .arg = app };
	int ret;

	ret = signals_watch(app->loop, &signals, err);
	if (ret < 0)
		return ret;
	ret = add_timers(app);
	if (ret < 0)
		return err_set(err, ret, "timers: %s", strerror(-ret));
	evloop_poll(app->loop, poll_rings, app);
	if (app->args.interactive) {
		ret = ctl_prompt(app->ctl, err);
		if (ret < 0)
			return ret;
	}
	evloop_run(app->loop);
	return 0;
}

/* Transmit rings empty themselves; closing a port before they have cuts frames off. */
static void
wait_for_wire(struct app *app)
{
	uint64_t deadline_us = clock_us() + WIRE_US;
	uint64_t sent, left;

	do {
		sent = left = 0;
		for (uint16_t w = 0; w < app->plan.nb_workers; w++)
			sent += atomic_get(&workers_stats(app->workers, w)->sent);
		for (uint16_t i = 0; i < app->nb_ports; i++) {
			struct rte_eth_stats s;

			if (nic_stats(app->nic[i].port, &s) == 0)
				left += s.opackets + s.oerrors;
		}
		if (left < sent)
			usleep(POLL_US);
	} while (left < sent && clock_us() < deadline_us && !signals_forced());
}

int
run_end(struct app *app)
{
	const char *path = app->args.stats_json;
	int status = app->failed ? 1 : 0;
	struct err err;

	if (app->ctl == NULL)
		return status;
	stop(app, &err);
	wait_for_wire(app);
	if (path != NULL && !app->args.check && ctl_report(app->ctl, path, &err) < 0) {
		fprintf(stderr, "sluice: %s\n", err.text);
		status = 1;
	}
	if (!ctl_ledger_closed(app->ctl)) {
		fprintf(stderr, "sluice: the ledger did not close; 'unaccounted' above says by how "
				"many packets\n");
		status = 3;
	}
	return status;
}

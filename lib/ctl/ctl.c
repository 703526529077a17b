/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/ctl.h"

#include "base/clock.h"
#include "base/log.h"
#include "cfg/cfg.h"
#include "ctl/cmd.h"
#include "ctl/state.h"
#include "route/route.h"
#include "stats/ledger.h"
#include "worker/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_lcore.h>

/* Blocks are cache-aligned, which calloc does not promise. */
static struct stats_core *
alloc_blocks(uint16_t n)
{
	struct stats_core *s = aligned_alloc(RTE_CACHE_LINE_SIZE, n * sizeof(*s));

	if (s != NULL)
		memset(s, 0, n * sizeof(*s));
	return s;
}

int
ctl_create(struct ctl **out, const struct ctl_config *cfg, struct err *err)
{
	struct ctl *ctl = calloc(1, sizeof(*ctl));

	if (ctl == NULL)
		goto err_memory;
	ctl->cfg = *cfg;
	ctl->nb_workers = cfg->workers != NULL ? workers_count(cfg->workers) : 0;
	ctl->now = alloc_blocks((uint16_t)(ctl->nb_workers + 1));
	if (ctl->now == NULL)
		goto err_free;
	ctl->fwd_base.core = alloc_blocks((uint16_t)(ctl->nb_workers + 1));
	if (ctl->fwd_base.core == NULL)
		goto err_free_now;
	if (cfg->record_burst_stats) {
		ctl->fwd_base.bursts = calloc(ctl->nb_workers + 1u, sizeof(*ctl->fwd_base.bursts));
		if (ctl->fwd_base.bursts == NULL)
			goto err_free_base;
	}
	*out = ctl;
	return 0;

err_free_base:
	free(ctl->fwd_base.core);
err_free_now:
	free(ctl->now);
err_free:
	free(ctl);
err_memory:
	return err_set(err, -ENOMEM, "no memory for the command interpreter");
}

void
ctl_destroy(struct ctl *ctl)
{
	if (ctl == NULL)
		return;
	ctl_telemetry_close(ctl);
	ctl_socket_close(ctl);
	ctl_prompt_close(ctl);
	free(ctl->fwd_base.bursts);
	free(ctl->fwd_base.core);
	free(ctl->now);
	free(ctl);
}

/* ---- running commands */

#define BATCH_LEFT_US (60 * CLOCK_SECOND_US)

static void
batch_over(struct ctl *ctl)
{
	ctl->in_batch = false;
	ctl->batch_owner = NULL;
	ctl->batch_left_us = 0;
}

static void
batch_forget(struct ctl *ctl)
{
	log_notice("who said begin is gone without commit: its changes are forgotten");
	router_abort(ctl->cfg.router, NULL);
	batch_over(ctl);
}

static int
check_batch(struct ctl *ctl, const void *owner, const struct cmd *cmd, struct err *err)
{
	bool touches = cmd->kind >= CMD_ROUTES && cmd->kind <= CMD_ABORT;

	if (ctl->batch_left_us != 0 && clock_us() - ctl->batch_left_us > BATCH_LEFT_US)
		batch_forget(ctl);
	if (!ctl->in_batch || !touches)
		return 0;
	if (ctl->batch_left_us != 0 && cmd->kind != CMD_BEGIN) {
		ctl->batch_owner = owner;
		ctl->batch_left_us = 0;
	}
	if (ctl->batch_left_us != 0)
		return err_set(err, -EBUSY, "begin: there is one already: commit or abort it");
	if (ctl->batch_owner == owner)
		return 0;
	return err_set(err, -EBUSY,
		       "%s: someone else's begin is open; try again after its commit or abort",
		       cmd->words);
}

int
ctl_run_cmd(struct ctl *ctl, const void *owner, const struct cmd *cmd, const struct cmd_args *args,
	    FILE *out, struct err *err)
{
	int ret = check_batch(ctl, owner, cmd, err);

	if (ret < 0)
		return ret;
	ret = cmd->run(ctl, args, out, err);
	if (cmd->kind == CMD_BEGIN && ret == 0) {
		ctl->in_batch = true;
		ctl->batch_owner = owner;
	}
	if (cmd->kind == CMD_COMMIT || cmd->kind == CMD_ABORT)
		batch_over(ctl);
	if (cmd->kind == CMD_QUIT)
		ctl->quitting = true;
	return ret;
}

int
ctl_run_for(struct ctl *ctl, const void *owner, char *line, FILE *out, struct err *err)
{
	char *word[CMD_WORDS_MAX];
	const struct cmd *cmd;
	struct cmd_args args;
	int n = cfg_words(line, word, CMD_WORDS_MAX, err);

	if (n <= 0)
		return n;
	n = cmd_understand(word, (unsigned int)n, ctl->cfg.ports, &cmd, &args, err);
	if (n < 0)
		return n;
	return ctl_run_cmd(ctl, owner, cmd, &args, out, err);
}

int
ctl_run_line(struct ctl *ctl, char *line, FILE *out, struct err *err)
{
	return ctl_run_for(ctl, NULL, line, out, err);
}

void
ctl_forget(struct ctl *ctl, const void *owner)
{
	if (ctl->in_batch && ctl->batch_owner == owner)
		batch_forget(ctl);
}

void
ctl_leave(struct ctl *ctl, const void *owner)
{
	if (!ctl->in_batch || ctl->batch_owner != owner)
		return;
	ctl->batch_left_us = clock_us();
	ctl->batch_owner = &ctl->batch_left_us; /* nobody */
}

/* ---- what several printers share */

void
ctl_snapshot(struct ctl *ctl)
{
	/* -EAGAIN leaves a usable copy, off by one turn's packets at most. */
	for (uint16_t i = 0; i < ctl->nb_workers; i++)
		stats_read(workers_stats(ctl->cfg.workers, i), &ctl->now[i]);
	if (ctl->cfg.control_stats != NULL)
		stats_read(ctl->cfg.control_stats, &ctl->now[ctl->nb_workers]);
}

uint16_t
ctl_nb_rows(const struct ctl *ctl)
{
	return (uint16_t)(ctl->nb_workers + 1);
}

uint16_t
ctl_row_lcore(const struct ctl *ctl, uint16_t i)
{
	if (ctl_row_is_control(ctl, i))
		return (uint16_t)rte_get_main_lcore();
	return workers_plan(ctl->cfg.workers, i)->lcore;
}

const char *
ctl_mode_name(const struct ctl *ctl)
{
	const char *name = NULL;

	if (ctl->cfg.workers != NULL)
		name = forward_mode_name(workers_mode(ctl->cfg.workers));
	return name != NULL ? name : "unknown";
}

struct port_stats
ctl_port_since(const struct port_stats *now, const struct port_stats *base)
{
	return (struct port_stats){
		.rx_packets = ctl_since(now->rx_packets, base->rx_packets),
		.rx_bytes = ctl_since(now->rx_bytes, base->rx_bytes),
		.rx_missed = ctl_since(now->rx_missed, base->rx_missed),
		.rx_errors = ctl_since(now->rx_errors, base->rx_errors),
		.rx_nombuf = ctl_since(now->rx_nombuf, base->rx_nombuf),
		.tx_packets = ctl_since(now->tx_packets, base->tx_packets),
		.tx_bytes = ctl_since(now->tx_bytes, base->tx_bytes),
		.tx_errors = ctl_since(now->tx_errors, base->tx_errors),
	};
}

uint16_t
ctl_port_at(const struct ctl *ctl, int index)
{
	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p))
		if (index-- == 0)
			return p;
	return PORT_NONE;
}

int
ctl_port_index(const struct ctl *ctl, uint16_t port)
{
	int index = 0;

	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p)) {
		if (p == port)
			return index;
		index++;
	}
	return -1;
}

uint16_t
ctl_nb_ports(const struct ctl *ctl)
{
	uint16_t n = 0;

	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p))
		n++;
	return n;
}

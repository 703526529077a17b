/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_STATE_H
#define CTL_STATE_H

#include "ctl/ctl.h"
#include "stats/stats.h"

#include <rte_config.h>

/* What the files of lib/ctl share and nobody else sees. */
struct ctl_listener;
struct ctl_terminal;
struct cmd;
struct cmd_args;

/* What "since last show" of a port was counted against. */
struct ctl_rate {
	uint64_t at_us; /* 0: never shown */
	struct port_stats seen;
};

/* What "clear fwd stats" remembers. */
struct ctl_fwd_base {
	struct port_stats port[RTE_MAX_ETHPORTS];
	struct stats_core *core;     /* one per worker */
	struct stats_bursts *bursts; /* likewise; NULL unless bursts are recorded */
};

struct ctl {
	struct ctl_config cfg;
	uint16_t nb_workers;
	struct stats_core *now; /* a copy of every block: the workers', then control's own */

	struct ctl_rate rate[RTE_MAX_ETHPORTS];
	struct port_stats port_base[RTE_MAX_ETHPORTS]; /* "clear port stats" */
	struct ctl_fwd_base fwd_base;

	/* "begin" belongs to who said it: a socket client, or NULL for prompt, files and app. */
	bool in_batch;
	const void *batch_owner;
	uint64_t batch_left_us; /* since when it waits for anyone to take it up; 0: does not */

	bool quitting; /* "quit" was said; the rest of the input no longer counts */

	struct ctl_listener *listener;
	struct ctl_terminal *terminal;
};

/* Run one line for owner; line is cut into words in place. */
int ctl_run_for(struct ctl *ctl, const void *owner, char *line, FILE *out, struct err *err);

/* Run a parsed command for owner, minding an open "begin". */
int ctl_run_cmd(struct ctl *ctl, const void *owner, const struct cmd *cmd,
		const struct cmd_args *args, FILE *out, struct err *err);

/* owner is gone: its open "begin" is aborted. */
void ctl_forget(struct ctl *ctl, const void *owner);

/* owner is gone after a single command: its open "begin" waits for the next one to touch it, but
 * not for long. */
void ctl_leave(struct ctl *ctl, const void *owner);

/* Refresh ctl->now. */
void ctl_snapshot(struct ctl *ctl);

/* Blocks in ctl->now, and the lcore of each; the last one is control's. */
uint16_t ctl_nb_rows(const struct ctl *ctl);
uint16_t ctl_row_lcore(const struct ctl *ctl, uint16_t i);

static inline bool
ctl_row_is_control(const struct ctl *ctl, uint16_t i)
{
	return i == ctl->nb_workers;
}

/* The forward mode's name; "unknown" without workers. */
const char *ctl_mode_name(const struct ctl *ctl);

/* a - b, or 0 when a counter went backwards. */
static inline uint64_t
ctl_since(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

struct port_stats ctl_port_since(const struct port_stats *now, const struct port_stats *base);

/* The index-th port, and which index a port has; PORT_NONE and -1 when there is none. */
uint16_t ctl_port_at(const struct ctl *ctl, int index);
int ctl_port_index(const struct ctl *ctl, uint16_t port);
uint16_t ctl_nb_ports(const struct ctl *ctl);

/* Parts of ctl_create and ctl_destroy. */
void ctl_socket_close(struct ctl *ctl);
void ctl_prompt_close(struct ctl *ctl);
void ctl_telemetry_close(struct ctl *ctl);

/* for (p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p)) */
static inline uint16_t
ctl_next_port(const struct ctl *ctl, int after)
{
	return ctl->cfg.ports->next(after);
}

#endif

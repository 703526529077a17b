/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_ARGS_H
#define APP_ARGS_H

#include "base/err.h"
#include "cfg/cfg.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * argv -> struct app_args: "sluice [EAL options] -- [options]".  Pure: no EAL, no files.
 *
 * Texts point into argv.  Numbers the user did not give are ARGS_UNSET, so that a default of the
 * NIC family's and the same value said aloud stay apart.
 */
#define ARGS_UNSET UINT64_MAX

struct app_args {
	int eal_argc; /* argv[0..eal_argc) is EAL's, untouched */

	bool help, version, check;
	bool interactive, auto_start, promiscuous;
	bool record_core_cycles, record_burst_stats;
	const char *cmdline_file, *route_file, *stats_json, *socket; /* NULL: not given */

	struct cfg_poll poll[CFG_POLL_MAX]; /* --config, syntax checked */
	unsigned int nb_poll;

	uint8_t mode;                     /* enum forward_mode */
	uint64_t rxd, txd, rxq, txq;      /* descriptors, queues */
	uint64_t rxfreet, txfreet, txrst; /* descriptors */
	uint64_t burst, prefetch;         /* packets */
	uint64_t mbcache;                 /* mbufs */
	uint64_t mbuf_size;               /* bytes, headroom included */
	uint64_t total_num_mbufs;         /* of each pool */
	uint64_t nb_cores;
	uint64_t max_routes;
	uint64_t stats_period_s, run_for_s;
	uint64_t stop_after; /* packets */
	uint64_t stop_when_idle_ms;
};

/* Value or, when the user said nothing, the other. */
static inline uint64_t
args_or(uint64_t value, uint64_t otherwise)
{
	return value == ARGS_UNSET ? otherwise : value;
}

/*
 * 0, or -EINVAL with the thing, the reason and the way out in err.  With help or version set the
 * rest has not been looked at.
 */
int args_parse(int argc, char **argv, struct app_args *args, struct err *err);

/* Nothing asks sluice to do anything; a command file may still hold a "start". */
bool args_idle(const struct app_args *args);

void args_help(FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef STATS_LEDGER_H
#define STATS_LEDGER_H

#include "stats/stats.h"

/*
 * The ledger: received + originated + taken_in =
 *             sent + delivered + dropped + handed_out + held.
 *
 * One row per thread.  In the total, what one thread handed out and no other has taken in yet is
 * in a ring and counts as held.
 */
struct ledger_row {
	uint64_t received;
	uint64_t originated;
	uint64_t taken_in;
	uint64_t sent;
	uint64_t delivered;
	uint64_t handed_out;
	uint64_t held;
	uint64_t dropped[VERDICT_MAX];
	uint64_t dropped_total;
	int64_t unaccounted; /* left side minus right side; 0 when the ledger closes */
};

/* The row of one block, as copied by stats_read(). */
void ledger_row(struct ledger_row *row, const struct stats_core *s);

/* Add a row to a total that starts zeroed; then close it once all rows are in. */
void ledger_add(struct ledger_row *total, const struct ledger_row *row);
void ledger_close(struct ledger_row *total);

#endif

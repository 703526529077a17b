/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"

#include "stats/ledger.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <rte_pause.h>

/*
 * A writer that lost its CPU between begin and end keeps the block closed until it runs again, and
 * one that writes all the time leaves hardly a gap: a reader looks, sleeps, and looks again.
 */
#define STATS_TRIES    100 /* copies between two sleeps */
#define STATS_SLEEPS   1000
#define STATS_SLEEP_US 100

static const struct {
	const char *name, *hint;
} verdicts[VERDICT_MAX] = {
#define VERDICT(id, name, hint) [VERDICT_##id] = { #name, hint },
#include "stats/verdict.def"
#undef VERDICT
};

const char *
verdict_name(enum verdict v)
{
	return verdicts[v].name;
}

const char *
verdict_hint(enum verdict v)
{
	return verdicts[v].hint;
}

/* Word by word: the block is counters all through, and a torn word is what must not happen. */
static void
copy_words(const struct stats_core *from, struct stats_core *to)
{
	const uint64_t *src = (const uint64_t *)from;
	uint64_t *dst = (uint64_t *)to;

	_Static_assert(sizeof(*from) % sizeof(*src) == 0, "the block is whole words");
	_Static_assert(offsetof(struct stats_core, received) == sizeof(*src), "seq is the first");
	for (size_t i = 1; i < sizeof(*from) / sizeof(*src); i++)
		dst[i] = atomic_acquire(&src[i]);
}

static bool
read_clean(const struct stats_core *from, struct stats_core *to)
{
	for (unsigned int i = 0; i < STATS_TRIES; i++) {
		uint32_t seq = atomic_acquire(&from->seq);

		if (seq & 1) {
			rte_pause();
			continue;
		}
		copy_words(from, to);
		if (atomic_get(&from->seq) == seq) {
			to->seq = seq;
			return true;
		}
	}
	return false;
}

int
stats_read(const struct stats_core *from, struct stats_core *to)
{
	for (unsigned int i = 0; i < STATS_SLEEPS; i++) {
		if (read_clean(from, to))
			return 0;
		usleep(STATS_SLEEP_US);
	}
	copy_words(from, to);
	to->seq = 0;
	return -EAGAIN;
}

static void
close_row(struct ledger_row *row)
{
	row->unaccounted =
		(int64_t)(row->received + row->originated + row->taken_in - row->sent -
			  row->delivered - row->handed_out - row->dropped_total - row->held);
}

void
ledger_row(struct ledger_row *row, const struct stats_core *s)
{
	*row = (struct ledger_row){
		.received = s->received,
		.originated = s->originated,
		.taken_in = s->taken_in,
		.sent = s->sent,
		.delivered = s->delivered,
		.handed_out = s->handed_out,
		.held = s->held,
	};
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++) {
		row->dropped[v] = s->dropped[v];
		row->dropped_total += s->dropped[v];
	}
	close_row(row);
}

void
ledger_add(struct ledger_row *total, const struct ledger_row *row)
{
	total->received += row->received;
	total->originated += row->originated;
	total->taken_in += row->taken_in;
	total->sent += row->sent;
	total->delivered += row->delivered;
	total->handed_out += row->handed_out;
	total->held += row->held;
	total->dropped_total += row->dropped_total;
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++)
		total->dropped[v] += row->dropped[v];
}

void
ledger_close(struct ledger_row *total)
{
	/* What is in a ring between two threads was handed out and not yet taken in. */
	if (total->handed_out > total->taken_in) {
		total->held += total->handed_out - total->taken_in;
		total->taken_in = total->handed_out;
	}
	close_row(total);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void
sink_flows_init(struct sink_flows *flows, uint32_t limit, uint32_t window)
{
	*flows = (struct sink_flows){ .limit = limit, .words = 1 };
	while (flows->words < window / 64)
		flows->words *= 2;
}

void
sink_flows_release(struct sink_flows *flows)
{
	for (unsigned int i = 0; i < PROBE_STREAMS; i++) {
		free(flows->stream[i].next);
		free(flows->stream[i].came);
		flows->stream[i].next = flows->stream[i].came = NULL;
	}
}

/* Zeroed pages that the kernel has not given yet: large tables cost what is touched of them. */
static bool
open_stream(struct sink_flows *flows, uint32_t stream)
{
	uint64_t *next = calloc(flows->limit, sizeof(*next));
	uint64_t *came = calloc(flows->limit, sizeof(*came) * flows->words);

	if (next == NULL || came == NULL) {
		free(next);
		free(came);
		return false;
	}
	flows->stream[stream].next = next;
	flows->stream[stream].came = came;
	return true;
}

static void
note(struct sink_flows *flows, const char *what, const struct probe_seen *seen, uint64_t next)
{
	if (flows->first[0] == '\0')
		snprintf(flows->first, sizeof(flows->first),
			 "%s: stream %" PRIu32 " flow %" PRIu32 " number %" PRIu64
			 ", expected %" PRIu64,
			 what, seen->stream, seen->flow, seen->seq, next);
}

/* Numbers next .. seq - 1 have been passed over. */
static void
skip(struct sink_flows *flows, uint64_t *came, uint64_t next, uint64_t seq)
{
	uint64_t last = seq / 64, first = (next + 63) / 64;

	flows->lost += seq - next;
	/* Words that are entered now, each once however far it is. */
	if (last >= flows->words && first < last - flows->words + 1)
		first = last - flows->words + 1;
	for (uint64_t i = first; i <= last; i++)
		came[i & (flows->words - 1)] = 0;
}

/* One from before. */
static void
see_old(struct sink_flows *flows, uint64_t *came, const struct probe_seen *seen, uint64_t next)
{
	uint64_t seq = seen->seq, bit = 1ull << seq % 64;
	uint64_t *word = &came[seq / 64 & (flows->words - 1)];

	if ((next - 1) / 64 - seq / 64 >= flows->words) {
		flows->late++;
		flows->misordered++;
		note(flows, "late", seen, next);
	} else if (*word & bit) {
		flows->duplicated++;
		note(flows, "duplicated", seen, next);
	} else {
		*word |= bit;
		flows->misordered++;
		flows->lost -= flows->lost > 0; /* 0 when it was counted before a "clear" */
		note(flows, "misordered", seen, next);
	}
}

void
sink_flows_slow(struct sink_flows *flows, const struct probe_seen *seen)
{
	uint64_t *next, *came;

	if (seen->flow >= flows->limit ||
	    (flows->stream[seen->stream].next == NULL && !open_stream(flows, seen->stream))) {
		flows->untracked++;
		return;
	}
	next = &flows->stream[seen->stream].next[seen->flow];
	came = &flows->stream[seen->stream].came[(size_t)seen->flow * flows->words];
	if (seen->seq < *next) {
		see_old(flows, came, seen, *next);
		return;
	}
	if (seen->seq > *next) {
		note(flows, "lost", seen, *next);
		skip(flows, came, *next, seen->seq);
	} else if (seen->seq % 64 == 0) {
		came[seen->seq / 64 & (flows->words - 1)] = 0;
	}
	came[seen->seq / 64 & (flows->words - 1)] |= 1ull << seen->seq % 64;
	*next = seen->seq + 1;
}

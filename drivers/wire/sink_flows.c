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
		free(flows->stream[i].flow);
		free(flows->stream[i].came);
		flows->stream[i].flow = NULL;
		flows->stream[i].came = NULL;
	}
}

/* Zeroed pages that the kernel has not given yet: large tables cost what is touched of them. */
static bool
open_stream(struct sink_flows *flows, uint32_t stream)
{
	struct sink_flow *flow = calloc(flows->limit, sizeof(*flow));
	uint64_t *came = calloc(flows->limit, sizeof(*came) * flows->words);

	if (flow == NULL || came == NULL) {
		free(flow);
		free(came);
		return false;
	}
	flows->stream[stream].flow = flow;
	flows->stream[stream].came = came;
	return true;
}

static void
note(struct sink_flows *flows, const char *what, struct probe_seen seen, uint64_t next)
{
	if (flows->first[0] == '\0')
		snprintf(flows->first, sizeof(flows->first),
			 "%s: stream %" PRIu32 " flow %" PRIu32 " number %" PRIu64
			 ", expected %" PRIu64,
			 what, seen.stream, seen.flow, seen.seq, next);
}

/* Into words that no earlier number is in: all of them, once however far it is. */
static void
enter(const struct sink_flows *flows, uint64_t *came, uint64_t from, uint64_t to)
{
	uint64_t first = (from + 63) / 64, last = (to + 63) / 64;

	if (last - first > flows->words)
		first = last - flows->words;
	for (uint64_t i = first; i < last; i++)
		came[i & (flows->words - 1)] = 0;
}

static void
mark(const struct sink_flows *flows, uint64_t *came, uint64_t seq)
{
	came[seq / 64 & (flows->words - 1)] |= 1ull << seq % 64;
}

/* Those that came in order, since .. next - 1, are noted down like all others. */
static void
settle(const struct sink_flows *flows, uint64_t *came, struct sink_flow *flow)
{
	uint64_t from = flow->since, end = (flow->next + 63) / 64; /* words */

	/* Whole words: what is before them lies where numbers to come will be. */
	if (end > flows->words && from < (end - flows->words) * 64)
		from = (end - flows->words) * 64;
	enter(flows, came, flow->since, flow->next);
	for (uint64_t seq = from; seq < flow->next; seq++)
		mark(flows, came, seq);
	flow->since = flow->next;
}

/* One from before. */
static void
see_old(struct sink_flows *flows, uint64_t *came, struct probe_seen seen, uint64_t next)
{
	uint64_t seq = seen.seq;

	if ((next - 1) / 64 - seq / 64 >= flows->words) {
		flows->late++;
		flows->misordered++;
		note(flows, "late", seen, next);
	} else if (came[seq / 64 & (flows->words - 1)] >> seq % 64 & 1) {
		flows->duplicated++;
		note(flows, "duplicated", seen, next);
	} else {
		mark(flows, came, seq);
		flows->misordered++;
		flows->lost -= flows->lost > 0; /* 0 when it was counted before a "clear" */
		note(flows, "misordered", seen, next);
	}
}

void
sink_flows_slow(struct sink_flows *flows, struct probe_seen seen)
{
	struct sink_flow *flow;
	uint64_t *came;

	if (seen.flow >= flows->limit ||
	    (flows->stream[seen.stream].flow == NULL && !open_stream(flows, seen.stream))) {
		flows->untracked++;
		return;
	}
	flow = &flows->stream[seen.stream].flow[seen.flow];
	came = &flows->stream[seen.stream].came[(size_t)seen.flow * flows->words];
	if (seen.seq == flow->next) { /* the first frame of a stream */
		flow->next++;
		return;
	}
	settle(flows, came, flow);
	if (seen.seq < flow->next) {
		see_old(flows, came, seen, flow->next);
		return;
	}
	note(flows, "lost", seen, flow->next);
	flows->lost += seen.seq - flow->next;
	enter(flows, came, flow->next, seen.seq + 1);
	mark(flows, came, seen.seq);
	flow->next = flow->since = seen.seq + 1;
}

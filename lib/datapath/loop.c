/* SPDX-License-Identifier: BSD-3-Clause */
#include "datapath/core.h"

#include <rte_cycles.h>
#include <rte_rcu_qsbr.h>

#include "base/fast.h"

/* One bundle, from received to settled: the whole story. */
static void
forward(struct core *core, struct bundle *b)
{
	if (likely(core->mode == FORWARD_IP4 || core->mode == FORWARD_DROP)) {
		stage_classify(core, b);
		/* here: stage_steer, once packets may go to another core */
		stage_ip4(core, b);
		stage_rewrite(core, b);
	}
	if (unlikely(core->mode != FORWARD_IP4))
		stage_yardstick(core, b);
	/* Who has just been found resolved must not pass those that waited for it. */
	if (unlikely(!punt_ring_empty(core->punt.down)))
		stage_inject(core);
	stage_tx(core, b);
	stage_settle(core, b);
}

unsigned int
core_turn(struct core *core)
{
	unsigned int met = 0;

	core->burst = atomic_get(&core->knobs->burst);
	core->prefetch = atomic_get(&core->knobs->prefetch);
	core->own = atomic_acquire(&core->view->own);

	if (unlikely(!punt_ring_empty(core->punt.down)))
		met = stage_inject(core);
	for (uint16_t q = 0; q < core->nb_rxq; q++) {
		struct bundle *b = &core->b;
		unsigned int n = stage_rx(core, &core->rxq[q]);

		/* A PMD may want to be asked for more than a bundle holds. */
		for (unsigned int done = 0; done < n; done += b->n) {
			b->n = (uint16_t)RTE_MIN(n - done, core->burst);
			b->port = core->rxq[q].port;
			b->rxq = &core->rxq[q];
			b->pkt = &core->rx[done];
			forward(core, b);
		}
		met += n;
	}
	rte_rcu_qsbr_quiescent(core->rcu, core->lcore);
	return met;
}

/*
 * Reading the clock costs about 100 cycles a turn at full rate, 3 a packet, so while every turn
 * brings full bursts it is read once in CLOCK_TURNS; any other turn has time to spare.
 */
#define CLOCK_TURNS 16

/* Time since the last look at the clock: turns turns, packets in all but the last at least. */
static void
account(struct stats_core *s, unsigned int turns, bool busy, uint64_t cycles, uint64_t *typical)
{
	/* A long gap was one turn's: the others took what turns took before. */
	uint64_t others = RTE_MIN(*typical, cycles / turns) * (turns - 1);
	uint64_t gap = cycles - others;

	*typical = cycles / turns;
	atomic_bump(&s->turns, turns);
	atomic_bump(&s->total_cycles, cycles);
	if (busy) {
		atomic_bump(&s->busy_turns, turns);
		atomic_bump(&s->busy_cycles, cycles);
	}
	if (unlikely(gap > s->max_gap_cycles))
		atomic_put(&s->max_gap_cycles, gap);
}

void
core_loop(struct core *core)
{
	uint64_t begin = rte_rdtsc(), typical = 0;
	unsigned int turns = 0;

	while (atomic_acquire(&core->knobs->run)) {
		unsigned int met = core_turn(core);
		uint64_t now;

		turns++;
		if (met >= core->burst && turns < CLOCK_TURNS)
			continue;
		now = rte_rdtsc();
		account(core->stats, turns, met != 0 || turns > 1, now - begin, &typical);
		begin = now;
		turns = 0;
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_bench.h"

#include "drivers/wire/softnic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_rcu_qsbr.h>

#define WARM_UP 2000 /* turns: rings go round, caches fill */

enum part { RX, CLASSIFY, IP4, REWRITE, TX, SETTLE, PARTS };
static const char *const names[PARTS] = { "rx", "classify", "ip4", "rewrite", "tx", "settle" };

struct turn {
	uint64_t at[PARTS + 1];
	unsigned int packets;
};

/*
 * core_turn() for one queue, with the clock between the stages.  Not inlined: callgrind counts what
 * is below this name and leaves the models out.
 */
__attribute__((noinline)) static void
bench_turn(struct core *core, struct turn *t)
{
	struct bundle *b = &core->b;

	core->burst = atomic_get(&core->knobs->burst);
	core->prefetch = atomic_get(&core->knobs->prefetch);
	core->own = atomic_acquire(&core->view->own);
	t->at[RX] = rte_rdtsc();
	t->packets = stage_rx(core, &core->rxq[0]);
	t->at[CLASSIFY] = rte_rdtsc();
	if (t->packets == 0)
		return;
	b->n = (uint16_t)RTE_MIN(t->packets, core->burst);
	b->port = core->rxq[0].port;
	b->rxq = &core->rxq[0];
	b->pkt = core->rx;
	stage_classify(core, b);
	t->at[IP4] = rte_rdtsc();
	stage_ip4(core, b);
	t->at[REWRITE] = rte_rdtsc();
	stage_rewrite(core, b);
	t->at[TX] = rte_rdtsc();
	stage_tx(core, b);
	t->at[SETTLE] = rte_rdtsc();
	stage_settle(core, b);
	t->at[PARTS] = rte_rdtsc();
	rte_rcu_qsbr_quiescent(core->rcu, core->lcore);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The clock's own cost, which lies once between two readings. */
static uint64_t
clock_cost(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t t = rte_rdtsc();

		least = RTE_MIN(least, rte_rdtsc() - t);
	}
	return least;
}

static double
median(double *values, unsigned int n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}

static void
print(struct pmd_rig *rig, double *cycles[PARTS], double *whole, unsigned int n, uint64_t packets)
{
	printf("{\"turns\":%u,\"burst\":%u,\"packets\":%" PRIu64 ",\"cycles_per_packet\":{", n,
	       rig->cfg.burst, packets);
	for (unsigned int p = 0; p < PARTS; p++)
		printf("\"%s\":%.2f,", names[p], median(cycles[p], n));
	printf("\"whole\":%.2f}}\n", median(whole, n));
}

int
pmd_bench(struct pmd_rig *rig, unsigned int turns)
{
	double *cycles[PARTS], *whole = calloc(turns, sizeof(*whole));
	uint64_t cost = clock_cost(), packets = 0; /* of all turns, as callgrind counts */
	unsigned int n = 0;
	struct turn t;

	for (unsigned int p = 0; p < PARTS; p++)
		cycles[p] = calloc(turns, sizeof(*cycles[p]));
	for (unsigned int i = 0; n < turns && i < WARM_UP + 4 * turns; i++) {
		softnic_step(rig->cfg.burst);
		bench_turn(rig->core, &t);
		packets += t.packets;
		if (i < WARM_UP || t.packets != rig->cfg.burst)
			continue;
		for (unsigned int p = 0; p < PARTS; p++) {
			uint64_t took = t.at[p + 1] - t.at[p];

			cycles[p][n] = (double)(took - RTE_MIN(took, cost)) / t.packets;
		}
		whole[n++] = (double)(t.at[PARTS] - t.at[RX]) / t.packets;
	}
	if (n > 0)
		print(rig, cycles, whole, n, packets);
	for (unsigned int p = 0; p < PARTS; p++)
		free(cycles[p]);
	free(whole);
	return n > 0 ? 0 : -1;
}

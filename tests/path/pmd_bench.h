/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PMD_BENCH_H
#define TEST_PMD_BENCH_H

#include "support/pmd_rig.h"

/*
 * Cycles per packet of a worker's turn, stage by stage, on the real PMD.  The models run between
 * the turns and are not timed; only turns whose bursts were all full count.
 *
 * Prints JSON.  Returns 0, or -1 when there were no full bursts (the gen ended, or is too slow).
 */
int pmd_bench(struct pmd_rig *rig, unsigned int turns);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_FIB_ENV_H
#define TEST_FIB_ENV_H

#include <stdio.h>
#include <stdlib.h>

#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>

/*
 * What a fib needs around it: EAL, without hugepages, and the readers' RCU.  Once per process.  EAL
 * 22.11 refuses --no-huge together with --in-memory; --no-shconf leaves no files either.
 */
static inline struct rte_rcu_qsbr *
fib_env_start(const char *program, uint32_t readers)
{
	char *argv[] = {
		(char *)(uintptr_t)program,
		(char *)(uintptr_t) "--no-huge",
		(char *)(uintptr_t) "--no-shconf",
		(char *)(uintptr_t) "-m",
		(char *)(uintptr_t) "192",
		(char *)(uintptr_t) "--no-pci",
		(char *)(uintptr_t) "--no-telemetry",
		(char *)(uintptr_t) "-l",
		(char *)(uintptr_t) "0",
		(char *)(uintptr_t) "--log-level=lib.eal:error",
	};
	struct rte_rcu_qsbr *rcu;

	if (rte_eal_init((int)RTE_DIM(argv), argv) < 0) {
		fprintf(stderr, "%s: EAL does not start\n", program);
		exit(1);
	}
	rcu = rte_zmalloc("rcu", rte_rcu_qsbr_get_memsize(readers), RTE_CACHE_LINE_SIZE);
	if (rcu == NULL || rte_rcu_qsbr_init(rcu, readers) != 0) {
		fprintf(stderr, "%s: no memory for the RCU\n", program);
		exit(1);
	}
	return rcu;
}

static inline void
fib_env_stop(struct rte_rcu_qsbr *rcu)
{
	rte_free(rcu);
	rte_eal_cleanup();
}

#endif

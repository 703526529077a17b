/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_FIB_ENV_H
#define TEST_FIB_ENV_H

#include "support/eal.h"

#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>

/* What a fib needs around it: EAL and the readers' RCU.  Once per process. */
static inline struct rte_rcu_qsbr *
fib_env_start(const char *program, uint32_t readers)
{
	struct rte_rcu_qsbr *rcu;

	test_eal_init(program, "0", "192");
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

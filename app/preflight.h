/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_PREFLIGHT_H
#define APP_PREFLIGHT_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What EAL would say cryptically, said first: are there enough free hugepages for the options?
 */
#define PREFLIGHT_NODES_MAX 8
#define PREFLIGHT_SIZES_MAX 4

struct preflight_pages { /* of one size on one node */
	uint32_t size_kb;
	uint64_t total, free; /* pages */
};

struct preflight_node {
	uint32_t id;
	unsigned int nb_pages;
	struct preflight_pages pages[PREFLIGHT_SIZES_MAX];
};

struct preflight_host {
	unsigned int nb_nodes;
	struct preflight_node node[PREFLIGHT_NODES_MAX];
	bool mounted; /* some hugetlbfs is */
};

struct preflight_want {
	bool no_huge;                          /* --no-huge: pages do not matter */
	bool in_memory;                        /* --in-memory: no mount needed */
	uint64_t total_mb;                     /* -m; 0: EAL takes as it goes */
	uint64_t node_mb[PREFLIGHT_NODES_MAX]; /* --socket-mem */
};

/* What EAL's words ask for; words that are not understood are left for EAL to refuse.  Pure. */
void preflight_read_args(int argc, char *const *argv, struct preflight_want *want);

/* 0, or -ENOMEM with needed, free and the command that mends it in err.  Pure. */
int preflight_judge(const struct preflight_host *host, const struct preflight_want *want,
		    struct err *err);

/* Both, with the host's numbers from sysfs. */
int preflight(int argc, char *const *argv, struct err *err);

#endif

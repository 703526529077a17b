/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_EAL_H
#define TEST_EAL_H

#include <stdio.h>
#include <stdlib.h>

#include <rte_eal.h>

/* EAL for a test program: no hugepages, no PCI, nothing shared and nothing left behind.  Once per process. */
static inline void
test_eal_init(const char *program, const char *lcores, const char *megabytes)
{
	char *argv[] = {
		(char *)(uintptr_t)program,
		(char *)(uintptr_t) "--no-huge",
		(char *)(uintptr_t) "-m",
		(char *)(uintptr_t)megabytes,
		(char *)(uintptr_t) "--no-pci",
		(char *)(uintptr_t) "--no-shconf",
		(char *)(uintptr_t) "--no-telemetry",
		(char *)(uintptr_t) "-l",
		(char *)(uintptr_t)lcores,
		(char *)(uintptr_t) "--log-level=lib.eal:error",
	};

	if (rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])), argv) < 0) {
		fprintf(stderr, "%s: EAL does not start\n", program);
		exit(1);
	}
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_SECOND_US 1000000ull

/*
 * Microseconds of CLOCK_MONOTONIC.  Rates and timers use this and not the TSC, whose frequency
 * DPDK may know wrongly under a hypervisor.  Control threads; workers read the TSC.
 */
static inline uint64_t
clock_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * CLOCK_SECOND_US + (uint64_t)ts.tv_nsec / 1000;
}

#endif

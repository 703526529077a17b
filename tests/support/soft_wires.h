/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUPPORT_SOFT_WIRES_H
#define SUPPORT_SOFT_WIRES_H

#include "drivers/wire/wires.h"

/*
 * Wires for tests of the runner, in the place of the real ones.  "gen" gives `count` frames of `len`
 * bytes, numbered in their first four; "sink" keeps what comes; the others can only be there.
 */
struct test_wire_conf {
	uint32_t count, len, with;
	bool wait, broken; /* broken: create() fails */
};
struct test_wire {
	uint32_t at, fetches;     /* gen: frames taken; calls */
	uint32_t sent, last, len; /* sink: frames; number and length of the last */
	bool stopped;
	uint8_t frame[SOFT_BATCH][2048];
};
extern int test_wires_alive; /* created, or failed to, and not destroyed */

#endif

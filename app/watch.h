/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_WATCH_H
#define APP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Does a port that is given packets still send?  One line when it has stopped, one when it goes on.
 * Pure; run.c feeds it and logs.
 */
#define WATCH_QUIET_S                                                                              \
	2 /* seconds without a frame, while packets are refused, that count as a stall */

struct watch_port {
	uint64_t refused; /* as of the last look */
	uint64_t left;    /* frames that the device says have left */
	uint64_t lost;    /* refused since the last frame left */
	uint32_t quiet_s;
	bool told, seen;
};

struct watch_sample {
	uint64_t refused; /* by the driver, since start (tx_full) */
	uint64_t left;    /* by the device's counter, since start */
	bool link_up, removed;
};

/* What a look a second after the last one tells. */
enum watch_word { WATCH_NOTHING, WATCH_STALLED, WATCH_SENDS };
enum watch_word watch_look(struct watch_port *port, const struct watch_sample *sample);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_WATCH_H
#define APP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Does a port that is given packets still send?  One line when it has stopped, one when it goes on.
 * Pure; mend.c feeds it and logs.
 */
#define WATCH_QUIET_S 2 /* without a frame, while packets are refused, that count as a stall */

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

/* What is tried again and again, in ever longer intervals while it does not help. */
#define WATCH_RETRY_MIN_S 2
#define WATCH_RETRY_MAX_S 64
struct watch_retry {
	uint64_t next_us; /* not before */
	uint32_t wait_s;
};
bool watch_may_retry(struct watch_retry *retry, uint64_t now_us);

#endif

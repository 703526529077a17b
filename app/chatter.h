/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_CHATTER_H
#define APP_CHATTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Lines that say the same again and again: a driver may complain at every burst, a million times a
 * second, until the disk is full.  Pure.
 */
#define CHATTER_LINES  8  /* different ones that are remembered */
#define CHATTER_SECOND 10 /* of each that pass, a second */

struct chatter {
	struct {
		uint64_t hash;
		uint32_t n; /* in this second */
	} line[CHATTER_LINES];
	unsigned int oldest;
	uint64_t until_us; /* end of this second */
	uint64_t left_out; /* in it */
};
/* May it pass?  *left_out is how many did not in the second that has ended by it, mostly 0. */
bool chatter_pass(struct chatter *chatter, const char *line, size_t len, uint64_t now_us,
		  uint64_t *left_out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIB_DIR24_FAST_H
#define FIB_DIR24_FAST_H

#include "fib/fib_fast.h"

#include <stdint.h>

/*
 * DIR-24-8 (Gupta, Lin, McKeown, "Routing Lookups in Hardware at Memory Access Speeds", 1998) with
 * two-byte entries: tbl24 has one for each /24, and where longer prefixes live it names a group of
 * 256 entries, one for each address.
 */
#define DIR24_SLOTS      (1u << 24)
#define DIR24_GROUP      0x8000u /* in a tbl24 entry: the rest is a group, else it is an id */
#define DIR24_GROUP_SIZE 256u

/* What lookup reads; the pointers never change. */
struct dir24_tables {
	uint16_t *tbl24;
	uint16_t *tbl8;
};

void dir24_lookup(const struct fib_view *view, const uint32_t *dst, uint16_t *id, uint16_t n);

#endif

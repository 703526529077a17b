/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_WIRES_H
#define WIRE_WIRES_H

#include "drivers/wire/soft.h"

/*
 * The kinds of wires there are: an explicit list.  Each is defined by the file of its name.
 */
extern const struct wire_kind wire_kind_gen;
extern const struct wire_kind wire_kind_loop;
extern const struct wire_kind wire_kind_pair;
extern const struct wire_kind wire_kind_pcap;
extern const struct wire_kind wire_kind_sink;
extern const struct wire_kind wire_kind_tap;

extern const struct wire_kind *const wire_kinds[]; /* NULL ends */

/*
 * What a wire is to read: a file, -EINVAL if it is anything else.  A FIFO nobody writes to would keep
 * the program from starting, and the models' turns from ending.
 */
int wire_check_file(const char *path, struct err *err);

/* NULL: no such wire. */
const struct wire_kind *wire_kind_find(const char *name);

#endif

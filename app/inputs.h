/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_INPUTS_H
#define APP_INPUTS_H

#include "args.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A first look at the files that the options name, before EAL starts: a missing one is refused at
 * once, and what they hold decides what there is to do and how large tables are.
 */
struct inputs {
	bool start, quit;     /* the command file has such a line */
	uint32_t route_lines; /* of the route file; at least as many as it has routes */
};

/* 0, or a negative errno with the file and the reason in err. */
int inputs_read(const struct app_args *args, struct inputs *inputs, struct err *err);

#endif

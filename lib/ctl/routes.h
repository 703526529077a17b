/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_ROUTES_H
#define CTL_ROUTES_H

#include "base/err.h"

#include <stdio.h>

struct ctl;

/*
 * Static routes as files.  load, check: see ctl_route_file_*() in ctl.h; a prefix that is there
 * already is replaced.
 */

/* check without an out: the first bad line is the error, with how many more there are. */
int routes_check(struct ctl *ctl, const char *path, struct err *err);

/* Make the static routes those of the file, touching only what differs. */
int routes_reload(struct ctl *ctl, const char *path, FILE *out, struct err *err);

/* Write the static routes to path, whole or not at all. */
int routes_save(struct ctl *ctl, const char *path, FILE *out, struct err *err);

#endif

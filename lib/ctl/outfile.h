/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_OUTFILE_H
#define CTL_OUTFILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * A file that appears whole or not at all: written beside its place and renamed.  What is no
 * regular file (/dev/stdout, a pipe) is written directly.  Control thread.
 */
struct outfile {
	FILE *out;
	char *path; /* where it will be, symbolic links followed */
	char *temp; /* where it is; NULL when written directly */
};

/* 0 or a negative errno; the text names path and reason. */
int outfile_open(struct outfile *f, const char *path, struct err *err);

/* Put it in its place; on error nothing is there but what was before. */
int outfile_commit(struct outfile *f, struct err *err);

/* Leave no trace. */
void outfile_abort(struct outfile *f);

#endif

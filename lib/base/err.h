/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/*
 * The text of an error: the thing, the reason, the way out.  Functions that act on what a user
 * said fill it in and return a negative errno; the caller decides where it is printed.
 *
 * Threads: any; the object belongs to the caller.  A NULL err is allowed and means "not wanted".
 */
struct err {
	char text[512]; /* one line, no newline at the end; cut if longer */
};

/* Store the text and return ret, so that "return err_set(err, -EINVAL, ...)" reads as one. */
int err_set(struct err *err, int ret, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Put "fmt: " in front of what is there already; returns ret. */
int err_prefix(struct err *err, int ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

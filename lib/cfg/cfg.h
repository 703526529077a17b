/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CFG_CFG_H
#define CFG_CFG_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Text to structs; pure, no EAL needed, fuzzed.  Errors name the offending piece.
 */
#define CFG_NAME_MAX   64  /* port as the user wrote it, with its zero */
#define CFG_POLL_MAX   256 /* (port,queue,lcore) tuples */
#define CFG_QUEUES_MAX 1024
#define CFG_STEER_MAX  16
#define CFG_LCORES_MAX 128

/* --config "(port,queue,lcore),...": who polls what.  Spaces are fine everywhere. */
struct cfg_poll {
	char port[CFG_NAME_MAX]; /* id, PCI address or device name; resolved once ports exist */
	uint16_t queue;
	uint16_t lcore;
};

/*
 * Syntax, and what needs no ports: numbers in range, no (port,queue) twice, each port's queues
 * from 0 without a gap, at least one tuple, nothing outside the parentheses.  0 or -EINVAL.
 */
int cfg_poll_parse(const char *text, struct cfg_poll *poll, unsigned int max, unsigned int *n,
		   struct err *err);

/*
 * --steer "(1):(2,3),(4):(5)": groups of receiving and of working lcores.  An lcore may be on both
 * sides and a target in several groups, but no lcore receives for two.  0 or -EINVAL.
 */
struct cfg_steer {
	uint16_t rx[CFG_LCORES_MAX], target[CFG_LCORES_MAX];
	uint16_t nb_rx, nb_target;
};
int cfg_steer_parse(const char *text, struct cfg_steer *steer, unsigned int max, unsigned int *n,
		    struct err *err);

/*
 * Split a command line into words, in place: blanks separate, "..." and '...' keep blanks, # where
 * a word could begin starts a comment.  Returns the number of words, or -EINVAL (open quote, more
 * than max words, a byte below 0x20 other than tab); the line is spoilt in either case.
 */
int cfg_words(char *line, char **word, unsigned int max, struct err *err);

/*
 * Read a file line by line, without LF or CRLF, with or without a newline at the end; a UTF-8 byte
 * order mark is skipped.  Lines may have any length a text file has (16 MB; /dev/zero is refused).
 * fn may write to the line, and returns 0 to go on.  A NUL byte in a line is passed to fn as the
 * line's end, with len saying more, so that fn can refuse it.  0; fn's value, with err left alone;
 * or -errno with the text in err.
 */
typedef int (*cfg_line_fn)(char *line, size_t len, unsigned int number, void *arg);
int cfg_lines(const char *path, cfg_line_fn fn, void *arg, struct err *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CFG_GROUP_H
#define CFG_GROUP_H

#include "base/err.h"
#include "cfg/cfg.h"

/*
 * One "( a , b , c )" of --config and --steer: where it lies in the text, and its values without
 * the blanks around them.  Spans point into the text; nothing is copied.
 *
 * Private to lib/cfg.  Threads: any; no state.
 */
struct cfg_span {
	const char *s;
	int len;
};

struct cfg_group {
	const char *option; /* what errors begin with, as in "--config" */
	const char *form;   /* how a group is written, as in "(port,queue,lcore)" */
	struct cfg_span text;
	struct cfg_span value[CFG_LCORES_MAX];
	unsigned int nb_values;
};

/* For printf's "%.*s": a span, cut where an error text would grow too long. */
#define CFG_SPAN_MAX     64
#define CFG_SPAN_ARG(sp) ((sp).len < CFG_SPAN_MAX ? (sp).len : CFG_SPAN_MAX), (sp).s

/* Behind the blanks: space, tab and line ends, as a quoted option in a script may have them. */
const char *cfg_skip_blanks(const char *s);

/*
 * Take the group that begins at *text, blanks before it allowed, and move *text behind it.  The
 * caller has set option and form.  0 or -EINVAL.
 */
int cfg_group_take(const char **text, struct cfg_group *g, struct err *err);

/*
 * What follows a group: 1 when a comma announces another one (*text moves behind it), 0 at the end
 * of the text, -EINVAL for anything else.
 */
int cfg_group_more(const char **text, const struct cfg_group *g, struct err *err);

/* A value of the group as a number within [0, max]; name is what err calls it. */
int cfg_group_number(const struct cfg_group *g, unsigned int i, const char *name, uint16_t max,
		     uint16_t *value, struct err *err);

#endif

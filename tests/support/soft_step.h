/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_SOFT_STEP_H
#define TEST_SOFT_STEP_H

#include "drivers/wire/run.h"
#include "drivers/wire/wires.h"
#include "support/cmocka.h"
#include "support/soft_standin.h"

#include <stdio.h>

/* Stand-in NICs at the real wires, in lock-step: "standin pair,with=1 ; standin pair,with=0". */
static inline void
step_begin(const char *nics)
{
	char spec[1024];

	snprintf(spec, sizeof(spec), "run,step ; %s", nics);
	setenv("SLUICE_NICS", spec, 1);
	assert_int_equal(soft_plug(&standin_kind), 0);
}

static inline int
step_end(void **state)
{
	(void)state;
	ports_end(false);
	return standin_alive;
}

/* The lines of "stats" hold this one. */
static inline void
step_reports(const char *line)
{
	static char text[16384];

	assert_int_equal(softnic_command("stats", text, sizeof(text)), 0);
	if (strstr(text, line) == NULL)
		fail_msg("no \"%s\" in:\n%s", line, text);
}

#endif

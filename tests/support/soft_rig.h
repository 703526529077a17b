/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUPPORT_SOFT_RIG_H
#define SUPPORT_SOFT_RIG_H

#include "drivers/wire/run.h"
#include "support/soft_standin.h"
#include "support/soft_wires.h"

/*
 * A set-up of stand-ins from a specification, NULL for none, and what it says on stderr.  Each ends
 * with rig_end(), after which nothing is left.
 */
extern char rig_said[4096]; /* since rig_listen(), after rig_heard() */
void rig_listen(void);
void rig_heard(void);

int rig_plug(const char *spec);       /* soft_plug(&standin_kind), with its words heard */
void rig_plug_well(const char *spec); /* it must succeed and say nothing */
void rig_plug_badly(const char *spec,
		    const char *why); /* it must fail with one line, and leave nothing */
void rig_end(void);
extern unsigned int rig_trees_removed;

/* What hangs there. */
struct test_wire *rig_in(unsigned int port);
struct test_wire *rig_out(unsigned int port);

#endif

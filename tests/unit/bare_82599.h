/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_BARE_82599_H
#define TEST_BARE_82599_H

#include "drivers/ixgbe/model/model.h"

/* An 82599 with registers, after a reset, but without a host: no BAR, no EAL, no datapath. */
struct n82599 *bare_new(void);
void bare_free(struct n82599 *nic);

extern struct soft_port bare_port;
extern struct soft_wire bare_wire; /* what hangs on the cable */
extern unsigned int bare_resets;   /* of the datapath */
extern unsigned int bare_logs;     /* lines of soft_log(), the last of them: */
extern char bare_log[256];

#endif

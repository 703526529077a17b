/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_EAL_H
#define APP_EAL_H

#include "base/err.h"

/*
 * rte_eal_init() on argv[0..argc), which stays as it is.  0, or -EINVAL when EAL refuses its
 * options or the machine; then there is nothing to clean up.
 */
int eal_start(int argc, char **argv, struct err *err);
/* rte_eal_cleanup() */
void eal_end(void);

#endif

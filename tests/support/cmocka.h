/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_CMOCKA_H
#define TEST_CMOCKA_H

/* cmocka.h wants these four before it, in any test. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include <cmocka.h>

#endif

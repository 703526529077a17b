/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_GUARD_H
#define WIRE_GUARD_H

#include "base/err.h"
#include "drivers/wire/softnic.h"

/*
 * The plugins redeclare what DPDK does not export, so they work with the ABI they were built for
 * and no other.  0, or -ENOTSUP with one line: what was found, what is needed, what this plugin
 * therefore does not do.
 */
SOFTNIC_API int guard_dpdk(const char *plugin, struct err *err);

#endif

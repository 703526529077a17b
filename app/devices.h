/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_DEVICES_H
#define APP_DEVICES_H

#include "base/err.h"

/*
 * The devices a user named with -a and --vdev.  EAL starts without those that are not there or that
 * no driver takes; a forwarder would then run on the ports that are left, and nobody would know.
 */

/*
 * 0 when each of them has become a port, or -ENODEV with the first that has not; likewise when
 * software NICs were asked for and there is no port at all.
 */
int devices_check(struct err *err);

/*
 * Say why no port came of a PCI device, from what the kernel tells below sys ("/sys"), and what to
 * do.  Returns -ENODEV.
 */
int devices_refuse_pci(const char *sys, const char *name, struct err *err);

#endif

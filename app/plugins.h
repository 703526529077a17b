/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_PLUGINS_H
#define APP_PLUGINS_H

#include "base/err.h"

/*
 * What EAL would say cryptically of the plugins that -d names, said first.  Any thread, before EAL.
 *
 * Returns 0; -ENOENT (there is no such file) or -EPERM (everybody may write where it lies), with the
 * way out in err.
 */
int plugins_check(int argc, char *const *argv, struct err *err);

#endif

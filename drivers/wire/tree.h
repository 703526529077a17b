/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_TREE_H
#define WIRE_TREE_H

#include "base/err.h"
#include "drivers/wire/softnic.h"

/*
 * The sysfs that EAL's PCI scan reads instead of the machine's: a folder of this process alone,
 * named by SYSFS_PCI_DEVICES.  It is locked (flock) while the process lives and removed at exit;
 * folders of processes that died are found by their free lock and removed at the next start.
 *
 * Threads: constructors only, one at a time.
 */
/* The folder, made at the first call: "/tmp/sluice-nics.PID.XXXXXX", or below TMPDIR; NULL on error.
 * What else belongs to this process (a socket) may live in it too, and ends with it. */
SOFTNIC_API const char *tree_root(struct err *err);

struct tree_device {
	const char *bdf; /* "0000:01:00.0" */
	uint16_t vendor, device, subsystem_vendor, subsystem_device;
	uint32_t class_code; /* 0x020000 */
	int numa;
	uint64_t bar_len;   /* bytes of BAR 0; 0: no BAR */
	const char *driver; /* kernel driver it seems bound to; the link may dangle */
};
/* 0; -EINVAL (not an address), -EEXIST, or what the file system says. */
SOFTNIC_API int tree_add(const struct tree_device *device, struct err *err);
SOFTNIC_API bool tree_has(const char *bdf);
/* root/PATH with its folders, holding text; for what else a PMD reads.  No ".." in it. */
SOFTNIC_API int tree_file(const char *path, const char *text, struct err *err);
/* After this process or a failed start; also called at exit by itself.  Not the parent's in a child
 * of fork(); EAL sees the machine's own devices again. */
SOFTNIC_API void tree_remove(void);

#endif

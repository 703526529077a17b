/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/wires.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int
wire_check_file(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_set(err, -errno, "%.256s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%.256s: is no regular file; write a file's path",
			       path);
	return 0;
}

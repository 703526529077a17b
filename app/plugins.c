/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugins.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Cut path to the first folder on the way up, or to itself, that everybody may write to. */
static bool
is_open_to_all(char *path)
{
	struct stat st;

	while (stat(path, &st) != 0 || (st.st_mode & S_IWOTH) == 0) {
		char *slash = strrchr(path, '/');

		if (slash == path && slash[1] == '\0')
			return false;
		slash[slash == path] = '\0'; /* the root keeps its name */
	}
	return true;
}

/* EAL's eal_dlopen(): a name that is no file is one for the dynamic linker to find. */
static int
check(const char *name, struct err *err)
{
	char *path = realpath(name, NULL);
	int ret = 0;

	if (path == NULL && strchr(name, '/') != NULL)
		return err_set(err, -ENOENT, "-d %s: %s; name a plugin's file or a folder of them",
			       name, strerror(errno));
	if (path != NULL && is_open_to_all(path))
		ret = err_set(
			err, -EPERM,
			"-d %s: everybody may write to %s, and EAL loads no plugin from such a "
			"place; copy it where only its owner may write",
			name, path);
	free(path);
	return ret;
}

int
plugins_check(int argc, char *const *argv, struct err *err)
{
	for (int i = 1; i < argc; i++) {
		const char *name;
		int ret;

		if (strncmp(argv[i], "-d", 2) != 0)
			continue;
		name = argv[i][2] != '\0' ? argv[i] + 2 : i + 1 < argc ? argv[++i] : "";
		ret = name[0] != '\0' ? check(name, err) : 0;
		if (ret < 0)
			return ret;
	}
	return 0;
}

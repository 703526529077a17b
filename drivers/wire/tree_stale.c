/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/tree_stale.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define YOUNG_S    60                          /* a folder may be without its lock for so long */
#define DEPTH      16                          /* folders open at a time while removing */
#define PMD_SOCKET "/var/tmp/dpdk_net_mlx5_%d" /* net_mlx5 makes one, mlx5_socket.c */

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path); /* what does not go now is found again */
	return 0;
}

void
tree_remove_folder(const char *path)
{
	nftw(path, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
}

void
tree_remove_socket(int pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), PMD_SOCKET, pid);
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid())
		unlink(path);
}

/* Nobody has it: a process that has the dead one's number now would answer. */
static bool
is_dead(int pid)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool dead;

	if (fd < 0)
		return false;
	snprintf(addr.sun_path, sizeof(addr.sun_path), PMD_SOCKET, pid);
	dead = connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0 &&
	       errno == ECONNREFUSED;
	close(fd);
	return dead;
}

/* Remove a folder of ours if nobody holds its lock. */
static void
clear(const char *path, int pid)
{
	char lock[PATH_MAX];
	struct stat st;
	int fd;

	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return;
	snprintf(lock, sizeof(lock), "%s/" TREE_LOCK, path);
	fd = open(lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) {
		/* It died before it had a lock, or is about to have one. */
		if (errno == ENOENT && time(NULL) - st.st_mtime > YOUNG_S)
			tree_remove_folder(path);
		return;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		if (is_dead(pid))
			tree_remove_socket(pid);
		tree_remove_folder(path);
	}
	close(fd);
}

void
tree_clear_stale(const char *base)
{
	const struct dirent *entry;
	char path[PATH_MAX];
	DIR *dir = opendir(base);

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, TREE_NAME, strlen(TREE_NAME)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
		clear(path, atoi(entry->d_name + strlen(TREE_NAME)));
	}
	closedir(dir);
}

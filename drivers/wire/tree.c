/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/tree.h"

#include "drivers/wire/tree_stale.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TREE_ENV "SYSFS_PCI_DEVICES" /* EAL's own, rte_pci_get_sysfs_path() */

static struct {
	char root[PATH_MAX / 2]; /* "": none */
	char *before;            /* TREE_ENV as it was, or NULL */
	int lock;
	pid_t pid;
	bool at_exit;
	unsigned int bars;
} tree;

/* The lock appears under its name only when it is held, so that no other start finds it free. */
static int
take_lock(struct err *err)
{
	char path[PATH_MAX], held[PATH_MAX];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/.taking", tree.root);
	snprintf(held, sizeof(held), "%s/" TREE_LOCK, tree.root);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && rename(path, held) == 0) {
		tree.lock = fd;
		return 0;
	}
	ret = err_set(err, -errno, "%s: cannot lock it: %s; let TMPDIR name a folder that can",
		      held, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ret;
}

const char *
tree_root(struct err *err)
{
	const char *base = getenv("TMPDIR"), *before = getenv(TREE_ENV);
	int n;

	if (tree.root[0] != '\0')
		return tree.root;
	if (base == NULL || base[0] == '\0')
		base = "/tmp";
	tree_clear_stale(base);
	n = snprintf(tree.root, sizeof(tree.root), "%s/" TREE_NAME "%d.XXXXXX", base,
		     (int)getpid());
	if (n >= (int)sizeof(tree.root)) {
		err_set(err, -ENAMETOOLONG, "TMPDIR: its name is too long");
		goto err_no_root;
	}
	if (mkdtemp(tree.root) == NULL) {
		err_set(err, -errno,
			"%s: cannot make a folder for the NICs' sysfs in it: %s; let TMPDIR name "
			"one that can be written to",
			base, strerror(errno));
		goto err_no_root;
	}
	if (take_lock(err) < 0)
		goto err_remove;
	tree.pid = getpid();
	tree.before = before == NULL ? NULL : strdup(before);
	setenv(TREE_ENV, tree.root, 1);
	if (!tree.at_exit)
		atexit(tree_remove);
	tree.at_exit = true;
	return tree.root;

err_remove:
	tree_remove_folder(tree.root);
err_no_root:
	tree.root[0] = '\0';
	return NULL;
}

void
tree_remove(void)
{
	const char *now = getenv(TREE_ENV);

	if (tree.root[0] == '\0' || tree.pid != getpid())
		return;
	if (now != NULL && strcmp(now, tree.root) == 0) {
		if (tree.before != NULL)
			setenv(TREE_ENV, tree.before, 1);
		else
			unsetenv(TREE_ENV);
	}
	tree_remove_socket((int)tree.pid); /* a program may end without closing its ports */
	tree_remove_folder(tree.root);
	close(tree.lock);
	free(tree.before);
	tree.before = NULL;
	tree.root[0] = '\0';
}

/* The folders of root/PATH, then whatever it ends in stays to be made. */
static int
make_folders(char *path, struct err *err)
{
	char *slash = path + strlen(tree.root) + 1;

	while ((slash = strchr(slash, '/')) != NULL) {
		*slash = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return err_set(err, -errno, "%s: %s", path, strerror(errno));
		*slash++ = '/';
	}
	return 0;
}

static bool
is_inside(const char *path)
{
	const char *at = path;

	if (path[0] == '/' || path[0] == '\0')
		return false;
	while ((at = strstr(at, "..")) != NULL) {
		if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			return false;
		at += 2;
	}
	return true;
}

int
tree_file(const char *path, const char *text, struct err *err)
{
	const char *root = tree_root(err);
	char full[PATH_MAX];
	size_t len = strlen(text);
	int ret, fd;

	if (root == NULL)
		return -EIO;
	if (!is_inside(path))
		return err_set(err, -EINVAL, "%s: not a path below %s", path, root);
	if (snprintf(full, sizeof(full), "%s/%s", root, path) >= (int)sizeof(full))
		return err_set(err, -ENAMETOOLONG, "%s/...: the path is too long", root);
	ret = make_folders(full, err);
	if (ret < 0)
		return ret;
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, -errno, "%s: %s", full, strerror(errno));
	if (write(fd, text, len) != (ssize_t)len)
		ret = err_set(err, -ENOSPC, "%s: cannot write it: is the file system full?", full);
	close(fd);
	return ret;
}

static bool
is_bdf(const char *bdf)
{
	unsigned int domain, bus, device, function;
	int end = 0;

	return sscanf(bdf, "%4x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) == 4 &&
	       end == 12 && bdf[end] == '\0' && device < 32 && function < 8;
}

/* Six BARs, as the kernel's pci-sysfs.c prints them: first and last address, flags. */
static void
print_resource(char *text, size_t len, uint64_t bar_len)
{
	/* Never used, and apart from each other for those who compare: 64 MiB each above 4 GiB. */
	uint64_t at = (1ull << 32) + ((uint64_t)tree.bars << 26);
	int n = 0;

	for (int i = 0; i < 6; i++) {
		bool is = i == 0 && bar_len > 0;

		/* 0x200: IORESOURCE_MEM */
		n += snprintf(text + n, len - (size_t)n, "0x%016llx 0x%016llx 0x%016llx\n",
			      is ? (unsigned long long)at : 0ull,
			      is ? (unsigned long long)(at + bar_len - 1) : 0ull,
			      is ? 0x200ull : 0ull);
	}
}

static int
link_driver(const struct tree_device *device, struct err *err)
{
	char path[PATH_MAX], target[NAME_MAX];

	snprintf(path, sizeof(path), "%s/%s/driver", tree.root, device->bdf);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", device->driver);
	if (symlink(target, path) < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	return 0;
}

int
tree_add(const struct tree_device *device, struct err *err)
{
	char path[64], text[512];
	const struct {
		const char *name, *format;
		uint32_t value;
	} file[] = {
		{ "vendor", "0x%04x\n", device->vendor },
		{ "device", "0x%04x\n", device->device },
		{ "subsystem_vendor", "0x%04x\n", device->subsystem_vendor },
		{ "subsystem_device", "0x%04x\n", device->subsystem_device },
		{ "class", "0x%06x\n", device->class_code },
		{ "numa_node", "%d\n", (uint32_t)device->numa },
	};
	int ret;

	if (!is_bdf(device->bdf))
		return err_set(err, -EINVAL, "%s: not a PCI address; write 0000:01:00.0",
			       device->bdf);
	if (tree_root(err) == NULL)
		return -EIO;
	if (tree_has(device->bdf))
		return err_set(err, -EEXIST, "%s: two NICs at one PCI address; give each its own",
			       device->bdf);
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", device->bdf, file[i].name);
		snprintf(text, sizeof(text), file[i].format, file[i].value);
		ret = tree_file(path, text, err);
		if (ret < 0)
			return ret;
	}
	print_resource(text, sizeof(text), device->bar_len);
	tree.bars++;
	snprintf(path, sizeof(path), "%s/resource", device->bdf);
	ret = tree_file(path, text, err);
	if (ret == 0 && device->driver != NULL)
		ret = link_driver(device, err);
	return ret;
}

bool
tree_has(const char *bdf)
{
	char path[PATH_MAX];

	if (tree.root[0] == '\0')
		return false;
	snprintf(path, sizeof(path), "%s/%s", tree.root, bdf);
	return access(path, F_OK) == 0;
}

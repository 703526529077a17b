/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/tree.h"
#include "support/cmocka.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char base[] = "/tmp/test_tree.XXXXXX";

static const struct tree_device nic = {
	.bdf = "0000:01:00.0",
	.vendor = 0x8086,
	.device = 0x10fb,
	.subsystem_vendor = 0x8086,
	.subsystem_device = 0x5082,
	.class_code = 0x020000,
	.numa = 1,
	.bar_len = 512 << 10,
	.driver = "softnic",
};

static bool
there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static const char *
content(const char *name)
{
	static char text[512];
	char path[256];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", tree_root(NULL), nic.bdf, name);
	f = fopen(path, "r");
	if (f == NULL)
		fail_msg("%s: %s", path, strerror(errno));
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static int
begin(void **state)
{
	(void)state;
	strcpy(base, "/tmp/test_tree.XXXXXX");
	assert_non_null(mkdtemp(base));
	setenv("TMPDIR", base, 1);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	tree_remove();
	return rmdir(base); /* fails when something is left */
}

static void
a_device_is_what_the_scan_reads(void **state)
{
	char path[256], target[128] = "";
	struct err err;

	(void)state;
	assert_int_equal(tree_add(&nic, &err), 0);
	assert_string_equal(content("vendor"), "0x8086\n");
	assert_string_equal(content("device"), "0x10fb\n");
	assert_string_equal(content("subsystem_vendor"), "0x8086\n");
	assert_string_equal(content("subsystem_device"), "0x5082\n");
	assert_string_equal(content("class"), "0x020000\n");
	assert_string_equal(content("numa_node"), "1\n");
	assert_non_null(strstr(content("resource"), "0x0000000000000200\n0x0000000000000000 "));
	snprintf(path, sizeof(path), "%s/%s/driver", tree_root(NULL), nic.bdf);
	assert_true(readlink(path, target, sizeof(target) - 1) > 0);
	assert_string_equal(strrchr(target, '/'), "/softnic");
	assert_string_equal(getenv("SYSFS_PCI_DEVICES"), tree_root(NULL));
	assert_memory_equal(tree_root(NULL), base, strlen(base));
	assert_true(tree_has(nic.bdf));
	assert_false(tree_has("0000:02:00.0"));
}

static void
what_cannot_be_added_is_refused(void **state)
{
	struct tree_device bad = nic;
	struct err err;

	(void)state;
	assert_int_equal(tree_add(&nic, &err), 0);
	assert_int_equal(tree_add(&nic, &err), -EEXIST);
	assert_non_null(strstr(err.text, "0000:01:00.0: two NICs"));
	bad.bdf = "0000:01:20.0"; /* 32 devices on a bus */
	assert_int_equal(tree_add(&bad, &err), -EINVAL);
	bad.bdf = "01:00.0";
	assert_int_equal(tree_add(&bad, &err), -EINVAL);
	bad.bdf = "0000:01:00.0/..";
	assert_int_equal(tree_add(&bad, &err), -EINVAL);
}

static void
a_file_gets_its_folders_and_stays_inside(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(tree_add(&nic, &err), 0);
	assert_int_equal(tree_file("0000:01:00.0/net/x..0/dev_port", "0\n", &err), 0);
	assert_string_equal(content("net/x..0/dev_port"), "0\n");
	assert_int_equal(tree_file("../outside", "", &err), -EINVAL);
	assert_int_equal(tree_file("a/../../outside", "", &err), -EINVAL);
	assert_int_equal(tree_file("a/..", "", &err), -EINVAL);
	assert_int_equal(tree_file("/outside", "", &err), -EINVAL);
}

static void
removed_means_as_before(void **state)
{
	char root[256];

	(void)state;
	setenv("SYSFS_PCI_DEVICES", "/elsewhere", 1);
	strcpy(root, tree_root(NULL));
	assert_true(there(root));
	tree_remove();
	assert_false(there(root));
	assert_string_equal(getenv("SYSFS_PCI_DEVICES"), "/elsewhere");
	unsetenv("SYSFS_PCI_DEVICES");
	assert_non_null(tree_root(NULL));
	tree_remove();
	assert_null(getenv("SYSFS_PCI_DEVICES"));
}

/* What net_mlx5 makes outside; false when it cannot. */
static bool
pmd_socket(pid_t pid, struct sockaddr_un *addr)
{
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(addr->sun_path, sizeof(addr->sun_path), "/var/tmp/dpdk_net_mlx5_%d", (int)pid);
	return access("/var/tmp", W_OK) == 0;
}

static void
make_pmd_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un addr;

	if (pmd_socket(getpid(), &addr) &&
	    (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 || listen(fd, 0) < 0))
		_exit(1);
}

static void
exit_removes_it(void **state)
{
	struct sockaddr_un addr;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		tree_add(&nic, NULL);
		make_pmd_socket();
		exit(0);
	}
	waitpid(pid, NULL, 0);
	pmd_socket(pid, &addr);
	assert_false(there(addr.sun_path));
	assert_int_equal(rmdir(base), 0); /* was empty */
	assert_int_equal(mkdir(base, 0700), 0);
}

/* A process that has a tree: its folder's name, until it is killed. */
static pid_t
live_one(char *root, size_t len)
{
	int fd[2];
	pid_t pid;
	ssize_t n;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		const char *mine;

		tree_add(&nic, NULL);
		make_pmd_socket();
		mine = tree_root(NULL);
		if (write(fd[1], mine, strlen(mine)) > 0)
			pause();
		_exit(1);
	}
	n = read(fd[0], root, len - 1);
	assert_true(n > 0);
	root[n] = '\0';
	close(fd[0]);
	close(fd[1]);
	return pid;
}

static void
the_next_start_removes_what_a_killed_process_left(void **state)
{
	char living[256], dead[256];
	pid_t a = live_one(living, sizeof(living)), b = live_one(dead, sizeof(dead));
	struct sockaddr_un of_a, of_b;
	bool both = pmd_socket(a, &of_a);

	(void)state;
	pmd_socket(b, &of_b);
	kill(b, SIGKILL);
	waitpid(b, NULL, 0);
	assert_true(there(dead));
	assert_int_equal(there(of_b.sun_path), both);
	assert_non_null(tree_root(NULL));
	assert_false(there(dead));
	assert_true(there(living));
	assert_false(there(of_b.sun_path));
	assert_int_equal(there(of_a.sun_path), both);

	kill(a, SIGKILL);
	waitpid(a, NULL, 0);
	tree_remove();
	assert_true(there(living));
	assert_non_null(tree_root(NULL));
	assert_false(there(living));
	assert_false(there(of_a.sun_path));
}

static void
a_fork_child_leaves_its_parents(void **state)
{
	pid_t pid;

	(void)state;
	assert_int_equal(tree_add(&nic, NULL), 0);
	pid = fork();
	if (pid == 0)
		exit(0);
	waitpid(pid, NULL, 0);
	assert_true(tree_has(nic.bdf));
}

static void
a_folder_without_a_lock_may_be_young(void **state)
{
	const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/sluice-nics.1.abcdef", base);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_non_null(tree_root(NULL));
	assert_true(there(path));
	tree_remove();
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_non_null(tree_root(NULL));
	assert_false(there(path));
}

static void
what_is_not_ours_stays(void **state)
{
	const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	char other[64], link[64], name[64];

	(void)state;
	/* Only root can make a folder that belongs to somebody else. */
	snprintf(other, sizeof(other), "%s/sluice-nics.2.abcdef", base);
	assert_int_equal(mkdir(other, 0700), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(other, 12345, 12345), 0);
	assert_int_equal(utimensat(AT_FDCWD, other, old, 0), 0);
	snprintf(link, sizeof(link), "%s/sluice-nics.3.abcdef", base);
	assert_int_equal(symlink(".", link), 0);
	assert_int_equal(utimensat(AT_FDCWD, link, old, AT_SYMLINK_NOFOLLOW), 0);
	snprintf(name, sizeof(name), "%s/sluice-nics", base);
	assert_int_equal(mkdir(name, 0700), 0);

	assert_non_null(tree_root(NULL));
	assert_true(there(link));
	assert_true(there(name));
	if (geteuid() == 0) {
		assert_true(there(other));
		rmdir(other);
	}
	unlink(link);
	rmdir(name);
}

static void
no_place_is_one_clear_line(void **state)
{
	struct err err = { "" };
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/none", base);
	setenv("TMPDIR", path, 1);
	assert_null(tree_root(&err));
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_non_null(strstr(err.text, "TMPDIR"));
	assert_null(getenv("SYSFS_PCI_DEVICES"));
	assert_int_equal(tree_add(&nic, &err), -EIO);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_device_is_what_the_scan_reads, begin, end),
		cmocka_unit_test_setup_teardown(what_cannot_be_added_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(a_file_gets_its_folders_and_stays_inside, begin,
						end),
		cmocka_unit_test_setup_teardown(removed_means_as_before, begin, end),
		cmocka_unit_test_setup_teardown(exit_removes_it, begin, end),
		cmocka_unit_test_setup_teardown(the_next_start_removes_what_a_killed_process_left,
						begin, end),
		cmocka_unit_test_setup_teardown(a_fork_child_leaves_its_parents, begin, end),
		cmocka_unit_test_setup_teardown(a_folder_without_a_lock_may_be_young, begin, end),
		cmocka_unit_test_setup_teardown(what_is_not_ours_stays, begin, end),
		cmocka_unit_test_setup_teardown(no_place_is_one_clear_line, begin, end),
	};

	unsetenv("SYSFS_PCI_DEVICES");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

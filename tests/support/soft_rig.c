/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/soft_rig.h"

#include "drivers/wire/tree.h"
#include "support/cmocka.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

char rig_said[4096];
unsigned int rig_trees_removed;
static int terminal = -1;

/* In the place of tree.c: stand-ins have no sysfs. */
const char *
tree_root(struct err *err)
{
	(void)err;
	return "/nowhere";
}

void
tree_remove(void)
{
	rig_trees_removed++;
}

void
rig_listen(void)
{
	int fd = memfd_create("stderr", MFD_CLOEXEC);

	fflush(stderr);
	terminal = dup(STDERR_FILENO);
	assert_true(fd >= 0 && terminal >= 0);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

void
rig_heard(void)
{
	ssize_t n;

	fflush(stderr);
	n = pread(STDERR_FILENO, rig_said, sizeof(rig_said) - 1, 0);
	dup2(terminal, STDERR_FILENO);
	close(terminal);
	rig_said[n < 0 ? 0 : n] = '\0';
}

int
rig_plug(const char *spec)
{
	int ret;

	if (spec != NULL)
		setenv("SLUICE_NICS", spec, 1);
	else
		unsetenv("SLUICE_NICS");
	rig_listen();
	ret = soft_plug(&standin_kind);
	rig_heard();
	return ret;
}

void
rig_plug_well(const char *spec)
{
	int ret = rig_plug(spec);

	if (ret != 0 || rig_said[0] != '\0')
		fail_msg("'%s': %d: %s", spec == NULL ? "(none)" : spec, ret, rig_said);
}

void
rig_plug_badly(const char *spec, const char *why)
{
	static const char head[] = "softnic: SLUICE_NICS: ";
	int ret = rig_plug(spec);

	if (ret >= 0)
		fail_msg("'%s' was taken", spec);
	if (strncmp(rig_said, head, sizeof(head) - 1) != 0 || strstr(rig_said, why) == NULL)
		fail_msg("'%s': said '%s', want '%s' in it", spec, rig_said, why);
	if (strchr(rig_said, '\n') != rig_said + strlen(rig_said) - 1)
		fail_msg("'%s': said more than a line: '%s'", spec, rig_said);
	assert_int_equal(softnic_ports(), 0);
	assert_int_equal(standin_alive, 0);
	assert_int_equal(test_wires_alive, 0);
	/* EAL must not take the machine's own devices instead. */
	assert_non_null(getenv("SYSFS_PCI_DEVICES"));
	assert_int_equal(access(getenv("SYSFS_PCI_DEVICES"), R_OK), 0);
	rig_end();
}

void
rig_end(void)
{
	ports_end(false);
	unsetenv("SYSFS_PCI_DEVICES");
	assert_int_equal(standin_alive, 0);
	assert_int_equal(test_wires_alive, 0);
	assert_int_equal(softnic_ports(), 0);
	assert_null(soft_port(0));
}

struct test_wire *
rig_in(unsigned int port)
{
	assert_true(soft_port(port) != NULL && soft_port(port)->in != NULL);
	return soft_port(port)->in->own;
}

struct test_wire *
rig_out(unsigned int port)
{
	assert_true(soft_port(port) != NULL && soft_port(port)->out != NULL);
	return soft_port(port)->out->own;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/devices.h"
#include "support/cmocka.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char sys[] = "/tmp/sluice-devices-XXXXXX";

static void
make_dir(const char *below)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s", sys, below);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void
make_device(const char *name, const char *driver)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "/bus/pci/devices/%s", name);
	make_dir(path);
	if (driver == NULL)
		return;
	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/driver", sys, name);
	snprintf(target, sizeof(target), "../../../../bus/pci/drivers/%s", driver);
	assert_int_equal(symlink(target, path), 0);
}

static int
setup(void **state)
{
	(void)state;
	if (mkdtemp(sys) == NULL)
		return 1;
	make_dir("/bus");
	make_dir("/bus/pci");
	make_dir("/bus/pci/devices");
	make_device("0000:01:00.0", "ixgbe");
	make_device("0000:01:00.1", NULL);
	make_device("0000:02:00.0", "vfio-pci");
	make_device("0001:03:00.0", "mlx5_core");
	return 0;
}

static int
forget(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int
teardown(void **state)
{
	(void)state;
	return nftw(sys, forget, 8, FTW_DEPTH | FTW_PHYS);
}

static void
why_a_pci_device_is_no_port(void **state)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "0000:09:00.0", "-a 0000:09:00.0: there is no such PCI device" },
		{ "03:00.0", "-a 03:00.0: there is no such PCI device" },
		{ "0000:01:00.0", "the kernel's driver ixgbe has it; give it to DPDK: "
				  "dpdk-devbind.py --bind=vfio-pci 0000:01:00.0" },
		{ "01:00.0", "the kernel's driver ixgbe has it" },
		{ "01:00.1",
		  "bound to no driver; bind it: dpdk-devbind.py --bind=vfio-pci 01:00.1" },
		{ "02:00.0", "bound to vfio-pci, but no driver of DPDK" },
		{ "0001:03:00.0", "bound to mlx5_core, but no driver of DPDK" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err err = { "" };

		assert_int_equal(devices_refuse_pci(sys, rows[i].name, &err), -ENODEV);
		if (strstr(err.text, rows[i].text) == NULL)
			fail_msg("%s: %s", rows[i].name, err.text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(why_a_pci_device_is_no_port),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

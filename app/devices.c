/* SPDX-License-Identifier: BSD-3-Clause */
#include "devices.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_ethdev.h>

#define BIND "dpdk-devbind.py --bind=vfio-pci"

/* Kernel drivers through which DPDK's own reach a device. */
static const char *const gates[] = { "vfio-pci",  "uio_pci_generic", "igb_uio",
				     "mlx5_core", "mlx4_core",       NULL };

static bool
is_gate(const char *driver)
{
	for (unsigned int i = 0; gates[i] != NULL; i++)
		if (strcmp(gates[i], driver) == 0)
			return true;
	return false;
}

int
devices_refuse_pci(const char *sys, const char *name, struct err *err)
{
	const char *domain = strchr(name, ':') == strrchr(name, ':') ? "0000:" : "";
	char path[PATH_MAX], link[PATH_MAX];
	const char *driver;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s%s", sys, domain, name);
	if (access(path, F_OK) != 0)
		return err_set(err, -ENODEV,
			       "-a %s: there is no such PCI device; 'dpdk-devbind.py --status-dev "
			       "net' lists the NICs",
			       name);
	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s%s/driver", sys, domain, name);
	len = readlink(path, link, sizeof(link) - 1);
	if (len < 0)
		return err_set(err, -ENODEV,
			       "-a %s: it is bound to no driver; bind it: " BIND " %s (a ConnectX: "
			       "modprobe mlx5_core)",
			       name, name);
	link[len] = '\0';
	driver = strrchr(link, '/') != NULL ? strrchr(link, '/') + 1 : link;
	if (!is_gate(driver))
		return err_set(err, -ENODEV,
			       "-a %s: the kernel's driver %.32s has it; give it to DPDK: " BIND
			       " %s",
			       name, driver, name);
	return err_set(
		err, -ENODEV,
		"-a %s: bound to %.32s, but no driver of DPDK made a port of it; lines above, "
		"or --log-level=lib.eal:debug, say why",
		name, driver);
}

static bool
is_port(const struct rte_devargs *da)
{
	for (uint16_t port = rte_eth_find_next(0); port < RTE_MAX_ETHPORTS;
	     port = rte_eth_find_next((uint16_t)(port + 1))) {
		struct rte_eth_dev_info info;

		if (rte_eth_dev_info_get(port, &info) == 0 && info.device != NULL &&
		    rte_dev_devargs(info.device) == da)
			return true;
	}
	return false;
}

/* EAL's own variable, rte_pci_get_sysfs_path(); the plugins of software NICs set it. */
static bool
is_elsewhere(void)
{
	return getenv("SYSFS_PCI_DEVICES") != NULL;
}

static int
refuse(const struct rte_devargs *da, struct err *err)
{
	const char *option = da->type == RTE_DEVTYPE_VIRTUAL ? "--vdev" : "-a";

	if (da->bus == NULL || strcmp(rte_bus_name(da->bus), "pci") != 0)
		return err_set(
			err, -ENODEV,
			"%s %s: no port came of it; its driver's lines above say why; mend it "
			"or leave it out",
			option, da->name);
	if (!rte_eal_has_pci())
		return err_set(err, -ENODEV, "-a %s: --no-pci leaves PCI devices out; drop either",
			       da->name);
	if (is_elsewhere())
		return err_set(err, -ENODEV,
			       "-a %s: no port came of it: PCI devices are software NICs here; "
			       "the lines of softnic say which, or why there are none",
			       da->name);
	return devices_refuse_pci("/sys", da->name, err);
}

int
devices_check(struct err *err)
{
	const struct rte_devargs *da = NULL;

	while ((da = rte_devargs_next(NULL, da)) != NULL)
		if (da->policy != RTE_DEV_BLOCKED && !is_port(da))
			return refuse(da, err);
	if (is_elsewhere() && rte_eth_dev_count_avail() == 0)
		return err_set(err, -ENODEV,
			       "no port: PCI devices are software NICs here, and none was made; "
			       "the lines of softnic say why");
	return 0;
}

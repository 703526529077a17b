/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"
#include "drivers/wire/pci_abi.h"
#include "drivers/wire/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus_pci.h>
#include <rte_eal.h>
#include <rte_interrupts.h>

/*
 * Between EAL and net_ixgbe.  The PMD declines a device that no kernel driver has (its BAR cannot
 * be mapped), so a driver of the same name takes it, says where its registers and interrupts are,
 * and lets the real one go on from there.
 *
 * Probes come from the thread that called rte_eal_init() or rte_dev_probe(), one at a time.
 */
#define PMD_NAME  "net_ixgbe"
#define VENDOR    0x8086u
#define DEVICE    0x10fbu /* 82599 SFI/SFP+ */
#define SUBSYSTEM 0x5082u /* no card of this vendor has it: ours alone */

static struct n82599 *nics[SOFT_PORT_MAX];
static unsigned int nb_nics;

struct n82599 *
n82599_by_bdf(const char *bdf)
{
	for (unsigned int i = 0; i < nb_nics; i++)
		if (strcmp(nics[i]->port->bdf, bdf) == 0)
			return nics[i];
	return NULL;
}

struct n82599 *
n82599_by_bar(uintptr_t addr)
{
	for (unsigned int i = 0; i < nb_nics; i++)
		if (addr - (uintptr_t)nics[i]->bar < N82599_BAR)
			return nics[i];
	return NULL;
}

static struct rte_pci_driver *
find_pmd(struct rte_pci_driver *self)
{
	struct rte_pci_driver *driver;

	for (driver = TAILQ_PREV(self, rte_pci_driver_list, next); driver != NULL;
	     driver = TAILQ_PREV(driver, rte_pci_driver_list, next))
		if (strcmp(driver->driver.name, PMD_NAME) == 0)
			return driver;
	for (driver = TAILQ_NEXT(self, next); driver != NULL; driver = TAILQ_NEXT(driver, next))
		if (strcmp(driver->driver.name, PMD_NAME) == 0)
			return driver;
	return NULL;
}

/* Everything that the PMD expects of a card that was just plugged in. */
static int
prepare(struct n82599 *nic, struct rte_pci_device *device)
{
	struct err err;
	int ret;

	ret = n82599_trap_init(&err);
	if (ret == 0)
		ret = n82599_irq_open(nic, &err);
	if (ret < 0) {
		soft_log(nic->port, "%s", err.text);
		return ret;
	}
	if (n82599_handle_attach(nic, device->intr_handle) != 0) {
		n82599_irq_close(nic);
		return -ENOMEM;
	}
	device->mem_resource[0].addr = nic->bar;
	device->mem_resource[0].len = N82599_BAR;
	soft_lock();
	n82599_reset(nic);
	soft_unlock();
	return 0;
}

static void
forget(struct n82599 *nic, struct rte_pci_device *device)
{
	device->mem_resource[0].addr = NULL;
	soft_lock();
	nic->attached = false;
	n82599_reset(nic);
	n82599_handle_detach(nic);
	n82599_irq_close(nic);
	soft_unlock();
}

static int
probe(struct rte_pci_driver *self, struct rte_pci_device *device)
{
	struct rte_pci_driver *pmd = find_pmd(self);
	struct n82599 *nic = n82599_by_bdf(device->name);
	int ret;

	if (nic == NULL || rte_eal_process_type() != RTE_PROC_PRIMARY)
		return 1; /* not ours */
	if (pmd == NULL) {
		soft_log(nic->port, "no driver " PMD_NAME ": load librte_net_ixgbe.so with -d");
		return -ENODEV;
	}
	if (nic->removed) {
		soft_log(nic->port, "pulled out of its slot: \"fault %u remove 0\" first",
			 nic->port->index);
		return -ENODEV;
	}
	ret = soft_start();
	if (ret == 0)
		ret = prepare(nic, device);
	if (ret < 0)
		return ret;

	ret = pmd->probe(pmd, device);
	if (ret != 0) {
		forget(nic, device);
		return ret;
	}
	nic->attached = true;
	return 0;
}

static int
detach(struct rte_pci_device *device)
{
	struct rte_pci_driver *pmd = find_pmd(device->driver);
	struct n82599 *nic = n82599_by_bdf(device->name);
	int ret = 0;

	if (pmd != NULL)
		ret = pmd->remove(device);
	if (ret >= 0 && nic != NULL)
		forget(nic, device);
	return ret;
}

static const struct rte_pci_id ids[] = {
	{ RTE_CLASS_ANY_ID, VENDOR, DEVICE, VENDOR, SUBSYSTEM },
	{ 0, 0, 0, 0, 0 },
};
static struct rte_pci_driver shim = {
	.driver = { .name = PMD_NAME },
	.probe = probe,
	.remove = detach,
	.id_table = ids,
	.drv_flags = RTE_PCI_DRV_INTR_LSC,
};

/* The lowest bus that no other software NIC has. */
static int
choose_bdf(struct soft_port *port, const char *wanted, struct err *err)
{
	if (wanted[0] != '\0') {
		snprintf(port->bdf, sizeof(port->bdf), "%s", wanted);
		return tree_has(wanted) ? err_set(err, -EEXIST, "two NICs at %s", wanted) : 0;
	}
	for (unsigned int bus = 1; bus < 256; bus++) {
		snprintf(port->bdf, sizeof(port->bdf), "0000:%02x:00.0", bus);
		if (!tree_has(port->bdf))
			return 0;
	}
	return err_set(err, -ENOSPC, "no free PCI bus for another NIC");
}

int
n82599_attach(struct n82599 *nic, const struct soft_conf *conf, struct err *err)
{
	struct tree_device device = {
		.vendor = VENDOR,
		.device = DEVICE,
		.subsystem_vendor = VENDOR,
		.subsystem_device = SUBSYSTEM,
		.class_code = 0x020000, /* network, Ethernet */
		.numa = (int)conf->numa,
		.bar_len = N82599_BAR,
		.driver = "82599-model",
	};
	int ret;

	ret = choose_bdf(nic->port, conf->bdf, err);
	if (ret < 0)
		return ret;
	device.bdf = nic->port->bdf;
	ret = tree_add(&device, err);
	if (ret < 0)
		return ret;
	if (nb_nics == 0)
		rte_pci_register(&shim);
	nics[nb_nics++] = nic;
	return 0;
}

void
n82599_unattach(const struct n82599 *nic)
{
	for (unsigned int i = 0; i < nb_nics; i++) {
		if (nics[i] != nic)
			continue;
		nics[i] = nics[--nb_nics];
		if (nb_nics == 0)
			rte_pci_unregister(&shim);
	}
}

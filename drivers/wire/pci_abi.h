/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_PCI_ABI_H
#define WIRE_PCI_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_dev.h>
#include <rte_pci.h>

/*
 * What a PCI driver and EAL's PCI bus share: bus_pci_driver.h and dev_driver.h of DPDK's driver
 * SDK, which Debian does not package.  This is ABI DPDK_23 (22.11) and no other: guard_dpdk() has
 * to agree before anyone looks through these.
 *
 * rte_pci_register() and the like are of version INTERNAL: link librte_bus_pci.
 */
struct rte_bus;
struct rte_devargs;
struct rte_intr_handle;
struct rte_pci_driver;

struct rte_driver {
	TAILQ_ENTRY(rte_driver) next;
	const char *name, *alias;
};

struct rte_device {
	TAILQ_ENTRY(rte_device) next;
	const char *name, *bus_info;
	const struct rte_driver *driver; /* once probed */
	const struct rte_bus *bus;
	int numa_node;
	struct rte_devargs *devargs;
};

struct rte_pci_device {
	TAILQ_ENTRY(rte_pci_device) next;
	struct rte_device device;
	struct rte_pci_addr addr;
	struct rte_pci_id id;
	struct rte_mem_resource mem_resource[PCI_MAX_RESOURCE];
	struct rte_intr_handle *intr_handle;
	struct rte_pci_driver *driver; /* once probed */
	uint16_t max_vfs;
	uint32_t kdrv; /* enum rte_pci_kernel_driver; 0: unknown */
	char name[PCI_PRI_STR_SIZE + 1];
	char *bus_info;
	struct rte_intr_handle *vfio_req_intr_handle;
};

/* The bus keeps its drivers in one TAILQ: from any of them the others can be reached. */
TAILQ_HEAD(rte_pci_driver_list, rte_pci_driver);
struct rte_pci_driver {
	TAILQ_ENTRY(rte_pci_driver) next;
	struct rte_driver driver;
	int (*probe)(struct rte_pci_driver *driver, struct rte_pci_device *device);
	int (*remove)(struct rte_pci_device *device);
	int (*dma_map)(struct rte_pci_device *device, void *addr, uint64_t iova, size_t len);
	int (*dma_unmap)(struct rte_pci_device *device, void *addr, uint64_t iova, size_t len);
	const struct rte_pci_id *id_table; /* vendor id 0 ends it */
	uint32_t drv_flags;
};
#define RTE_PCI_DRV_NEED_MAPPING    0x0001 /* rte_pci_map_device() before the probe */
#define RTE_PCI_DRV_INTR_LSC        0x0008
#define RTE_PCI_DRV_NEED_IOVA_AS_VA 0x0040

void rte_pci_register(struct rte_pci_driver *driver);
void rte_pci_unregister(struct rte_pci_driver *driver);

static_assert(sizeof(struct rte_driver) == 32, "DPDK_23");
static_assert(offsetof(struct rte_driver, name) == 16, "DPDK_23");
static_assert(sizeof(struct rte_device) == 64, "DPDK_23");
static_assert(offsetof(struct rte_device, driver) == 32, "DPDK_23");
static_assert(offsetof(struct rte_device, numa_node) == 48, "DPDK_23");
static_assert(offsetof(struct rte_device, devargs) == 56, "DPDK_23");
static_assert(sizeof(struct rte_pci_device) == 312, "DPDK_23");
static_assert(offsetof(struct rte_pci_device, device) == 16, "DPDK_23");
static_assert(offsetof(struct rte_pci_device, addr) == 80, "DPDK_23");
static_assert(offsetof(struct rte_pci_device, id) == 88, "DPDK_23");
static_assert(offsetof(struct rte_pci_device, mem_resource) == 104, "DPDK_23");
static_assert(offsetof(struct rte_pci_device, intr_handle) == 248, "DPDK_23");
static_assert(offsetof(struct rte_pci_device, driver) == 256, "DPDK_23");
static_assert(offsetof(struct rte_pci_device, kdrv) == 268, "DPDK_23");
static_assert(offsetof(struct rte_pci_device, name) == 272, "DPDK_23");
static_assert(offsetof(struct rte_pci_device, vfio_req_intr_handle) == 304, "DPDK_23");
static_assert(sizeof(struct rte_pci_driver) == 96, "DPDK_23");
static_assert(offsetof(struct rte_pci_driver, driver) == 16, "DPDK_23");
static_assert(offsetof(struct rte_pci_driver, probe) == 48, "DPDK_23");
static_assert(offsetof(struct rte_pci_driver, remove) == 56, "DPDK_23");
static_assert(offsetof(struct rte_pci_driver, id_table) == 80, "DPDK_23");
static_assert(offsetof(struct rte_pci_driver, drv_flags) == 88, "DPDK_23");

#endif

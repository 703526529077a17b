/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/objects.h"
#include "drivers/wire/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNTER_TEXT "0000000000000000\n" /* 16 digits, see events.c */
#define FIRST_BUS    0x3b
#define LAST_BUS     0x3e
#define FUNCTIONS    8 /* of a device */

static struct cx5 *cards[SOFT_PORT_MAX];
static unsigned int nb_cards;

unsigned int
cx5_cards(struct cx5 **card, unsigned int max)
{
	unsigned int n = nb_cards < max ? nb_cards : max;

	memcpy(card, cards, n * sizeof(struct cx5 *));
	return n;
}

static int
choose_bdf(struct soft_port *port, const struct cx5_conf *conf, struct err *err)
{
	if (conf->common.bdf[0] != '\0') {
		memcpy(port->bdf, conf->common.bdf, sizeof(port->bdf));
		if (tree_has(port->bdf))
			return err_set(err, -EEXIST, "cx5: bdf=%s is another NIC's", port->bdf);
		return 0;
	}
	for (int bus = FIRST_BUS; bus <= LAST_BUS; bus++)
		for (int fn = 0; fn < FUNCTIONS; fn++) {
			snprintf(port->bdf, sizeof(port->bdf), "0000:%02x:00.%d", bus, fn);
			if (!tree_has(port->bdf))
				return 0;
		}
	return err_set(err, -ENOSPC, "cx5: no PCI address is left: give them by bdf=");
}

/* The count of frames without a descriptor, which the PMD reads from sysfs in verbs mode. */
static int
map_counter(struct cx5 *nic, const char *root, struct err *err)
{
	char path[512];
	void *map;
	int fd, ret;

	snprintf(path, sizeof(path), "ib/%s/ports/1/hw_counters/out_of_buffer", nic->dev.name);
	ret = tree_file(path, COUNTER_TEXT, err);
	if (ret < 0)
		return ret;
	snprintf(path, sizeof(path), "%s/ib/%s/ports/1/hw_counters/out_of_buffer", root,
		 nic->dev.name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "cx5: %s: %s", path, strerror(errno));
	map = mmap(NULL, sizeof(COUNTER_TEXT), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ret = map == MAP_FAILED ? err_set(err, -errno, "cx5: %s: %s", path, strerror(errno)) : 0;
	close(fd);
	if (ret == 0)
		nic->host->hw_counter = map;
	return ret;
}

/* What the PMD reads of sysfs: the PCI device, and the RDMA device that belongs to it. */
static int
plant(struct cx5 *nic, struct err *err)
{
	const struct soft_port *port = nic->port;
	const struct cx5_conf *conf = port->conf;
	const struct tree_device device = { .bdf = port->bdf,
					    .vendor = 0x15b3,
					    .device = 0x1017, /* ConnectX-5 */
					    .subsystem_vendor = 0x15b3,
					    .subsystem_device = 0x0007,
					    .class_code = 0x020000,
					    .numa = (int)conf->common.numa,
					    .driver = "mlx5_core" };
	const char *root = tree_root(err);
	char path[256], text[128];
	int ret;

	if (root == NULL)
		return -EIO;
	if ((size_t)snprintf(nic->dev.ibdev_path, sizeof(nic->dev.ibdev_path), "%s/ib/%s", root,
			     nic->dev.name) >= sizeof(nic->dev.ibdev_path))
		return err_set(err, -ENAMETOOLONG, "cx5: %s is too long a path: another TMPDIR",
			       root);
	ret = tree_add(&device, err);
	if (ret < 0)
		return ret;
	snprintf(path, sizeof(path), "ib/%s/device/uevent", nic->dev.name);
	snprintf(text, sizeof(text), "DRIVER=mlx5_core\nPCI_SLOT_NAME=%s\n", port->bdf);
	ret = tree_file(path, text, err);
	if (ret < 0)
		return ret;
	snprintf(path, sizeof(path), "ib/%s/device/net/%s/dev_port", nic->dev.name, nic->ifname);
	ret = tree_file(path, "0\n", err);
	return ret < 0 ? ret : map_counter(nic, root, err);
}

int
cx5_attach(struct soft_port *port, struct err *err)
{
	static const uint8_t no_mac[6];
	const struct cx5_conf *conf = port->conf;
	struct cx5 *nic;
	int ret = choose_bdf(port, conf, err);

	if (ret < 0)
		return ret;
	nic = calloc(1, sizeof(*nic));
	if (nic == NULL)
		return err_set(err, -ENOMEM, "cx5: no memory for a card");
	nic->port = port;
	nic->far = -1;
	nic->verbs = conf->mode != 0;
	if (memcmp(conf->common.mac, no_mac, sizeof(no_mac)) != 0)
		memcpy(port->mac, conf->common.mac, sizeof(port->mac));
	else
		memcpy(port->mac, (uint8_t[]){ 0x02, 0xc5, 0, 0, 0, (uint8_t)port->index },
		       sizeof(port->mac));
	/* Not mlx5_N: a machine with real cards has those, and the PMD asks the kernel by name. */
	snprintf(nic->dev.name, sizeof(nic->dev.name), "cx5_soft%u", port->index);
	snprintf(nic->dev.dev_name, sizeof(nic->dev.dev_name), "uverbs_soft%u", port->index);
	nic->dev.node_type = IBV_NODE_CA;
	nic->dev.transport_type = IBV_TRANSPORT_IB;

	ret = cx5_host_open(nic, err);
	if (ret == 0)
		ret = cx5_netdev_open(nic, conf->ifname, err);
	if (ret == 0)
		ret = plant(nic, err);
	port->nic = nic;
	if (ret < 0) {
		cx5_detach(port);
		return ret;
	}
	cards[nb_cards++] = nic;
	return 0;
}

void
cx5_detach(struct soft_port *port)
{
	struct cx5 *nic = port->nic;

	for (unsigned int i = 0; i < nb_cards; i++)
		if (cards[i] == nic)
			cards[i] = cards[--nb_cards];
	if (nic->host != NULL && nic->host->hw_counter != NULL)
		munmap(nic->host->hw_counter, sizeof(COUNTER_TEXT));
	cx5_netdev_close(nic);
	cx5_host_close(nic);
	free(nic);
	port->nic = NULL;
}

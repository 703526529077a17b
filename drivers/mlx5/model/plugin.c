/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/plugin.h"

#include "drivers/mlx5/model/objects.h"

#include <errno.h>

#define NUMA_MAX 63

static const char *const modes[] = { "devx", "verbs", NULL };

static const struct spec_opt opts[] = {
	{ "bdf", SPEC_BDF, SPEC_AT(struct cx5_conf, common.bdf), 0, 0, NULL,
	  "PCI address; the next free one from 0000:3b:00.0" },
	{ "mac", SPEC_MAC, SPEC_AT(struct cx5_conf, common.mac), 0, 0, NULL,
	  "MAC address; 02:c5:00:00:00:NN by the port's number" },
	{ "numa", SPEC_U32, SPEC_AT(struct cx5_conf, common.numa), 0, NUMA_MAX, NULL,
	  "NUMA node the card claims; 0" },
	{ "queues", SPEC_U32, SPEC_AT(struct cx5_conf, common.queues), 1, CX5_QUEUES, NULL,
	  "queue pairs it offers; 64" },
	{ "mode", SPEC_WORD, SPEC_AT(struct cx5_conf, mode), 0, 0, modes,
	  "devx, as on a real card, or verbs, as with a kernel that has no DevX; devx" },
	{ "ifname", SPEC_STRING, SPEC_AT(struct cx5_conf, ifname), 0, 0, NULL,
	  "name of its network interface; the first free one of cx5p%d" },
	{ NULL, SPEC_FLAG, 0, 0, 0, 0, NULL, NULL },
};
static const struct cx5_conf defaults = {
	.common = { .queues = CX5_QUEUES },
	.ifname = "cx5p%d",
};

static int
create(struct soft_port *port, struct err *err)
{
	int ret = cx5_attach(port, err);

	if (ret < 0)
		return ret;
	ret = cx5_steer_open(port->nic);
	if (ret < 0) {
		err_set(err, ret, "cx5: no memory for flow tables");
		goto err_detach;
	}
	ret = cx5_datapath_open(port->nic);
	if (ret < 0) {
		err_set(err, ret, "cx5: no memory for the datapath");
		goto err_close_steer;
	}
	return 0;

err_close_steer:
	cx5_steer_close(port->nic);
err_detach:
	cx5_detach(port);
	return ret;
}

static void
destroy(struct soft_port *port)
{
	cx5_datapath_close(port->nic);
	cx5_steer_close(port->nic);
	cx5_detach(port);
}

/* What is not here the datapath sees by itself. */
static int
fault(struct soft_port *port, enum softnic_fault what)
{
	struct cx5 *nic = port->nic;

	if (what == SOFTNIC_REMOVE) {
		nic->removed = port->fault[what] != 0;
		if (nic->removed)
			cx5_event_async(nic, IBV_EVENT_DEVICE_FATAL);
	}
	if (what == SOFTNIC_REMOVE || what == SOFTNIC_LINK_DOWN)
		return cx5_netdev_carrier(nic, port->fault[SOFTNIC_LINK_DOWN] == 0 &&
						       port->fault[SOFTNIC_REMOVE] == 0);
	return 0;
}

static const struct soft_kind kind = {
	.name = "cx5",
	.help = "a ConnectX-5 (mlx5 PMD)",
	.opts = opts,
	.conf_size = sizeof(struct cx5_conf),
	.defaults = &defaults,
	.create = create,
	.destroy = destroy,
	.listening = cx5_listening,
	.transmit = cx5_transmit,
	.transmitted = cx5_transmitted,
	.receive = cx5_receive,
	.fault = fault,
};

__attribute__((constructor)) static void
plug(void)
{
	struct cx5 *card;

	/* Without a card the PMD keeps rdma-core. */
	if (soft_plug(&kind) == 0 && cx5_cards(&card, 1) > 0)
		cx5_glue_install();
}

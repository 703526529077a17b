/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"

#include <errno.h>

bool
n82599_link_up(const struct n82599 *nic)
{
	const struct soft_port *port = nic->port;

	return port->fault[SOFTNIC_LINK_DOWN] == 0 && (port->in != NULL || port->out != NULL);
}

void
n82599_link_update(struct n82599 *nic)
{
	uint32_t links = n82599_link_up(nic) ? LINKS_UP | LINKS_10G | LINKS_STATUS : 0;

	if (N82599_REG(nic, R_LINKS) == links)
		return;
	N82599_REG(nic, R_LINKS) = links;
	n82599_irq_raise(nic, EICR_LSC);
}

/* Out of its slot: what has no answer reads as ones.  Back again: as after power-on. */
static void
set_removed(struct n82599 *nic, bool removed)
{
	if (nic->removed == removed)
		return;
	nic->removed = removed;
	n82599_irq_reset(nic);
	n82599_bar_protect(nic);
	n82599_reset(nic);
}

int
n82599_fault(struct soft_port *port, enum softnic_fault fault)
{
	struct n82599 *nic = port->nic;

	switch (fault) {
	case SOFTNIC_LINK_DOWN:
		if (!nic->removed)
			n82599_link_update(nic);
		return 0;
	case SOFTNIC_REMOVE:
		set_removed(nic, port->fault[fault] != 0);
		return 0;
	case SOFTNIC_CQE_RX:
	case SOFTNIC_CQE_TX:
		return -ENOTSUP; /* this NIC reports errors in descriptors, not in entries */
	default:
		return 0; /* the datapath and trap.c look at the value themselves */
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What drivers call is not an ABI that DPDK keeps; guard.h has seen that it is the one we know. */
#define ALLOW_EXPERIMENTAL_API
#define ALLOW_INTERNAL_API
#include "drivers/ixgbe/model/model.h"

#include <unistd.h>

#include <rte_interrupts.h>

/*
 * EAL knows interrupts of devices as handles of a type.  UIO has one vector and no queue
 * interrupts, VFIO wants ioctl()s of /dev/vfio.  VDEV has as many vectors as its driver puts into
 * the handle, enables and acknowledges nothing and never reads the device's fd: irq.c makes that
 * one a level.  The queues' fds EAL reads itself, eight bytes each.
 *
 * The PMD closes the queues' fds whenever the port stops, and asks for them when it starts: just
 * before, it resets the NIC.  So it is given copies, at each reset that finds none.
 */
int
n82599_handle_attach(struct n82599 *nic, struct rte_intr_handle *handle)
{
	if (rte_intr_type_set(handle, RTE_INTR_HANDLE_VDEV) != 0 ||
	    rte_intr_fd_set(handle, nic->irq[0]) != 0 ||
	    rte_intr_efd_counter_size_set(handle, sizeof(uint64_t)) != 0)
		return -1;
	nic->handle = handle;
	return 0;
}

void
n82599_handle_arm(struct n82599 *nic)
{
	int n = 0;

	if (nic->handle == NULL || rte_intr_nb_efd_get(nic->handle) != 0)
		return;
	for (; n < (int)nic->nb_vectors; n++) {
		int fd = dup(nic->irq[1 + n]);

		if (fd < 0 || rte_intr_efds_index_set(nic->handle, n, fd) != 0)
			break;
	}
	rte_intr_nb_efd_set(nic->handle, n);
	/* One more than for the queues: EAL then lets the other causes have theirs. */
	rte_intr_max_intr_set(nic->handle, n > 0 ? n + 1 : 0);
}

void
n82599_handle_detach(struct n82599 *nic)
{
	if (nic->handle == NULL)
		return;
	if (rte_intr_nb_efd_get(nic->handle) > 0)
		rte_intr_efd_disable(nic->handle);
	nic->handle = NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * BAR 0 is a memory file mapped twice.  The model's view is plain memory.  The host's traps on each
 * access (trap.c), but for the pages whose registers do nothing by being read or written at once:
 * those that hold the rings of queues 0 to 63, which the datapath looks at in its turns.
 */
static const struct {
	uint32_t at, len;
} plain[] = {
	{ 0x1000, 0x1000 }, /* R_RXQ(0) .. R_RXQ(63) */
	{ 0x6000, 0x2000 }, /* R_TXQ(0) .. R_TXQ(127) */
};

void
n82599_bar_protect(struct n82599 *nic)
{
	mprotect(nic->bar, N82599_BAR, PROT_NONE);
	if (nic->trap_all || nic->removed)
		return;
	for (unsigned int i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		mprotect(nic->bar + plain[i].at, plain[i].len, PROT_READ | PROT_WRITE);
}

static uint8_t *
map(int fd, int prot)
{
	void *at = mmap(NULL, N82599_BAR, prot, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

int
n82599_bar_open(struct n82599 *nic, struct err *err)
{
	int ret;

	nic->bar_fd = memfd_create("82599-bar", MFD_CLOEXEC);
	if (nic->bar_fd < 0 || ftruncate(nic->bar_fd, N82599_BAR) != 0)
		goto err;
	nic->regs = map(nic->bar_fd, PROT_READ | PROT_WRITE);
	nic->bar = map(nic->bar_fd, PROT_NONE);
	if (nic->regs == NULL || nic->bar == NULL)
		goto err;
	n82599_bar_protect(nic);
	return 0;

err:
	ret = -errno;
	n82599_bar_close(nic);
	return err_set(err, ret, "%s: no memory for the registers: %s", nic->port->bdf,
		       strerror(-ret));
}

void
n82599_bar_close(struct n82599 *nic)
{
	if (nic->regs != NULL)
		munmap(nic->regs, N82599_BAR);
	if (nic->bar != NULL)
		munmap(nic->bar, N82599_BAR);
	if (nic->bar_fd >= 0)
		close(nic->bar_fd);
	nic->regs = nic->bar = NULL;
	nic->bar_fd = -1;
}

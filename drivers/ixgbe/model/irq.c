/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/*
 * Interrupts, 7.3.1: causes (EICR) meet masks (EIMS).  Vectors 1 and up are messages: one write to
 * an eventfd each.  Everything else shares vector 0, which the host sees as a level: its eventfd
 * can be read as long as a cause that is not masked stands, which the host's handler ends by
 * reading EICR.  That is the handle of type VDEV in EAL (irq_handle.c), whose fd EAL never reads.
 */
#define OTHER_CAUSES 0x7fff0000u /* of EICR; bits 15:0 are the queues' vectors */

static void
update_line(struct n82599 *nic)
{
	bool msix = N82599_REG(nic, R_GPIE) & GPIE_MSIX;
	uint64_t queues = msix ? 1u : EICR_RTX; /* without messages all share the line */
	bool line = (nic->other & nic->other_enabled) != 0 ||
		    (nic->causes & nic->enabled & queues) != 0;
	uint64_t value = 1;
	ssize_t done;

	if (line == nic->line || nic->irq[0] < 0)
		return;
	done = line ? write(nic->irq[0], &value, sizeof(value))
		    : read(nic->irq[0], &value, sizeof(value));
	if (done == sizeof(value))
		nic->line = line;
}

/* 7.3.1.3, 7.3.1.4: a message clears its cause (EIAC; always beyond 15) and masks it (EIAM). */
static void
send_message(struct n82599 *nic, unsigned int vector)
{
	uint64_t bit = UINT64_C(1) << vector, one = 1;

	if (vector > nic->nb_vectors)
		return;
	if (vector > 15 || N82599_REG(nic, R_EIAC) & bit)
		nic->causes &= ~bit;
	if (N82599_REG(nic, R_GPIE) & GPIE_EIAME &&
	    N82599_REG(nic, R_EIAM_EX(vector / 32)) & 1u << vector % 32)
		nic->enabled &= ~bit;
	if (write(nic->irq[vector], &one, sizeof(one)) < 0)
		return; /* full: the host is awake already */
}

static void
update(struct n82599 *nic)
{
	uint64_t due = nic->causes & nic->enabled & ~UINT64_C(1);

	if (N82599_REG(nic, R_GPIE) & GPIE_MSIX)
		for (; due != 0; due &= due - 1)
			send_message(nic, (unsigned int)__builtin_ctzll(due));
	update_line(nic);
}

void
n82599_irq_raise(struct n82599 *nic, uint32_t causes)
{
	nic->other |= causes & OTHER_CAUSES;
	nic->causes |= causes & EICR_RTX;
	update(nic);
}

void
n82599_irq_rx(struct n82599 *nic, unsigned int queue)
{
	uint32_t entry = N82599_REG(nic, R_IVAR(queue / 2)) >> 16 * (queue & 1);
	uint64_t bit = UINT64_C(1) << (entry & IVAR_VECTOR);

	/* Nothing new while the cause stands: the usual case of a host that polls. */
	if (!(entry & IVAR_VALID) || nic->causes & bit)
		return;
	nic->causes |= bit;
	if (nic->enabled & bit)
		update(nic);
}

static uint32_t
take_causes(struct n82599 *nic)
{
	uint32_t value = nic->other | (uint32_t)(nic->causes & EICR_RTX);

	nic->other = 0;
	if (!(N82599_REG(nic, R_GPIE) & GPIE_OCD))
		nic->causes &= ~(uint64_t)EICR_RTX;
	update_line(nic);
	return value;
}

bool
n82599_irq_read(struct n82599 *nic, uint32_t off, uint32_t *value)
{
	switch (off) {
	case R_EICR:
		*value = take_causes(nic);
		return true;
	case R_EIMS:
		*value = nic->other_enabled | (uint32_t)(nic->enabled & EICR_RTX);
		return true;
	case R_EIMS_EX(0):
	case R_EIMS_EX(1):
		*value = (uint32_t)(nic->enabled >> (off == R_EIMS_EX(1) ? 32 : 0));
		return true;
	default:
		return false;
	}
}

/* The registers for vectors 0 to 63 are two; those for 0 to 15 and the other causes one. */
static bool
write_vectors(struct n82599 *nic, uint32_t off, uint32_t value)
{
	uint64_t bits = (uint64_t)value << ((off & 4u) != 0 ? 32 : 0);

	switch (off & ~4u) {
	case R_EICS_EX(0):
		nic->causes |= bits;
		return true;
	case R_EIMS_EX(0):
		nic->enabled |= bits;
		return true;
	case R_EIMC_EX(0):
		nic->enabled &= ~bits;
		return true;
	default:
		return false;
	}
}

bool
n82599_irq_write(struct n82599 *nic, uint32_t off, uint32_t value)
{
	switch (off) {
	case R_EICR: /* write one to clear */
		nic->other &= ~value;
		nic->causes &= ~(uint64_t)(value & EICR_RTX);
		break;
	case R_EICS:
		n82599_irq_raise(nic, value);
		break;
	case R_EIMS:
		nic->other_enabled |= value & OTHER_CAUSES;
		nic->enabled |= value & EICR_RTX;
		break;
	case R_EIMC:
		nic->other_enabled &= ~value;
		nic->enabled &= ~(uint64_t)(value & EICR_RTX);
		break;
	default:
		if (!write_vectors(nic, off, value))
			return false;
	}
	update(nic);
	return true;
}

void
n82599_irq_reset(struct n82599 *nic)
{
	nic->causes = nic->enabled = 0;
	nic->other = nic->other_enabled = 0;
	update_line(nic);
}

int
n82599_irq_open(struct n82599 *nic, struct err *err)
{
	for (unsigned int i = 0; i <= nic->nb_vectors; i++) {
		nic->irq[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (nic->irq[i] < 0) {
			int ret = -errno;

			n82599_irq_close(nic);
			return err_set(err, ret, "%s: no eventfd for interrupts: %s",
				       nic->port->bdf, strerror(-ret));
		}
	}
	return 0;
}

void
n82599_irq_close(struct n82599 *nic)
{
	for (unsigned int i = 0; i <= N82599_VECTORS; i++) {
		if (nic->irq[i] >= 0)
			close(nic->irq[i]);
		nic->irq[i] = -1;
	}
	nic->line = false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/atomics.h"
#include "drivers/wire/hdr.h"
#include "drivers/wire/run.h"

#include <errno.h>
#include <string.h>

/*
 * Faults: those of a card are the model's business; a frame damaged on the cable is made here, from
 * a copy, since the wire may send the same bytes again.
 */
static const char *const names[SOFTNIC_FAULTS] = {
	[SOFTNIC_LINK_DOWN] = "link_down",   [SOFTNIC_RX_STARVE] = "rx_starve",
	[SOFTNIC_TX_HANG] = "tx_hang",       [SOFTNIC_SLOW_COMPLETION] = "slow_completion",
	[SOFTNIC_DMA_RX] = "dma_rx",         [SOFTNIC_DMA_TX] = "dma_tx",
	[SOFTNIC_BAD_IP] = "bad_ip",         [SOFTNIC_BAD_L4] = "bad_l4",
	[SOFTNIC_BAD_FCS] = "bad_fcs",       [SOFTNIC_CQE_RX] = "cqe_rx",
	[SOFTNIC_CQE_TX] = "cqe_tx",         [SOFTNIC_REMOVE] = "remove",
	[SOFTNIC_READ_STALL] = "read_stall",
};

const char *
softnic_fault_name(enum softnic_fault fault)
{
	return (unsigned int)fault < SOFTNIC_FAULTS ? names[fault] : NULL;
}

int
softnic_fault_by_name(const char *name)
{
	for (int i = 0; i < SOFTNIC_FAULTS; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -ENOENT;
}

static bool
is_of_cable(enum softnic_fault fault)
{
	return fault == SOFTNIC_BAD_IP || fault == SOFTNIC_BAD_L4 || fault == SOFTNIC_BAD_FCS;
}

int
fault_set(struct soft_port *port, enum softnic_fault fault, uint64_t value, struct err *err)
{
	const uint64_t old = port->fault[fault];
	int ret;

	atomic_put(&port->fault[fault], value); /* soft_stall() reads it without the lock */
	if (is_of_cable(fault))
		return 0;
	ret = port->kind->fault(port, fault);
	if (ret < 0) {
		atomic_put(&port->fault[fault], old);
		return err_set(err, ret, "port %u: %s has no fault '%s'", port->index,
			       port->kind->name, names[fault]);
	}
	return 0;
}

int
softnic_fault(unsigned int port, enum softnic_fault fault, uint64_t value, char *err)
{
	struct err text = { "" };
	int ret;

	soft_lock();
	if (soft_port(port) == NULL)
		ret = err_set(&text, -ENODEV, "port %u: there is none; they are 0 to %d", port,
			      (int)softnic_ports() - 1);
	else if (softnic_fault_name(fault) == NULL)
		ret = err_set(&text, -ENOTSUP, "fault %d: there is none", (int)fault);
	else
		ret = fault_set(soft_port(port), fault, value, &text);
	soft_unlock();
	if (ret < 0 && err != NULL)
		memcpy(err, text.text, SOFTNIC_TEXT);
	return ret;
}
_Static_assert(sizeof(((struct err *)0)->text) == SOFTNIC_TEXT, "one text, two names");

/* ---- frames */

static uint8_t copies[SOFT_BATCH][SOFT_FRAME_MAX]; /* of one batch: the lock is held over its use */

static uint8_t *
own_copy(struct soft_frame *frame, uint8_t *room)
{
	if (frame->data != room) {
		memcpy(room, frame->data, frame->len);
		frame->data = room;
	}
	return room;
}

static bool
damage_ip(struct soft_frame *frame, uint8_t *room)
{
	struct hdr hdr;

	hdr_parse(&hdr, frame->data, frame->len);
	if (hdr.l3 != HDR_L3_IPV4)
		return false;
	own_copy(frame, room)[hdr.l3_at + 11u] ^= 1; /* low byte of the header checksum */
	return true;
}

/* A UDP checksum of zero is none, so one flipped bit may take the checksum away or turn a wrong one
 * into the right one; one of three bits does neither. */
static bool
damage_l4(struct soft_frame *frame, uint8_t *room)
{
	struct hdr hdr;
	uint8_t *low;

	hdr_parse(&hdr, frame->data, frame->len);
	if (hdr.l4 != HDR_L4_UDP && hdr.l4 != HDR_L4_TCP)
		return false;
	/* RFC 768: at 6; RFC 9293: at 16 */
	low = own_copy(frame, room) + hdr.l4_at + (hdr.l4 == HDR_L4_UDP ? 7 : 17);
	if (low >= room + frame->len)
		return false;
	for (uint8_t bit = 1; bit <= 4; bit <<= 1) {
		*low ^= bit;
		if (hdr_check_l4(&hdr, frame->data) == HDR_SUM_BAD)
			return true;
		*low ^= bit;
	}
	return false;
}

void
faults_apply(struct soft_port *port, struct soft_frame *frames, unsigned int n, uint8_t *given)
{
	uint64_t *ip = &port->fault[SOFTNIC_BAD_IP], *l4 = &port->fault[SOFTNIC_BAD_L4],
		 *fcs = &port->fault[SOFTNIC_BAD_FCS];

	memset(given, 0, n);
	for (unsigned int i = 0; i < n && i < SOFT_BATCH; i++) {
		if (*l4 > 0 && damage_l4(&frames[i], copies[i])) {
			given[i] |= 1u << (SOFTNIC_BAD_L4 - SOFTNIC_BAD_IP);
			--*l4;
		}
		if (*ip > 0 && damage_ip(&frames[i], copies[i])) {
			given[i] |= 1u;
			--*ip;
		}
		if (*fcs > 0) {
			frames[i].flags |= SOFT_BAD_FCS;
			given[i] |= 1u << (SOFTNIC_BAD_FCS - SOFTNIC_BAD_IP);
			--*fcs;
		}
	}
}

void
faults_settle(struct soft_port *port, const uint8_t *given, unsigned int taken, unsigned int n)
{
	for (unsigned int i = taken; i < n; i++)
		for (unsigned int k = 0; k < 3; k++)
			port->fault[SOFTNIC_BAD_IP + k] += given[i] >> k & 1;
}

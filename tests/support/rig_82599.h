/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUPPORT_RIG_82599_H
#define SUPPORT_RIG_82599_H

#include "drivers/ixgbe/model/rx.h"
#include "drivers/ixgbe/model/tx.h"

/*
 * The datapath of the software 82599 without EAL: the test is the driver.  Rings and buffers come
 * from the heap in exactly their size, so that ASan sees one byte too far.
 */
#define RIG_KB    1024u
#define RIG_FRAME 16384u /* room of a test's frame */
#define RIG_FILL  0xa5u  /* of a buffer that nobody has written */

struct rig {
	struct soft_port port;
	struct soft_wire wire;
	struct n82599 nic;
	struct rig_ring {
		uint8_t *desc;
		uint32_t size, kb, tail; /* descriptors, KB a receive buffer */
		uint8_t **buf;
	} rx[N82599_RXQ], tx[N82599_TXQ];
};

/* The NIC after a reset with its MAC address 02:00:00:00:00:01, receive and transmit units on. */
void rig_open(struct rig *r);
void rig_close(struct rig *r);

/* A receive queue as net_ixgbe starts it: buffers of kb KB behind all descriptors but one. */
void rig_rx_start(struct rig *r, unsigned int queue, uint32_t size, uint32_t kb);
void rig_rx_stop(struct rig *r, unsigned int queue);
void rig_rx_arm(struct rig *r, unsigned int queue, uint32_t at); /* its address again */
void rig_rx_tail(struct rig *r, unsigned int queue, uint32_t tail);

/* A descriptor that was written back. */
struct rig_rxd {
	uint32_t info, hash, status;
	uint16_t len, vlan;
};
struct rig_rxd rig_rxd(const struct rig *r, unsigned int queue, uint32_t at);
/* One frame off the cable; returns what receive() does. */
unsigned int rig_receive(struct rig *r, const uint8_t *frame, uint32_t len, uint32_t flags,
			 bool wait);

/* A transmit queue. */
void rig_tx_start(struct rig *r, unsigned int queue, uint32_t size);
void rig_tx_stop(struct rig *r, unsigned int queue);
/* Descriptors at the tail; the model sees them with rig_tx_tail(). */
void rig_tx_data(struct rig *r, unsigned int queue, const void *data, uint32_t len, uint64_t cmd);
void rig_tx_context(struct rig *r, unsigned int queue, uint64_t q0, uint64_t q1);
void rig_tx_tail(struct rig *r, unsigned int queue);
bool rig_tx_done(const struct rig *r, unsigned int queue, uint32_t at);
/* A turn: what went to the cable, completed. */
unsigned int rig_transmit(struct rig *r, struct soft_frame *frames, unsigned int max);
#define RIG_WHOLE(len) (TXD_DATA | TXD_DEXT | TXD_IFCS | TXD_EOP | (uint64_t)(len) << TXD_PAYLEN)

/* Frames: Ethernet, the tags, IPv4 or IPv6, UDP or TCP, all sums right; len bytes without FCS. */
struct rig_packet {
	uint32_t len;
	uint16_t tag; /* VLAN tag, 0 for none */
	bool ipv6, tcp;
	uint16_t sport, dport;
	uint32_t src, dst; /* host order, of IPv4; the end of IPv6 addresses */
	uint8_t mac[6];    /* destination; zeros take the NIC's */
};
void rig_packet(uint8_t *frame, const struct rig_packet *p);

/* offered = frames + missed + filtered + bad + lost */
void rig_check_sums(const struct rig *r, uint64_t offered);

#endif

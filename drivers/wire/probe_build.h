/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_PROBE_BUILD_H
#define WIRE_PROBE_BUILD_H

#include "drivers/wire/probe.h"

/*
 * Test frames, made once and then only patched: addresses, ports, tag and the two checksums, which
 * follow from sums taken beforehand.  Private to this folder and its tests; pure.
 */
struct probe_shape {
	uint8_t dmac[6], smac[6];
	uint16_t tci; /* of a VLAN tag; 0: none */
	uint8_t stream, ttl;
	bool tcp;
	bool sums; /* UDP carries a checksum; TCP always does */
};
#define PROBE_VLAN_LEN 4
#define PROBE_TCP_MIN  70 /* bytes of the shortest TCP frame that has room for the tag */

struct probe_slot {
	uint8_t *data;
	uint32_t len;    /* of the frame, with its VLAN tag */
	uint32_t ip_sum; /* of the IPv4 header, its checksum and addresses left out */
	uint64_t l4_sum; /* of all that stays as it is; 0: write no checksum */
	uint64_t w0, w1; /* the tag without check, flow and number */
	uint8_t ip_at, l4_at, sum_at, tag_at;
	bool udp;
};
/* size: bytes without the VLAN tag; data has room for both. */
void probe_slot_init(struct probe_slot *slot, const struct probe_shape *shape, uint8_t *data,
		     uint32_t size, uint8_t phase);

struct probe_flow {
	uint32_t src_be, dst_be;
	uint32_t sum; /* of the 16-bit words of both */
	uint16_t port_be;
};
void probe_flow_init(struct probe_flow *flow, uint32_t id, uint32_t src, uint32_t dst);

/* The tag's words with their check. */
static inline void
probe_seal(uint8_t *tag, uint64_t w0, uint64_t w1)
{
	w0 |= probe_check(w0, w1) ^ PROBE_CHECK_GOOD;
	memcpy(tag, &w0, sizeof(w0));
	memcpy(tag + 8, &w1, sizeof(w1));
}

static inline uint16_t
probe_fold(uint64_t sum)
{
	sum = (sum >> 32) + (sum & UINT32_MAX);
	sum = (sum >> 16) + (sum & UINT16_MAX);
	sum = (sum >> 16) + (sum & UINT16_MAX);
	return (uint16_t)((sum >> 16) + sum);
}

static inline uint64_t
probe_halves(uint64_t word)
{
	return (word >> 32) + (word & UINT32_MAX);
}

/* The frame of number seq of a flow. */
static inline void
probe_put(const struct probe_slot *slot, const struct probe_flow *flow, uint32_t id, uint64_t seq)
{
	uint8_t *ip = slot->data + slot->ip_at, *l4 = slot->data + slot->l4_at;
	uint64_t w0 = slot->w0 | (uint64_t)id << 32, w1 = slot->w1 | seq;
	uint16_t sum = (uint16_t)~probe_fold((uint64_t)slot->ip_sum + flow->sum);

	w0 |= probe_check(w0, w1) ^ PROBE_CHECK_GOOD;
	memcpy(ip + 10, &sum, sizeof(sum));
	memcpy(ip + 12, &flow->src_be, sizeof(flow->src_be));
	memcpy(ip + 16, &flow->dst_be, sizeof(flow->dst_be));
	memcpy(l4, &flow->port_be, sizeof(flow->port_be));
	memcpy(slot->data + slot->tag_at, &w0, sizeof(w0));
	memcpy(slot->data + slot->tag_at + 8, &w1, sizeof(w1));
	if (slot->l4_sum == 0)
		return;
	sum = (uint16_t)~probe_fold(slot->l4_sum + flow->sum + flow->port_be + probe_halves(w0) +
				    probe_halves(w1));
	if (sum == 0 && slot->udp)
		sum = 0xffff; /* RFC 768: zero says that there is none */
	memcpy(slot->data + slot->sum_at, &sum, sizeof(sum));
}

#endif

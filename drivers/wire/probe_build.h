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
	uint32_t w0;      /* of the tag: magic, TTL, stream */
	uint32_t l4_sum;  /* of all that stays as it is; 0: write no checksum */
	uint16_t len;     /* of the frame, with its VLAN tag */
	uint16_t ip_sum;  /* of the IPv4 header, its checksum and addresses left out */
	uint16_t l4_rest; /* the two bytes behind the ports, as they lie in memory */
	uint8_t phase, ip_at, sum_at, tag_at;
	bool udp;
};
/* size: bytes without the VLAN tag; data has room for both. */
void probe_slot_init(struct probe_slot *slot, const struct probe_shape *shape, uint8_t *data,
		     uint32_t size, uint8_t phase);

struct probe_flow {
	uint64_t addresses; /* source and destination, as they lie in memory; so the ports */
	uint32_t ports;
	uint16_t ip_sum, l4_sum; /* what the flow adds to those of the slot */
};
void probe_flow_init(struct probe_flow *flow, uint32_t id, uint32_t src, uint32_t dst);

/* The tag's words with their check. */
static inline void
probe_seal(uint8_t *tag, uint64_t w0, uint64_t w1)
{
	w0 |= probe_check_byte(w0, w1);
	memcpy(tag, &w0, sizeof(w0));
	memcpy(tag + 8, &w1, sizeof(w1));
}

static inline uint32_t
probe_fold(uint32_t sum)
{
	return (sum >> 16) + (sum & UINT16_MAX);
}

/* The frame of number seq of a flow, in four stores and its UDP or TCP checksum. */
static inline void
probe_put(const struct probe_slot *slot, const struct probe_flow *flow, uint32_t id, uint64_t seq)
{
	uint8_t *data = slot->data, *ip = data + slot->ip_at, *tag = data + slot->tag_at;
	uint64_t w0 = slot->w0 | (uint64_t)id << 32;
	uint64_t w1 = seq | (uint64_t)slot->phase << PROBE_PHASE_AT;
	uint8_t check = probe_check_byte(w0, w1);
	uint16_t ip_sum = (uint16_t)~probe_fold((uint32_t)slot->ip_sum + flow->ip_sum);
	/* From the checksum to the destination, and on to what is behind the ports. */
	uint64_t head = ip_sum | flow->addresses << 16;
	uint64_t tail =
		flow->addresses >> 48 | (uint64_t)flow->ports << 16 | (uint64_t)slot->l4_rest << 48;

	w0 |= check;
	memcpy(ip + 10, &head, sizeof(head));
	memcpy(ip + 18, &tail, sizeof(tail));
	memcpy(tag, &w0, sizeof(w0));
	memcpy(tag + 8, &w1, sizeof(w1));
	if (slot->l4_sum != 0) {
		uint32_t numbers = probe_fold((uint32_t)seq) + probe_fold((uint32_t)(seq >> 32));
		uint32_t sum = slot->l4_sum + flow->l4_sum + check + numbers;
		uint16_t l4_sum = (uint16_t)~probe_fold(probe_fold(sum));

		if (l4_sum == 0 && slot->udp)
			l4_sum = 0xffff; /* RFC 768: zero says that there is none */
		memcpy(data + slot->sum_at, &l4_sum, sizeof(l4_sum));
	}
}

#endif

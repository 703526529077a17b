/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/probe_build.h"

#include "drivers/wire/hdr.h"

#include <arpa/inet.h>

#define ETHER_LEN 14
#define IPV4_LEN  20
#define UDP_LEN   8
#define TCP_LEN   20

static void
put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint32_t
put_ether(const struct probe_shape *shape, uint8_t *data)
{
	uint32_t at = ETHER_LEN;

	memcpy(data, shape->dmac, 6);
	memcpy(data + 6, shape->smac, 6);
	if (shape->tci != 0) {
		put16(data + 12, 0x8100);
		put16(data + 14, shape->tci);
		at += PROBE_VLAN_LEN;
	}
	put16(data + at - 2, 0x0800);
	return at;
}

static void
put_ipv4(const struct probe_shape *shape, uint8_t *ip, uint32_t len)
{
	ip[0] = 0x45;
	put16(ip + 2, len);
	put16(ip + 6, 0x4000); /* never to be fragmented, so no identification (RFC 6864) */
	ip[8] = shape->ttl;
	ip[9] = shape->tcp ? 6 : 17;
}

static void
put_tcp(uint8_t *l4)
{
	put16(l4 + 6, 1);  /* sequence number */
	put16(l4 + 10, 1); /* acknowledged */
	l4[12] = TCP_LEN / 4 << 4;
	l4[13] = 0x10;          /* ACK */
	put16(l4 + 14, 0xffff); /* window */
}

/* A sum as 16 bits that are not inverted. */
static uint16_t
words(uint64_t sum)
{
	return __builtin_bswap16((uint16_t)~hdr_fold(sum));
}

void
probe_slot_init(struct probe_slot *slot, const struct probe_shape *shape, uint8_t *data,
		uint32_t size, uint8_t phase)
{
	uint32_t ip = put_ether(shape, memset(data, 0, size + PROBE_VLAN_LEN)), l4 = ip + IPV4_LEN;
	uint32_t tag = l4 + (shape->tcp ? TCP_LEN : UDP_LEN), len = size + ip - ETHER_LEN;
	bool sums = shape->tcp || shape->sums;

	put_ipv4(shape, data + ip, len - ip);
	put16(data + l4 + 2, PROBE_PORT);
	if (shape->tcp)
		put_tcp(data + l4);
	else
		put16(data + l4 + 4, len - l4);
	memcpy(data + tag + PROBE_TAG, probe_pattern + phase, len - tag - PROBE_TAG);

	*slot = (struct probe_slot){
		.data = data,
		.w0 = (uint32_t)(PROBE_MAGIC | PROBE_OWN | (sums ? PROBE_SUM : 0)) |
		      (uint32_t)shape->stream << 8 | (uint32_t)shape->ttl << 16,
		.len = (uint16_t)len,
		.ip_sum = words(hdr_sum(data + ip, IPV4_LEN, 0)),
		.phase = phase,
		.ip_at = (uint8_t)ip,
		.sum_at = (uint8_t)(l4 + (shape->tcp ? 16 : 6)),
		.tag_at = (uint8_t)tag,
		.udp = !shape->tcp,
	};
	memcpy(&slot->l4_rest, data + l4 + 4, sizeof(slot->l4_rest));
	if (sums) /* with the pseudo header and what of the tag is the slot's; never 0 */
		slot->l4_sum = (uint32_t)words(hdr_sum(data + l4, len - l4, 0)) +
			       ((uint32_t)data[ip + 9] << 8) + htons((uint16_t)(len - l4)) +
			       words(slot->w0) + ((uint32_t)phase << 8);
}

void
probe_flow_init(struct probe_flow *flow, uint32_t id, uint32_t src, uint32_t dst)
{
	uint16_t ports[2] = { htons(probe_source_port(id)), htons(PROBE_PORT) };

	flow->addresses = htonl(src) | (uint64_t)htonl(dst) << 32;
	flow->ip_sum = words(flow->addresses);
	/* The destination port is in every slot. */
	flow->l4_sum = words((uint64_t)flow->ip_sum + ports[0] + id);
	memcpy(&flow->ports, ports, sizeof(flow->ports));
}

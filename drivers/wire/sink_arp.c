/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"
#include "drivers/wire/sink.h"

/* RFC 826, for Ethernet and IPv4: places in the packet */
#define ARP_LEN   28
#define OPERATION 6
#define SENDER_HA 8
#define SENDER_IP 14
#define TARGET_HA 18
#define TARGET_IP 24

#define FRAME_MIN 60

static bool
is_arp(const uint8_t *arp)
{
	static const uint8_t ethernet_ipv4[] = { 0, 1, 8, 0, 6, 4, 0 };

	return memcmp(arp, ethernet_ipv4, sizeof(ethernet_ipv4)) == 0;
}

/* A question, that is: not somebody who says or asks whether an address is his own (RFC 5227). */
static bool
wants_answer(const uint8_t *arp)
{
	static const uint8_t nobody[4];

	return arp[OPERATION + 1] == 1 && memcmp(arp + SENDER_IP, arp + TARGET_IP, 4) != 0 &&
	       memcmp(arp + SENDER_IP, nobody, 4) != 0;
}

/* at: of the ARP packet, behind the VLAN tags that it came with and goes back with. */
static void
answer(struct soft_wire *wire, const uint8_t *frame, uint32_t at)
{
	struct sink *sink = wire->own;
	uint8_t reply[FRAME_MIN + 8] = { 0 }, *arp = reply + at;

	memcpy(reply, frame, at + ARP_LEN);
	memcpy(reply, frame + at + SENDER_HA, 6);
	memcpy(reply + 6, sink->mac, 6);
	arp[OPERATION + 1] = 2;
	memcpy(arp + TARGET_HA, frame + at + SENDER_HA, 10); /* both addresses */
	memcpy(arp + SENDER_HA, sink->mac, 6);
	memcpy(arp + SENDER_IP, frame + at + TARGET_IP, 4);
	soft_reply(wire, reply, FRAME_MIN);
	sink->answered++;
}

bool
sink_arp(struct soft_wire *wire, const uint8_t *frame, uint32_t len)
{
	struct sink *sink = wire->own;
	struct hdr hdr;

	hdr_parse(&hdr, frame, len);
	if (hdr.l3 != HDR_L3_ARP || !is_arp(frame + hdr.l3_at))
		return false;
	sink->arp++;
	if (sink->arp_on && wants_answer(frame + hdr.l3_at))
		answer(wire, frame, hdr.l3_at);
	return true;
}

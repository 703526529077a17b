/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_HDR_H
#define WIRE_HDR_H

#include "drivers/wire/softnic.h"

/*
 * What a NIC's parser finds in a frame, and the sums it checks and inserts.  Any thread, pure.
 */
enum hdr_l3 { HDR_L3_NONE, HDR_L3_IPV4, HDR_L3_IPV6, HDR_L3_ARP };
enum hdr_l4 { HDR_L4_NONE, HDR_L4_TCP, HDR_L4_UDP, HDR_L4_SCTP };
struct hdr {
	uint16_t ether_type; /* host order, behind the tags */
	uint16_t tci[2];     /* of the tags, outermost first, host order */
	uint8_t nb_tags;     /* 0x8100 or 0x88a8; at most 2 are looked at */
	uint8_t l3, l4;      /* enum hdr_l3, hdr_l4: none when cut off or a fragment (l4) */
	bool options;        /* IPv4 options or IPv6 extension headers */
	bool fragment;
	uint16_t l3_at, l4_at; /* bytes from the start of the frame */
	uint16_t
		l4_len; /* bytes of L4 header and payload, by the IP header, at most what is there */
};
SOFTNIC_API void hdr_parse(struct hdr *hdr, const uint8_t *frame, uint32_t len);

enum hdr_sum { HDR_SUM_NONE, HDR_SUM_GOOD, HDR_SUM_BAD }; /* none: there is none to check */
SOFTNIC_API enum hdr_sum hdr_check_ip(const struct hdr *hdr, const uint8_t *frame);
SOFTNIC_API enum hdr_sum hdr_check_l4(const struct hdr *hdr, const uint8_t *frame);
/* Write the sums anew: IPv4 header; TCP or UDP with its pseudo header (UDP 0 becomes 0xffff). */
SOFTNIC_API void hdr_set_ip(const struct hdr *hdr, uint8_t *frame);
SOFTNIC_API void hdr_set_l4(const struct hdr *hdr, uint8_t *frame);

/* RFC 1071 over bytes that may have any alignment and an odd length; not folded, not inverted. */
SOFTNIC_API uint64_t hdr_sum(const uint8_t *data, uint32_t len, uint64_t sum);
SOFTNIC_API uint16_t hdr_fold(uint64_t sum); /* the complement, host order of a big-endian field */

#endif

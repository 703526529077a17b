/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_HDR4_H
#define BASE_HDR4_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ip.h>

/*
 * What the workers and the control thread must do alike to an IPv4 header.  Any thread; header
 * memory belongs to the caller.
 */

/*
 * One hop older: TTL minus one, checksum by RFC 1624 equation 3.  One less in the TTL byte is one
 * more in the checksum, carry wrapped; the sum 0xffff becomes 0x0000, as the equation has it.
 * The TTL must be above 0.
 */
static inline void
hdr4_age(struct rte_ipv4_hdr *ip)
{
	uint8_t *p = &ip->time_to_live; /* TTL, protocol, checksum: one word */
	uint32_t word, sum;

	memcpy(&word, p, sizeof(word));
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	sum = (word >> 16) + 1;
	word = ((word - 1) & 0xffff) | (sum + (sum >= 0xffff)) << 16;
#else
	sum = (word & 0xffff) + 0x0100;
	word = ((word - 0x01000000) & 0xffff0000) | ((sum + (sum >= 0xffff)) & 0xffff);
#endif
	memcpy(p, &word, sizeof(word));
}

/* The header of len bytes (a multiple of 4, 20..60) adds up, its checksum included. */
static inline bool
hdr4_checksum_good(const void *ip, unsigned int len)
{
	const uint8_t *p = (const uint8_t *)ip;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < len; i += 4) {
		uint32_t word;

		memcpy(&word, p + i, sizeof(word));
		sum += word;
	}
	sum = (sum & UINT32_MAX) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

/*
 * Addresses that no host has and no packet is sent to as unicast: 0/8 and 127/8 (RFC 1122
 * 3.2.1.3), 224/4 and 240/4, 255.255.255.255 included (RFC 1812 5.3.7).  Host byte order.
 */
static inline bool
hdr4_no_host(uint32_t ip)
{
	uint32_t top = ip >> 24;

	return top - 1 >= 223 || top == 127;
}

/*
 * May this option list (len bytes behind the fixed header) be forwarded?  Source routes may not
 * (RFC 7126 4.3 and 4.4), nor a list that cannot be walked to its end, for it may hide one.
 */
static inline bool
hdr4_options_good(const uint8_t *opt, unsigned int len)
{
	enum { OPT_END = 0, OPT_NOP = 1, OPT_LSRR = 131, OPT_SSRR = 137 };

	for (unsigned int i = 0; i < len;) {
		if (opt[i] == OPT_END)
			return true;
		if (opt[i] == OPT_NOP) {
			i++;
			continue;
		}
		if (opt[i] == OPT_LSRR || opt[i] == OPT_SSRR)
			return false;
		if (i + 1 >= len || opt[i + 1] < 2 || opt[i + 1] > len - i)
			return false;
		i += opt[i + 1];
	}
	return true;
}

#endif

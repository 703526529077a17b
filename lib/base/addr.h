/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ADDR_H
#define BASE_ADDR_H

#include "base/err.h"

#include <stdint.h>

#include <rte_ether.h>

/*
 * Addresses as text.  IPv4 addresses are uint32_t in host byte order everywhere in sluice, except
 * in packet headers and in names that end in _be.
 *
 * Threads: any; no state.
 */
#define IP4(a, b, c, d)                                                                            \
	(((uint32_t)(a) << 24) | ((uint32_t)(b) << 16) | ((uint32_t)(c) << 8) | (uint32_t)(d))

#define ADDR_IP4_TEXT    16 /* "255.255.255.255" and its zero */
#define ADDR_PREFIX_TEXT 19
#define ADDR_MAC_TEXT    18

/* Strict dotted quad: four decimal numbers 0..255, no leading zeros, nothing else.  0 or -EINVAL. */
int addr_parse_ip4(const char *text, uint32_t *ip, struct err *err);

/* "10.0.0.0/8": host bits set, length above 32, junk are -EINVAL with the reason in err. */
int addr_parse_prefix(const char *text, uint32_t *prefix, uint8_t *depth, struct err *err);

/* "10.0.0.1/24": an interface address, host bits welcome. */
int addr_parse_ifaddr(const char *text, uint32_t *ip, uint8_t *depth, struct err *err);

/* "02:00:5e:00:00:01", either case.  Group and zero addresses are -EINVAL: nobody has them. */
int addr_parse_mac(const char *text, struct rte_ether_addr *mac, struct err *err);

/* A whole decimal number within [min, max]; name is what err calls it. */
int addr_parse_number(const char *name, const char *text, uint64_t min, uint64_t max,
		      uint64_t *value, struct err *err);

/* Print into buf (of the size above) and return it.  MAC addresses are in lower case. */
char *addr_ip4(char *buf, uint32_t ip);
char *addr_prefix(char *buf, uint32_t prefix, uint8_t depth);
char *addr_mac(char *buf, const struct rte_ether_addr *mac);

/* The network mask of a length, host order; 0 gives 0. */
static inline uint32_t
addr_mask(uint8_t depth)
{
	return depth == 0 ? 0 : UINT32_MAX << (32 - depth);
}

#endif

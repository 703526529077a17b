/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One decimal number without sign, blanks or leading zeros; *text moves behind it. */
static bool
digits(const char **text, uint64_t max, uint64_t *value)
{
	const char *s = *text;
	uint64_t v = 0;

	if (*s < '0' || *s > '9')
		return false;
	if (s[0] == '0' && s[1] >= '0' && s[1] <= '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		uint64_t digit = (uint64_t)(*s - '0');

		if (digit > max || v > (max - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*text = s;
	*value = v;
	return true;
}

static bool
quad(const char **text, uint32_t *ip)
{
	const char *s = *text;
	uint32_t v = 0;

	for (unsigned int i = 0; i < 4; i++) {
		uint64_t byte;

		if (i > 0 && *s++ != '.')
			return false;
		if (!digits(&s, 255, &byte))
			return false;
		v = v << 8 | (uint32_t)byte;
	}
	*text = s;
	*ip = v;
	return true;
}

int
addr_parse_ip4(const char *text, uint32_t *ip, struct err *err)
{
	const char *s = text;
	uint32_t v;

	if (!quad(&s, &v) || *s != '\0')
		return err_set(err, -EINVAL,
			       "'%.64s' is not an IPv4 address; write four numbers 0..255, as in "
			       "10.0.0.1",
			       text);
	*ip = v;
	return 0;
}

int
addr_parse_ifaddr(const char *text, uint32_t *ip, uint8_t *depth, struct err *err)
{
	const char *s = text;
	uint64_t len;
	uint32_t v;

	if (strcmp(text, "default") == 0)
		return err_set(err, -EINVAL,
			       "'default' is not ADDRESS/LENGTH; the default route is 0.0.0.0/0");
	if (!quad(&s, &v) || *s++ != '/')
		return err_set(err, -EINVAL,
			       "'%.64s' is not ADDRESS/LENGTH; write it as in 10.0.0.0/8", text);
	if (!digits(&s, UINT32_MAX, &len) || *s != '\0')
		return err_set(err, -EINVAL,
			       "'%.64s': the length after '/' is not a number; write 0..32", text);
	if (len > 32)
		return err_set(err, -EINVAL, "'%.64s': length %" PRIu64 " is above 32; write 0..32",
			       text, len);
	*ip = v;
	*depth = (uint8_t)len;
	return 0;
}

int
addr_parse_prefix(const char *text, uint32_t *prefix, uint8_t *depth, struct err *err)
{
	char want[ADDR_PREFIX_TEXT];
	uint32_t ip;
	uint8_t len;
	int ret;

	ret = addr_parse_ifaddr(text, &ip, &len, err);
	if (ret < 0)
		return ret;
	if ((ip & ~addr_mask(len)) != 0)
		return err_set(err, -EINVAL, "'%.64s' has host bits set; did you mean %s?", text,
			       addr_prefix(want, ip & addr_mask(len), len));
	*prefix = ip;
	*depth = len;
	return 0;
}

static int
hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int
addr_parse_mac(const char *text, struct rte_ether_addr *mac, struct err *err)
{
	struct rte_ether_addr v;
	bool good = strlen(text) == ADDR_MAC_TEXT - 1;

	for (unsigned int i = 0; good && i < RTE_ETHER_ADDR_LEN; i++) {
		int hi = hex(text[3 * i]), lo = hex(text[3 * i + 1]);

		good = hi >= 0 && lo >= 0 && (i == 5 || text[3 * i + 2] == ':');
		v.addr_bytes[i] = (uint8_t)((unsigned int)hi << 4 | (unsigned int)lo);
	}
	if (!good)
		return err_set(err, -EINVAL,
			       "'%.64s' is not a MAC address; write it as in 02:00:5e:00:00:01",
			       text);
	if (!rte_is_valid_assigned_ether_addr(&v))
		return err_set(err, -EINVAL,
			       "'%.64s' is a group or zero MAC address; a host's own is needed",
			       text);
	*mac = v;
	return 0;
}

int
addr_parse_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *value,
		  struct err *err)
{
	const char *s = text;
	uint64_t v;

	if (!digits(&s, UINT64_MAX, &v) || *s != '\0')
		return err_set(err, -EINVAL,
			       "%s: '%.64s' is not a whole number; write %" PRIu64 "..%" PRIu64,
			       name, text, min, max);
	if (v < min || v > max)
		return err_set(err, -EINVAL,
			       "%s: %" PRIu64 " is outside %" PRIu64 "..%" PRIu64
			       "; write one within",
			       name, v, min, max);
	*value = v;
	return 0;
}

char *
addr_ip4(char *buf, uint32_t ip)
{
	snprintf(buf, ADDR_IP4_TEXT, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255,
		 ip & 255);
	return buf;
}

char *
addr_prefix(char *buf, uint32_t prefix, uint8_t depth)
{
	snprintf(buf, ADDR_PREFIX_TEXT, "%u.%u.%u.%u/%u", prefix >> 24, prefix >> 16 & 255,
		 prefix >> 8 & 255, prefix & 255, depth & 63u);
	return buf;
}

char *
addr_mac(char *buf, const struct rte_ether_addr *mac)
{
	const uint8_t *b = mac->addr_bytes;

	snprintf(buf, ADDR_MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		 b[5]);
	return buf;
}

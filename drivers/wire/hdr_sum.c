/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/bytes.h"
#include "drivers/wire/hdr.h"

#include <stdbool.h>
#include <string.h>

#define IPV4_SUM_AT 10
#define UDP_LEN_AT  4
#define UDP_SUM_AT  6
#define TCP_SUM_AT  16

#define PROTOCOL_TCP 6u
#define PROTOCOL_UDP 17u

/*
 * Sums are kept in the byte order of this machine, little-endian, words as they lie in memory: the
 * ones' complement sum comes out with its bytes swapped, which hdr_fold() undoes (RFC 1071, 2(B)).
 */
uint64_t
hdr_sum(const uint8_t *data, uint32_t len, uint64_t sum)
{
	unsigned __int128 even = sum, odd = 0;

	for (; len >= 32; len -= 32, data += 32) {
		even += load64(data);
		odd += load64(data + 8);
		even += load64(data + 16);
		odd += load64(data + 24);
	}
	for (; len >= 8; len -= 8, data += 8)
		even += load64(data);
	if (len & 4) {
		even += load32(data);
		data += 4;
	}
	if (len & 2) {
		odd += load16(data);
		data += 2;
	}
	if (len & 1)
		odd += *data;
	even += odd;
	return carry_add((uint64_t)even, (uint64_t)(even >> 64));
}

/* 16 bits, neither inverted nor swapped; 0 for nothing but zeros. */
static inline uint16_t
fold(uint64_t sum)
{
	sum = (sum >> 32) + (sum & UINT32_MAX);
	sum = (sum >> 32) + (sum & UINT32_MAX);
	sum = (sum >> 16) + (sum & UINT16_MAX);
	sum = (sum >> 16) + (sum & UINT16_MAX);
	return (uint16_t)sum;
}

uint16_t
hdr_fold(uint64_t sum)
{
	return __builtin_bswap16((uint16_t)~fold(sum));
}

static inline uint64_t
sum_ipv4(const struct hdr *hdr, const uint8_t *ip)
{
	if (__builtin_expect(!hdr->options, 1))
		return carry_add(carry_add(load64(ip), load64(ip + 8)), load32(ip + 16));
	return hdr_sum(ip, (uint32_t)hdr->l4_at - hdr->l3_at, 0);
}

enum hdr_sum
hdr_check_ip(const struct hdr *hdr, const uint8_t *frame)
{
	if (hdr->l3 != HDR_L3_IPV4)
		return HDR_SUM_NONE;
	return fold(sum_ipv4(hdr, frame + hdr->l3_at)) == 0xffff ? HDR_SUM_GOOD : HDR_SUM_BAD;
}

void
hdr_set_ip(const struct hdr *hdr, uint8_t *frame)
{
	uint8_t *ip = frame + hdr->l3_at;
	uint16_t sum;

	if (hdr->l3 != HDR_L3_IPV4)
		return;
	memset(ip + IPV4_SUM_AT, 0, sizeof(sum));
	sum = (uint16_t)~fold(sum_ipv4(hdr, ip));
	memcpy(ip + IPV4_SUM_AT, &sum, sizeof(sum));
}

/* Bytes that the L4 sum covers: a UDP datagram says it itself and IP may carry more behind it.
 * 0 when it says what cannot be. */
static inline uint32_t
covered(const struct hdr *hdr, const uint8_t *l4)
{
	uint32_t len;

	if (hdr->l4 != HDR_L4_UDP)
		return hdr->l4_len;
	len = __builtin_bswap16(load16(l4 + UDP_LEN_AT));
	return len >= 8 && len <= hdr->l4_len ? len : 0;
}

/* The sum of pseudo header (RFC 9293 3.1, RFC 8200 8.1) and len bytes of L4. */
static uint64_t
sum_l4(const struct hdr *hdr, const uint8_t *frame, uint32_t len)
{
	const uint8_t *ip = frame + hdr->l3_at;
	uint64_t sum = (uint64_t)__builtin_bswap16((uint16_t)len) +
		       ((hdr->l4 == HDR_L4_UDP ? PROTOCOL_UDP : PROTOCOL_TCP) << 8);

	if (hdr->l3 == HDR_L3_IPV4)
		sum = carry_add(sum, load64(ip + 12));
	else
		sum = hdr_sum(ip + 8, 32, sum);
	return hdr_sum(frame + hdr->l4_at, len, sum);
}

static inline bool
has_sum(const struct hdr *hdr)
{
	return hdr->l4 == HDR_L4_TCP || hdr->l4 == HDR_L4_UDP;
}

enum hdr_sum
hdr_check_l4(const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *l4 = frame + hdr->l4_at;
	uint32_t len;

	if (!has_sum(hdr) || (hdr->l4 == HDR_L4_UDP && load16(l4 + UDP_SUM_AT) == 0))
		return HDR_SUM_NONE;
	len = covered(hdr, l4);
	if (len == 0)
		return HDR_SUM_BAD;
	return fold(sum_l4(hdr, frame, len)) == 0xffff ? HDR_SUM_GOOD : HDR_SUM_BAD;
}

void
hdr_set_l4(const struct hdr *hdr, uint8_t *frame)
{
	uint8_t *l4 = frame + hdr->l4_at, *at;
	uint32_t len;
	uint16_t sum;

	if (!has_sum(hdr))
		return;
	len = covered(hdr, l4);
	if (len == 0)
		len = hdr->l4_len;
	at = l4 + (hdr->l4 == HDR_L4_UDP ? UDP_SUM_AT : TCP_SUM_AT);
	memset(at, 0, sizeof(sum));
	sum = (uint16_t)~fold(sum_l4(hdr, frame, len));
	if (sum == 0 && hdr->l4 == HDR_L4_UDP)
		sum = 0xffff; /* RFC 768: zero says that there is none */
	memcpy(at, &sum, sizeof(sum));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RFC 1624: the incremental update equals the long way for every checksum and every TTL.
 */
#include "base/hdr4.h"
#include "support/cmocka.h"

/* The checksum of a header, from RFC 1071's definition. */
static uint16_t
long_way(const struct rte_ipv4_hdr *ip)
{
	const uint8_t *p = (const uint8_t *)ip;
	uint32_t sum = 0;

	for (unsigned int i = 0; i < sizeof(*ip); i += 2)
		if (i != 10)
			sum += (uint32_t)p[i] << 8 | p[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* A header with this TTL whose checksum is the wanted one: the id makes up for the rest. */
static struct rte_ipv4_hdr
header(uint8_t ttl, uint16_t id)
{
	struct rte_ipv4_hdr ip = {
		.version_ihl = RTE_IPV4_VHL_DEF,
		.total_length = RTE_BE16(28),
		.packet_id = rte_cpu_to_be_16(id),
		.time_to_live = ttl,
		.next_proto_id = 17,
		.src_addr = RTE_BE32(0xc6336401),
		.dst_addr = RTE_BE32(0x0a000001),
	};

	ip.hdr_checksum = rte_cpu_to_be_16(long_way(&ip));
	return ip;
}

static void
ageing_equals_the_long_way(void **state)
{
	static uint8_t seen[UINT16_MAX + 1];

	(void)state;
	for (unsigned int ttl = 1; ttl <= UINT8_MAX; ttl++) {
		for (unsigned int id = 0; id <= UINT16_MAX; id++) {
			struct rte_ipv4_hdr ip = header((uint8_t)ttl, (uint16_t)id);
			uint16_t want;

			seen[rte_be_to_cpu_16(ip.hdr_checksum)] = 1;
			assert_true(hdr4_checksum_good(&ip, sizeof(ip)));
			hdr4_age(&ip);
			want = long_way(&ip);
			if (rte_be_to_cpu_16(ip.hdr_checksum) != want || ip.time_to_live != ttl - 1)
				fail_msg("ttl %u id %u: %04x, want %04x", ttl, id,
					 rte_be_to_cpu_16(ip.hdr_checksum), want);
		}
	}
	/* One's complement has two zeros; a computed checksum is never 0xffff here. */
	for (unsigned int sum = 0; sum < UINT16_MAX; sum++)
		assert_true(seen[sum]);
}

/* A sender may write the other zero, 0xffff; equation 3 holds for it too. */
static void
the_other_zero_is_aged_right(void **state)
{
	unsigned int met = 0;

	(void)state;
	for (unsigned int ttl = 1; ttl <= UINT8_MAX; ttl++) {
		for (unsigned int id = 0; id <= UINT16_MAX; id++) {
			struct rte_ipv4_hdr ip = header((uint8_t)ttl, (uint16_t)id);

			if (ip.hdr_checksum != 0)
				continue;
			ip.hdr_checksum = 0xffff;
			assert_true(hdr4_checksum_good(&ip, sizeof(ip)));
			hdr4_age(&ip);
			assert_true(hdr4_checksum_good(&ip, sizeof(ip)));
			met++;
		}
	}
	assert_true(met >= UINT8_MAX);
}

/* One flipped bit anywhere is always noticed: a one's complement sum misses no single bit. */
static void
one_wrong_bit_is_bad(void **state)
{
	(void)state;
	for (unsigned int id = 0; id <= UINT16_MAX; id += 257) {
		struct rte_ipv4_hdr ip = header(64, (uint16_t)id);

		for (unsigned int bit = 0; bit < sizeof(ip) * 8; bit++) {
			struct rte_ipv4_hdr bad = ip;

			((uint8_t *)&bad)[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (hdr4_checksum_good(&bad, sizeof(bad)))
				fail_msg("id %u bit %u", id, bit);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ageing_equals_the_long_way),
		cmocka_unit_test(the_other_zero_is_aged_right),
		cmocka_unit_test(one_wrong_bit_is_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "support/cmocka.h"

static void
addresses_are_strict(void **state)
{
	static const char *const bad[] = {
		"",           "10",         "10.0.0",    "10.0.0.1.",
		"10.0.0.0.1", "10.0.0.256", "10.0.0.-1", "10.0.0.+1",
		" 10.0.0.1",  "10.0.0.1 ",  "10.0.0.01", "0x0a.0.0.1",
		"10.0.0.1/8", "10..0.1",    "a.b.c.d",   "10.0.0.99999999999999999999",
	};
	struct err err;
	uint32_t ip = 7;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		err.text[0] = '\0';
		if (addr_parse_ip4(bad[i], &ip, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_non_null(strstr(err.text, "IPv4 address"));
	}
	assert_int_equal(ip, 7);
	assert_int_equal(addr_parse_ip4("0.0.0.0", &ip, &err), 0);
	assert_int_equal(ip, 0);
	assert_int_equal(addr_parse_ip4("255.255.255.255", &ip, &err), 0);
	assert_int_equal(ip, UINT32_MAX);
	assert_int_equal(addr_parse_ip4("10.20.30.40", &ip, NULL), 0);
	assert_int_equal(ip, IP4(10, 20, 30, 40));
}

static void
prefixes_say_what_is_wrong(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "10.0.0.0/33", "above 32" },
		{ "10.0.0.1/24", "did you mean 10.0.0.0/24" },
		{ "10.0.0/8", "ADDRESS/LENGTH" },
		{ "10.0.0.0", "ADDRESS/LENGTH" },
		{ "10.0.0.0/", "not a number" },
		{ "10.0.0.0/8x", "not a number" },
		{ "10.0.0.0/08", "not a number" },
		{ "10.0.0.0/-1", "not a number" },
		{ "1.0.0.0/0", "did you mean 0.0.0.0/0" },
	};
	uint32_t prefix;
	uint8_t depth;
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		assert_int_equal(addr_parse_prefix(bad[i].text, &prefix, &depth, &err), -EINVAL);
		if (strstr(err.text, bad[i].why) == NULL)
			fail_msg("'%s': '%s' does not say '%s'", bad[i].text, err.text, bad[i].why);
	}
	assert_int_equal(addr_parse_prefix("0.0.0.0/0", &prefix, &depth, &err), 0);
	assert_int_equal(depth, 0);
	assert_int_equal(addr_parse_prefix("192.0.2.1/32", &prefix, &depth, &err), 0);
	assert_int_equal(prefix, IP4(192, 0, 2, 1));
	assert_int_equal(addr_parse_ifaddr("10.0.0.1/24", &prefix, &depth, &err), 0);
	assert_int_equal(prefix, IP4(10, 0, 0, 1));
}

static void
macs_belong_to_one_host(void **state)
{
	static const char *const bad[] = {
		"",
		"02:00:00:00:00",
		"02:00:00:00:00:0",
		"02-00-00-00-00-01",
		"02:00:00:00:00:0g",
		"01:00:5e:00:00:01",
		"ff:ff:ff:ff:ff:ff",
		"00:00:00:00:00:00",
		"02:00:00:00:00:01:",
	};
	struct rte_ether_addr mac;
	char text[ADDR_MAC_TEXT];
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++)
		if (addr_parse_mac(bad[i], &mac, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(addr_parse_mac("02:AB:cd:00:00:01", &mac, &err), 0);
	assert_string_equal(addr_mac(text, &mac), "02:ab:cd:00:00:01");
}

static void
numbers_are_whole_and_within(void **state)
{
	uint64_t v;
	struct err err;

	(void)state;
	assert_int_equal(addr_parse_number("--burst", "0", 1, 256, &v, &err), -EINVAL);
	assert_string_equal(err.text, "--burst: 0 is outside 1..256; write one within");
	assert_int_equal(addr_parse_number("--burst", "1x", 1, 256, &v, &err), -EINVAL);
	assert_int_equal(addr_parse_number("--burst", "-1", 1, 256, &v, &err), -EINVAL);
	assert_int_equal(addr_parse_number("n", "18446744073709551616", 0, UINT64_MAX, &v, &err),
			 -EINVAL);
	assert_int_equal(addr_parse_number("n", "18446744073709551615", 0, UINT64_MAX, &v, &err),
			 0);
	assert_true(v == UINT64_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_strict),
		cmocka_unit_test(prefixes_say_what_is_wrong),
		cmocka_unit_test(macs_belong_to_one_host),
		cmocka_unit_test(numbers_are_whole_and_within),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

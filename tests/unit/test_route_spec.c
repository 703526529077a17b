/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "cfg/cfg.h"
#include "cfg/route_spec.h"
#include "support/cmocka.h"

#include <stdio.h>

static int
port(const char *text, uint16_t *id, struct err *err)
{
	if (strcmp(text, "0") == 0 || strcmp(text, "net_pcap0") == 0)
		*id = 0;
	else if (strcmp(text, "0000:01:00.1") == 0)
		*id = 7;
	else
		return err_set(err, -ENODEV, "no port '%s'", text);
	return 0;
}

static const char *
port_name(uint16_t id)
{
	return id == 0 ? "net_pcap0" : id == 7 ? "0000:01:00.1" : NULL;
}

static int
parse(const char *text, struct route_spec *spec, struct err *err)
{
	char *line = strdup(text), *word[256];
	int n = cfg_words(line, word, RTE_DIM(word), err);
	int ret;

	assert_true(n >= 0);
	ret = route_spec_parse((const char *const *)word, (unsigned int)n, port, spec, err);
	free(line);
	return ret;
}

static void
routes_are_read_as_written(void **state)
{
	struct route_spec s;
	struct err err;

	(void)state;
	assert_int_equal(parse("10.0.0.0/8 via 192.0.2.1", &s, &err), 0);
	assert_int_equal(s.prefix, IP4(10, 0, 0, 0));
	assert_int_equal(s.depth, 8);
	assert_int_equal(s.kind, ROUTE_VIA);
	assert_int_equal(s.nb_nh, 1);
	assert_int_equal(s.nh[0].ip, IP4(192, 0, 2, 1));
	assert_int_equal(s.nh[0].port, ROUTE_PORT_ANY);
	assert_int_equal(s.nh[0].weight, 1);

	assert_int_equal(parse("0.0.0.0/0 via 192.0.2.1 dev 0000:01:00.1 weight 256 via 192.0.2.2 "
			       "weight 3 dev net_pcap0 via 192.0.2.3",
			       &s, &err),
			 0);
	assert_int_equal(s.depth, 0);
	assert_int_equal(s.nb_nh, 3);
	assert_int_equal(s.nh[0].port, 7);
	assert_int_equal(s.nh[0].weight, 256);
	assert_int_equal(s.nh[1].port, 0);
	assert_int_equal(s.nh[1].weight, 3);
	assert_int_equal(s.nh[2].port, ROUTE_PORT_ANY);
	assert_int_equal(s.nh[2].weight, 1);

	assert_int_equal(parse("198.51.100.7/32 dev 0000:01:00.1", &s, &err), 0);
	assert_int_equal(s.kind, ROUTE_DEV);
	assert_int_equal(s.nb_nh, 1);
	assert_int_equal(s.nh[0].ip, 0);
	assert_int_equal(s.nh[0].port, 7);

	assert_int_equal(parse("198.51.100.0/24 blackhole", &s, &err), 0);
	assert_int_equal(s.kind, ROUTE_BLACKHOLE);
	assert_int_equal(s.nb_nh, 0);
}

static void
bad_routes_say_why(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "no prefix" },
		{ "10.0.0.0/33 blackhole", "length 33 is above 32" },
		{ "10.0.0/8 blackhole", "'10.0.0/8' is not ADDRESS/LENGTH" },
		{ "10.0.0.1/24 blackhole", "did you mean 10.0.0.0/24" },
		{ "default via 192.0.2.1", "the default route is 0.0.0.0/0" },
		{ "R10.0.0.0/8 0", "'R10.0.0.0/8' is not ADDRESS/LENGTH" },
		{ "10.0.0.0/8", "leads nowhere" },
		{ "10.0.0.0/8 0", "'0' is not a way for packets to go" },
		{ "10.0.0.0/8 VIA 192.0.2.1", "'VIA' is not a way" },
		{ "10.0.0.0/8 weight 3", "'weight' is not a way" },
		{ "10.0.0.0/8 via", "'via' is the last word" },
		{ "10.0.0.0/8 via gw", "via: 'gw' is not an IPv4 address" },
		{ "10.0.0.0/8 via dev 0", "via: 'dev' is not an IPv4 address" },
		{ "10.0.0.0/8 via 192.0.2.1/32", "is not an IPv4 address" },
		{ "10.0.0.0/8 via 0.0.0.0", "next hop 0.0.0.0 is in 0.0.0.0/8" },
		{ "10.0.0.0/8 via 0.1.2.3", "next hop 0.1.2.3 is in 0.0.0.0/8" },
		{ "10.0.0.0/8 via 127.0.0.1", "is a loopback address" },
		{ "10.0.0.0/8 via 224.0.0.5", "is a multicast address" },
		{ "10.0.0.0/8 via 239.255.255.255", "is a multicast address" },
		{ "10.0.0.0/8 via 240.0.0.1", "is in reserved 240.0.0.0/4" },
		{ "10.0.0.0/8 via 255.255.255.255", "is the broadcast address" },
		{ "10.0.0.0/8 via 192.0.2.1 dev", "'dev' is the last word" },
		{ "10.0.0.0/8 via 192.0.2.1 dev 1", "no port '1'" },
		{ "10.0.0.0/8 via 192.0.2.1 dev 0 dev 0", "'dev' stands twice" },
		{ "10.0.0.0/8 via 192.0.2.1 weight", "'weight' is the last word" },
		{ "10.0.0.0/8 via 192.0.2.1 weight 0", "weight: 0 is outside 1..256" },
		{ "10.0.0.0/8 via 192.0.2.1 weight 257", "weight: 257 is outside 1..256" },
		{ "10.0.0.0/8 via 192.0.2.1 weight x", "weight: 'x' is not a whole number" },
		{ "10.0.0.0/8 via 192.0.2.1 weight 2 weight 2", "'weight' stands twice" },
		{ "10.0.0.0/8 via 192.0.2.1 junk", "'junk' does not belong behind '192.0.2.1'" },
		{ "10.0.0.0/8 via 192.0.2.1 via 192.0.2.1 weight 2",
		  "192.0.2.1 stands there twice" },
		{ "10.0.0.0/8 via 192.0.2.1 blackhole", "'blackhole' does not belong behind" },
		{ "10.0.0.0/8 dev", "'dev' is the last word" },
		{ "10.0.0.0/8 dev 1", "no port '1'" },
		{ "10.0.0.0/8 dev 0 weight 2", "'weight' does not belong behind '0'" },
		{ "10.0.0.0/8 dev 0 via 192.0.2.1", "'via' does not belong behind '0'" },
		{ "10.0.0.0/8 blackhole 1", "'1' does not belong behind 'blackhole'" },
	};
	struct route_spec s, before;
	struct err err;

	(void)state;
	memset(&s, 0xa5, sizeof(s));
	memcpy(&before, &s, sizeof(s));
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		int ret = parse(bad[i].text, &s, &err);

		if (ret != -EINVAL && ret != -ENODEV)
			fail_msg("'%s' was taken", bad[i].text);
		if (strstr(err.text, bad[i].why) == NULL)
			fail_msg("'%s': '%s' does not say '%s'", bad[i].text, err.text, bad[i].why);
		assert_memory_equal(&s, &before, sizeof(s));
	}
}

static void
sixteen_next_hops_fit(void **state)
{
	char text[2048];
	struct route_spec s;
	struct err err;
	int n = sprintf(text, "10.0.0.0/8");

	(void)state;
	for (int i = 1; i <= ROUTE_NH_MAX; i++)
		n += sprintf(text + n, " via 192.0.2.%d dev 0 weight 2", i);
	assert_int_equal(parse(text, &s, &err), 0);
	assert_int_equal(s.nb_nh, ROUTE_NH_MAX);
	assert_int_equal(s.nh[ROUTE_NH_MAX - 1].ip, IP4(192, 0, 2, ROUTE_NH_MAX));
	sprintf(text + n, " via 192.0.2.200");
	assert_int_equal(parse(text, &s, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than 16 next hops"));
}

static void
routes_print_as_they_are_read(void **state)
{
	static const char *const text[] = {
		"10.0.0.0/8 via 192.0.2.1",
		"0.0.0.0/0 via 192.0.2.1 dev net_pcap0 weight 2 via 192.0.2.2 dev 0000:01:00.1",
		"198.51.100.0/24 dev net_pcap0",
		"198.51.100.7/32 blackhole",
	};
	char buf[256];
	struct route_spec s;
	struct err err;
	FILE *out;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(text); i++) {
		assert_int_equal(parse(text[i], &s, &err), 0);
		out = fmemopen(buf, sizeof(buf), "w");
		route_spec_print(out, &s, port_name);
		fclose(out);
		assert_string_equal(buf, text[i]);
	}
	s = (struct route_spec){ .kind = ROUTE_DEV, .nb_nh = 1, .nh[0].port = 3 };
	out = fmemopen(buf, sizeof(buf), "w");
	route_spec_print(out, &s, port_name);
	fclose(out);
	assert_string_equal(buf, "0.0.0.0/0 dev 3");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(routes_are_read_as_written),
		cmocka_unit_test(bad_routes_say_why),
		cmocka_unit_test(sixteen_next_hops_fit),
		cmocka_unit_test(routes_print_as_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

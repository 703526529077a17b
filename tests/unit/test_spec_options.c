/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "drivers/wire/spec.h"
#include "support/cmocka.h"

struct conf {
	bool flag;
	uint32_t count, any, mode, ip;
	uint64_t rate;
	char file[8], bdf[16];
	uint8_t mac[6];
	struct spec_prefix net;
};
static const char *const modes[] = { "slow", "fast", NULL };
static const struct spec_opt opts[] = {
	{ "flag", SPEC_FLAG, SPEC_AT(struct conf, flag), .help = "" },
	{ "count", SPEC_U32, SPEC_AT(struct conf, count), .min = 1, .max = 64, .help = "" },
	{ "any", SPEC_U32, SPEC_AT(struct conf, any), .help = "" },
	{ "rate", SPEC_U64, SPEC_AT(struct conf, rate), .help = "" },
	{ "mode", SPEC_WORD, SPEC_AT(struct conf, mode), .words = modes, .help = "" },
	{ "file", SPEC_STRING, SPEC_AT(struct conf, file), .help = "" },
	{ "mac", SPEC_MAC, SPEC_AT(struct conf, mac), .help = "" },
	{ "ip", SPEC_IP, SPEC_AT(struct conf, ip), .help = "" },
	{ "net", SPEC_PREFIX, SPEC_AT(struct conf, net), .help = "" },
	{ "bdf", SPEC_BDF, SPEC_AT(struct conf, bdf), .help = "" },
	{ .name = NULL },
};

static int
read_opts(const char *text, struct conf *conf, struct err *err)
{
	struct spec spec;
	int ret;

	*conf = (struct conf){ .count = 7, .mode = 9 };
	err->text[0] = '\0';
	assert_int_equal(spec_parse(&spec, text, NULL), 0);
	ret = spec_options(&spec.item[0].word[0], opts, conf, err);
	spec_free(&spec);
	return ret;
}

static struct conf
good(const char *text)
{
	struct conf conf;
	struct err err;

	if (read_opts(text, &conf, &err) != 0)
		fail_msg("'%s': %s", text, err.text);
	return conf;
}

static void
values_come_out(void **state)
{
	static const uint8_t mac[] = { 0xff, 0x02, 0xab, 0xCD, 0, 1 };
	struct conf conf;

	(void)state;
	assert_int_equal(good("w").count, 7);
	assert_true(good("w,flag").flag);
	assert_true(good("w,flag=on").flag);
	assert_false(good("w,flag=off").flag);
	assert_int_equal(good("w,count=64").count, 64);
	assert_int_equal(good("w,count=0x10").count, 16);
	assert_int_equal(good("w,any=4294967295").any, UINT32_MAX);
	assert_int_equal(good("w,any=4G").any, 4000000000u);
	assert_int_equal(good("w,rate=1k").rate, 1000);
	assert_int_equal(good("w,rate=14M").rate, 14000000);
	assert_true(good("w,rate=18446744073709551615").rate == UINT64_MAX);
	assert_int_equal(good("w,mode=fast").mode, 1);
	assert_string_equal(good("w,file=1234567").file, "1234567");
	assert_int_equal(good("w,ip=10.0.0.1").ip, IP4(10, 0, 0, 1));
	assert_string_equal(good("w,bdf=0000:0A:1f.7").bdf, "0000:0a:1f.7");
	conf = good("w,mac=ff:02:ab:CD:00:01");
	assert_memory_equal(conf.mac, mac, sizeof(mac));
	conf = good("w,net=198.18.0.0/15");
	assert_int_equal(conf.net.addr, IP4(198, 18, 0, 0));
	assert_int_equal(conf.net.depth, 15);
	conf = good("w,net=198.18.0.1");
	assert_int_equal(conf.net.addr, IP4(198, 18, 0, 1));
	assert_int_equal(conf.net.depth, 32);
}

static void
errors_name_word_key_and_what_is_allowed(void **state)
{
	static const struct {
		const char *text, *name, *why;
	} bad[] = {
		{ "w,nix", "w: unknown key 'nix'",
		  "it takes flag, count, any, rate, mode, file, mac, ip, net, bdf" },
		{ "w,count=1,count=2", "w: 'count'", "said twice" },
		{ "w,count", "w: 'count'", "needs a value: count=..." },
		{ "w,count=0", "w,count=0", "outside 1 to 64" },
		{ "w,count=65", "w,count=65", "outside 1 to 64" },
		{ "w,count=x", "w,count=x", "write 1 to 64" },
		{ "w,count=-1", "w,count=-1", "not a number" },
		{ "w,count=1kk", "w,count=1kk", "not a number" },
		{ "w,count=0x", "w,count=0x", "not a number" },
		{ "w,count=k", "w,count=k", "not a number" },
		{ "w,any=4294967296", "w,any=4294967296", "outside 0 to 4294967295" },
		{ "w,rate=18446744073709551616", "w,rate=", "not a number" },
		{ "w,rate=18446744073709551615k", "w,rate=", "not a number" },
		{ "w,flag=yes", "w,flag=yes", "on or off" },
		{ "w,mode=medium", "w,mode=medium", "one of slow, fast" },
		{ "w,file=12345678", "w,file=12345678", "8 bytes, 7 are the limit" },
		{ "w,mac=02:00:5e:00:00", "w,mac=02", "not a MAC address" },
		{ "w,mac=02:00:5e:00:00:0g", "w,mac=02", "not a MAC address" },
		{ "w,mac=02-00-5e-00-00-01", "w,mac=02", "not a MAC address" },
		{ "w,ip=10.0.0", "w,ip", "not an IPv4 address" },
		{ "w,net=10.0.0.1/8", "w,net", "did you mean 10.0.0.0/8" },
		{ "w,net=10.0.0.0/33", "w,net", "above 32" },
		{ "w,net=ten", "w,net", "not an IPv4 address" },
		{ "w,bdf=01:00.0", "w,bdf=01:00.0", "not a PCI address" },
		{ "w,bdf=0000:01:20.0", "w,bdf=", "not a PCI address" },
		{ "w,bdf=0000:01:00.8", "w,bdf=", "not a PCI address" },
		{ "w,bdf=0000:01:00.00", "w,bdf=", "not a PCI address" },
	};
	struct conf conf;
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		if (read_opts(bad[i].text, &conf, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i].text);
		if (strstr(err.text, bad[i].name) != err.text ||
		    strstr(err.text, bad[i].why) == NULL)
			fail_msg("'%s': '%s', want '%s' and '%s'", bad[i].text, err.text,
				 bad[i].name, bad[i].why);
	}
}

static void
a_word_without_options_says_so(void **state)
{
	struct spec spec;
	struct err err;

	(void)state;
	assert_int_equal(spec_parse(&spec, "loop,k", NULL), 0);
	assert_int_equal(spec_options(&spec.item[0].word[0], NULL, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "loop: unknown key 'k'; it takes none");
	spec_free(&spec);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_out),
		cmocka_unit_test(errors_name_word_key_and_what_is_allowed),
		cmocka_unit_test(a_word_without_options_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

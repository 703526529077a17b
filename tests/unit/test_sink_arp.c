/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/cmocka.h"
#include "support/wire_fake.h"

static struct wire_fake sink;

#define ASKER 2, 0, 0, 0, 0, 0x33
#define ALL   255, 255, 255, 255, 255, 255
#define ARP(operation, from, to)                                                                   \
	0, 1, 8, 0, 6, 4, 0, operation, ASKER, 10, 0, 0, from, 0, 0, 0, 0, 0, 0, 10, 0, 0, to

static void
start(const char *words)
{
	struct err err;

	wire_reply_len = 0;
	wire_nb_replies = 0;
	if (wire_open(&sink, words, &err) < 0)
		fail_msg("%s", err.text);
}

/* From memory of exactly its size. */
static void
give(const uint8_t *bytes, uint32_t len)
{
	uint8_t *data = malloc(len);
	struct soft_frame frame = { .data = data, .len = len };

	assert_non_null(data);
	memcpy(data, bytes, len);
	sink.wire.kind->send(&sink.wire, &frame, 1);
	free(data);
}

static const uint8_t request[] = { ALL, ASKER, 8, 6, ARP(1, 1, 2) };

static void
a_request_is_answered(void **state)
{
	static const uint8_t want[60] = { ASKER, 2,  0x53, 0, 0, 3,     1,  8,    6, 0, 1,
					  8,     0,  6,    4, 0, 2,     2,  0x53, 0, 0, 3,
					  1,     10, 0,    0, 2, ASKER, 10, 0,    0, 1 };

	(void)state;
	start("sink");
	give(request, sizeof(request));
	assert_int_equal(wire_reply_len, sizeof(want));
	assert_memory_equal(wire_reply, want, sizeof(want));
	assert_int_equal(wire_value(&sink.wire, "frames"), 1);
	assert_int_equal(wire_value(&sink.wire, "arp"), 1);
	assert_int_equal(wire_value(&sink.wire, "arp_answered"), 1);
	assert_int_equal(wire_value(&sink.wire, "other"), 0);
	wire_close(&sink);
}

static void
it_goes_back_in_its_vlan_from_the_mac_given(void **state)
{
	static const uint8_t tagged[] = { ALL, ASKER, 0x81, 0, 0, 5, 8, 6, ARP(1, 1, 2) };
	static const uint8_t want[60] = { ASKER, 2, 1, 2,  3, 4, 5, 0x81,  0,  0, 5, 8,
					  6,     0, 1, 8,  0, 6, 4, 0,     2,  2, 1, 2,
					  3,     4, 5, 10, 0, 0, 2, ASKER, 10, 0, 0, 1 };

	(void)state;
	start("sink,mac=02:01:02:03:04:05,verify=none");
	give(tagged, sizeof(tagged));
	assert_int_equal(wire_reply_len, sizeof(want));
	assert_memory_equal(wire_reply, want, sizeof(want));
	wire_close(&sink);
}

static void
nothing_else_is_answered(void **state)
{
	static const struct {
		const char *what;
		uint8_t bytes[60];
		unsigned int arp;
	} rows[] = {
		{ "gratuitous", { ALL, ASKER, 8, 6, ARP(1, 2, 2) }, 1 },
		{ "answer", { ALL, ASKER, 8, 6, ARP(2, 1, 2) }, 1 },
		{ "asks whether it is free",
		  { ALL, ASKER, 8, 6, 0, 1, 8, 0, 6, 4,  0, 1, ASKER, 0,
		    0,   0,     0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2 },
		  1 },
		{ "other hardware",
		  { ALL, ASKER, 8, 6, 0, 2, 8, 0, 6, 4,  0, 1, ASKER, 10,
		    0,   0,     1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2 },
		  0 },
		{ "not ARP", { ALL, ASKER, 8, 7, ARP(1, 1, 2) }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		start("sink");
		give(rows[i].bytes, sizeof(rows[i].bytes));
		if (wire_nb_replies != 0 || wire_value(&sink.wire, "arp") != rows[i].arp ||
		    wire_value(&sink.wire, "other") != 1 - rows[i].arp)
			fail_msg("%s", rows[i].what);
		wire_close(&sink);
	}
	start("sink");
	for (uint32_t len = 1; len < sizeof(request); len++)
		give(request, len);
	assert_int_equal(wire_nb_replies, 0);
	wire_close(&sink);

	start("sink,arp=off");
	give(request, sizeof(request));
	assert_int_equal(wire_nb_replies, 0);
	assert_int_equal(wire_value(&sink.wire, "arp"), 1);
	wire_close(&sink);
}

static void
slips_are_named(void **state)
{
	static const struct {
		const char *words, *text;
	} rows[] = {
		{ "sink,hops=x", "hops=x" },      { "sink,hops=256", "0 to 255, or any" },
		{ "sink,flows=0", "flows" },      { "sink,window=1", "window" },
		{ "sink,verify=most", "verify" }, { "sink,color=red", "color" },
		{ "sink,vlan=4095", "vlan" },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct err err;

		assert_int_equal(wire_open(&sink, rows[i].words, &err), -EINVAL);
		if (strstr(err.text, rows[i].text) == NULL)
			fail_msg("%s: %s", rows[i].words, err.text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_answered),
		cmocka_unit_test(it_goes_back_in_its_vlan_from_the_mac_given),
		cmocka_unit_test(nothing_else_is_answered),
		cmocka_unit_test(slips_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

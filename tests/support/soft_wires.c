/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/soft_wires.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int test_wires_alive;

static int
create(struct soft_wire *wire, struct err *err)
{
	const struct test_wire_conf *conf = wire->conf;

	assert(wire->own == NULL && wire->port->nic != NULL);
	test_wires_alive++;
	if (conf->broken)
		return err_set(err, -EIO, "the cable is broken");
	wire->own = calloc(1, sizeof(struct test_wire));
	wire->wait = conf->wait;
	return wire->own == NULL ? -ENOMEM : 0;
}

static void
destroy(struct soft_wire *wire)
{
	free(wire->own);
	test_wires_alive--;
}

static unsigned int
fetch(struct soft_wire *wire, struct soft_frame *frames, unsigned int max)
{
	const struct test_wire_conf *conf = wire->conf;
	struct test_wire *w = wire->own;
	unsigned int n = conf->count - w->at < max ? conf->count - w->at : max;

	w->fetches++;
	if (w->stopped)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = w->at + i;

		memcpy(w->frame[i], &number, sizeof(number));
		frames[i] = (struct soft_frame){ .data = w->frame[i], .len = conf->len };
	}
	return n;
}

static void
fetched(struct soft_wire *wire, unsigned int taken)
{
	const struct test_wire_conf *conf = wire->conf;
	struct test_wire *w = wire->own;

	w->at += taken;
	wire->ended = w->at == conf->count;
}

static void
keep(struct soft_wire *wire, const struct soft_frame *frames, unsigned int n)
{
	struct test_wire *w = wire->own;

	w->sent += n;
	memcpy(&w->last, frames[n - 1].data, sizeof(w->last));
	w->len = frames[n - 1].len;
}

static void
report(const struct soft_wire *wire, struct soft_report *r)
{
	const struct test_wire *w = wire->own;

	soft_report_u64(r, "frames", w->at + w->sent);
	soft_report_text(r, "said", "\"quoted\"\n");
}

static int
command(struct soft_wire *wire, int argc, char **argv, struct err *err)
{
	struct test_wire *w = wire->own;

	if (argc != 1 || (strcmp(argv[0], "start") != 0 && strcmp(argv[0], "stop") != 0))
		return err_set(err, -EINVAL, "gen: write start or stop");
	w->stopped = strcmp(argv[0], "stop") == 0;
	return 0;
}

static const struct spec_opt opts[] = {
	{ "count", SPEC_U32, SPEC_AT(struct test_wire_conf, count), .help = "frames" },
	{ "len", SPEC_U32, SPEC_AT(struct test_wire_conf, len), .min = 14, .max = 2048,
	  .help = "bytes of each" },
	{ "with", SPEC_U32, SPEC_AT(struct test_wire_conf, with), .help = "the other port" },
	{ "wait", SPEC_FLAG, SPEC_AT(struct test_wire_conf, wait), .help = "for descriptors" },
	{ "broken", SPEC_FLAG, SPEC_AT(struct test_wire_conf, broken), .help = "cannot be made" },
	{ .name = NULL },
};
static const struct test_wire_conf defaults = { .count = 100, .len = 60 };

#define COMMON(its_name)                                                                           \
	.name = (its_name), .help = "a stand-in", .opts = opts,                                    \
	.conf_size = sizeof(struct test_wire_conf), .defaults = &defaults, .create = create,       \
	.destroy = destroy
#define BOTH .ends = WIRE_IN | WIRE_OUT, .fetch = fetch, .fetched = fetched, .send = keep

const struct wire_kind wire_kind_gen = { COMMON("gen"),      .ends = WIRE_IN,  .fetch = fetch,
					 .fetched = fetched, .report = report, .command = command };
const struct wire_kind wire_kind_sink = { COMMON("sink"), .ends = WIRE_OUT, .send = keep,
					  .report = report };
const struct wire_kind wire_kind_loop = { COMMON("loop"), BOTH };
const struct wire_kind wire_kind_pair = { COMMON("pair"), BOTH };
const struct wire_kind wire_kind_pcap = { COMMON("pcap"), BOTH };
const struct wire_kind wire_kind_tap = { COMMON("tap"), BOTH };

/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/wire_fake.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/*
 * What gen and sink cost, without a NIC between them: nanoseconds a frame.  For people; nothing
 * in it passes or fails but that each frame is found good.
 *
 *   bench_probe [FRAMES [GEN]]
 */
static uint64_t
clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static unsigned int
one_batch(struct soft_wire *gen, struct soft_wire *sink)
{
	struct soft_frame frames[SOFT_BATCH];
	unsigned int n;

	wire_now_ns += SOFT_BATCH; /* for a rate of one a nanosecond */
	n = gen->kind->fetch(gen, frames, SOFT_BATCH);

	gen->kind->fetched(gen, n);
	if (sink != NULL)
		sink->kind->send(sink, frames, n);
	return n;
}

static double
ns_a_frame(struct soft_wire *gen, struct soft_wire *sink, uint64_t frames)
{
	uint64_t from = clock_ns(), n = 0;

	while (n < frames)
		n += one_batch(gen, sink);
	return (double)(clock_ns() - from) / (double)n;
}

static int
run(const char *gen_words, uint64_t frames)
{
	struct wire_fake gen, sink, alone;
	struct err err;
	int64_t wrong;
	double both, one;

	if (wire_open(&gen, gen_words, &err) < 0 || wire_open(&alone, gen_words, &err) < 0 ||
	    wire_open(&sink, "sink,hops=0,dmac=02:00:00:00:00:33", &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	ns_a_frame(&gen.wire, &sink.wire, frames / 10);
	both = ns_a_frame(&gen.wire, &sink.wire, frames);
	one = ns_a_frame(&alone.wire, NULL, frames);
	wrong = wire_value(&sink.wire, "bad_total") + wire_value(&sink.wire, "other") +
		wire_value(&sink.wire, "lost") + wire_value(&sink.wire, "untracked");
	printf("%-52s gen %6.1f  both %6.1f ns%s\n", gen_words, one, both,
	       wrong == 0 ? "" : "  and frames were bad");
	wire_close(&gen);
	wire_close(&sink);
	wire_close(&alone);
	return wrong != 0;
}

int
main(int argc, char **argv)
{
	static const char *const specs[] = {
		"gen",
		"gen,flows=64",
		"gen,flows=4096",
		"gen,spread=random",
		"gen,spread=random,flows=1048576",
		"gen,spread=five",
		"gen,sums=off",
		"gen,vlan=5",
		"gen,proto=tcp,size=70",
		"gen,size=imix",
		"gen,size=1514",
		"gen,size=9000",
		"gen,rate=1G",
	};
	uint64_t frames = 5000000;
	int ret = 0;

	if (argc > 1 && !spec_number(argv[1], &frames))
		return 2;
	if (argc > 2)
		return run(argv[2], frames);
	for (unsigned int i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		ret |= run(specs[i], strstr(specs[i], "000") != NULL ? frames / 10 : frames);
	return ret;
}

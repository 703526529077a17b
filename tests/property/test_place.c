/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet's fate and bytes do not depend on its place in a burst, on the burst's size, or on who
 * is beside it: mutated frames alone, and the same in bundles of every size.
 */
#include "support/stage.h"

#include <stdio.h>
#include <time.h>

#define FRAMES 4096
#define ROUNDS 2000

static uint64_t rng;

static uint32_t
draw(uint32_t below)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)((rng >> 16) % below);
}

struct outcome {
	uint8_t verdict, out;
	uint16_t len;
	uint8_t data[256];
};

static uint8_t frame[FRAMES][256];
static uint16_t frame_len[FRAMES];
static struct outcome alone[FRAMES];

/* A good frame, then up to three wounds; most of them in the headers. */
static void
make(unsigned int i)
{
	static const uint32_t dst[] = { IP4(10, 0, 0, 1),   IP4(10, 9, 1, 1),   IP4(10, 99, 0, 1),
					IP4(192, 0, 2, 7),  STAGE_OWN,          IP4(8, 8, 8, 8),
					IP4(172, 16, 0, 1), IP4(192, 0, 2, 255) };
	struct frame_spec s = {
		.dst = dst[draw(RTE_DIM(dst))],
		.id = (uint16_t)draw(65536),
		.ttl = (uint8_t)(1 + draw(255)),
		.payload = (uint16_t)(1 + draw(120)),
		.padding = (uint16_t)(draw(3) == 0 ? draw(20) : 0),
		.tagged = draw(8) == 0,
		.nb_options = (uint8_t)(draw(6) == 0 ? 4 * draw(11) : 0),
	};

	for (unsigned int o = 0; o < s.nb_options; o++)
		s.options[o] = (uint8_t)(draw(4) == 0 ? draw(256) : 1);
	frame_len[i] = frame_build(frame[i], &s);
	for (unsigned int w = draw(4); w > 1; w--)
		frame[i][draw(RTE_MIN(frame_len[i], 40u))] = (uint8_t)draw(256);
	if (draw(16) == 0)
		frame_len[i] = (uint16_t)(14 + draw(frame_len[i] - 13u));
}

static void
observe(struct outcome *o, const struct bundle *b, unsigned int i)
{
	const struct rte_mbuf *m = b->pkt[i];

	o->verdict = b->verdict[i];
	o->out = b->verdict[i] == VERDICT_FORWARD ? b->out[i] : 0;
	o->len = rte_pktmbuf_data_len(m);
	memcpy(o->data, rte_pktmbuf_mtod(m, void *), o->len);
}

static void
place_changes_nothing(void **state)
{
	struct stage_env *e = stage_env_new();
	unsigned int fates[VERDICT_MAX] = { 0 };

	(void)state;
	for (unsigned int i = 0; i < FRAMES; i++) {
		struct rte_mbuf *pkt;
		struct bundle *b;

		make(i);
		pkt = frame_raw(frame[i], frame_len[i]);
		b = stage_bundle(e, &pkt, 1);
		stage_run(e, b);
		observe(&alone[i], b, 0);
		fates[alone[i].verdict]++;
		frame_free(pkt);
	}
	for (unsigned int r = 0; r < ROUNDS; r++) {
		struct rte_mbuf *pkt[BUNDLE_MAX];
		unsigned int who[BUNDLE_MAX];
		uint16_t n = (uint16_t)(1 + draw(BUNDLE_MAX));
		struct bundle *b = stage_bundle(e, pkt, n);

		e->core->prefetch = (uint16_t)draw(20);
		for (unsigned int i = 0; i < n; i++) {
			who[i] = draw(FRAMES);
			pkt[i] = frame_raw(frame[who[i]], frame_len[who[i]]);
		}
		stage_run(e, b);
		for (unsigned int i = 0; i < n; i++) {
			struct outcome got;

			observe(&got, b, i);
			if (got.verdict != alone[who[i]].verdict || got.out != alone[who[i]].out ||
			    got.len != alone[who[i]].len ||
			    memcmp(got.data, alone[who[i]].data, got.len) != 0)
				fail_msg("frame %u at place %u of %u", who[i], i, n);
			frame_free(pkt[i]);
		}
	}
	/* The mix is one: a good part forwarded, and a dozen other fates met. */
	assert_in_range(fates[VERDICT_FORWARD], FRAMES / 8, FRAMES * 3 / 4);
	unsigned int kinds = 0;

	for (unsigned int v = 0; v < VERDICT_MAX; v++)
		kinds += fates[v] != 0;
	assert_true(kinds >= 12);
	stage_env_free(e);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(place_changes_nothing) };

	rng = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	rng |= 1;
	printf("seed %llu\n", (unsigned long long)rng);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

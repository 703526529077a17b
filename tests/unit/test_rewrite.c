/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What leaves: byte for byte, and nothing else changed.
 */
#include "support/stage.h"

static const uint8_t new_macs[] = { 0x02, 0xaa, 0, 0, 0, 1, 0x02, 0xbb, 0, 0, 0, 1 };

/* The frame that should leave for one that came: computed the long way, from the definition. */
static uint16_t
expect(uint8_t *out, const struct frame_spec *spec)
{
	struct frame_spec s = *spec;

	s.ttl = (uint8_t)((s.ttl != 0 ? s.ttl : 64) - 1);
	s.padding = 0;
	s.tagged = false;
	s.ol_flags = 0;
	memset(s.dmac, 0, sizeof(s.dmac));
	uint16_t n = frame_build(out, &s);

	memcpy(out, new_macs, sizeof(new_macs));
	return n;
}

static void
check(struct stage_env *e, const struct frame_spec *spec, const char *what)
{
	struct rte_mbuf *pkt = frame_mbuf(spec);
	struct bundle *b = stage_bundle(e, &pkt, 1);
	uint8_t want[2048];
	uint16_t n = expect(want, spec);

	stage_run(e, b);
	if (b->verdict[0] != VERDICT_FORWARD)
		fail_msg("%s: verdict %u", what, b->verdict[0]);
	assert_int_equal(b->out[0], 1);
	assert_true(b->one_port);
	if (rte_pktmbuf_pkt_len(pkt) != n || rte_pktmbuf_data_len(pkt) != n)
		fail_msg("%s: %u bytes leave, not %u", what, rte_pktmbuf_pkt_len(pkt), n);
	if (memcmp(rte_pktmbuf_mtod(pkt, uint8_t *), want, n) != 0)
		fail_msg("%s: bytes differ", what);
	frame_free(pkt);
}

static void
frames_leave_aged_trimmed_and_untagged(void **state)
{
	static const struct {
		const char *what;
		struct frame_spec f;
	} rows[] = {
		{ "plain", { .ttl = 9 } },
		{ "TTL 255", { .ttl = 255 } },
		{ "TTL 2", { .ttl = 2 } },
		{ "padding", { .payload = 3, .padding = 23 } },
		{ "one byte of padding", { .padding = 1 } },
		{ "priority tag", { .tagged = true, .tci = 0xe000 } },
		{ "priority tag and padding", { .tagged = true, .payload = 1, .padding = 25 } },
		{ "options", { .options = { 7, 7, 4 }, .nb_options = 8 } },
		{ "IHL 15, tag, padding",
		  { .options = { 1, 1 }, .nb_options = 40, .tagged = true, .padding = 7 } },
		{ "a fragment", { .fragment = 0x2000 | 100 } },
		{ "1,500 bytes", { .payload = 1480 } },
	};
	struct stage_env *e = stage_env_new();

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++)
		check(e, &rows[i].f, rows[i].what);
	stage_env_free(e);
}

/* Sweeping the id sweeps the checksum through every value, both zeros' carries included. */
static void
ageing_is_right_for_every_checksum(void **state)
{
	struct stage_env *e = stage_env_new();

	(void)state;
	for (unsigned int id = 0; id <= UINT16_MAX; id++) {
		struct frame_spec f = { .id = (uint16_t)id };

		check(e, &f, "sweep");
	}
	stage_env_free(e);
}

static void
what_is_not_forwarded_is_not_touched(void **state)
{
	static const struct frame_spec rows[] = {
		{ .dst = IP4(192, 0, 2, 7), .padding = 9 }, /* waits for ARP */
		{ .dst = STAGE_OWN, .tagged = true },
		{ .dst = IP4(8, 8, 8, 8), .padding = 3 },
		{ .ttl = 1 },
	};
	struct stage_env *e = stage_env_new();

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct rte_mbuf *pkt = frame_mbuf(&rows[i]), *same = frame_mbuf(&rows[i]);
		struct bundle *b = stage_bundle(e, &pkt, 1);

		stage_run(e, b);
		assert_int_not_equal(b->verdict[0], VERDICT_FORWARD);
		assert_int_equal(pkt->pkt_len, same->pkt_len);
		assert_int_equal(pkt->data_off, same->data_off);
		assert_memory_equal(rte_pktmbuf_mtod(pkt, void *), rte_pktmbuf_mtod(same, void *),
				    same->data_len);
		frame_free(pkt);
		frame_free(same);
	}
	stage_env_free(e);
}

static void
two_ports_are_told_apart(void **state)
{
	static const struct frame_spec rows[] = {
		{ .dst = IP4(8, 8, 8, 8) },
		{ .dst = IP4(10, 0, 0, 1) },
		{ .dst = IP4(10, 9, 0, 1) },
	};
	struct stage_env *e = stage_env_new();
	struct rte_mbuf *pkt[RTE_DIM(rows)];
	struct bundle *b = stage_bundle(e, pkt, RTE_DIM(rows));

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++)
		pkt[i] = frame_mbuf(&rows[i]);
	stage_run(e, b);
	assert_false(b->one_port);
	assert_int_equal(b->odd, 1);
	assert_int_equal(b->out[1], 1);
	assert_int_equal(b->out[2], 2);
	for (size_t i = 0; i < RTE_DIM(rows); i++)
		frame_free(pkt[i]);
	stage_env_free(e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_leave_aged_trimmed_and_untagged),
		cmocka_unit_test(ageing_is_right_for_every_checksum),
		cmocka_unit_test(what_is_not_forwarded_is_not_touched),
		cmocka_unit_test(two_ports_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

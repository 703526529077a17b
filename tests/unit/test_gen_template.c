/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/hdr.h"
#include "drivers/wire/probe_build.h"
#include "support/captures.h"
#include "support/cmocka.h"
#include "support/files.h"
#include "support/wire_fake.h"

#define FRAMES 5
static uint8_t bytes[FRAMES][400];
static uint32_t len[FRAMES];
static struct wire_fake gen;
static const struct probe_expect any = { .hops = 0, .tci = PROBE_ANY };

/* UDP, TCP with an option, UDP without a checksum, TCP with little payload, ARP. */
static void
make_frames(void)
{
	static const uint8_t macs[12] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8 };

	memset(bytes, 0, sizeof(bytes));
	for (unsigned int i = 0; i < FRAMES; i++) {
		uint8_t *p = bytes[i];
		bool tcp = i == 1 || i == 3;
		struct hdr hdr;

		len[i] = i == 3 ? 69 : 100 + i;
		memcpy(p, macs, sizeof(macs));
		p[12] = 8;
		p[14] = 0x45;
		p[17] = (uint8_t)(len[i] - 14);
		p[22] = (uint8_t)(40 + i);
		p[23] = tcp ? 6 : 17;
		p[26] = p[30] = 10;
		p[35] = (uint8_t)i;
		p[37] = 53;
		p[39] = (uint8_t)(tcp ? 1 : len[i] - 34);
		if (tcp)
			p[46] = i == 1 ? 0x60 : 0x50;
		for (uint32_t k = tcp ? 54 : 42; k < len[i]; k++)
			p[k] = (uint8_t)k;
		hdr_parse(&hdr, p, len[i]);
		hdr_set_ip(&hdr, p);
		if (i != 2)
			hdr_set_l4(&hdr, p);
	}
	bytes[4][13] = 6;
}

static void
write_capture(const char *path)
{
	pcap_t *dead = pcap_open_dead(DLT_EN10MB, 65535);
	pcap_dumper_t *dump = pcap_dump_open(dead, path);

	assert_non_null(dump);
	for (unsigned int i = 0; i < FRAMES; i++) {
		struct pcap_pkthdr hdr = { .caplen = len[i], .len = len[i] };

		pcap_dump((uint8_t *)dump, &hdr, bytes[i]);
	}
	pcap_dump_close(dump);
	pcap_close(dead);
}

static void
start(const struct temp_file *file, const char *more)
{
	char words[128];
	struct err err;

	snprintf(words, sizeof(words), "gen,template=%s%s", file->path, more);
	if (wire_open(&gen, words, &err) < 0)
		fail_msg("%s: %s", words, err.text);
}

static void
frames_are_numbered_where_there_is_room(void **state)
{
	struct temp_file file = temp_file_text("");
	struct soft_frame frames[SOFT_BATCH];
	uint64_t seq[FRAMES] = { 0 };

	(void)state;
	make_frames();
	write_capture(file.path);
	start(&file, "");
	for (unsigned int n = 0; n < 3 * SOFT_BATCH; n++) {
		unsigned int k = n % SOFT_BATCH, i = n % FRAMES;
		struct probe_seen seen;
		unsigned int bad;

		if (k == 0) {
			if (n > 0)
				gen.wire.kind->fetched(&gen.wire, SOFT_BATCH);
			assert_int_equal(gen.wire.kind->fetch(&gen.wire, frames, SOFT_BATCH),
					 SOFT_BATCH);
		}
		assert_int_equal(frames[k].len, len[i]);
		bad = probe_judge(&any, frames[k].data, frames[k].len, &seen);
		if (i >= 3) {
			assert_int_equal(bad, PROBE_NONE);
			assert_memory_equal(frames[k].data, bytes[i], len[i]);
			continue;
		}
		assert_int_equal(bad, 0);
		assert_int_equal(seen.flow, i);
		assert_int_equal(seen.seq, seq[i]++);
		assert_memory_equal(frames[k].data, bytes[i], 40); /* all headers but sums */
	}
	wire_close(&gen);
	temp_file_close(&file);
}

/* Any byte of what was numbered is judged, but for ports without a checksum. */
static void
damage_to_them_is_caught(void **state)
{
	struct temp_file file = temp_file_text("");
	struct soft_frame frames[FRAMES];

	(void)state;
	make_frames();
	write_capture(file.path);
	start(&file, ",dmac=02:00:00:00:00:77,smac=02:00:00:00:00:78");
	assert_int_equal(gen.wire.kind->fetch(&gen.wire, frames, FRAMES), FRAMES);
	for (unsigned int i = 0; i < 3; i++) {
		static const uint8_t dmac[] = { 2, 0, 0, 0, 0, 0x77 },
				     smac[] = { 2, 0, 0, 0, 0, 0x78 };
		struct probe_expect want = { .tci = 0 };
		uint8_t copy[400];
		struct probe_seen seen;

		probe_expect_mac(&want.dmac, &want.dmac_mask, dmac);
		probe_expect_mac(&want.smac, &want.smac_mask, smac);
		memcpy(copy, frames[i].data, len[i]);
		assert_int_equal(probe_judge(&want, copy, len[i], &seen), 0);
		for (uint32_t at = 0; at < len[i]; at++) {
			unsigned int bad;

			if (i == 2 && at >= 34 && at < 38)
				continue;
			copy[at] ^= 0x10;
			bad = probe_judge(&want, copy, len[i], &seen);
			/* A tag that nobody can read belongs to a frame of somebody else. */
			if (bad == 0)
				fail_msg("frame %u byte %u", i, at);
			copy[at] ^= 0x10;
		}
	}
	wire_close(&gen);
	temp_file_close(&file);
}

static void
bad_captures_are_named(void **state)
{
	static const struct capture_frame whole = { 60, 0, 0 }, cut = { 60, 40, 0 },
					  tiny = { 13, 0, 0 };
	static const struct {
		int link;
		const struct capture_frame *frame;
		unsigned int n;
		const char *want;
	} rows[] = {
		{ DLT_EN10MB, &whole, 0, "no frame" },
		{ DLT_EN10MB, &cut, 1, "frame 1 of 100 bytes" },
		{ DLT_EN10MB, &tiny, 1, "frame 1 of 13 bytes" },
		{ DLT_RAW, &whole, 1, "not a capture of Ethernet" },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct temp_file file = temp_file_text("");
		struct err err;
		char words[128];

		capture_write(file.path, rows[i].link, rows[i].frame, rows[i].n);
		snprintf(words, sizeof(words), "gen,template=%s", file.path);
		assert_int_equal(wire_open(&gen, words, &err), -EINVAL);
		if (strstr(err.text, rows[i].want) == NULL)
			fail_msg("%zu: %s", i, err.text);
		temp_file_close(&file);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_numbered_where_there_is_room),
		cmocka_unit_test(damage_to_them_is_caught),
		cmocka_unit_test(bad_captures_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

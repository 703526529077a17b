/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/sink.h"

#include "drivers/wire/probe_fast.h"
#include "drivers/wire/wires.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define AHEAD      16      /* frames whose first line is asked for before it is their turn */
#define GAP_MIN_NS 1000000 /* without a frame: what counts as a gap */
#define SHOWN      64      /* bytes of the first bad frame */

#define AT(member) SPEC_AT(struct sink_conf, member)

static const char *const verify_words[] = { "all", "seq", "none", NULL };

static const struct spec_opt sink_opts[] = {
	{ "verify", SPEC_WORD, AT(verify), .words = verify_words,
	  .help = "of test frames: all, only the sequence numbers, none (all)" },
	{ "flows", SPEC_U32, AT(flows), 1, SINK_FLOWS_MAX,
	  .help = "flows of a stream to follow; others are 'untracked' (1048576)" },
	{ "window", SPEC_U32, AT(window), 64, 1u << 20,
	  .help = "how far back a number is known to be misordered or a duplicate (128)" },
	{ "hops", SPEC_STRING, AT(hops),
	  .help = "by how much the TTL must be lower than sent: N, or any (any)" },
	{ "dmac", SPEC_MAC, AT(dmac), .help = "destination MAC that test frames must have (any)" },
	{ "smac", SPEC_MAC, AT(smac), .help = "source MAC that test frames must have (any)" },
	{ "vlan", SPEC_U32, AT(vlan), 0, 4094,
	  .help = "the one VLAN tag that test frames must have, 0: none (any)" },
	{ "arp", SPEC_FLAG, AT(arp), .help = "answer ARP requests for any address (on)" },
	{ "mac", SPEC_MAC, AT(mac), .help = "MAC that answers (02:53:00:00:PORT:01)" },
	{ .name = NULL },
};

static const struct sink_conf sink_defaults = {
	.flows = 1u << 20,
	.window = 128,
	.hops = "any",
	.vlan = SINK_VLAN_ANY,
	.arp = true,
};

static int
parse_hops(const char *text, uint32_t *hops, struct err *err)
{
	uint64_t n;

	if (strcmp(text, "any") == 0) {
		*hops = PROBE_ANY;
		return 0;
	}
	if (!spec_number(text, &n) || n > 255)
		return err_set(err, -EINVAL, "sink,hops=%s: write 0 to 255, or any", text);
	*hops = (uint32_t)n;
	return 0;
}

static int
sink_create(struct soft_wire *wire, struct err *err)
{
	const struct sink_conf *conf = wire->conf;
	static const uint8_t unset[6];
	const uint8_t mac[6] = { 0x02, 0x53, 0, 0, (uint8_t)wire->port->index, 0x01 };
	struct sink *sink = calloc(1, sizeof(*sink));

	if (sink == NULL)
		return err_set(err, -ENOMEM, "sink: no memory");
	wire->own = sink;
	probe_init();
	sink->verify = conf->verify;
	sink->arp_on = conf->arp;
	memcpy(sink->mac, memcmp(conf->mac, unset, 6) == 0 ? mac : conf->mac, 6);
	probe_expect_mac(&sink->want.dmac, &sink->want.dmac_mask, conf->dmac);
	probe_expect_mac(&sink->want.smac, &sink->want.smac_mask, conf->smac);
	sink->want.tci = conf->vlan == SINK_VLAN_ANY ? PROBE_ANY : conf->vlan;
	sink_flows_init(&sink->flows, conf->flows, conf->window);
	return parse_hops(conf->hops, &sink->want.hops, err);
}

static void
sink_destroy(struct soft_wire *wire)
{
	struct sink *sink = wire->own;

	if (sink == NULL)
		return;
	sink_flows_release(&sink->flows);
	free(sink);
	wire->own = NULL;
}

/* The first one's reasons and bytes, for a person to look at. */
static void
keep_first(struct sink *sink, const struct soft_frame *frame, unsigned int bad)
{
	size_t at = 0, room = sizeof(sink->first_bad);
	char *text = sink->first_bad;

	for (unsigned int left = bad; left != 0; left &= left - 1)
		at += (size_t)snprintf(text + at, room - at, "%s%s", left == bad ? "" : ", ",
				       probe_reason(left));
	at += (size_t)snprintf(text + at, room - at, "; %" PRIu32 " bytes:", frame->len);
	for (unsigned int i = 0; i < frame->len && i < SHOWN && at + 4 < room; i++)
		at += (size_t)snprintf(text + at, room - at, "%s%02x", i % 2 == 0 ? " " : "",
				       frame->data[i]);
}

static __attribute__((noinline)) void
count_bad(struct sink *sink, const struct soft_frame *frame, unsigned int bad)
{
	if (sink->bad_total++ == 0)
		keep_first(sink, frame, bad);
	for (unsigned int i = 0; i < SINK_BAD; i++)
		sink->bad[i] += bad >> i & 1;
}

/* Returns the bits of probe_judge(). */
static inline unsigned int
look_at(const struct sink *sink, const struct soft_frame *frame, struct probe_seen *seen)
{
	if (sink->verify == SINK_ALL)
		return probe_judge(&sink->want, frame->data, frame->len, seen);
	if (sink->verify == SINK_SEQ)
		return probe_look(frame->data, frame->len, seen);
	return PROBE_NONE;
}

static __attribute__((noinline)) void
take_slowly(struct soft_wire *wire, const struct soft_frame *frame)
{
	struct sink *sink = wire->own;
	struct probe_seen seen;
	unsigned int bad = look_at(sink, frame, &seen);

	if (bad & PROBE_NONE) {
		if (!sink_arp(wire, frame->data, frame->len))
			sink->other++;
		return;
	}
	if (bad != 0)
		count_bad(sink, frame, bad);
	if (!(bad & PROBE_BAD_TAG))
		sink_flows_see(&sink->flows, seen);
}

static inline void
take(struct soft_wire *wire, struct sink *sink, const struct soft_frame *frame, bool all)
{
	struct probe_seen seen;

	if (all && probe_is_good(&sink->want, frame->data, frame->len, &seen))
		sink_flows_see(&sink->flows, seen);
	else
		take_slowly(wire, frame);
}

static void
watch_gap(struct sink *sink)
{
	uint64_t now_ns = soft_now_ns(), gap_ns = now_ns - sink->last_ns;

	if (gap_ns >= GAP_MIN_NS && sink->last_ns != 0) {
		sink->last_gap_us = gap_ns / 1000;
		if (sink->last_gap_us > sink->longest_gap_us)
			sink->longest_gap_us = sink->last_gap_us;
	}
	sink->last_ns = now_ns;
}

static void
sink_send(struct soft_wire *wire, const struct soft_frame *frames, unsigned int n)
{
	struct sink *sink = wire->own;
	const bool all = sink->verify == SINK_ALL;
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < n && i < AHEAD; i++)
		__builtin_prefetch(frames[i].data);
	for (unsigned int i = 0; i < n; i++) {
		if (i + AHEAD < n)
			__builtin_prefetch(frames[i + AHEAD].data);
		bytes += frames[i].len;
		take(wire, sink, &frames[i], all);
	}
	sink->frames += n;
	sink->bytes += bytes;
	watch_gap(sink);
}

static void
sink_report(const struct soft_wire *wire, struct soft_report *report)
{
	static const char *const bad_names[SINK_BAD] = {
		"bad_header",  "bad_ip_sum", "bad_l4_sum", "bad_ttl",
		"bad_payload", "bad_mac",    "bad_tag",
	};
	const struct sink *sink = wire->own;

	soft_report_u64(report, "frames", sink->frames);
	soft_report_u64(report, "bytes", sink->bytes);
	soft_report_u64(report, "arp", sink->arp);
	soft_report_u64(report, "arp_answered", sink->answered);
	soft_report_u64(report, "other", sink->other);
	soft_report_u64(report, "test_frames", sink->frames - sink->arp - sink->other);
	soft_report_u64(report, "lost", sink->flows.lost);
	soft_report_u64(report, "misordered", sink->flows.misordered);
	soft_report_u64(report, "duplicated", sink->flows.duplicated);
	soft_report_u64(report, "late", sink->flows.late);
	soft_report_u64(report, "untracked", sink->flows.untracked);
	for (unsigned int i = 0; i < SINK_BAD; i++)
		soft_report_u64(report, bad_names[i], sink->bad[i]);
	soft_report_u64(report, "bad_total", sink->bad_total);
	soft_report_u64(report, "last_gap_us", sink->last_gap_us);
	soft_report_u64(report, "longest_gap_us", sink->longest_gap_us);
	soft_report_text(report, "first_bad", sink->first_bad);
	soft_report_text(report, "first_disorder", sink->flows.first);
}

/* The counts and texts; what is known of flows stays, so that the next frame is no surprise. */
static void
clear(struct sink *sink)
{
	sink->frames = sink->bytes = sink->arp = sink->answered = sink->other = 0;
	memset(sink->bad, 0, sizeof(sink->bad));
	sink->bad_total = 0;
	sink->flows.lost = sink->flows.misordered = sink->flows.duplicated = 0;
	sink->flows.late = sink->flows.untracked = 0;
	sink->last_gap_us = sink->longest_gap_us = 0;
	sink->first_bad[0] = sink->flows.first[0] = '\0';
}

static int
sink_command(struct soft_wire *wire, int argc, char **argv, struct err *err)
{
	if (argc != 1 || strcmp(argv[0], "clear") != 0)
		return err_set(err, -EINVAL, "sink: write clear, which sets its counts to zero");
	clear(wire->own);
	return 0;
}

const struct wire_kind wire_kind_sink = {
	.name = "sink",
	.help = "takes frames and judges test frames",
	.opts = sink_opts,
	.conf_size = sizeof(struct sink_conf),
	.defaults = &sink_defaults,
	.ends = WIRE_OUT,
	.create = sink_create,
	.destroy = sink_destroy,
	.send = sink_send,
	.report = sink_report,
	.command = sink_command,
};

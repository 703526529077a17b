/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/replay.h"
#include "drivers/wire/wires.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/*
 * "pcap": what a capture holds goes to the NIC, what the NIC sends is recorded in another.
 */
#define NS       1000000000u
#define FLUSH_NS NS /* what is lost when the process is killed */

struct conf {
	char in[256], out[256];
	uint64_t loop;
	char speed[24];
};
static const struct conf defaults = { .loop = 1, .speed = "max" };
static const struct spec_opt opts[] = {
	{ "in", SPEC_STRING, SPEC_AT(struct conf, in),
	  .help = "capture to replay, pcap or pcapng" },
	{ "out", SPEC_STRING, SPEC_AT(struct conf, out), .help = "capture to write, pcap in ns" },
	{ "loop", SPEC_U64, SPEC_AT(struct conf, loop), .max = UINT64_MAX,
	  .help = "rounds, 0 for ever (1)" },
	{ "speed", SPEC_STRING, SPEC_AT(struct conf, speed),
	  .help = "max, capture (as its timestamps say) or frames per second (max)" },
	{ 0 },
};

struct own {
	struct replay *replay; /* NULL: nothing to replay */
	pcap_t *dead;
	pcap_dumper_t *dump; /* NULL: nothing is recorded */
	uint64_t offset_ns;  /* from soft_now_ns() to the time that is recorded */
	uint64_t flushed_ns;
	uint64_t recorded;
	bool told; /* of a replay that failed */
};

static int
read_speed(const char *text, struct replay_conf *replay, struct err *err)
{
	if (strcmp(text, "max") == 0)
		replay->speed = REPLAY_MAX;
	else if (strcmp(text, "capture") == 0)
		replay->speed = REPLAY_CAPTURE;
	else if (spec_number(text, &replay->rate) && replay->rate > 0)
		replay->speed = REPLAY_RATE;
	else
		return err_set(err, -EINVAL, "speed=%s: write max, capture or frames per second",
			       text);
	return 0;
}

static int
open_in(struct soft_wire *wire, struct own *own, struct err *err)
{
	const struct conf *conf = wire->conf;
	struct replay_conf replay = { .file = conf->in, .rounds = conf->loop };
	int ret = read_speed(conf->speed, &replay, err);

	if (ret < 0 || conf->in[0] == '\0')
		return ret;
	if (wire->port->in != wire)
		return err_set(err, -EINVAL,
			       "in=%s: another wire gives this port its frames; take one away "
			       "or write the one with in= first",
			       conf->in);
	own->replay = replay_open(&replay, err);
	if (own->replay == NULL)
		return err_prefix(err, -EINVAL, "in");
	/* At full speed it is as fast as the NIC; a clock does not wait for descriptors. */
	wire->wait = replay.speed == REPLAY_MAX;
	return 0;
}

static bool
same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int
open_out(struct soft_wire *wire, struct own *own, struct err *err)
{
	const struct conf *conf = wire->conf;
	struct timespec now;

	if (wire->port->out != wire)
		return err_set(err, -EINVAL,
			       "out=%s: another wire takes this port's frames; take one away "
			       "or write the one with out= last",
			       conf->out);
	if (same_file(conf->in, conf->out))
		return err_set(err, -EINVAL, "out=%s: it is what in= reads; name another",
			       conf->out);
	own->dead = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SOFT_FRAME_MAX,
							 PCAP_TSTAMP_PRECISION_NANO);
	if (own->dead == NULL)
		return err_set(err, -ENOMEM, "out=%s: no memory", conf->out);
	own->dump = pcap_dump_open(own->dead, conf->out);
	if (own->dump == NULL)
		return err_set(err, -EINVAL, "out: %s; name a file that can be written",
			       pcap_geterr(own->dead));
	/* A lock-step run starts at 0 and says the same each time. */
	if (!soft_is_step()) {
		clock_gettime(CLOCK_REALTIME, &now);
		own->offset_ns = (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec - soft_now_ns();
	}
	return 0;
}

static int
create(struct soft_wire *wire, struct err *err)
{
	const struct conf *conf = wire->conf;
	struct own *own = calloc(1, sizeof(*own));
	int ret;

	if (own == NULL)
		return err_set(err, -ENOMEM, "no memory");
	wire->own = own;
	if (conf->in[0] == '\0' && conf->out[0] == '\0')
		return err_set(err, -EINVAL, "give it in=FILE, out=FILE or both");
	ret = open_in(wire, own, err);
	if (ret == 0 && conf->out[0] != '\0')
		ret = open_out(wire, own, err);
	return ret;
}

static void
destroy(struct soft_wire *wire)
{
	struct own *own = wire->own;

	if (own == NULL)
		return;
	replay_close(own->replay);
	if (own->dump != NULL)
		pcap_dump_close(own->dump);
	if (own->dead != NULL)
		pcap_close(own->dead);
	free(own);
	wire->own = NULL;
}

/* Once: it ends, and the reason is worth a line. */
static void
tell_end(struct soft_wire *wire, struct own *own)
{
	const char *why = replay_failure(own->replay);

	wire->ended = true;
	if (why[0] != '\0' && !own->told)
		soft_log(wire->port, "pcap,in: %s", why);
	own->told = true;
}

static unsigned int
fetch(struct soft_wire *wire, struct soft_frame *frames, unsigned int max)
{
	struct own *own = wire->own;
	unsigned int n;

	if (own->replay == NULL || wire->ended)
		return 0;
	n = replay_fetch(own->replay, soft_now_ns(), frames, max);
	if (n == 0 && replay_ended(own->replay))
		tell_end(wire, own);
	return n;
}

static void
fetched(struct soft_wire *wire, unsigned int taken)
{
	struct own *own = wire->own;

	replay_took(own->replay, taken);
	if (replay_ended(own->replay))
		tell_end(wire, own);
}

static void
record(struct soft_wire *wire, const struct soft_frame *frames, unsigned int n)
{
	struct own *own = wire->own;
	uint64_t now, at;
	struct pcap_pkthdr hdr;

	if (own->dump == NULL)
		return;
	now = soft_now_ns();
	at = now + own->offset_ns;
	/* tv_usec holds nanoseconds in a file of that precision. */
	hdr.ts.tv_sec = (time_t)(at / NS);
	hdr.ts.tv_usec = (suseconds_t)(at % NS);
	for (unsigned int i = 0; i < n; i++) {
		hdr.caplen = hdr.len = frames[i].len;
		pcap_dump((uint8_t *)own->dump, &hdr, frames[i].data);
	}
	own->recorded += n;
	if (now - own->flushed_ns >= FLUSH_NS) {
		own->flushed_ns = now;
		pcap_dump_flush(own->dump);
	}
}

static void
report(const struct soft_wire *wire, struct soft_report *report)
{
	const struct own *own = wire->own;

	if (own->replay != NULL) {
		const struct replay_counts *counts = replay_counts(own->replay);

		soft_report_u64(report, "replayed", counts->frames);
		soft_report_u64(report, "rounds", counts->rounds);
		soft_report_u64(report, "cut", counts->cut);
		soft_report_u64(report, "unsuited", counts->unsuited);
	}
	if (own->dump != NULL) {
		/* Who asks for numbers may look at the file next. */
		pcap_dump_flush(own->dump);
		soft_report_u64(report, "recorded", own->recorded);
		soft_report_text(report, "file",
				 ferror(pcap_dump_file(own->dump)) ? "write error" : "good");
	}
}

static int
command(struct soft_wire *wire, int argc, char **argv, struct err *err)
{
	struct own *own = wire->own;

	if (argc == 1 && strcmp(argv[0], "restart") == 0 && own->replay != NULL) {
		int ret = replay_restart(own->replay, err);

		wire->ended = own->told = ret < 0;
		return ret;
	}
	if (argc == 1 && strcmp(argv[0], "flush") == 0 && own->dump != NULL) {
		if (pcap_dump_flush(own->dump) != 0)
			return err_set(err, -EIO, "pcap,out: %s", strerror(errno));
		return 0;
	}
	return err_set(err, -EINVAL, "pcap: restart (with in=) or flush (with out=)");
}

const struct wire_kind wire_kind_pcap = {
	.name = "pcap",
	.help = "replays a capture, records another",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.defaults = &defaults,
	.ends = WIRE_IN | WIRE_OUT,
	.create = create,
	.destroy = destroy,
	.fetch = fetch,
	.fetched = fetched,
	.send = record,
	.report = report,
	.command = command,
};

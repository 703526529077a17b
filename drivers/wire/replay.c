/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/replay.h"

#include "drivers/wire/wires.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MIN 60 /* on a cable; captures of sent frames have them without padding */
#define ETHER_HDR 14
#define ALONE_NS  1000000u /* from a file's only frame to the next round */
#define NS        1000000000u

/* A frame in memory: this, then its bytes, then what aligns the next one. */
struct record {
	uint64_t at_ns; /* never before the one in front of it */
	uint32_t len, pad;
	uint8_t data[];
};
#define RECORD_BYTES(len) ((sizeof(struct record) + (len) + 15) & ~(size_t)15)

/* Where in the replay: cheap to copy, so that a fetch can run ahead of what is taken. */
struct spot {
	size_t at; /* of the next record; used when there is none in memory */
	uint64_t rounds;
	uint64_t shift_ns; /* from a record's time to when it is due */
};

struct replay {
	struct replay_conf conf;
	pcap_t *pcap; /* NULL when all is in memory */
	uint8_t *room;
	size_t used;
	bool started, whole, end_of_file;
	struct spot now, ahead;
	unsigned int fetched;
	uint64_t start_ns, due;           /* REPLAY_RATE: since when, how many until then */
	uint64_t first_ns, last_ns, read; /* of the round that is being read */
	struct replay_counts counts;
	struct err failure;
};

static pcap_t *
open_file(const char *file, struct err *err)
{
	char text[PCAP_ERRBUF_SIZE] = "";
	pcap_t *pcap;
	int link;

	if (wire_check_file(file, err) < 0)
		return NULL;
	pcap = pcap_open_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, text);
	if (pcap == NULL) {
		/* libpcap names the file in some of its texts. */
		if (strncmp(text, file, strlen(file)) == 0)
			err_set(err, -EINVAL, "%s; give a capture that can be read", text);
		else
			err_set(err, -EINVAL, "%s: %s; give a capture that can be read", file,
				text);
		return NULL;
	}
	link = pcap_datalink(pcap);
	if (link != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(link);

		err_set(err, -EINVAL, "%s: its frames are %s, not Ethernet (EN10MB)", file,
			name == NULL ? "of an unknown kind" : name);
		pcap_close(pcap);
		return NULL;
	}
	return pcap;
}

static void
add_record(struct replay *r, const struct pcap_pkthdr *hdr, const uint8_t *data)
{
	struct record *record = (struct record *)(void *)(r->room + r->used);
	/* With nanosecond precision tv_usec holds nanoseconds. */
	uint64_t at = (uint64_t)hdr->ts.tv_sec * NS + (uint64_t)hdr->ts.tv_usec;
	uint32_t len = hdr->caplen;

	if (len < ETHER_HDR || len > SOFT_FRAME_MAX) {
		r->counts.unsuited++;
		return;
	}
	if (len < hdr->len)
		r->counts.cut++;
	if (r->read == 0)
		r->first_ns = r->last_ns = at;
	else if (at > r->last_ns)
		r->last_ns = at;
	r->read++;
	memcpy(record->data, data, len);
	if (len < FRAME_MIN) {
		memset(record->data + len, 0, FRAME_MIN - len);
		len = FRAME_MIN;
	}
	record->at_ns = r->last_ns;
	record->len = len;
	r->used += RECORD_BYTES(len);
}

/* The next piece of the file into memory.  0, also at its end, or -EINVAL. */
static int
read_piece(struct replay *r, struct err *err)
{
	struct pcap_pkthdr *hdr;
	const uint8_t *data;

	r->used = 0;
	r->now.at = 0;
	while (REPLAY_ROOM - r->used >= RECORD_BYTES(SOFT_FRAME_MAX)) {
		int ret = pcap_next_ex(r->pcap, &hdr, &data);

		if (ret == PCAP_ERROR_BREAK) {
			r->end_of_file = true;
			return 0;
		}
		if (ret != 1)
			return err_set(err, -EINVAL, "%s: after %llu frames: %s", r->conf.file,
				       (unsigned long long)r->read, pcap_geterr(r->pcap));
		add_record(r, hdr, data);
	}
	return 0;
}

/* From the first frame of the file on. */
static int
read_first_piece(struct replay *r, struct err *err)
{
	int ret;

	if (r->pcap != NULL)
		pcap_close(r->pcap);
	r->end_of_file = false;
	r->read = 0;
	r->pcap = open_file(r->conf.file, err);
	ret = r->pcap == NULL ? -EINVAL : read_piece(r, err);
	if (ret == 0 && r->used == 0)
		ret = err_set(err, -EINVAL, "%s: no frame in it that can be replayed",
			      r->conf.file);
	return ret;
}

struct replay *
replay_open(const struct replay_conf *conf, struct err *err)
{
	struct replay *r = calloc(1, sizeof(*r));

	if (r != NULL)
		r->room = malloc(REPLAY_ROOM);
	if (r == NULL || r->room == NULL) {
		err_set(err, -ENOMEM, "%s: no memory", conf->file);
		goto err_close;
	}
	r->conf = *conf;
	if (read_first_piece(r, err) < 0)
		goto err_close;
	r->whole = r->end_of_file;
	if (r->whole) {
		pcap_close(r->pcap);
		r->pcap = NULL;
	}
	return r;

err_close:
	replay_close(r);
	return NULL;
}

void
replay_close(struct replay *r)
{
	if (r == NULL)
		return;
	if (r->pcap != NULL)
		pcap_close(r->pcap);
	free(r->room);
	free(r);
}

int
replay_restart(struct replay *r, struct err *err)
{
	r->now = (struct spot){ 0 };
	r->started = false;
	r->due = 0;
	r->failure.text[0] = '\0';
	r->fetched = 0;
	if (r->whole)
		return 0;
	return read_first_piece(r, err);
}

bool
replay_ended(const struct replay *r)
{
	return r->failure.text[0] != '\0' ||
	       (r->conf.rounds != 0 && r->now.rounds == r->conf.rounds);
}

const char *
replay_failure(const struct replay *r)
{
	return r->failure.text;
}

const struct replay_counts *
replay_counts(const struct replay *r)
{
	return &r->counts;
}

/* The next round begins an average gap after the last frame of this one. */
static void
next_round(const struct replay *r, struct spot *spot)
{
	uint64_t took = r->last_ns - r->first_ns;

	spot->rounds++;
	spot->shift_ns += took + (r->read > 1 ? took / (r->read - 1) : ALONE_NS);
	if (r->conf.rounds == 0 || spot->rounds < r->conf.rounds)
		spot->at = 0;
}

/* Past the record it is at; a file that is not all in memory stops at the end of its piece. */
static void
step(const struct replay *r, struct spot *spot)
{
	const struct record *record = (const struct record *)(const void *)(r->room + spot->at);

	spot->at += RECORD_BYTES(record->len);
	if (r->whole && spot->at == r->used)
		next_round(r, spot);
}

/* Memory is used up: the next piece, from the start again if the file has ended. */
static void
read_on(struct replay *r)
{
	int ret = 0;

	if (r->end_of_file) {
		next_round(r, &r->now);
		r->counts.rounds = r->now.rounds;
		if (!replay_ended(r))
			ret = read_first_piece(r, &r->failure);
	} else {
		ret = read_piece(r, &r->failure);
		/* The file ended where the piece before did. */
		if (ret == 0 && r->used == 0)
			read_on(r);
	}
	if (ret < 0)
		r->used = r->now.at = 0;
}

/* How many frames a rate allows by now. */
static unsigned int
allowed(struct replay *r, uint64_t now_ns, unsigned int max)
{
	uint64_t due;

	if (r->conf.speed != REPLAY_RATE)
		return max;
	due = (uint64_t)((unsigned __int128)(now_ns - r->start_ns) * r->conf.rate / NS) + 1;
	due -= r->due;
	return due < max ? (unsigned int)due : max;
}

unsigned int
replay_fetch(struct replay *r, uint64_t now_ns, struct soft_frame *frames, unsigned int max)
{
	const bool paced = r->conf.speed == REPLAY_CAPTURE;
	unsigned int n = 0;

	if (!r->started) {
		r->started = true;
		r->start_ns = now_ns;
		r->now.shift_ns = now_ns - r->first_ns;
	}
	if (!replay_ended(r) && r->now.at == r->used)
		read_on(r);
	if (replay_ended(r))
		return 0;
	max = allowed(r, now_ns, max);
	r->ahead = r->now;
	while (n < max && r->ahead.at < r->used) {
		const struct record *record =
			(const struct record *)(const void *)(r->room + r->ahead.at);

		if (paced && record->at_ns + r->ahead.shift_ns > now_ns)
			break;
		frames[n++] = (struct soft_frame){ .data = record->data, .len = record->len };
		step(r, &r->ahead);
	}
	r->fetched = n;
	return n;
}

void
replay_took(struct replay *r, unsigned int n)
{
	if (n == r->fetched)
		r->now = r->ahead;
	else
		for (unsigned int i = 0; i < n; i++)
			step(r, &r->now);
	r->fetched = 0;
	r->due += n;
	r->counts.frames += n;
	r->counts.rounds = r->now.rounds;
	/* The last piece of a large file has no further fetch to find its end. */
	if (!r->whole && r->end_of_file && r->now.at == r->used && r->conf.rounds != 0 &&
	    r->now.rounds + 1 == r->conf.rounds)
		read_on(r);
}

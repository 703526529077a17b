/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_REPLAY_H
#define WIRE_REPLAY_H

#include "base/err.h"
#include "drivers/wire/soft.h"

/*
 * A capture file as a source of frames: part of the wire "pcap".  A file of up to REPLAY_ROOM is
 * read once, a larger one piece by piece as it goes.
 *
 * Threads: holders of the models' lock.
 */
#define REPLAY_ROOM (8u << 20)

enum replay_speed { REPLAY_MAX, REPLAY_CAPTURE, REPLAY_RATE };
struct replay_conf {
	const char *file; /* must outlive the replay */
	uint64_t rounds;  /* 0: for ever */
	enum replay_speed speed;
	uint64_t rate; /* REPLAY_RATE: frames a second, not 0 */
};
struct replay_counts {
	uint64_t frames;   /* taken */
	uint64_t rounds;   /* finished */
	uint64_t cut;      /* captured in part: replayed as far as they go */
	uint64_t unsuited; /* below 14 bytes or above SOFT_FRAME_MAX: left out */
};

struct replay;
/* NULL: err says what is wrong with the file. */
struct replay *replay_open(const struct replay_conf *conf, struct err *err);
void replay_close(struct replay *replay);

/* Up to max frames that are due, valid until replay_took() says how many of them are done with. */
unsigned int replay_fetch(struct replay *replay, uint64_t now_ns, struct soft_frame *frames,
			  unsigned int max);
void replay_took(struct replay *replay, unsigned int n);
int replay_restart(struct replay *replay, struct err *err);

bool replay_ended(const struct replay *replay);
/* What ended it early: a later piece of the file could not be read.  "" when nothing did. */
const char *replay_failure(const struct replay *replay);
const struct replay_counts *replay_counts(const struct replay *replay);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * What happens in a turn: for each port, what the host wants sent goes to the wire, then what the
 * wire has goes to the host.  Frames are pointers into the host's buffers or the wire's own.
 */
#define DRAIN_MAX 4096 /* batches: more than any NIC's rings hold, and an end if one never ends */
#define REPLIES   32

/* Frames for the port that a wire made up, oldest first. */
struct soft_reply {
	unsigned int n;
	uint32_t len[REPLIES];
	uint8_t frame[REPLIES][SOFT_FRAME_MAX];
};

static unsigned int
send_some(struct soft_port *port, struct soft_frame *frames)
{
	unsigned int n = port->kind->transmit(port, frames, SOFT_BATCH);

	if (n > 0 && port->out != NULL)
		port->out->kind->send(port->out, frames, n);
	port->kind->transmitted(port);
	return n;
}

static unsigned int
send_frames(struct soft_port *port, struct soft_frame *frames, bool drain)
{
	unsigned int n = send_some(port, frames), sum = n;

	for (unsigned int i = 1; drain && n > 0 && i < DRAIN_MAX; i++) {
		n = send_some(port, frames);
		sum += n;
	}
	return sum;
}

/* Returns how many were taken. */
static unsigned int
receive(struct soft_port *port, struct soft_frame *frames, unsigned int n, bool wait)
{
	uint8_t given[SOFT_BATCH];
	unsigned int taken;

	if (__builtin_expect(FAULTS_ON_FRAMES(port) == 0, 1)) {
		taken = port->kind->receive(port, frames, n, wait);
	} else {
		faults_apply(port, frames, n, given);
		taken = port->kind->receive(port, frames, n, wait);
		faults_settle(port, given, taken, n);
	}
	port->stats.rx_offered += taken;
	return taken;
}

static unsigned int
receive_replies(struct soft_port *port, struct soft_frame *frames)
{
	struct soft_reply *reply = port->reply;
	unsigned int taken, left;

	for (unsigned int i = 0; i < reply->n; i++)
		frames[i] = (struct soft_frame){ .data = reply->frame[i], .len = reply->len[i] };
	taken = receive(port, frames, reply->n, true);
	left = reply->n - taken;
	for (unsigned int i = 0; taken > 0 && i < left; i++) {
		reply->len[i] = reply->len[taken + i];
		memcpy(reply->frame[i], reply->frame[taken + i], reply->len[i]);
	}
	reply->n = left;
	return taken;
}

unsigned int
soft_deliver(struct soft_port *port, const struct soft_frame *frames, unsigned int n)
{
	struct soft_frame copy[SOFT_BATCH]; /* a fault would change what is not ours */

	if (n > SOFT_BATCH || !port->kind->listening(port))
		return 0;
	memcpy(copy, frames, n * sizeof(*frames));
	return receive(port, copy, n, false);
}

static void
tell_link(struct soft_port *port, bool up)
{
	struct soft_wire *in = port->in, *out = port->out;

	port->heard = up;
	if (in != NULL && in->kind->link != NULL)
		in->kind->link(in, up);
	if (out != NULL && out != in && out->kind->link != NULL)
		out->kind->link(out, up);
}

static unsigned int
receive_frames(struct soft_port *port, struct soft_frame *frames, unsigned int max)
{
	struct soft_wire *in = port->in;
	const bool up = port->kind->listening(port);
	unsigned int sum = 0;

	if (__builtin_expect(up != port->heard, 0))
		tell_link(port, up);
	if (!up)
		return 0;
	if (__builtin_expect(port->reply != NULL && port->reply->n > 0, 0))
		sum += receive_replies(port, frames);
	while (in != NULL && max > 0) {
		unsigned int ask = max < SOFT_BATCH ? max : SOFT_BATCH;
		unsigned int n = in->kind->fetch(in, frames, ask), taken;

		if (n == 0)
			break;
		taken = receive(port, frames, n, in->wait);
		in->kind->fetched(in, taken);
		sum += taken;
		max -= ask;
		if (n < ask || taken < n)
			break;
	}
	return sum;
}

unsigned int
turn_all(unsigned int rx_max, bool drain)
{
	const struct port_list *ports = ports_running();
	const bool trace = runner_conf()->trace;
	struct soft_frame frames[SOFT_BATCH];
	unsigned int sum = 0;

	for (unsigned int i = 0; i < ports->n; i++) {
		struct soft_port *port = ports->port[i];
		unsigned int tx = send_frames(port, frames, drain);
		unsigned int rx = receive_frames(port, frames, rx_max);

		sum += tx + rx;
		if (__builtin_expect(trace && tx + rx > 0, 0))
			soft_log(port, "turn %" PRIu64 ": %u sent, %u received", runner_turns(), tx,
				 rx);
	}
	return sum;
}

void
soft_reply(struct soft_wire *wire, const uint8_t *frame, uint32_t len)
{
	struct soft_port *port = wire->port;
	struct soft_reply *reply = port->reply;

	if (reply == NULL)
		reply = port->reply = calloc(1, sizeof(*reply));
	/* As on a cable: what has no room is lost, and whoever asked asks again. */
	if (reply == NULL || reply->n == REPLIES || len > SOFT_FRAME_MAX)
		return;
	memcpy(reply->frame[reply->n], frame, len);
	reply->len[reply->n++] = len;
}

void
turn_release(struct soft_port *port)
{
	free(port->reply);
	port->reply = NULL;
}

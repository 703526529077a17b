/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/gen.h"

#include "drivers/wire/wires.h"

#include <errno.h>
#include <stdlib.h>

#define NS_PER_S 1000000000ull

/* A full ring: the generator waits when it has no rate of its own to keep. */
static void
decide_wait(struct soft_wire *wire)
{
	const struct gen *gen = wire->own;

	wire->wait = gen->full == GEN_FULL_AUTO ? gen->pace.rate == GEN_RATE_MAX
						: gen->full == GEN_FULL_WAIT;
}

static int
gen_create(struct soft_wire *wire, struct err *err)
{
	struct gen *gen = calloc(1, sizeof(*gen));
	int ret;

	if (gen == NULL)
		return err_set(err, -ENOMEM, "gen: no memory");
	wire->own = gen;
	ret = gen_open(gen, wire, err);
	decide_wait(wire);
	return ret;
}

static void
gen_destroy(struct soft_wire *wire)
{
	struct gen *gen = wire->own;

	if (gen == NULL)
		return;
	gen_close(gen);
	free(gen);
	wire->own = NULL;
}

/* From now on, nothing owed. */
static void
pace_from(struct gen_pace *pace, uint64_t now_ns)
{
	pace->base_ns = now_ns;
	pace->released = pace->given = 0;
}

/*
 * How many frames may be made now.  Who could not look for a while does not catch up beyond a
 * batch: frames that come faster than the rate says lose others in the NIC.
 */
static uint64_t
pace_due(struct gen *gen, uint64_t now_ns)
{
	struct gen_pace *pace = &gen->pace;
	uint64_t limit = gen->burst > SOFT_BATCH ? gen->burst : SOFT_BATCH;
	unsigned __int128 product = (unsigned __int128)(now_ns - pace->base_ns) * pace->rate;
	uint64_t due = (uint64_t)(product / NS_PER_S);

	if (due - pace->given > limit) {
		uint64_t skip = due - pace->given - limit;

		pace->base_ns += (uint64_t)((unsigned __int128)skip * NS_PER_S / pace->rate);
		due -= skip;
	}
	if (due > pace->released)
		pace->released += (due - pace->released) / gen->burst * gen->burst;
	return pace->released - pace->given;
}

static uint64_t
due(struct gen *gen)
{
	struct gen_pace *pace = &gen->pace;
	uint64_t now_ns, n;

	if (!gen->started || gen->left == 0)
		return 0;
	if (gen->waiting || pace->rate != GEN_RATE_MAX) {
		now_ns = soft_now_ns();
		if (pace->base_ns == 0)
			pace_from(pace, now_ns + (gen->waiting ? gen->after_ns : 0));
		if (now_ns < pace->base_ns)
			return 0;
		gen->waiting = false;
	}
	n = pace->rate == GEN_RATE_MAX ? SOFT_BATCH : pace_due(gen, now_ns);
	return n < gen->left ? n : gen->left;
}

/* Where the next frame stands; apart, so that stores into frames do not touch it. */
struct place {
	uint32_t at, in_run;
	uint64_t seq;
	unsigned int order_at;
};

static inline void
advance(struct place *place, const struct gen *gen)
{
	if (++place->order_at == gen->nb_order)
		place->order_at = 0;
	if (++place->in_run < gen->run)
		return;
	place->in_run = 0;
	if (++place->at < gen->nb_flows)
		return;
	place->at = 0;
	place->seq += gen->run;
}

/* n more frames, of a template or not. */
static inline __attribute__((always_inline)) void
make(struct gen *gen, struct soft_frame *frames, unsigned int n, bool template)
{
	struct place place = { gen->at, gen->in_run, gen->seq, gen->order_at };
	const struct probe_flow *flows = gen->flow;
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct probe_slot *slot = &gen->slot[gen->order[place.order_at]];
		uint64_t seq = place.seq + place.in_run;

		if (template)
			gen_template_put(gen, place.at, slot, seq);
		else
			probe_put(slot, &flows[place.at], place.at, seq);
		frames[i] = (struct soft_frame){ .data = slot->data, .len = slot->len };
		bytes += slot->len;
		advance(&place, gen);
	}
	gen->bytes += bytes;
	gen->at = place.at;
	gen->in_run = place.in_run;
	gen->seq = place.seq;
	gen->order_at = place.order_at;
	gen->pending += n;
	gen->pace.given += n;
	if (gen->left != UINT64_MAX)
		gen->left -= n;
}

static inline const struct probe_slot *
oldest(const struct gen *gen, unsigned int i)
{
	unsigned int at = gen->order_at + gen->nb_order - gen->pending + i;

	return &gen->slot[gen->order[at < gen->nb_order ? at : at - gen->nb_order]];
}

static unsigned int
gen_fetch(struct soft_wire *wire, struct soft_frame *frames, unsigned int max)
{
	struct gen *gen = wire->own;
	unsigned int old;
	uint64_t more;

	if (!gen->started)
		return 0;
	if (max > GEN_SLOTS)
		max = GEN_SLOTS;
	old = gen->pending < max ? gen->pending : max;
	for (unsigned int i = 0; i < old; i++)
		frames[i] = (struct soft_frame){ .data = oldest(gen, i)->data,
						 .len = oldest(gen, i)->len };
	if (old < max && (more = due(gen)) > 0) {
		unsigned int n = more < max - old ? (unsigned int)more : max - old;

		if (gen->template != NULL)
			make(gen, frames + old, n, true);
		else
			make(gen, frames + old, n, false);
	}
	gen->offered = gen->pending < max ? gen->pending : max;
	return gen->offered;
}

static void
gen_fetched(struct soft_wire *wire, unsigned int taken)
{
	struct gen *gen = wire->own;

	if (taken < gen->offered) {
		if (wire->wait)
			gen->waited++;
		else
			taken = gen->offered; /* there is no second time on a cable */
	}
	gen->pending -= taken;
	gen->sent += taken;
	gen->offered = 0;
	wire->ended = gen->left == 0 && gen->pending == 0;
}

static void
gen_report(const struct soft_wire *wire, struct soft_report *report)
{
	const struct gen *gen = wire->own;
	uint64_t bytes = gen->bytes;

	for (unsigned int i = 0; i < gen->pending; i++)
		bytes -= oldest(gen, i)->len;
	soft_report_u64(report, "sent", gen->sent);
	soft_report_u64(report, "bytes", bytes);
	soft_report_u64(report, "waited", gen->waited);
	soft_report_u64(report, "done", wire->ended);
}

static int
command_rate(struct soft_wire *wire, const char *text, struct err *err)
{
	struct gen *gen = wire->own;
	int ret = gen_parse_rate(text, &gen->pace.rate, err);

	if (ret < 0)
		return ret;
	gen->pace.base_ns = 0;
	decide_wait(wire);
	return 0;
}

static int
command_count(struct soft_wire *wire, const char *text, struct err *err)
{
	struct gen *gen = wire->own;
	uint64_t n;

	if (!spec_number(text, &n))
		return err_set(err, -EINVAL,
			       "gen: count %.32s: not a number; write how many more frames "
			       "to send, 0 for no end",
			       text);
	gen->left = n == 0 ? UINT64_MAX : n;
	wire->ended = false;
	return 0;
}

static int
gen_command(struct soft_wire *wire, int argc, char **argv, struct err *err)
{
	struct gen *gen = wire->own;

	if (argc == 1 && strcmp(argv[0], "start") == 0) {
		gen->started = true;
		gen->pace.base_ns = 0;
		return 0;
	}
	if (argc == 1 && strcmp(argv[0], "stop") == 0) {
		gen->started = false;
		return 0;
	}
	if (argc == 2 && strcmp(argv[0], "rate") == 0)
		return command_rate(wire, argv[1], err);
	if (argc == 2 && strcmp(argv[0], "count") == 0)
		return command_count(wire, argv[1], err);
	return err_set(err, -EINVAL,
		       "gen: write start, stop, rate PPS, rate max or count N (N more; 0: no end)");
}

const struct wire_kind wire_kind_gen = {
	.name = "gen",
	.help = "source of test frames",
	.opts = gen_opts,
	.conf_size = sizeof(struct gen_conf),
	.defaults = &gen_defaults,
	.ends = WIRE_IN,
	.create = gen_create,
	.destroy = gen_destroy,
	.fetch = gen_fetch,
	.fetched = gen_fetched,
	.report = gen_report,
	.command = gen_command,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define AT(member) SPEC_AT(struct gen_conf, member)

static const char *const spreads[] = { "single", "five", "random", NULL };
static const char *const protos[] = { "udp", "tcp", NULL };
static const char *const fulls[] = { "auto", "wait", "drop", NULL };
static const char *const starts[] = { "auto", "manual", NULL };

const struct spec_opt gen_opts[] = {
	{ "dst", SPEC_PREFIX, AT(dst), .help = "destinations: PREFIX (198.18.0.0/15)" },
	{ "spread", SPEC_WORD, AT(spread), .words = spreads,
	  .help = "over dst: single (its first host), five frames to each in a row, random" },
	{ "routes", SPEC_STRING, AT(routes),
	  .help = "destinations from the 'PREFIX/LEN via ...' lines of FILE, instead of dst" },
	{ "src", SPEC_PREFIX, AT(src), .help = "sources: PREFIX (192.0.2.0/24)" },
	{ "flows", SPEC_U32, AT(flows), 1, GEN_FLOWS_MAX,
	  .help = "flows, each numbered by itself (1; 65536 with five, random or routes)" },
	{ "dmac", SPEC_MAC, AT(dmac), .help = "destination MAC (that of the NIC at this cable)" },
	{ "smac", SPEC_MAC, AT(smac), .help = "source MAC (02:53:00:00:PORT:02)" },
	{ "size", SPEC_STRING, AT(size),
	  .help = "60..9700 bytes, without FCS and VLAN tag, or imix: 7:4:1 of 60 (tcp: 70), 590, "
		  "1514 (60)" },
	{ "vlan", SPEC_U32, AT(vlan), 1, 4094, .help = "VLAN tag with this id (none)" },
	{ "ttl", SPEC_U32, AT(ttl), 0, 255, .help = "as sent (64)" },
	{ "proto", SPEC_WORD, AT(proto), .words = protos, .help = "udp or tcp (udp)" },
	{ "sums", SPEC_FLAG, AT(sums), .help = "UDP checksums (on)" },
	{ "template", SPEC_STRING, AT(template),
	  .help = "frames of FILE.pcap, numbered where the payload has room, instead of all "
		  "above" },
	{ "rate", SPEC_STRING, AT(rate), .help = "frames a second, or max (max)" },
	{ "full", SPEC_WORD, AT(full), .words = fulls,
	  .help = "no descriptor: wait for one, drop the frame, or auto: wait at rate=max (auto)" },
	{ "count", SPEC_U64, AT(count), .help = "frames, 0: no end (0)" },
	{ "start", SPEC_WORD, AT(start), .words = starts,
	  .help = "auto: when the NIC listens; manual: by the command (auto)" },
	{ "after", SPEC_U64, AT(after), 0, 3600000, .help = "milliseconds to wait first (0)" },
	{ "burst", SPEC_U32, AT(burst), 1, 65536, .help = "frames due at once, with a rate (1)" },
	{ "seed", SPEC_U64, AT(seed), .help = "of what is random (that of run)" },
	{ .name = NULL },
};

const struct gen_conf gen_defaults = {
	.dst = { 0xc6120000, 15 }, /* RFC 2544: for benchmarks */
	.src = { 0xc0000200, 24 }, /* RFC 5737: nobody's */
	.size = "60",
	.ttl = 64,
	.sums = true,
	.rate = "max",
	.burst = 1,
};

int
gen_parse_rate(const char *text, uint64_t *rate, struct err *err)
{
	uint64_t n;

	if (strcmp(text, "max") == 0) {
		*rate = GEN_RATE_MAX;
		return 0;
	}
	if (!spec_number(text, &n) || n == 0 || n > 1000000000)
		return err_set(err, -EINVAL,
			       "gen,rate=%.32s: write 1 to 1G, frames a second, or max", text);
	*rate = n;
	return 0;
}

/* The sizes, and their number. */
static int
parse_size(const struct gen_conf *conf, uint32_t *size, struct err *err)
{
	uint32_t min = conf->proto == 1 ? PROBE_TCP_MIN : PROBE_MIN;
	uint64_t n;

	if (strcmp(conf->size, "imix") == 0) {
		size[0] = min;
		size[1] = 590;
		size[2] = 1514;
		return 3;
	}
	if (!spec_number(conf->size, &n) || n < min || n > GEN_SIZE_MAX)
		return err_set(err, -EINVAL,
			       "gen,size=%s: write %" PRIu32
			       " to %d bytes, without FCS and VLAN tag, or imix",
			       conf->size, min, GEN_SIZE_MAX);
	size[0] = (uint32_t)n;
	return 1;
}

/* Each slot of a size after the others of it: it is used again when they have been. */
static void
set_order(struct gen *gen, int nb_sizes)
{
	/* The simple IMIX, 7:4:1, with the long ones apart. */
	static const uint8_t imix[GEN_IMIX] = { 0, 1, 0, 0, 1, 0, 2, 0, 1, 0, 1, 0 };
	unsigned int in_turn = nb_sizes == 1 ? 1 : GEN_IMIX, used[GEN_SIZES] = { 0 };

	gen->nb_order = in_turn * GEN_SLOTS;
	for (unsigned int i = 0; i < gen->nb_order; i++) {
		unsigned int size = imix[i % in_turn];

		gen->order[i] = (uint8_t)(size * GEN_SLOTS + used[size]++ % GEN_SLOTS);
	}
}

static void
shape_of(struct probe_shape *shape, const struct gen_conf *conf, const struct soft_port *port)
{
	static const uint8_t unset[6];
	const uint8_t smac[6] = { 0x02, 0x53, 0, 0, (uint8_t)port->index, 0x02 };

	*shape = (struct probe_shape){
		.tci = (uint16_t)conf->vlan,
		.stream = (uint8_t)port->index,
		.ttl = (uint8_t)conf->ttl,
		.tcp = conf->proto == 1,
		.sums = conf->sums,
	};
	memcpy(shape->dmac, memcmp(conf->dmac, unset, 6) == 0 ? port->mac : conf->dmac, 6);
	memcpy(shape->smac, memcmp(conf->smac, unset, 6) == 0 ? smac : conf->smac, 6);
}

/* Slots on cache lines of their own: the shortest frame is one line. */
static uint32_t
stride(uint32_t size)
{
	return (size + PROBE_VLAN_LEN + 63) & ~63u;
}

static int
open_slots(struct gen *gen, const struct probe_shape *shape, const uint32_t *size, int nb_sizes,
	   struct err *err)
{
	size_t need = 0;
	uint8_t *data;

	for (int i = 0; i < nb_sizes; i++)
		need += (size_t)stride(size[i]) * GEN_SLOTS;
	data = gen->memory = aligned_alloc(64, need);
	if (data == NULL)
		return err_set(err, -ENOMEM, "gen: no memory for %zu bytes of frames", need);
	for (int i = 0; i < nb_sizes; i++)
		for (unsigned int j = 0; j < GEN_SLOTS; j++, data += stride(size[i]))
			probe_slot_init(&gen->slot[(unsigned int)i * GEN_SLOTS + j], shape, data,
					size[i], (uint8_t)((unsigned int)i * GEN_SLOTS + j));
	set_order(gen, nb_sizes);
	return 0;
}

static int
open_template(struct gen *gen, const struct gen_conf *conf, const struct probe_shape *shape,
	      struct err *err)
{
	uint32_t longest = PROBE_MIN;
	int ret = gen_template_open(gen, conf, shape->stream, err);

	if (ret < 0)
		return ret;
	for (uint32_t i = 0; i < gen->nb_templates; i++)
		if (gen->template[i].len > longest)
			longest = gen->template[i].len;
	gen->nb_flows = gen->nb_templates;
	gen->run = 1;
	return open_slots(gen, shape, &longest, 1, err);
}

int
gen_open(struct gen *gen, const struct soft_wire *wire, struct err *err)
{
	const struct gen_conf *conf = wire->conf;
	uint32_t size[GEN_SIZES] = { 0 };
	struct probe_shape shape;
	int ret;

	probe_init();
	gen->started = conf->start == 0;
	gen->after_ns = conf->after * 1000000;
	gen->waiting = conf->after > 0;
	gen->left = conf->count == 0 ? UINT64_MAX : conf->count;
	gen->burst = conf->burst;
	gen->full = conf->full;
	ret = gen_parse_rate(conf->rate, &gen->pace.rate, err);
	if (ret < 0)
		return ret;
	shape_of(&shape, conf, wire->port);
	if (conf->template[0] != '\0')
		return open_template(gen, conf, &shape, err);
	if (shape.tcp && !conf->sums)
		return err_set(err, -EINVAL,
			       "gen,sums=off: only UDP can do without a checksum; leave out "
			       "proto=tcp");
	ret = parse_size(conf, size, err);
	if (ret < 0)
		return ret;
	ret = open_slots(gen, &shape, size, ret, err);
	if (ret < 0)
		return ret;
	return gen_flows_open(gen, conf, conf->seed != 0 ? conf->seed : soft_seed(), err);
}

void
gen_close(struct gen *gen)
{
	gen_template_close(gen);
	free(gen->flow);
	free(gen->memory);
	gen->flow = NULL;
	gen->memory = NULL;
}

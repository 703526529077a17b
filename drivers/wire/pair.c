/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/wires.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * "pair": the other end of the cable is another software port, of either plugin.  What one sends
 * the other receives in the same moment, straight from the sender's buffers.
 *
 * The peer may come later than this wire, when its plugin is loaded, so it is looked up each time.
 */
struct conf {
	uint32_t with;
};
static const struct conf defaults = { .with = UINT32_MAX };
static const struct spec_opt opts[] = {
	{ "with", SPEC_U32, SPEC_AT(struct conf, with), 0, SOFT_PORT_MAX - 1,
	  .help = "number of the port at the other end, which says pair,with= this one" },
	{ 0 },
};

struct own {
	uint64_t passed;  /* the peer has received or missed them */
	uint64_t unheard; /* it was not there or not listening */
	bool told;        /* that the peer does not say the same */
};

static int
create(struct soft_wire *wire, struct err *err)
{
	const struct conf *conf = wire->conf;

	if (conf->with == UINT32_MAX)
		return err_set(err, -EINVAL, "write pair,with= and the number of the other port");
	if (conf->with == wire->port->index)
		return err_set(err, -EINVAL,
			       "with=%" PRIu32 " is this port itself; the wire \"loop\" does that",
			       conf->with);
	if (conf->with >= softnic_ports())
		return err_set(err, -EINVAL, "with=%" PRIu32 ": the last port is %u", conf->with,
			       softnic_ports() - 1);
	wire->own = calloc(1, sizeof(struct own));
	return wire->own == NULL ? err_set(err, -ENOMEM, "no memory") : 0;
}

static void
destroy(struct soft_wire *wire)
{
	free(wire->own);
	wire->own = NULL;
}

/* A cable has two ends: what the peer receives has to come from here. */
static bool
is_peer(const struct soft_wire *wire, const struct soft_port *peer)
{
	const struct conf *other;

	if (peer->in == NULL || peer->in->kind != &wire_kind_pair)
		return false;
	other = peer->in->conf;
	return other->with == wire->port->index;
}

static void
pass(struct soft_wire *wire, const struct soft_frame *frames, unsigned int n)
{
	const struct conf *conf = wire->conf;
	struct soft_port *peer = soft_port(conf->with);
	struct own *own = wire->own;
	unsigned int heard = 0;

	if (peer != NULL && is_peer(wire, peer))
		heard = soft_deliver(peer, frames, n);
	else if (peer != NULL && !own->told) {
		own->told = true;
		soft_log(wire->port,
			 "pair,with=%" PRIu32 ": nothing gets there, for port %" PRIu32
			 " does not say pair,with=%u",
			 conf->with, conf->with, wire->port->index);
	}
	own->passed += heard;
	own->unheard += n - heard;
}

static unsigned int
fetch(struct soft_wire *wire, struct soft_frame *frames, unsigned int max)
{
	(void)wire;
	(void)frames;
	(void)max;
	return 0; /* the peer's turn brings them */
}

static void
fetched(struct soft_wire *wire, unsigned int taken)
{
	(void)wire;
	(void)taken;
}

static void
report(const struct soft_wire *wire, struct soft_report *report)
{
	const struct own *own = wire->own;

	soft_report_u64(report, "passed", own->passed);
	soft_report_u64(report, "unheard", own->unheard);
}

const struct wire_kind wire_kind_pair = {
	.name = "pair",
	.help = "another software port",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.defaults = &defaults,
	.ends = WIRE_IN | WIRE_OUT,
	.create = create,
	.destroy = destroy,
	.fetch = fetch,
	.fetched = fetched,
	.send = pass,
	.report = report,
};

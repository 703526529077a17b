/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/wires.h"

#include <errno.h>
#include <stdlib.h>

/*
 * "loop": a plug that leads the transmitter to the receiver of the same port.
 */
struct own {
	uint64_t passed, unheard; /* the port has received or missed them; was not listening */
};
static const struct spec_opt opts[] = { { 0 } };

static int
create(struct soft_wire *wire, struct err *err)
{
	if (wire->port->out != wire)
		return err_set(err, -EINVAL,
			       "another wire takes this port's frames, so that none come back; "
			       "take one away");
	wire->own = calloc(1, sizeof(struct own));
	return wire->own == NULL ? err_set(err, -ENOMEM, "no memory") : 0;
}

static void
destroy(struct soft_wire *wire)
{
	free(wire->own);
	wire->own = NULL;
}

static void
come_back(struct soft_wire *wire, const struct soft_frame *frames, unsigned int n)
{
	struct own *own = wire->own;
	unsigned int heard = soft_deliver(wire->port, frames, n);

	own->passed += heard;
	own->unheard += n - heard;
}

static unsigned int
fetch(struct soft_wire *wire, struct soft_frame *frames, unsigned int max)
{
	(void)wire;
	(void)frames;
	(void)max;
	return 0; /* they have come back already */
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

const struct wire_kind wire_kind_loop = {
	.name = "loop",
	.help = "what is sent comes back",
	.opts = opts,
	.ends = WIRE_IN | WIRE_OUT,
	.create = create,
	.destroy = destroy,
	.fetch = fetch,
	.fetched = fetched,
	.send = come_back,
	.report = report,
};

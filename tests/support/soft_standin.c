/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/soft_standin.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int standin_alive;

struct standin *
standin_of(unsigned int port)
{
	assert(soft_port(port) != NULL);
	return soft_port(port)->nic;
}

static struct standin_frame
copy_of(const void *data, uint32_t len, uint32_t flags)
{
	struct standin_frame f = { .len = len, .flags = flags, .data = malloc(len) };

	assert(f.data != NULL);
	memcpy(f.data, data, len);
	return f;
}

static void
forget(struct standin_frame *frames, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		free(frames[i].data);
}

void
standin_forget(unsigned int port)
{
	struct standin *nic = standin_of(port);

	forget(nic->rx, nic->nb_rx);
	nic->nb_rx = 0;
}

void
standin_send(unsigned int port, const void *data, uint32_t len)
{
	struct standin *nic = standin_of(port);

	assert(nic->nb_tx < STANDIN_RING);
	nic->tx[nic->nb_tx++] = copy_of(data, len, 0);
}

static int
create(struct soft_port *port, struct err *err)
{
	const struct standin_conf *conf = port->conf;
	struct standin *nic;

	if (conf->broken)
		return err_set(err, -EIO, "the NIC is broken");
	nic = calloc(1, sizeof(*nic));
	if (nic == NULL)
		return err_set(err, -ENOMEM, "no memory");
	nic->port = port;
	port->nic = nic;
	memcpy(port->mac, conf->common.mac, sizeof(port->mac));
	snprintf(port->bdf, sizeof(port->bdf), "0000:%02x:00.0", port->index + 1);
	standin_alive++;
	return 0;
}

static void
destroy(struct soft_port *port)
{
	struct standin *nic = port->nic;

	forget(nic->rx, nic->nb_rx);
	forget(nic->tx, nic->nb_tx);
	free(nic);
	standin_alive--;
}

static bool
listening(const struct soft_port *port)
{
	const struct standin *nic = port->nic;

	return !nic->deaf && port->fault[SOFTNIC_LINK_DOWN] == 0;
}

static unsigned int
transmit(struct soft_port *port, struct soft_frame *frames, unsigned int max)
{
	struct standin *nic = port->nic;
	unsigned int n = nic->nb_tx < max ? nic->nb_tx : max;

	for (unsigned int i = 0; i < n; i++)
		frames[i] = (struct soft_frame){ .data = nic->tx[i].data, .len = nic->tx[i].len };
	nic->tx_batch = n;
	port->stats.tx_frames += n;
	return n;
}

/* Frames stay valid until here: freed, so that ASan sees a wire that looks at one later. */
static void
transmitted(struct soft_port *port)
{
	struct standin *nic = port->nic;

	forget(nic->tx, nic->tx_batch);
	nic->nb_tx -= nic->tx_batch;
	memmove(nic->tx, nic->tx + nic->tx_batch, nic->nb_tx * sizeof(nic->tx[0]));
	nic->tx_batch = 0;
}

static unsigned int
receive(struct soft_port *port, const struct soft_frame *frames, unsigned int n, bool wait)
{
	struct standin *nic = port->nic;

	for (unsigned int i = 0; i < n; i++) {
		const struct soft_frame *f = &frames[i];

		if ((f->flags & SOFT_BAD_FCS) != 0) {
			port->stats.rx_bad++;
		} else if (nic->room == 0 || nic->nb_rx == STANDIN_RING) {
			if (wait)
				return i;
			port->stats.rx_missed++;
		} else {
			nic->rx[nic->nb_rx++] = copy_of(f->data, f->len, f->flags);
			nic->room--;
			port->stats.rx_frames++;
			port->stats.rx_bytes += f->len;
		}
	}
	return n;
}

/* One that cannot do completion errors. */
static int
fault(struct soft_port *port, enum softnic_fault what)
{
	struct standin *nic = port->nic;

	if (what == SOFTNIC_CQE_RX || what == SOFTNIC_CQE_TX)
		return -ENOTSUP;
	nic->faulted[what]++;
	return 0;
}

static const struct spec_opt opts[] = {
	{ "mac", SPEC_MAC, SPEC_AT(struct standin_conf, common.mac), .help = "address" },
	{ "queues", SPEC_U32, SPEC_AT(struct standin_conf, common.queues), .min = 1, .max = 8,
	  .help = "pairs of queues" },
	{ "broken", SPEC_FLAG, SPEC_AT(struct standin_conf, broken), .help = "cannot be made" },
	{ .name = NULL },
};
static const struct standin_conf defaults = { .common.queues = 1 };

#define KIND(its_name)                                                                             \
	{                                                                                          \
		.name = (its_name), .help = "a stand-in", .opts = opts,                            \
		.conf_size = sizeof(struct standin_conf), .defaults = &defaults, .create = create, \
		.destroy = destroy, .listening = listening, .transmit = transmit,                  \
		.transmitted = transmitted, .receive = receive, .fault = fault                     \
	}
const struct soft_kind standin_kind = KIND("standin");
const struct soft_kind other_kind = KIND("cx5");

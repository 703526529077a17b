/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUPPORT_SOFT_STANDIN_H
#define SUPPORT_SOFT_STANDIN_H

#include "drivers/wire/soft.h"

/*
 * A NIC for tests of the runner and of wires: no registers, no EAL.  The test is its host: it posts
 * descriptors, reads what arrived and queues what is to be sent.  Kind "standin"; other_kind is the
 * same by the name "cx5", as if a second plugin were there.
 *
 *   setenv("SLUICE_NICS", "run,step ; standin gen sink", 1);
 *   soft_plug(&standin_kind);
 *   standin_of(0)->room = 256;
 *   softnic_step(64);
 *   ports_end(false);
 */
#define STANDIN_RING 512

struct standin_frame {
	uint32_t len, flags;
	uint8_t *data; /* owned; exactly len bytes, so that ASan sees one too far */
};
struct standin {
	struct soft_port *port;
	bool deaf;         /* the receiver is off */
	unsigned int room; /* receive descriptors left */
	unsigned int nb_rx, nb_tx, tx_at, tx_batch;
	unsigned int faulted[SOFTNIC_FAULTS]; /* calls of kind->fault() */
	struct standin_frame rx[STANDIN_RING], tx[STANDIN_RING];
};
struct standin_conf {
	struct soft_conf common;
	bool broken; /* create() fails */
};

extern const struct soft_kind standin_kind, other_kind;
extern int standin_alive; /* NICs created and not destroyed */

struct standin *standin_of(unsigned int port);
void standin_send(unsigned int port, const void *data, uint32_t len); /* at the next turn */
void standin_forget(unsigned int port);                               /* what was received */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_WIRE_FAKE_H
#define TEST_WIRE_FAKE_H

#include "drivers/wire/soft.h"
#include "drivers/wire/wires.h"

/*
 * A wire without a runner: the functions that wires call, a clock that stands until it is moved,
 * and one port for the wires to hang on.
 */
extern struct soft_port wire_port; /* index 3, MAC 02:00:00:00:00:33 */
extern uint64_t wire_now_ns;       /* what soft_now_ns() says */
extern uint8_t wire_reply[2048];   /* the last soft_reply() */
extern uint32_t wire_reply_len;    /* 0: none */
extern unsigned int wire_nb_replies;

struct wire_fake {
	struct soft_wire wire;
};

/* "gen,dst=10.0.0.1,count=7": 0 or what options or create() said. */
int wire_open(struct wire_fake *fake, const char *words, struct err *err);
void wire_close(struct wire_fake *fake);

/* A value of the report; -1 when there is no such key. */
int64_t wire_value(const struct soft_wire *wire, const char *key);
const char *wire_text(const struct soft_wire *wire, const char *key);
/* "rate 1000": the words of a command */
int wire_command(struct soft_wire *wire, const char *words, struct err *err);

#endif

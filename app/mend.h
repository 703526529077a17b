/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_MEND_H
#define APP_MEND_H

#include <stdint.h>

struct app;

/* Look after the ports, once a second: tell who has stopped sending, revive who can be revived. */
void mend_look(struct app *app, uint64_t now_us);

#endif

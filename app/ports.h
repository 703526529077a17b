/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_PORTS_H
#define APP_PORTS_H

#include "ctl/port_ops.h"

/* drivers/nic.h in the words of ctl/port_ops.h.  Control thread. */
extern const struct port_ops ports_ops;

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_PORTS_H
#define APP_PORTS_H

#include "ctl/port_ops.h"

/* drivers/nic.h in the words of ctl/port_ops.h.  Control thread. */
extern const struct port_ops ports_ops;

/*
 * MTUs above this many bytes are refused: packets would be chains of mbufs, which a transmit queue
 * with MBUF_FAST_FREE must not meet.  0: no limit.
 */
void ports_limit_mtu(uint16_t mtu_bytes);

#endif

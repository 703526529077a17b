/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HW_CABLE_NIC_H
#define HW_CABLE_NIC_H

#include <stdint.h>

struct rte_mempool;

/*
 * A "NIC" of the kind "ethdev" that is no model but a real port of DPDK: what its wires give is
 * sent by that port, what the port receives goes to the wires.  So gen and sink, made for the far
 * end of a software NIC's cable, stand at the far end of a real one.
 *
 * Lock-step runs only; one port a process.
 */
/* Before the plugin's constructor-like call, soft_plug(); the port is started. */
void cable_nic_use(uint16_t port, struct rte_mempool *pool);
int cable_nic_plug(void);

#endif

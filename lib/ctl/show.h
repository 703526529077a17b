/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_SHOW_H
#define CTL_SHOW_H

#include "base/err.h"

#include <stdint.h>
#include <stdio.h>

struct ctl;

/*
 * What the show commands print.  Port and forward statistics have testpmd's shapes, byte for byte
 * (22.11's where releases differ), because scripts read them.  Control thread.
 */
void show_port_info(struct ctl *ctl, uint16_t port, FILE *out);
void show_port_stats(struct ctl *ctl, uint16_t port, FILE *out);
void show_port_xstats(struct ctl *ctl, uint16_t port, FILE *out);
int show_port_clear(struct ctl *ctl, uint16_t port, FILE *out, struct err *err);

/*
 * A stream is an RX (port, queue).  Where it goes: in io and mac its port's peer; in ip4 the port
 * that took most of what its lcore sent.  A port's TX-dropped is what that port refused, a stream's
 * is every drop the worker gave a reason for.
 */
void show_fwd_stats(struct ctl *ctl, FILE *out);
void show_fwd_clear(struct ctl *ctl);
/* One histogram as "RX-bursts : ..."; nothing when it is empty. */
void show_bursts(const char *rx_tx, const uint64_t *spread, FILE *out);

void show_lcores(struct ctl *ctl, FILE *out);
void show_drops(struct ctl *ctl, FILE *out);
void show_drops_nonzero(struct ctl *ctl, FILE *out);
void show_ledger(struct ctl *ctl, FILE *out);

void show_addr(struct ctl *ctl, FILE *out);
void show_neigh(struct ctl *ctl, FILE *out);
/* All routes within prefix/depth, and the one that ip takes (-ENOENT: none). */
void show_routes(struct ctl *ctl, uint32_t prefix, uint8_t depth, FILE *out);
int show_route_match(struct ctl *ctl, uint32_t ip, FILE *out, struct err *err);
void show_fib(struct ctl *ctl, FILE *out);
void show_pools(struct ctl *ctl, FILE *out);

#endif

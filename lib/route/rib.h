/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTE_RIB_H
#define ROUTE_RIB_H

#include "cfg/route_spec.h"

#include <stdbool.h>
#include <stdint.h>

struct neigh;
struct hop_group;
struct router;

/*
 * Private to lib/route.  One entry per prefix, owned by the FIB's tree; it knows every source that
 * wants the prefix, and the best one decides the id that workers find.
 */
struct static_route {
	struct hop_group *group; /* VIA only */
	uint16_t port;           /* DEV only */
	uint8_t kind;            /* enum route_kind */
};

struct rib_entry {
	uint32_t prefix;
	uint16_t id; /* what the FIB holds; for 0/0 what id 0 mirrors */
	uint8_t depth;
	bool in_fib;

	/* The sources, best first. */
	bool local;            /* an own address */
	uint16_t nb_bad;       /* addresses whose network's first or last address this is */
	uint16_t nb_connected; /* addresses that have this network, all on one port */
	uint16_t connected_port;
	struct static_route *fixed;
	struct neigh *host; /* depth 32: a neighbour on the link that owns this address */
};

struct rib_prefix {
	uint32_t prefix;
	uint8_t depth;
};

enum rib_source { RIB_NONE, RIB_LOCAL, RIB_BAD, RIB_CONNECTED, RIB_STATIC, RIB_HOST };

/* rib.c: on error nothing has changed; what takes away or falls back cannot fail */
enum rib_source rib_source(const struct rib_entry *e);
uint16_t rib_link(const struct rib_entry *e);
bool rib_is_bad(const struct router *r, uint32_t ip);
int rib_add_local(struct router *r, uint32_t ip, struct err *err);
void rib_del_local(struct router *r, uint32_t ip);
int rib_add_bad(struct router *r, uint32_t ip, struct err *err);
void rib_del_bad(struct router *r, uint32_t ip);
int rib_add_connected(struct router *r, uint32_t prefix, uint8_t depth, uint16_t port,
		      struct err *err);
void rib_del_connected(struct router *r, uint32_t prefix, uint8_t depth);
int rib_set_host(struct router *r, struct neigh *n, struct err *err);
void rib_clear_host(struct router *r, struct neigh *n);
int rib_put_static(struct router *r, struct rib_prefix at, struct static_route *st,
		   struct static_route **old, struct err *err);

/* static.c */
int static_check_gateways(const struct router *r, const struct route_spec *spec, struct err *err);
int static_build(struct router *r, const struct route_spec *spec, struct static_route **out,
		 struct err *err);
void static_destroy(struct router *r, struct static_route *st);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "ctl/ctl.h"
#include "ctl/show.h"
#include "ctl/state.h"
#include "pool/pool.h"
#include "route/route.h"

#include <errno.h>
#include <inttypes.h>

/* Passed through the walks, which know nothing of printing. */
struct printer {
	const struct ctl *ctl;
	FILE *out;
};

static const char *
name_of(const struct printer *p, uint16_t port)
{
	return p->ctl->cfg.ports->name(port);
}

static int
print_addr(const struct router_addr *a, void *arg)
{
	const struct printer *p = arg;
	char ip[ADDR_IP4_TEXT];

	fprintf(p->out, "%s/%u dev %s\n", addr_ip4(ip, a->ip), a->depth, name_of(p, a->port));
	return 0;
}

void
show_addr(struct ctl *ctl, FILE *out)
{
	struct printer p = { .ctl = ctl, .out = out };

	router_addr_walk(ctl->cfg.router, print_addr, &p);
}

static int
print_neigh(struct neigh *n, void *arg)
{
	const struct printer *p = arg;
	char ip[ADDR_IP4_TEXT], mac[ADDR_MAC_TEXT];

	fprintf(p->out, "%s dev %s", addr_ip4(ip, n->ip), name_of(p, n->port));
	if (neigh_has_mac(n))
		fprintf(p->out, " lladdr %s", addr_mac(mac, &n->mac));
	fprintf(p->out, " %s\n", neigh_state_name(n->state));
	return 0;
}

void
show_neigh(struct ctl *ctl, FILE *out)
{
	struct printer p = { .ctl = ctl, .out = out };

	neigh_walk(router_neighs(ctl->cfg.router), print_neigh, &p);
}

/* As "route add" takes it, then what iproute2 would say of it. */
static int
print_route(const struct route_info *r, void *arg)
{
	static const char *const proto[] = {
		[ROUTE_STATIC] = "static",
		[ROUTE_CONNECTED] = "connected",
		[ROUTE_LOCAL] = "local",
		[ROUTE_HOST] = "neigh",
	};
	const struct printer *p = arg;
	char mac[ADDR_MAC_TEXT];

	route_spec_print(p->out, &r->spec, p->ctl->cfg.ports->name);
	fprintf(p->out, " proto %s", proto[r->source]);
	if (r->resolved && r->spec.nb_nh == 1 && !rte_is_zero_ether_addr(&r->mac))
		fprintf(p->out, " lladdr %s", addr_mac(mac, &r->mac));
	fprintf(p->out, "%s\n", r->active || r->spec.kind == ROUTE_BLACKHOLE ? "" : " inactive");
	return 0;
}

void
show_routes(struct ctl *ctl, uint32_t prefix, uint8_t depth, FILE *out)
{
	struct printer p = { .ctl = ctl, .out = out };

	router_route_walk(ctl->cfg.router, prefix, depth, print_route, &p);
}

int
show_route_match(struct ctl *ctl, uint32_t ip, FILE *out, struct err *err)
{
	struct printer p = { .ctl = ctl, .out = out };
	struct route_info info = { 0 };
	char text[ADDR_IP4_TEXT];
	int ret = router_route_match(ctl->cfg.router, ip, &info);

	if (ret < 0)
		return err_set(err, ret, "no route to %s", addr_ip4(text, ip));
	return print_route(&info, &p);
}

void
show_fib(struct ctl *ctl, FILE *out)
{
	struct fib_info info = { 0 };

	router_fib_info(ctl->cfg.router, &info);
	fprintf(out, "backend %s\n", info.backend != NULL ? info.backend : "unknown");
	fprintf(out, "routes %u of %u (static %u)\n", info.routes, info.max_routes,
		router_route_count(ctl->cfg.router));
	fprintf(out, "groups %u of %u, %u waiting for a grace period\n", info.groups_used,
		info.max_groups, info.groups_retired);
	fprintf(out, "memory %" PRIu64 " bytes\n", info.bytes);
	for (unsigned int d = 0; d <= 32; d++)
		if (info.routes_by_depth[d] != 0)
			fprintf(out, "length /%u: %u\n", d, info.routes_by_depth[d]);
}

void
show_pools(struct ctl *ctl, FILE *out)
{
	fprintf(out, "%6s %10s %10s %10s %10s %6s\n", "socket", "buffers", "in-use", "free",
		"low-water", "cache");
	for (uint16_t i = 0; i < ctl->cfg.nb_pools; i++) {
		struct pool_info info = { 0 };

		pool_info(ctl->cfg.pool[i], &info);
		fprintf(out, "%6d %10u %10u %10u %10u %6u\n", info.socket, info.size,
			info.size - info.free, info.free, info.low_water, info.cache);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "route/route_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MTU_MIN 68 /* RFC 791: every link carries this much in one piece */

/* ---- adjacencies */
struct adj
hop_adj(const struct router *r, uint16_t port, const struct neigh *n)
{
	struct adj adj = { .kind = ADJ_NO_ROUTE };

	if (port == ROUTE_PORT_ANY)
		return adj;
	adj.kind = ADJ_RESOLVE;
	adj.port = (uint8_t)port;
	if (n != NULL && neigh_has_mac(n)) {
		adj.kind = ADJ_FORWARD;
		adj.mtu = r->port[port].pub.mtu;
		memcpy(adj.dst, n->mac.addr_bytes, sizeof(adj.dst));
		memcpy(adj.src, r->port[port].pub.mac.addr_bytes, sizeof(adj.src));
	}
	return adj;
}

void
hop_write(struct router *r, uint16_t id, const struct adj *adj)
{
	/* Cache lines of workers that nothing changed in stay theirs. */
	if (memcmp(&adj_array(r->adjs)[id], adj, sizeof(*adj)) == 0)
		return;
	adj_write(r->adjs, id, adj);
	if (id == r->default_id)
		adj_write(r->adjs, ADJ_ID_DEFAULT, adj);
}

/* From now on the default route goes where id says, and follows it. */
void
hop_default(struct router *r, uint16_t id)
{
	r->default_id = id;
	adj_write(r->adjs, ADJ_ID_DEFAULT, &adj_array(r->adjs)[id]);
}

int
hop_alloc(struct router *r, struct err *err)
{
	int id = adj_alloc(r->adjs);

	if (id == -EAGAIN)
		return err_set(err, id,
			       "the workers have not let go of deleted next hops yet; try again in "
			       "a moment");
	if (id < 0)
		return err_set(err, id,
			       "all %u next-hop ids are in use; delete routes or neighbours",
			       FIB_ID_MAX + 1 - ADJ_ID_FREE);
	return id;
}

/* ---- life */
static int
create_tables(struct router *r, const struct router_config *cfg, struct err *err)
{
	struct fib_config fib = {
		.max_routes = cfg->max_routes,
		.max_groups = cfg->max_groups,
		.socket = cfg->socket,
		.rcu = cfg->rcu,
	};
	int ret;

	ret = fib_create(&r->fib, &fib);
	if (ret < 0)
		return err_set(err, ret,
			       "forwarding table for %u routes and %u groups: %s; choose others",
			       cfg->max_routes, cfg->max_groups,
			       ret == -ENOMEM ? "not enough memory" : "out of range");
	ret = adj_create(&r->adjs, FIB_ID_MAX + 1, cfg->socket, cfg->rcu);
	if (ret < 0)
		return err_set(err, ret, "next-hop table: %s", strerror(-ret));
	ret = neigh_create(&r->neighs, cfg->max_neighs, neighbour_changed, r);
	if (ret < 0)
		return err_set(err, ret, "neighbour table for %u neighbours: %s; choose another",
			       cfg->max_neighs, strerror(-ret));
	return 0;
}

int
router_create(struct router **out, const struct router_config *cfg, struct err *err)
{
	struct own_table *own = NULL;
	struct router *r;
	int ret;

	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return err_set(err, -ENOMEM, "no memory for the router");
	r->rcu = cfg->rcu;
	r->socket = cfg->socket;
	r->default_id = ADJ_ID_NO_ROUTE;
	ret = create_tables(r, cfg, err);
	if (ret < 0)
		goto err_destroy;
	r->host = calloc(cfg->max_neighs, sizeof(r->host[0]));
	own = own_build(r, NULL, NULL);
	if (r->host == NULL || own == NULL) {
		ret = err_set(err, -ENOMEM, "no memory for %u neighbours", cfg->max_neighs);
		goto err_free_own;
	}
	r->view.fib = r->fib;
	r->view.adj = adj_array(r->adjs);
	own_publish(r, own);
	*out = r;
	return 0;

err_free_own:
	own_free(own);
err_destroy:
	router_destroy(r);
	return ret;
}

static int
free_entry(uint32_t prefix, uint8_t depth, uint16_t id, void *owner, void *arg)
{
	struct rib_entry *e = owner;

	(void)prefix;
	(void)depth;
	(void)id;
	(void)arg;
	free(e->fixed);
	free(e);
	return 0;
}

void
router_destroy(struct router *r)
{
	if (r == NULL)
		return;
	txn_clear(&r->txn);
	if (r->fib != NULL)
		fib_walk(r->fib, 0, 0, free_entry, NULL);
	group_free_all(r);
	nexthop_free_all(r);
	neigh_destroy(r->neighs);
	own_reclaim(r, true);
	own_free((struct own_table *)(uintptr_t)r->view.own);
	free(r->host);
	free(r->addr);
	adj_destroy(r->adjs);
	fib_destroy(r->fib);
	free(r);
}

const struct router_view *
router_view(const struct router *r)
{
	return &r->view;
}

void
router_reclaim(struct router *r)
{
	adj_reclaim(r->adjs);
	fib_reclaim(r->fib);
	own_reclaim(r, false);
	if (!r->retry)
		return;
	r->retry = false;
	nexthop_retry(r);
	host_retry(r);
}

/* ---- ports */
int
router_port_add(struct router *r, uint16_t id, const char *name, const struct rte_ether_addr *mac,
		uint16_t mtu, struct err *err)
{
	struct port *p;
	struct adj ask;
	int glean;

	if (id >= RTE_DIM(r->port))
		return err_set(err, -EINVAL, "port %s: id %u is above %zu, the most there may be",
			       name, id, RTE_DIM(r->port) - 1);
	p = &r->port[id];
	if (p->pub.present)
		return err_set(err, -EEXIST, "port %s: id %u is %s's already", name, id,
			       p->pub.name);
	if (mtu < MTU_MIN)
		return err_set(err, -EINVAL, "port %s: MTU %u is outside %u..65535", name, mtu,
			       MTU_MIN);
	glean = hop_alloc(r, err);
	if (glean < 0)
		return err_prefix(err, glean, "port %s", name);
	p->glean = (uint16_t)glean;
	p->pub.id = id;
	p->pub.mac = *mac;
	p->pub.mtu = mtu;
	p->pub.present = true;
	snprintf(p->pub.name, sizeof(p->pub.name), "%s", name);
	ask = hop_adj(r, id, NULL);
	hop_write(r, p->glean, &ask);
	return 0;
}

const struct router_port *
router_port(const struct router *r, uint16_t id)
{
	return id < RTE_DIM(r->port) && r->port[id].pub.present ? &r->port[id].pub : NULL;
}

const char *
port_name(const struct router *r, uint16_t id)
{
	const struct router_port *p = router_port(r, id);

	return p != NULL ? p->name : "(no such port)";
}

int
router_port_mtu(struct router *r, uint16_t id, uint16_t mtu, struct err *err)
{
	if (router_port(r, id) == NULL)
		return err_set(err, -ENODEV,
			       "port config mtu: there is no port %u; 'show port info all' lists "
			       "them",
			       id);
	if (mtu < MTU_MIN)
		return err_set(err, -EINVAL,
			       "port config mtu %s: %u is outside %u..65535; write one within",
			       port_name(r, id), mtu, MTU_MIN);
	r->port[id].pub.mtu = mtu;
	nexthop_port_changed(r, id);
	host_port_changed(r, id);
	return 0;
}

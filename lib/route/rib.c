/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "route/route_internal.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Which source owns a prefix.  Adding a source may fail for want of room and then leaves all as it
 * was; taking one away only ever rewrites or deletes a prefix that is there, which cannot fail.
 */
enum rib_source
rib_source(const struct rib_entry *e)
{
	if (e->local)
		return RIB_LOCAL;
	if (e->nb_bad > 0)
		return RIB_BAD;
	if (e->nb_connected > 0)
		return RIB_CONNECTED;
	/* "ADDRESS/32 dev PORT" says where the neighbour is; the neighbour says the rest. */
	if (e->fixed != NULL && !(e->host != NULL && e->fixed->kind == ROUTE_DEV))
		return RIB_STATIC;
	return e->host != NULL ? RIB_HOST : RIB_NONE;
}

/* The port on whose link the entry puts its addresses, its host route aside. */
uint16_t
rib_link(const struct rib_entry *e)
{
	if (e->local || e->nb_bad > 0)
		return ROUTE_PORT_ANY;
	if (e->nb_connected > 0)
		return e->connected_port;
	return e->fixed != NULL && e->fixed->kind == ROUTE_DEV ? e->fixed->port : ROUTE_PORT_ANY;
}

bool
rib_is_bad(const struct router *r, uint32_t ip)
{
	const struct rib_entry *e = fib_exact(r->fib, ip, 32);

	return e != NULL && e->nb_bad > 0;
}

static uint16_t
static_id(const struct router *r, const struct static_route *st)
{
	switch (st->kind) {
	case ROUTE_DEV:
		return r->port[st->port].glean;
	case ROUTE_BLACKHOLE:
		return ADJ_ID_BLACKHOLE;
	default:
		return st->group->adj;
	}
}

static uint16_t
best_id(const struct router *r, const struct rib_entry *e)
{
	switch (rib_source(e)) {
	case RIB_LOCAL:
		return ADJ_ID_LOCAL;
	case RIB_BAD:
		return ADJ_ID_BAD_DESTINATION;
	case RIB_CONNECTED:
		return r->port[e->connected_port].glean;
	case RIB_STATIC:
		return static_id(r, e->fixed);
	case RIB_HOST:
		return e->host->adj;
	case RIB_NONE:
		break;
	}
	return ADJ_ID_NO_ROUTE;
}

static int
explain(const struct router *r, int ret, struct err *err)
{
	struct fib_info info;

	fib_info(r->fib, &info);
	if (ret == -EAGAIN)
		return err_set(err, ret,
			       "the workers have not let go of what was deleted just now; try "
			       "again in a moment");
	if (ret == -ENOSPC && info.routes >= info.max_routes)
		return err_set(err, ret,
			       "the table is full: %u routes, own and neighbours' included; delete "
			       "some or start with room for more",
			       info.max_routes);
	if (ret == -ENOSPC)
		return err_set(err, ret,
			       "all %u groups for prefixes longer than /24 are in use; delete some "
			       "or start with room for more",
			       info.max_groups);
	return err_set(err, ret, "the forwarding table refused it (%d)", ret);
}

static struct rib_entry *
get(struct router *r, uint32_t prefix, uint8_t depth, struct err *err)
{
	struct rib_entry *e = fib_exact(r->fib, prefix, depth);

	if (e != NULL)
		return e;
	e = calloc(1, sizeof(*e));
	if (e == NULL) {
		err_set(err, -ENOMEM, "no memory for another prefix");
		return NULL;
	}
	e->prefix = prefix;
	e->depth = depth;
	return e;
}

/* An entry whose last source is gone leaves the FIB first, and only then memory. */
static void
drop(struct router *r, struct rib_entry *e)
{
	if (e->in_fib)
		fib_del(r->fib, e->prefix, e->depth);
	if (e->depth == 0)
		hop_default(r, ADJ_ID_NO_ROUTE);
	free(e);
}

/* Make the FIB say what the best source wants.  On error it still says what it said. */
static int
sync_entry(struct router *r, struct rib_entry *e)
{
	uint16_t id = best_id(r, e);
	int ret;

	if (e->in_fib && e->id == id)
		return 0;
	/* The default route never moves in the FIB: workers always find id 0 for it. */
	if (e->depth > 0 || !e->in_fib) {
		ret = fib_add(r->fib, e->prefix, e->depth, e->depth == 0 ? FIB_ID_DEFAULT : id, e);
		if (ret < 0)
			return ret;
	}
	e->in_fib = true;
	e->id = id;
	if (e->depth == 0)
		hop_default(r, id);
	return 0;
}

/* After a source was added; before is the entry as it was, to go back to. */
static int
added(struct router *r, struct rib_entry *e, const struct rib_entry *before, struct err *err)
{
	int ret = sync_entry(r, e);

	if (ret == 0)
		return 0;
	*e = *before;
	if (rib_source(e) == RIB_NONE)
		free(e);
	return explain(r, ret, err);
}

/* After a source was taken away. */
static void
taken(struct router *r, struct rib_entry *e)
{
	char text[ADDR_PREFIX_TEXT];
	int ret;

	if (rib_source(e) == RIB_NONE) {
		drop(r, e);
		return;
	}
	ret = sync_entry(r, e);
	if (ret < 0)
		log_err("%s: the forwarding table did not follow (%d)",
			addr_prefix(text, e->prefix, e->depth), ret);
}

int
rib_add_local(struct router *r, uint32_t ip, struct err *err)
{
	struct rib_entry *e = get(r, ip, 32, err), before;
	int ret;

	if (e == NULL)
		return -ENOMEM;
	before = *e;
	e->local = true;
	ret = added(r, e, &before, err);
	if (ret == 0)
		host_refresh_within(r, ip, 32);
	return ret;
}

void
rib_del_local(struct router *r, uint32_t ip)
{
	struct rib_entry *e = fib_exact(r->fib, ip, 32);

	e->local = false;
	taken(r, e);
	host_refresh_within(r, ip, 32);
}

int
rib_add_bad(struct router *r, uint32_t ip, struct err *err)
{
	struct rib_entry *e = get(r, ip, 32, err), before;
	int ret;

	if (e == NULL)
		return -ENOMEM;
	before = *e;
	e->nb_bad++;
	ret = added(r, e, &before, err);
	if (ret == 0)
		host_refresh_within(r, ip, 32);
	return ret;
}

void
rib_del_bad(struct router *r, uint32_t ip)
{
	struct rib_entry *e = fib_exact(r->fib, ip, 32);

	e->nb_bad--;
	taken(r, e);
	host_refresh_within(r, ip, 32);
}

int
rib_add_connected(struct router *r, uint32_t prefix, uint8_t depth, uint16_t port, struct err *err)
{
	struct rib_entry *e = get(r, prefix, depth, err), before;
	int ret;

	if (e == NULL)
		return -ENOMEM;
	before = *e;
	e->nb_connected++;
	e->connected_port = port;
	ret = added(r, e, &before, err);
	if (ret == 0)
		host_refresh_within(r, prefix, depth);
	return ret;
}

void
rib_del_connected(struct router *r, uint32_t prefix, uint8_t depth)
{
	struct rib_entry *e = fib_exact(r->fib, prefix, depth);

	e->nb_connected--;
	taken(r, e);
	host_refresh_within(r, prefix, depth);
}

int
rib_set_host(struct router *r, struct neigh *n, struct err *err)
{
	struct rib_entry *e = get(r, n->ip, 32, err), before;

	if (e == NULL)
		return -ENOMEM;
	before = *e;
	e->host = n;
	return added(r, e, &before, err);
}

/* The address may have gone to the same neighbour address on another port in the meantime. */
void
rib_clear_host(struct router *r, struct neigh *n)
{
	struct rib_entry *e = fib_exact(r->fib, n->ip, 32);

	if (e == NULL || e->host != n)
		return;
	e->host = NULL;
	taken(r, e);
}

/*
 * Put st (NULL: nothing) where a static route is or is not; what was there comes back in *old,
 * still referenced, so that putting it back is always possible.
 */
int
rib_put_static(struct router *r, struct rib_prefix at, struct static_route *st,
	       struct static_route **old, struct err *err)
{
	struct rib_entry *e, before;
	int ret = 0;

	*old = NULL;
	if (st == NULL && fib_exact(r->fib, at.prefix, at.depth) == NULL)
		return 0;
	e = get(r, at.prefix, at.depth, err);
	if (e == NULL)
		return -ENOMEM;
	before = *e;
	e->fixed = st;
	if (st != NULL) {
		ret = added(r, e, &before, err);
		if (ret < 0)
			return ret;
	} else {
		taken(r, e);
	}
	*old = before.fixed;
	r->nb_static += (st != NULL) - (before.fixed != NULL);
	host_refresh_within(r, at.prefix, at.depth);
	return 0;
}

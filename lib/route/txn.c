/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "route/route_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A transaction is checked in the order of its commands and applied by its net effect: what the
 * commands for one prefix come to is one change of that prefix, and what is added or replaced goes
 * before what is deleted.  So a prefix deleted and added again never blinks, and undoing is only
 * ever rewriting or deleting a prefix, which cannot fail.
 */
#define TXN_OPS_MAX (1u << 25) /* commands: twice a full table's prefixes */

struct txn_op {
	uint32_t prefix, seq;
	uint8_t depth, what, kind, nb_nh;
	struct route_nh nh[];
};

struct change {
	struct rib_prefix at;
	struct static_route *old;
};

static int
grow(struct txn *txn)
{
	uint32_t size = txn->size == 0 ? 64 : txn->size * 2;
	struct txn_op **op;

	if (txn->n < txn->size)
		return 0;
	if (txn->size >= TXN_OPS_MAX)
		return -ENOSPC;
	op = reallocarray(txn->op, size, sizeof(txn->op[0]));
	if (op == NULL)
		return -ENOMEM;
	txn->op = op;
	txn->size = size;
	return 0;
}

int
txn_push(struct router *r, enum txn_what what, const struct route_spec *spec, struct err *err)
{
	uint8_t n = spec->kind == ROUTE_BLACKHOLE ? 0 : spec->kind == ROUTE_DEV ? 1 : spec->nb_nh;
	struct txn_op *op;
	int ret;

	ret = grow(&r->txn);
	if (ret == -ENOSPC)
		return err_set(err, ret, "the transaction holds %u changes; commit them first",
			       TXN_OPS_MAX);
	if (ret < 0)
		return err_set(err, ret, "no memory for a longer transaction");
	op = malloc(sizeof(*op) + n * sizeof(op->nh[0]));
	if (op == NULL)
		return err_set(err, -ENOMEM, "no memory for a longer transaction");
	op->prefix = spec->prefix;
	op->depth = spec->depth;
	op->seq = r->txn.n;
	op->what = (uint8_t)what;
	op->kind = spec->kind;
	op->nb_nh = n;
	memcpy(op->nh, spec->nh, n * sizeof(op->nh[0]));
	r->txn.op[r->txn.n++] = op;
	return 0;
}

void
txn_clear(struct txn *txn)
{
	for (uint32_t i = 0; i < txn->n; i++)
		free(txn->op[i]);
	free(txn->op);
	memset(txn, 0, sizeof(*txn));
}

static void
op_spec(const struct txn_op *op, struct route_spec *spec)
{
	spec->prefix = op->prefix;
	spec->depth = op->depth;
	spec->kind = op->kind;
	spec->nb_nh = op->nb_nh;
	memcpy(spec->nh, op->nh, op->nb_nh * sizeof(op->nh[0]));
}

static int
explain(const struct txn_op *op, int ret, struct err *err)
{
	static const char *const word[] = {
		[TXN_ADD] = "add", [TXN_REPLACE] = "replace", [TXN_DEL] = "del"
	};
	char text[ADDR_PREFIX_TEXT];

	return err_prefix(err, ret, "commit: nothing was changed: route %s %s", word[op->what],
			  addr_prefix(text, op->prefix, op->depth));
}

static int
by_prefix(const void *a, const void *b)
{
	const struct txn_op *x = *(struct txn_op *const *)a, *y = *(struct txn_op *const *)b;

	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

/* One past the last command for the prefix of command i, in sorted order. */
static uint32_t
group_end(const struct txn *txn, uint32_t i)
{
	const struct txn_op *first = txn->op[i];

	do
		i++;
	while (i < txn->n && txn->op[i]->prefix == first->prefix &&
	       txn->op[i]->depth == first->depth);
	return i;
}

/* Would this command be refused at its place in the order?  exists follows what it does. */
static int
check_op(const struct router *r, const struct txn_op *op, bool *exists, struct err *err)
{
	struct route_spec spec;
	int ret;

	op_spec(op, &spec);
	if (op->what == TXN_DEL && !*exists)
		return err_set(err, -ENOENT,
			       "there is no such static route; 'show route' lists them");
	if (op->what == TXN_ADD && *exists)
		return err_set(err, -EEXIST, "exists already; use 'route replace'");
	ret = static_check_gateways(r, &spec, err);
	if (ret == 0)
		*exists = op->what != TXN_DEL;
	return ret;
}

/* The error of the first command, in the user's order, that would be refused. */
static int
check(const struct router *r, struct err *err)
{
	const struct txn *txn = &r->txn;
	uint32_t first = UINT32_MAX;
	int first_ret = 0;

	for (uint32_t i = 0, end; i < txn->n; i = end) {
		const struct rib_entry *e =
			fib_exact(r->fib, txn->op[i]->prefix, txn->op[i]->depth);
		bool exists = e != NULL && e->fixed != NULL;

		end = group_end(txn, i);
		for (uint32_t j = i; j < end; j++) {
			struct err why;
			int ret = check_op(r, txn->op[j], &exists, &why);

			if (ret == 0 || txn->op[j]->seq >= first)
				continue;
			first = txn->op[j]->seq;
			first_ret = err_set(err, ret, "%s", why.text);
			explain(txn->op[j], ret, err);
		}
	}
	return first_ret;
}

static void
undo(struct router *r, struct change *change, uint32_t n)
{
	while (n-- > 0) {
		struct static_route *mine;

		rib_put_static(r, change[n].at, change[n].old, &mine, NULL);
		static_destroy(r, mine);
	}
}

static int
put(struct router *r, const struct txn_op *op, struct change *change, struct err *err)
{
	struct static_route *st;
	struct route_spec spec;
	int ret;

	op_spec(op, &spec);
	ret = static_build(r, &spec, &st, err);
	if (ret < 0)
		return ret;
	change->at = (struct rib_prefix){ .prefix = op->prefix, .depth = op->depth };
	ret = rib_put_static(r, change->at, st, &change->old, err);
	if (ret < 0)
		static_destroy(r, st);
	return ret;
}

static void
take(struct router *r, const struct txn_op *op)
{
	struct rib_prefix at = { .prefix = op->prefix, .depth = op->depth };
	struct static_route *old;

	rib_put_static(r, at, NULL, &old, NULL);
	static_destroy(r, old);
}

/* In sorted order and checked. */
static int
apply(struct router *r, struct err *err)
{
	const struct txn *txn = &r->txn;
	struct change *change = calloc(txn->n, sizeof(*change));
	uint32_t n = 0;
	int ret;

	if (change == NULL)
		return err_set(err, -ENOMEM, "commit: no memory; nothing was changed");
	for (uint32_t i = 0, end; i < txn->n; i = end) {
		const struct txn_op *last;

		end = group_end(txn, i);
		last = txn->op[end - 1];
		if (last->what == TXN_DEL)
			continue;
		ret = put(r, last, &change[n], err);
		if (ret < 0) {
			explain(last, ret, err);
			undo(r, change, n);
			free(change);
			return ret;
		}
		n++;
	}
	for (uint32_t i = 0, end; i < txn->n; i = end) {
		end = group_end(txn, i);
		if (txn->op[end - 1]->what == TXN_DEL)
			take(r, txn->op[end - 1]);
	}
	while (n-- > 0)
		static_destroy(r, change[n].old);
	free(change);
	return 0;
}

int
router_begin(struct router *r, struct err *err)
{
	if (r->txn.open)
		return err_set(
			err, -EBUSY,
			"begin: a transaction is open already; 'commit' or 'abort' it first");
	r->txn.open = true;
	return 0;
}

int
router_commit(struct router *r, struct err *err)
{
	int ret = 0;

	if (!r->txn.open)
		return err_set(err, -EINVAL, "commit: there is no transaction; 'begin' opens one");
	if (r->txn.n > 0) {
		qsort(r->txn.op, r->txn.n, sizeof(r->txn.op[0]), by_prefix);
		ret = check(r, err);
		if (ret == 0)
			ret = apply(r, err);
	}
	txn_clear(&r->txn);
	return ret;
}

int
router_abort(struct router *r, struct err *err)
{
	if (!r->txn.open)
		return err_set(err, -EINVAL, "abort: there is no transaction; 'begin' opens one");
	txn_clear(&r->txn);
	return 0;
}

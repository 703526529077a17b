/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/router.h"

static void
nothing_moves_before_commit(void **state)
{
	struct bed *b = *state;

	bed_addr(b, "192.0.2.2/24", 1);
	bed_route(b, "10.0.0.0/8", "192.0.2.1");
	assert_int_equal(router_begin(b->r, &b->err), 0);
	assert_int_equal(bed_route(b, "20.0.0.0/8", "192.0.2.3"), 0);
	assert_int_equal(bed_route_del(b, "10.0.0.0/8"), 0);
	assert_int_equal(bed_blackhole(b, "0.0.0.0/0"), 0);
	assert_asks(b, "10.0.0.1", 1, "192.0.2.1");
	assert_kind(b, "20.0.0.1", ADJ_NO_ROUTE);
	assert_int_equal(router_route_count(b->r), 1);
	assert_int_equal(router_commit(b->r, &b->err), 0);
	assert_kind(b, "10.0.0.1", ADJ_BLACKHOLE);
	assert_asks(b, "20.0.0.1", 1, "192.0.2.3");
	assert_int_equal(router_route_count(b->r), 2);
	/* It is over: changes are immediate again. */
	assert_int_equal(bed_route_del(b, "20.0.0.0/8"), 0);
	assert_kind(b, "20.0.0.1", ADJ_BLACKHOLE);
}

static void
abort_forgets(void **state)
{
	struct bed *b = *state;

	assert_says(b, router_abort(b->r, &b->err), -EINVAL, "'begin' opens one");
	assert_says(b, router_commit(b->r, &b->err), -EINVAL, "'begin' opens one");
	assert_int_equal(router_begin(b->r, &b->err), 0);
	assert_says(b, router_begin(b->r, &b->err), -EBUSY, "'commit' or 'abort'");
	assert_int_equal(bed_blackhole(b, "10.0.0.0/8"), 0);
	assert_int_equal(router_abort(b->r, &b->err), 0);
	bed_assert_empty(b);
	assert_int_equal(router_begin(b->r, &b->err), 0);
	assert_int_equal(router_commit(b->r, &b->err), 0);
	bed_assert_empty(b);
	/* One left open goes with the router. */
	assert_int_equal(router_begin(b->r, &b->err), 0);
	assert_int_equal(bed_blackhole(b, "10.0.0.0/8"), 0);
}

static void
syntax_is_checked_when_queued(void **state)
{
	struct bed *b = *state;

	router_begin(b->r, &b->err);
	assert_says(b, bed_blackhole(b, "10.0.0.1/8"), -EINVAL, "host bits");
	assert_says(b, bed_route(b, "10.0.0.0/8", "224.0.0.1"), -EINVAL, "no host's");
	assert_int_equal(router_commit(b->r, &b->err), 0);
	bed_assert_empty(b);
}

static void
the_first_error_in_order_is_told(void **state)
{
	struct bed *b = *state;

	bed_blackhole(b, "10.0.0.0/8");
	bed_blackhole(b, "30.0.0.0/8");
	router_begin(b->r, &b->err);
	bed_blackhole(b, "50.0.0.0/8");
	bed_route(b, "30.0.0.0/8", "192.0.2.1"); /* exists: the first error, not the first prefix */
	bed_route_del(b, "20.0.0.0/8");          /* absent */
	bed_route_del(b, "10.0.0.0/8");
	assert_says(b, router_commit(b->r, &b->err), -EEXIST,
		    "commit: nothing was changed: route add 30.0.0.0/8: exists already");
	assert_kind(b, "10.0.0.1", ADJ_BLACKHOLE);
	assert_kind(b, "50.0.0.1", ADJ_NO_ROUTE);
	assert_int_equal(router_route_count(b->r), 2);

	router_begin(b->r, &b->err);
	bed_route_del(b, "10.0.0.0/8");
	bed_route_del(b, "10.0.0.0/8");
	assert_says(b, router_commit(b->r, &b->err), -ENOENT, "route del 10.0.0.0/8");
	assert_kind(b, "10.0.0.1", ADJ_BLACKHOLE);

	/* A gateway that became ours between the command and the commit. */
	router_begin(b->r, &b->err);
	bed_blackhole(b, "50.0.0.0/8");
	assert_int_equal(bed_route(b, "60.0.0.0/8", "192.0.2.1"), 0);
	bed_addr(b, "192.0.2.1/24", 0);
	assert_says(b, router_commit(b->r, &b->err), -EINVAL, "own address");
	assert_kind(b, "50.0.0.1", ADJ_NO_ROUTE);
}

static void
commands_see_those_before_them(void **state)
{
	struct bed *b = *state;
	uint16_t id;

	bed_addr(b, "192.0.2.2/24", 1);
	bed_route(b, "10.0.0.0/8", "192.0.2.1");
	id = bed_id(b, "10.0.0.1");
	router_begin(b->r, &b->err);
	bed_route_del(b, "10.0.0.0/8");
	bed_route(b, "10.0.0.0/8", "192.0.2.9");
	bed_replace(b, "10.0.0.0/8", "192.0.2.1");
	bed_route(b, "20.0.0.0/8", "192.0.2.1");
	bed_route_del(b, "20.0.0.0/8");
	assert_int_equal(router_commit(b->r, &b->err), 0);
	/* It came to nothing, so nothing moved. */
	assert_int_equal(bed_id(b, "10.0.0.1"), id);
	assert_asks(b, "10.0.0.1", 1, "192.0.2.1");
	assert_kind(b, "20.0.0.1", ADJ_NO_ROUTE);
	assert_int_equal(adj_used(b->r->adjs), BED_PORTS + 1);
}

static void
a_table_that_fills_up_is_put_back(void **state)
{
	static const struct router_config limits = { .max_routes = 7,
						     .max_groups = 8,
						     .max_neighs = 8 };
	char text[20];
	struct bed b;

	(void)state;
	bed_open(&b, &limits);
	bed_addr(&b, "192.0.2.2/24", 1);  /* four prefixes */
	bed_learn(&b, 1, "192.0.2.1", 1); /* five */
	bed_route(&b, "10.0.0.0/8", "192.0.2.1");
	router_begin(b.r, &b.err);
	bed_replace(&b, "10.0.0.0/8", "192.0.2.9");
	for (unsigned int i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "%u.0.0.0/8", 20 + i);
		bed_route(&b, text, "192.0.2.8");
	}
	assert_says(&b, router_commit(b.r, &b.err), -ENOSPC, "route add 21.0.0.0/8: the table is");
	assert_sends(&b, "10.0.0.1", 1, 1);
	assert_kind(&b, "20.0.0.1", ADJ_NO_ROUTE);
	assert_int_equal(router_route_count(b.r), 1);
	assert_int_equal(adj_used(b.r->adjs), BED_PORTS + 2);
	assert_int_equal(neigh_count(router_neighs(b.r)), 1);
	bed_route_del(&b, "10.0.0.0/8");
	bed_addr_del(&b, "192.0.2.2/24", 1);
	bed_assert_empty(&b);
	router_destroy(b.r);
	free(b.rcu);
}

#define bed_test(f) cmocka_unit_test_setup_teardown(f, bed_setup, bed_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		bed_test(nothing_moves_before_commit),
		bed_test(abort_forgets),
		bed_test(syntax_is_checked_when_queued),
		bed_test(the_first_error_in_order_is_told),
		bed_test(commands_see_those_before_them),
		cmocka_unit_test(a_table_that_fills_up_is_put_back),
	};

	test_eal_init("test_route_txn", "0", "128");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

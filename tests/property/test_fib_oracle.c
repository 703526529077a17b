/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/atomics.h"
#include "fib/fib.h"
#include "support/cmocka.h"
#include "support/fib_env.h"
#include "support/fib_linear.h"
#include "support/random.h"

#include <time.h>

/*
 * Random adds, replacements and deletions against the linear oracle.  TEST_SEED repeats a run.
 * Prefixes are drawn close to each other, so that they nest, touch and share /24s; max_routes and
 * max_groups are small enough to be reached.
 */
#define ROUTES 300
#define GROUPS 40
#ifdef ATOMICS_TSAN
#define OPS   2000 /* one thread: it has little to see here, and is slow */
#define EVERY 8
#else
#define OPS   20000
#define EVERY 1
#endif
#define PHASE  2500 /* changes before growing turns to shrinking and back */
#define CHECK  250  /* changes between two looks at everything */
#define PROBES (ROUTES * 5 + 64)

static struct rte_rcu_qsbr *rcu;
static struct fib *fib;
static struct linear oracle;
static struct test_random numbers;
static char owners[FIB_ID_MAX + 1];
static unsigned int met_no_route, met_no_group; /* how often a limit was reached */

static uint32_t
rnd(uint32_t below)
{
	return test_random_below(&numbers, below);
}

/* Short prefixes paint megabytes, so they are rare. */
static uint8_t
any_depth(void)
{
	uint32_t kind = rnd(100);

	if (kind == 0 && rnd(2) == 0)
		return (uint8_t)rnd(8);
	if (kind < 30)
		return (uint8_t)(8 + rnd(16));
	if (kind < 45)
		return 24;
	return (uint8_t)(25 + rnd(8));
}

static uint32_t
any_ip(void)
{
	static const uint8_t corner[] = { 0, 1, 127, 128, 254, 255 };
	uint32_t ip;

	if (rnd(3) != 0 && oracle.n > 0) {
		ip = oracle.route[rnd(oracle.n)].prefix;
		return ip ^ (rnd(2) == 0 ? 0 : 1u << rnd(32));
	}
	ip = (uint32_t)corner[rnd(6)] << 24 | rnd(2) << 16 | rnd(4) << 8;
	return ip | corner[rnd(6)];
}

static void
check_ips(const uint32_t *ip, uint16_t n)
{
	static uint16_t id[PROBES];

	fib_lookup_bulk(fib, ip, id, n);
	for (uint16_t i = 0; i < n; i++) {
		const struct linear_route *want = linear_match(&oracle, ip[i]);
		char text[ADDR_IP4_TEXT];

		if (id[i] != (want == NULL ? FIB_ID_DEFAULT : want->id))
			fail_msg("%s: %u, want %u", addr_ip4(text, ip[i]), id[i],
				 want == NULL ? FIB_ID_DEFAULT : want->id);
		assert_ptr_equal(fib_match(fib, ip[i]), want == NULL ? NULL : want->owner);
	}
}

/* The first and the last address of a prefix, what lies beside them, and one within. */
static uint16_t
edges(uint32_t *ip, uint32_t prefix, uint8_t depth)
{
	uint32_t last = prefix | ~addr_mask(depth);

	ip[0] = prefix - 1;
	ip[1] = prefix;
	ip[2] = last;
	ip[3] = last + 1;
	ip[4] = prefix | (rnd(UINT32_MAX) & ~addr_mask(depth));
	return 5;
}

static int
compare_walk(uint32_t prefix, uint8_t depth, uint16_t id, void *owner, void *arg)
{
	unsigned int *at = arg;
	const struct linear_route *want = &oracle.route[*at];

	assert_true(*at < oracle.n);
	assert_int_equal(prefix, want->prefix);
	assert_int_equal(depth, want->depth);
	assert_int_equal(id, want->id);
	assert_ptr_equal(owner, want->owner);
	(*at)++;
	return 0;
}

/* The routes within a prefix stand together in the oracle's list, but for those that hold it. */
static void
check_walk(uint32_t prefix, uint8_t depth)
{
	unsigned int from = 0, end;

	while (from < oracle.n &&
	       (oracle.route[from].prefix < prefix ||
		(oracle.route[from].prefix == prefix && oracle.route[from].depth < depth)))
		from++;
	for (end = from; end < oracle.n; end++) {
		if ((oracle.route[end].prefix & addr_mask(depth)) != prefix)
			break;
	}
	assert_int_equal(fib_walk(fib, prefix, depth, compare_walk, &from), 0);
	assert_int_equal(from, end);
}

static void
check_all(void)
{
	static uint32_t ip[PROBES];
	struct fib_info info;
	uint32_t by_depth[33] = { 0 };
	uint16_t n = 0;

	for (unsigned int i = 0; i < oracle.n; i++) {
		const struct linear_route *r = &oracle.route[i];

		n = (uint16_t)(n + edges(&ip[n], r->prefix, r->depth));
		by_depth[r->depth]++;
		assert_ptr_equal(fib_exact(fib, r->prefix, r->depth), r->owner);
		check_walk(r->prefix, r->depth);
	}
	for (unsigned int i = 0; i < 64; i++)
		ip[n++] = rnd(UINT32_MAX);
	check_ips(ip, n);
	check_walk(0, 0);

	fib_info(fib, &info);
	assert_int_equal(info.routes, oracle.n);
	assert_memory_equal(info.routes_by_depth, by_depth, sizeof(by_depth));
	assert_int_equal(info.groups_used, linear_groups(&oracle));
}

static bool
group_needed(uint32_t prefix, uint8_t depth)
{
	unsigned int before = linear_groups(&oracle), after;

	if (linear_exact(&oracle, prefix, depth) != NULL)
		return false;
	linear_add(&oracle, prefix, depth, 0, owners);
	after = linear_groups(&oracle);
	linear_del(&oracle, prefix, depth);
	return after > before;
}

static void
change_add(uint32_t prefix, uint8_t depth)
{
	uint16_t id = depth == 0 ? FIB_ID_DEFAULT : (uint16_t)rnd(rnd(2) == 0 ? 4 : FIB_ID_MAX + 1);
	bool no_route = linear_exact(&oracle, prefix, depth) == NULL && oracle.n == ROUTES;
	bool no_group = linear_groups(&oracle) == GROUPS && group_needed(prefix, depth);
	void *owner = &owners[rnd(sizeof(owners))];
	int ret = fib_add(fib, prefix, depth, id, owner);

	assert_int_equal(ret, no_route || no_group ? -ENOSPC : 0);
	if (ret == 0)
		linear_add(&oracle, prefix, depth, id, owner);
	met_no_route += no_route;
	met_no_group += no_group;
}

static void
change(unsigned int phase)
{
	uint8_t depth = any_depth();
	uint32_t prefix = any_ip() & addr_mask(depth), ip[5];

	/* Tables grow in even phases and shrink in odd ones. */
	if (rnd(10) < (phase % 2 == 0 ? 7u : 3u)) {
		change_add(prefix, depth);
	} else {
		if (rnd(8) != 0 && oracle.n > 0) {
			unsigned int i = rnd(oracle.n);

			prefix = oracle.route[i].prefix;
			depth = oracle.route[i].depth;
		}
		assert_int_equal(fib_del(fib, prefix, depth),
				 linear_del(&oracle, prefix, depth) ? 0 : -ENOENT);
	}
	check_ips(ip, edges(ip, prefix, depth));
}

static void
it_answers_as_the_oracle_does(void **state)
{
	struct fib_config cfg = {
		.max_routes = ROUTES, .max_groups = GROUPS, .socket = SOCKET_ID_ANY, .rcu = rcu
	};
	struct fib_info info;

	(void)state;
	linear_init(&oracle, ROUTES + 1);
	assert_int_equal(fib_create(&fib, &cfg), 0);
	for (unsigned int i = 0; i < OPS; i++) {
		change(i / PHASE);
		if (i % CHECK == 0)
			check_all();
	}
	check_all();
	assert_true(met_no_route > 10 && met_no_group > 10);
	while (oracle.n > 0) {
		struct linear_route r = oracle.route[rnd(oracle.n)];
		uint32_t ip[5];

		assert_int_equal(fib_del(fib, r.prefix, r.depth), 0);
		linear_del(&oracle, r.prefix, r.depth);
		check_ips(ip, edges(ip, r.prefix, r.depth));
	}
	fib_reclaim(fib);
	fib_info(fib, &info);
	assert_int_equal(info.routes + info.groups_used + info.groups_retired, 0);
	fib_destroy(fib);
	linear_fini(&oracle);
}

/* Every entry, not some of them: after the last route has gone, all of the address space is default. */
static void
nothing_is_left_behind(void **state)
{
	struct fib_config cfg = {
		.max_routes = ROUTES, .max_groups = GROUPS, .socket = SOCKET_ID_ANY, .rcu = rcu
	};
	static uint32_t ip[4096];
	static uint16_t id[4096];

	(void)state;
	linear_init(&oracle, ROUTES + 1);
	assert_int_equal(fib_create(&fib, &cfg), 0);
	for (unsigned int i = 0; i < 500; i++)
		change(0);
	while (oracle.n > 0) {
		struct linear_route r = oracle.route[rnd(oracle.n)];

		assert_int_equal(fib_del(fib, r.prefix, r.depth), 0);
		linear_del(&oracle, r.prefix, r.depth);
	}
	for (uint32_t slash24 = 0; slash24 < 1u << 24; slash24 += EVERY * RTE_DIM(ip)) {
		for (uint32_t i = 0; i < RTE_DIM(ip); i++)
			ip[i] = (slash24 + i) << 8 | 77;
		fib_lookup_bulk(fib, ip, id, RTE_DIM(ip));
		for (uint32_t i = 0; i < RTE_DIM(ip); i++) {
			if (id[i] != FIB_ID_DEFAULT)
				fail_msg("%08x: %u", ip[i], id[i]);
		}
	}
	fib_destroy(fib);
	linear_fini(&oracle);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_answers_as_the_oracle_does),
		cmocka_unit_test(nothing_is_left_behind),
	};
	int ret;

	numbers = test_random_start((uint64_t)time(NULL));
	rcu = fib_env_start("test_fib_oracle", 1);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	fib_env_stop(rcu);
	return ret;
}

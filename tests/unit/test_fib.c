/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "fib/fib.h"
#include "support/cmocka.h"
#include "support/fib_env.h"

#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>

#define ROUTES  64
#define GROUPS  3
#define READERS 2

static struct rte_rcu_qsbr *rcu;
static struct fib *fib;
static char owner[16]; /* only addresses matter */

static int
start(void **state)
{
	struct fib_config cfg = {
		.max_routes = ROUTES, .max_groups = GROUPS, .socket = SOCKET_ID_ANY, .rcu = rcu
	};

	(void)state;
	assert_int_equal(rte_rcu_qsbr_init(rcu, READERS), 0);
	return fib_create(&fib, &cfg);
}

static int
stop(void **state)
{
	(void)state;
	fib_destroy(fib);
	return 0;
}

static uint16_t
lookup(uint32_t ip)
{
	uint16_t id = 0xffff;

	fib_lookup_bulk(fib, &ip, &id, 1);
	return id;
}

static void
add(uint32_t prefix, uint8_t depth, uint16_t id)
{
	assert_int_equal(fib_add(fib, prefix, depth, id, &owner[id % sizeof(owner)]), 0);
}

static struct fib_info
info(void)
{
	struct fib_info i;

	fib_info(fib, &i);
	return i;
}

static void
create_refuses_what_it_cannot_hold(void **state)
{
	static const struct {
		const char *what;
		const char *backend;
		uint32_t routes, groups;
		int want;
	} rows[] = {
		{ "unknown backend", "trie", 10, 10, -EINVAL },
		{ "empty backend name", "", 10, 10, -EINVAL },
		{ "no routes", NULL, 0, 10, -EINVAL },
		{ "too many routes", NULL, FIB_ROUTES_MAX + 1, 10, -EINVAL },
		{ "no groups", NULL, 10, 0, -EINVAL },
		{ "too many groups", NULL, 10, FIB_GROUPS_MAX + 1, -EINVAL },
		{ "more than there is memory", NULL, FIB_ROUTES_MAX, 10, -ENOMEM },
		{ "the least", "dir24", 1, 1, 0 },
	};
	struct fib *const untouched = (struct fib *)&owner;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct fib_config cfg = {
			.backend = rows[i].backend,
			.max_routes = rows[i].routes,
			.max_groups = rows[i].groups,
			.socket = SOCKET_ID_ANY,
			.rcu = rcu,
		};
		struct fib *f = untouched;
		int ret = fib_create(&f, &cfg);

		if (ret != rows[i].want)
			fail_msg("%s: %d, want %d", rows[i].what, ret, rows[i].want);
		if (ret == 0)
			fib_destroy(f);
		else
			assert_ptr_equal(f, untouched);
		assert_int_equal(fib_bytes(&cfg) == 0, rows[i].want == -EINVAL);
	}
	fib_destroy(NULL);
}

static void
create_wants_an_rcu(void **state)
{
	struct fib_config cfg = { .max_routes = 1, .max_groups = 1, .socket = SOCKET_ID_ANY };
	struct fib *f = NULL;

	(void)state;
	assert_int_equal(fib_create(&f, &cfg), -EINVAL);
	assert_null(f);
}

static void
add_refuses_what_is_no_route(void **state)
{
	static const struct {
		const char *what;
		uint32_t prefix;
		uint8_t depth;
		uint16_t id;
		void *owner;
	} rows[] = {
		{ "depth 33", IP4(10, 0, 0, 0), 33, 1, owner },
		{ "depth 255", IP4(10, 0, 0, 0), 255, 1, owner },
		{ "host bits", IP4(10, 0, 0, 1), 31, 1, owner },
		{ "host bits of /0", IP4(128, 0, 0, 0), 0, FIB_ID_DEFAULT, owner },
		{ "id too large", IP4(10, 0, 0, 0), 8, FIB_ID_MAX + 1, owner },
		{ "no owner", IP4(10, 0, 0, 0), 8, 1, NULL },
		{ "default route with an id", 0, 0, 1, owner },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		if (fib_add(fib, rows[i].prefix, rows[i].depth, rows[i].id, rows[i].owner) !=
		    -EINVAL)
			fail_msg("%s was taken", rows[i].what);
	}
	assert_int_equal(info().routes, 0);
	assert_int_equal(lookup(IP4(10, 0, 0, 1)), FIB_ID_DEFAULT);
}

static void
del_finds_exact_prefixes_only(void **state)
{
	(void)state;
	add(IP4(10, 0, 0, 0), 8, 1);
	assert_int_equal(fib_del(fib, IP4(10, 0, 0, 0), 9), -ENOENT);
	assert_int_equal(fib_del(fib, IP4(10, 0, 0, 0), 7), -ENOENT);
	assert_int_equal(fib_del(fib, IP4(10, 0, 0, 1), 8), -ENOENT);
	assert_int_equal(fib_del(fib, IP4(10, 0, 0, 0), 33), -ENOENT);
	assert_int_equal(fib_del(fib, 0, 0), -ENOENT);
	assert_int_equal(lookup(IP4(10, 0, 0, 0)), 1);
	assert_int_equal(fib_del(fib, IP4(10, 0, 0, 0), 8), 0);
	assert_int_equal(fib_del(fib, IP4(10, 0, 0, 0), 8), -ENOENT);
	assert_int_equal(lookup(IP4(10, 0, 0, 0)), FIB_ID_DEFAULT);
}

static const struct {
	uint32_t prefix;
	uint8_t depth;
	uint16_t id;
} mix[] = {
	{ IP4(0, 0, 0, 0), 0, FIB_ID_DEFAULT },
	{ IP4(10, 0, 0, 0), 8, 1 },
	{ IP4(10, 1, 2, 0), 24, 2 },
	{ IP4(10, 1, 2, 128), 25, 3 },
	{ IP4(10, 1, 2, 255), 32, 4 },
	{ IP4(255, 255, 255, 255), 32, 5 },
	{ IP4(252, 0, 0, 0), 6, FIB_ID_MAX },
};

static void
answers_with(unsigned int present)
{
	static const uint32_t ips[] = {
		0,
		IP4(9, 255, 255, 255),
		IP4(10, 0, 0, 0),
		IP4(10, 1, 1, 255),
		IP4(10, 1, 2, 0),
		IP4(10, 1, 2, 127),
		IP4(10, 1, 2, 128),
		IP4(10, 1, 2, 254),
		IP4(10, 1, 2, 255),
		IP4(10, 1, 3, 0),
		IP4(10, 255, 255, 255),
		IP4(11, 0, 0, 0),
		IP4(251, 255, 255, 255),
		IP4(252, 0, 0, 0),
		IP4(255, 255, 255, 254),
		IP4(255, 255, 255, 255),
	};
	uint16_t id[RTE_DIM(ips)];

	fib_lookup_bulk(fib, ips, id, RTE_DIM(ips));
	for (size_t i = 0; i < RTE_DIM(ips); i++) {
		uint16_t want = FIB_ID_DEFAULT;
		void *want_owner = NULL;
		int depth = -1;

		for (size_t r = 0; r < RTE_DIM(mix); r++) {
			if ((present & 1u << r) != 0 && mix[r].depth > depth &&
			    (ips[i] & addr_mask(mix[r].depth)) == mix[r].prefix) {
				depth = mix[r].depth;
				want = mix[r].id;
				want_owner = &owner[mix[r].id % sizeof(owner)];
			}
		}
		if (id[i] != want)
			fail_msg("%08x with routes %x: %u, want %u", ips[i], present, id[i], want);
		assert_ptr_equal(fib_match(fib, ips[i]), want_owner);
	}
}

/* Every set of these seven can be reached from every other: walk them in Gray code and back. */
static void
any_mix_of_lengths_in_any_order(void **state)
{
	unsigned int present = 0;

	(void)state;
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int step = 1; step <= 1u << RTE_DIM(mix); step++) {
			unsigned int r = (unsigned int)__builtin_ctz(step) % RTE_DIM(mix);

			if (round == 1)
				r = RTE_DIM(mix) - 1 - r;
			if ((present & 1u << r) != 0)
				assert_int_equal(fib_del(fib, mix[r].prefix, mix[r].depth), 0);
			else
				add(mix[r].prefix, mix[r].depth, mix[r].id);
			present ^= 1u << r;
			answers_with(present);
		}
	}
}

static void
half_of_the_address_space(void **state)
{
	(void)state;
	add(IP4(200, 0, 0, 1), 32, 3);
	add(IP4(128, 0, 0, 0), 1, 2);
	assert_int_equal(lookup(IP4(127, 255, 255, 255)), FIB_ID_DEFAULT);
	assert_int_equal(lookup(IP4(128, 0, 0, 0)), 2);
	assert_int_equal(lookup(IP4(200, 0, 0, 0)), 2);
	assert_int_equal(lookup(IP4(200, 0, 0, 1)), 3);
	assert_int_equal(lookup(UINT32_MAX), 2);
	assert_int_equal(fib_del(fib, IP4(128, 0, 0, 0), 1), 0);
	assert_int_equal(lookup(IP4(128, 0, 0, 0)), FIB_ID_DEFAULT);
	assert_int_equal(lookup(IP4(200, 0, 0, 1)), 3);
	assert_int_equal(lookup(UINT32_MAX), FIB_ID_DEFAULT);
}

static void
default_route_alone_and_among_others(void **state)
{
	(void)state;
	assert_int_equal(lookup(IP4(192, 0, 2, 1)), FIB_ID_DEFAULT);
	assert_null(fib_match(fib, IP4(192, 0, 2, 1)));
	add(0, 0, FIB_ID_DEFAULT);
	assert_ptr_equal(fib_match(fib, IP4(192, 0, 2, 1)), &owner[0]);
	assert_ptr_equal(fib_exact(fib, 0, 0), &owner[0]);
	add(IP4(192, 0, 2, 0), 24, 7);
	assert_int_equal(lookup(IP4(192, 0, 2, 1)), 7);
	assert_int_equal(fib_del(fib, 0, 0), 0);
	assert_int_equal(lookup(IP4(192, 0, 2, 1)), 7);
	add(0, 0, FIB_ID_DEFAULT);
	assert_int_equal(fib_del(fib, IP4(192, 0, 2, 0), 24), 0);
	assert_int_equal(lookup(IP4(192, 0, 2, 1)), FIB_ID_DEFAULT);
	assert_ptr_equal(fib_match(fib, IP4(192, 0, 2, 1)), &owner[0]);
}

static void
replace_moves_route_and_owner(void **state)
{
	static const uint8_t depths[] = { 8, 24, 25, 32 };

	(void)state;
	for (size_t i = 0; i < RTE_DIM(depths); i++) {
		uint32_t ip = IP4(10, 0, 0, 0);

		add(ip, depths[i], 1);
		add(ip, depths[i], 2);
		assert_int_equal(lookup(ip), 2);
		assert_ptr_equal(fib_exact(fib, ip, depths[i]), &owner[2]);
		assert_int_equal(fib_add(fib, ip, depths[i], 2, &owner[9]), 0);
		assert_int_equal(lookup(ip), 2);
		assert_ptr_equal(fib_match(fib, ip), &owner[9]);
		assert_int_equal(info().routes, i + 1);
		assert_int_equal(info().routes_by_depth[depths[i]], 1);
	}
}

static void
exact_and_match(void **state)
{
	(void)state;
	add(IP4(10, 0, 0, 0), 8, 1);
	add(IP4(10, 0, 0, 0), 30, 2);
	assert_ptr_equal(fib_exact(fib, IP4(10, 0, 0, 0), 8), &owner[1]);
	assert_ptr_equal(fib_exact(fib, IP4(10, 0, 0, 0), 30), &owner[2]);
	assert_null(fib_exact(fib, IP4(10, 0, 0, 0), 9));
	assert_null(fib_exact(fib, IP4(10, 0, 0, 1), 30)); /* host bits: not this prefix */
	assert_null(fib_exact(fib, IP4(10, 0, 0, 0), 33));
	assert_null(fib_exact(fib, 0, 0));
	assert_ptr_equal(fib_match(fib, IP4(10, 0, 0, 3)), &owner[2]);
	assert_ptr_equal(fib_match(fib, IP4(10, 0, 0, 4)), &owner[1]);
	assert_null(fib_match(fib, IP4(11, 0, 0, 0)));
}

/* A long prefix's id may be its parent's: it takes a group, and gives it back. */
static void
groups_come_and_go(void **state)
{
	(void)state;
	add(IP4(10, 0, 0, 0), 24, 1);
	add(IP4(10, 0, 0, 128), 25, 1);
	add(IP4(10, 0, 0, 4), 30, 2);
	add(IP4(10, 0, 1, 4), 32, 3);
	assert_int_equal(info().groups_used, 2);
	assert_int_equal(fib_del(fib, IP4(10, 0, 0, 4), 30), 0);
	assert_int_equal(info().groups_used, 2);
	assert_int_equal(lookup(IP4(10, 0, 0, 4)), 1);
	assert_int_equal(fib_del(fib, IP4(10, 0, 0, 128), 25), 0);
	assert_int_equal(info().groups_used, 1);
	assert_int_equal(info().groups_retired, 1);
	fib_reclaim(fib); /* nobody reads */
	assert_int_equal(info().groups_retired, 0);
	assert_int_equal(lookup(IP4(10, 0, 0, 200)), 1);
	assert_int_equal(lookup(IP4(10, 0, 1, 4)), 3);
	assert_int_equal(lookup(IP4(10, 0, 1, 5)), FIB_ID_DEFAULT);
}

static void
nothing_changes_when_groups_run_out(void **state)
{
	struct fib_info before, after;

	(void)state;
	add(IP4(10, 0, 0, 0), 8, 9);
	for (uint32_t i = 0; i < GROUPS; i++)
		add(IP4(10, 0, i, 1), 32, 1);
	fib_info(fib, &before);
	assert_int_equal(fib_add(fib, IP4(10, 0, GROUPS, 1), 32, 2, owner), -ENOSPC);
	fib_info(fib, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_null(fib_exact(fib, IP4(10, 0, GROUPS, 1), 32));
	assert_int_equal(lookup(IP4(10, 0, GROUPS, 1)), 9);
	add(IP4(10, 0, 0, 128), 25, 3); /* a second one of a /24 needs no group */
	add(IP4(10, 0, GROUPS, 0), 24, 4);
	assert_int_equal(fib_del(fib, IP4(10, 0, 1, 1), 32), 0);
	add(IP4(10, 0, GROUPS, 1), 32, 2);
	assert_int_equal(lookup(IP4(10, 0, GROUPS, 1)), 2);
	assert_int_equal(lookup(IP4(10, 0, GROUPS, 2)), 4);
	assert_int_equal(lookup(IP4(10, 0, 1, 1)), 9);
}

static void
nothing_changes_when_routes_run_out(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ROUTES; i++)
		add(IP4(10, i, 0, 0), 16, (uint16_t)(i + 1));
	assert_int_equal(fib_add(fib, IP4(11, 0, 0, 0), 8, 2, owner), -ENOSPC);
	assert_int_equal(fib_add(fib, IP4(10, 0, 0, 1), 32, 2, owner), -ENOSPC);
	assert_int_equal(fib_add(fib, 0, 0, 0, owner), -ENOSPC);
	assert_int_equal(info().routes, ROUTES);
	assert_int_equal(info().groups_used, 0);
	assert_int_equal(lookup(IP4(10, 0, 0, 1)), 1);
	add(IP4(10, 0, 0, 0), 16, 3); /* a replacement needs no room */
	assert_int_equal(fib_del(fib, IP4(10, 5, 0, 0), 16), 0);
	assert_int_equal(fib_add(fib, 0, 0, 0, owner), 0);
	assert_int_equal(info().routes, ROUTES);
}

/* What max_routes promises also holds for a tree with as many forks as it can have. */
static void
every_promised_route_has_a_place(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < ROUTES; i++)
			add(i << 26, (uint8_t)(10 + i % 15), 1);
		assert_int_equal(info().routes, ROUTES);
		for (uint32_t i = 0; i < ROUTES; i++)
			assert_int_equal(fib_del(fib, i << 26, (uint8_t)(10 + i % 15)), 0);
	}
	assert_int_equal(info().routes, 0);
}

static void
a_group_waits_for_its_readers(void **state)
{
	(void)state;
	rte_rcu_qsbr_thread_register(rcu, 0);
	rte_rcu_qsbr_thread_online(rcu, 0);
	rte_rcu_qsbr_thread_register(rcu, 1);
	rte_rcu_qsbr_thread_online(rcu, 1);
	add(IP4(10, 0, 0, 0), 8, 9);
	for (uint32_t i = 0; i < GROUPS; i++)
		add(IP4(10, 0, i, 1), 32, 1);
	assert_int_equal(fib_del(fib, IP4(10, 0, 0, 1), 32), 0);
	assert_int_equal(info().groups_retired, 1);

	for (unsigned int reader = 0; reader < READERS; reader++) {
		assert_int_equal(fib_add(fib, IP4(10, 0, 7, 1), 32, 2, owner), -EAGAIN);
		fib_reclaim(fib);
		assert_int_equal(info().groups_retired, 1);
		assert_int_equal(info().routes, GROUPS);
		assert_null(fib_exact(fib, IP4(10, 0, 7, 1), 32));
		assert_int_equal(lookup(IP4(10, 0, 7, 1)), 9);
		rte_rcu_qsbr_quiescent(rcu, reader);
	}
	add(IP4(10, 0, 7, 1), 32, 2);
	assert_int_equal(info().groups_retired, 0);
	assert_int_equal(info().groups_used, GROUPS);
	assert_int_equal(lookup(IP4(10, 0, 7, 1)), 2);
	assert_int_equal(lookup(IP4(10, 0, 0, 1)), 9);
}

/* Each has its own grace period: the first to retire is the first to come back. */
static void
groups_come_back_in_order(void **state)
{
	(void)state;
	rte_rcu_qsbr_thread_register(rcu, 0);
	rte_rcu_qsbr_thread_online(rcu, 0);
	for (unsigned int round = 0; round < 2 * GROUPS; round++) {
		add(IP4(10, 0, 0, 1), 32, 1);
		add(IP4(10, 0, 1, 1), 32, 1);
		assert_int_equal(fib_del(fib, IP4(10, 0, 0, 1), 32), 0);
		rte_rcu_qsbr_quiescent(rcu, 0);
		assert_int_equal(fib_del(fib, IP4(10, 0, 1, 1), 32), 0);
		fib_reclaim(fib);
		assert_int_equal(info().groups_retired, 1);
		rte_rcu_qsbr_quiescent(rcu, 0);
		fib_reclaim(fib);
		assert_int_equal(info().groups_retired, 0);
	}
}

struct walked {
	char text[512];
	unsigned int calls, stop_after;
};

static int
write_down(uint32_t prefix, uint8_t depth, uint16_t id, void *route_owner, void *arg)
{
	struct walked *w = arg;
	char p[ADDR_PREFIX_TEXT];
	size_t at = strlen(w->text);

	assert_ptr_equal(route_owner, &owner[id % sizeof(owner)]);
	snprintf(w->text + at, sizeof(w->text) - at, "%s=%u ", addr_prefix(p, prefix, depth), id);
	return ++w->calls == w->stop_after ? -ECANCELED : 0;
}

static void
walks_go_by_address_shorter_first(void **state)
{
	static const struct {
		uint32_t prefix;
		uint8_t depth;
		const char *want;
	} rows[] = {
		{ 0, 0,
		  "0.0.0.0/0=0 10.0.0.0/8=1 10.0.0.0/9=2 10.0.0.0/32=3 10.64.0.0/10=4 "
		  "10.200.0.0/16=5 10.200.0.1/32=6 192.168.0.0/16=7 255.255.255.255/32=8 " },
		{ IP4(10, 0, 0, 0), 8,
		  "10.0.0.0/8=1 10.0.0.0/9=2 10.0.0.0/32=3 10.64.0.0/10=4 10.200.0.0/16=5 "
		  "10.200.0.1/32=6 " },
		{ IP4(10, 0, 0, 0), 9, "10.0.0.0/9=2 10.0.0.0/32=3 10.64.0.0/10=4 " },
		{ IP4(10, 0, 0, 0), 10, "10.0.0.0/32=3 " }, /* no route itself */
		{ IP4(10, 128, 0, 0), 9, "10.200.0.0/16=5 10.200.0.1/32=6 " },
		{ IP4(10, 200, 0, 1), 32, "10.200.0.1/32=6 " },
		{ IP4(10, 200, 0, 2), 32, "" },
		{ IP4(128, 0, 0, 0), 1, "192.168.0.0/16=7 255.255.255.255/32=8 " },
		{ IP4(172, 16, 0, 0), 12, "" },
	};
	struct walked w = { .stop_after = 3 };

	(void)state;
	add(IP4(255, 255, 255, 255), 32, 8);
	add(IP4(192, 168, 0, 0), 16, 7);
	add(IP4(10, 200, 0, 1), 32, 6);
	add(IP4(10, 64, 0, 0), 10, 4);
	add(IP4(10, 0, 0, 0), 32, 3);
	add(IP4(10, 0, 0, 0), 9, 2);
	add(IP4(10, 0, 0, 0), 8, 1);
	add(IP4(10, 200, 0, 0), 16, 5);
	add(0, 0, FIB_ID_DEFAULT);
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct walked all = { .stop_after = 0 };

		assert_int_equal(fib_walk(fib, rows[i].prefix, rows[i].depth, write_down, &all), 0);
		assert_string_equal(all.text, rows[i].want);
	}
	assert_int_equal(fib_walk(fib, 0, 0, write_down, &w), -ECANCELED);
	assert_int_equal(w.calls, 3);
	assert_int_equal(fib_walk(fib, 1, 8, write_down, &w), -EINVAL);
	assert_int_equal(fib_walk(fib, 0, 33, write_down, &w), -EINVAL);
	assert_int_equal(w.calls, 3);
}

static void
walking_an_empty_table_calls_nobody(void **state)
{
	struct walked w = { .stop_after = 1 };

	(void)state;
	assert_int_equal(fib_walk(fib, 0, 0, write_down, &w), 0);
	assert_int_equal(w.calls, 0);
}

static void
bundles_of_every_size(void **state)
{
	uint32_t dst[65];
	uint16_t id[66];

	(void)state;
	add(IP4(10, 0, 0, 0), 8, 1);
	add(IP4(10, 0, 0, 32), 27, 2);
	for (uint32_t i = 0; i < RTE_DIM(dst); i++)
		dst[i] = IP4(10, 0, i % 2, i);
	for (uint16_t n = 0; n <= RTE_DIM(dst); n++) {
		memset(id, 0xee, sizeof(id));
		fib_lookup_bulk(fib, dst, id, n);
		for (uint16_t i = 0; i < n; i++)
			assert_int_equal(id[i], i % 2 == 0 && i >= 32 && i < 64 ? 2 : 1);
		assert_int_equal(id[n], 0xeeee); /* not one too far */
	}
}

static void
the_plan_is_what_the_table_takes(void **state)
{
	static const uint32_t sizes[][2] = { { 1, 1 }, { 1000, 100 }, { 60000, 32767 } };

	(void)state;
	for (size_t i = 0; i < RTE_DIM(sizes); i++) {
		struct fib_config cfg = { .max_routes = sizes[i][0],
					  .max_groups = sizes[i][1],
					  .socket = SOCKET_ID_ANY,
					  .rcu = rcu };
		struct rte_malloc_socket_stats before, after;
		double plan = (double)fib_bytes(&cfg), real;
		struct fib_info made;
		struct fib *f;

		assert_int_equal(rte_malloc_get_socket_stats(0, &before), 0);
		assert_int_equal(fib_create(&f, &cfg), 0);
		assert_int_equal(rte_malloc_get_socket_stats(0, &after), 0);
		fib_info(f, &made);
		fib_destroy(f);
		real = (double)(after.heap_allocsz_bytes - before.heap_allocsz_bytes);
		if (plan < real * 0.99 || plan > real * 1.01)
			fail_msg("%u routes: plan %.0f, took %.0f", sizes[i][0], plan, real);
		assert_true(made.bytes == (uint64_t)plan);
		assert_int_equal(made.max_routes, sizes[i][0]);
		assert_int_equal(made.max_groups, sizes[i][1]);
		assert_string_equal(made.backend, "dir24");
		assert_int_equal(rte_malloc_get_socket_stats(0, &after), 0);
		assert_int_equal(after.heap_allocsz_bytes, before.heap_allocsz_bytes);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(create_refuses_what_it_cannot_hold),
		cmocka_unit_test(create_wants_an_rcu),
		cmocka_unit_test(the_plan_is_what_the_table_takes),
		TEST(add_refuses_what_is_no_route),
		TEST(del_finds_exact_prefixes_only),
		TEST(any_mix_of_lengths_in_any_order),
		TEST(half_of_the_address_space),
		TEST(default_route_alone_and_among_others),
		TEST(replace_moves_route_and_owner),
		TEST(exact_and_match),
		TEST(groups_come_and_go),
		TEST(nothing_changes_when_groups_run_out),
		TEST(nothing_changes_when_routes_run_out),
		TEST(every_promised_route_has_a_place),
		TEST(a_group_waits_for_its_readers),
		TEST(groups_come_back_in_order),
		TEST(walks_go_by_address_shorter_first),
		TEST(walking_an_empty_table_calls_nobody),
		TEST(bundles_of_every_size),
	};
	int ret;

	rcu = fib_env_start("test_fib", READERS);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	fib_env_stop(rcu);
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/atomics.h"
#include "base/clock.h"
#include "fib/fib.h"
#include "support/cmocka.h"
#include "support/fib_env.h"
#include "support/random.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * No torn route: one thread looks up a fixed set of addresses in bulk while routes change around
 * them.  The routes are laid out so that each address has at most two legal answers.
 *
 *   two chains of nested prefixes, /8 to /32, whose every other link comes and goes
 *        (in one the even lengths, in the other the odd ones)
 *   one chain whose links all stay, but each moves between two next hops
 *   a row of /24s under one /16, each with one prefix longer than /24 that comes and goes: together
 *        far more groups than there are, so that groups are reused all the time
 */
#define FIRST_LENGTH 8
#define LENGTHS      (33 - FIRST_LENGTH)
#define CHURNS       8
#define CHURN_ROOT   IP4(60, 0, 0, 0)
#define GROUPS       6 /* three stay with the chains */

#ifdef ATOMICS_TSAN
#define MIN_CHANGES 5000 /* it sees a race whether or not it bites */
#else
#define MIN_CHANGES 500000 /* half a second */
#endif
#define MIN_BUNDLES 2000
#define MIN_REUSES  300
#define PATIENCE_US (20 * CLOCK_SECOND_US)

struct link {
	uint32_t prefix;
	uint8_t depth;
	uint16_t id, other; /* other: 0, or what a replacement moves it to */
	bool flips, there;
};

struct probe {
	uint32_t ip;
	uint16_t legal[2];
	uint8_t seen; /* bit for each of them */
};

static struct link links[3 * LENGTHS + CHURNS];
static struct probe probes[1024];
static unsigned int nb_links, nb_probes;
static struct rte_rcu_qsbr *rcu;
static struct fib *fib;
static struct test_random numbers;
static char owner;

static uint64_t bundles;      /* looked up by the reader */
static int stop;              /* set by the writer */
static int wrong;             /* the reader met a third answer: */
static struct probe wrong_at; /* there, */
static uint16_t wrong_id;     /* and this */

static uint32_t
rnd(uint32_t below)
{
	return test_random_below(&numbers, below);
}

static void
probe_range(uint32_t prefix, uint8_t depth, uint16_t a, uint16_t b)
{
	uint32_t ip[3] = { prefix, prefix | ~addr_mask(depth),
			   prefix | (rnd(UINT32_MAX) & ~addr_mask(depth)) };

	for (unsigned int i = 0; i < RTE_DIM(ip); i++) {
		assert_true(nb_probes < RTE_DIM(probes));
		probes[nb_probes++] = (struct probe){ .ip = ip[i], .legal = { a, b } };
	}
}

static struct link *
new_link(uint32_t prefix, uint8_t depth, uint16_t other)
{
	struct link *l = &links[nb_links++];

	*l = (struct link){ .prefix = prefix, .depth = depth, .other = other };
	l->id = (uint16_t)(100 + nb_links);
	return l;
}

/* Links within links; the probes of each stand in the half that the next one leaves free. */
static void
plan_chain(uint32_t base, unsigned int flipping_lengths)
{
	uint16_t holder = FIB_ID_DEFAULT; /* the answer when a link that flips is gone */

	for (uint8_t depth = FIRST_LENGTH; depth <= 32; depth++) {
		struct link *l = new_link(base & addr_mask(depth), depth, 0);
		uint8_t half = depth < 32 ? (uint8_t)(depth + 1) : depth;
		uint32_t aside = depth < 32 ? (base ^ 1u << (31 - depth)) & addr_mask(half) : base;

		l->flips = depth % 2 == flipping_lengths;
		if (flipping_lengths > 1) {
			l->other = (uint16_t)(l->id + 1000);
			l->there = true;
			probe_range(aside, half, l->id, l->other);
			continue;
		}
		probe_range(aside, half, l->id, l->flips ? holder : l->id);
		holder = l->id;
	}
}

static void
plan_churn(void)
{
	const uint16_t holder = 99;

	assert_int_equal(fib_add(fib, CHURN_ROOT, 16, holder, &owner), 0);
	for (uint32_t i = 0; i < CHURNS; i++) {
		uint8_t depth = (uint8_t)(25 + i % 8);
		uint32_t slash24 = CHURN_ROOT | i << 8;
		struct link *l = new_link(slash24 | (0x55 & addr_mask(depth)), depth, 0);

		l->flips = true;
		probe_range(l->prefix, depth, l->id, holder);
		probe_range(slash24 | 0x80, 25, holder, holder); /* same group, not in the link */
	}
}

static void
plan(void)
{
	plan_churn();
	plan_chain(IP4(20, 85, 170, 85), 0);
	plan_chain(IP4(150, 170, 85, 170), 1);
	plan_chain(IP4(210, 99, 204, 51), 2);
	for (unsigned int i = 0; i < nb_links; i++) {
		struct link *l = &links[i];

		l->there = !l->flips;
		if (l->there)
			assert_int_equal(fib_add(fib, l->prefix, l->depth, l->id, &owner), 0);
	}
}

/* False at the first answer that is neither of the two. */
static bool
look(void)
{
	static uint32_t ip[RTE_DIM(probes)];
	static uint16_t id[RTE_DIM(probes)];

	for (unsigned int i = 0; i < nb_probes; i++)
		ip[i] = probes[i].ip;
	fib_lookup_bulk(fib, ip, id, (uint16_t)nb_probes);
	for (unsigned int i = 0; i < nb_probes; i++) {
		struct probe *p = &probes[i];

		if (id[i] == p->legal[0]) {
			p->seen |= 1;
		} else if (id[i] == p->legal[1]) {
			p->seen |= 2;
		} else {
			wrong_at = *p;
			wrong_id = id[i];
			return false;
		}
	}
	return true;
}

static void *
reader(void *arg)
{
	cpu_set_t others;

	(void)arg;
	/* EAL has tied the writer to a CPU, and us with it.  Where there is no other, stay. */
	memset(&others, 0xff, sizeof(others));
	CPU_CLR(sched_getcpu(), &others);
	pthread_setaffinity_np(pthread_self(), sizeof(others), &others);
	rte_rcu_qsbr_thread_register(rcu, 0);
	rte_rcu_qsbr_thread_online(rcu, 0);
	while (!atomic_get(&stop)) {
		if (!look()) {
			atomic_release(&wrong, 1);
			break;
		}
		atomic_bump(&bundles, 1);
		rte_rcu_qsbr_quiescent(rcu, 0);
		if (atomic_get(&bundles) % 8 == 0)
			sched_yield(); /* where there is one CPU only */
	}
	rte_rcu_qsbr_thread_offline(rcu, 0);
	rte_rcu_qsbr_thread_unregister(rcu, 0);
	return NULL;
}

/* Returns 1 when a group went to a new /24. */
static unsigned int
change(struct link *l)
{
	unsigned int opened = 0;
	int ret;

	if (!l->flips && l->other == 0)
		return 0;
	if (!l->flips) {
		uint16_t id = l->id;

		l->id = l->other;
		l->other = id;
		ret = fib_add(fib, l->prefix, l->depth, l->id, &owner);
	} else if (l->there) {
		ret = fib_del(fib, l->prefix, l->depth);
		l->there = false;
	} else {
		ret = fib_add(fib, l->prefix, l->depth, l->id, &owner);
		l->there = ret == 0;
		opened = ret == 0 && (l->prefix & addr_mask(16)) == CHURN_ROOT;
		if (ret == -EAGAIN || ret == -ENOSPC) {
			assert_true((l->prefix & addr_mask(16)) == CHURN_ROOT);
			sched_yield(); /* let the reader come to its quiescent point */
			ret = 0;
		}
	}
	assert_int_equal(ret, 0);
	return opened;
}

static void
write_routes(void)
{
	uint64_t deadline = clock_us() + PATIENCE_US, changes = 0, reuses = 0;

	while (!atomic_acquire(&wrong) && (changes < MIN_CHANGES || reuses < MIN_REUSES ||
					   atomic_get(&bundles) < MIN_BUNDLES)) {
		/* The links in the row of /24s come first, and change as often as all others. */
		reuses += change(&links[rnd(2) == 0 ? rnd(CHURNS) : rnd(nb_links)]);
		changes++;
		if (changes % 1024 == 0 && clock_us() > deadline)
			break;
	}
	atomic_put(&stop, 1);
	printf("%llu changes, %llu groups given out, %llu bundles\n", (unsigned long long)changes,
	       (unsigned long long)reuses, (unsigned long long)atomic_get(&bundles));
}

static void
a_lookup_is_old_or_new_never_a_third(void **state)
{
	struct fib_config cfg = {
		.max_routes = 200, .max_groups = GROUPS, .socket = SOCKET_ID_ANY, .rcu = rcu
	};
	unsigned int flipping = 0, both = 0;
	struct fib_info info;
	pthread_t t;

	(void)state;
	assert_int_equal(fib_create(&fib, &cfg), 0);
	plan();
	assert_int_equal(pthread_create(&t, NULL, reader, NULL), 0);
	write_routes();
	pthread_join(t, NULL);

	if (atomic_acquire(&wrong))
		fail_msg("%08x answered %u, neither %u nor %u", wrong_at.ip, wrong_id,
			 wrong_at.legal[0], wrong_at.legal[1]);
	assert_true(atomic_get(&bundles) >= MIN_BUNDLES);
	for (unsigned int i = 0; i < nb_probes; i++) {
		flipping += probes[i].legal[0] != probes[i].legal[1];
		both += probes[i].seen == 3;
	}
	assert_true(both > flipping / 2); /* the reader did see routes change */

	fib_reclaim(fib); /* the reader has left: nothing waits for it */
	fib_info(fib, &info);
	assert_int_equal(info.groups_retired, 0);
	fib_destroy(fib);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lookup_is_old_or_new_never_a_third),
	};
	int ret;

	numbers = test_random_start(1);
	rcu = fib_env_start("test_fib_rcu", 1);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	fib_env_stop(rcu);
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "neigh/neigh.h"
#include "support/cmocka.h"

#define MAX 300u

static const struct rte_ether_addr mac_a = { { 0x02, 0, 0, 0, 0, 0x0a } };
static const struct rte_ether_addr mac_b = { { 0x02, 0, 0, 0, 0, 0x0b } };

struct heard {
	unsigned int n;
	struct neigh last; /* as it was when told */
};

static void
changed(struct neigh *n, void *arg)
{
	struct heard *heard = arg;

	heard->n++;
	heard->last = *n;
}

static struct heard heard;

static int
setup(void **state)
{
	struct neigh_table *t;

	memset(&heard, 0, sizeof(heard));
	assert_int_equal(neigh_create(&t, MAX, changed, &heard), 0);
	*state = t;
	return 0;
}

static int
teardown(void **state)
{
	neigh_destroy(*state);
	return 0;
}

static void
port_and_address_are_the_key(void **state)
{
	struct neigh_table *t = *state, *none = NULL;
	struct neigh *n = neigh_get(t, 1, IP4(10, 0, 0, 1));

	assert_non_null(n);
	assert_int_equal(n->state, NEIGH_IDLE);
	assert_int_equal(n->refs, 0);
	assert_ptr_equal(neigh_get(t, 1, IP4(10, 0, 0, 1)), n);
	assert_ptr_equal(neigh_find(t, 1, IP4(10, 0, 0, 1)), n);
	assert_null(neigh_find(t, 2, IP4(10, 0, 0, 1)));
	assert_null(neigh_find(t, 1, IP4(10, 0, 0, 2)));
	assert_true(neigh_get(t, 2, IP4(10, 0, 0, 1)) != n);
	assert_int_equal(neigh_count(t), 2);
	assert_int_equal(neigh_create(&none, 0, changed, NULL), -EINVAL);
	assert_int_equal(neigh_create(&none, 1, NULL, NULL), -EINVAL);
}

static int
count(struct neigh *n, void *arg)
{
	(void)n;
	return ++*(unsigned int *)arg == 5 ? 7 : 0;
}

static int
remove_even(struct neigh *n, void *arg)
{
	if (n->ip % 2 == 0)
		neigh_remove(arg, n);
	return 0;
}

static void
the_table_is_bounded_and_walked(void **state)
{
	struct neigh_table *t = *state;
	unsigned int seen = 0;

	for (uint32_t i = 0; i < MAX; i++)
		assert_non_null(neigh_get(t, 0, IP4(10, 0, 0, 0) + i));
	assert_null(neigh_get(t, 0, IP4(10, 9, 9, 9)));
	assert_non_null(neigh_get(t, 0, IP4(10, 0, 0, 0)));
	assert_int_equal(neigh_count(t), MAX);
	assert_int_equal(neigh_walk(t, count, &seen), 7);
	assert_int_equal(seen, 5);

	assert_int_equal(neigh_walk(t, remove_even, t), 0);
	assert_int_equal(neigh_count(t), MAX / 2);
	for (uint32_t i = 0; i < MAX; i++)
		assert_int_equal(neigh_find(t, 0, IP4(10, 0, 0, 0) + i) != NULL, i % 2);
	assert_non_null(neigh_get(t, 0, IP4(10, 9, 9, 9)));
}

static void
the_listener_hears_what_workers_would_see(void **state)
{
	static const struct {
		enum neigh_state state;
		const struct rte_ether_addr *mac;
		bool heard;
	} step[] = {
		{ NEIGH_INCOMPLETE, NULL, false }, /* still no MAC */
		{ NEIGH_REACHABLE, &mac_a, true },
		{ NEIGH_PROBE, NULL, false }, /* the same MAC */
		{ NEIGH_REACHABLE, &mac_a, false },
		{ NEIGH_REACHABLE, &mac_b, true }, /* it moved */
		{ NEIGH_STATIC, &mac_b, false },
		{ NEIGH_FAILED, NULL, true },
		{ NEIGH_IDLE, NULL, false },
	};
	struct neigh_table *t = *state;
	struct neigh *n = neigh_get(t, 3, IP4(10, 0, 0, 1));
	unsigned int want = 0;

	for (size_t i = 0; i < RTE_DIM(step); i++) {
		neigh_set(t, n, step[i].state, step[i].mac);
		want += step[i].heard;
		if (heard.n != want)
			fail_msg("step %zu: heard %u times, want %u", i, heard.n, want);
		assert_int_equal(n->state, step[i].state);
	}
	assert_true(rte_is_zero_ether_addr(&n->mac));
	assert_int_equal(heard.last.state, NEIGH_FAILED);
}

static void
removal_takes_the_mac_back_and_spares_the_used(void **state)
{
	struct neigh_table *t = *state;
	struct neigh *n = neigh_get(t, 0, IP4(10, 0, 0, 1));

	neigh_set(t, n, NEIGH_REACHABLE, &mac_a);
	n->refs = 1;
	neigh_remove(t, n);
	assert_int_equal(neigh_count(t), 1);
	n->refs = 0;
	n->hold = (struct hold *)(uintptr_t)t;
	neigh_remove(t, n);
	assert_int_equal(neigh_count(t), 1);
	assert_int_equal(heard.n, 1);
	n->hold = NULL;
	neigh_remove(t, n);
	assert_int_equal(neigh_count(t), 0);
	assert_int_equal(heard.n, 2);
	assert_false(neigh_has_mac(&heard.last));
	assert_null(neigh_find(t, 0, IP4(10, 0, 0, 1)));
}

static void
states_have_names(void **state)
{
	(void)state;
	assert_string_equal(neigh_state_name(NEIGH_IDLE), "idle");
	assert_string_equal(neigh_state_name(NEIGH_PROBE), "probe");
	assert_string_equal(neigh_state_name(NEIGH_STATIC), "static");
	assert_string_equal(neigh_state_name((enum neigh_state)99), "unknown");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(port_and_address_are_the_key, setup, teardown),
		cmocka_unit_test_setup_teardown(the_table_is_bounded_and_walked, setup, teardown),
		cmocka_unit_test_setup_teardown(the_listener_hears_what_workers_would_see, setup,
						teardown),
		cmocka_unit_test_setup_teardown(removal_takes_the_mac_back_and_spares_the_used,
						setup, teardown),
		cmocka_unit_test(states_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

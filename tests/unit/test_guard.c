/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/guard.h"
#include "support/cmocka.h"

#include <dlfcn.h>

#include <rte_version.h>

/* In the place of librte_eal's. */
static const char *release = "DPDK 22.11.11";

const char *
rte_version(void)
{
	return release;
}

static const char *other_eal; /* a library of that name, and nothing in it */

static void
its_own_release_is_welcome(void **state)
{
	static const char *const good[] = { "DPDK 22.11", "DPDK 22.11.0", "DPDK 22.11.11",
					    "DPDK 22.11.11-rc1" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(good); i++) {
		release = good[i];
		assert_int_equal(guard_dpdk("82599", &err), 0);
	}
}

static void
another_is_named(void **state)
{
	static const char *const bad[] = { "DPDK 23.11.0", "DPDK 22.110.0", "DPDK 22.07", "22.11",
					   "" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		release = bad[i];
		assert_int_equal(guard_dpdk("82599", &err), -ENOTSUP);
		assert_memory_equal(err.text, "82599: ", 7);
		assert_non_null(strstr(err.text, bad[i]));
		assert_non_null(strstr(err.text, "DPDK 22.11"));
		assert_null(strchr(err.text, '\n'));
	}
	release = "DPDK 22.11.11";
}

static void
a_second_eal_is_noticed(void **state)
{
	void *eal;
	struct err err;

	(void)state;
	assert_int_equal(guard_dpdk("cx5", &err), 0);
	eal = dlopen(other_eal, RTLD_NOW | RTLD_LOCAL);
	if (eal == NULL)
		fail_msg("%s", dlerror());
	assert_int_equal(guard_dpdk("cx5", &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "librte_eal.so.99"));
	dlclose(eal);
	assert_int_equal(guard_dpdk("cx5", &err), 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_own_release_is_welcome),
		cmocka_unit_test(another_is_named),
		cmocka_unit_test(a_second_eal_is_noticed),
	};

	if (argc < 2)
		return 1;
	other_eal = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}

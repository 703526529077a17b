/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl_fakes.h"
#include "support/cmocka.h"

#include <stdio.h>

#include <rte_telemetry.h>

/*
 * Stand-ins for librte_telemetry, which would want a running EAL: they keep the callbacks, and
 * write what the callbacks say as text.
 */
struct rte_tel_data {
	char text[8192];
};

static telemetry_cb callback[3];
static char path[3][64];
static unsigned int nb_callbacks;

int
rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help)
{
	/* DPDK's own libraries register theirs before main(). */
	if (strncmp(cmd, "/sluice/", 8) != 0)
		return 0;
	assert_true(strlen(help) > 10);
	for (unsigned int i = 0; i < nb_callbacks; i++)
		if (strcmp(path[i], cmd) == 0)
			return -EEXIST;
	assert_true(nb_callbacks < RTE_DIM(callback));
	snprintf(path[nb_callbacks], sizeof(path[0]), "%s", cmd);
	callback[nb_callbacks++] = fn;
	return 0;
}

struct rte_tel_data *
rte_tel_data_alloc(void)
{
	return calloc(1, sizeof(struct rte_tel_data));
}

void
rte_tel_data_free(struct rte_tel_data *d)
{
	free(d);
}

int
rte_tel_data_start_dict(struct rte_tel_data *d)
{
	d->text[0] = '\0';
	return 0;
}

static int
add(struct rte_tel_data *d, const char *name, const char *value)
{
	size_t used = strlen(d->text);

	snprintf(d->text + used, sizeof(d->text) - used, "%s=%s ", name, value);
	return 0;
}

int
rte_tel_data_add_dict_u64(struct rte_tel_data *d, const char *name, uint64_t val)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)val);
	return add(d, name, text);
}

int
rte_tel_data_add_dict_int(struct rte_tel_data *d, const char *name, int val)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", val);
	return add(d, name, text);
}

int
rte_tel_data_add_dict_container(struct rte_tel_data *d, const char *name, struct rte_tel_data *val,
				int keep)
{
	char text[sizeof(val->text) + 4];

	assert_int_equal(keep, 0);
	snprintf(text, sizeof(text), "{%s}", val->text);
	free(val);
	return add(d, name, text);
}

static const char *
ask(const char *cmd)
{
	static struct rte_tel_data d;

	memset(&d, 0, sizeof(d));
	for (unsigned int i = 0; i < nb_callbacks; i++)
		if (strcmp(path[i], cmd) == 0) {
			assert_int_equal(callback[i](cmd, NULL, &d), 0);
			return d.text;
		}
	fail_msg("nobody answers %s", cmd);
	return NULL;
}

static void
endpoints_answer(void **state)
{
	struct ctl *ctl;
	struct err err;
	const char *got;

	(void)state;
	fake_reset();
	ctl = fake_ctl(NULL);
	fake.core[0].received = 10;
	fake.core[0].sent = 7;
	fake.core[0].busy_cycles = 500;
	fake.core[0].total_cycles = 600;
	fake.core[0].dropped[VERDICT_NO_ROUTE] = 1;
	fake.control.originated = 1;
	assert_int_equal(ctl_telemetry(ctl, &err), 0);
	assert_int_equal(nb_callbacks, 3);
	assert_string_equal(ask("/sluice/ledger"), "received=10 originated=1 sent=7 delivered=0 "
						   "dropped=1 held=0 unaccounted=3 ");
	got = ask("/sluice/drops");
	assert_non_null(strstr(got, "no_route=1 "));
	assert_non_null(strstr(got, "rate_limited=0 "));
	assert_string_equal(ask("/sluice/lcores"),
			    "lcore_1={rx_packets=10 tx_packets=7 busy_cycles=500 total_cycles=600 "
			    "max_gap_us=0 } "
			    "lcore_2={rx_packets=0 tx_packets=0 busy_cycles=0 total_cycles=0 "
			    "max_gap_us=0 } ");
	ctl_destroy(ctl);

	/* DPDK keeps the callbacks: they must bear being called when nothing is behind them. */
	assert_non_null(strstr(ask("/sluice/ledger"), "received=0 "));
	assert_string_equal(ask("/sluice/lcores"), "");
	ctl = fake_ctl(NULL);
	assert_int_equal(ctl_telemetry(ctl, &err), 0);
	assert_non_null(strstr(ask("/sluice/ledger"), "received=10 "));
	ctl_destroy(ctl);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(endpoints_answer) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

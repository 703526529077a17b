/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "ctl/show.h"
#include "ctl_fakes.h"
#include "support/cmocka.h"

#include <stdio.h>

static struct ctl *ctl;

static int
setup(void **state)
{
	(void)state;
	fake_reset();
	ctl = fake_ctl(NULL);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	ctl_destroy(ctl);
	return 0;
}

static void
prints(const char *line, const char *want)
{
	struct err err;
	int ret;
	char *got = fake_run(ctl, line, &ret, &err);

	if (ret != 0)
		fail_msg("'%s': %d '%s'", line, ret, err.text);
	assert_string_equal(got, want);
	free(got);
}

/* ---- addresses, neighbours, routes, tables */

static void
fill_routes(void)
{
	const struct route_info r[] = {
		{ .source = ROUTE_CONNECTED,
		  .active = true,
		  .spec = { IP4(10, 0, 0, 0), 24, ROUTE_DEV, 1, { { .port = 0 } } } },
		{ .source = ROUTE_LOCAL,
		  .active = true,
		  .spec = { IP4(10, 0, 0, 1), 32, ROUTE_DEV, 1, { { .port = 0 } } } },
		{ .source = ROUTE_STATIC,
		  .active = true,
		  .resolved = true,
		  .mac = { { 2, 0, 0, 0, 0, 9 } },
		  .spec = { IP4(10, 1, 0, 0),
			    16,
			    ROUTE_VIA,
			    1,
			    { { .ip = IP4(10, 0, 0, 2), .port = 0, .weight = 1 } } } },
		{ .source = ROUTE_STATIC,
		  .spec = { IP4(10, 2, 0, 0),
			    16,
			    ROUTE_VIA,
			    1,
			    { { .ip = IP4(192, 0, 2, 1),
				.port = ROUTE_PORT_ANY,
				.weight = 1 } } } },
		{ .source = ROUTE_STATIC,
		  .spec = { IP4(10, 9, 0, 0), 16, ROUTE_BLACKHOLE, 0, { { 0 } } } },
	};

	memcpy(fake.route, r, sizeof(r));
	fake.nb_routes = RTE_DIM(r);
}

static void
routes_read_like_iproute2(void **state)
{
	(void)state;
	fill_routes();
	prints("show route",
	       "10.0.0.0/24 dev net0 proto connected\n"
	       "10.0.0.1/32 dev net0 proto local\n"
	       "10.1.0.0/16 via 10.0.0.2 dev net0 proto static lladdr 02:00:00:00:00:09\n"
	       "10.2.0.0/16 via 192.0.2.1 proto static inactive\n"
	       "10.9.0.0/16 blackhole proto static\n");
	prints("show route 10.0.0.7", "10.0.0.0/24 dev net0 proto connected\n");
	prints("show route 10.1.0.0/16 longer",
	       "10.1.0.0/16 via 10.0.0.2 dev net0 proto static lladdr 02:00:00:00:00:09\n");
	prints("show route 10.7.0.0/16 longer", "");
}

static void
state_is_printed(void **state)
{
	(void)state;
	prints("show addr", "10.0.0.1/24 dev net0\n10.0.1.1/31 dev 0000:01:00.1\n");
	prints("show neigh", "10.0.0.2 dev net0 lladdr 02:00:00:00:00:ab REACHABLE\n"
			     "10.0.1.0 dev 0000:01:00.1 INCOMPLETE\n");
	prints("show fib", "backend dir24\n"
			   "routes 12 of 1000 (static 9)\n"
			   "groups 1 of 64, 2 waiting for a grace period\n"
			   "memory 33554432 bytes\n"
			   "length /8: 2\n"
			   "length /24: 10\n");
	prints("show pools", "socket    buffers     in-use       free  low-water  cache\n"
			     "     0       4096         96       4000       3900    250\n");
	prints("show plan", "the plan\n");
}

/* ---- lcores, drops, ledger */

static void
lcores_say_how_busy_they_are(void **state)
{
	(void)state;
	fake.plan[0].nb_rxq = 2;
	fake.plan[0].rxq[1] = (struct worker_rxq){ .port = 1, .queue = 3 };
	fake.plan[1].nb_rxq = 0;
	fake.core[0].received = 1000;
	fake.core[0].sent = 900;
	fake.core[0].busy_cycles = 50500;
	fake.core[0].total_cycles = 101000;
	prints("show lcores",
	       "lcore  mode        RX-packets     TX-packets busy-% cycles/packet    max-gap-us  "
	       "polls port/queue\n"
	       "    1  ip4               1000            900   50.0          50.5           0.0  "
	       "net0/0 0000:01:00.1/3\n"
	       "    2  ip4                  0              0    0.0           0.0           0.0  "
	       "-\n");
}

static void
every_place_of_loss_is_listed(void **state)
{
	struct err err;
	int ret;
	char *got;

	(void)state;
	fake.core[0].dropped[VERDICT_NO_ROUTE] = 3;
	fake.core[1].dropped[VERDICT_NO_ROUTE] = 4;
	fake.control.dropped[VERDICT_NEIGH_UNRESOLVED] = 5;
	fake.stats[1].rx_missed = 6;
	got = fake_run(ctl, "show drops", &ret, &err);
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++) {
		char want[256];

		snprintf(want, sizeof(want), "\n%-32s %14u  %s\n", verdict_name(v),
			 v == VERDICT_NO_ROUTE           ? 7u
			 : v == VERDICT_NEIGH_UNRESOLVED ? 5u
							 : 0u,
			 verdict_hint(v));
		if (strstr(got, want) == NULL)
			fail_msg("no '%s' in\n%s", want, got);
	}
	assert_non_null(strstr(got, "\nnet0.rx_missed                                0  "));
	assert_non_null(strstr(got, "\n0000:01:00.1.rx_missed                        6  the "));
	assert_non_null(strstr(got, "\nnet0.rx_errors "));
	assert_non_null(strstr(got, "\nnet0.rx_nombuf "));
	assert_non_null(strstr(got, "\nnet0.tx_errors "));
	assert_non_null(
		strstr(got, "\nnet0.rx_fifo_errors                           3  the NIC's own"));
	assert_null(strstr(got, "rx_good_packets"));
	free(got);
}

static void
the_ledger_has_a_row_per_thread(void **state)
{
	char *got;

	(void)state;
	fake.core[0].received = 100;
	fake.core[0].sent = 90;
	fake.core[0].dropped[VERDICT_TTL_EXPIRED] = 4;
	fake.core[0].handed_out = 6;
	fake.control.taken_in = 5;
	fake.control.delivered = 3;
	fake.control.held = 2;
	prints("show ledger",
	       "thread           received   originated     taken_in           sent    delivered"
	       "        dropped   handed_out     held  unaccounted\n"
	       "lcore 1               100            0            0             90            0"
	       "              4            6        0            0\n"
	       "lcore 2                 0            0            0              0            0"
	       "              0            0        0            0\n"
	       "control                 0            0            5              0            3"
	       "              0            0        2            0\n"
	       "total                 100            0            6             90            3"
	       "              4            6        3            0\n");
	assert_true(ctl_ledger_closed(ctl));
	fake.core[1].received = 1;
	assert_false(ctl_ledger_closed(ctl));
	got = fake_printed(ctl_print_ledger, ctl);
	assert_non_null(strstr(got, "\nttl_expired "));
	assert_null(strstr(got, "\nno_route "));
	assert_non_null(strstr(got, "\ntotal "));
	free(got);
}

/* Without workers (--check) there is still something to say. */
static void
no_workers_is_not_an_error(void **state)
{
	static uint64_t anything;
	struct ctl_config cfg = { .router = (struct router *)&anything, .version = "0" };
	struct port_ops ops;
	struct ctl *bare;
	struct err err;
	char *got, line[] = "set burst 4";

	(void)state;
	fake_port_ops(&ops);
	cfg.ports = &ops;
	assert_int_equal(ctl_create(&bare, &cfg, &err), 0);
	got = fake_printed(ctl_print_ledger, bare);
	free(got);
	got = fake_printed(ctl_print_fwd_stats, bare);
	free(got);
	assert_true(ctl_ledger_closed(bare));
	assert_int_equal(ctl_run_line(bare, line, stdout, &err), -EINVAL);
	ctl_destroy(bare);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(routes_read_like_iproute2),       T(state_is_printed),
		T(lcores_say_how_busy_they_are),    T(every_place_of_loss_is_listed),
		T(the_ledger_has_a_row_per_thread), T(no_workers_is_not_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

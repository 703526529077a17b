/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/show.h"
#include "ctl_fakes.h"
#include "support/cmocka.h"

#include <stdio.h>
#include <unistd.h>

#include <rte_cycles.h>

/* What is printed, byte for byte.  The shapes of port and forward statistics are testpmd's. */
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

/* Show the first difference instead of two screens. */
static void
same(const char *got, const char *want)
{
	size_t line = 1, start = 0;

	for (size_t i = 0; got[i] == want[i]; i++) {
		if (got[i] == '\0')
			return;
		if (got[i] == '\n') {
			line++;
			start = i + 1;
		}
	}
	fail_msg("line %zu:\n got '%.*s'\nwant '%.*s'", line, (int)strcspn(got + start, "\n"),
		 got + start, (int)strcspn(want + start, "\n"), want + start);
}

static void
prints(const char *line, const char *want)
{
	struct err err;
	int ret;
	char *got = fake_run(ctl, line, &ret, &err);

	if (ret != 0)
		fail_msg("'%s': %d '%s'", line, ret, err.text);
	same(got, want);
	free(got);
}

static void
fill_ports(void)
{
	fake.stats[0] = (struct port_stats){ .rx_packets = 1234567,
					     .rx_bytes = 98765432,
					     .rx_missed = 12,
					     .rx_errors = 3,
					     .rx_nombuf = 4,
					     .tx_packets = 7654321,
					     .tx_bytes = 87654321,
					     .tx_errors = 5 };
	fake.stats[1] = (struct port_stats){ .rx_packets = 100, .tx_packets = 200 };
}

#define PORT_1                                                                                     \
	"\n  ######################## NIC statistics for port 1  ########################\n"       \
	"  RX-packets: 100        RX-missed: 0          RX-bytes:  0\n"                            \
	"  RX-errors: 0\n"                                                                         \
	"  RX-nombuf:  0         \n"                                                               \
	"  TX-packets: 200        TX-errors: 0          TX-bytes:  0\n"                            \
	"\n"                                                                                       \
	"  Throughput (since last show)\n"                                                         \
	"  Rx-pps:            0          Rx-bps:            0\n"                                   \
	"  Tx-pps:            0          Tx-bps:            0\n"                                   \
	"  ############################################################################\n"

static void
port_stats_have_testpmds_shape(void **state)
{
	(void)state;
	fill_ports();
	prints("show port stats net0",
	       "\n  ######################## NIC statistics for port 0  ########################\n"
	       "  RX-packets: 1234567    RX-missed: 12         RX-bytes:  98765432\n"
	       "  RX-errors: 3\n"
	       "  RX-nombuf:  4         \n"
	       "  TX-packets: 7654321    TX-errors: 5          TX-bytes:  87654321\n"
	       "\n"
	       "  Throughput (since last show)\n"
	       "  Rx-pps:            0          Rx-bps:            0\n"
	       "  Tx-pps:            0          Tx-bps:            0\n"
	       "  ############################################################################\n");
	prints("show port stats 1", PORT_1);
}

static void
a_tick_clears_the_screen_as_testpmd_does(void **state)
{
	char *got;

	(void)state;
	fake.nb_ports = 1;
	got = fake_printed(ctl_print_port_stats, ctl);
	assert_true(strncmp(got,
			    "\033[2J\033[1;1H\nPort statistics "
			    "====================================\n  ######################## NIC",
			    90) == 0);
	free(got);
}

static uint64_t
rate(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	assert_non_null(at);
	return strtoull(at + strlen(name), NULL, 10);
}

static void
rates_are_since_the_last_show(void **state)
{
	struct err err;
	int ret;
	char *got;

	(void)state;
	fill_ports();
	fake.stats[0].tx_packets = UINT64_MAX - 10;
	free(fake_run(ctl, "show port stats 0", &ret, &err));
	usleep(20000);
	fake.stats[0].rx_packets += 100000; /* in 20 ms or a little more: at most 5 M/s */
	fake.stats[0].rx_bytes += 6400000;
	fake.stats[0].tx_packets = 5; /* backwards: 0, not what the difference wraps to */
	got = fake_run(ctl, "show port stats 0", &ret, &err);
	assert_in_range(rate(got, "Rx-pps:"), 100000, 5000000);
	assert_in_range(rate(got, "Rx-bps:"), 51200000, 2560000000);
	assert_int_equal(rate(got, "Rx-bps:") / rate(got, "Rx-pps:"), 8 * 64);
	assert_int_equal(rate(got, "Tx-pps:"), 0);
	free(got);
	usleep(2000);
	got = fake_run(ctl, "show port stats 0", &ret, &err);
	assert_int_equal(rate(got, "Rx-pps:"), 0);
	free(got);
}

static void
clear_moves_the_baseline_and_not_the_rates(void **state)
{
	struct err err;
	int ret;
	char *got;

	(void)state;
	fill_ports();
	free(fake_run(ctl, "show port stats 0", &ret, &err));
	prints("clear port stats all", "\n  NIC statistics for port 0 cleared\n"
				       "\n  NIC statistics for port 1 cleared\n");
	usleep(2000);
	fake.stats[0].rx_packets += 7;
	got = fake_run(ctl, "show port stats 0", &ret, &err);
	assert_non_null(strstr(got, "RX-packets: 7          RX-missed: 0 "));
	assert_in_range(rate(got, "Rx-pps:"), 1, 3500);
	free(got);
	/* A device that starts over gives 0 until it is past its old count. */
	fake.stats[0].rx_packets = 3;
	got = fake_run(ctl, "show port stats 0", &ret, &err);
	assert_non_null(strstr(got, "RX-packets: 0          RX-missed: 0 "));
	free(got);
}

static void
xstats_have_testpmds_shape(void **state)
{
	(void)state;
	prints("show port xstats net0", "###### NIC extended statistics for port 0 \n"
					"rx_good_packets: 7\n"
					"rx_fifo_errors: 3\n"
					"rx_crc_errors: 0\n");
}

static void
info_keeps_testpmds_lines(void **state)
{
	(void)state;
	strcpy(fake.info[0].rx_mode, "Scalar");
	strcpy(fake.info[0].why, "the ring is no power of two");
	prints("show port info 0",
	       "\n********************* Infos for port 0  *********************\n"
	       "MAC address: 02:00:00:00:00:a0\n"
	       "Device name: net0\n"
	       "Driver name: net_fake\n"
	       "Connect to socket: 0\n"
	       "Link status: up\n"
	       "Link speed: 10 Gbps\n"
	       "Link duplex: full-duplex\n"
	       "MTU: 1500\n"
	       "Promiscuous mode: disabled\n"
	       "Current number of RX queues: 1\n"
	       "Number of RXDs per queue: 1024\n"
	       "Current number of TX queues: 1\n"
	       "Number of TXDs per queue: 1024\n"
	       "Family: generic\n"
	       "RX burst mode: Scalar\n"
	       "TX burst mode: unknown\n"
	       "Not faster because: the ring is no power of two\n");
	fake.info[1].speed_mbps = UINT32_MAX;
	fake.info[1].socket = -1;
	{
		struct err err;
		int ret;
		char *got = fake_run(ctl, "show port info 1", &ret, &err);

		assert_non_null(strstr(got, "Link speed: Unknown\n"));
		assert_non_null(strstr(got, "Connect to socket: unknown\n"));
		free(got);
	}
}

/* ---- forward statistics */

#define TOTAL_FRAME_TOP                                                                            \
	"\n  +++++++++++++++ Accumulated forward statistics for all ports+++++++++++++++\n"
#define TOTAL_FRAME_END                                                                            \
	"  ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++\n"
#define PORT_FRAME_END                                                                             \
	"  ----------------------------------------------------------------------------\n"

static void
fwd_stats_have_testpmds_shape(void **state)
{
	(void)state;
	fill_ports();
	fake.core[0].refused_by_port[1] = 30;
	fake.core[1].refused_by_port[1] = 3;
	/* As many streams as ports: testpmd names none of them. */
	fake.core[0].stream[0].received = 1000;
	prints("show fwd stats all",
	       "\n  ---------------------- Forward statistics for port 0  ----------------------\n"
	       "  RX-packets: 1234567        RX-dropped: 12            RX-total: 1234579\n"
	       "  RX-error: 3\n"
	       "  RX-nombufs: 4             \n"
	       "  TX-packets: 7654321        TX-dropped: 5             TX-total: "
	       "7654326\n" PORT_FRAME_END
	       "\n  ---------------------- Forward statistics for port 1  ----------------------\n"
	       "  RX-packets: 100            RX-dropped: 0             RX-total: 100\n"
	       "  TX-packets: 200            TX-dropped: 33            TX-total: "
	       "233\n" PORT_FRAME_END TOTAL_FRAME_TOP
	       "  RX-packets: 1234667        RX-dropped: 12            RX-total: 1234679\n"
	       "  TX-packets: 7654521        TX-dropped: 38            TX-total: 7654559\n"
	       "  RX-nombufs: 4             \n" TOTAL_FRAME_END);
}

static void
more_streams_than_ports_are_named(void **state)
{
	(void)state;
	fake.nb_ports = 1;
	fake.plan[0].nb_rxq = 3;
	fake.plan[0].rxq[0] = (struct worker_rxq){ .port = 0, .queue = 0 };
	fake.plan[0].rxq[1] = (struct worker_rxq){ .port = 0, .queue = 10 };
	fake.plan[0].rxq[2] = (struct worker_rxq){ .port = 0, .queue = 2 }; /* silent */
	fake.plan[0].txq[1] = 4;
	fake.plan[1].nb_rxq = 0;
	fake.core[0].stream[0] =
		(struct stats_stream){ .received = 1000, .sent = 900, .dropped = 100 };
	fake.core[0].stream[1] = (struct stats_stream){ .received = 5, .sent = 5 };
	fake.core[0].sent_by_port[0] = 100;
	fake.core[0].sent_by_port[1] = 805; /* most left here */
	prints("show fwd stats all",
	       "\n  ------- Forward Stats for RX Port= 0/Queue= 0 -> TX Port= 1/Queue= 4 -------\n"
	       "  RX-packets: 1000           TX-packets: 900            TX-dropped: 100           "
	       "\n"
	       "\n  ------- Forward Stats for RX Port= 0/Queue=10 -> TX Port= 1/Queue= 4 -------\n"
	       "  RX-packets: 5              TX-packets: 5              TX-dropped: 0             "
	       "\n"
	       "\n  ---------------------- Forward statistics for port 0  ----------------------\n"
	       "  RX-packets: 0              RX-dropped: 0             RX-total: 0\n"
	       "  TX-packets: 0              TX-dropped: 0             TX-total: 0\n" PORT_FRAME_END
		       TOTAL_FRAME_TOP
	       "  RX-packets: 0              RX-dropped: 0             RX-total: 0\n"
	       "  TX-packets: 0              TX-dropped: 0             TX-total: "
	       "0\n" TOTAL_FRAME_END);
}

static void
yardsticks_send_to_the_peer(void **state)
{
	struct err err;
	int ret;
	char *got;

	(void)state;
	fake.mode = FORWARD_IO;
	fake.nb_ports = 3;
	for (uint16_t p = 0; p < 3; p++) {
		fake.plan[0].rxq[p].port = p;
		fake.core[0].stream[p].received = 1;
	}
	fake.plan[0].nb_rxq = 3;
	got = fake_run(ctl, "show fwd stats all", &ret, &err);
	assert_non_null(strstr(got, "RX Port= 0/Queue= 0 -> TX Port= 1/"));
	assert_non_null(strstr(got, "RX Port= 1/Queue= 0 -> TX Port= 0/"));
	assert_non_null(strstr(got, "RX Port= 2/Queue= 0 -> TX Port= 2/"));
	free(got);
}

static void
clear_and_start_move_the_forward_baseline(void **state)
{
	static const char *const how[] = { "clear fwd stats all", "start" };
	struct err err;
	int ret;
	char *got;

	(void)state;
	fake.nb_ports = 1;
	for (unsigned int i = 0; i < RTE_DIM(how); i++) {
		fake.stats[0].rx_packets += 50;
		fake.core[0].stream[0].received += 50;
		free(fake_run(ctl, how[i], &ret, &err));
		fake.stats[0].rx_packets += 2;
		fake.core[0].stream[0].received += 2;
		got = fake_run(ctl, "show fwd stats all", &ret, &err);
		assert_non_null(strstr(got, "  RX-packets: 2              TX-packets: 0 "));
		assert_non_null(strstr(got, "  RX-packets: 2              RX-dropped: 0 "));
		free(got);
	}
	/* A start that is refused, since forwarding goes on, moves nothing. */
	fake.running = true;
	fake.fail = -EBUSY;
	free(fake_run(ctl, "start", &ret, &err));
	got = fake_run(ctl, "show fwd stats all", &ret, &err);
	assert_non_null(strstr(got, "  RX-packets: 2              RX-dropped: 0 "));
	free(got);
}

static char *
bursts_line(const uint64_t *spread)
{
	static char text[256];
	FILE *f;

	memset(text, 0, sizeof(text));
	f = fmemopen(text, sizeof(text), "w");
	show_bursts("RX", spread, f);
	fclose(f);
	return text;
}

static void
bursts_have_testpmds_shape(void **state)
{
	uint64_t spread[STATS_BURST_MAX + 1] = { 0 };

	(void)state;
	assert_string_equal(bursts_line(spread), "");
	spread[0] = 10;
	assert_string_equal(bursts_line(spread), "  RX-bursts : 10 [100% of 0 pkts]\n");
	spread[32] = 20;
	assert_string_equal(bursts_line(spread),
			    "  RX-bursts : 30 [33% of 0 pkts + 67% of 32 pkts]\n");
	spread[256] = 70;
	assert_string_equal(
		bursts_line(spread),
		"  RX-bursts : 100 [10% of 0 pkts + 70% of 256 pkts + 20% of 32 pkts]\n");
	spread[5] = 1;
	assert_string_equal(bursts_line(spread),
			    "  RX-bursts : 101 [9% of 0 pkts + 69% of 256 pkts "
			    "+ 19% of 32 pkts + 3% of other]\n");
}

static void
cycles_and_bursts_when_recorded(void **state)
{
	struct ctl *recording = fake_ctl_recording();
	char *got, want[256];

	(void)state;
	fill_ports();
	fake.core[0].busy_cycles = 60000000;
	fake.core[1].busy_cycles = 1733350;
	fake.bursts[0].rx[0][32] = 4;
	fake.bursts[0].tx[1][16] = 2;
	fake.bursts[1].tx[1][16] = 1;
	got = fake_printed(ctl_print_fwd_stats, recording);
	snprintf(want, sizeof(want),
		 "\n  CPU cycles/packet=50.00 (total cycles=61733350 / total ip4 packets=1234667) "
		 "at "
		 "%" PRIu64 " MHz Clock\n",
		 rte_get_tsc_hz() / 1000000);
	assert_non_null(strstr(got, want));
	assert_non_null(strstr(got, "TX-total: 7654326\n"
				    "  RX-bursts : 4 [0% of 0 pkts + 100% of 32 pkts]\n"
				    "  -----"));
	assert_non_null(strstr(got, "TX-total: 200\n"
				    "  TX-bursts : 3 [0% of 0 pkts + 100% of 16 pkts]\n"
				    "  -----"));
	free(got);
	show_fwd_clear(recording);
	got = fake_printed(ctl_print_fwd_stats, recording);
	assert_null(strstr(got, "-bursts"));
	assert_null(strstr(got, "CPU cycles"));
	free(got);
	ctl_destroy(recording);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(port_stats_have_testpmds_shape), T(a_tick_clears_the_screen_as_testpmd_does),
		T(rates_are_since_the_last_show),  T(clear_moves_the_baseline_and_not_the_rates),
		T(xstats_have_testpmds_shape),     T(info_keeps_testpmds_lines),
		T(fwd_stats_have_testpmds_shape),  T(more_streams_than_ports_are_named),
		T(yardsticks_send_to_the_peer),    T(clear_and_start_move_the_forward_baseline),
		T(bursts_have_testpmds_shape),     T(cycles_and_bursts_when_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "drivers/nic_priv.h"
#include "support/cmocka.h"
#include "support/eal.h"

#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

/* Ports for real, on the software devices every machine has. */
#define SECOND_US 1000000ull

static struct rte_mempool *pool;
static FILE *log_file;
static char *log_text;
static size_t log_size, log_seen;

/* What was logged since log_clear(). */
static const char *
logged(void)
{
	fflush(log_file);
	return log_text + log_seen;
}

static void
log_clear(void)
{
	fflush(log_file);
	log_seen = log_size;
}

static uint16_t
open_port(const char *name, const char *args)
{
	struct err err = { "" };
	uint16_t port = RTE_MAX_ETHPORTS;

	assert_int_equal(rte_eal_hotplug_add("vdev", name, args != NULL ? args : ""), 0);
	if (nic_find(name, &port, &err) != 0)
		fail_msg("%s", err.text);
	return port;
}

static void
close_port(uint16_t port, const char *name)
{
	nic_close(port);
	assert_false(rte_eth_dev_is_valid_port(port));
	nic_close(port); /* and once more does no harm */
	rte_eal_hotplug_remove("vdev", name);
}

static struct nic_config
config(uint16_t rxq, uint16_t txq)
{
	struct nic_config cfg = {
		.nb_rxq = rxq,
		.nb_txq = txq,
		.rxd = 256,
		.txd = 256,
		.rx_free = NIC_DEFAULT,
		.tx_free = NIC_DEFAULT,
		.tx_rs = NIC_DEFAULT,
		.mbuf_size = RTE_MBUF_DEFAULT_BUF_SIZE,
	};

	for (uint16_t q = 0; q < NIC_QUEUES_MAX; q++) {
		cfg.rx_pool[q] = pool;
		cfg.rx_socket[q] = cfg.tx_socket[q] = SOCKET_ID_ANY;
	}
	return cfg;
}

static void
bring_up(uint16_t port, const struct nic_config *cfg)
{
	struct err err = { "" };

	if (nic_configure(port, cfg, &err) != 0 || nic_start(port, &err) != 0)
		fail_msg("%s", err.text);
}

static void
send_packets(uint16_t port, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

		assert_non_null(m);
		assert_non_null(rte_pktmbuf_append(m, 60));
		assert_int_equal(rte_eth_tx_burst(port, 0, &m, 1), 1);
	}
}

static void
a_port_answers_to_all_its_names(void **state)
{
	uint16_t null0, ring0, found = 99;
	struct err err;

	(void)state;
	assert_int_equal(nic_find("0", &found, &err), -ENODEV);
	assert_non_null(strstr(err.text, "no ports at all"));
	null0 = open_port("net_null0", NULL);
	ring0 = open_port("net_ring0", NULL);
	assert_int_equal(nic_find("1", &found, &err), 0);
	assert_int_equal(found, ring0);
	assert_int_equal(nic_find("net_null0", &found, &err), 0);
	assert_int_equal(found, null0);
	assert_string_equal(nic_name(ring0), "net_ring0");
	assert_string_equal(nic_name(7), "?");
	found = 99;
	for (const char *const *t =
		     (const char *const[]){ "7", "", "net_null", "01:00.0", "-1", "65536",
					    "4294967296", "0x0", "0 ", NULL };
	     *t != NULL; t++) {
		assert_int_equal(nic_find(*t, &found, &err), -ENODEV);
		assert_non_null(strstr(err.text, *t));
		assert_non_null(strstr(err.text, "0 = net_null0, 1 = net_ring0"));
	}
	assert_int_equal(found, 99);
	close_port(null0, "net_null0");
	close_port(ring0, "net_ring0");
}

static void
a_pci_address_needs_no_domain(void **state)
{
	(void)state;
	assert_true(nic_same_pci("3b:00.1", "0000:3b:00.1"));
	assert_true(nic_same_pci("0000:3B:00.1", "0000:3b:00.1"));
	assert_false(nic_same_pci("3b:00.0", "0000:3b:00.1"));
	assert_false(nic_same_pci("0001:3b:00.1", "0000:3b:00.1"));
	assert_false(nic_same_pci("net_null0", "0000:3b:00.1"));
	assert_false(nic_same_pci("3b:00.1", "net_null0"));
}

static void
caps_tell_family_and_limits(void **state)
{
	struct nic_caps caps = { 0 };
	struct err err;
	uint16_t port;

	(void)state;
	assert_int_equal(nic_caps(0, &caps, &err), -ENODEV);
	port = open_port("net_ring0", NULL);
	assert_int_equal(nic_caps(port, &caps, &err), 0);
	assert_int_equal(caps.port, port);
	assert_string_equal(caps.name, "net_ring0");
	assert_string_equal(caps.driver, "net_ring");
	assert_string_equal(caps.family, "generic");
	assert_int_equal(caps.max_rxq, 16);
	assert_int_equal(caps.mtu, 1500);
	assert_int_equal(caps.max_mtu, UINT16_MAX);
	assert_int_equal(caps.rxd, 1024);
	assert_int_equal(caps.rx_quantum, 1);
	assert_false(caps.fast_free);
	assert_false(caps.rss);
	assert_true(caps.paired);
	close_port(port, "net_ring0");
}

static void
downgrades_are_logged_once(void **state)
{
	static const char *const line =
		"port 0 (net_pcap0): no RX checksum offload; checked in software";
	struct nic_config cfg = config(1, 1);
	char path[] = "/tmp/sluice-test-XXXXXX", args[64];
	int fd = mkstemp(path);
	const char *at;
	struct err err;
	uint16_t port;

	(void)state;
	close(fd);
	snprintf(args, sizeof(args), "tx_pcap=%s", path);
	port = open_port("net_pcap0", args);
	log_clear();
	cfg.mtu = 1400;
	cfg.promisc = true;
	bring_up(port, &cfg);
	at = strstr(logged(), line);
	assert_non_null(at);
	assert_null(strstr(at + 1, line));
	/* what net_pcap does not know is a notice, not an error */
	assert_non_null(strstr(logged(), "port 0 (net_pcap0): the driver takes no MTU"));
	assert_int_equal(nic_mtu(port, 9000, &err), 0);
	assert_int_equal(nic_promisc(port, false, &err), 0);
	assert_non_null(strstr(logged(), "port 0 (net_pcap0): the driver has no promiscuous mode"));

	assert_int_equal(nic_configure(port, &cfg, &err), -EBUSY);
	assert_non_null(strstr(err.text, "is started"));
	nic_stop(port);
	log_clear();
	assert_int_equal(nic_configure(port, &cfg, &err), 0);
	assert_null(strstr(logged(), line));
	close_port(port, "net_pcap0");
	unlink(path);
}

static void
a_refusal_names_the_port(void **state)
{
	struct nic_config cfg = config(17, 1);
	struct err err;
	uint16_t port;

	(void)state;
	port = open_port("net_ring0", NULL);
	assert_int_equal(nic_configure(port, &cfg, &err), -EINVAL);
	assert_string_equal(err.text, "port 0 (net_ring0): number of RX queues 17 is above this "
				      "NIC's 16");
	assert_int_equal(nic_start(port, &err), -ENODEV);
	cfg = config(1, 1);
	cfg.rx_pool[0] = NULL;
	assert_int_equal(nic_configure(port, &cfg, &err), -EINVAL);
	assert_non_null(strstr(err.text, "port 0 (net_ring0): RX queue 0 has no buffer pool"));
	assert_int_equal(nic_start(port, &err), -ENODEV); /* half done is not done */
	cfg = config(1, 1);
	assert_int_equal(nic_configure(port, &cfg, &err), 0);
	cfg.rx_pool[0] = NULL;
	assert_int_equal(nic_configure(port, &cfg, &err), -EINVAL);
	assert_int_equal(nic_start(port, &err), -ENODEV); /* nor is undone still done */
	close_port(port, "net_ring0");
	assert_int_equal(nic_configure(port, &cfg, &err), -ENODEV);
	assert_int_equal(nic_start(port, &err), -ENODEV);
}

static void
mtu_stays_within_the_buffers(void **state)
{
	struct nic_config cfg = config(1, 1);
	struct err err;
	uint16_t port, mtu = 0;

	(void)state;
	port = open_port("net_null0", "no-rx=1");
	assert_int_equal(nic_mtu(port, 1500, &err), -ENODEV);
	bring_up(port, &cfg);
	assert_int_equal(nic_mtu(port, 2022, &err), 0);
	assert_int_equal(rte_eth_dev_get_mtu(port, &mtu), 0);
	assert_int_equal(mtu, 2022);
	assert_int_equal(nic_mtu(port, 2023, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--mbuf-size 2177"));
	assert_int_equal(nic_mtu(port, 60, &err), -EINVAL);
	assert_int_equal(rte_eth_dev_get_mtu(port, &mtu), 0);
	assert_int_equal(mtu, 2022);
	close_port(port, "net_null0");
	assert_int_equal(nic_mtu(port, 1500, &err), -ENODEV);
	assert_int_equal(nic_promisc(port, true, &err), -ENODEV);
}

static void
promiscuous_only_when_asked(void **state)
{
	struct nic_config cfg = config(1, 1);
	struct err err;
	uint16_t port;

	(void)state;
	port = open_port("net_ring0", NULL);
	bring_up(port, &cfg);
	assert_int_equal(rte_eth_promiscuous_get(port), 0);
	assert_int_equal(nic_promisc(port, true, &err), 0);
	assert_int_equal(rte_eth_promiscuous_get(port), 1);
	assert_int_equal(nic_promisc(port, false, &err), 0);
	assert_int_equal(rte_eth_promiscuous_get(port), 0);
	nic_stop(port);
	cfg.promisc = true;
	bring_up(port, &cfg);
	assert_int_equal(rte_eth_promiscuous_get(port), 1);
	close_port(port, "net_ring0");
}

static void
counters_never_go_back(void **state)
{
	struct nic_config cfg = config(1, 1);
	struct rte_eth_stats stats;
	struct err err;
	uint16_t port;

	(void)state;
	port = open_port("net_null0", "no-rx=1");
	assert_int_equal(nic_stats(port, &stats), -ENODEV);
	bring_up(port, &cfg);
	send_packets(port, 10);
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.opackets, 10);
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.opackets, 10);
	rte_eth_stats_reset(port);
	send_packets(port, 3);
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.opackets, 13);
	send_packets(port, 1); /* stop and start keep what was counted last */
	nic_stop(port);
	rte_eth_stats_reset(port);
	assert_int_equal(nic_start(port, &err), 0);
	send_packets(port, 2);
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.opackets, 16);
	nic_stop(port);
	assert_int_equal(nic_configure(port, &cfg, &err), 0);
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.opackets, 0); /* since it was configured */
	close_port(port, "net_null0");
}

static void
counters_are_read_unasked(void **state)
{
	struct nic_config cfg = config(1, 1);
	struct rte_eth_stats stats;
	uint64_t now_us = 100 * SECOND_US;
	uint16_t port;

	(void)state;
	port = open_port("net_null0", "no-rx=1");
	bring_up(port, &cfg);
	nic_poll_stats(now_us);
	send_packets(port, 5);
	nic_poll_stats(now_us + SECOND_US); /* reads, so that this reset loses nothing */
	rte_eth_stats_reset(port);
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.opackets, 5);
	send_packets(port, 2);
	nic_poll_stats(now_us + SECOND_US + SECOND_US / 2); /* too soon to read again */
	rte_eth_stats_reset(port);
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.opackets, 5);
	close_port(port, "net_null0");
}

/* The name of the counters an 82599 keeps out of imissed, on a device where they are zero. */
static void
drops_kept_elsewhere_are_found_by_name(void **state)
{
	struct nic_config cfg = config(1, 1);
	struct nic_profile profile = nic_profile_generic;
	struct rte_eth_stats stats;
	uint16_t port;

	(void)state;
	port = open_port("net_null0", "no-rx=1");
	bring_up(port, &cfg);
	assert_int_equal(nic_state(port)->nb_extra, 0);
	profile.missed_xstat = nic_profile_ixgbe.missed_xstat;
	nic_state(port)->profile = &profile;
	nic_stats_begin(port);
	assert_int_equal(nic_state(port)->nb_extra, 1); /* one RX queue */
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.imissed, 0);

	profile.missed_xstat = "tx_q%u_packets"; /* one that moves */
	nic_stats_begin(port);
	send_packets(port, 4);
	assert_int_equal(nic_stats(port, &stats), 0);
	assert_int_equal(stats.imissed, 4);
	close_port(port, "net_null0");
}

static void
collect(const char *name, uint64_t value, const char *hint, void *arg)
{
	uint64_t *seen = arg;

	if (strcmp(name, "tx_good_packets") == 0)
		seen[0] = value;
	if (strcmp(name, "rx_mbuf_allocation_errors") == 0 && strstr(hint, "pool") != NULL)
		seen[1]++;
	seen[2]++;
}

static void
xstats_come_with_hints(void **state)
{
	struct nic_config cfg = config(1, 1);
	uint64_t seen[3] = { 0 };
	uint16_t port;

	(void)state;
	port = open_port("net_null0", "no-rx=1");
	assert_int_equal(nic_xstats(port, collect, seen), -ENODEV);
	bring_up(port, &cfg);
	send_packets(port, 6);
	assert_int_equal(nic_xstats(port, collect, seen), 0);
	assert_int_equal(seen[0], 6);
	assert_int_equal(seen[1], 1);
	assert_true(seen[2] >= 8);
	close_port(port, "net_null0");
}

static void
link_edges_are_logged(void **state)
{
	struct nic_config cfg = config(1, 1);
	uint64_t now_us = 100 * SECOND_US;
	struct nic_link link;
	uint16_t port;

	(void)state;
	port = open_port("net_ring0", NULL);
	bring_up(port, &cfg);
	nic_poll_link(now_us);
	assert_non_null(strstr(logged(), "port 0 (net_ring0): link up, 10 Gbps full duplex"));
	nic_link(port, &link);
	assert_true(link.up && link.full_duplex && link.speed_mbps == 10000);

	log_clear();
	nic_poll_link(now_us += SECOND_US); /* nothing new, nothing said */
	assert_null(strstr(logged(), "link"));
	rte_eth_dev_set_link_down(port);
	nic_poll_link(now_us + SECOND_US / 10); /* without an interrupt it waits its second */
	assert_null(strstr(logged(), "link"));
	nic_poll_link(now_us += SECOND_US);
	assert_non_null(strstr(logged(), "port 0 (net_ring0): link down"));
	nic_link(port, &link);
	assert_false(link.up);
	rte_eth_dev_set_link_up(port);
	log_clear();
	nic_poll_link(now_us += SECOND_US);
	assert_non_null(strstr(logged(), "link up, 10 Gbps"));
	close_port(port, "net_ring0");
	nic_link(port, &link);
	assert_false(link.up);
	assert_int_equal(link.speed_mbps, RTE_ETH_SPEED_NUM_UNKNOWN);
}

/* net_bonding is the one software device that raises the event; net_null is its cable. */
static void
an_interrupt_does_not_wait_for_the_second(void **state)
{
	struct nic_config cfg = config(1, 1);
	uint64_t now_us = 100 * SECOND_US;
	uint16_t cable, bond;

	(void)state;
	cable = open_port("net_null0", "no-rx=1");
	/* DPDK 23.11 renamed the argument */
	if (rte_eal_hotplug_add("vdev", "net_bonding0", "mode=1,slave=net_null0") != 0 &&
	    rte_eal_hotplug_add("vdev", "net_bonding0", "mode=1,member=net_null0") != 0)
		skip();
	assert_int_equal(nic_find("net_bonding0", &bond, NULL), 0);
	bring_up(bond, &cfg);
	assert_true(nic_state(bond)->watched);
	for (int i = 0; i < 400 && !nic_state(bond)->link.up; i++) {
		usleep(2500);
		nic_poll_link(now_us += SECOND_US);
	}
	assert_true(nic_state(bond)->link.up);
	log_clear();
	nic_poll_link(now_us + 1);
	nic_poll_link(now_us + 1); /* no event is left over */
	assert_int_equal(rte_eth_dev_stop(cable), 0);
	for (int i = 0; i < 400 && strstr(logged(), "link down") == NULL; i++) {
		usleep(2500);
		nic_poll_link(now_us + 1);
	}
	assert_non_null(strstr(logged(), "port 1 (net_bonding0): link down"));
	close_port(bond, "net_bonding0");
	close_port(cable, "net_null0");
}

static bool
interface_down(const char *name)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq ifr = { 0 };
	bool ok;

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	ok = ioctl(s, SIOCGIFFLAGS, &ifr) == 0;
	ifr.ifr_flags = (short)(ifr.ifr_flags & ~IFF_UP);
	ok = ok && ioctl(s, SIOCSIFFLAGS, &ifr) == 0;
	close(s);
	return ok;
}

/* net_tap takes root.  It claims link interrupts and never raises one: the poll is what works. */
static void
a_tap_pairs_its_queues_and_loses_its_link(void **state)
{
	struct nic_config cfg = config(1, 2);
	uint64_t now_us = 100 * SECOND_US;
	char ifname[IFNAMSIZ], args[64];
	struct nic_caps caps;
	struct err err;
	uint16_t port;

	(void)state;
	snprintf(ifname, sizeof(ifname), "slt%d", getpid() % 100000);
	snprintf(args, sizeof(args), "iface=%s", ifname);
	if (access("/dev/net/tun", W_OK) != 0 || rte_eal_hotplug_add("vdev", "net_tap0", args) != 0)
		skip();
	assert_int_equal(nic_find("net_tap0", &port, &err), 0);
	assert_int_equal(nic_caps(port, &caps, &err), 0);
	assert_true(caps.paired);
	assert_int_equal(nic_configure(port, &cfg, &err), -EINVAL);
	assert_non_null(strstr(err.text, "port 0 (net_tap0): 1 RX and 2 TX queues: net_tap"));
	cfg.nb_txq = 1;
	cfg.mtu = 1400;
	bring_up(port, &cfg);
	nic_poll_link(now_us);
	assert_true(interface_down(ifname));
	for (int i = 0; i < 400 && strstr(logged(), "link down") == NULL; i++) {
		usleep(2500);
		nic_poll_link(now_us += SECOND_US);
	}
	assert_non_null(strstr(logged(), "port 0 (net_tap0): link down"));
	close_port(port, "net_tap0");
}

static void
modes_are_unknown_where_nobody_says(void **state)
{
	struct nic_config cfg = config(1, 1);
	struct nic_modes modes;
	uint16_t port;

	(void)state;
	port = open_port("net_ring0", NULL);
	nic_modes(port, &modes);
	assert_string_equal(modes.rx, "unknown");
	bring_up(port, &cfg);
	nic_modes(port, &modes);
	assert_string_equal(modes.rx, "unknown");
	assert_string_equal(modes.tx, "unknown");
	assert_string_equal(modes.why, "");
	close_port(port, "net_ring0");
	nic_modes(port, &modes);
	assert_string_equal(modes.tx, "unknown");
}

/* A test that failed leaves its ports; the next one starts without them. */
static int
no_ports(void **state)
{
	uint16_t port;

	(void)state;
	log_clear();
	RTE_ETH_FOREACH_DEV (port) {
		char name[NIC_NAME_MAX];

		snprintf(name, sizeof(name), "%s", nic_name(port));
		nic_close(port);
		rte_eal_hotplug_remove("vdev", name);
	}
	return 0;
}

static int
set_up(void **state)
{
	(void)state;
	log_file = open_memstream(&log_text, &log_size);
	if (log_file == NULL || rte_openlog_stream(log_file) != 0)
		return -1;
	log_init();
	pool = rte_pktmbuf_pool_create("test", 2047, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
				       SOCKET_ID_ANY);
	return pool != NULL ? 0 : -1;
}

/* Whatever the ports did, every buffer is back. */
static int
tear_down(void **state)
{
	int ret = rte_mempool_avail_count(pool) == 2047 ? 0 : -1;

	(void)state;
	rte_mempool_free(pool);
	rte_openlog_stream(NULL);
	fclose(log_file);
	free(log_text);
	return ret;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_port_answers_to_all_its_names, no_ports),
		cmocka_unit_test_teardown(a_pci_address_needs_no_domain, no_ports),
		cmocka_unit_test_teardown(caps_tell_family_and_limits, no_ports),
		cmocka_unit_test_teardown(downgrades_are_logged_once, no_ports),
		cmocka_unit_test_teardown(a_refusal_names_the_port, no_ports),
		cmocka_unit_test_teardown(mtu_stays_within_the_buffers, no_ports),
		cmocka_unit_test_teardown(promiscuous_only_when_asked, no_ports),
		cmocka_unit_test_teardown(counters_never_go_back, no_ports),
		cmocka_unit_test_teardown(counters_are_read_unasked, no_ports),
		cmocka_unit_test_teardown(drops_kept_elsewhere_are_found_by_name, no_ports),
		cmocka_unit_test_teardown(xstats_come_with_hints, no_ports),
		cmocka_unit_test_teardown(link_edges_are_logged, no_ports),
		cmocka_unit_test_teardown(an_interrupt_does_not_wait_for_the_second, no_ports),
		cmocka_unit_test_teardown(a_tap_pairs_its_queues_and_loses_its_link, no_ports),
		cmocka_unit_test_teardown(modes_are_unknown_where_nobody_says, no_ports),
	};
	int ret;

	(void)argc;
	test_eal_init(argv[0], "0", "64");
	ret = cmocka_run_group_tests(tests, set_up, tear_down);
	rte_eal_cleanup();
	return ret;
}

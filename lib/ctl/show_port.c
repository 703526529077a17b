/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/show.h"
#include "ctl/state.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define STARS  "*********************"
#define HASHES "########################"

/* As rte_eth_link_speed_to_str() says it, for whole and half gigabits. */
static void
print_speed(uint32_t mbps, FILE *out)
{
	if (mbps == UINT32_MAX)
		fprintf(out, "Unknown\n");
	else if (mbps == 0)
		fprintf(out, "None\n");
	else if (mbps < 1000)
		fprintf(out, "%u Mbps\n", mbps);
	else if (mbps % 1000 == 0)
		fprintf(out, "%u Gbps\n", mbps / 1000);
	else
		fprintf(out, "%.1f Gbps\n", mbps / 1000.0);
}

static const char *
or_unknown(const char *text)
{
	return text[0] != '\0' ? text : "unknown";
}

void
show_port_info(struct ctl *ctl, uint16_t port, FILE *out)
{
	struct port_info info = { 0 };
	char mac[ADDR_MAC_TEXT];
	int ret = ctl->cfg.ports->info(port, &info);

	if (ret < 0) {
		fprintf(out, "port %u: no information: %s\n", port, strerror(-ret));
		return;
	}
	fprintf(out, "\n" STARS " Infos for port %-2u " STARS "\n", port);
	fprintf(out, "MAC address: %s\n", addr_mac(mac, &info.mac));
	fprintf(out, "Device name: %s\n", info.name);
	fprintf(out, "Driver name: %s\n", info.driver);
	if (info.socket < 0)
		fprintf(out, "Connect to socket: unknown\n");
	else
		fprintf(out, "Connect to socket: %d\n", info.socket);
	fprintf(out, "Link status: %s\n", info.link_up ? "up" : "down");
	fprintf(out, "Link speed: ");
	print_speed(info.speed_mbps, out);
	fprintf(out, "Link duplex: %s\n", info.full_duplex ? "full-duplex" : "half-duplex");
	fprintf(out, "MTU: %u\n", info.mtu);
	fprintf(out, "Promiscuous mode: %s\n", info.promisc ? "enabled" : "disabled");
	fprintf(out, "Current number of RX queues: %u\n", info.nb_rxq);
	fprintf(out, "Number of RXDs per queue: %u\n", info.rxd);
	fprintf(out, "Current number of TX queues: %u\n", info.nb_txq);
	fprintf(out, "Number of TXDs per queue: %u\n", info.txd);
	fprintf(out, "Family: %s\n", or_unknown(info.family));
	fprintf(out, "RX burst mode: %s\n", or_unknown(info.rx_mode));
	fprintf(out, "TX burst mode: %s\n", or_unknown(info.tx_mode));
	if (info.why[0] != '\0')
		fprintf(out, "Not faster because: %s\n", info.why);
}

static uint64_t
per_second(uint64_t now, uint64_t before, uint64_t us)
{
	if (us == 0)
		return 0;
	return (uint64_t)((double)ctl_since(now, before) / (double)us * (double)CLOCK_SECOND_US);
}

/* Rates go by the counters themselves, so that "clear" cannot bend them. */
static void
print_rates(struct ctl_rate *r, const struct port_stats *now, FILE *out)
{
	uint64_t at_us = clock_us();
	uint64_t us = r->at_us == 0 ? 0 : at_us - r->at_us;

	fprintf(out, "\n  Throughput (since last show)\n");
	fprintf(out, "  Rx-pps: %12" PRIu64 "          Rx-bps: %12" PRIu64 "\n",
		per_second(now->rx_packets, r->seen.rx_packets, us),
		per_second(now->rx_bytes, r->seen.rx_bytes, us) * 8);
	fprintf(out, "  Tx-pps: %12" PRIu64 "          Tx-bps: %12" PRIu64 "\n",
		per_second(now->tx_packets, r->seen.tx_packets, us),
		per_second(now->tx_bytes, r->seen.tx_bytes, us) * 8);
	r->at_us = at_us;
	r->seen = *now;
}

void
show_port_stats(struct ctl *ctl, uint16_t port, FILE *out)
{
	struct port_stats now = { 0 }, s;
	int ret = ctl->cfg.ports->stats(port, &now);

	if (ret < 0) {
		fprintf(out, "port %u: no statistics: %s\n", port, strerror(-ret));
		return;
	}
	s = ctl_port_since(&now, &ctl->port_base[port]);
	fprintf(out, "\n  " HASHES " NIC statistics for port %-2u " HASHES "\n", port);
	fprintf(out,
		"  RX-packets: %-10" PRIu64 " RX-missed: %-10" PRIu64 " RX-bytes:  %-" PRIu64 "\n",
		s.rx_packets, s.rx_missed, s.rx_bytes);
	fprintf(out, "  RX-errors: %-" PRIu64 "\n", s.rx_errors);
	fprintf(out, "  RX-nombuf:  %-10" PRIu64 "\n", s.rx_nombuf);
	fprintf(out,
		"  TX-packets: %-10" PRIu64 " TX-errors: %-10" PRIu64 " TX-bytes:  %-" PRIu64 "\n",
		s.tx_packets, s.tx_errors, s.tx_bytes);
	print_rates(&ctl->rate[port], &now, out);
	fprintf(out, "  " HASHES "############################" HASHES "\n");
}

static void
print_xstat(const char *name, uint64_t value, const char *hint, void *arg)
{
	FILE *out = arg;

	(void)hint; /* show drops has the hints; here scripts expect "name: value" */
	fprintf(out, "%s: %" PRIu64 "\n", name, value);
}

void
show_port_xstats(struct ctl *ctl, uint16_t port, FILE *out)
{
	int ret;

	fprintf(out, "###### NIC extended statistics for port %-2u\n", port);
	ret = ctl->cfg.ports->xstats(port, print_xstat, out);
	if (ret < 0)
		fprintf(out, "port %u: no extended statistics: %s\n", port, strerror(-ret));
}

int
show_port_clear(struct ctl *ctl, uint16_t port, FILE *out, struct err *err)
{
	int ret = ctl->cfg.ports->stats(port, &ctl->port_base[port]);

	if (ret < 0)
		return err_set(err, ret, "port %u: no statistics: %s", port, strerror(-ret));
	fprintf(out, "\n  NIC statistics for port %u cleared\n", port);
	return 0;
}

void
ctl_print_port_stats(struct ctl *ctl, FILE *out)
{
	fprintf(out, "\033[2J\033[1;1H\nPort statistics ====================================");
	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p))
		show_port_stats(ctl, p, out);
	fflush(out);
}

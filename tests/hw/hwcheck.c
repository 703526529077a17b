/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One case of ./run hwcheck: two ports joined by a cable.  One has sluice's datapath, which routes
 * what comes in back out; the other has gen and sink, which send and judge every frame.  One
 * thread does both, so that a case is the same every time.  Prints JSON; hwcheck.py runs and judges.
 *
 *   hwcheck --allow BDF --allow BDF [--dut 0|1] [--gen OPTIONS] [--queues N] ...
 *   SLUICE_NICS="run,step ; 82599 pair,with=1 ; ... ; ethdev gen,... sink" hwcheck --plugin FILE
 */
#include "base/clock.h"
#include "cable_nic.h"
#include "drivers/wire/softnic.h"
#include "support/pmd_rig.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>

#define LINK_US  (10 * CLOCK_SECOND_US) /* autonegotiation takes up to some seconds */
#define QUIET_US (200 * 1000ull)        /* nothing moves for so long: the case is over */

static const char *gen = "count=10000";

static int
parse(struct pmd_config *c, int argc, char **argv)
{
	static const struct option options[] = {
		{ "plugin", 1, NULL, 'p' }, { "allow", 1, NULL, 'a' },  { "dut", 1, NULL, 'd' },
		{ "gen", 1, NULL, 'g' },    { "queues", 1, NULL, 'q' }, { "mtu", 1, NULL, 'm' },
		{ "burst", 1, NULL, 'b' },  { "simd", 1, NULL, 's' },   { "no-huge", 0, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned int nb_allow = 0;
	int opt;

	*c = (struct pmd_config){ .queues = 1,
				  .burst = 32,
				  .prefetch = 4,
				  .hairpin = true,
				  .huge = true,
				  .rx_free = NIC_DEFAULT,
				  .tx_rs = NIC_DEFAULT };
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		uint16_t n = optarg != NULL ? (uint16_t)strtoul(optarg, NULL, 0) : 0;

		switch (opt) {
		case 'p':
			c->plugin = optarg;
			break;
		case 'a':
			if (nb_allow == 2)
				return -1;
			c->allow[nb_allow++] = optarg;
			break;
		case 'd':
			c->dut = n & 1;
			break;
		case 'g':
			gen = optarg;
			break;
		case 'q':
			c->queues = n;
			break;
		case 'm':
			c->mtu = n;
			break;
		case 'b':
			c->burst = n;
			break;
		case 's':
			c->simd = optarg;
			break;
		case 'n':
			c->huge = false;
			break;
		default:
			return -1;
		}
	}
	return c->plugin != NULL || nb_allow == 2 ? 0 : -1;
}

/* With software NICs the specification is there already: their plugin has read it. */
static int
plug(const struct pmd_rig *rig)
{
	uint16_t tester = !rig->cfg.dut;
	char mac[RTE_ETHER_ADDR_FMT_SIZE], spec[512];

	cable_nic_use(tester, rig->pool);
	if (getenv("SLUICE_NICS") == NULL) {
		rte_ether_format_addr(mac, sizeof(mac), &rig->caps[rig->cfg.dut].mac);
		snprintf(
			spec, sizeof(spec),
			"run,step ; ethdev gen,dst=198.18.0.0/15,spread=random,flows=64,dmac=%s,%s "
			"sink,hops=1",
			mac, gen);
		setenv("SLUICE_NICS", spec, 1);
	}
	return cable_nic_plug();
}

static bool
links_up(struct nic_link link[2])
{
	for (uint16_t p = 0; p < 2; p++)
		nic_link(p, &link[p]);
	return link[0].up && link[1].up;
}

/* The software NICs' own link-up is seen by interrupt; real ones take their time. */
static int
wait_for_links(struct nic_link link[2])
{
	uint64_t end_us = clock_us() + LINK_US;

	while (!links_up(link)) {
		if (clock_us() > end_us) {
			fprintf(stderr,
				"hwcheck: no link between the ports: is the cable in both?\n");
			return -1;
		}
		softnic_step(1);
	}
	return 0;
}

static uint64_t
forward(struct pmd_rig *rig)
{
	uint64_t last_us = clock_us(), met = 0;

	while (clock_us() - last_us < QUIET_US) {
		int moved = softnic_step(64);
		unsigned int n;

		/* All that is there, so that a ring cannot overflow for want of turns. */
		while ((n = core_turn(rig->core)) > 0) {
			met += n;
			moved = 1;
		}
		if (moved > 0)
			last_us = clock_us();
	}
	return met;
}

static void
print(const struct pmd_rig *rig, const struct ledger_row *row, uint32_t missing,
      const struct nic_modes *modes, const struct rte_eth_stats stats[2],
      const struct nic_link *link, const char *nics)
{
	const struct nic_caps *c = &rig->caps[rig->cfg.dut];

	printf("{\"name\":\"%s\",\"driver\":\"%s\",\"rx_mode\":\"%s\",\"tx_mode\":\"%s\",\"why\":"
	       "\"%s\","
	       "\"speed_mbps\":%u,\"software\":%s,\"pool_missing\":%u,\"received\":%" PRIu64
	       ",\"sent\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"unaccounted\":%" PRId64
	       ",\"ports\":[",
	       c->name, c->driver, modes->rx, modes->tx, modes->why, link->speed_mbps,
	       rig->cfg.plugin != NULL ? "true" : "false", missing, row->received, row->sent,
	       row->dropped_total, row->unaccounted);
	for (unsigned int p = 0; p < 2; p++)
		printf("%s{\"rx_packets\":%" PRIu64 ",\"rx_missed\":%" PRIu64
		       ",\"rx_errors\":%" PRIu64 ",\"rx_nombuf\":%" PRIu64
		       ",\"tx_packets\":%" PRIu64 ",\"tx_errors\":%" PRIu64 "}",
		       p == 0 ? "" : ",", stats[p].ipackets, stats[p].imissed, stats[p].ierrors,
		       stats[p].rx_nombuf, stats[p].opackets, stats[p].oerrors);
	printf("],\"nics\":%s}\n", nics);
}

int
main(int argc, char **argv)
{
	static struct pmd_rig rig;
	static char nics[1 << 16];
	struct rte_eth_stats stats[2];
	struct nic_link link[2];
	struct nic_modes modes;
	struct ledger_row row;
	uint32_t missing;

	if (parse(&rig.cfg, argc, argv) < 0) {
		fprintf(stderr, "usage: hwcheck --allow BDF --allow BDF [--dut 0|1] ...\n");
		return 2;
	}
	if (pmd_open(&rig, argv[0]) < 0 || wait_for_links(link) < 0 || plug(&rig) < 0)
		return 1;
	nic_modes(rig.cfg.dut, &modes);
	forward(&rig);
	for (uint16_t p = 0; p < 2; p++)
		nic_stats(p, &stats[p]);
	if (softnic_command("stats json", nics, sizeof(nics)) < 0)
		return 1;
	missing = pmd_close(&rig, &row);
	print(&rig, &row, missing, &modes, stats, &link[rig.cfg.dut], nics);
	return 0;
}

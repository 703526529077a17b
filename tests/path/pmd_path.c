/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One run of the datapath over two software NICs and their production PMDs, in lock-step; what came
 * of it as JSON on stdout.  tests/system/test_pmd_path.py runs and judges it.
 *
 *   SLUICE_NICS="run,step ; 82599 gen,... ; 82599 sink" pmd_path --plugin libsluice_82599.so ...
 *
 * --break is a forwarder with a fault, to see that the judges find it: corrupt (one bit of one
 * packet in 1,000), swap (two neighbours once), leak (one mbuf is taken and never freed).
 */
#include "drivers/wire/softnic.h"
#include "pmd_bench.h"
#include "stats/verdict.h"
#include "support/pmd_rig.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#define IDLE 400 /* turns: the slowest completion is long over */

static uint64_t seen;
static unsigned int bench_turns; /* 0: forward what comes, then report */

static uint16_t
corrupt(uint16_t port, uint16_t queue, struct rte_mbuf **pkt, uint16_t n, void *arg)
{
	(void)port, (void)queue, (void)arg;
	for (uint16_t i = 0; i < n; i++)
		if (++seen % 1000 == 0)
			*rte_pktmbuf_mtod_offset(pkt[i], uint8_t *, pkt[i]->data_len - 1) ^= 1;
	return n;
}

static uint16_t
swap(uint16_t port, uint16_t queue, struct rte_mbuf **pkt, uint16_t n, void *arg)
{
	(void)port, (void)queue, (void)arg;
	seen += n;
	if (seen > 1000 && n > 1 && arg != NULL && *(int *)arg == 0) {
		struct rte_mbuf *first = pkt[0];

		*(int *)arg = 1;
		pkt[0] = pkt[1];
		pkt[1] = first;
	}
	return n;
}

static uint16_t
leak(uint16_t port, uint16_t queue, struct rte_mbuf **pkt, uint16_t n, uint16_t max, void *arg)
{
	(void)port, (void)queue, (void)pkt, (void)max;
	seen += n;
	if (seen > 1000 && n > 0 && *(int *)arg == 0) {
		*(int *)arg = 1;
		return n - 1;
	}
	return n;
}

static int
break_it(const char *how)
{
	static int done;
	const void *added = NULL;

	if (strcmp(how, "corrupt") == 0)
		added = rte_eth_add_tx_callback(1, 0, corrupt, NULL);
	else if (strcmp(how, "swap") == 0)
		added = rte_eth_add_tx_callback(1, 0, swap, &done);
	else if (strcmp(how, "leak") == 0)
		added = rte_eth_add_rx_callback(0, 0, leak, &done);
	return added != NULL ? 0 : -1;
}

static const struct option options[] = {
	{ "plugin", 1, NULL, 'p' },  { "simd", 1, NULL, 's' },     { "devargs", 1, NULL, 'a' },
	{ "queues", 1, NULL, 'q' },  { "mtu", 1, NULL, 'm' },      { "rxd", 1, NULL, 'r' },
	{ "txd", 1, NULL, 't' },     { "rxfreet", 1, NULL, 'f' },  { "txrst", 1, NULL, 'x' },
	{ "burst", 1, NULL, 'b' },   { "prefetch", 1, NULL, 'e' }, { "mbuf-size", 1, NULL, 'z' },
	{ "promisc", 0, NULL, 'o' }, { "break", 1, NULL, 'k' },    { "mode", 1, NULL, 'd' },
	{ "bench", 1, NULL, 'n' },   { NULL, 0, NULL, 0 },
};

/* An option that is a number; false: there is none of that letter. */
static bool
set_number(struct pmd_config *c, int opt, unsigned long n)
{
	switch (opt) {
	case 'q':
		c->queues = (uint16_t)n;
		return true;
	case 'm':
		c->mtu = (uint16_t)n;
		return true;
	case 'r':
		c->rxd = (uint16_t)n;
		return true;
	case 't':
		c->txd = (uint16_t)n;
		return true;
	case 'f':
		c->rx_free = (int32_t)n;
		return true;
	case 'x':
		c->tx_rs = (int32_t)n;
		return true;
	case 'b':
		c->burst = (uint16_t)n;
		return true;
	case 'e':
		c->prefetch = (uint16_t)n;
		return true;
	case 'z':
		c->mbuf_size = (uint32_t)n;
		return true;
	case 'n':
		bench_turns = (unsigned int)n;
		return true;
	default:
		return false;
	}
}

static int
set(struct pmd_config *c, const char **broken, int opt, const char *text)
{
	switch (opt) {
	case 'p':
		c->plugin = text;
		return 0;
	case 's':
		c->simd = text;
		return 0;
	case 'a':
		c->devargs = text;
		return 0;
	case 'd':
		return forward_mode_parse(text, &c->mode, NULL);
	case 'o':
		c->promisc = true;
		return 0;
	case 'k':
		*broken = text;
		return 0;
	default:
		return -1;
	}
}

static int
parse(struct pmd_rig *rig, const char **broken, int argc, char **argv)
{
	struct pmd_config *c = &rig->cfg;
	int opt;

	*c = (struct pmd_config){ .queues = 1,
				  .burst = 32,
				  .prefetch = 4,
				  .rx_free = NIC_DEFAULT,
				  .tx_rs = NIC_DEFAULT };
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (!set_number(c, opt, optarg != NULL ? strtoul(optarg, NULL, 0) : 0) &&
		    set(c, broken, opt, optarg) < 0)
			return -1;
	for (unsigned int i = 0; c->devargs != NULL && i < 2; i++)
		c->allow[i] = getenv(i == 0 ? "PMD_BDF0" : "PMD_BDF1");
	return c->plugin != NULL ? 0 : -1;
}

static void
print(const struct ledger_row *row, uint32_t lost_mbufs, struct nic_modes modes[2],
      const struct rte_eth_stats stats[2], const char *nics)
{
	printf("{\"pool_missing\":%u,\"ledger\":{\"received\":%" PRIu64 ",\"sent\":%" PRIu64
	       ",\"delivered\":%" PRIu64 ",\"handed_out\":%" PRIu64 ",\"unaccounted\":%" PRId64
	       ",\"dropped\":{",
	       lost_mbufs, row->received, row->sent, row->delivered, row->handed_out,
	       row->unaccounted);
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++)
		printf("%s\"%s\":%" PRIu64, v == VERDICT_DROP + 1 ? "" : ",", verdict_name(v),
		       row->dropped[v]);
	printf("}},\"ports\":[");
	for (unsigned int p = 0; p < 2; p++)
		printf("%s{\"rx_mode\":\"%s\",\"tx_mode\":\"%s\",\"why\":\"%s\",\"rx_packets\":"
		       "%" PRIu64 ",\"rx_missed\":%" PRIu64 ",\"rx_errors\":%" PRIu64
		       ",\"rx_nombuf\":%" PRIu64 ",\"tx_packets\":%" PRIu64 "}",
		       p == 0 ? "" : ",", modes[p].rx, modes[p].tx, modes[p].why, stats[p].ipackets,
		       stats[p].imissed, stats[p].ierrors, stats[p].rx_nombuf, stats[p].opackets);
	printf("],\"nics\":%s}\n", nics);
}

int
main(int argc, char **argv)
{
	static struct pmd_rig rig;
	static char nics[1 << 16];
	struct rte_eth_stats stats[2];
	struct nic_modes modes[2];
	const char *broken = NULL;
	struct ledger_row row;
	uint32_t lost_mbufs;

	if (parse(&rig, &broken, argc, argv) < 0) {
		fprintf(stderr, "usage: pmd_path --plugin FILE [--queues N] ...\n");
		return 2;
	}
	if (pmd_open(&rig, argv[0]) < 0)
		return 1;
	if (broken != NULL && break_it(broken) < 0)
		return 2;
	for (uint16_t p = 0; p < 2; p++)
		nic_modes(p, &modes[p]);
	if (bench_turns != 0) {
		if (pmd_bench(&rig, bench_turns) < 0)
			fprintf(stderr, "no full bursts\n");
	} else {
		pmd_run(&rig, IDLE);
	}
	for (uint16_t p = 0; p < 2; p++)
		nic_stats(p, &stats[p]);
	if (softnic_command("stats json", nics, sizeof(nics)) < 0)
		return 1;
	lost_mbufs = pmd_close(&rig, &row);
	print(&row, lost_mbufs, modes, stats, nics);
	return 0;
}

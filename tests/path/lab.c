/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a port does with frames of every sort, on the production PMDs over software NICs.
 *
 *   SLUICE_NICS="run,step ; cx5 pair,with=1 ; cx5 pair,with=0" lab --plugin libsluice_cx5.so flow
 *
 * tests/system/test_softnic_flow.py runs it.
 */
#include "lab.h"

#include "drivers/wire/softnic.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>

#define NB_MBUFS 8191
#define NB_DESC  512
#define BURST    32
#define LINK_MS  12000
#define LINES    20 /* of failures, then it is clear */
#define IDLE     4  /* turns without a frame: nothing is on its way any more */

void
lab_fail(struct lab *lab, const char *fmt, ...)
{
	va_list ap;

	if (++lab->failures > LINES)
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static int
start_eal(const struct lab_conf *conf)
{
	char text[][32] = { "--no-huge",
			    "--no-shconf",
			    "--no-telemetry",
			    "-m",
			    "256",
			    "-l",
			    "0",
			    "--log-level=lib.eal:error",
			    "-d" };
	char simd[64], allow[2][128], prefix[64], *argv[24];
	int argc = 0;

	argv[argc++] = (char *)(uintptr_t)conf->program;
	for (size_t i = 0; i < RTE_DIM(text); i++)
		argv[argc++] = text[i];
	argv[argc++] = (char *)(uintptr_t)conf->plugin;
	snprintf(prefix, sizeof(prefix), "--file-prefix=lab%ld", (long)getpid());
	argv[argc++] = prefix;
	if (conf->simd != NULL) {
		snprintf(simd, sizeof(simd), "--force-max-simd-bitwidth=%s", conf->simd);
		argv[argc++] = simd;
	}
	for (unsigned int i = 0; conf->devargs != NULL && i < 2; i++) {
		snprintf(allow[i], sizeof(allow[i]), "--allow=%s,%s",
			 getenv(i == 0 ? "PMD_BDF0" : "PMD_BDF1"), conf->devargs);
		argv[argc++] = allow[i];
	}
	return rte_eal_init(argc, argv);
}

/* On an error everything after it would only repeat it. */
static void
must(int ret, const char *what)
{
	if (ret >= 0)
		return;
	printf("%s: %s\n", what, rte_strerror(-ret));
	exit(1);
}

/* A PMD brings its link up at its leisure, on a thread of its own. */
static void
wait_link(uint16_t port)
{
	struct rte_eth_link link = { 0 };

	for (unsigned int ms = 0; ms < LINK_MS && link.link_status != RTE_ETH_LINK_UP; ms++) {
		softnic_step(64);
		rte_delay_us_sleep(1000);
		must(rte_eth_link_get_nowait(port, &link), "ask for the link");
	}
	must(link.link_status == RTE_ETH_LINK_UP ? 0 : -ENETDOWN, "wait for the link");
}

void
lab_start(struct lab *lab)
{
	must(rte_eth_dev_configure(0, LAB_QUEUES, 1, &lab->eth), "configure port 0");
	for (uint16_t q = 0; q < LAB_QUEUES; q++)
		must(rte_eth_rx_queue_setup(0, q, NB_DESC, SOCKET_ID_ANY, NULL, lab->pool),
		     "set up a receive queue of port 0");
	must(rte_eth_tx_queue_setup(0, 0, NB_DESC, SOCKET_ID_ANY, NULL),
	     "set up the transmit queue of port 0");
	must(rte_eth_dev_start(0), "start port 0");
	wait_link(0);
}

void
lab_stop(void)
{
	must(rte_eth_dev_stop(0), "stop port 0");
}

static void
start_sender(const struct lab *lab)
{
	struct rte_eth_conf eth = { 0 };

	must(rte_eth_dev_configure(1, 1, 1, &eth), "configure port 1");
	must(rte_eth_rx_queue_setup(1, 0, NB_DESC, SOCKET_ID_ANY, NULL, lab->pool),
	     "set up the receive queue of port 1");
	must(rte_eth_tx_queue_setup(1, 0, NB_DESC, SOCKET_ID_ANY, NULL),
	     "set up the transmit queue of port 1");
	must(rte_eth_dev_start(1), "start port 1");
	wait_link(1);
}

int
lab_open(struct lab *lab)
{
	must(start_eal(&lab->conf), "start EAL");
	if (rte_eth_dev_count_avail() != 2) {
		printf("%u ports, 2 are needed\n", rte_eth_dev_count_avail());
		return -1;
	}
	lab->pool = rte_pktmbuf_pool_create("lab", NB_MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
					    SOCKET_ID_ANY);
	if (lab->pool == NULL) {
		printf("no memory for a pool\n");
		return -1;
	}
	must(rte_eth_macaddr_get(0, &lab->mac), "ask for the MAC address");
	for (unsigned int i = 0; i < lab_nb_frames; i++)
		lab_build(lab, &lab_frames[i]);
	start_sender(lab);
	return 0;
}

int
lab_close(struct lab *lab)
{
	for (uint16_t port = 0; port < 2; port++) {
		rte_eth_dev_stop(port);
		rte_eth_dev_close(port);
	}
	if (rte_mempool_in_use_count(lab->pool) != 0)
		lab_fail(lab, "%u mbufs are missing", rte_mempool_in_use_count(lab->pool));
	rte_mempool_free(lab->pool);
	rte_eal_cleanup();
	return lab->failures > 0;
}

static void
note(struct lab *lab, uint16_t queue, const struct rte_mbuf *mbuf, struct lab_seen *seen)
{
	uint32_t number;

	memcpy(&number, rte_pktmbuf_mtod_offset(mbuf, uint8_t *, LAB_LEN - sizeof(number)),
	       sizeof(number));
	if (mbuf->pkt_len != LAB_LEN || number >= lab_nb_frames) {
		lab_fail(lab, "a frame of %u bytes that was not sent", mbuf->pkt_len);
		return;
	}
	seen[number].times++;
	seen[number].queue = queue;
	seen[number].flags = mbuf->ol_flags;
	seen[number].mark = mbuf->hash.fdir.hi;
	seen[number].hash = mbuf->hash.rss;
}

static unsigned int
receive(struct lab *lab, struct lab_seen *seen)
{
	struct rte_mbuf *mbufs[BURST];
	unsigned int all = 0;

	for (uint16_t q = 0; q < LAB_QUEUES; q++) {
		uint16_t n = rte_eth_rx_burst(0, q, mbufs, BURST);

		for (uint16_t i = 0; i < n; i++)
			note(lab, q, mbufs[i], seen);
		rte_pktmbuf_free_bulk(mbufs, n);
		all += n;
	}
	return all;
}

/* seen[] has a place for every frame of the list. */
void
lab_send(struct lab *lab, const struct lab_frame *frames, unsigned int n, struct lab_seen *seen)
{
	unsigned int idle = 0;

	memset(seen, 0, lab_nb_frames * sizeof(*seen));
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = rte_pktmbuf_alloc(lab->pool);

		must(mbuf == NULL ? -ENOMEM : 0, "take an mbuf");
		memcpy(rte_pktmbuf_append(mbuf, LAB_LEN), frames[i].bytes, LAB_LEN);
		if (rte_eth_tx_burst(1, 0, &mbuf, 1) != 1) {
			lab_fail(lab, "%s: not sent", frames[i].name);
			rte_pktmbuf_free(mbuf);
		}
	}
	while (idle < IDLE) {
		int moved = softnic_step(64);

		must(moved, "run the NICs in lock-step");
		idle = receive(lab, seen) > 0 || moved > 0 ? 0 : idle + 1;
	}
}

static int
usage(void)
{
	fprintf(stderr,
		"usage: lab --plugin FILE [--devargs ARGS] [--simd BITS] error|filter|flow|rss\n");
	return 2;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = { { "plugin", 1, NULL, 'p' },
						 { "devargs", 1, NULL, 'a' },
						 { "simd", 1, NULL, 's' },
						 { NULL, 0, NULL, 0 } };
	static const struct {
		const char *name;
		void (*run)(struct lab *lab);
	} labs[] = { { "error", lab_error },
		     { "filter", lab_filter },
		     { "flow", lab_flow },
		     { "rss", lab_rss } };
	static struct lab lab;
	int opt;

	lab.conf.program = argv[0];
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 'p')
			lab.conf.plugin = optarg;
		else if (opt == 'a')
			lab.conf.devargs = optarg;
		else if (opt == 's')
			lab.conf.simd = optarg;
		else
			return usage();
	}
	if (lab.conf.plugin == NULL || optind + 1 != argc)
		return usage();
	lab.conf.mlx5 = strstr(lab.conf.plugin, "cx5") != NULL;
	lab.conf.groups =
		lab.conf.devargs == NULL || strstr(lab.conf.devargs, "dv_flow_en=0") == NULL;
	for (size_t i = 0; i < RTE_DIM(labs); i++) {
		if (strcmp(labs[i].name, argv[optind]) != 0)
			continue;
		if (lab_open(&lab) < 0)
			return 1;
		labs[i].run(&lab);
		return lab_close(&lab);
	}
	return usage();
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/pmd_rig.h"

#include "base/addr.h"
#include "drivers/wire/softnic.h"
#include "pool/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <rte_rcu_qsbr.h>

#define NB_MBUFS 32767
#define NB_EAL   24
#define BATCH    64 /* frames a port and turn of the models */

static int
fail(const struct err *err)
{
	fprintf(stderr, "pmd_rig: %s\n", err->text);
	return -1;
}

static int
start_eal(const struct pmd_config *cfg, const char *program)
{
	char simd[64], allow[2][128], prefix[64], *argv[NB_EAL];
	char text[][32] = { "--no-huge",
			    "--no-shconf",
			    "--in-memory",
			    "--no-telemetry",
			    "-m",
			    "768",
			    "-l",
			    "0",
			    "-d",
			    "-a",
			    "--log-level=lib.eal:error" };
	int argc = 0;

	argv[argc++] = (char *)(uintptr_t)program;
	for (size_t i = cfg->huge ? 2 : 0; i < 8; i++)
		if (cfg->huge || i != 2) /* no hugepages and in-memory do not go together */
			argv[argc++] = text[i];
	if (cfg->plugin != NULL) {
		argv[argc++] = text[8];
		argv[argc++] = (char *)(uintptr_t)cfg->plugin;
	}
	argv[argc++] = text[10];
	snprintf(prefix, sizeof(prefix), "--file-prefix=pmd%ld", (long)getpid());
	argv[argc++] = prefix;
	if (cfg->simd != NULL) {
		snprintf(simd, sizeof(simd), "--force-max-simd-bitwidth=%s", cfg->simd);
		argv[argc++] = simd;
	}
	for (unsigned int i = 0; i < 2 && cfg->allow[i] != NULL; i++) {
		snprintf(allow[i], sizeof(allow[i]), "%s%s%s", cfg->allow[i],
			 cfg->devargs != NULL ? "," : "", cfg->devargs != NULL ? cfg->devargs : "");
		argv[argc++] = text[9];
		argv[argc++] = allow[i];
	}
	return rte_eal_init(argc, argv);
}

static int
open_ports(struct pmd_rig *r, struct err *err)
{
	const struct pmd_config *c = &r->cfg;

	for (uint16_t p = 0; p < 2; p++) {
		struct nic_config cfg = {
			.nb_rxq = c->hairpin && p != c->dut ? 1 : c->queues,
			.nb_txq = 1,
			.rx_free = c->rx_free,
			.tx_free = NIC_DEFAULT,
			.tx_rs = c->tx_rs,
			.mtu = c->mtu,
			.promisc = c->promisc,
			.mbuf_size = c->mbuf_size,
		};
		int ret = nic_caps(p, &r->caps[p], err);

		if (ret < 0)
			return ret;
		cfg.rxd = c->rxd != 0 ? c->rxd : r->caps[p].rxd;
		cfg.txd = c->txd != 0 ? c->txd : r->caps[p].txd;
		cfg.fast_free = r->caps[p].fast_free && c->mtu <= 1500;
		for (uint16_t q = 0; q < NIC_QUEUES_MAX; q++) {
			cfg.rx_pool[q] = r->pool;
			cfg.rx_socket[q] = cfg.tx_socket[q] = SOCKET_ID_ANY;
		}
		ret = nic_configure(p, &cfg, err);
		if (ret == 0)
			ret = nic_start(p, err);
		if (ret < 0)
			return ret;
		r->port[p] = (struct worker_port){ p, !p, r->caps[p].mac };
	}
	return 0;
}

static int
add_route(struct router *router, const char *prefix, const char *via, struct err *err)
{
	struct route_spec spec = { .kind = via != NULL ? ROUTE_VIA : ROUTE_BLACKHOLE };
	int ret = addr_parse_prefix(prefix, &spec.prefix, &spec.depth, err);

	if (ret == 0 && via != NULL) {
		spec.nb_nh = 1;
		spec.nh[0] = (struct route_nh){ .port = ROUTE_PORT_ANY, .weight = 1 };
		ret = addr_parse_ip4(via, &spec.nh[0].ip, err);
	}
	return ret < 0 ? ret : router_route_add(router, &spec, false, err);
}

static int
add_neigh(struct router *router, uint16_t port, const char *at, const char *mac_text,
	  struct err *err)
{
	struct rte_ether_addr mac;
	uint32_t addr;
	int ret = addr_parse_ip4(at, &addr, err);

	if (ret == 0)
		ret = addr_parse_mac(mac_text, &mac, err);
	return ret < 0 ? ret : router_neigh_add(router, port, addr, &mac, err);
}

/* The router's way back over the cable. */
static int
add_tester(struct pmd_rig *r, struct err *err)
{
	char mac[RTE_ETHER_ADDR_FMT_SIZE];

	if (!r->cfg.hairpin)
		return 0;
	rte_ether_format_addr(mac, sizeof(mac), &r->caps[!r->cfg.dut].mac);
	return add_neigh(r->router, r->cfg.dut, r->cfg.dut == 0 ? "10.0.0.9" : "10.0.1.9", mac,
			 err);
}

static int
open_router(struct pmd_rig *r, struct err *err)
{
	const char *const routes[][2] = { { "0.0.0.0/0", "10.0.1.3" },
					  { "20.0.0.0/8", "10.0.1.2" },
					  { "30.0.0.0/8", "10.0.0.2" },
					  { "40.0.0.0/8", NULL },
					  { "198.18.0.0/15", !r->cfg.hairpin   ? "10.0.1.2"
							     : r->cfg.dut == 0 ? "10.0.0.9"
									       : "10.0.1.9" } };
	struct router_config cfg = { 1000, 100, 100, 0, r->rcu };
	uint16_t mtu = r->cfg.mtu != 0 ? r->cfg.mtu : 1500;
	int ret = router_create(&r->router, &cfg, err);

	for (uint16_t p = 0; ret == 0 && p < 2; p++) {
		struct router_addr a = { 0x0a000001u | (uint32_t)p << 8, p, 24 };

		ret = router_port_add(r->router, p, r->caps[p].name, &r->port[p].mac, mtu, err);
		if (ret == 0)
			ret = router_addr_add(r->router, &a, err);
	}
	for (size_t i = 0; ret == 0 && i < RTE_DIM(routes); i++)
		ret = add_route(r->router, routes[i][0], routes[i][1], err);
	if (ret == 0)
		ret = add_neigh(r->router, 1, "10.0.1.3", "02:00:00:00:01:03", err);
	if (ret == 0)
		ret = add_neigh(r->router, 1, "10.0.1.2", "02:00:00:00:01:02", err);
	if (ret == 0)
		ret = add_neigh(r->router, 0, "10.0.0.2", "02:00:00:00:00:02", err);
	return ret < 0 ? ret : add_tester(r, err);
}

static int
open_core(struct pmd_rig *r, struct err *err)
{
	r->knobs = (struct core_knobs){ r->cfg.burst, r->cfg.prefetch, 1, 1 };
	for (uint16_t p = 0; p < 2; p++)
		for (uint16_t q = 0; q < r->cfg.queues && (!r->cfg.hairpin || p == r->cfg.dut); q++)
			r->plan.rxq[r->plan.nb_rxq++] =
				(struct worker_rxq){ p, q, RTE_MAX(r->caps[p].rx_quantum, 1) };
	r->workers = (struct workers_config){
		.port = r->port,
		.nb_ports = 2,
		.view = router_view(r->router),
		.rcu = r->rcu,
		.mode = r->cfg.mode,
		.punt_ring = 64,
	};
	r->make = (struct core_make){ &r->knobs, &r->workers, &r->plan, NULL };
	return core_create(&r->core, &r->make, err);
}

int
pmd_open(struct pmd_rig *r, const char *program)
{
	struct err err = { "" };

	if (start_eal(&r->cfg, program) < 0) {
		snprintf(err.text, sizeof(err.text), "EAL does not start");
		return fail(&err);
	}
	if (rte_eth_dev_count_avail() != 2) {
		snprintf(err.text, sizeof(err.text), "%u ports, 2 are needed",
			 rte_eth_dev_count_avail());
		return fail(&err);
	}
	if (r->cfg.mbuf_size == 0)
		r->cfg.mbuf_size = RTE_MBUF_DEFAULT_BUF_SIZE;
	r->pool = rte_pktmbuf_pool_create("pmd", NB_MBUFS, 256, 0, (uint16_t)r->cfg.mbuf_size, 0);
	if (r->pool == NULL) {
		snprintf(err.text, sizeof(err.text), "no memory for a pool");
		return fail(&err);
	}
	r->rcu = aligned_alloc(RTE_CACHE_LINE_SIZE,
			       RTE_ALIGN(rte_rcu_qsbr_get_memsize(RTE_MAX_LCORE),
					 (size_t)RTE_CACHE_LINE_SIZE));
	if (r->rcu == NULL)
		return -1;
	rte_rcu_qsbr_init(r->rcu, RTE_MAX_LCORE);
	rte_rcu_qsbr_thread_register(r->rcu, 0);
	rte_rcu_qsbr_thread_online(r->rcu, 0);
	if (open_ports(r, &err) < 0 || open_router(r, &err) < 0 || open_core(r, &err) < 0)
		return fail(&err);
	return 0;
}

uint64_t
pmd_run(struct pmd_rig *r, unsigned int idle_turns)
{
	unsigned int idle = 0;
	uint64_t met = 0;

	while (idle < idle_turns) {
		int moved = softnic_step(BATCH);
		unsigned int n = core_turn(r->core);

		met += n;
		idle = moved > 0 || n > 0 ? 0 : idle + 1;
	}
	return met;
}

uint32_t
pmd_close(struct pmd_rig *r, struct ledger_row *row)
{
	uint32_t out;

	ledger_row(row, r->core->stats);
	core_destroy(r->core, NULL);
	router_destroy(r->router);
	for (uint16_t p = 0; p < 2; p++) {
		nic_stop(p);
		nic_close(p);
	}
	out = rte_mempool_in_use_count(r->pool);
	rte_mempool_free(r->pool);
	free(r->rcu);
	rte_eal_cleanup();
	return out;
}

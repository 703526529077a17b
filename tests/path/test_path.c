/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole path without a spinning thread: a capture in, core_turn() until nothing more comes, a
 * capture out; compared with what tests/path/mkgolden.py computed, for every burst and prefetch.
 *
 *   test_path GOLDEN_DIR
 */
#include "base/addr.h"
#include "route/route.h"
#include "stats/ledger.h"
#include "support/cmocka.h"
#include "support/eal.h"
#include "support/pcap_compare.h"
#include "worker/core_create.h"

#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <rte_rcu_qsbr.h>

#define POOL_SIZE 4096

static const char *golden;
static char work[] = "/tmp/sluice-path-XXXXXX";
static struct rte_mempool *pool;
static struct rte_rcu_qsbr *rcu;

struct rig {
	struct router *router;
	struct core *core;
	struct core_make make;
	struct core_knobs knobs;
	struct workers_config cfg;
	struct worker_plan plan;
	struct worker_port port[2];
	uint16_t id[2];
	char out[2][256];
};

static uint16_t
open_port(struct rig *r, unsigned int i, const char *in, const char *name)
{
	struct rte_eth_conf conf = { 0 };
	char args[512], vdev[32];
	uint16_t id;

	snprintf(vdev, sizeof(vdev), "net_pcap%u", i);
	snprintf(r->out[i], sizeof(r->out[i]), "%s/%s.out%u.pcap", work, name, i);
	snprintf(args, sizeof(args), "rx_pcap=%s,tx_pcap=%s", in, r->out[i]);
	assert_int_equal(rte_eal_hotplug_add("vdev", vdev, args), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name(vdev, &id), 0);
	assert_int_equal(rte_eth_dev_configure(id, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(id, 0, 512, 0, NULL, pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(id, 0, 512, 0, NULL), 0);
	assert_int_equal(rte_eth_dev_start(id), 0);
	return id;
}

static void
say(int ret, const struct err *err)
{
	if (ret < 0)
		fail_msg("%s", err->text);
}

static uint32_t
ip(const char *text)
{
	uint32_t v;

	assert_int_equal(addr_parse_ip4(text, &v, NULL), 0);
	return v;
}

static void
route(struct router *router, const char *prefix, const char *via)
{
	struct route_spec spec = { .kind = via != NULL ? ROUTE_VIA : ROUTE_BLACKHOLE };
	struct err err;

	say(addr_parse_prefix(prefix, &spec.prefix, &spec.depth, &err), &err);
	if (via != NULL) {
		spec.nb_nh = 1;
		spec.nh[0] = (struct route_nh){ ip(via), ROUTE_PORT_ANY, 1 };
	}
	say(router_route_add(router, &spec, false, &err), &err);
}

static void
neigh(struct rig *r, unsigned int port, const char *at, const char *mac_text)
{
	struct rte_ether_addr mac;
	struct err err;

	say(addr_parse_mac(mac_text, &mac, &err), &err);
	say(router_neigh_add(r->router, r->id[port], ip(at), &mac, &err), &err);
}

static void
open_router(struct rig *r)
{
	struct router_config cfg = { 1000, 100, 100, 0, rcu };
	struct err err;

	say(router_create(&r->router, &cfg, &err), &err);
	for (unsigned int i = 0; i < 2; i++) {
		struct router_addr a = { IP4(10, 0, i, 1), r->id[i], 24 };

		say(router_port_add(r->router, r->id[i], i == 0 ? "net_pcap0" : "net_pcap1",
				    &r->port[i].mac, 1500, &err),
		    &err);
		say(router_addr_add(r->router, &a, &err), &err);
	}
	route(r->router, "0.0.0.0/0", "10.0.1.3"); /* before its neighbour */
	neigh(r, 1, "10.0.1.3", "02:00:00:00:01:03");
	neigh(r, 1, "10.0.1.2", "02:00:00:00:01:02");
	neigh(r, 0, "10.0.0.2", "02:00:00:00:00:02");
	route(r->router, "20.0.0.0/8", "10.0.1.2");
	route(r->router, "30.0.0.0/8", "10.0.0.2");
	route(r->router, "40.0.0.0/8", NULL);
}

static void
rig_open(struct rig *r, const char *name, uint16_t burst, uint16_t prefetch)
{
	char in[256], empty[256];
	struct err err;

	memset(r, 0, sizeof(*r));
	snprintf(in, sizeof(in), "%s/%s.in.pcap", golden, name);
	snprintf(empty, sizeof(empty), "%s/n0.in.pcap", golden);
	for (uint16_t i = 0; i < 2; i++) {
		r->id[i] = open_port(r, i, i == 0 ? in : empty, name);
		r->port[i].id = r->id[i];
		/* As the captures have it: the device's own counts up with every device made. */
		r->port[i].mac =
			(struct rte_ether_addr){ { 0x02, 0x70, 0x63, 0x61, 0x70, (uint8_t)i } };
		r->plan.rxq[i] = (struct worker_rxq){ r->id[i], 0, 1 };
	}
	open_router(r);
	r->knobs = (struct core_knobs){ burst, prefetch, 1, 1 };
	r->plan.nb_rxq = 2;
	r->cfg = (struct workers_config){
		.port = r->port,
		.nb_ports = 2,
		.view = router_view(r->router),
		.rcu = rcu,
		.mode = FORWARD_IP4,
		.punt_ring = 64,
	};
	r->make = (struct core_make){ &r->knobs, &r->cfg, &r->plan, NULL };
	say(core_create(&r->core, &r->make, &err), &err);
}

/* The ledger closes, the ports go, and every buffer is back in the pool. */
static void
rig_close(struct rig *r, struct ledger_row *row)
{
	ledger_row(row, r->core->stats);
	assert_int_equal(row->unaccounted, 0);
	core_destroy(r->core, NULL);
	for (unsigned int i = 0; i < 2; i++) {
		char vdev[32];

		snprintf(vdev, sizeof(vdev), "net_pcap%u", i);
		rte_eth_dev_stop(r->id[i]);
		rte_eth_dev_close(r->id[i]);
		rte_eal_hotplug_remove("vdev", vdev);
	}
	router_destroy(r->router);
	assert_int_equal(rte_mempool_avail_count(pool), POOL_SIZE - 1);
}

static void
check_drops(const char *name, const struct ledger_row *row)
{
	char path[256], reason[64];
	uint64_t want[VERDICT_MAX] = { 0 };
	unsigned int n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.drops", golden, name);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fscanf(f, "%63s %u", reason, &n) == 2) {
		for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++)
			if (strcmp(reason, verdict_name(v)) == 0)
				want[v] = n;
	}
	fclose(f);
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++)
		if (row->dropped[v] != want[v])
			fail_msg("%s: %lu dropped as %s, want %lu", name, row->dropped[v],
				 verdict_name(v), want[v]);
}

static void
run_case(const char *name, uint16_t burst, uint16_t prefetch)
{
	struct ledger_row row;
	struct rig r;

	rig_open(&r, name, burst, prefetch);
	while (core_turn(r.core) != 0)
		;
	rig_close(&r, &row);
	for (unsigned int i = 0; i < 2; i++) {
		char want[256];

		snprintf(want, sizeof(want), "%s/%s.out%u.pcap", golden, name, i);
		if (!pcap_same(r.out[i], want))
			fail_msg("%s, burst %u, prefetch %u: port %u", name, burst, prefetch, i);
		unlink(r.out[i]);
	}
	check_drops(name, &row);
}

static void
what_leaves_is_what_was_computed(void **state)
{
	static const char *const names[] = { "n0", "n1", "n3", "n31", "n32", "n33", "mixed" };
	static const uint16_t bursts[] = { 1, 2, 3, 4, 5, 31, 32, 33, 64, 255, 256 };

	(void)state;
	for (size_t i = 0; i < RTE_DIM(names); i++)
		for (size_t b = 0; b < RTE_DIM(bursts); b++)
			run_case(names[i], bursts[b], (uint16_t)(b * 3));
}

/* Control answers between a worker's receive and its lookup: from inside the receive call. */
static uint16_t
answer_now(uint16_t port, uint16_t queue, struct rte_mbuf **pkt, uint16_t n, uint16_t max,
	   void *arg)
{
	struct rig *r = arg;
	struct rte_mbuf *m;

	(void)port, (void)queue, (void)pkt, (void)max;
	if (n == 0)
		return n;
	m = rte_pktmbuf_alloc(pool);
	assert_non_null(m);
	m->port = r->id[1];
	memset(rte_pktmbuf_append(m, 60), 0x77, 60);
	assert_int_equal(rte_ring_enqueue(r->core->punt.down, m), 0);
	return n;
}

static void
what_waited_leaves_first(void **state)
{
	char text[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	struct ledger_row row;
	const uint8_t *data;
	struct rig r;
	pcap_t *out;

	(void)state;
	rig_open(&r, "n3", 32, 4);
	assert_non_null(rte_eth_add_rx_callback(r.id[0], 0, answer_now, &r));
	while (core_turn(r.core) != 0)
		;
	rig_close(&r, &row);
	assert_int_equal(row.taken_in, 1);
	assert_int_equal(row.sent, 4);
	out = pcap_open_offline(r.out[1], text);
	assert_non_null(out);
	assert_int_equal(pcap_next_ex(out, &header, &data), 1);
	assert_int_equal(data[0], 0x77);
	pcap_close(out);
	unlink(r.out[0]);
	unlink(r.out[1]);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_leaves_is_what_was_computed),
		cmocka_unit_test(what_waited_leaves_first),
	};
	int failed;

	if (argc != 2 || mkdtemp(work) == NULL) {
		fprintf(stderr, "usage: test_path GOLDEN_DIR\n");
		return 2;
	}
	golden = argv[1];
	test_eal_init(argv[0], "0", "256");
	pool = rte_pktmbuf_pool_create("path", POOL_SIZE - 1, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	rcu = calloc(1, rte_rcu_qsbr_get_memsize(RTE_MAX_LCORE) + RTE_CACHE_LINE_SIZE);
	rcu = RTE_PTR_ALIGN_CEIL(rcu, RTE_CACHE_LINE_SIZE);
	rte_rcu_qsbr_init(rcu, RTE_MAX_LCORE);
	rte_rcu_qsbr_thread_register(rcu, 0);
	rte_rcu_qsbr_thread_online(rcu, 0);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(work);
	rte_eal_cleanup();
	return failed;
}

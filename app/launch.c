/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch.h"

#include "base/log.h"
#include "devices.h"
#include "ports.h"
#include "run.h"

#include <errno.h>
#include <numa.h>
#include <string.h>

#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>

#define ROUTES_DEFAULT 65536ull
#define ROUTES_MAX     (1ull << 24) /* fib.h */
#define ROUTES_SPARE   4096         /* connected, host and later ones beside a large route file */
#define GROUPS_MAX     32767
#define NEIGHS_MAX     16384

static int
node_distance(int from, int to)
{
	int distance = numa_available() < 0 ? 0 : numa_distance(from, to);

	return distance > 0 ? distance : 20;
}

static int
read_ports(struct app *app, struct err *err)
{
	uint16_t port;
	int ret;

	ret = devices_check(err);
	if (ret < 0)
		return ret;
	RTE_ETH_FOREACH_DEV (port) {
		ret = nic_caps(port, &app->nic[app->nb_ports], err);
		if (ret < 0)
			return ret;
		app->nb_ports++;
	}
	return 0;
}

static int
make_plan(struct app *app, struct err *err)
{
	struct plan_lcore lcore[RTE_MAX_LCORE];
	struct plan_input in = {
		.args = &app->args,
		.nic = app->nic,
		.nb_ports = app->nb_ports,
		.lcore = lcore,
		.find = nic_find,
		.distance = node_distance,
	};
	unsigned int id;

	in.main = (struct plan_lcore){ (uint16_t)rte_get_main_lcore(),
				       (int)rte_lcore_to_socket_id(rte_get_main_lcore()) };
	RTE_LCORE_FOREACH_WORKER (id)
		lcore[in.nb_lcores++] = (struct plan_lcore){
			.id = (uint16_t)id,
			.socket = (int)rte_lcore_to_socket_id(id),
		};
	return plan_make(&app->plan, &in, err);
}

static int
make_pools(struct app *app, struct err *err)
{
	for (uint16_t p = 0; p < app->plan.nb_pools; p++) {
		int ret = pool_create(&app->pool[p], &app->plan.pool[p], err);

		if (ret < 0)
			return ret;
	}
	return 0;
}

static int
bring_up_ports(struct app *app, struct err *err)
{
	for (uint16_t i = 0; i < app->plan.nb_ports; i++) {
		struct plan_port *port = &app->plan.port[i];
		int ret;

		for (uint16_t q = 0; q < port->cfg.nb_rxq; q++)
			port->cfg.rx_pool[q] = app->pool[port->pool_of[q]];
		app->nb_up++;
		if (port->cfg.fast_free)
			ports_limit_mtu((uint16_t)(port->cfg.mbuf_size - PLAN_MBUF_OVERHEAD));
		ret = nic_configure(port->nic->port, &port->cfg, err);
		if (ret < 0)
			return ret;
		ret = nic_start(port->nic->port, err);
		if (ret < 0)
			return -EIO;
	}
	return 0;
}

static void
size_tables(struct app *app)
{
	uint64_t routes = app->inputs.route_lines + ROUTES_SPARE;

	routes = routes < ROUTES_DEFAULT ? ROUTES_DEFAULT : RTE_MIN(routes, ROUTES_MAX);

	app->tables = (struct router_config){
		.max_routes = (uint32_t)args_or(app->args.max_routes, routes),
		.max_groups = GROUPS_MAX,
		.max_neighs = NEIGHS_MAX,
		.socket = app->plan.worker[0].socket,
		.rcu = app->rcu,
	};
}

static struct fib_config
fib_of(const struct app *app)
{
	return (struct fib_config){
		.max_routes = app->tables.max_routes,
		.max_groups = app->tables.max_groups,
		.socket = app->tables.socket,
	};
}

static double
table_mb(const struct app *app)
{
	struct fib_config fib = fib_of(app);

	return (double)fib_bytes(&fib) / (1024.0 * 1024.0);
}

static int
make_router(struct app *app, struct err *err)
{
	size_t size = rte_rcu_qsbr_get_memsize(RTE_MAX_LCORE);
	int ret;

	app->rcu = rte_zmalloc("rcu", size, RTE_CACHE_LINE_SIZE);
	app->control_stats = rte_zmalloc("control", sizeof(struct stats_core), RTE_CACHE_LINE_SIZE);
	if (app->rcu == NULL || app->control_stats == NULL)
		return err_set(err, -ENOMEM, "no memory for %zu bytes; give EAL more with -m",
			       size + sizeof(struct stats_core));
	rte_rcu_qsbr_init(app->rcu, RTE_MAX_LCORE);
	size_tables(app);
	ret = router_create(&app->router, &app->tables, err);
	if (ret == -ENOMEM)
		return err_set(err, ret,
			       "no memory for a table of %u routes, %.0f MB; give EAL more (-m, "
			       "--socket-mem), or lower --max-routes",
			       app->tables.max_routes, table_mb(app));
	for (uint16_t i = 0; ret == 0 && i < app->nb_ports; i++)
		ret = router_port_add(app->router, app->nic[i].port, app->nic[i].name,
				      &app->nic[i].mac, app->nic[i].mtu, err);
	return ret;
}

static int
make_workers(struct app *app, struct err *err)
{
	struct worker_port port[RTE_MAX_ETHPORTS];
	struct workers_config cfg = {
		.plan = app->plan.worker,
		.nb_workers = app->plan.nb_workers,
		.port = port,
		.nb_ports = app->plan.nb_ports,
		.view = router_view(app->router),
		.rcu = app->rcu,
		.mode = app->args.mode,
		.burst = app->plan.burst,
		.prefetch = app->plan.prefetch,
		.punt_ring = PLAN_PUNT_RING,
		.record_bursts = app->args.record_burst_stats,
	};

	for (uint16_t i = 0; i < app->plan.nb_ports; i++)
		port[i] = (struct worker_port){
			.id = app->nic[i].port,
			.peer = app->plan.port[i].peer,
			.mac = app->nic[i].mac,
		};
	return workers_create(&app->workers, &cfg, err);
}

static int
make_slow(struct app *app, struct err *err)
{
	const struct slow_config cfg = {
		.router = app->router,
		.stats = app->control_stats,
		.rings = workers_rings(app->workers),
		.nb_rings = workers_count(app->workers),
		.pool = app->pool[0],
		.hold_total = PLAN_HOLD_TOTAL,
		.learn_max = NEIGHS_MAX / 2,
	};

	return slow_create(&app->slow, &cfg, err);
}

static int
make_control(struct app *app, struct err *err)
{
	struct ctl_config cfg = {
		.router = app->router,
		.slow = app->slow,
		.workers = app->workers,
		.control_stats = app->control_stats,
		.pool = app->pool,
		.nb_pools = app->plan.nb_pools,
		.ports = &ports_ops,
		.run = run_ops(app),
		.started_us = app->started_us,
		.record_core_cycles = app->args.record_core_cycles,
		.record_burst_stats = app->args.record_burst_stats,
		.version = SLUICE_VERSION,
	};
	int ret;

	ret = evloop_create(&app->loop);
	if (ret < 0)
		return err_set(err, ret, "event loop: %s", strerror(-ret));
	cfg.loop = app->loop;
	ret = ctl_create(&app->ctl, &cfg, err);
	if (ret == 0)
		ret = ctl_telemetry(app->ctl, err);
	if (ret == 0 && app->args.socket != NULL)
		ret = ctl_socket(app->ctl, app->args.socket, err);
	return ret;
}

int
launch_up(struct app *app, struct err *err)
{
	int (*const step[])(struct app *, struct err *) = {
		read_ports,  make_plan,    make_pools, bring_up_ports,
		make_router, make_workers, make_slow,  make_control,
	};

	for (size_t i = 0; i < RTE_DIM(step); i++) {
		int ret = step[i](app, err);

		if (ret < 0)
			return ret;
	}
	return 0;
}

/* What a net_ring still holds belongs to nobody once its port closes. */
static void
empty_net_ring(const struct plan_port *port)
{
	struct rte_mbuf *pkt[BUNDLE_MAX];
	uint16_t n;

	if (strcmp(port->nic->driver, "net_ring") != 0)
		return;
	for (uint16_t q = 0; q < port->cfg.nb_rxq; q++)
		while ((n = rte_eth_rx_burst(port->nic->port, q, pkt, RTE_DIM(pkt))) > 0)
			rte_pktmbuf_free_bulk(pkt, n);
}

static uint32_t
free_pools(struct app *app)
{
	uint32_t missing = 0;

	for (uint16_t p = 0; p < RTE_DIM(app->pool); p++) {
		struct pool_info info;

		if (app->pool[p] == NULL)
			continue;
		pool_info(app->pool[p], &info);
		if (info.free != info.size)
			log_err("pool of node %d: %u of %u mbufs did not come back", info.socket,
				info.size - info.free, info.size);
		missing += info.size - info.free;
		pool_destroy(app->pool[p]);
		app->pool[p] = NULL;
	}
	return missing;
}

uint32_t
launch_down(struct app *app)
{
	if (app->ctl != NULL)
		ctl_destroy(app->ctl);
	if (app->loop != NULL)
		evloop_destroy(app->loop);
	if (app->slow != NULL)
		slow_destroy(app->slow);
	workers_destroy(app->workers);
	if (app->router != NULL)
		router_destroy(app->router);
	rte_free(app->control_stats);
	rte_free(app->rcu);
	for (uint16_t i = 0; i < app->nb_up; i++)
		empty_net_ring(&app->plan.port[i]);
	for (uint16_t i = 0; i < app->nb_up; i++)
		nic_stop(app->nic[i].port);
	for (uint16_t i = 0; i < app->nb_ports; i++)
		nic_close(app->nic[i].port);
	return free_pools(app);
}

void
launch_print_plan(struct app *app, FILE *out)
{
	static struct nic_modes modes[RTE_MAX_ETHPORTS];
	bool promisc[RTE_MAX_ETHPORTS];
	struct fib_config fib = fib_of(app);
	const struct plan_more more = {
		.modes = modes,
		.promisc = promisc,
		.fib_bytes = fib_bytes(&fib),
		.adj_bytes = (FIB_ID_MAX + 1ull) * sizeof(struct adj),
		.max_routes = app->tables.max_routes,
	};

	for (uint16_t i = 0; i < app->nb_ports; i++) {
		nic_modes(app->nic[i].port, &modes[i]);
		promisc[i] = rte_eth_promiscuous_get(app->nic[i].port) == 1;
	}
	plan_print(&app->plan, &more, out);
}

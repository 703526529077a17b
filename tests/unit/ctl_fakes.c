/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl_fakes.h"

#include "base/addr.h"
#include "base/clock.h"
#include "pool/pool.h"
#include "slow/slow.h"
#include "support/cmocka.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct fake fake;

static void __attribute__((format(printf, 1, 2))) note(const char *fmt, ...)
{
	size_t used = strlen(fake.log);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(fake.log + used, sizeof(fake.log) - used, fmt, ap);
	va_end(ap);
}

static int
result(struct err *err)
{
	int ret = fake.fail;

	fake.fail = 0;
	return ret == 0 ? 0 : err_set(err, ret, "it does not want to");
}

/* ---- ports */

static uint16_t
next_port(int after)
{
	return after + 1 < fake.nb_ports ? (uint16_t)(after + 1) : PORT_NONE;
}

static int
find_port(const char *text, uint16_t *port, struct err *err)
{
	for (uint16_t p = 0; p < fake.nb_ports; p++) {
		char id[8];

		snprintf(id, sizeof(id), "%u", p);
		if (strcmp(text, id) == 0 || strcmp(text, fake.info[p].name) == 0) {
			*port = p;
			return 0;
		}
	}
	return err_set(err, -ENODEV, "no port '%s'", text);
}

static const char *
name_port(uint16_t port)
{
	return fake.info[port].name;
}

static int
info_port(uint16_t port, struct port_info *info)
{
	*info = fake.info[port];
	return 0;
}

static int
stats_port(uint16_t port, struct port_stats *stats)
{
	*stats = fake.stats[port];
	return 0;
}

static int
xstats_port(uint16_t port, port_xstat_fn fn, void *arg)
{
	(void)port;
	fn("rx_good_packets", 7, "", arg);
	fn("rx_fifo_errors", 3, "the NIC's own buffer was full", arg);
	fn("rx_crc_errors", 0, "a bad cable", arg);
	return 0;
}

static int
promisc_port(uint16_t port, bool on, struct err *err)
{
	note("promisc %u %s\n", port, on ? "on" : "off");
	return result(err);
}

static int
mtu_port(uint16_t port, uint16_t mtu, struct err *err)
{
	note("driver_mtu %u %u\n", port, mtu);
	return result(err);
}

static const struct port_ops ports = {
	.next = next_port,
	.find = find_port,
	.name = name_port,
	.info = info_port,
	.stats = stats_port,
	.xstats = xstats_port,
	.promisc = promisc_port,
	.mtu = mtu_port,
};

void
fake_port_ops(struct port_ops *ops)
{
	*ops = ports;
}

/* ---- app */

static int
run_start(void *arg, struct err *err)
{
	(void)arg;
	note("start\n");
	return result(err);
}

static int
run_stop(void *arg, struct err *err)
{
	(void)arg;
	note("stop\n");
	return result(err);
}

static void
run_quit(void *arg)
{
	(void)arg;
	note("quit\n");
}

static void
run_plan(void *arg, FILE *out)
{
	(void)arg;
	fprintf(out, "the plan\n");
	for (size_t i = 0; i < fake.plan_bytes; i++)
		fputc('a' + (int)(i % 26), out);
}

/* ---- router */

static const char *
addr_text(const struct router_addr *a)
{
	static char text[64];
	char ip[ADDR_IP4_TEXT];

	snprintf(text, sizeof(text), "%s/%u port %u", addr_ip4(ip, a->ip), a->depth, a->port);
	return text;
}

int
router_addr_add(struct router *r, const struct router_addr *a, struct err *err)
{
	(void)r;
	note("addr_add %s\n", addr_text(a));
	return result(err);
}

int
router_addr_del(struct router *r, const struct router_addr *a, struct err *err)
{
	(void)r;
	note("addr_del %s\n", addr_text(a));
	return result(err);
}

int
router_addr_walk(const struct router *r, router_addr_fn fn, void *arg)
{
	const struct router_addr a[] = {
		{ .ip = IP4(10, 0, 0, 1), .port = 0, .depth = 24 },
		{ .ip = IP4(10, 0, 1, 1), .port = 1, .depth = 31 },
	};

	(void)r;
	fn(&a[0], arg);
	return fn(&a[1], arg);
}

static void
note_spec(const char *what, const struct route_spec *spec)
{
	char text[512] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	route_spec_print(f, spec, name_port);
	fclose(f);
	note("%s %s\n", what, text);
}

int
router_route_add(struct router *r, const struct route_spec *spec, bool replace, struct err *err)
{
	(void)r;
	note_spec(replace ? "route_replace" : "route_add", spec);
	return result(err);
}

int
router_route_del(struct router *r, uint32_t prefix, uint8_t depth, struct err *err)
{
	char text[ADDR_PREFIX_TEXT];

	(void)r;
	note("route_del %s\n", addr_prefix(text, prefix, depth));
	return result(err);
}

int
router_begin(struct router *r, struct err *err)
{
	(void)r;
	note("begin\n");
	return result(err);
}

int
router_commit(struct router *r, struct err *err)
{
	(void)r;
	note("commit\n");
	return result(err);
}

int
router_abort(struct router *r, struct err *err)
{
	(void)r;
	note("abort\n");
	return result(err);
}

int
router_route_walk(const struct router *r, uint32_t prefix, uint8_t depth, router_route_fn fn,
		  void *arg)
{
	(void)r;
	for (unsigned int i = 0; i < fake.nb_routes; i++) {
		const struct route_spec *s = &fake.route[i].spec;
		int ret;

		if (s->depth < depth || ((s->prefix ^ prefix) & addr_mask(depth)) != 0)
			continue;
		ret = fn(&fake.route[i], arg);
		if (ret != 0)
			return ret;
	}
	return 0;
}

int
router_route_match(const struct router *r, uint32_t ip, struct route_info *info)
{
	(void)r;
	if (ip != IP4(10, 0, 0, 7))
		return -ENOENT;
	*info = fake.route[0];
	return 0;
}

void
router_fib_info(const struct router *r, struct fib_info *info)
{
	(void)r;
	*info = (struct fib_info){ .backend = "dir24",
				   .routes = 12,
				   .max_routes = 1000,
				   .routes_by_depth = { [8] = 2, [24] = 10 },
				   .groups_used = 1,
				   .groups_retired = 2,
				   .max_groups = 64,
				   .bytes = 33554432 };
}

uint32_t
router_route_count(const struct router *r)
{
	(void)r;
	return 9;
}

int
router_neigh_add(struct router *r, uint16_t port, uint32_t ip, const struct rte_ether_addr *mac,
		 struct err *err)
{
	char text[ADDR_IP4_TEXT], m[ADDR_MAC_TEXT];

	(void)r;
	note("neigh_add %s %s port %u\n", addr_ip4(text, ip), addr_mac(m, mac), port);
	return result(err);
}

int
router_neigh_del(struct router *r, uint16_t port, uint32_t ip, struct err *err)
{
	char text[ADDR_IP4_TEXT];

	(void)r;
	note("neigh_del %s port %u\n", addr_ip4(text, ip), port);
	return result(err);
}

struct neigh_table *
router_neighs(struct router *r)
{
	return (struct neigh_table *)r;
}

int
neigh_walk(struct neigh_table *t, neigh_walk_fn fn, void *arg)
{
	struct neigh known = { .ip = IP4(10, 0, 0, 2),
			       .state = NEIGH_REACHABLE,
			       .mac.addr_bytes = { 2, 0, 0, 0, 0, 0xab } };
	struct neigh sought = { .ip = IP4(10, 0, 1, 0), .port = 1, .state = NEIGH_INCOMPLETE };

	(void)t;
	fn(&known, arg);
	return fn(&sought, arg);
}

const char *
neigh_state_name(enum neigh_state state)
{
	return state == NEIGH_REACHABLE ? "REACHABLE" : "INCOMPLETE";
}

const struct router_port *
router_port(const struct router *r, uint16_t id)
{
	static const struct router_port port = { .mtu = 1500, .present = true };

	(void)r;
	return id < 2 ? &port : NULL;
}

int
router_port_mtu(struct router *r, uint16_t id, uint16_t mtu, struct err *err)
{
	(void)r;
	(void)err;
	note("router_mtu %u %u\n", id, mtu);
	return 0;
}

/* ---- slow path, workers, pools */

void
slow_announce_one(struct slow *s, uint16_t port, uint32_t ip)
{
	char text[ADDR_IP4_TEXT];

	(void)s;
	note("announce %s port %u\n", addr_ip4(text, ip), port);
}

void
slow_neigh_resolved(struct slow *s, uint16_t port, uint32_t ip)
{
	char text[ADDR_IP4_TEXT];

	(void)s;
	note("resolved %s port %u\n", addr_ip4(text, ip), port);
}

bool
workers_running(const struct workers *w)
{
	(void)w;
	return fake.running;
}

int
workers_set_burst(struct workers *w, uint16_t burst, struct err *err)
{
	(void)w;
	note("burst %u\n", burst);
	return result(err);
}

uint16_t
workers_count(const struct workers *w)
{
	(void)w;
	return FAKE_WORKERS;
}

const struct worker_plan *
workers_plan(const struct workers *w, uint16_t i)
{
	(void)w;
	return &fake.plan[i];
}

const struct stats_core *
workers_stats(const struct workers *w, uint16_t i)
{
	(void)w;
	return &fake.core[i];
}

const struct stats_bursts *
workers_bursts(const struct workers *w, uint16_t i)
{
	(void)w;
	return &fake.bursts[i];
}

uint8_t
workers_mode(const struct workers *w)
{
	(void)w;
	return fake.mode;
}

const char *
forward_mode_name(uint8_t mode)
{
	return mode == FORWARD_IP4 ? "ip4" : mode == FORWARD_IO ? "io" : "unknown";
}

void
pool_info(struct rte_mempool *pool, struct pool_info *info)
{
	(void)pool;
	*info = (struct pool_info){
		.socket = 0, .size = 4096, .free = 4000, .low_water = 3900, .cache = 250
	};
}

/* ---- helpers */

void
fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.nb_ports = 2;
	for (uint16_t p = 0; p < FAKE_PORTS; p++) {
		struct port_info *i = &fake.info[p];

		snprintf(i->name, sizeof(i->name), p == 1 ? "0000:01:00.1" : "net%u", p);
		snprintf(i->driver, sizeof(i->driver), "net_fake");
		snprintf(i->family, sizeof(i->family), "generic");
		i->mac.addr_bytes[0] = 2;
		i->mac.addr_bytes[5] = (uint8_t)(0xa0 + p);
		i->speed_mbps = 10000;
		i->mtu = 1500;
		i->nb_rxq = i->nb_txq = 1;
		i->rxd = i->txd = 1024;
		i->link_up = i->full_duplex = true;
	}
	for (uint16_t w = 0; w < FAKE_WORKERS; w++) {
		fake.plan[w].lcore = (uint16_t)(w + 1);
		fake.plan[w].nb_rxq = 1;
		fake.plan[w].rxq[0].port = w;
		fake.plan[w].txq[0] = fake.plan[w].txq[1] = w;
	}
}

static struct ctl *
make(struct evloop *loop, bool recording)
{
	static struct rte_mempool *const pool[1];
	static uint64_t anything;
	struct ctl_config cfg = {
		.loop = loop,
		.router = (struct router *)&anything,
		.slow = (struct slow *)&anything,
		.workers = (struct workers *)&anything,
		.control_stats = &fake.control,
		.pool = pool,
		.nb_pools = 1,
		.ports = &ports,
		.run = { .start = run_start,
			 .stop = run_stop,
			 .quit = run_quit,
			 .print_plan = run_plan },
		.started_us = clock_us(),
		.record_core_cycles = recording,
		.record_burst_stats = recording,
		.version = "1.2.3",
	};
	struct ctl *ctl = NULL;
	struct err err;

	assert_int_equal(ctl_create(&ctl, &cfg, &err), 0);
	return ctl;
}

struct ctl *
fake_ctl(struct evloop *loop)
{
	return make(loop, false);
}

struct ctl *
fake_ctl_recording(void)
{
	return make(NULL, true);
}

char *
fake_printed(void (*print)(struct ctl *, FILE *), struct ctl *ctl)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	print(ctl, f);
	fclose(f);
	return text;
}

char *
fake_run(struct ctl *ctl, const char *line, int *ret, struct err *err)
{
	char *copy = strdup(line), *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(copy);
	assert_non_null(f);
	err->text[0] = '\0';
	*ret = ctl_run_line(ctl, copy, f, err);
	fclose(f);
	free(copy);
	return text;
}

const char *
fake_path(const char *name)
{
	static char dir[64], path[4][160];
	static unsigned int turn;

	if (dir[0] == '\0') {
		snprintf(dir, sizeof(dir), "/tmp/sluice_ctl_XXXXXX");
		assert_non_null(mkdtemp(dir));
	}
	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s%s%s", dir, name[0] != '\0' ? "/" : "", name);
	return path[turn];
}

const char *
fake_file(const char *name, const void *data, size_t len)
{
	const char *path = fake_path(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return path;
}

char *
fake_content(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text;
	size_t n;

	if (f == NULL)
		return NULL;
	text = calloc(1, 65536);
	assert_non_null(text);
	n = fread(text, 1, 65535, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int
fake_cleanup(void **state)
{
	(void)state;
	return nftw(fake_path(""), remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/guard.h"
#include "drivers/wire/places.h"
#include "drivers/wire/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Ports come to be when the plugin of their kind is loaded: all NICs of the kind, then the wires of
 * those.  What is wrong ends all of them, those of an earlier plugin too: half a set-up is worse to
 * understand than none.  The program goes on without a port, and without the machine's own, which
 * nobody asked to be taken.
 */
#define NO_DEVICES  "/proc/self/ns" /* a folder in which EAL finds no PCI device */
#define END_LOCK_MS 1000            /* that whoever exits waits for a turn to end */

static struct {
	bool begun, failed, by_env;
	pid_t owner; /* a fork()ed child has none of this */
	struct places places;
	struct soft_port *port[SOFT_PORT_MAX]; /* by index; NULL: its plugin is not there */
	struct soft_wire wire[SOFT_PORT_MAX][2];
	struct port_list running;
} all;

struct soft_port *
soft_port(unsigned int index)
{
	return index < SOFT_PORT_MAX ? all.port[index] : NULL;
}

unsigned int
softnic_ports(void)
{
	return all.places.n;
}

const char *
softnic_bdf(unsigned int port)
{
	return soft_port(port) == NULL ? NULL : soft_port(port)->bdf;
}

const struct port_list *
ports_running(void)
{
	return &all.running;
}

void
ports_own(void)
{
	all.owner = getpid();
}

void
ports_warn_absent(void)
{
	char names[128] = "";
	size_t at = 0;

	for (unsigned int i = 0; i < all.places.n; i++)
		if (all.port[i] == NULL && at < sizeof(names))
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%u (%s)",
					       at > 0 ? ", " : "", i,
					       all.places.place[i].nic->kind);
	if (at > 0)
		soft_log(NULL, "no plugin is loaded for port %s: load it with -d as well", names);
}

/* ---- making them */

static int
make_nic(unsigned int index, const struct soft_kind *kind, struct err *err)
{
	struct soft_port *port = calloc(1, sizeof(*port));
	const struct soft_conf *conf;
	int ret = -ENOMEM;

	if (port == NULL)
		return err_set(err, ret, "no memory");
	port->index = index;
	port->kind = kind;
	port->conf = malloc(kind->conf_size);
	if (port->conf == NULL) {
		err_set(err, ret, "no memory");
		goto err_free;
	}
	memcpy(port->conf, kind->defaults, kind->conf_size);
	ret = spec_options(all.places.place[index].nic, kind->opts, port->conf, err);
	if (ret < 0)
		goto err_free;
	conf = port->conf;
	if ((conf->mac[0] & 1) != 0) {
		ret = err_set(err, -EINVAL, "%s,mac: a NIC cannot have a group address",
			      kind->name);
		goto err_free;
	}
	ret = kind->create(port, err);
	if (ret < 0)
		goto err_free;
	all.port[index] = port;
	return 0;

err_free:
	free(port->conf);
	free(port);
	return err_prefix(err, ret, "port %u", index);
}

static void
hang_wires(unsigned int index)
{
	struct place *place = &all.places.place[index];
	struct soft_port *port = all.port[index];

	for (unsigned int i = 0; i < 2; i++) {
		struct soft_wire *wire = &all.wire[index][i];

		wire->port = port;
		wire->conf = place->wire[i].conf;
		if ((place->wire[i].ends & WIRE_IN) != 0)
			port->in = wire;
		if ((place->wire[i].ends & WIRE_OUT) != 0)
			port->out = wire;
	}
}

static int
make_wires(unsigned int index, struct err *err)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct soft_wire *wire = &all.wire[index][i];
		const struct wire_kind *kind = all.places.place[index].wire[i].kind;
		int ret;

		if (kind == NULL)
			continue;
		wire->kind = kind; /* from here on it is there to be destroyed */
		ret = kind->create(wire, err);
		if (ret < 0)
			return err_prefix(err, ret, "port %u: %s", index, kind->name);
	}
	return 0;
}

static bool
is_of(unsigned int index, const struct soft_kind *kind)
{
	return strcmp(all.places.place[index].nic->kind, kind->name) == 0;
}

static void
run_ports(void)
{
	soft_lock();
	all.running.n = 0;
	for (unsigned int i = 0; i < all.places.n; i++)
		if (all.port[i] != NULL)
			all.running.port[all.running.n++] = all.port[i];
	soft_unlock();
}

static int
make_ports(const struct soft_kind *kind, struct err *err)
{
	int ret;

	for (unsigned int i = 0; i < all.places.n; i++) {
		if (!is_of(i, kind))
			continue;
		if (all.port[i] != NULL)
			return err_set(err, -EEXIST, "the plugin of %s is there twice", kind->name);
		ret = make_nic(i, kind, err);
		if (ret < 0)
			return ret;
		hang_wires(i);
	}
	for (unsigned int i = 0; i < all.places.n; i++) {
		ret = is_of(i, kind) ? make_wires(i, err) : 0;
		if (ret < 0)
			return ret;
	}
	run_ports();
	return 0;
}

/* ---- ending them */

static void
end_wires(unsigned int index)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct soft_wire *wire = &all.wire[index][i];

		if (wire->kind != NULL)
			wire->kind->destroy(wire);
	}
}

static void
end_nic(struct soft_port *port)
{
	port->kind->destroy(port);
	turn_release(port);
	free(port->conf);
	free(port);
}

static void
write_report(void)
{
	const char *path = runner_conf()->report;
	struct err err;

	if (path[0] != '\0' && report_write(path, &err) < 0)
		soft_log(NULL, "%s", err.text);
}

/*
 * The way out must end, whatever thread or handler it is taken from: without the lock, files are
 * not flushed, but what others would trip over goes.
 */
static void
end_all(bool nics, bool report)
{
	bool ours;

	if (!all.begun || all.owner != getpid())
		return;
	control_end();
	ours = runner_end() && lock_try_for(END_LOCK_MS);
	if (ours) {
		if (report)
			write_report();
		all.running.n = 0;
		for (unsigned int i = 0; i < all.places.n; i++)
			end_wires(i);
		memset(all.wire, 0, sizeof(all.wire));
		soft_unlock();
	}
	if (ours && nics) {
		for (unsigned int i = 0; i < all.places.n; i++)
			if (all.port[i] != NULL)
				end_nic(all.port[i]);
		places_release(&all.places);
		memset(&all, 0, sizeof(all));
	}
	tree_remove();
	all.begun = false;
}

void
ports_end(bool at_exit)
{
	if (at_exit && all.begun && !runner_started())
		ports_warn_absent();
	end_all(!at_exit, true);
	if (!at_exit)
		all.failed = false;
}

/* Before the plugins' own destructors when the process ends, with the library when it is closed. */
static void
end_at_exit(void)
{
	ports_end(true);
}

__attribute__((destructor)) static void
end_at_close(void)
{
	ports_end(true);
}

/* ---- the specification */

static int
begin(const struct soft_kind *kind, struct err *err)
{
	const char *text = getenv("SLUICE_NICS");
	static bool at_exit;
	int ret = 0;

	all.begun = true;
	all.owner = getpid();
	all.places.run = (struct run_conf){ .cpu = RUN_NO_CPU, .seed = 1 };
	if (!at_exit)
		atexit(end_at_exit);
	at_exit = true;
	if (text != NULL)
		ret = places_add(&all.places, text, kind->name, err);
	runner_init(&all.places.run);
	all.by_env = all.places.n > 0;
	/* From here EAL sees no PCI device but ours, also when no plugin brings one. */
	if (ret == 0 && tree_root(err) == NULL)
		ret = -EIO;
	if (ret == 0 && all.places.run.report[0] != '\0')
		ret = report_check(all.places.run.report, err);
	if (ret == 0 && all.places.run.control[0] != '\0')
		ret = control_open(all.places.run.control, err);
	return ret;
}

/* Without a word about NICs, every kind gets two, cabled to each other. */
static int
add_two(const struct soft_kind *kind, struct err *err)
{
	unsigned int n = all.places.n;
	char text[128];

	snprintf(text, sizeof(text), "%s pair,with=%u ; %s pair,with=%u", kind->name, n + 1,
		 kind->name, n);
	return places_add(&all.places, text, kind->name, err);
}

static int
plug(const struct soft_kind *kind, struct err *err)
{
	char plugin[64];
	int ret;

	snprintf(plugin, sizeof(plugin), "libsluice_%s.so", kind->name);
	ret = guard_dpdk(plugin, err);
	if (ret < 0)
		return ret;
	if (!all.begun)
		ret = begin(kind, err);
	if (ret == 0 && !all.by_env)
		ret = add_two(kind, err);
	if (ret == 0)
		ret = make_ports(kind, err);
	return ret == 0 ? 0 : err_prefix(err, ret, "SLUICE_NICS");
}

int
soft_plug(const struct soft_kind *kind)
{
	struct err err = { "" };
	int ret;

	if (all.failed)
		return -EINVAL;
	ret = plug(kind, &err);
	if (ret == 0)
		return 0;
	soft_log(NULL, "%s", err.text);
	end_all(true, false);
	all.failed = true;
	setenv("SYSFS_PCI_DEVICES", NO_DEVICES, 1);
	return ret;
}

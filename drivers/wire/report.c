/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * All that is counted, as JSON for programs or as lines "port 0 rx_frames 17" for people.  One walk
 * writes both.
 */
struct soft_report {
	FILE *out;
	bool json, follows; /* something stands before in this object or array */
	char prefix[96];    /* of a line: "port 0 gen" */
};

static void
quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20 || *c > 0x7e)
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void
lead(struct soft_report *r, const char *key)
{
	if (!r->json) {
		fprintf(r->out, "%s%s ", r->prefix, key);
		return;
	}
	if (r->follows)
		fputc(',', r->out);
	r->follows = true;
	if (key != NULL) {
		quoted(r->out, key);
		fputc(':', r->out);
	}
}

static void
open_bracket(struct soft_report *r, const char *key, char bracket)
{
	if (!r->json)
		return;
	lead(r, key);
	fputc(bracket, r->out);
	r->follows = false;
}

static void
close_bracket(struct soft_report *r, char bracket)
{
	if (r->json)
		fputc(bracket, r->out);
	r->follows = true;
}

void
soft_report_u64(struct soft_report *report, const char *key, uint64_t value)
{
	lead(report, key);
	fprintf(report->out, report->json ? "%" PRIu64 : "%" PRIu64 "\n", value);
}

void
soft_report_text(struct soft_report *report, const char *key, const char *value)
{
	lead(report, key);
	if (report->json)
		quoted(report->out, value);
	else
		fprintf(report->out, "%s\n", value);
}

/* ---- the parts */

static void
put_stats(struct soft_report *r, const struct softnic_stats *s)
{
	soft_report_u64(r, "rx_offered", s->rx_offered);
	soft_report_u64(r, "rx_frames", s->rx_frames);
	soft_report_u64(r, "rx_bytes", s->rx_bytes);
	soft_report_u64(r, "rx_missed", s->rx_missed);
	soft_report_u64(r, "rx_filtered", s->rx_filtered);
	soft_report_u64(r, "rx_bad", s->rx_bad);
	soft_report_u64(r, "rx_lost", s->rx_lost);
	soft_report_u64(r, "tx_frames", s->tx_frames);
	soft_report_u64(r, "tx_bytes", s->tx_bytes);
	soft_report_u64(r, "tx_lost", s->tx_lost);
	soft_report_u64(r, "dma_errors", s->dma_errors);
	soft_report_u64(r, "bad_descriptors", s->bad_descriptors);
	soft_report_u64(r, "traps", s->traps);
}

static void
put_faults(struct soft_report *r, const struct soft_port *port)
{
	open_bracket(r, "faults", '{');
	snprintf(r->prefix, sizeof(r->prefix), "port %u fault ", port->index);
	for (int i = 0; i < SOFTNIC_FAULTS; i++)
		if (port->fault[i] != 0)
			soft_report_u64(r, softnic_fault_name((enum softnic_fault)i),
					port->fault[i]);
	close_bracket(r, '}');
}

static void
put_wire(struct soft_report *r, const struct soft_port *port, const struct soft_wire *wire)
{
	open_bracket(r, NULL, '{');
	snprintf(r->prefix, sizeof(r->prefix), "port %u %s ", port->index, wire->kind->name);
	if (r->json)
		soft_report_text(r, "wire", wire->kind->name);
	soft_report_text(r, "end",
			 port->in != port->out ? (port->in == wire ? "in" : "out") : "both");
	if (port->in == wire)
		soft_report_u64(r, "ended", wire->ended);
	if (wire->kind->report != NULL)
		wire->kind->report(wire, r);
	close_bracket(r, '}');
}

static void
put_port(struct soft_report *r, const struct soft_port *port)
{
	const uint8_t *m = port->mac;
	char mac[24];

	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4],
		 m[5]);
	snprintf(r->prefix, sizeof(r->prefix), "port %u ", port->index);
	open_bracket(r, NULL, '{');
	if (r->json)
		soft_report_u64(r, "port", port->index);
	soft_report_text(r, "nic", port->kind->name);
	soft_report_text(r, "pci", port->bdf);
	soft_report_text(r, "mac", mac);
	soft_report_u64(r, "listening", port->kind->listening(port));
	open_bracket(r, "stats", '{');
	put_stats(r, &port->stats);
	close_bracket(r, '}');
	put_faults(r, port);
	open_bracket(r, "wires", '[');
	if (port->in != NULL)
		put_wire(r, port, port->in);
	if (port->out != NULL && port->out != port->in)
		put_wire(r, port, port->out);
	close_bracket(r, ']');
	close_bracket(r, '}');
}

void
report_print(FILE *out, bool json)
{
	const struct port_list *ports = ports_running();
	struct soft_report r = { .out = out, .json = json, .prefix = "" };

	open_bracket(&r, NULL, '{');
	soft_report_text(&r, "mode", soft_is_step() ? "step" : "thread");
	soft_report_u64(&r, "turns", runner_turns());
	soft_report_u64(&r, "seed", soft_seed());
	open_bracket(&r, "ports", '[');
	for (unsigned int i = 0; i < ports->n; i++)
		put_port(&r, ports->port[i]);
	close_bracket(&r, ']');
	close_bracket(&r, '}');
	if (json)
		fputc('\n', out);
}

/* ---- the file */

/* A path in the same directory, so that rename() replaces at once. */
static void
temp_path(char *temp, size_t size, const char *path)
{
	snprintf(temp, size, "%s.%d.tmp", path, (int)getpid());
}

/* What is there by that name is of an earlier process with our number, if anyone's. */
static int
open_temp(const char *temp)
{
	int fd;

	unlink(temp);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : fd;
}

int
report_check(const char *path, struct err *err)
{
	char temp[PATH_MAX];
	struct stat st;
	int fd;

	/* It would be replaced: not what root has as /dev/null. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(err, -EINVAL,
			       "run,report=%s: is no regular file; write a file's path", path);
	temp_path(temp, sizeof(temp), path);
	fd = open_temp(temp);
	if (fd < 0)
		return err_set(err, fd, "run,report=%s: cannot be written: %s", path,
			       strerror(-fd));
	close(fd);
	unlink(temp);
	return 0;
}

int
report_write(const char *path, struct err *err)
{
	char temp[PATH_MAX];
	FILE *out;
	int fd, ret = 0;

	temp_path(temp, sizeof(temp), path);
	fd = open_temp(temp);
	if (fd < 0)
		return err_set(err, fd, "%s cannot be written: %s", path, strerror(-fd));
	out = fdopen(fd, "w");
	if (out == NULL) {
		close(fd);
		unlink(temp);
		return err_set(err, -ENOMEM, "%s cannot be written: no memory", path);
	}
	report_print(out, true);
	errno = EIO;
	if (ferror(out) || fflush(out) != 0)
		ret = -errno;
	if (fclose(out) != 0 && ret == 0)
		ret = -errno;
	if (ret == 0 && rename(temp, path) < 0)
		ret = -errno;
	if (ret < 0) {
		unlink(temp);
		return err_set(err, ret, "%s cannot be written: %s", path, strerror(-ret));
	}
	return 0;
}

int
softnic_stats(unsigned int port, struct softnic_stats *stats)
{
	int ret = -ENODEV;

	soft_lock();
	if (soft_port(port) != NULL) {
		*stats = soft_port(port)->stats;
		ret = 0;
	}
	soft_unlock();
	return ret;
}

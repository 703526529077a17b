/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/json.h"
#include "ctl/outfile.h"
#include "ctl/state.h"
#include "stats/ledger.h"

#include <string.h>

#include <rte_cycles.h>

/*
 * The JSON report.  Its keys are a contract (docs/man/sluice.8); new ones are added behind old
 * ones.  Everything counts from process start.
 */
static const char *
or_unknown(const char *text)
{
	return text[0] != '\0' ? text : "unknown";
}

static void
write_port(struct json *j, const struct ctl *ctl, uint16_t port)
{
	struct port_info info = { 0 };
	struct port_stats s = { 0 };
	char mac[ADDR_MAC_TEXT];

	ctl->cfg.ports->info(port, &info);
	ctl->cfg.ports->stats(port, &s);
	json_open(j, NULL, '{');
	json_count(j, "id", port);
	json_text(j, "name", info.name[0] != '\0' ? info.name : ctl->cfg.ports->name(port));
	json_text(j, "driver", or_unknown(info.driver));
	json_text(j, "mac", addr_mac(mac, &info.mac));
	json_text(j, "rx_mode", or_unknown(info.rx_mode));
	json_text(j, "tx_mode", or_unknown(info.tx_mode));
	json_count(j, "rx_packets", s.rx_packets);
	json_count(j, "rx_bytes", s.rx_bytes);
	json_count(j, "rx_missed", s.rx_missed);
	json_count(j, "rx_errors", s.rx_errors);
	json_count(j, "rx_nombuf", s.rx_nombuf);
	json_count(j, "tx_packets", s.tx_packets);
	json_count(j, "tx_bytes", s.tx_bytes);
	json_count(j, "tx_errors", s.tx_errors);
	json_close(j, '}');
}

static void
write_lcore(struct json *j, const struct ctl *ctl, uint16_t i)
{
	const struct stats_core *s = &ctl->now[i];
	double hz = (double)rte_get_tsc_hz();
	double per_packet = s->received == 0 ? 0 : (double)s->busy_cycles / (double)s->received;

	json_open(j, NULL, '{');
	json_count(j, "id", ctl_row_lcore(ctl, i));
	json_count(j, "rx_packets", s->received);
	json_count(j, "tx_packets", s->sent);
	json_count(j, "busy_cycles", s->busy_cycles);
	json_real(j, "cycles_per_packet", per_packet, 2);
	json_real(j, "max_gap_us", hz == 0 ? 0 : (double)s->max_gap_cycles / hz * 1e6, 1);
	json_count(j, "handed_out", s->handed_out);
	json_count(j, "taken_in", s->taken_in);
	json_close(j, '}');
}

/* One thread's row, so that each of them can be checked and not only their sum. */
static void
write_row(struct json *j, const struct ctl *ctl, uint16_t i, const struct ledger_row *r)
{
	json_open(j, NULL, '{');
	json_count(j, "id", ctl_row_lcore(ctl, i));
	json_text(j, "thread", ctl_row_is_control(ctl, i) ? "control" : "worker");
	json_count(j, "received", r->received);
	json_count(j, "originated", r->originated);
	json_count(j, "taken_in", r->taken_in);
	json_count(j, "sent", r->sent);
	json_count(j, "delivered", r->delivered);
	json_count(j, "dropped", r->dropped_total);
	json_count(j, "handed_out", r->handed_out);
	json_count(j, "held", r->held);
	json_signed(j, "unaccounted", r->unaccounted);
	json_close(j, '}');
}

static void
write_dropped(struct json *j, const struct ledger_row *total)
{
	json_open(j, "dropped", '{');
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++)
		json_count(j, verdict_name(v), total->dropped[v]);
	json_close(j, '}');
}

static void
write_ledger(struct json *j, const struct ctl *ctl)
{
	struct ledger_row row, total = { 0 };

	for (uint16_t i = 0; i < ctl_nb_rows(ctl); i++) {
		ledger_row(&row, &ctl->now[i]);
		ledger_add(&total, &row);
	}
	ledger_close(&total);
	json_open(j, "ledger", '{');
	json_count(j, "received", total.received);
	json_count(j, "originated", total.originated);
	json_count(j, "sent", total.sent);
	json_count(j, "delivered", total.delivered);
	json_count(j, "held", total.held);
	json_signed(j, "unaccounted", total.unaccounted);
	write_dropped(j, &total);
	json_open(j, "rows", '[');
	for (uint16_t i = 0; i < ctl_nb_rows(ctl); i++) {
		ledger_row(&row, &ctl->now[i]);
		write_row(j, ctl, i, &row);
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void
write_report(struct ctl *ctl, FILE *out)
{
	struct json j = { .out = out };

	ctl_snapshot(ctl);
	json_open(&j, NULL, '{');
	json_text(&j, "version", ctl->cfg.version);
	json_real(&j, "elapsed_s",
		  (double)(clock_us() - ctl->cfg.started_us) / (double)CLOCK_SECOND_US, 3);
	json_text(&j, "forward_mode", ctl_mode_name(ctl));
	json_open(&j, "ports", '[');
	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p))
		write_port(&j, ctl, p);
	json_close(&j, ']');
	json_open(&j, "lcores", '[');
	/* The control thread's row is the last: handed out and taken in add up over the rows. */
	for (uint16_t i = 0; i < ctl_nb_rows(ctl); i++)
		write_lcore(&j, ctl, i);
	json_close(&j, ']');
	write_ledger(&j, ctl);
	json_close(&j, '}');
	fputc('\n', out);
}

int
ctl_report(struct ctl *ctl, const char *path, struct err *err)
{
	struct outfile file;
	int ret = outfile_open(&file, path, err);

	if (ret < 0)
		return ret;
	write_report(ctl, file.out);
	return outfile_commit(&file, err);
}

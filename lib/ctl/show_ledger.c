/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/ctl.h"
#include "ctl/show.h"
#include "ctl/state.h"
#include "stats/ledger.h"
#include "worker/worker.h"

#include <inttypes.h>
#include <string.h>

#include <rte_cycles.h>

/* ---- show lcores */

static double
share(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

static void
print_lcore(const struct ctl *ctl, uint16_t i, FILE *out)
{
	const struct worker_plan *plan = workers_plan(ctl->cfg.workers, i);
	const struct stats_core *s = &ctl->now[i];

	fprintf(out, "%5u  %-7s %14" PRIu64 " %14" PRIu64 " %6.1f %13.1f %13.1f  ", plan->lcore,
		ctl_mode_name(ctl), s->received, s->sent,
		100 * share(s->busy_cycles, s->total_cycles), share(s->busy_cycles, s->received),
		1e6 * share(s->max_gap_cycles, rte_get_tsc_hz()));
	for (uint16_t q = 0; q < plan->nb_rxq; q++)
		fprintf(out, "%s%s/%u", q == 0 ? "" : " ", ctl->cfg.ports->name(plan->rxq[q].port),
			plan->rxq[q].queue);
	fprintf(out, "%s\n", plan->nb_rxq == 0 ? "-" : "");
}

void
show_lcores(struct ctl *ctl, FILE *out)
{
	ctl_snapshot(ctl);
	fprintf(out, "%5s  %-7s %14s %14s %6s %13s %13s  %s\n", "lcore", "mode", "RX-packets",
		"TX-packets", "busy-%", "cycles/packet", "max-gap-us", "polls port/queue");
	for (uint16_t i = 0; i < ctl->nb_workers; i++)
		print_lcore(ctl, i, out);
}

/* ---- show drops */

static void
print_drop(const char *name, uint64_t count, const char *hint, FILE *out)
{
	fprintf(out, "%-32s %14" PRIu64 "  %s\n", name, count, hint);
}

struct hints {
	const char *port;
	FILE *out;
};

/* What the NIC says beyond its four totals, where its family knows what that means. */
static void
print_hinted(const char *name, uint64_t value, const char *hint, void *arg)
{
	const struct hints *h = arg;
	char text[128];

	if (hint == NULL || hint[0] == '\0' || value == 0)
		return;
	snprintf(text, sizeof(text), "%s.%s", h->port, name);
	print_drop(text, value, hint, h->out);
}

static void
print_port_drops(struct ctl *ctl, uint16_t port, bool zeros, FILE *out)
{
	struct hints h = { .port = ctl->cfg.ports->name(port), .out = out };
	struct port_stats s = { 0 };
	int ret = ctl->cfg.ports->stats(port, &s);
	const struct {
		const char *name, *hint;
		uint64_t count;
	} row[] = {
		{ "rx_missed", "the receive ring was full: the lcore that polls it is too slow",
		  s.rx_missed },
		{ "rx_errors", "the NIC refused the frame: bad CRC, too long or cut short",
		  s.rx_errors },
		{ "rx_nombuf", "no packet buffer was free: show pools, --total-num-mbufs",
		  s.rx_nombuf },
		{ "tx_errors", "the NIC or its driver lost it after the transmit ring took it",
		  s.tx_errors },
	};

	if (ret < 0) {
		fprintf(out, "%s: no statistics: %s\n", h.port, strerror(-ret));
		return;
	}
	for (size_t i = 0; i < RTE_DIM(row); i++) {
		char text[128];

		if (row[i].count == 0 && !zeros)
			continue;
		snprintf(text, sizeof(text), "%s.%s", h.port, row[i].name);
		print_drop(text, row[i].count, row[i].hint, out);
	}
	ctl->cfg.ports->xstats(port, print_hinted, &h);
}

static void
total_of(struct ctl *ctl, struct ledger_row *total)
{
	ctl_snapshot(ctl);
	memset(total, 0, sizeof(*total));
	for (uint16_t i = 0; i < ctl_nb_rows(ctl); i++) {
		struct ledger_row row;

		ledger_row(&row, &ctl->now[i]);
		ledger_add(total, &row);
	}
	ledger_close(total);
}

static void
print_drops(struct ctl *ctl, bool zeros, FILE *out)
{
	struct ledger_row total;

	total_of(ctl, &total);
	for (unsigned int v = VERDICT_DROP + 1; v < VERDICT_MAX; v++)
		if (zeros || total.dropped[v] != 0)
			print_drop(verdict_name(v), total.dropped[v], verdict_hint(v), out);
	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p))
		print_port_drops(ctl, p, zeros, out);
}

void
show_drops(struct ctl *ctl, FILE *out)
{
	fprintf(out, "%-32s %14s  %s\n", "place", "packets", "hint");
	print_drops(ctl, true, out);
}

void
show_drops_nonzero(struct ctl *ctl, FILE *out)
{
	print_drops(ctl, false, out);
}

/* ---- show ledger */

static void
print_row(const char *name, const struct ledger_row *r, FILE *out)
{
	fprintf(out,
		"%-10s %14" PRIu64 " %12" PRIu64 " %12" PRIu64 " %14" PRIu64 " %12" PRIu64
		" %14" PRIu64 " %12" PRIu64 " %8" PRIu64 " %12" PRId64 "\n",
		name, r->received, r->originated, r->taken_in, r->sent, r->delivered,
		r->dropped_total, r->handed_out, r->held, r->unaccounted);
}

void
show_ledger(struct ctl *ctl, FILE *out)
{
	struct ledger_row row, total;

	total_of(ctl, &total);
	fprintf(out, "%-10s %14s %12s %12s %14s %12s %14s %12s %8s %12s\n", "thread", "received",
		"originated", "taken_in", "sent", "delivered", "dropped", "handed_out", "held",
		"unaccounted");
	for (uint16_t i = 0; i < ctl_nb_rows(ctl); i++) {
		char name[16];

		ledger_row(&row, &ctl->now[i]);
		snprintf(name, sizeof(name), "lcore %u", ctl_row_lcore(ctl, i));
		print_row(ctl_row_is_control(ctl, i) ? "control" : name, &row, out);
	}
	print_row("total", &total, out);
}

void
ctl_print_ledger(struct ctl *ctl, FILE *out)
{
	fprintf(out, "\nDrops (all of them: show drops)\n");
	show_drops_nonzero(ctl, out);
	fprintf(out, "\nLedger: received + originated + taken_in = sent + delivered + dropped + "
		     "handed_out + held\n");
	show_ledger(ctl, out);
}

bool
ctl_ledger_closed(struct ctl *ctl)
{
	struct ledger_row total;

	total_of(ctl, &total);
	return total.unaccounted == 0;
}

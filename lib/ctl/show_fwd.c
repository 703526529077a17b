/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/atomics.h"
#include "ctl/ctl.h"
#include "ctl/show.h"
#include "ctl/state.h"
#include "worker/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#define DASHES "----------------------"
#define PLUSES "+++++++++++++++"

/* Everything of one display; numbers are since the last clear. */
struct fwd {
	struct ctl *ctl;
	FILE *out;
	uint16_t nb_ports, nb_streams;
	uint64_t refused[RTE_MAX_ETHPORTS];                        /* by transmit port */
	uint64_t rx[STATS_BURST_MAX + 1], tx[STATS_BURST_MAX + 1]; /* scratch */
	struct port_stats total;
	uint64_t total_tx_dropped, busy_cycles;
};

/* ---- bursts */

struct burst_share {
	uint64_t count;
	unsigned int size;
};

/* Size 0 always comes first, then the two most frequent ones. */
static uint64_t
burst_shares(const uint64_t *spread, struct burst_share *share)
{
	uint64_t total = spread[0];

	memset(share, 0, 3 * sizeof(*share));
	share[0].count = spread[0];
	for (unsigned int size = 1; size <= STATS_BURST_MAX; size++) {
		struct burst_share s = { .count = spread[size], .size = size };

		total += s.count;
		if (s.count > share[1].count) {
			share[2] = share[1];
			share[1] = s;
		} else if (s.count > share[2].count) {
			share[2] = s;
		}
	}
	return total;
}

void
show_bursts(const char *rx_tx, const uint64_t *spread, FILE *out)
{
	struct burst_share share[3];
	uint64_t total = burst_shares(spread, share), seen = 0;
	int percents = 0;

	if (total == 0)
		return;
	fprintf(out, "  %s-bursts : %" PRIu64 " [", rx_tx, total);
	for (unsigned int i = 0; i < 3; i++) {
		int percent = (int)((double)share[i].count / (double)total * 100);

		seen += share[i].count;
		/* The last share takes what rounding left. */
		if (seen == total) {
			fprintf(out, "%d%% of %u pkts]\n", 100 - percents, share[i].size);
			return;
		}
		fprintf(out, "%d%% of %u pkts + ", percent, share[i].size);
		percents += percent;
	}
	fprintf(out, "%d%% of other]\n", 100 - percents);
}

static void
add_spread(uint64_t *sum, const uint64_t *now, const uint64_t *base)
{
	for (unsigned int i = 0; i <= STATS_BURST_MAX; i++)
		sum[i] += ctl_since(atomic_get(&now[i]), base[i]);
}

static void
add_rx_spread(struct fwd *f, uint16_t worker, uint16_t queue)
{
	const struct stats_bursts *b = workers_bursts(f->ctl->cfg.workers, worker);

	if (b != NULL)
		add_spread(f->rx, b->rx[queue], f->ctl->fwd_base.bursts[worker].rx[queue]);
}

static void
add_tx_spread(struct fwd *f, uint16_t worker, uint16_t port)
{
	const struct stats_bursts *b = workers_bursts(f->ctl->cfg.workers, worker);

	if (b != NULL)
		add_spread(f->tx, b->tx[port], f->ctl->fwd_base.bursts[worker].tx[port]);
}

static void
print_spreads(struct fwd *f)
{
	show_bursts("RX", f->rx, f->out);
	show_bursts("TX", f->tx, f->out);
}

static void
clear_spreads(struct fwd *f)
{
	memset(f->rx, 0, sizeof(f->rx));
	memset(f->tx, 0, sizeof(f->tx));
}

/* ---- streams */

/* testpmd's pairing: 0 with 1, 2 with 3; an odd last one with itself. */
static uint16_t
peer_of(const struct ctl *ctl, uint16_t port)
{
	int index = ctl_port_index(ctl, port);
	uint16_t peer = index < 0 ? PORT_NONE : ctl_port_at(ctl, index ^ 1);

	return peer == PORT_NONE ? port : peer;
}

static uint16_t
stream_target(const struct ctl *ctl, uint16_t worker, uint16_t rx_port)
{
	const struct stats_core *now = &ctl->now[worker], *base = &ctl->fwd_base.core[worker];
	uint16_t target = peer_of(ctl, rx_port);
	uint64_t most = 0;

	if (workers_mode(ctl->cfg.workers) != FORWARD_IP4)
		return target;
	for (uint16_t p = 0; p < RTE_MAX_ETHPORTS; p++) {
		uint64_t sent = ctl_since(now->sent_by_port[p], base->sent_by_port[p]);

		if (sent > most) {
			most = sent;
			target = p;
		}
	}
	return target;
}

static void
print_stream(struct fwd *f, uint16_t worker, uint16_t queue)
{
	const struct worker_plan *plan = workers_plan(f->ctl->cfg.workers, worker);
	const struct stats_stream *now = &f->ctl->now[worker].stream[queue];
	const struct stats_stream *base = &f->ctl->fwd_base.core[worker].stream[queue];
	uint16_t rx_port = plan->rxq[queue].port;
	uint16_t tx_port = stream_target(f->ctl, worker, rx_port);
	uint64_t received = ctl_since(now->received, base->received);
	uint64_t sent = ctl_since(now->sent, base->sent);
	uint64_t dropped = ctl_since(now->dropped, base->dropped);

	if (received == 0 && sent == 0 && dropped == 0)
		return;
	fprintf(f->out,
		"\n  ------- Forward Stats for RX Port=%2u/Queue=%2u -> TX Port=%2u/Queue=%2u "
		"-------\n",
		rx_port, plan->rxq[queue].queue, tx_port, plan->txq[tx_port]);
	fprintf(f->out,
		"  RX-packets: %-14" PRIu64 " TX-packets: %-14" PRIu64 " TX-dropped: %-14" PRIu64
		"\n",
		received, sent, dropped);
	if (f->ctl->cfg.record_burst_stats) {
		clear_spreads(f);
		add_rx_spread(f, worker, queue);
		add_tx_spread(f, worker, tx_port);
		print_spreads(f);
	}
}

/* testpmd names streams only when there are more of them than ports. */
static void
print_streams(struct fwd *f)
{
	if (f->nb_streams <= f->nb_ports)
		return;
	for (uint16_t w = 0; w < f->ctl->nb_workers; w++)
		for (uint16_t q = 0; q < workers_plan(f->ctl->cfg.workers, w)->nb_rxq; q++)
			print_stream(f, w, q);
}

/* ---- ports */

static void
print_port_spreads(struct fwd *f, uint16_t port)
{
	if (!f->ctl->cfg.record_burst_stats || f->nb_streams > f->nb_ports)
		return;
	clear_spreads(f);
	for (uint16_t w = 0; w < f->ctl->nb_workers; w++) {
		const struct worker_plan *plan = workers_plan(f->ctl->cfg.workers, w);

		for (uint16_t q = 0; q < plan->nb_rxq; q++)
			if (plan->rxq[q].port == port)
				add_rx_spread(f, w, q);
		add_tx_spread(f, w, port);
	}
	print_spreads(f);
}

static void
print_port(struct fwd *f, uint16_t port)
{
	struct port_stats now = { 0 }, s;
	uint64_t tx_dropped;
	int ret = f->ctl->cfg.ports->stats(port, &now);

	if (ret < 0) {
		fprintf(f->out, "\n  port %u: no statistics: %s\n", port, strerror(-ret));
		return;
	}
	s = ctl_port_since(&now, &f->ctl->fwd_base.port[port]);
	tx_dropped = f->refused[port] + s.tx_errors;
	f->total.rx_packets += s.rx_packets;
	f->total.rx_missed += s.rx_missed;
	f->total.rx_nombuf += s.rx_nombuf;
	f->total.tx_packets += s.tx_packets;
	f->total_tx_dropped += tx_dropped;

	fprintf(f->out, "\n  " DASHES " Forward statistics for port %-2u " DASHES "\n", port);
	fprintf(f->out,
		"  RX-packets: %-14" PRIu64 " RX-dropped: %-14" PRIu64 "RX-total: %-" PRIu64 "\n",
		s.rx_packets, s.rx_missed, s.rx_packets + s.rx_missed);
	if (s.rx_errors + s.rx_nombuf > 0) {
		fprintf(f->out, "  RX-error: %-" PRIu64 "\n", s.rx_errors);
		fprintf(f->out, "  RX-nombufs: %-14" PRIu64 "\n", s.rx_nombuf);
	}
	fprintf(f->out,
		"  TX-packets: %-14" PRIu64 " TX-dropped: %-14" PRIu64 "TX-total: %-" PRIu64 "\n",
		s.tx_packets, tx_dropped, s.tx_packets + tx_dropped);
	print_port_spreads(f, port);
	fprintf(f->out, "  " DASHES "--------------------------------" DASHES "\n");
}

static void
print_total(struct fwd *f)
{
	const struct port_stats *t = &f->total;

	fprintf(f->out, "\n  " PLUSES " Accumulated forward statistics for all ports" PLUSES "\n");
	fprintf(f->out,
		"  RX-packets: %-14" PRIu64 " RX-dropped: %-14" PRIu64 "RX-total: %-" PRIu64 "\n",
		t->rx_packets, t->rx_missed, t->rx_packets + t->rx_missed);
	fprintf(f->out,
		"  TX-packets: %-14" PRIu64 " TX-dropped: %-14" PRIu64 "TX-total: %-" PRIu64 "\n",
		t->tx_packets, f->total_tx_dropped, t->tx_packets + f->total_tx_dropped);
	if (t->rx_nombuf > 0)
		fprintf(f->out, "  RX-nombufs: %-14" PRIu64 "\n", t->rx_nombuf);
	fprintf(f->out, "  " PLUSES "++++++++++++++++++++++++++++++++++++++++++++++" PLUSES "\n");
	if (f->ctl->cfg.record_core_cycles && t->rx_packets > 0)
		fprintf(f->out,
			"\n  CPU cycles/packet=%.2F (total cycles=%" PRIu64
			" / total %s packets=%" PRIu64 ") at %" PRIu64 " MHz Clock\n",
			(double)f->busy_cycles / (double)t->rx_packets, f->busy_cycles,
			ctl_mode_name(f->ctl), t->rx_packets, rte_get_tsc_hz() / 1000000);
}

static void
collect(struct fwd *f)
{
	struct ctl *ctl = f->ctl;

	ctl_snapshot(ctl);
	f->nb_ports = ctl_nb_ports(ctl);
	for (uint16_t w = 0; w < ctl->nb_workers; w++) {
		const struct stats_core *now = &ctl->now[w], *base = &ctl->fwd_base.core[w];

		f->nb_streams =
			(uint16_t)(f->nb_streams + workers_plan(ctl->cfg.workers, w)->nb_rxq);
		f->busy_cycles += ctl_since(now->busy_cycles, base->busy_cycles);
		for (uint16_t p = 0; p < RTE_MAX_ETHPORTS; p++)
			f->refused[p] +=
				ctl_since(now->refused_by_port[p], base->refused_by_port[p]);
	}
}

void
show_fwd_stats(struct ctl *ctl, FILE *out)
{
	struct fwd f = { .ctl = ctl, .out = out };

	collect(&f);
	print_streams(&f);
	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p))
		print_port(&f, p);
	print_total(&f);
}

void
show_fwd_clear(struct ctl *ctl)
{
	struct ctl_fwd_base *base = &ctl->fwd_base;

	ctl_snapshot(ctl);
	memcpy(base->core, ctl->now, ctl->nb_workers * sizeof(*base->core));
	for (uint16_t p = ctl_next_port(ctl, -1); p != PORT_NONE; p = ctl_next_port(ctl, p))
		ctl->cfg.ports->stats(p, &base->port[p]);
	for (uint16_t w = 0; base->bursts != NULL && w < ctl->nb_workers; w++) {
		const struct stats_bursts *b = workers_bursts(ctl->cfg.workers, w);
		const uint64_t *from = (const uint64_t *)b;
		uint64_t *to = (uint64_t *)&base->bursts[w];

		for (size_t i = 0; b != NULL && i < sizeof(*b) / sizeof(*from); i++)
			to[i] = atomic_get(&from[i]);
	}
}

void
ctl_print_fwd_stats(struct ctl *ctl, FILE *out)
{
	show_fwd_stats(ctl, out);
}

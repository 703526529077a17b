/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "plan.h"

#include <inttypes.h>

#define MIB (1024.0 * 1024.0)

static void
print_polling(const struct plan *plan, FILE *out)
{
	fprintf(out, "Polling: %u lcores forward, lcore %u controls\n", plan->nb_workers,
		plan->main_lcore);
	fprintf(out, "  port queue lcore node  device\n");
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		const struct plan_port *port = &plan->port[i];

		for (uint16_t q = 0; port->polled && q < port->cfg.nb_rxq; q++)
			fprintf(out, "  %4u %5u %5u %4d  %s\n", port->nic->port, q,
				plan->worker[port->worker_of[q]].lcore,
				plan->worker[port->worker_of[q]].socket, port->nic->name);
		if (!port->polled)
			fprintf(out, "  %4u     -     -    -  %s (only transmits)\n",
				port->nic->port, port->nic->name);
	}
	for (uint16_t w = 0; w < plan->nb_workers; w++)
		fprintf(out,
			"  lcore %u: receives on %u queues, transmits on queue %u of each port\n",
			plan->worker[w].lcore, plan->worker[w].nb_rxq,
			plan->worker[w].txq[plan->port[0].nic->port]);
}

static void
print_memory(const struct plan *plan, const struct plan_more *more, FILE *out)
{
	fprintf(out, "Memory:\n");
	for (uint16_t p = 0; p < plan->nb_pools; p++) {
		const struct pool_config *pool = &plan->pool[p];
		const struct pool_need *need = &pool->need;

		fprintf(out, "  pool of node %d: %u mbufs of %u bytes, cache %u, %.1f MiB\n",
			pool->socket, pool->nb_mbufs, pool->mbuf_size, pool->cache,
			(double)pool_bytes(pool) / MIB);
		fprintf(out,
			"    need %" PRIu64 " = receive rings %" PRIu64 " + transmit rings %" PRIu64
			" + lcores %" PRIu64 " + control rings %" PRIu64
			" + waiting for ARP %" PRIu64 " + steering %" PRIu64 "\n",
			pool_need_total(need), need->rx_rings, need->tx_rings, need->lcores,
			need->punt, need->hold, need->steer);
	}
	fprintf(out, "  FIB: %u routes, %.1f MiB\n", more->max_routes,
		(double)more->fib_bytes / MIB);
	fprintf(out, "  adjacencies: %.1f MiB\n", (double)more->adj_bytes / MIB);
}

static const char *
number(char *buf, size_t size, int32_t value)
{
	if (value == NIC_DEFAULT)
		return "family's";
	snprintf(buf, size, "%d", value);
	return buf;
}

static void
print_driver(const struct plan_port *port, FILE *out)
{
	const struct nic_config *cfg = &port->cfg;
	char rx_free[16], tx_free[16], tx_rs[16];

	fprintf(out, "  port %u %s: driver %s, family %s, node %d, peer port %u\n", port->nic->port,
		port->nic->name, port->nic->driver, port->nic->family, port->nic->socket,
		port->peer);
	fprintf(out, "    rxq %u x %u descriptors, txq %u x %u descriptors\n", cfg->nb_rxq,
		cfg->rxd, cfg->nb_txq, cfg->txd);
	fprintf(out, "    rxfreet %s, txfreet %s, txrst %s, receive quantum %u, fast free %s\n",
		number(rx_free, sizeof(rx_free), cfg->rx_free),
		number(tx_free, sizeof(tx_free), cfg->tx_free),
		number(tx_rs, sizeof(tx_rs), cfg->tx_rs), port->nic->rx_quantum,
		cfg->fast_free ? "on" : "off");
}

static void
print_drivers(const struct plan *plan, const struct plan_more *more, FILE *out)
{
	char mac[ADDR_MAC_TEXT];

	fprintf(out, "Drivers: burst %u, prefetch %u\n", plan->burst, plan->prefetch);
	for (uint16_t i = 0; i < plan->nb_ports; i++) {
		const struct plan_port *port = &plan->port[i];

		print_driver(port, out);
		if (more->modes == NULL)
			continue;
		fprintf(out, "    port %u MAC %s, promisc %s, rx_mode %s, tx_mode %s\n",
			port->nic->port, addr_mac(mac, &port->nic->mac),
			more->promisc[i] ? "on" : "off", more->modes[i].rx, more->modes[i].tx);
		if (more->modes[i].why[0] != '\0')
			fprintf(out, "    slower than it could be: %s\n", more->modes[i].why);
	}
}

void
plan_print(const struct plan *plan, const struct plan_more *more, FILE *out)
{
	print_polling(plan, out);
	print_memory(plan, more, out);
	print_drivers(plan, more, out);
	for (uint16_t i = 0; i < plan->nb_notes; i++)
		fprintf(out, "%s: %s\n", plan->note[i].warning ? "Warning" : "Notice",
			plan->note[i].text);
	fflush(out);
}

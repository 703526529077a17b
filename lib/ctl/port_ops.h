/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_PORT_OPS_H
#define CTL_PORT_OPS_H

#include "cfg/route_spec.h"

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

/*
 * What control needs of ports; app fills it in from drivers, so that lib and drivers stay
 * strangers.  Control thread.
 */
#define PORT_TEXT_MAX 64
#define PORT_WHY_MAX  256
#define PORT_NONE     0xffff

struct port_info {
	char name[PORT_TEXT_MAX], driver[PORT_TEXT_MAX], family[PORT_TEXT_MAX];
	struct rte_ether_addr mac;
	int socket;
	bool link_up, full_duplex, promisc;
	uint32_t speed_mbps; /* UINT32_MAX: unknown */
	uint16_t mtu;
	uint16_t nb_rxq, nb_txq, rxd, txd;
	char rx_mode[PORT_TEXT_MAX], tx_mode[PORT_TEXT_MAX], why[PORT_WHY_MAX];
};

struct port_stats { /* since process start */
	uint64_t rx_packets, rx_bytes, rx_missed, rx_errors, rx_nombuf;
	uint64_t tx_packets, tx_bytes, tx_errors;
};

/* hint: in plain words, what loss this counter stands for; NULL or "" for every other counter. */
typedef void (*port_xstat_fn)(const char *name, uint64_t value, const char *hint, void *arg);

struct port_ops {
	uint16_t (*next)(int after); /* the first id above after, or PORT_NONE; start with -1 */
	cfg_port_fn find;
	cfg_port_name_fn name;
	int (*info)(uint16_t port, struct port_info *info);
	int (*stats)(uint16_t port, struct port_stats *stats);
	int (*xstats)(uint16_t port, port_xstat_fn fn, void *arg);
	int (*promisc)(uint16_t port, bool on, struct err *err);
	int (*mtu)(uint16_t port, uint16_t mtu, struct err *err);
};

#endif

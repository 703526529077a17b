/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NIC_H
#define NIC_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#include <rte_config.h>
#include <rte_ethdev.h>

/*
 * Ports: which family a device belongs to, what that means for its set-up, and its life from probe
 * to close.  Control thread only.  The datapath calls rte_ethdev itself; nothing here is on it.
 */
#define NIC_NAME_MAX   64
#define NIC_TEXT_MAX   256
#define NIC_QUEUES_MAX 64 /* per port and direction, that sluice uses */

/* What a port is and can do: the plan's input. */
struct nic_caps {
	uint16_t port;
	char name[NIC_NAME_MAX];   /* PCI address or vdev name */
	char driver[NIC_NAME_MAX]; /* "net_ixgbe" */
	const char *family;        /* "ixgbe", "mlx5", "generic" */
	int socket;                /* NUMA node or SOCKET_ID_ANY */
	struct rte_ether_addr mac;
	uint16_t mtu;
	uint16_t max_rxq, max_txq; /* as the family trusts them */
	uint16_t min_rxd, max_rxd, align_rxd, min_txd, max_txd, align_txd;
	uint16_t max_mtu; /* IPv4 bytes */
	/* the family's choice, used when the user says nothing */
	uint16_t rxd, txd, burst, mbcache;
	uint16_t rx_quantum; /* receive bursts below this return nothing; multiples only */
	bool fast_free;      /* the PMD has MBUF_FAST_FREE */
	bool rss;            /* the PMD can spread over queues */
	bool paired;         /* as many RX as TX queues, no fewer than one (net_tap) */
};
int nic_caps(uint16_t port, struct nic_caps *caps, struct err *err);

/* Port by id, PCI address or device name.  -ENODEV lists the present ones. */
int nic_find(const char *text, uint16_t *port, struct err *err);
const char *nic_name(uint16_t port); /* "?" for a port that is not there */

#define NIC_DEFAULT (-1)
struct nic_config {
	uint16_t nb_rxq, nb_txq;
	uint16_t rxd, txd;
	int32_t rx_free, tx_free, tx_rs; /* thresholds, or NIC_DEFAULT for the family's */
	uint16_t mtu;                    /* IPv4 bytes; 0 leaves the device's */
	bool promisc;
	bool fast_free; /* the plan vouches: one pool per TX queue, refcnt 1, one segment */
	struct rte_mempool *rx_pool[NIC_QUEUES_MAX]; /* by RX queue */
	int rx_socket[NIC_QUEUES_MAX], tx_socket[NIC_QUEUES_MAX];
	uint32_t mbuf_size; /* data room, headroom included */
};

/* Configure, set up queues, start.  Does not wait for link.  A value the NIC does not take is an
 * error that names the limit; an offload it lacks is a logged downgrade. */
int nic_configure(uint16_t port, const struct nic_config *cfg, struct err *err);
int nic_start(uint16_t port, struct err *err);
void nic_stop(uint16_t port);
void nic_close(uint16_t port);

/* After start: the functions the PMD chose, "unknown" when it does not say; why is empty, or the
 * condition that cost the fast path. */
struct nic_modes {
	char rx[NIC_NAME_MAX], tx[NIC_NAME_MAX];
	char why[NIC_TEXT_MAX];
};
void nic_modes(uint16_t port, struct nic_modes *modes);

struct nic_link {
	bool up;
	uint32_t speed_mbps; /* RTE_ETH_SPEED_NUM_UNKNOWN when the device does not know */
	bool full_duplex;
};
void nic_link(uint16_t port, struct nic_link *link);

/* It was pulled out while in use: the link is down, counters stand still, close still works. */
bool nic_removed(uint16_t port);

/*
 * A receive queue that has failed and receives nothing since, where the family's driver is known to
 * leave it so, or -1.  A look: once a second, after nic_poll_stats().  Of the first
 * RTE_ETHDEV_QUEUE_STAT_CNTRS queues.
 */
int nic_dead_queue(uint16_t port);
int nic_revive(uint16_t port, struct err *err); /* stops and starts, while nobody is in a burst */

/* Follow link state and removal: logs edges.  Called once a second; LSC interrupts only make it sooner. */
void nic_poll_link(uint64_t now_us);

/* 64-bit counters since the port was configured.  nic_poll_stats(), called once a second, reads them
 * so that sticking hardware registers lose nothing, as often as their reading allows. */
int nic_stats(uint16_t port, struct rte_eth_stats *stats);
int nic_stats_seen(uint16_t port, struct rte_eth_stats *stats); /* as of the last reading */
void nic_poll_stats(uint64_t now_us);

/* hint is what the family knows of that counter, or "". */
typedef void (*nic_xstat_fn)(const char *name, uint64_t value, const char *hint, void *arg);
/* -ENODEV when it was pulled out: what it would read as are no counters. */
int nic_xstats(uint16_t port, nic_xstat_fn fn, void *arg);

int nic_promisc(uint16_t port, bool on, struct err *err);
/* sluice enforces the MTU itself; a driver without the call (-ENOTSUP) is a logged notice and 0. */
int nic_mtu(uint16_t port, uint16_t mtu, struct err *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "ports.h"

#include "drivers/nic.h"

#include <errno.h>
#include <stdio.h>

_Static_assert(PORT_TEXT_MAX >= NIC_NAME_MAX && PORT_WHY_MAX >= NIC_TEXT_MAX, "texts fit");

/* MTUs set since start: a driver without the call keeps its own number, sluice enforces ours. */
static uint16_t own_mtu[RTE_MAX_ETHPORTS];
static uint16_t mtu_limit;

static uint16_t
next(int after)
{
	uint64_t port = rte_eth_find_next_owned_by((uint16_t)(after + 1), RTE_ETH_DEV_NO_OWNER);

	return port < RTE_MAX_ETHPORTS ? (uint16_t)port : PORT_NONE;
}

static void
ring_sizes(uint16_t port, struct port_info *info)
{
	struct rte_eth_rxq_info rxq;
	struct rte_eth_txq_info txq;
	struct rte_eth_dev_info dev;

	if (rte_eth_dev_info_get(port, &dev) < 0)
		return;
	info->nb_rxq = dev.nb_rx_queues;
	info->nb_txq = dev.nb_tx_queues;
	if (dev.nb_rx_queues > 0 && rte_eth_rx_queue_info_get(port, 0, &rxq) == 0)
		info->rxd = rxq.nb_desc;
	if (dev.nb_tx_queues > 0 && rte_eth_tx_queue_info_get(port, 0, &txq) == 0)
		info->txd = txq.nb_desc;
}

static int
info(uint16_t port, struct port_info *out)
{
	struct nic_caps caps;
	struct nic_modes modes;
	struct nic_link link;
	int ret;

	ret = nic_caps(port, &caps, NULL);
	if (ret < 0)
		return ret;
	nic_modes(port, &modes);
	nic_link(port, &link);
	*out = (struct port_info){
		.mac = caps.mac,
		.socket = caps.socket,
		.link_up = link.up,
		.full_duplex = link.full_duplex,
		.promisc = rte_eth_promiscuous_get(port) == 1,
		.speed_mbps = link.speed_mbps,
		.mtu = own_mtu[port] != 0 ? own_mtu[port] : caps.mtu,
	};
	snprintf(out->name, sizeof(out->name), "%s", caps.name);
	snprintf(out->driver, sizeof(out->driver), "%s", caps.driver);
	snprintf(out->family, sizeof(out->family), "%s", caps.family);
	snprintf(out->rx_mode, sizeof(out->rx_mode), "%s", modes.rx);
	snprintf(out->tx_mode, sizeof(out->tx_mode), "%s", modes.tx);
	snprintf(out->why, sizeof(out->why), "%s", modes.why);
	ring_sizes(port, out);
	return 0;
}

static int
stats(uint16_t port, struct port_stats *out)
{
	struct rte_eth_stats s;
	int ret = nic_stats(port, &s);

	if (ret < 0)
		return ret;
	*out = (struct port_stats){
		.rx_packets = s.ipackets,
		.rx_bytes = s.ibytes,
		.rx_missed = s.imissed,
		.rx_errors = s.ierrors,
		.rx_nombuf = s.rx_nombuf,
		.tx_packets = s.opackets,
		.tx_bytes = s.obytes,
		.tx_errors = s.oerrors,
	};
	return 0;
}

static int
mtu(uint16_t port, uint16_t bytes, struct err *err)
{
	int ret;

	if (mtu_limit != 0 && bytes > mtu_limit)
		return err_set(
			err, -EINVAL,
			"MTU %u: a transmit queue relies on packets of one mbuf, so at most %u "
			"bytes; start sluice with a larger --mbuf-size",
			bytes, mtu_limit);
	ret = nic_mtu(port, bytes, err);
	if (ret == 0)
		own_mtu[port] = bytes;
	return ret;
}

void
ports_limit_mtu(uint16_t mtu_bytes)
{
	mtu_limit = mtu_bytes;
}

const struct port_ops ports_ops = {
	.next = next,
	.find = nic_find,
	.name = nic_name,
	.info = info,
	.stats = stats,
	.xstats = nic_xstats,
	.promisc = nic_promisc,
	.mtu = mtu,
};

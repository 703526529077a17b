/* SPDX-License-Identifier: BSD-3-Clause */
#define ALLOW_EXPERIMENTAL_API /* rte_vect_get_max_simd_bitwidth(), stable in later releases */

#include "drivers/nic.h"

#include "base/log.h"
#include "drivers/nic_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_devargs.h>
#include <rte_ethdev.h>
#include <rte_pci.h>
#include <rte_vect.h>

static struct nic_state states[RTE_MAX_ETHPORTS];

struct nic_state *
nic_state(uint16_t port)
{
	return &states[port];
}

const char *
nic_name(uint16_t port)
{
	static char names[RTE_MAX_ETHPORTS][RTE_ETH_NAME_MAX_LEN];

	if (!rte_eth_dev_is_valid_port(port) ||
	    rte_eth_dev_get_name_by_port(port, names[port]) != 0)
		return "?";
	return names[port];
}

int
nic_errno(int ret)
{
	return ret == -1 ? -EIO : ret;
}

const char *
nic_reason(int ret)
{
	return ret == -1 ? "it gives no reason" : strerror(-ret);
}

static uint16_t
by_number(const char *text)
{
	char *end;
	unsigned long id;

	if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text))
		return RTE_MAX_ETHPORTS;
	errno = 0;
	id = strtoul(text, &end, 10);
	if (errno != 0 || id >= RTE_MAX_ETHPORTS || !rte_eth_dev_is_valid_port((uint16_t)id))
		return RTE_MAX_ETHPORTS;
	return (uint16_t)id;
}

bool
nic_same_pci(const char *text, const char *name)
{
	struct rte_pci_addr want, have;

	return rte_pci_addr_parse(text, &want) == 0 && rte_pci_addr_parse(name, &have) == 0 &&
	       rte_pci_addr_cmp(&want, &have) == 0;
}

static uint16_t
by_pci(const char *text)
{
	uint16_t port;

	RTE_ETH_FOREACH_DEV (port)
		if (nic_same_pci(text, nic_name(port)))
			return port;
	return RTE_MAX_ETHPORTS;
}

static int
nobody(const char *text, struct err *err)
{
	char list[400] = "";
	size_t used = 0;
	uint16_t port;

	RTE_ETH_FOREACH_DEV (port) {
		int n = snprintf(list + used, sizeof(list) - used, "%s%u = %s",
				 used == 0 ? "" : ", ", port, nic_name(port));

		if (n < 0 || (size_t)n >= sizeof(list) - used)
			break;
		used += (size_t)n;
	}
	if (used == 0)
		return err_set(err, -ENODEV,
			       "no port \"%s\": there are no ports at all; bind a NIC to vfio-pci "
			       "or add a device with --vdev",
			       text);
	return err_set(err, -ENODEV, "no port \"%s\"; present: %s", text, list);
}

int
nic_find(const char *text, uint16_t *port, struct err *err)
{
	uint16_t found = by_number(text);

	if (found == RTE_MAX_ETHPORTS && rte_eth_dev_get_port_by_name(text, &found) != 0)
		found = by_pci(text);
	if (found == RTE_MAX_ETHPORTS)
		return nobody(text, err);
	*port = found;
	return 0;
}

static uint16_t
ring_size(uint16_t want, const struct rte_eth_desc_lim *lim)
{
	uint32_t n = want, align = lim->nb_align == 0 ? 1 : lim->nb_align;

	if (n < lim->nb_min)
		n = rte_align32pow2(lim->nb_min);
	if (lim->nb_max != 0 && n > lim->nb_max)
		n = rte_align32prevpow2(lim->nb_max);
	n = n / align * align;
	return (uint16_t)(n < lim->nb_min ? lim->nb_min : n);
}

/* The longest IPv4 packet, by the rules ethdev applies in rte_eth_dev_configure(). */
static uint16_t
longest(const struct rte_eth_dev_info *info)
{
	uint32_t overhead = RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;

	if (info->max_mtu != UINT16_MAX && info->max_rx_pktlen > info->max_mtu)
		overhead = info->max_rx_pktlen - info->max_mtu;
	if (info->max_rx_pktlen < overhead)
		return info->max_mtu;
	return (uint16_t)RTE_MIN(info->max_mtu, info->max_rx_pktlen - overhead);
}

static void
fill_caps(struct nic_caps *caps, const struct nic_profile *p, const struct rte_eth_dev_info *info)
{
	caps->family = p->family;
	snprintf(caps->driver, sizeof(caps->driver), "%s", info->driver_name);
	caps->max_rxq = RTE_MIN(RTE_MIN(info->max_rx_queues, p->max_rxq), NIC_QUEUES_MAX);
	caps->max_txq = RTE_MIN(RTE_MIN(info->max_tx_queues, p->max_txq), NIC_QUEUES_MAX);
	caps->min_rxd = info->rx_desc_lim.nb_min;
	caps->max_rxd = info->rx_desc_lim.nb_max != 0 ? info->rx_desc_lim.nb_max : UINT16_MAX;
	caps->align_rxd = info->rx_desc_lim.nb_align;
	caps->min_txd = info->tx_desc_lim.nb_min;
	caps->max_txd = info->tx_desc_lim.nb_max != 0 ? info->tx_desc_lim.nb_max : UINT16_MAX;
	caps->align_txd = info->tx_desc_lim.nb_align;
	caps->max_mtu = longest(info);
	caps->rxd = ring_size(p->rxd, &info->rx_desc_lim);
	caps->txd = ring_size(p->txd, &info->tx_desc_lim);
	caps->burst = p->burst;
	caps->mbcache = p->mbcache;
	caps->rx_quantum = p->rx_quantum;
	caps->fast_free =
		(info->tx_offload_capa & p->tx_wanted & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
	caps->rss = (info->flow_type_rss_offloads & p->rss_hf) != 0;
	caps->paired = nic_profile_has(p->paired, info->driver_name);
}

static const char *
devargs_of(const struct rte_eth_dev_info *info)
{
	const struct rte_devargs *args =
		info->device == NULL ? NULL : rte_dev_devargs(info->device);

	return args == NULL ? NULL : args->args;
}

int
nic_probe(uint16_t port, struct nic_device *dev, struct err *err)
{
	struct nic_caps *caps = &dev->caps;
	int ret;

	memset(dev, 0, sizeof(*dev));
	if (!rte_eth_dev_is_valid_port(port))
		return err_set(err, -ENODEV, "port %u is not there", port);
	ret = rte_eth_dev_info_get(port, &dev->info);
	if (ret != 0)
		return err_set(err, nic_errno(ret),
			       "port %u (%s): the driver gives no information: %s", port,
			       nic_name(port), nic_reason(ret));
	dev->profile = nic_profile_of(dev->info.driver_name);
	dev->simd_bits = rte_vect_get_max_simd_bitwidth();
	dev->devargs = devargs_of(&dev->info);
	fill_caps(caps, dev->profile, &dev->info);
	caps->port = port;
	caps->socket = rte_eth_dev_socket_id(port);
	snprintf(caps->name, sizeof(caps->name), "%s", nic_name(port));
	ret = rte_eth_macaddr_get(port, &caps->mac);
	if (ret == 0)
		ret = rte_eth_dev_get_mtu(port, &caps->mtu);
	if (ret != 0)
		return err_set(err, nic_errno(ret), "port %u (%s): no MAC address or MTU: %s", port,
			       caps->name, nic_reason(ret));
	return 0;
}

int
nic_caps(uint16_t port, struct nic_caps *caps, struct err *err)
{
	struct nic_device dev;
	int ret = nic_probe(port, &dev, err);

	if (ret == 0)
		*caps = dev.caps;
	return ret;
}

int
nic_start(uint16_t port, struct err *err)
{
	int ret;

	if (!rte_eth_dev_is_valid_port(port) || states[port].profile == NULL)
		return err_set(err, -ENODEV, "port %u is not configured", port);
	if (states[port].started)
		return 0;
	nic_stats_keep(port);
	nic_health_begin(port);
	ret = rte_eth_dev_start(port);
	if (ret != 0)
		return err_set(err, nic_errno(ret),
			       "port %u (%s): does not start: %s (the driver's own lines above "
			       "say more)",
			       port, nic_name(port), nic_reason(ret));
	states[port].started = true;
	return 0;
}

void
nic_stop(uint16_t port)
{
	int ret;

	if (!rte_eth_dev_is_valid_port(port) || !states[port].started)
		return;
	nic_stats_keep(port);
	ret = rte_eth_dev_stop(port);
	if (ret < 0)
		log_warn("port %u (%s): does not stop: %s", port, nic_name(port), nic_reason(ret));
	states[port].started = false;
}

void
nic_close(uint16_t port)
{
	int ret;

	if (!rte_eth_dev_is_valid_port(port))
		return;
	nic_stop(port);
	nic_link_unwatch(port);
	nic_health_unwatch(port);
	memset(&states[port], 0, sizeof(states[port]));
	ret = rte_eth_dev_close(port); /* ixgbe may say 1, which is no error */
	if (ret < 0)
		log_warn("port %u: does not close: %s", port, nic_reason(ret));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "drivers/nic_priv.h"

#include <string.h>

static void
tell(uint16_t port, const struct nic_setup *setup, const struct nic_config *cfg)
{
	struct nic_state *st = nic_state(port);

	for (uint32_t i = 0; i < NIC_MISSING_MAX; i++)
		if ((setup->missing & ~st->told) & (1u << i))
			log_notice("port %u (%s): %s", port, nic_name(port), nic_missing_text(i));
	st->told |= setup->missing;
	if (st->profile->ignored != NULL &&
	    (cfg->rx_free != NIC_DEFAULT || cfg->tx_free != NIC_DEFAULT ||
	     cfg->tx_rs != NIC_DEFAULT))
		log_notice("port %u (%s): %s", port, nic_name(port), st->profile->ignored);
}

static int
configure(uint16_t port, const struct nic_setup *s, struct err *err)
{
	const uint32_t *flags = NULL;
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf = { 0 };
	int ret;

	if (rte_eth_dev_info_get(port, &info) == 0)
		flags = info.dev_flags;
	conf.intr_conf.lsc = flags != NULL && (*flags & RTE_ETH_DEV_INTR_LSC) != 0;
	conf.rxmode.mtu = s->mtu;
	conf.rxmode.offloads = s->rx_offloads;
	conf.txmode.offloads = s->tx_offloads;
	if (s->rss_hf != 0) {
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf.rx_adv_conf.rss_conf.rss_hf = s->rss_hf;
	}
	ret = rte_eth_dev_configure(port, s->nb_rxq, s->nb_txq, &conf);
	if (ret != 0)
		return err_set(err, nic_errno(ret),
			       "the driver refuses %u RX and %u TX queues, MTU %u: %s (its own "
			       "lines above say more)",
			       s->nb_rxq, s->nb_txq, s->mtu, nic_reason(ret));
	nic_state(port)->lsc = conf.intr_conf.lsc;
	return 0;
}

static int
rx_queues(uint16_t port, const struct nic_setup *s, const struct nic_config *cfg,
	  const struct rte_eth_dev_info *info, struct err *err)
{
	struct rte_eth_rxconf conf = info->default_rxconf;

	conf.offloads = s->rx_offloads;
	conf.rx_free_thresh = s->rx_free;
	if (s->drop_en)
		conf.rx_drop_en = 1;
	for (uint16_t q = 0; q < s->nb_rxq; q++) {
		int ret;

		if (cfg->rx_pool[q] == NULL)
			return err_set(err, -EINVAL, "RX queue %u has no buffer pool", q);
		ret = rte_eth_rx_queue_setup(port, q, s->rxd, (unsigned int)cfg->rx_socket[q],
					     &conf, cfg->rx_pool[q]);
		if (ret != 0)
			return err_set(err, nic_errno(ret),
				       "the driver refuses RX queue %u (--rxd %u, --rxfreet %u): "
				       "%s",
				       q, s->rxd, s->rx_free, nic_reason(ret));
	}
	return 0;
}

static int
tx_queues(uint16_t port, const struct nic_setup *s, const struct nic_config *cfg,
	  const struct rte_eth_dev_info *info, struct err *err)
{
	struct rte_eth_txconf conf = info->default_txconf;

	conf.offloads = s->tx_offloads;
	conf.tx_free_thresh = s->tx_free;
	conf.tx_rs_thresh = s->tx_rs;
	for (uint16_t q = 0; q < s->nb_txq; q++) {
		int ret = rte_eth_tx_queue_setup(port, q, s->txd, (unsigned int)cfg->tx_socket[q],
						 &conf);

		if (ret != 0)
			return err_set(err, nic_errno(ret),
				       "the driver refuses TX queue %u (--txd %u, --txfreet %u, "
				       "--txrst %u): %s",
				       q, s->txd, s->tx_free, s->tx_rs, nic_reason(ret));
	}
	return 0;
}

static int
set_mtu(uint16_t port, uint16_t mtu, struct err *err)
{
	int ret = rte_eth_dev_set_mtu(port, mtu);

	if (ret == -ENOTSUP) {
		log_notice("port %u (%s): the driver takes no MTU; %u is kept in software", port,
			   nic_name(port), mtu);
		return 0;
	}
	if (ret != 0)
		return err_set(err, nic_errno(ret), "the driver refuses MTU %u: %s", mtu,
			       nic_reason(ret));
	return 0;
}

int
nic_promisc(uint16_t port, bool on, struct err *err)
{
	int ret;

	if (!rte_eth_dev_is_valid_port(port))
		return err_set(err, -ENODEV, "port %u is not there", port);
	ret = on ? rte_eth_promiscuous_enable(port) : rte_eth_promiscuous_disable(port);
	if (ret == -ENOTSUP) {
		log_notice("port %u (%s): the driver has no promiscuous mode to switch", port,
			   nic_name(port));
		return 0;
	}
	if (ret != 0)
		return err_set(err, nic_errno(ret), "port %u (%s): promiscuous mode: %s", port,
			       nic_name(port), nic_reason(ret));
	return 0;
}

/* Some devices are born promiscuous; of those that must stay so nothing is said. */
static int
start_promisc(uint16_t port, bool on, struct err *err)
{
	if (!on && rte_eth_promiscuous_disable(port) == -ENOTSUP)
		return 0;
	return nic_promisc(port, on, err); /* a second disable repeats what the first one said */
}

int
nic_configure(uint16_t port, const struct nic_config *cfg, struct err *err)
{
	struct nic_state *st;
	struct nic_device dev;
	struct nic_setup s;
	int ret;

	ret = nic_probe(port, &dev, err);
	if (ret != 0)
		return ret;
	st = nic_state(port);
	if (st->started)
		return err_set(err, -EBUSY, "port %u (%s): is started", port, dev.caps.name);
	ret = nic_setup_make(&s, &dev, cfg, err);
	if (ret != 0)
		goto err_name_port;

	st->profile = NULL; /* no longer what it was, should a step fail */
	ret = configure(port, &s, err);
	if (ret == 0 && cfg->mtu != 0)
		ret = set_mtu(port, cfg->mtu, err);
	if (ret == 0)
		ret = rx_queues(port, &s, cfg, &dev.info, err);
	if (ret == 0)
		ret = tx_queues(port, &s, cfg, &dev.info, err);
	if (ret != 0)
		goto err_name_port;

	st->profile = dev.profile;
	st->setup = s;
	st->cfg = *cfg;
	snprintf(st->driver, sizeof(st->driver), "%s", dev.caps.driver);
	st->setup.driver = st->driver;
	tell(port, &s, cfg);
	nic_link_watch(port);
	nic_health_watch(port);
	nic_stats_begin(port);
	return start_promisc(port, cfg->promisc, err);

err_name_port:
	return err_prefix(err, ret, "port %u (%s)", port, dev.caps.name);
}

/* A mere stop and start leaves net_mlx5 what it knows of a queue's errors, and so the queue dead. */
int
nic_revive(uint16_t port, struct err *err)
{
	struct nic_state *st = nic_state(port);
	struct nic_device dev;
	int ret;

	nic_stop(port);
	ret = nic_probe(port, &dev, err);
	if (ret == 0)
		ret = rx_queues(port, &st->setup, &st->cfg, &dev.info, err);
	if (ret != 0)
		return err_prefix(err, ret, "port %u (%s)", port, nic_name(port));
	nic_stats_again(port);
	return nic_start(port, err);
}

/*
 * The queues are set up for one buffer a frame or for several, and that stays.  Only a driver that
 * knows nothing of MTUs does not mind: that one is asked for what it has already.
 */
static int
must_fit(uint16_t port, uint16_t mtu, const struct nic_setup *s, struct err *err)
{
	uint16_t now;

	if (s->spans || nic_frame_bytes(mtu) <= s->room)
		return 0;
	if (rte_eth_dev_get_mtu(port, &now) == 0 && rte_eth_dev_set_mtu(port, now) == -ENOTSUP)
		return 0;
	return err_set(err, -EINVAL,
		       "MTU %u: frames would be longer than the %u bytes a buffer takes; restart "
		       "with --mbuf-size %u or more",
		       mtu, s->room, nic_frame_bytes(mtu) + RTE_PKTMBUF_HEADROOM);
}

int
nic_mtu(uint16_t port, uint16_t mtu, struct err *err)
{
	struct nic_device dev;
	int ret;

	ret = nic_probe(port, &dev, err);
	if (ret != 0)
		return ret;
	if (nic_state(port)->profile == NULL)
		return err_set(err, -ENODEV, "port %u (%s): is not configured", port,
			       dev.caps.name);
	if (mtu < nic_least_mtu(&dev.info) || mtu > dev.caps.max_mtu)
		ret = err_set(err, -EINVAL, "MTU %u is outside this NIC's %u..%u", mtu,
			      nic_least_mtu(&dev.info), dev.caps.max_mtu);
	if (ret == 0)
		ret = must_fit(port, mtu, &nic_state(port)->setup, err);
	if (ret == 0)
		ret = set_mtu(port, mtu, err);
	if (ret != 0)
		return err_prefix(err, ret, "port %u (%s)", port, dev.caps.name);
	nic_state(port)->setup.mtu = mtu;
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/nic_priv.h"

#include <stdio.h>
#include <string.h>

#include <rte_mbuf.h>

static const char *const missing_text[NIC_MISSING_MAX] = {
	[NIC_NO_RX_CKSUM] = "no RX checksum offload; checked in software",
	[NIC_NO_RSS] = "no RSS; which queue a packet arrives on is the device's choice",
	[NIC_NO_RSS_PORTS] = "RSS knows addresses only; flows between two hosts share a queue",
	[NIC_NO_RSS_HASH] = "no RSS hash with the packet; hashed in software where one is needed",
	[NIC_NO_SCATTER] = "no scattered receive; frames longer than a buffer may be lost",
	[NIC_NO_MULTI_SEGS] = "no multi-segment transmit; frames longer than a buffer may be lost",
	[NIC_NO_FAST_FREE] = "no fast free; sent buffers are returned one by one",
};

const char *
nic_missing_text(enum nic_missing what)
{
	return missing_text[what];
}

static int
number(const char *option, uint32_t value, uint32_t min, uint32_t max, struct err *err)
{
	if (value < min)
		return err_set(err, -EINVAL, "%s %u is below this NIC's %u", option, value, min);
	if (value > max)
		return err_set(err, -EINVAL, "%s %u is above this NIC's %u", option, value, max);
	return 0;
}

static int
ring(const char *option, uint16_t value, const struct rte_eth_desc_lim *lim, struct err *err)
{
	int ret = number(option, value, RTE_MAX(lim->nb_min, 1),
			 lim->nb_max != 0 ? lim->nb_max : UINT16_MAX, err);

	if (ret != 0)
		return ret;
	if (lim->nb_align > 1 && value % lim->nb_align != 0)
		return err_set(err, -EINVAL, "%s %u is not a multiple of this NIC's %u", option,
			       value, lim->nb_align);
	return 0;
}

/*
 * A threshold the user gave must leave room in the ring, or it is never reached and the queue
 * stops.  Others are halved until they do.
 */
static int
threshold(const char *option, int32_t want, uint16_t usual, uint16_t size, uint16_t *out,
	  struct err *err)
{
	if (want != NIC_DEFAULT) {
		if (want < 1 || want >= size)
			return err_set(err, -EINVAL, "%s %d is not within 1..%u, the ring less one",
				       option, want, size - 1);
		*out = (uint16_t)want;
		return 0;
	}
	while (usual != 0 && usual >= size)
		usual /= 2;
	*out = usual;
	return 0;
}

static int
thresholds(struct nic_setup *s, const struct nic_device *dev, const struct nic_config *cfg,
	   struct err *err)
{
	const struct nic_profile *p = dev->profile;
	const struct rte_eth_rxconf *rx = &dev->info.default_rxconf;
	const struct rte_eth_txconf *tx = &dev->info.default_txconf;
	int ret;

	ret = threshold("--rxfreet", cfg->rx_free, p->rx_free ? p->rx_free : rx->rx_free_thresh,
			s->rxd, &s->rx_free, err);
	if (ret == 0)
		ret = threshold("--txfreet", cfg->tx_free,
				p->tx_free ? p->tx_free : tx->tx_free_thresh, s->txd, &s->tx_free,
				err);
	if (ret == 0)
		ret = threshold("--txrst", cfg->tx_rs, p->tx_rs ? p->tx_rs : tx->tx_rs_thresh,
				s->txd, &s->tx_rs, err);
	if (ret == 0 && p->fit != NULL)
		p->fit(s, cfg);
	return ret;
}

static int
buffers(struct nic_setup *s, const struct nic_device *dev, const struct nic_config *cfg,
	struct err *err)
{
	uint32_t least = RTE_MAX(dev->info.min_rx_bufsize, RTE_ETHER_MIN_LEN);
	int ret;

	s->mtu = cfg->mtu != 0 ? cfg->mtu : dev->caps.mtu;
	ret = number("MTU", s->mtu, nic_least_mtu(&dev->info), dev->caps.max_mtu, err);
	if (ret != 0)
		return ret;
	if (cfg->mbuf_size < RTE_PKTMBUF_HEADROOM + least)
		return err_set(err, -EINVAL,
			       "--mbuf-size %u is below this NIC's %u (%u and the headroom)",
			       cfg->mbuf_size, RTE_PKTMBUF_HEADROOM + least, least);
	s->room = (cfg->mbuf_size - RTE_PKTMBUF_HEADROOM) / dev->profile->room_align *
		  dev->profile->room_align;
	s->spans = nic_frame_bytes(s->mtu) > s->room;
	return 0;
}

static void
ask(struct nic_setup *s, uint64_t *offloads, uint64_t bit, uint64_t capa, enum nic_missing what)
{
	if (capa & bit)
		*offloads |= bit;
	else
		s->missing |= 1u << what;
}

static void
rx_offloads(struct nic_setup *s, const struct nic_device *dev)
{
	uint64_t capa = dev->info.rx_offload_capa, wanted = dev->profile->rx_wanted;
	uint64_t ports = dev->profile->rss_hf & ~RTE_ETH_RSS_IPV4;

	if (s->nb_rxq == 0)
		return;
	if (wanted & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM &&
	    !nic_profile_has(dev->profile->emulated, s->driver))
		ask(s, &s->rx_offloads, RTE_ETH_RX_OFFLOAD_IPV4_CKSUM, capa, NIC_NO_RX_CKSUM);
	if (s->spans)
		ask(s, &s->rx_offloads, RTE_ETH_RX_OFFLOAD_SCATTER, capa, NIC_NO_SCATTER);
	if (s->nb_rxq == 1)
		return;
	s->rss_hf = dev->profile->rss_hf & dev->info.flow_type_rss_offloads;
	if (s->rss_hf == 0) {
		s->missing |= 1u << NIC_NO_RSS;
		return; /* ethdev refuses the hash without RSS */
	}
	if ((s->rss_hf & ports) != ports)
		s->missing |= 1u << NIC_NO_RSS_PORTS;
	if (wanted & RTE_ETH_RX_OFFLOAD_RSS_HASH)
		ask(s, &s->rx_offloads, RTE_ETH_RX_OFFLOAD_RSS_HASH, capa, NIC_NO_RSS_HASH);
}

static void
tx_offloads(struct nic_setup *s, const struct nic_device *dev, const struct nic_config *cfg)
{
	uint64_t capa = dev->info.tx_offload_capa, wanted = dev->profile->tx_wanted;

	if (s->spans)
		ask(s, &s->tx_offloads, RTE_ETH_TX_OFFLOAD_MULTI_SEGS, capa, NIC_NO_MULTI_SEGS);
	if (!cfg->fast_free)
		return;
	/* A frame in several buffers breaks the promise that fast free rests on. */
	if (s->spans)
		capa = 0;
	ask(s, &s->tx_offloads, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE, capa & wanted, NIC_NO_FAST_FREE);
}

int
nic_setup_make(struct nic_setup *setup, const struct nic_device *dev, const struct nic_config *cfg,
	       struct err *err)
{
	struct nic_setup s = {
		.driver = dev->caps.driver,
		.nb_rxq = cfg->nb_rxq,
		.nb_txq = cfg->nb_txq,
		.rxd = cfg->rxd,
		.txd = cfg->txd,
		.drop_en = dev->profile->drop_en && cfg->nb_rxq > 1,
		.simd_bits = dev->simd_bits,
	};
	int ret;

	if (s.nb_rxq == 0 && s.nb_txq == 0)
		return err_set(err, -EINVAL, "neither RX nor TX queues");
	ret = number("number of RX queues", s.nb_rxq, 0, dev->caps.max_rxq, err);
	if (ret == 0)
		ret = number("number of TX queues", s.nb_txq, 0, dev->caps.max_txq, err);
	if (ret == 0)
		ret = ring("--rxd", s.rxd, &dev->info.rx_desc_lim, err);
	if (ret == 0)
		ret = ring("--txd", s.txd, &dev->info.tx_desc_lim, err);
	if (ret == 0)
		ret = thresholds(&s, dev, cfg, err);
	if (ret == 0)
		ret = buffers(&s, dev, cfg, err);
	if (ret == 0 && dev->profile->check != NULL)
		ret = dev->profile->check(&s, err);
	if (ret != 0)
		return ret;
	rx_offloads(&s, dev);
	tx_offloads(&s, dev, cfg);
	if (dev->devargs != NULL)
		snprintf(s.devargs, sizeof(s.devargs), "%s", dev->devargs);
	*setup = s;
	return 0;
}

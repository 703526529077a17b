/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/profile.h"

/*
 * NVIDIA ConnectX-4 and later.  ethdev shows the name of the bus driver that found the device, so
 * there is one per bus.  NOTES.md has where the numbers come from.
 */
#define TX_COMP_THRESH 32 /* the PMD asks for a completion every so many descriptors */
#define SIMD_MIN       128

static bool
spans(const struct nic_setup *s)
{
	return s->spans;
}

static bool
narrow_simd(const struct nic_setup *s)
{
	return s->simd_bits < SIMD_MIN;
}

static bool
rx_vectors_off(const struct nic_setup *s)
{
	return nic_profile_off(s, "rx_vec_en");
}

static bool
tx_bundles_off(const struct nic_setup *s)
{
	return nic_profile_off(s, "txq_mpw_en");
}

static const struct nic_rule rx_rules[] = {
	{ "the device argument rx_vec_en=0", rx_vectors_off },
	{ "a frame may be longer than a buffer (raise --mbuf-size or lower the MTU)", spans },
	{ "vectors are narrower than 128 bits (--force-max-simd-bitwidth)", narrow_simd },
	{ NULL, NULL },
};

static const struct nic_rule tx_rules[] = {
	{ "the device argument txq_mpw_en=0", tx_bundles_off },
	{ "frames may span buffers (raise --mbuf-size or lower the MTU)", spans },
	{ NULL, NULL },
};

/* The PMD would round up with a warning, and the pool would be too small. */
static int
check(const struct nic_setup *s, struct err *err)
{
	if (!rte_is_power_of_2(s->rxd))
		return err_set(err, -EINVAL, "--rxd %u is not a power of two, as mlx5 rings are",
			       s->rxd);
	if (!rte_is_power_of_2(s->txd))
		return err_set(err, -EINVAL, "--txd %u is not a power of two, as mlx5 rings are",
			       s->txd);
	if (s->txd <= TX_COMP_THRESH)
		return err_set(err, -EINVAL, "--txd %u is below this NIC's %u", s->txd,
			       2 * TX_COMP_THRESH);
	return 0;
}

static const struct nic_hint hints[] = {
	{ "rx_out_of_buffer",
	  "no free RX descriptor: the worker is too slow, or an interrupt holds "
	  "its core; raise --rxd or spread with more queues" },
	{ "rx_missed_errors",
	  "no free RX descriptor (out_of_buffer): the worker is too slow, or an "
	  "interrupt holds its core" },
	{ "rx_phy_discard_packets", "the NIC's own buffer was full: PCIe or memory is too slow "
				    "(rxq_cqe_comp_en, mprq_en), not the worker" },
	{ "rx_discards_phy", "the NIC's own buffer was full: PCIe or memory is too slow" },
	{ "rx_prio*_discard_packets", "the NIC's own buffer of this priority was full" },
	{ "tx_phy_discard_packets", "the link was down or paused by the peer" },
	{ "rx_phy_crc_errors", "damaged on the wire: cable, optics, connector" },
	{ "rx_phy_symbol_errors", "damaged on the wire: cable, optics, connector" },
	{ "rx_phy_in_range_len_errors", "the 802.3 length field and the frame disagree" },
	{ "rx_wqe_errors", "a receive descriptor was refused: frame longer than its buffers" },
	{ "tx_phy_errors", "damaged while being sent: cable, optics, connector" },
	{ NULL, NULL },
};

static const char *const drivers[] = { "mlx5_pci", "mlx5_auxiliary", "net_mlx5", NULL };

const struct nic_profile nic_profile_mlx5 = {
	.family = "mlx5",
	.drivers = drivers,
	.rxd = 2048, /* 14 us at 100 Gb/s and 64 bytes */
	.txd = 1024,
	.burst = 64,
	.mbcache = 256,
	.rx_quantum = 4,
	.max_rxq = NIC_QUEUES_MAX,
	.max_txq = NIC_QUEUES_MAX,
	.room_align = 1,
	.rx_wanted = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_RSS_HASH,
	.tx_wanted = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE,
	.rss_hf = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_NONFRAG_IPV4_UDP,
	.rx_fast = "Vector",
	.rx_slow = NULL,
	.tx_fast = "Enhanced MPW",
	.tx_slow = "MULTI",
	.rx_rules = rx_rules,
	.tx_rules = tx_rules,
	.unsaid = "the driver does not say why (--log-level=pmd.net.mlx5:debug tells)",
	.ignored =
		"mlx5 refills and completes by itself; --rxfreet, --txfreet and --txrst do nothing",
	.hints = hints,
	.rx_may_die = true, /* see "Completions with error" in NOTES.md */
	.check = check,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/profile.h"

#include <stdlib.h>
#include <string.h>

#include <rte_dev_info.h>

/*
 * Intel 82599, X540, X550 and their virtual functions, PMD "net_ixgbe".  NOTES.md has where the
 * numbers come from.
 */
#define RX_BULK    32 /* least rx_free_thresh for bulk refill */
#define TX_RS_MIN  32 /* of the vector path; the PMD takes no more than 32 at all */
#define TX_RS_MAX  32
#define TX_VEC_MAX 64 /* above it the vector path cannot free in one go */
#define SIMD_MIN   128

static bool
is_vf(const struct nic_setup *s)
{
	return strcmp(s->driver, "net_ixgbe_vf") == 0;
}

static bool
narrow_simd(const struct nic_setup *s)
{
	return s->simd_bits < SIMD_MIN;
}

static bool
rx_ring_odd(const struct nic_setup *s)
{
	return !rte_is_power_of_2(s->rxd);
}

static bool
rx_free_small(const struct nic_setup *s)
{
	return s->rx_free < RX_BULK;
}

static bool
rx_free_uneven(const struct nic_setup *s)
{
	return s->rx_free == 0 || s->rx_free >= s->rxd || s->rxd % s->rx_free != 0;
}

static bool
tx_offloads(const struct nic_setup *s)
{
	return s->tx_offloads != 0;
}

/* A ring that a --txrst of 32 does not fit: fit() went below it. */
static bool
tx_ring_odd(const struct nic_setup *s)
{
	return s->tx_rs < TX_RS_MIN && (s->txd < 2 * TX_RS_MIN || s->txd % TX_RS_MIN != 0);
}

static bool
tx_rs_outside(const struct nic_setup *s)
{
	return s->tx_rs < TX_RS_MIN || s->tx_rs > TX_VEC_MAX;
}

static const struct nic_rule rx_rules[] = {
	{ "--rxd is not a power of two", rx_ring_odd },
	{ "--rxfreet is below 32", rx_free_small },
	{ "--rxfreet does not divide --rxd", rx_free_uneven },
	{ "vectors are narrower than 128 bits (--force-max-simd-bitwidth)", narrow_simd },
	{ NULL, NULL },
};

static const struct nic_rule tx_rules[] = {
	{ "a transmit offload is on: frames span buffers (raise --mbuf-size or lower the MTU)",
	  tx_offloads },
	{ "--txd is below 64 or not a multiple of 32", tx_ring_odd },
	{ "--txrst is outside 32..64", tx_rs_outside },
	{ "vectors are narrower than 128 bits (--force-max-simd-bitwidth)", narrow_simd },
	{ NULL, NULL },
};

/*
 * ixgbe_set_rx_function(): with vectors, with descriptors refilled in bulk, or one by one; for frames
 * in several buffers ("scattered") each has a function of its own.
 */
static const char *
rx_function(const struct nic_setup *s)
{
	if (nic_profile_broken(rx_rules, s) == NULL)
		return s->spans ? "vector scattered" : "vector";
	if (!rx_free_small(s) && !rx_free_uneven(s))
		return s->spans ? "scalar bulk scattered" : "scalar bulk";
	return s->spans ? "scalar scattered" : "scalar";
}

/* ixgbe_set_tx_function() */
static const char *
tx_function(const struct nic_setup *s)
{
	if (nic_profile_broken(tx_rules, s) == NULL)
		return "vector";
	return !tx_offloads(s) && s->tx_rs >= TX_RS_MIN ? "scalar simple" : "scalar full-featured";
}

/* check() has the conditions; a threshold that was given stays, the open one gives way. */
static void
fit(struct nic_setup *s, const struct nic_config *cfg)
{
	if (cfg->tx_rs == NIC_DEFAULT)
		while (s->tx_rs > 1 && (s->tx_rs > s->tx_free || s->txd % s->tx_rs != 0 ||
					s->tx_rs + s->tx_free > s->txd))
			s->tx_rs /= 2;
	else if (cfg->tx_free == NIC_DEFAULT)
		s->tx_free = RTE_MAX(s->tx_rs, RTE_MIN(s->tx_free, s->txd - s->tx_rs));
}

/* What ixgbe_dev_tx_queue_setup() and ixgbevf_dev_rx_init() refuse, the latter only at start. */
static int
check(const struct nic_setup *s, struct err *err)
{
	if (s->tx_rs > TX_RS_MAX)
		return err_set(err, -EINVAL, "--txrst %u is above this NIC's %u", s->tx_rs,
			       TX_RS_MAX);
	if (s->tx_rs > s->tx_free)
		return err_set(err, -EINVAL,
			       "--txrst %u is above --txfreet %u, which this NIC refuses", s->tx_rs,
			       s->tx_free);
	if (s->txd % s->tx_rs != 0)
		return err_set(err, -EINVAL, "--txrst %u does not divide --txd %u", s->tx_rs,
			       s->txd);
	if (s->tx_free + 3 >= s->txd)
		return err_set(err, -EINVAL, "--txfreet %u is above this NIC's %u (--txd less 4)",
			       s->tx_free, s->txd - 4);
	if (s->tx_rs + s->tx_free > s->txd)
		return err_set(err, -EINVAL,
			       "--txrst %u and --txfreet %u together are above --txd %u", s->tx_rs,
			       s->tx_free, s->txd);
	if (is_vf(s) && !rte_is_power_of_2(s->nb_rxq))
		return err_set(err, -EINVAL, "%u RX queues: a virtual function takes 1, 2, 4 or 8",
			       s->nb_rxq);
	return 0;
}

/*
 * A PCIe device that is gone reads as all ones, CTRL and STATUS first in the dump.  The dump reads
 * EICR too, which clears it, so it is no thing to do at every look.
 */
static bool
gone(uint16_t port)
{
	struct rte_dev_reg_info regs = { 0 };
	bool ones = false;

	if (rte_eth_dev_get_reg_info(port, &regs) != 0 || regs.length < 2 ||
	    regs.width != sizeof(uint32_t))
		return false;
	regs.data = calloc(regs.length, regs.width);
	if (regs.data != NULL && rte_eth_dev_get_reg_info(port, &regs) == 0) {
		const uint32_t *value = regs.data;

		ones = value[0] == UINT32_MAX && value[1] == UINT32_MAX;
	}
	free(regs.data);
	return ones;
}

static const struct nic_hint hints[] = {
	{ "rx_priority*_mbuf_allocation_errors",
	  "no descriptor with a buffer was left: raise --rxd" },
	{ "rx_priority*_dropped", "the packet buffer inside the NIC was full: the workers together "
				  "are too slow, or one full queue blocks the port (drop_en)" },
	{ "rx_q*_errors",
	  "dropped at a full RX ring (drop_en), the other rings went on; counted in "
	  "RX-missed" },
	{ "rx_total_missed_packets", "the packet buffer inside the NIC was full" },
	{ "rx_missed_errors",
	  "the packet buffer inside the NIC was full: the worker is too slow or "
	  "an interrupt holds its core" },
	{ "rx_crc_errors", "damaged on the wire: cable, optics, connector" },
	{ "rx_illegal_byte_errors", "damaged on the wire: cable, optics, connector" },
	{ "rx_error_bytes", "damaged on the wire: cable, optics, connector" },
	{ "mac_local_errors", "this side sees a link fault: optics or cable" },
	{ "mac_remote_errors", "the other side reports a link fault" },
	{ "rx_length_errors", "the 802.3 length field and the frame disagree" },
	{ "rx_undersize_errors", "frames below 64 bytes" },
	{ "rx_fragment_errors", "frames below 64 bytes and damaged" },
	{ "rx_oversize_errors", "frames above the MTU: port config mtu" },
	{ "rx_jabber_errors", "frames above the MTU and damaged" },
	{ "rx_mac_short_packet_dropped", "frames below 64 bytes" },
	{ "rx_l3_l4_xsum_error", "wrong IP, TCP or UDP checksum; an 82599 also counts UDP frames "
				 "that carry none" },
	{ "rx_*xoff_packets", "the peer asked for a pause (flow control): it is the bottleneck" },
	{ "tx_*xoff_packets", "this NIC asked the peer to pause: the workers are too slow" },
	{ NULL, NULL },
};

static const char *const drivers[] = { "net_ixgbe", "net_ixgbe_vf", NULL };

const struct nic_profile nic_profile_ixgbe = {
	.family = "ixgbe",
	.drivers = drivers,
	.rxd = 1024,
	.txd = 512,
	.burst = 32,
	.mbcache = 256,
	.rx_quantum = 4,
	.rx_free = 32,
	.tx_free = 32,
	.tx_rs = 32,
	.max_rxq = 16, /* what an RSS entry of an 82599 can name */
	.max_txq = 64,
	.room_align = 1024, /* SRRCTL.BSIZEPACKET counts kilobytes */
	.drop_en = true,
	.rx_wanted = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_RSS_HASH,
	.tx_wanted = 0, /* any of them costs the vector path */
	.rss_hf = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_NONFRAG_IPV4_UDP,
	.rx_fast = "Vector",
	.tx_fast = "Vector",
	.rx_by_setup = rx_function,
	.tx_by_setup = tx_function,
	.rx_rules = rx_rules,
	.tx_rules = tx_rules,
	.unsaid = "the driver does not say why (--log-level pmd.net.ixgbe.init:debug tells)",
	.hints = hints,
	.missed_xstat = "rx_q%u_errors",
	.gone = gone,
	.fit = fit,
	.check = check,
};

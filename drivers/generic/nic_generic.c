/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/profile.h"

/*
 * Every other device, software ones included.  Thresholds are the driver's own; of its fast path
 * nothing is claimed.  NOTES.md has what is known of the software devices.
 */

/*
 * A queue of a TAP is one file descriptor for both directions, one of net_ring is one ring: what
 * was sent into it stays there unless the receive queue of its number is polled.
 */
static const char *const paired[] = { "net_tap", "net_ring", NULL };

/* Of these, those that do not start with other numbers. */
static const char *const strict[] = { "net_tap", NULL };

/* Asked for it, it sums the TCP and UDP payload of every packet too; sluice sums the header. */
static const char *const emulated[] = { "net_tap", NULL };

static int
check(const struct nic_setup *s, struct err *err)
{
	if (nic_profile_has(strict, s->driver) && s->nb_rxq != s->nb_txq)
		return err_set(err, -EINVAL,
			       "%u RX and %u TX queues: %s needs as many of one as of the other "
			       "(give each lcore a queue of it in --config)",
			       s->nb_rxq, s->nb_txq, s->driver);
	return 0;
}

static const char *const drivers[] = { NULL };

const struct nic_profile nic_profile_generic = {
	.family = "generic",
	.drivers = drivers,
	.paired = paired,
	.emulated = emulated,
	.rxd = 1024,
	.txd = 1024,
	.burst = 32,
	.mbcache = 256,
	.rx_quantum = 1,
	.max_rxq = NIC_QUEUES_MAX,
	.max_txq = NIC_QUEUES_MAX,
	.room_align = 1,
	.rx_wanted = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_RSS_HASH,
	.tx_wanted = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE,
	.rss_hf = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_NONFRAG_IPV4_UDP,
	.check = check,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NIC_PRIV_H
#define NIC_PRIV_H

#include "base/clock.h"
#include "drivers/nic.h"
#include "drivers/profile.h"

#include <assert.h>

/*
 * Shared by nic*.c only.  Control thread, but for the one flag that says otherwise.
 */
struct nic_device { /* a port, asked afresh */
	const struct nic_profile *profile;
	struct nic_caps caps;
	struct rte_eth_dev_info info;
	uint16_t simd_bits;  /* as nic_setup has it */
	const char *devargs; /* the device's, or NULL */
};
int nic_probe(uint16_t port, struct nic_device *dev, struct err *err);

/* The same PCI address, with or without its domain, in either case of letters. */
bool nic_same_pci(const char *text, const char *name);

/* What a family wants and a device may lack. */
enum nic_missing {
	NIC_NO_RX_CKSUM,
	NIC_NO_RSS,
	NIC_NO_RSS_PORTS,
	NIC_NO_RSS_HASH,
	NIC_NO_SCATTER,
	NIC_NO_MULTI_SEGS,
	NIC_NO_FAST_FREE,
	NIC_MISSING_MAX,
};
const char *nic_missing_text(enum nic_missing what);

/* Decide every value, or say which one the NIC does not take.  Pure: no port is touched. */
int nic_setup_make(struct nic_setup *setup, const struct nic_device *dev,
		   const struct nic_config *cfg, struct err *err);

/* The same, from what the PMD said of its functions; NULL where it said nothing. */
void nic_modes_judge(struct nic_modes *modes, const struct nic_profile *profile,
		     const struct nic_setup *setup, const char *rx, const char *tx);

/* Bytes of a frame of this MTU: Ethernet, CRC and two VLAN tags, as ixgbe reckons. */
static inline uint32_t
nic_frame_bytes(uint16_t mtu)
{
	return (uint32_t)mtu + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN + 2 * RTE_VLAN_HLEN;
}

/* PMDs also return a bare -1, which is no errno and must not read "Operation not permitted". */
int nic_errno(int ret);
const char *nic_reason(int ret);

/* Every module must take 68 bytes whole (RFC 791 section 3.2), whatever the device allows. */
static inline uint16_t
nic_least_mtu(const struct rte_eth_dev_info *info)
{
	return RTE_MAX(info->min_mtu, RTE_ETHER_MIN_MTU);
}

/* rte_eth_stats as the counters it consists of: releases differ in how many. */
#define NIC_COUNTERS (sizeof(struct rte_eth_stats) / sizeof(uint64_t))
union nic_counters {
	struct rte_eth_stats stats;
	uint64_t each[NIC_COUNTERS];
};
static_assert(sizeof(struct rte_eth_stats) % sizeof(uint64_t) == 0, "counters are 64 bits");

#define NIC_EXTRA_MAX  16
#define NIC_DEAD_LOOKS 2 /* a second apart, without a packet, until a queue that failed is dead */

struct nic_rxq_health {
	uint64_t packets, errors; /* as of the last look */
	bool failed;              /* an error, and no packet since */
	uint8_t quiet;            /* looks of that */
};

struct nic_state {
	struct nic_setup setup;
	struct nic_config cfg;             /* what setup was made from */
	const struct nic_profile *profile; /* NULL: not configured */
	char driver[NIC_NAME_MAX];         /* setup.driver points here */
	bool started, lsc, watched;
	uint32_t told; /* bits of enum nic_missing that were logged */

	bool removed, removal_watched;
	uint32_t removal_event; /* set by EAL's interrupt thread */
	struct nic_rxq_health rxq[RTE_ETHDEV_QUEUE_STAT_CNTRS];
	uint64_t rx_nombuf;

	struct nic_link link;
	bool link_known;
	uint64_t link_due_us;
	uint32_t link_event; /* set by EAL's interrupt thread */

	union nic_counters total, last;
	uint64_t stats_due_us;
	uint64_t extra_id[NIC_EXTRA_MAX];
	uint16_t nb_extra;
};

/* Where a device is slow to answer, the control thread keeps ten times as long for others. */
static inline uint64_t
nic_poll_due(uint64_t now_us, uint64_t every_us, uint64_t start_us)
{
	return now_us + RTE_MAX(every_us, 10 * (clock_us() - start_us));
}

struct nic_state *nic_state(uint16_t port); /* of any port below RTE_MAX_ETHPORTS */

void nic_link_watch(uint16_t port);     /* after configure */
void nic_link_unwatch(uint16_t port);   /* before close */
void nic_health_watch(uint16_t port);   /* after configure */
void nic_health_unwatch(uint16_t port); /* before close */
void nic_health_begin(uint16_t port);   /* before start: what was is no matter */
void nic_health_poll(uint16_t port);
/* A look: has a queue received nothing more since it counted an error? */
bool nic_health_dead(struct nic_rxq_health *q, uint64_t packets, uint64_t errors);
/* False: these counters are what a device that is gone reads as. */
bool nic_health_counters(uint16_t port, const union nic_counters *before,
			 const union nic_counters *now);
int nic_stats_read(uint16_t port); /* from the device into .total; 0 when it is gone */
/*
 * What a counter has gained.  One that went backwards was reset by someone, and has counted from 0
 * since, unless the step is so small that the driver corrects itself.
 */
uint64_t nic_stats_step(uint64_t *last, uint64_t now);
void nic_stats_begin(uint16_t port); /* after configure: counts start at 0 */
void nic_stats_keep(uint16_t port);  /* before anything that resets the device's counters */
void nic_stats_again(uint16_t port); /* and after it: they start where they are */

#endif

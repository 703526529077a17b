/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/softnic.h"
#include "lab.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Which frames a port takes: its addresses, promiscuous and multicast modes, VLANs.  What is not
 * taken is in the NIC's count of filtered frames.
 */
/* In the order of lab_frames[]. */
#define OWN_FRAMES "1111111111"
struct want {
	const char *what;
	const char *take; /* 1: taken, 0: not, a letter: by that family only (i, m) */
};

static bool
is_taken(const struct lab *lab, char c)
{
	return c == '1' || c == (lab->conf.mlx5 ? 'm' : 'i');
}

static void
check(struct lab *lab, const char *what, const char *take)
{
	struct lab_seen seen[64];
	struct softnic_stats before, after;
	unsigned int taken = 0;

	softnic_stats(0, &before);
	lab_send(lab, lab_frames, lab_nb_frames, seen);
	softnic_stats(0, &after);
	for (unsigned int i = 0; i < lab_nb_frames; i++) {
		unsigned int want = is_taken(lab, take[i]) ? 1 : 0;

		taken += want;
		if (seen[i].times != want)
			lab_fail(lab, "%s: %s came %u times, want %u", what, lab_frames[i].name,
				 seen[i].times, want);
	}
	if (after.rx_filtered - before.rx_filtered != lab_nb_frames - taken)
		lab_fail(lab, "%s: the NIC filtered %" PRIu64 " frames, want %u", what,
			 after.rx_filtered - before.rx_filtered, lab_nb_frames - taken);
}

static void
ok(struct lab *lab, int ret, const char *what)
{
	if (ret < 0)
		lab_fail(lab, "%s: %s", what, rte_strerror(-ret));
}

static void
addresses(struct lab *lab)
{
	struct rte_ether_addr other = { { 2, 0, 0, 0, 0, 9 } };

	ok(lab, rte_eth_promiscuous_disable(0), "promiscuous off");
	ok(lab, rte_eth_allmulticast_disable(0), "multicast off");
	/* the mlx5 PMD asks for all of IPv6 multicast, always */
	check(lab, "own address", OWN_FRAMES "010m");
	ok(lab, rte_eth_allmulticast_enable(0), "multicast on");
	check(lab, "all multicast", OWN_FRAMES "0111");
	ok(lab, rte_eth_promiscuous_enable(0), "promiscuous on");
	check(lab, "promiscuous", OWN_FRAMES "1111");
	ok(lab, rte_eth_allmulticast_disable(0), "multicast off");
	check(lab, "promiscuous, no multicast", OWN_FRAMES "1111");
	ok(lab, rte_eth_promiscuous_disable(0), "promiscuous off");
	check(lab, "own address again", OWN_FRAMES "010m");
	ok(lab, rte_eth_dev_mac_addr_add(0, &other, 0), "an address more");
	check(lab, "two addresses", OWN_FRAMES "110m");
	ok(lab, rte_eth_dev_mac_addr_remove(0, &other), "an address less");
	check(lab, "one address", OWN_FRAMES "010m");
}

/* The mlx5 PMD's rules for VLANs leave no way for frames without a tag; the 82599 takes those. */
static void
vlans(struct lab *lab)
{
	lab_stop();
	lab->eth.rxmode.offloads = RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
	lab_start(lab);
	ok(lab, rte_eth_dev_vlan_filter(0, 5, 1), "VLAN 5");
	check(lab, "VLAN 5", "iiiiii10ii0i00");
	ok(lab, rte_eth_dev_vlan_filter(0, 6, 1), "VLAN 6");
	check(lab, "VLANs 5 and 6", "iiiiii11ii0i00");
	ok(lab, rte_eth_dev_vlan_filter(0, 5, 0), "no VLAN 5");
	check(lab, "VLAN 6", "iiiiii01ii0i00");
	ok(lab, rte_eth_dev_vlan_filter(0, 6, 0), "no VLAN 6");
	/* no VLAN at all is another thing to the two of them */
	check(lab, "no VLAN", "111111mm11010m");
}

void
lab_filter(struct lab *lab)
{
	lab_start(lab);
	addresses(lab);
	vlans(lab);
}

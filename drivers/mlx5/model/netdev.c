/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/objects.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * The network interface that mlx5_core has for a card and that the PMD asks for the MAC address,
 * the MTU and the link, and hears of by netlink: a TAP device of this process, gone with it.  What
 * the kernel sends on it stays in its queue and is dropped there.
 */
#define TUN         "/dev/net/tun"
#define SPEED_MBPS  100000
#define MODES_WORDS 127 /* at most, of each of three masks */

struct link_settings {
	struct ethtool_link_settings head;
	uint32_t masks[3 * MODES_WORDS];
};

static int
tell_why(int code, const char *name, struct err *err)
{
	if (code == EPERM || code == EACCES)
		return err_set(err, -code,
			       "cx5: no right to create the interface %s: run as root, or in "
			       "namespaces of your own, \"unshare --map-current-user --net "
			       "--keep-caps PROGRAM\"",
			       name);
	if (code == ENOENT || code == ENODEV || code == ENXIO)
		return err_set(err, -code,
			       "cx5: there is no " TUN " to create the interface %s: "
			       "\"modprobe tun\", or give the container the device",
			       name);
	if (code == EBUSY || code == EEXIST)
		return err_set(err, -code,
			       "cx5: there is an interface %s already: another ifname=", name);
	return err_set(err, -code, "cx5: cannot create the interface %s: %s", name, strerror(code));
}

/* 100 Gbit/s of its own kinds, so that the PMD does not take it for a 10 Mbit/s TAP. */
static void
set_speed(int sock, struct ifreq *ifr)
{
	struct link_settings set = { .head = { .cmd = ETHTOOL_GLINKSETTINGS } };
	int8_t words;

	ifr->ifr_data = (void *)&set;
	/* Asked with no words, the kernel says how many there are, negated. */
	if (ioctl(sock, SIOCETHTOOL, ifr) != 0 || set.head.link_mode_masks_nwords >= 0)
		return;
	words = (int8_t)-set.head.link_mode_masks_nwords;
	memset(&set, 0, sizeof(set));
	set.head.cmd = ETHTOOL_SLINKSETTINGS;
	set.head.speed = SPEED_MBPS;
	set.head.duplex = DUPLEX_FULL;
	set.head.port = PORT_FIBRE;
	set.head.link_mode_masks_nwords = words;
	for (int bit = ETHTOOL_LINK_MODE_100000baseKR4_Full_BIT;
	     bit <= ETHTOOL_LINK_MODE_100000baseLR4_ER4_Full_BIT; bit++)
		set.masks[bit / 32] |= 1u << bit % 32; /* of the first mask: supported */
	ioctl(sock, SIOCETHTOOL, ifr); /* a kernel before 5.2 cannot: then it is 10 Mbit/s */
}

static int
set_up(struct cx5 *nic)
{
	struct ifreq ifr = { 0 };
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret = 0;

	if (sock < 0)
		return -errno;
	memcpy(ifr.ifr_name, nic->ifname, sizeof(nic->ifname));
	ifr.ifr_hwaddr.sa_family = ARPHRD_ETHER;
	memcpy(ifr.ifr_hwaddr.sa_data, nic->port->mac, sizeof(nic->port->mac));
	if (ioctl(sock, SIOCSIFHWADDR, &ifr) != 0)
		ret = -errno;
	else
		set_speed(sock, &ifr);
	close(sock);
	return ret;
}

int
cx5_netdev_open(struct cx5 *nic, const char *name, struct err *err)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int ret;

	nic->tap = open(TUN, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (nic->tap < 0)
		return tell_why(errno, name, err);
	memcpy(ifr.ifr_name, name, strnlen(name, sizeof(ifr.ifr_name) - 1));
	if (ioctl(nic->tap, TUNSETIFF, &ifr) != 0) {
		ret = tell_why(errno, name, err);
		goto err_close;
	}
	memcpy(nic->ifname, ifr.ifr_name, sizeof(nic->ifname));
	ret = set_up(nic);
	if (ret < 0) {
		tell_why(-ret, nic->ifname, err);
		goto err_close;
	}
	return 0;

err_close:
	close(nic->tap);
	nic->tap = -1;
	return ret;
}

void
cx5_netdev_close(struct cx5 *nic)
{
	if (nic->tap >= 0)
		close(nic->tap);
	nic->tap = -1;
}

int
cx5_netdev_carrier(struct cx5 *nic, bool on)
{
	int carrier = on;

	return ioctl(nic->tap, TUNSETCARRIER, &carrier) == 0 ? 0 : -errno;
}

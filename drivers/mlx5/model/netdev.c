/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/netdev.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * The network interface that mlx5_core has for a card and that the PMD asks for the MAC address,
 * the MTU, the link and statistics, and hears of by netlink.  It is one end of a veth pair; the
 * other is the light on the fibre, in a network namespace that a socket of this process holds: when
 * the process is gone, however, so is the namespace and with it the pair.
 */
#define FAR_NAME  "light"
#define NAMES_MAX 1000 /* tried for a name with %d */

struct far { /* what a thread brings back from the namespace it made */
	int sock, namespace, error;
};

static void *
make_far(void *arg)
{
	struct far *far = arg;

	if (unshare(CLONE_NEWNET) == 0) {
		far->sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		far->namespace = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	}
	if (far->sock < 0 || far->namespace < 0)
		far->error = errno;
	return NULL;
}

/* In a thread of its own: this one stays where it is, whatever happens. */
static int
far_open(struct far *far)
{
	pthread_t thread;
	int ret;

	*far = (struct far){ .sock = -1, .namespace = -1 };
	ret = pthread_create(&thread, NULL, make_far, far);
	if (ret != 0)
		return -ret;
	pthread_join(thread, NULL);
	return -far->error;
}

static int
tell_why(int ret, const char *name, struct err *err)
{
	switch (-ret) {
	case EPERM:
	case EACCES:
		return err_set(err, ret,
			       "cx5: no right to create the network interface %s: run as root, or "
			       "in namespaces of your own by \"unshare --map-current-user --net "
			       "--keep-caps PROGRAM\"",
			       name);
	case EEXIST:
		return err_set(
			err, ret,
			"cx5: there is a network interface %s already: give another ifname=", name);
	case EOPNOTSUPP:
		return err_set(err, ret,
			       "cx5: this kernel has no veth for the network interface %s: "
			       "\"modprobe veth\"",
			       name);
	default:
		return err_set(err, ret, "cx5: cannot create the network interface %s: %s", name,
			       strerror(-ret));
	}
}

/* A name as it is, or with %d for the first number that is free. */
static int
add_named(struct cx5 *nic, const char *name, const struct far *far)
{
	const char *mark = strstr(name, "%d");
	const struct netlink_veth veth = { .name = nic->ifname,
					   .far_name = FAR_NAME,
					   .mac = nic->port->mac,
					   .far_namespace = (uint32_t)far->namespace };
	int ret = -EEXIST;

	for (int i = 0; i < NAMES_MAX && ret == -EEXIST; i++) {
		if (mark == NULL)
			snprintf(nic->ifname, sizeof(nic->ifname), "%s", name);
		else
			snprintf(nic->ifname, sizeof(nic->ifname), "%.*s%d%s", (int)(mark - name),
				 name, i, mark + 2);
		ret = netlink_add_veth(&veth);
		if (mark == NULL)
			break;
	}
	return ret;
}

int
cx5_netdev_open(struct cx5 *nic, const char *name, struct err *err)
{
	struct far far;
	int ret = far_open(&far);

	if (ret == 0)
		ret = add_named(nic, name, &far);
	if (far.namespace >= 0)
		close(far.namespace);
	nic->far = far.sock;
	if (ret < 0) {
		tell_why(ret, name, err);
		nic->ifname[0] = '\0';
		cx5_netdev_close(nic);
		return ret;
	}
	return cx5_netdev_carrier(nic, true);
}

void
cx5_netdev_close(struct cx5 *nic)
{
	if (nic->ifname[0] != '\0')
		netlink_del(nic->ifname); /* at once, where the end of the process takes a moment */
	if (nic->far >= 0)
		close(nic->far);
	nic->far = -1;
}

int
cx5_netdev_carrier(struct cx5 *nic, bool on)
{
	struct ifreq ifr = { .ifr_name = FAR_NAME, .ifr_flags = (short)(on ? IFF_UP : 0) };

	return ioctl(nic->far, SIOCSIFFLAGS, &ifr) == 0 ? 0 : -errno;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_NETDEV_H
#define CX5_NETDEV_H

#include "drivers/mlx5/model/objects.h"

/*
 * netlink.c: the requests of rtnetlink that netdev.c needs.  0 or a negative errno: -EEXIST a
 * device of that name, -EPERM no right to it, -EOPNOTSUPP the kernel has no veth.
 */
struct netlink_veth {
	const char *name, *far_name;
	const uint8_t *mac;     /* of the near end */
	uint32_t far_namespace; /* fd */
};
int netlink_add_veth(const struct netlink_veth *veth);
int netlink_del(const char *name);

#endif

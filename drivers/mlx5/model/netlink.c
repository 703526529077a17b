/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/netdev.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGE_MAX 512

struct message {
	struct nlmsghdr head;
	struct ifinfomsg info;
	uint8_t attributes[MESSAGE_MAX];
};

/* Append an attribute; len bytes from data, or none with NULL.  All of ours fit. */
static struct rtattr *
put(struct message *m, uint16_t type, const void *data, uint16_t len)
{
	struct rtattr *attribute = (struct rtattr *)((uint8_t *)m + NLMSG_ALIGN(m->head.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (uint16_t)RTA_LENGTH(len);
	if (len > 0)
		memcpy(RTA_DATA(attribute), data, len);
	m->head.nlmsg_len = NLMSG_ALIGN(m->head.nlmsg_len) + (uint32_t)RTA_SPACE(len);
	return attribute;
}

/* What was put since belongs into it. */
static void
nest_end(struct message *m, struct rtattr *nest)
{
	nest->rta_len = (uint16_t)((uint8_t *)m + m->head.nlmsg_len - (uint8_t *)nest);
}

/* Send, and what the kernel says to it: 0 or a negative errno. */
static int
request(struct message *m)
{
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		uint8_t rest[MESSAGE_MAX];
	} answer;
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), ret = -EIO;

	if (sock < 0)
		return -errno;
	m->head.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	if (send(sock, m, m->head.nlmsg_len, 0) < 0 || recv(sock, &answer, sizeof(answer), 0) < 0)
		ret = -errno;
	else if (answer.head.nlmsg_type == NLMSG_ERROR)
		ret = answer.error.error;
	close(sock);
	return ret;
}

int
netlink_add_veth(const struct netlink_veth *veth)
{
	const struct ifinfomsg far = { .ifi_family = AF_UNSPEC };
	struct message m = { .head = { .nlmsg_len = NLMSG_LENGTH(sizeof(m.info)),
				       .nlmsg_type = RTM_NEWLINK,
				       .nlmsg_flags = NLM_F_CREATE | NLM_F_EXCL } };
	struct rtattr *link, *data, *peer;

	put(&m, IFLA_IFNAME, veth->name, (uint16_t)(strlen(veth->name) + 1));
	put(&m, IFLA_ADDRESS, veth->mac, 6);
	link = put(&m, IFLA_LINKINFO, NULL, 0);
	put(&m, IFLA_INFO_KIND, "veth", sizeof("veth"));
	data = put(&m, IFLA_INFO_DATA, NULL, 0);
	peer = put(&m, VETH_INFO_PEER, &far, sizeof(far));
	put(&m, IFLA_IFNAME, veth->far_name, (uint16_t)(strlen(veth->far_name) + 1));
	put(&m, IFLA_NET_NS_FD, &veth->far_namespace, sizeof(veth->far_namespace));
	nest_end(&m, peer);
	nest_end(&m, data);
	nest_end(&m, link);
	return request(&m);
}

int
netlink_del(const char *name)
{
	struct message m = { .head = { .nlmsg_len = NLMSG_LENGTH(sizeof(m.info)),
				       .nlmsg_type = RTM_DELLINK } };

	put(&m, IFLA_IFNAME, name, (uint16_t)(strlen(name) + 1));
	return request(&m);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab.h"

#include <string.h>

#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_thash.h>
#include <rte_udp.h>

#define V4(a, b, c, d)                                                                             \
	{                                                                                          \
		a, b, c, d                                                                         \
	}
#define V6(last)                                                                                   \
	{                                                                                          \
		0x20, 0x01, 0x0d, 0xb8, [15] = last                                                \
	}
#define MAC(...)                                                                                   \
	{                                                                                          \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

/* The tests name them by their place: keep the order. */
struct lab_frame lab_frames[] = {
	{ "DNS", .version = 4, .protocol = 17, .from = V4(10, 0, 0, 1), .to = V4(198, 18, 0, 5),
	  .sport = 1000, .dport = 53 },
	{ "UDP", .version = 4, .protocol = 17, .from = V4(10, 0, 0, 1), .to = V4(198, 18, 0, 6),
	  .sport = 1001, .dport = 4000 },
	{ "HTTP", .version = 4, .protocol = 6, .from = V4(10, 0, 1, 1), .to = V4(198, 18, 0, 5),
	  .sport = 2000, .dport = 80 },
	{ "HTTPS", .version = 4, .protocol = 6, .from = V4(10, 0, 1, 2), .to = V4(198, 18, 1, 7),
	  .sport = 2001, .dport = 443 },
	{ "ICMP", .version = 4, .protocol = 1, .from = V4(10, 0, 0, 1), .to = V4(198, 18, 0, 5) },
	{ "fragment", .version = 4, .protocol = 17, .fragment = true, .from = V4(10, 0, 0, 1),
	  .to = V4(198, 18, 0, 5), .sport = 1000, .dport = 53 },
	{ "VLAN 5", .vlan = 5, .version = 4, .protocol = 17, .from = V4(10, 0, 0, 1),
	  .to = V4(198, 18, 0, 5), .sport = 1000, .dport = 53 },
	{ "VLAN 6", .vlan = 6, .version = 4, .protocol = 6, .from = V4(10, 0, 0, 1),
	  .to = V4(198, 18, 0, 6), .sport = 1000, .dport = 80 },
	{ "UDP6", .version = 6, .protocol = 17, .from = V6(1), .to = V6(5), .sport = 1000,
	  .dport = 53 },
	{ "TCP6", .version = 6, .protocol = 6, .from = V6(2), .to = V6(6), .sport = 2000,
	  .dport = 80 },
	{ "another MAC", .dst = MAC(2, 0, 0, 0, 0, 9), .version = 4, .protocol = 17,
	  .from = V4(10, 0, 0, 1), .to = V4(198, 18, 0, 5), .sport = 1000, .dport = 53 },
	{ "ARP", .dst = MAC(255, 255, 255, 255, 255, 255) },
	{ "multicast", .dst = MAC(1, 0, 0x5e, 0, 0, 5), .version = 4, .protocol = 17,
	  .from = V4(10, 0, 0, 1), .to = V4(224, 0, 0, 5), .sport = 1000, .dport = 53 },
	{ "multicast6", .dst = MAC(0x33, 0x33, 0, 0, 0, 1), .version = 6, .protocol = 58,
	  .from = V6(1), .to = V6(7) },
};
const unsigned int lab_nb_frames = RTE_DIM(lab_frames);

static uint32_t
l4_len(const struct lab_frame *frame, const uint8_t *l4)
{
	return LAB_LEN - (uint32_t)(l4 - frame->bytes);
}

static void
build_l4(struct lab_frame *frame, uint8_t *l4)
{
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)l4;
	struct rte_tcp_hdr *tcp = (struct rte_tcp_hdr *)l4;

	/* both begin with the ports */
	udp->src_port = rte_cpu_to_be_16(frame->sport);
	udp->dst_port = rte_cpu_to_be_16(frame->dport);
	if (frame->protocol == IPPROTO_UDP)
		udp->dgram_len = rte_cpu_to_be_16((uint16_t)l4_len(frame, l4));
	else if (frame->protocol == IPPROTO_TCP)
		tcp->data_off = 5 << 4;
}

static uint8_t *
build_ip(struct lab_frame *frame, uint8_t *at)
{
	struct rte_ipv4_hdr *ip4 = (struct rte_ipv4_hdr *)at;
	struct rte_ipv6_hdr *ip6 = (struct rte_ipv6_hdr *)at;

	if (frame->version == 4) {
		ip4->version_ihl = 0x45;
		ip4->total_length = rte_cpu_to_be_16((uint16_t)l4_len(frame, at));
		ip4->fragment_offset = frame->fragment ? RTE_BE16(RTE_IPV4_HDR_MF_FLAG) : 0;
		ip4->time_to_live = 64;
		ip4->next_proto_id = frame->protocol;
		memcpy(&ip4->src_addr, frame->from, 4);
		memcpy(&ip4->dst_addr, frame->to, 4);
		ip4->hdr_checksum = rte_ipv4_cksum(ip4);
		return at + sizeof(*ip4);
	}
	ip6->vtc_flow = RTE_BE32(0x60000000);
	ip6->payload_len = rte_cpu_to_be_16((uint16_t)(l4_len(frame, at) - sizeof(*ip6)));
	ip6->proto = frame->protocol;
	ip6->hop_limits = 64;
	memcpy(ip6->src_addr, frame->from, 16);
	memcpy(ip6->dst_addr, frame->to, 16);
	return at + sizeof(*ip6);
}

static void
build_sum(const struct lab_frame *frame, const uint8_t *ip, uint8_t *l4)
{
	uint16_t sum;

	if (frame->fragment || (frame->protocol != IPPROTO_UDP && frame->protocol != IPPROTO_TCP))
		return;
	sum = frame->version == 4 ? rte_ipv4_udptcp_cksum((const struct rte_ipv4_hdr *)ip, l4)
				  : rte_ipv6_udptcp_cksum((const struct rte_ipv6_hdr *)ip, l4);
	if (frame->protocol == IPPROTO_UDP)
		((struct rte_udp_hdr *)l4)->dgram_cksum = sum;
	else
		((struct rte_tcp_hdr *)l4)->cksum = sum;
}

void
lab_build(const struct lab *lab, struct lab_frame *frame)
{
	static const uint16_t types[] = { [0] = 0x0806, [4] = 0x0800, [6] = 0x86dd };
	uint32_t number = (uint32_t)(frame - lab_frames);
	uint8_t *at = frame->bytes, *l4;

	memset(at, 0, LAB_LEN);
	memcpy(at + LAB_LEN - sizeof(number), &number, sizeof(number));
	if (rte_is_zero_ether_addr(&frame->dst))
		memcpy(at, &lab->mac, 6);
	else
		memcpy(at, &frame->dst, 6);
	memcpy(at + 6, "\x02\x77\0\0\0\1", 6);
	at += 12;
	if (frame->vlan != 0) {
		at[0] = 0x81;
		at[3] = (uint8_t)frame->vlan;
		at += 4;
	}
	at[0] = (uint8_t)(types[frame->version] >> 8);
	at[1] = (uint8_t)types[frame->version];
	at += 2;
	if (frame->version == 0)
		return;
	l4 = build_ip(frame, at);
	build_l4(frame, l4);
	build_sum(frame, at, l4);
}

/* The functions among rss_hf that are for the frame's kind of IP: addresses, UDP, TCP. */
struct kinds {
	bool addresses, udp, tcp;
};

static struct kinds
kinds_of(uint8_t version, uint64_t rss_hf)
{
	if (version == 4)
		return (struct kinds){ (rss_hf & RTE_ETH_RSS_IPV4) != 0,
				       (rss_hf & RTE_ETH_RSS_NONFRAG_IPV4_UDP) != 0,
				       (rss_hf & RTE_ETH_RSS_NONFRAG_IPV4_TCP) != 0 };
	return (struct kinds){ (rss_hf & RTE_ETH_RSS_IPV6) != 0,
			       (rss_hf & RTE_ETH_RSS_NONFRAG_IPV6_UDP) != 0,
			       (rss_hf & RTE_ETH_RSS_NONFRAG_IPV6_TCP) != 0 };
}

bool
lab_softrss(const struct lab *lab, const struct lab_frame *frame, uint64_t rss_hf,
	    const uint8_t key[40], uint32_t *hash)
{
	struct kinds kinds = kinds_of(frame->version, rss_hf);
	bool l4 = (frame->protocol == IPPROTO_UDP && kinds.udp) ||
		  (frame->protocol == IPPROTO_TCP && kinds.tcp);
	unsigned int len = frame->version == 4 ? 1 : 4, n = 0;
	uint32_t input[9], word;

	/* The mlx5 PMD's rule for UDP takes fragments, too, whose hash is of what they have. */
	if (frame->version == 0 ||
	    !(kinds.addresses || (l4 && (!frame->fragment || lab->conf.mlx5))))
		return false;
	for (unsigned int i = 0; i < 2 * len; i++) {
		memcpy(&word, (i < len ? frame->from : frame->to) + i % len * 4, 4);
		input[n++] = rte_be_to_cpu_32(word);
	}
	if (l4 && !frame->fragment)
		input[n++] = (uint32_t)frame->sport << 16 | frame->dport;
	*hash = rte_softrss(input, n, key);
	return true;
}

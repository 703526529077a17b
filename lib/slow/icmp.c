/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "base/hdr4.h"
#include "slow/slow_internal.h"

#include <netinet/in.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_icmp.h>

#define ICMP_TTL 64 /* RFC 1700's default for what a host sends */

/*
 * The ones' complement sum of len bytes from off, over segments.  Not rte_raw_cksum_mbuf(): behind
 * a segment of odd length 22.11 swaps a sum that it has not folded to 16 bits, and loses carries.
 */
static uint16_t
sum_bytes(const struct rte_mbuf *m, uint32_t off, uint32_t len)
{
	uint32_t sum = 0, done = 0;

	while (m != NULL && off >= m->data_len) {
		off -= m->data_len;
		m = m->next;
	}
	for (; m != NULL && done < len; m = m->next, off = 0) {
		uint32_t n = RTE_MIN(len - done, m->data_len - off);
		uint16_t part = rte_raw_cksum(rte_pktmbuf_mtod_offset(m, const void *, off), n);

		sum += done & 1 ? rte_bswap16(part) : part;
		done += n;
	}
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* Write behind what is surely in the first segment; the caller knows that the packet has it. */
static void
write_bytes(struct rte_mbuf *m, uint32_t off, const void *data, uint32_t len)
{
	const uint8_t *from = data;

	for (uint32_t i = 0; i < len; i++, off++) {
		while (m != NULL && off >= m->data_len) {
			off -= m->data_len;
			m = m->next;
		}
		if (m == NULL)
			return;
		*rte_pktmbuf_mtod_offset(m, uint8_t *, off) = from[i];
	}
}

/* Who may be answered: RFC 1122 3.2.2, no source that names nobody, many, or ourselves. */
static bool
may_answer(const struct slow *s, uint32_t ip)
{
	uint16_t port;

	return !hdr4_no_host(ip) && !router_is_own(s->cfg.router, ip, &port);
}

/*
 * Turn the echo request into its reply, in place (RFC 792; RFC 1122 3.2.2.6).  Options go: RFC 1122
 * lets a reply carry them only brought up to date, and a reply without them arrives as well.
 */
static void
make_reply(struct slow *s, struct slow_pkt *p, uint16_t icmp_len, rte_be16_t icmp_sum)
{
	struct rte_ipv4_hdr *ip = slow_ip(p);
	uint8_t options = (uint8_t)(rte_ipv4_hdr_len(ip) - sizeof(*ip));
	rte_be32_t source = ip->src_addr;
	uint8_t type = RTE_IP_ICMP_ECHO_REPLY;
	uint32_t sum;

	p->l3_off = (uint8_t)(p->l3_off + options);
	p->ours = true;
	ip = memmove(slow_ip(p), ip, sizeof(*ip));
	ip->version_ihl = RTE_IPV4_VHL_DEF;
	ip->total_length = rte_cpu_to_be_16((uint16_t)(sizeof(*ip) + icmp_len));
	ip->packet_id = rte_cpu_to_be_16(s->ip_id++);
	ip->fragment_offset = 0;
	ip->time_to_live = ICMP_TTL;
	ip->src_addr = ip->dst_addr;
	ip->dst_addr = source;
	ip->hdr_checksum = 0;
	ip->hdr_checksum = rte_ipv4_cksum(ip);

	/* Type 8 becomes 0.  Never the other zero, 0x0000: it is wrong for a message all zero. */
	sum = icmp_sum + RTE_BE16(RTE_IP_ICMP_ECHO_REQUEST << 8);
	sum += sum >> 16;
	icmp_sum = (rte_be16_t)sum;
	write_bytes(p->m, p->l3_off + sizeof(*ip), &type, sizeof(type));
	write_bytes(p->m, p->l3_off + sizeof(*ip) + offsetof(struct rte_icmp_hdr, icmp_cksum),
		    &icmp_sum, sizeof(icmp_sum));
}

/* What becomes of a packet to one of our addresses; FORWARD: an echo request to answer. */
static enum verdict
icmp_check(const struct slow *s, const struct slow_pkt *p, struct rte_icmp_hdr *icmp)
{
	const struct rte_ipv4_hdr *ip = slow_ip(p);
	uint32_t off = (uint32_t)p->l3_off + rte_ipv4_hdr_len(ip);
	uint32_t len = (uint32_t)rte_be_to_cpu_16(ip->total_length) - rte_ipv4_hdr_len(ip);
	const struct rte_icmp_hdr *seen;

	if (ip->next_proto_id != IPPROTO_ICMP)
		return VERDICT_LOCAL_UNHANDLED;
	if (ip->fragment_offset & RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK))
		return VERDICT_LOCAL_UNHANDLED; /* there is no reassembly */
	if (len < sizeof(*icmp))
		return VERDICT_ICMP_INVALID;
	seen = rte_pktmbuf_read(p->m, off, sizeof(*icmp), icmp);
	if (seen == NULL || sum_bytes(p->m, off, len) != 0xffff)
		return VERDICT_ICMP_INVALID;
	if (seen != icmp)
		memcpy(icmp, seen, sizeof(*icmp));
	if (icmp->icmp_type != RTE_IP_ICMP_ECHO_REQUEST)
		return VERDICT_LOCAL_UNHANDLED;
	if (!may_answer(s, rte_be_to_cpu_32(ip->src_addr)))
		return VERDICT_MARTIAN_SOURCE;
	return VERDICT_FORWARD;
}

void
icmp_input(struct slow *s, struct slow_pkt *p)
{
	const struct rte_ipv4_hdr *ip = slow_ip(p);
	struct rte_icmp_hdr icmp;
	enum verdict v = icmp_check(s, p, &icmp);

	if (v != VERDICT_FORWARD) {
		slow_drop(s, p->m, v);
		return;
	}
	/* One frame, two packets: the request ends here, the reply begins in its buffer. */
	stats_add(&s->stats->delivered, 1);
	stats_add(&s->stats->originated, 1);
	s->info.echo_replies_sent++;
	make_reply(s, p, (uint16_t)(rte_be_to_cpu_16(ip->total_length) - rte_ipv4_hdr_len(ip)),
		   icmp.icmp_cksum);
	hold_output(s, p);
}

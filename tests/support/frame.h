/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_FRAME_H
#define TEST_FRAME_H

#include "base/addr.h"
#include "support/cmocka.h"

#include <stdbool.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>

/*
 * Frames for unit tests, without EAL: a heap mbuf whose buffer is exactly as long as the frame, so
 * that ASan sees one byte too far.  Zero in a spec means "the usual".
 */
#define FRAME_MAC_OURS                                                                             \
	{                                                                                          \
		0x02, 0, 0, 0, 0, 0x01                                                             \
	}
#define FRAME_MAC_PEER                                                                             \
	{                                                                                          \
		0x02, 0, 0, 0, 0, 0xfe                                                             \
	}

struct frame_spec {
	uint8_t dmac[6];    /* ours */
	uint16_t ethertype; /* 0x0800 */
	uint32_t src, dst;  /* 198.51.100.1, 203.0.113.1 */
	uint16_t id;
	uint16_t length;     /* claimed total length; the true one */
	uint16_t payload;    /* bytes behind the header; 8 */
	uint16_t padding;    /* bytes behind the packet */
	uint16_t frame_len;  /* cut the frame to this many bytes */
	uint16_t fragment;   /* flags and offset, host order */
	uint8_t vihl;        /* 0x45, or as many words as options need */
	uint8_t ttl;         /* 64 */
	bool ttl_zero;       /* really 0 */
	uint8_t proto;       /* UDP */
	uint8_t options[40]; /* with nb_options bytes, a multiple of 4 */
	uint8_t nb_options;
	bool bad_checksum;
	bool tagged; /* an 802.1Q tag with this TCI */
	uint16_t tci;
	uint64_t ol_flags;
};

static inline struct rte_mbuf *
frame_raw(const void *data, uint16_t len)
{
	struct rte_mbuf *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->buf_addr = malloc(len == 0 ? 1 : len);
	assert_non_null(m->buf_addr);
	memcpy(m->buf_addr, data, len);
	m->buf_len = m->data_len = len;
	m->pkt_len = len;
	m->nb_segs = 1;
	rte_mbuf_refcnt_set(m, 1);
	return m;
}

static inline uint16_t
frame_build(uint8_t *out, const struct frame_spec *s)
{
	static const uint8_t ours[6] = FRAME_MAC_OURS, peer[6] = FRAME_MAC_PEER, none[6];
	uint16_t header = (uint16_t)(sizeof(struct rte_ipv4_hdr) + s->nb_options);
	uint16_t payload = s->payload != 0 ? s->payload : 8;
	uint16_t type = rte_cpu_to_be_16(s->ethertype != 0 ? s->ethertype : RTE_ETHER_TYPE_IPV4);
	struct rte_ipv4_hdr ip = { 0 };
	uint32_t sum = 0;
	uint16_t n = 0;

	memcpy(out, memcmp(s->dmac, none, 6) == 0 ? ours : s->dmac, 6);
	memcpy(out + 6, peer, 6);
	n = 12;
	if (s->tagged) {
		uint16_t tag[2] = { RTE_BE16(RTE_ETHER_TYPE_VLAN), rte_cpu_to_be_16(s->tci) };

		memcpy(out + n, tag, sizeof(tag));
		n = (uint16_t)(n + sizeof(tag));
	}
	memcpy(out + n, &type, 2);
	n = (uint16_t)(n + 2);

	ip.version_ihl = s->vihl != 0 ? s->vihl : (uint8_t)(0x40 | header / 4);
	ip.total_length =
		rte_cpu_to_be_16(s->length != 0 ? s->length : (uint16_t)(header + payload));
	ip.packet_id = rte_cpu_to_be_16(s->id);
	ip.fragment_offset = rte_cpu_to_be_16(s->fragment);
	ip.time_to_live = s->ttl_zero ? 0 : s->ttl != 0 ? s->ttl : 64;
	ip.next_proto_id = s->proto != 0 ? s->proto : IPPROTO_UDP;
	ip.src_addr = rte_cpu_to_be_32(s->src != 0 ? s->src : IP4(198, 51, 100, 1));
	ip.dst_addr = rte_cpu_to_be_32(s->dst != 0 ? s->dst : IP4(203, 0, 113, 1));
	memcpy(out + n, &ip, sizeof(ip));
	memcpy(out + n + sizeof(ip), s->options, s->nb_options);
	for (uint16_t i = 0; i < header; i = (uint16_t)(i + 2))
		sum += (uint32_t)out[n + i] << 8 | out[n + i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	if (s->bad_checksum)
		sum ^= 1;
	out[n + 10] = (uint8_t)(sum >> 8);
	out[n + 11] = (uint8_t)sum;
	n = (uint16_t)(n + header);
	for (uint16_t i = 0; i < payload; i++)
		out[n++] = (uint8_t)i;
	memset(out + n, 0xee, s->padding);
	n = (uint16_t)(n + s->padding);
	if (s->frame_len != 0 && s->frame_len < n)
		n = s->frame_len;
	return n;
}

static inline struct rte_mbuf *
frame_mbuf(const struct frame_spec *s)
{
	static uint8_t buf[UINT16_MAX];
	uint16_t n = frame_build(buf, s);
	struct rte_mbuf *m = frame_raw(buf, n);

	m->ol_flags = s->ol_flags;
	return m;
}

/* Cut one frame into a chain whose first segment has first bytes. */
static inline struct rte_mbuf *
frame_split(struct rte_mbuf *m, uint16_t first)
{
	struct rte_mbuf *head = frame_raw(rte_pktmbuf_mtod(m, void *), first);
	struct rte_mbuf *tail = frame_raw(rte_pktmbuf_mtod_offset(m, void *, first),
					  (uint16_t)(m->data_len - first));

	head->next = tail;
	head->nb_segs = 2;
	head->pkt_len = m->pkt_len;
	head->ol_flags = m->ol_flags;
	free(m->buf_addr);
	free(m);
	return head;
}

static inline void
frame_free(struct rte_mbuf *m)
{
	while (m != NULL) {
		struct rte_mbuf *next = m->next;

		free(m->buf_addr);
		free(m);
		m = next;
	}
}

#endif

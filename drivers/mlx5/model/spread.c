/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/model.h"

#include <string.h>

#include <rte_branch_prediction.h>

/*
 * Receive-side scaling, PRM "TIR Context": of the fields that a TIR selects, those that the frame has
 * go into the Toeplitz hash in the order source, destination, source port, destination port; the low
 * bits of the hash choose a place of the indirection table.
 */
#define IPV4 (IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4)
#define TCP  (IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP)
#define UDP  (IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP)

/* rx_hash_type of a CQE, two bits each: IP source, IP destination (1: IPv4, 2: IPv6), L4 source, L4
 * destination (1: TCP, 2: UDP). */
#define TYPE_SRC    0
#define TYPE_DST    2
#define TYPE_L4_SRC 4
#define TYPE_L4_DST 6

/* A pair of fields that the frame has. */
struct pair {
	const uint8_t *src; /* the destination follows at once */
	unsigned int len;   /* of each */
	bool use_src, use_dst;
	uint8_t kind; /* 1 or 2 of the hash type */
};

static struct pair
addresses(const struct cx5_tir *tir, const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *ip = frame + hdr->l3_at;

	if (hdr->l3 == HDR_L3_IPV4)
		return (struct pair){ ip + 12, 4, (tir->fields & IBV_RX_HASH_SRC_IPV4) != 0,
				      (tir->fields & IBV_RX_HASH_DST_IPV4) != 0, 1 };
	if (hdr->l3 == HDR_L3_IPV6)
		return (struct pair){ ip + 8, 16, (tir->fields & IBV_RX_HASH_SRC_IPV6) != 0,
				      (tir->fields & IBV_RX_HASH_DST_IPV6) != 0, 2 };
	return (struct pair){ 0 };
}

static struct pair
ports(const struct cx5_tir *tir, const struct hdr *hdr, const uint8_t *frame)
{
	const uint8_t *l4 = frame + hdr->l4_at;

	if (hdr->l4 == HDR_L4_TCP)
		return (struct pair){ l4, 2, (tir->fields & IBV_RX_HASH_SRC_PORT_TCP) != 0,
				      (tir->fields & IBV_RX_HASH_DST_PORT_TCP) != 0, 1 };
	if (hdr->l4 == HDR_L4_UDP)
		return (struct pair){ l4, 2, (tir->fields & IBV_RX_HASH_SRC_PORT_UDP) != 0,
				      (tir->fields & IBV_RX_HASH_DST_PORT_UDP) != 0, 2 };
	return (struct pair){ 0 };
}

/* The pair's bytes behind those that are there.  Symmetric: src OR dst, then src XOR dst. */
static unsigned int
gather(uint8_t *input, unsigned int at, const struct pair *pair, bool symmetric)
{
	const uint8_t *dst = pair->src + pair->len;

	if (symmetric && pair->use_src && pair->use_dst) {
		for (unsigned int i = 0; i < pair->len; i++) {
			input[at + i] = pair->src[i] | dst[i];
			input[at + pair->len + i] = pair->src[i] ^ dst[i];
		}
		return at + 2 * pair->len;
	}
	if (pair->use_src) {
		memcpy(input + at, pair->src, pair->len);
		at += pair->len;
	}
	if (pair->use_dst) {
		memcpy(input + at, dst, pair->len);
		at += pair->len;
	}
	return at;
}

static uint32_t
hash_any(const struct cx5_tir *tir, const struct hdr *hdr, const uint8_t *frame, uint8_t *hash_type)
{
	struct pair ip = addresses(tir, hdr, frame), l4 = ports(tir, hdr, frame);
	uint8_t input[TOEPLITZ_INPUT];
	unsigned int len = 0;

	if (ip.src != NULL)
		len = gather(input, len, &ip, tir->symmetric);
	if (l4.src != NULL)
		len = gather(input, len, &l4, tir->symmetric);
	*hash_type = (uint8_t)((ip.use_src ? ip.kind : 0) << TYPE_SRC |
			       (ip.use_dst ? ip.kind : 0) << TYPE_DST |
			       (l4.use_src ? l4.kind : 0) << TYPE_L4_SRC |
			       (l4.use_dst ? l4.kind : 0) << TYPE_L4_DST);
	return toeplitz_add(&tir->toeplitz, 0, input, 0, len);
}

/* The case of every second frame: both IPv4 addresses, both ports. */
static inline uint32_t
hash_ipv4_l4(const struct cx5_tir *tir, const struct hdr *hdr, const uint8_t *frame)
{
	uint32_t hash = toeplitz_add(&tir->toeplitz, 0, frame + hdr->l3_at + 12, 0, 8);

	return toeplitz_add(&tir->toeplitz, hash, frame + hdr->l4_at, 8, 4);
}

struct cx5_rq *
cx5_spread(const struct cx5_tir *tir, const struct hdr *hdr, const uint8_t *frame, uint32_t *hash,
	   uint8_t *hash_type)
{
	const struct cx5_rqt *rqt = tir->rqt;

	*hash = 0;
	*hash_type = 0;
	if (rqt == NULL)
		return tir->rq;
	if (!tir->hash || rqt->n == 0)
		return rqt->rq[0];
	if (hdr->l3 == HDR_L3_IPV4 && !tir->symmetric && hdr->l4 == HDR_L4_UDP &&
	    tir->fields == (IPV4 | UDP)) {
		*hash = hash_ipv4_l4(tir, hdr, frame);
		*hash_type = 1 << TYPE_SRC | 1 << TYPE_DST | 2 << TYPE_L4_SRC | 2 << TYPE_L4_DST;
	} else if (hdr->l3 == HDR_L3_IPV4 && !tir->symmetric && hdr->l4 == HDR_L4_TCP &&
		   tir->fields == (IPV4 | TCP)) {
		*hash = hash_ipv4_l4(tir, hdr, frame);
		*hash_type = 1 << TYPE_SRC | 1 << TYPE_DST | 1 << TYPE_L4_SRC | 1 << TYPE_L4_DST;
	} else {
		*hash = hash_any(tir, hdr, frame, hash_type);
	}
	return rqt->rq[*hash & (rqt->n - 1)];
}

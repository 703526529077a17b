/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/datapath.h"

#include <emmintrin.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_net_crc.h>

/*
 * Receive: judge a batch (parse, check, steer, spread), then place it frame by frame, with the
 * WQEs, buffers and CQEs of frames ahead on their way into the cache.
 */
#define AHEAD      8  /* frames between asking for a line and using it */
#define ADDRESSES  12 /* bytes before a VLAN tag */
#define TAG        4
#define FCS        4
#define HEADER_MIN 14

/* l4_hdr_type_etc, PRM "CQE": 0 VLAN stripped, 1 options, 3:2 L3, 6:4 L4, 7 fragment */
#define ETC_STRIPPED 0x01u
#define ETC_OPTIONS  0x02u
#define ETC_L3(type) ((uint32_t)(type) << 2)
#define ETC_L4(type) ((uint32_t)(type) << 4)
#define ETC_FRAGMENT 0x80u
#define L4_TCP       1u
#define L4_UDP       2u
#define L4_TCP_EMPTY 3u /* an acknowledgment, no payload */
#define L4_TCP_ACK   4u
#define TCP_FLAGS    13
#define TCP_ACK      0x10u
#define TCP_OFFSET   12

static inline uint32_t
tcp_type(const struct hdr *hdr, const uint8_t *tcp)
{
	if ((tcp[TCP_FLAGS] & TCP_ACK) == 0)
		return L4_TCP;
	return (tcp[TCP_OFFSET] >> 4) * 4u >= hdr->l4_len ? L4_TCP_EMPTY : L4_TCP_ACK;
}

/* hds_ip_ext in the low byte, l4_hdr_type_etc above it */
static inline uint32_t
types_of(const struct hdr *hdr, const uint8_t *frame)
{
	uint32_t ok = MLX5_CQE_L2_OK, etc = 0;

	if (hdr->l3 == HDR_L3_IPV4) {
		etc = ETC_L3(MLX5_CQE_L3_HDR_TYPE_IPV4);
		if (hdr_check_ip(hdr, frame) == HDR_SUM_GOOD)
			ok |= MLX5_CQE_L3_OK;
	} else if (hdr->l3 == HDR_L3_IPV6) {
		etc = ETC_L3(MLX5_CQE_L3_HDR_TYPE_IPV6);
		ok |= MLX5_CQE_L3_OK;
	}
	if (hdr->options)
		etc |= ETC_OPTIONS;
	if (hdr->fragment)
		etc |= ETC_FRAGMENT;
	if (hdr->l4 == HDR_L4_UDP || hdr->l4 == HDR_L4_TCP) {
		etc |= ETC_L4(hdr->l4 == HDR_L4_UDP ? L4_UDP : tcp_type(hdr, frame + hdr->l4_at));
		if (hdr_check_l4(hdr, frame) != HDR_SUM_BAD)
			ok |= MLX5_CQE_L4_OK;
	}
	return ok | etc << 8;
}

/* Tags that go: one by a rule's pop action, one stripped into the CQE. */
static void
untag(struct cx5_job *job, const struct hdr *hdr, bool pop)
{
	uint8_t kept = pop ? 1 : 0;
	const uint8_t *type = job->data + ADDRESSES;

	job->cut = (uint8_t)(kept * TAG);
	type += job->cut;
	if (!job->rq->strip_vlan || hdr->nb_tags <= kept || type[0] != 0x81 || type[1] != 0)
		return;
	job->cut = (uint8_t)(job->cut + TAG);
	job->same |= ETC_STRIPPED << 8 | (uint32_t)htobe16(hdr->tci[kept]) << 16;
}

/* The one's complement sum of what is behind the Ethernet header, as it lies in a mini CQE. */
static uint64_t
sum_of(const struct hdr *hdr, const struct soft_frame *frame)
{
	uint64_t sum = hdr_sum(frame->data + hdr->l3_at, frame->len - hdr->l3_at, 0);

	return (uint16_t)~htobe16(hdr_fold(sum));
}

static inline void
judge(struct cx5 *nic, struct cx5_job *job, const struct soft_frame *frame)
{
	uint8_t hash_type;
	struct cx5_way way;
	struct hdr hdr;
	uint32_t hash;

	job->data = frame->data;
	job->len = frame->len;
	job->cut = 0;
	job->rq = NULL;
	job->bad = (frame->flags & SOFT_BAD_FCS) != 0 || frame->len < HEADER_MIN ||
		   frame->len > SOFT_FRAME_MAX;
	if (__builtin_expect(job->bad, 0))
		return;
	hdr_parse(&hdr, frame->data, frame->len);
	cx5_steer(nic, &hdr, frame->data, frame->len, &way);
	if (way.tir == NULL)
		return;
	job->rq = cx5_spread(way.tir, &hdr, frame->data, &hash, &hash_type);
	if (__builtin_expect(job->rq == NULL, 0))
		return;
	job->hash_be = htobe32(hash);
	job->same = types_of(&hdr, frame->data) | (uint64_t)htobe32(way.mark) << 32;
	job->ids = (uint64_t)hash_type << 48;
	if (hdr.nb_tags != 0)
		untag(job, &hdr, way.pop_vlan);
	if (__builtin_expect(job->rq->cq->stride_mini, 0))
		job->ids |= sum_of(&hdr, frame) << 16;
}

/* The frames are judged; those that an earlier call judged and could not place still are. */
static void
judge_all(struct cx5 *nic, const struct soft_frame *frames, unsigned int n)
{
	struct cx5_rx *rx = nic->rx;
	unsigned int i = 0;

	while (i < rx->nb_held && i < n && rx->job[i].data == frames[i].data &&
	       rx->job[i].len == frames[i].len)
		i++;
	rx->nb_held = 0;
	for (unsigned int k = i; k < n && k < i + AHEAD; k++)
		__builtin_prefetch(frames[k].data);
	for (; i < n; i++) {
		if (i + AHEAD < n)
			__builtin_prefetch(frames[i + AHEAD].data);
		judge(nic, &rx->job[i], &frames[i]);
	}
	for (i = 0; i < nic->nb_rq; i++)
		nic->rq[i]->plan = nic->rq[i]->ci;
	for (i = 0; i < n; i++) {
		struct cx5_rq *rq = rx->job[i].rq;

		if (rq == NULL)
			continue;
		rx->job[i].wqe = rq->plan++;
		__builtin_prefetch(cx5_rq_wqe(rq, rx->job[i].wqe));
	}
}

/* The buffer and the CQE of a frame ahead: if all goes on as it does, these will be written. */
static inline void
prefetch_ahead(const struct cx5_job *job)
{
	const struct cx5_rq *rq = job->rq;
	const struct mlx5_wqe_data_seg *seg;

	if (rq == NULL || rq->strides_log != 0)
		return;
	seg = (const struct mlx5_wqe_data_seg *)cx5_rq_wqe(rq, job->wqe);
	__builtin_prefetch((const void *)(uintptr_t)be64toh(seg->addr), 1);
	__builtin_prefetch(cx5_cqe_slot(rq->cq, rq->cq->pi + (uint16_t)(job->wqe - rq->ci)), 1);
}

void
cx5_cut(struct cx5_pieces *pieces, const struct cx5_rq *rq, const struct cx5_job *job)
{
	uint32_t crc;

	pieces->n = 1;
	pieces->len = job->len - job->cut;
	pieces->piece[0].data = job->data;
	pieces->piece[0].len = job->len;
	if (job->cut != 0) {
		pieces->n = 2;
		pieces->piece[0].len = ADDRESSES;
		pieces->piece[1].data = job->data + ADDRESSES + job->cut;
		pieces->piece[1].len = pieces->len - ADDRESSES;
	}
	if (!rq->keep_fcs)
		return;
	/* The FCS of what came off the cable, low byte first (IEEE 802.3 3.2.9). */
	crc = htole32(rte_net_crc_calc(job->data, job->len, RTE_NET_CRC32_ETH));
	memcpy(pieces->fcs, &crc, FCS);
	pieces->piece[pieces->n].data = pieces->fcs;
	pieces->piece[pieces->n++].len = FCS;
	pieces->len += FCS;
}

void
cx5_paste(uint8_t *to, const struct cx5_pieces *pieces, uint32_t at, uint32_t len)
{
	for (unsigned int i = 0; i < pieces->n && len > 0; i++) {
		uint32_t have = pieces->piece[i].len, put;

		if (at >= have) {
			at -= have;
			continue;
		}
		put = have - at < len ? have - at : len;
		memcpy(to, pieces->piece[i].data + at, put);
		to += put;
		len -= put;
		at = 0;
	}
}

uint8_t *
cx5_rx_at(struct cx5 *nic, const struct mlx5_wqe_data_seg *seg, uint64_t offset, uint32_t len)
{
	uint64_t *fault = &nic->port->fault[SOFTNIC_DMA_RX];
	uint64_t addr = be64toh(seg->addr) + offset;
	uint8_t *at;

	if (__builtin_expect(*fault != 0, 0)) {
		--*fault;
		addr ^= UINT64_C(1) << 62; /* a bit flips on its way */
	}
	at = cx5_mr_at(seg->lkey, addr, len);
	if (__builtin_expect(at == NULL, 0))
		nic->port->stats.dma_errors++;
	return at;
}

/* Bytes that the scatter entries of a WQE hold. */
static uint64_t
room_of(const struct mlx5_wqe_data_seg *seg, uint32_t n)
{
	uint64_t room = 0;

	for (uint32_t i = 0; i < n; i++)
		room += be32toh(seg[i].byte_count);
	return room;
}

static enum cx5_place
scatter(struct cx5_rq *rq, const struct mlx5_wqe_data_seg *seg, const struct cx5_pieces *pieces)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < rq->nb_seg && done < pieces->len; i++) {
		uint32_t room = be32toh(seg[i].byte_count), left = pieces->len - done;
		uint32_t put = room < left ? room : left;
		uint8_t *to;

		if (put == 0)
			continue;
		to = cx5_rx_at(rq->nic, &seg[i], 0, put);
		if (to == NULL) {
			cx5_rq_error(rq, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
			return CX5_LOST;
		}
		cx5_paste(to, pieces, done, put);
		done += put;
	}
	return CX5_DELIVERED;
}

/* Most frames: short, whole, into one buffer. */
static inline void
copy(uint8_t *to, const uint8_t *from, uint32_t len)
{
	__m128i a, b, c, d;

	if (len < 32 || len > 64) {
		memcpy(to, from, len);
		return;
	}
	a = _mm_loadu_si128((const __m128i *)from);
	b = _mm_loadu_si128((const __m128i *)(from + 16));
	c = _mm_loadu_si128((const __m128i *)(from + len - 32));
	d = _mm_loadu_si128((const __m128i *)(from + len - 16));
	_mm_storeu_si128((__m128i *)to, a);
	_mm_storeu_si128((__m128i *)(to + 16), b);
	_mm_storeu_si128((__m128i *)(to + len - 32), c);
	_mm_storeu_si128((__m128i *)(to + len - 16), d);
}

static inline enum cx5_place
place(struct cx5_rq *rq, const struct cx5_job *job)
{
	const struct mlx5_wqe_data_seg *seg;
	struct cx5_verdict v;
	uint32_t len = job->len;
	uint8_t *to;

	if (!cx5_rq_ready(rq))
		return CX5_NO_WQE;
	seg = (const struct mlx5_wqe_data_seg *)cx5_rq_wqe(rq, rq->ci);
	if (__builtin_expect(job->cut == 0 && !rq->keep_fcs && len <= be32toh(seg->byte_count),
			     1)) {
		to = cx5_rx_at(rq->nic, seg, 0, len);
		if (__builtin_expect(to == NULL, 0)) {
			cx5_rq_error(rq, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
			return CX5_LOST;
		}
		copy(to, job->data, len);
	} else {
		struct cx5_pieces pieces;

		cx5_cut(&pieces, rq, job);
		len = pieces.len;
		if (len > room_of(seg, rq->nb_seg)) {
			cx5_rq_too_long(rq, 0);
			return CX5_TOO_LONG;
		}
		if (scatter(rq, seg, &pieces) == CX5_LOST)
			return CX5_LOST;
	}
	v.same = job->same;
	v.ids = job->ids | htobe16(rq->ci);
	v.mini = job->hash_be | (uint64_t)htobe32(len) << 32;
	rq->ci++;
	cx5_cqe_rx(rq->cq, &v);
	return CX5_DELIVERED;
}

/* Faults that concern frames which would be delivered. */
static enum cx5_place
place_oddly(struct cx5_rq *rq, const struct cx5_job *job)
{
	struct soft_port *port = rq->nic->port;

	if (port->fault[SOFTNIC_RX_STARVE] != 0 || !cx5_rq_ready(rq))
		return CX5_NO_WQE;
	if (port->fault[SOFTNIC_CQE_RX] != 0) {
		port->fault[SOFTNIC_CQE_RX]--;
		cx5_rq_error(rq, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
		return CX5_LOST;
	}
	return rq->strides_log != 0 ? cx5_place_stride(rq, job) : place(rq, job);
}

/* False: it waits for a WQE. */
static inline bool
deliver(struct cx5 *nic, const struct cx5_job *job, bool wait)
{
	struct softnic_stats *stats = &nic->port->stats;
	struct cx5_rq *rq = job->rq;
	enum cx5_place placed;

	if (__builtin_expect(rq == NULL, 0)) {
		stats->rx_bad += job->bad;
		stats->rx_filtered += !job->bad;
		return true;
	}
	if (__builtin_expect(rq->state != CX5_READY, 0)) {
		/* Nobody posts to it: waiting would stop the other queues. */
		rq->no_buffer++;
		stats->rx_missed++;
		return true;
	}
	if (__builtin_expect(nic->rx->odd, 0))
		placed = place_oddly(rq, job);
	else
		placed = rq->strides_log != 0 ? cx5_place_stride(rq, job) : place(rq, job);
	switch (placed) {
	case CX5_DELIVERED:
		rq->frames++;
		rq->bytes += job->len;
		stats->rx_frames++;
		stats->rx_bytes += job->len;
		return true;
	case CX5_NO_WQE:
		if (wait)
			return false;
		rq->no_buffer++;
		nic->out_of_buffer++;
		stats->rx_missed++;
		return true;
	case CX5_TOO_LONG:
		stats->rx_bad++;
		return true;
	case CX5_LOST:
		break;
	}
	stats->rx_lost++;
	return true;
}

unsigned int
cx5_receive(struct soft_port *port, const struct soft_frame *frames, unsigned int n, bool wait)
{
	struct cx5 *nic = port->nic;
	struct cx5_rx *rx = nic->rx;
	unsigned int i;

	if (n == 0)
		return 0;
	if (n > SOFT_BATCH)
		n = SOFT_BATCH;
	rx->odd = (port->fault[SOFTNIC_RX_STARVE] | port->fault[SOFTNIC_CQE_RX]) != 0;
	rx->time_be = htobe64(soft_now_ns());
	judge_all(nic, frames, n);
	for (i = 0; i < n && i < AHEAD; i++)
		prefetch_ahead(&rx->job[i]);
	for (i = 0; i < n; i++) {
		if (i + AHEAD < n)
			prefetch_ahead(&rx->job[i + AHEAD]);
		if (!deliver(nic, &rx->job[i], wait))
			break;
	}
	cx5_cqe_flush(nic);
	rx->nb_held = n - i;
	if (rx->nb_held != 0 && i != 0)
		memmove(rx->job, rx->job + i, rx->nb_held * sizeof(rx->job[0]));
	return i;
}

bool
cx5_listening(const struct soft_port *port)
{
	const struct cx5 *nic = port->nic;

	return !nic->removed && port->fault[SOFTNIC_LINK_DOWN] == 0 && cx5_steer_ready(nic);
}

int
cx5_rq_attach(struct cx5_rq *rq)
{
	struct cx5 *nic = rq->nic;

	nic->rx->nb_held = 0;
	for (unsigned int i = 0; i < nic->nb_rq; i++)
		if (nic->rq[i] == rq)
			return 0;
	if (nic->nb_rq == CX5_QUEUES)
		return -ENOSPC;
	nic->rq[nic->nb_rq++] = rq;
	return 0;
}

void
cx5_rq_detach(struct cx5_rq *rq)
{
	struct cx5 *nic = rq->nic;

	nic->rx->nb_held = 0;
	for (unsigned int i = 0; i < nic->nb_rq; i++)
		if (nic->rq[i] == rq)
			nic->rq[i--] = nic->rq[--nic->nb_rq];
}

void
cx5_rq_reset(struct cx5_rq *rq)
{
	rq->ci = 0;
	rq->pi = 0;
	rq->stride_at = 0;
}

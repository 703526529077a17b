/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/datapath.h"

#include <string.h>

/*
 * Send WQEs (PRM "Send WQE formats"): a control segment, an Ethernet segment that may hold the
 * first bytes of the frame, then data segments: pointers or bytes.  SEND and TSO gather them into
 * one frame; Enhanced MPW has one frame a segment.  Bytes in the ring are never copied unless they
 * wrap: the host does not touch them before the completion.
 */
#define OPCODE_EMPW  0x29 /* Enhanced Multi-Packet Send; mlx5dv.h does not have it */
#define SEG_HEADERS  2    /* control and Ethernet segment */
#define SEG_INLINE   (1u << 31)
#define INLINE_MAX   0x3ffu /* bytes in an inline segment, 10 bits */
#define INLINE_FIRST 2u     /* header bytes inside the Ethernet segment itself */
#define VLAN_INSERT  (1u << 15)
#define VLAN_TYPE    0x8100u
#define VLAN_AT      12
#define TAG          4
#define HEADER_MIN   14
#define TSO_MAX      (256u * 1024) /* bytes of a WQE: max_lso_cap 18 */

struct piece {
	const uint8_t *data;
	uint32_t len;
};
struct gather {
	unsigned int n;
	uint32_t len;
	/* every segment may wrap once, and so may the header, which begins in the Ethernet segment */
	struct piece piece[2 * CX5_SEG_MAX + 3];
};

static inline uint32_t
ring_bytes(const struct cx5_sq *sq)
{
	return sq->size * CX5_WQEBB;
}

static inline const uint8_t *
ring_at(const struct cx5_sq *sq, uint32_t at)
{
	return sq->buf + (at & (ring_bytes(sq) - 1));
}

bool
cx5_wqe_decode(const struct cx5_sq *sq, struct cx5_wqe *wqe, uint16_t index, uint16_t pi)
{
	const struct mlx5_wqe_ctrl_seg *ctrl;
	uint32_t opcode, qpn_ds;

	wqe->at = (uint32_t)(index & (sq->size - 1)) * CX5_WQEBB;
	ctrl = (const struct mlx5_wqe_ctrl_seg *)(sq->buf + wqe->at);
	opcode = be32toh(ctrl->opmod_idx_opcode);
	qpn_ds = be32toh(ctrl->qpn_ds);
	wqe->index = index;
	wqe->opcode = (uint8_t)opcode;
	wqe->ds = qpn_ds & CX5_SEG_MAX;
	wqe->ce = (ctrl->fm_ce_se >> 2) & 3;
	wqe->eth = (const struct mlx5_wqe_eth_seg *)(sq->buf + wqe->at + CX5_SEG);
	return (uint16_t)(opcode >> 8) == index && qpn_ds >> 8 == sq->sqn && wqe->ds != 0 &&
	       CX5_WQE_BLOCKS(wqe) <= (uint16_t)(pi - index);
}

static inline const uint8_t *
memory_at(struct cx5 *nic, const struct mlx5_wqe_data_seg *seg, uint32_t len)
{
	uint64_t *fault = &nic->port->fault[SOFTNIC_DMA_TX];
	uint64_t addr = be64toh(seg->addr);
	const uint8_t *at;

	if (__builtin_expect(*fault != 0, 0)) {
		--*fault;
		addr ^= UINT64_C(1) << 62; /* a bit flips on its way */
	}
	at = cx5_mr_at(seg->lkey, addr, len);
	if (__builtin_expect(at == NULL, 0))
		nic->port->stats.dma_errors++;
	return at;
}

/* --- frames out --- */

static inline void
emit(struct cx5_sq *sq, const uint8_t *data, uint32_t len)
{
	struct cx5_tx *tx = sq->nic->tx;

	tx->frames[tx->n].data = data;
	tx->frames[tx->n].len = len;
	tx->frames[tx->n++].flags = 0;
	sq->frames++;
	sq->bytes += len;
}

/* Room for a frame that is put together here; NULL: none left in this turn. */
static inline uint8_t *
room_for(struct cx5_tx *tx, uint32_t len)
{
	uint32_t padded = (len + 63) & ~63u;
	uint8_t *room = tx->room + tx->room_used;

	if (padded > sizeof(tx->room) - tx->room_used)
		return NULL;
	tx->room_used += padded;
	return room;
}

static inline void
add(struct gather *g, const uint8_t *data, uint32_t len)
{
	g->piece[g->n].data = data;
	g->piece[g->n++].len = len;
	g->len += len;
}

/* Bytes that lie in the ring, from its byte at on. */
static void
add_ring(struct gather *g, const struct cx5_sq *sq, uint32_t at, uint32_t len)
{
	uint32_t left = ring_bytes(sq) - (at & (ring_bytes(sq) - 1));

	if (len <= left) {
		add(g, ring_at(sq, at), len);
		return;
	}
	add(g, ring_at(sq, at), left);
	add(g, sq->buf, len - left);
}

static void
copy_pieces(uint8_t *to, const struct gather *g, uint32_t at, uint32_t len)
{
	for (unsigned int i = 0; i < g->n && len > 0; i++) {
		uint32_t have = g->piece[i].len, put;

		if (at >= have) {
			at -= have;
			continue;
		}
		put = have - at < len ? have - at : len;
		memcpy(to, g->piece[i].data + at, put);
		to += put;
		len -= put;
		at = 0;
	}
}

static inline uint32_t
pad(uint8_t *room, uint32_t len)
{
	if (len >= CX5_FRAME_MIN)
		return len;
	memset(room + len, 0, CX5_FRAME_MIN - len);
	return CX5_FRAME_MIN;
}

/* A frame with all that the Ethernet segment asks for. */
static enum cx5_sent
send_frame(struct cx5_sq *sq, const struct cx5_wqe *wqe, const struct gather *g)
{
	struct cx5_tx *tx = sq->nic->tx;
	uint16_t header = be16toh(wqe->eth->inline_hdr_sz);
	uint32_t tag = (header & VLAN_INSERT) != 0 ? TAG : 0;
	uint32_t len = g->len + tag;
	uint8_t *room;

	if (g->len < HEADER_MIN || len > SOFT_FRAME_MAX)
		return CX5_BAD_WQE;
	if (g->n == 1 && tag == 0 && len >= CX5_FRAME_MIN && (wqe->eth->cs_flags & CX5_SUMS) == 0) {
		emit(sq, g->piece[0].data, len);
		return CX5_SENT;
	}
	room = room_for(tx, len < CX5_FRAME_MIN ? CX5_FRAME_MIN : len);
	if (room == NULL)
		return CX5_STOPPED;
	if (tag != 0) {
		const uint8_t vlan[2] = { VLAN_TYPE >> 8, VLAN_TYPE & 0xff };

		copy_pieces(room, g, 0, VLAN_AT);
		memcpy(room + VLAN_AT, vlan, sizeof(vlan));
		memcpy(room + VLAN_AT + 2, wqe->eth->inline_hdr_start, 2);
		copy_pieces(room + VLAN_AT + TAG, g, VLAN_AT, g->len - VLAN_AT);
	} else {
		copy_pieces(room, g, 0, g->len);
	}
	if ((wqe->eth->cs_flags & CX5_SUMS) != 0)
		cx5_sum(room, len, wqe->eth->cs_flags);
	emit(sq, room, pad(room, len));
	return CX5_SENT;
}

/* --- data segments --- */

/* One data segment into g; *seg moves behind it. */
static inline enum cx5_sent
add_segment(struct cx5_sq *sq, const struct cx5_wqe *wqe, uint32_t *seg, struct gather *g)
{
	uint32_t at = wqe->at + *seg * CX5_SEG;
	const struct mlx5_wqe_data_seg *data = (const void *)ring_at(sq, at);
	uint32_t count = be32toh(data->byte_count);
	const uint8_t *memory;

	if ((count & SEG_INLINE) != 0) {
		uint32_t len = count & INLINE_MAX;
		uint32_t segs = (sizeof(count) + len + CX5_SEG - 1) / CX5_SEG;

		if (segs > wqe->ds - *seg)
			return CX5_BAD_WQE;
		add_ring(g, sq, at + sizeof(count), len);
		*seg += segs;
		return CX5_SENT;
	}
	memory = memory_at(sq->nic, data, count);
	if (__builtin_expect(memory == NULL, 0))
		return CX5_BAD_DATA;
	__builtin_prefetch(memory);
	add(g, memory, count);
	*seg += 1;
	return CX5_SENT;
}

/* All of a SEND or TSO WQE. */
static enum cx5_sent
gather_all(struct cx5_sq *sq, const struct cx5_wqe *wqe, struct gather *g, uint32_t *header)
{
	uint32_t seg = SEG_HEADERS, inline_len = be16toh(wqe->eth->inline_hdr_sz);

	g->n = 0;
	g->len = 0;
	*header = 0;
	if ((inline_len & VLAN_INSERT) == 0 && inline_len != 0) {
		uint32_t more = inline_len <= INLINE_FIRST ? 0 : inline_len - INLINE_FIRST;
		uint32_t segs = (more + CX5_SEG - 1) / CX5_SEG;

		if (segs > wqe->ds - seg)
			return CX5_BAD_WQE;
		/* They lie behind each other, so one piece unless the ring ends between. */
		add_ring(g, sq, wqe->at + seg * CX5_SEG - INLINE_FIRST, inline_len);
		seg += segs;
		*header = inline_len;
	}
	while (seg < wqe->ds) {
		enum cx5_sent sent = add_segment(sq, wqe, &seg, g);

		if (sent != CX5_SENT)
			return sent;
	}
	return CX5_SENT;
}

/* --- the three forms --- */

static enum cx5_sent
send_part(struct cx5_sq *sq, const struct gather *g, const struct cx5_part *part)
{
	struct cx5_tx *tx = sq->nic->tx;
	uint32_t len = part->header + part->len;
	uint8_t *room;

	if (tx->n == tx->max)
		return CX5_STOPPED;
	room = room_for(tx, len < CX5_FRAME_MIN ? CX5_FRAME_MIN : len);
	if (room == NULL)
		return CX5_STOPPED;
	copy_pieces(room, g, 0, part->header);
	copy_pieces(room + part->header, g, part->header + part->at, part->len);
	if (cx5_segment(room, part) < 0)
		return CX5_BAD_WQE;
	emit(sq, room, pad(room, len));
	return CX5_SENT;
}

static enum cx5_sent
send_tso(struct cx5_sq *sq, const struct cx5_wqe *wqe)
{
	uint32_t header, mss = be16toh(wqe->eth->mss);
	struct cx5_part part;
	enum cx5_sent sent;
	struct gather g;

	sent = gather_all(sq, wqe, &g, &header);
	if (sent != CX5_SENT)
		return sent;
	if (mss == 0 || header < HEADER_MIN || header >= g.len || g.len > TSO_MAX ||
	    header + mss > SOFT_FRAME_MAX)
		return CX5_BAD_WQE;
	part = (struct cx5_part){ .header = header, .at = sq->tso_at, .number = sq->tso_at / mss };
	for (; sq->tso_at < g.len - header; part.number++) {
		part.at = sq->tso_at;
		part.len = g.len - header - part.at;
		part.last = part.len <= mss;
		if (!part.last)
			part.len = mss;
		sent = send_part(sq, &g, &part);
		if (sent != CX5_SENT)
			return sent;
		sq->tso_at += part.len;
	}
	sq->tso_at = 0;
	return CX5_SENT;
}

/* A pointer to a frame that goes out as it is: neither inline, nor short, nor wrong. */
static inline bool
is_plain(const struct mlx5_wqe_data_seg *data)
{
	uint32_t len = be32toh(data->byte_count);

	return len >= CX5_FRAME_MIN && len <= SOFT_FRAME_MAX;
}

static inline enum cx5_sent
send_plain(struct cx5_sq *sq, const struct mlx5_wqe_data_seg *data)
{
	uint32_t len = be32toh(data->byte_count);
	const uint8_t *memory = memory_at(sq->nic, data, len);

	if (__builtin_expect(memory == NULL, 0))
		return CX5_BAD_DATA;
	__builtin_prefetch(memory);
	emit(sq, memory, len);
	return CX5_SENT;
}

static enum cx5_sent
send_one(struct cx5_sq *sq, const struct cx5_wqe *wqe)
{
	const struct mlx5_wqe_data_seg *data =
		(const void *)ring_at(sq, wqe->at + SEG_HEADERS * CX5_SEG);
	struct gather g;
	uint32_t header;
	enum cx5_sent sent;

	if (wqe->ds == SEG_HEADERS + 1 && wqe->eth->inline_hdr_sz == 0 &&
	    (wqe->eth->cs_flags & CX5_SUMS) == 0 && is_plain(data))
		return send_plain(sq, data);
	sent = gather_all(sq, wqe, &g, &header);
	return sent == CX5_SENT ? send_frame(sq, wqe, &g) : sent;
}

/* A frame of a WQE that has one a segment. */
static inline enum cx5_sent
send_next(struct cx5_sq *sq, const struct cx5_wqe *wqe, uint32_t *seg)
{
	const struct mlx5_wqe_data_seg *data = (const void *)ring_at(sq, wqe->at + *seg * CX5_SEG);
	uint32_t next = *seg;
	enum cx5_sent sent;
	struct gather g;

	if ((wqe->eth->cs_flags & CX5_SUMS) == 0 && is_plain(data)) {
		++*seg;
		return send_plain(sq, data);
	}
	g.n = 0;
	g.len = 0;
	sent = add_segment(sq, wqe, &next, &g);
	if (sent == CX5_SENT)
		sent = send_frame(sq, wqe, &g);
	if (sent == CX5_SENT)
		*seg = next;
	return sent;
}

static enum cx5_sent
send_many(struct cx5_sq *sq, const struct cx5_wqe *wqe)
{
	struct cx5_tx *tx = sq->nic->tx;
	uint32_t seg = sq->seg_at != 0 ? sq->seg_at : SEG_HEADERS;
	enum cx5_sent sent = CX5_SENT;

	if (be16toh(wqe->eth->inline_hdr_sz) != 0)
		return CX5_BAD_WQE;
	while (seg < wqe->ds && sent == CX5_SENT) {
		sq->seg_at = seg;
		sent = tx->n < tx->max ? send_next(sq, wqe, &seg) : CX5_STOPPED;
	}
	if (sent == CX5_SENT)
		sq->seg_at = 0;
	return sent;
}

enum cx5_sent
cx5_wqe_send(struct cx5_sq *sq, const struct cx5_wqe *wqe)
{
	switch (wqe->opcode) {
	case MLX5_OPCODE_NOP:
		return CX5_SENT;
	case MLX5_OPCODE_SEND:
		return wqe->ds > SEG_HEADERS ? send_one(sq, wqe) : CX5_BAD_WQE;
	case MLX5_OPCODE_TSO:
		return wqe->ds > SEG_HEADERS ? send_tso(sq, wqe) : CX5_BAD_WQE;
	case OPCODE_EMPW:
		return wqe->ds > SEG_HEADERS ? send_many(sq, wqe) : CX5_BAD_WQE;
	default:
		return CX5_BAD_WQE;
	}
}

/* Frames of a WQE that are not on the cable yet; a TSO WQE counts as the one that the host gave. */
unsigned int
cx5_wqe_frames(const struct cx5_sq *sq, const struct cx5_wqe *wqe)
{
	unsigned int n = 0;

	if (wqe->opcode != OPCODE_EMPW)
		return wqe->opcode != MLX5_OPCODE_NOP;
	for (uint32_t seg = sq->seg_at != 0 ? sq->seg_at : SEG_HEADERS; seg < wqe->ds; n++) {
		const struct mlx5_wqe_data_seg *data =
			(const void *)ring_at(sq, wqe->at + seg * CX5_SEG);
		uint32_t count = be32toh(data->byte_count);

		seg += (count & SEG_INLINE) == 0
			       ? 1
			       : (sizeof(count) + (count & INLINE_MAX) + CX5_SEG - 1) / CX5_SEG;
	}
	return n;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cx5_rig.h"

#include <stdlib.h>
#include <string.h>

struct rig rig;
static void *block[8192];
static unsigned int nb_blocks;

static void *
keep(void *memory)
{
	assert_non_null(memory);
	assert_true(nb_blocks < sizeof(block) / sizeof(block[0]));
	block[nb_blocks++] = memory;
	return memory;
}

/* --- stand-ins --- */

struct cx5_mr cx5_mrs[CX5_MR_MAX];
static uint32_t nb_mrs;

uint64_t
soft_now_ns(void)
{
	return rig.now_ns;
}

void
cx5_events_slow(struct cx5 *nic)
{
	(void)nic;
}

void
cx5_steer(struct cx5 *nic, const struct hdr *hdr, const uint8_t *frame, uint32_t len,
	  struct cx5_way *way)
{
	(void)nic, (void)hdr, (void)frame, (void)len;
	rig.steered++;
	if (rig.to_step != 0)
		rig.to = (rig.steered - 1) / rig.to_step & 1;
	way->tir = rig.to < RIG_QUEUES ? &rig.tir : NULL;
	way->mark = rig.mark;
	rig.mark += rig.mark_step;
	way->pop_vlan = rig.pop;
}

struct cx5_rq *
cx5_spread(const struct cx5_tir *tir, const struct hdr *hdr, const uint8_t *frame, uint32_t *hash,
	   uint8_t *hash_type)
{
	(void)tir, (void)hdr, (void)frame;
	*hash = rig.hash;
	*hash_type = rig.hash != 0 ? 5 : 0;
	return &rig.rq[rig.to].rq;
}

bool
cx5_steer_ready(const struct cx5 *nic)
{
	return nic->nb_rq != 0;
}

/* --- the rig --- */

int
rig_open(void **state)
{
	(void)state;
	memset(&rig, 0, sizeof(rig));
	memset(cx5_mrs, 0, sizeof(cx5_mrs));
	nb_mrs = 0;
	rig.port.nic = &rig.nic;
	rig.nic.port = &rig.port;
	return cx5_datapath_open(&rig.nic);
}

int
rig_close(void **state)
{
	(void)state;
	cx5_datapath_close(&rig.nic);
	while (nb_blocks > 0)
		free(block[--nb_blocks]);
	return 0;
}

void *
rig_memory(uint32_t len, uint32_t *lkey_be)
{
	void *memory = keep(malloc(len));
	uint32_t index = ++nb_mrs;

	assert_true(index < CX5_MR_MAX);
	*lkey_be = htobe32(index << 8 | 0x5a);
	cx5_mrs[index] =
		(struct cx5_mr){ .lo = (uintptr_t)memory, .len = len, .lkey_be = *lkey_be };
	return memory;
}

static void *
ring(uint32_t bytes)
{
	return keep(calloc(1, bytes)); /* malloc's alignment, 16, is what segments need */
}

static void
cq_open(struct cx5_cq *cq, uint32_t size)
{
	*cq = (struct cx5_cq){ .nic = &rig.nic, .size = size, .cqn = 0x77 };
	cq->buf = ring(size * 64);
	cq->dbrec = ring(8);
	for (uint32_t i = 0; i < size; i++)
		cq->buf[i * 64 + 63] = 0xf1; /* invalid, of the lap before */
}

static void
rq_open(unsigned int i, uint32_t wqes, uint32_t stride, uint32_t segs)
{
	struct rig_rq *q = &rig.rq[i];

	memset(q, 0, sizeof(*q));
	cq_open(&q->cq, wqes);
	q->rq = (struct cx5_rq){ .nic = &rig.nic,
				 .cq = &q->cq,
				 .size = wqes,
				 .stride = stride,
				 .nb_seg = segs,
				 .rqn = 0x100 + i,
				 .state = CX5_READY };
	q->rq.buf = ring(wqes * stride);
	q->rq.dbrec = ring(8);
	q->buffer = keep(calloc(wqes * segs, sizeof(q->buffer[0])));
	q->room = keep(calloc(wqes * segs, sizeof(q->room[0])));
	assert_int_equal(cx5_rq_attach(&q->rq), 0);
}

static void
scatter_entry(uint8_t *at, struct rig_rq *q, uint32_t index, uint32_t bytes)
{
	struct mlx5_wqe_data_seg seg;

	q->buffer[index] = rig_memory(bytes, &seg.lkey);
	q->room[index] = bytes;
	memset(q->buffer[index], 0xee, bytes);
	seg.addr = htobe64((uintptr_t)q->buffer[index]);
	seg.byte_count = htobe32(bytes);
	memcpy(at, &seg, sizeof(seg));
}

void
rig_rq_open(unsigned int i, uint32_t wqes, uint32_t segs, uint32_t bytes)
{
	struct rig_rq *q = &rig.rq[i];

	rq_open(i, wqes, segs * 16, segs);
	for (uint32_t k = 0; k < wqes * segs; k++)
		scatter_entry(q->rq.buf + (size_t)k * 16, q, k, bytes);
}

void
rig_rq_open_stride(unsigned int i, uint32_t wqes, unsigned int stride, unsigned int strides)
{
	struct rig_rq *q = &rig.rq[i];

	rq_open(i, wqes, 32, 1);
	q->rq.stride_log = (uint8_t)stride;
	q->rq.strides_log = (uint8_t)strides;
	for (uint32_t k = 0; k < wqes; k++)
		scatter_entry(q->rq.buf + (size_t)k * 32 + 16, q, k, 1u << (stride + strides));
	cq_open(&q->cq, wqes << strides);
}

void
rig_rq_post(unsigned int i, uint32_t n)
{
	struct rig_rq *q = &rig.rq[i];

	q->posted = (uint16_t)(q->posted + n);
	q->rq.dbrec[MLX5_RCV_DBR] = htobe32(q->posted);
}

void
rig_rq_ready(unsigned int i)
{
	struct rig_rq *q = &rig.rq[i];

	cx5_rq_detach(&q->rq);
	q->rq.state = CX5_RESET;
	cx5_rq_reset(&q->rq);
	q->posted = 0;
	q->rq.dbrec[MLX5_RCV_DBR] = 0;
	q->rq.state = CX5_READY;
	assert_int_equal(cx5_rq_attach(&q->rq), 0);
}

uint8_t *
rig_rq_buffer(unsigned int i, uint16_t wqe, uint32_t seg)
{
	const struct rig_rq *q = &rig.rq[i];

	return q->buffer[(wqe & (q->rq.size - 1)) * q->rq.nb_seg + seg];
}

/* --- completions, as the manual has them --- */

static uint32_t
be32_at(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static uint16_t
be16_at(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint8_t *
cqe_at(const struct cx5_cq *cq, uint32_t ci)
{
	return cq->buf + (size_t)(ci & (cq->size - 1)) * 64;
}

static bool
is_mine(const struct cx5_cq *cq, uint32_t ci)
{
	uint8_t op_own = cqe_at(cq, ci)[63];

	return (op_own & 1) == ((ci & cq->size) != 0) && op_own >> 4 != 0xf;
}

static void
read_bytes(struct rig_cqe *cqe, uint32_t bytes)
{
	cqe->bytes = bytes & 0xffff;
	cqe->strides = (uint16_t)(bytes >> 16 & 0x3fff);
	cqe->filler = bytes >> 31 != 0;
}

static void
read_cqe(struct rig_cqe *cqe, const uint8_t *at)
{
	*cqe = (struct rig_cqe){ .opcode = at[63] >> 4,
				 .syndrome = at[63] >> 4 >= 13 ? at[55] : 0,
				 .wqe_id = be16_at(at + 2),
				 .hash = be32_at(at + 12),
				 .hash_type = at[16],
				 .types = be16_at(at + 28),
				 .vlan = be16_at(at + 30),
				 .mark = be32_at(at + 56),
				 .counter = be16_at(at + 60) };
	read_bytes(cqe, be32_at(at + 44));
}

/* A session: slot 0 the title, the arrays of 8 at 1, 8, 16, ...; invalid once they are read. */
static void
read_mini(struct rig_rq *q, struct rig_cqe *cqe)
{
	uint32_t first = q->next - (q->left + q->at);
	const uint8_t *array = cqe_at(&q->cq, first + (q->at < 8 ? 1 : q->at & ~7u));
	const uint8_t *mini = array + (q->at & 7) * 8;

	*cqe = q->title;
	cqe->mini = true;
	if (q->cq.stride_mini) {
		cqe->counter = be16_at(mini + 2);
		cqe->hash = be16_at(mini); /* the checksum, in fact */
	} else {
		cqe->hash = be32_at(mini);
		cqe->counter = (uint16_t)(q->title.counter + q->at);
	}
	read_bytes(cqe, be32_at(mini + 4));
	q->at++;
	if (--q->left > 0)
		return;
	for (uint32_t ci = first; ci != q->next; ci++)
		cqe_at(&q->cq, ci)[63] = 0xf0;
	q->ci = q->next;
}

bool
rig_rq_poll(unsigned int i, struct rig_cqe *cqe)
{
	struct rig_rq *q = &rig.rq[i];
	const uint8_t *at = cqe_at(&q->cq, q->ci);

	if (q->left > 0) {
		read_mini(q, cqe);
	} else if (!is_mine(&q->cq, q->ci)) {
		return false;
	} else if ((at[63] >> 2 & 3) == 3) {
		read_cqe(&q->title, at);
		q->left = be32_at(at + 44);
		q->at = 0;
		q->next = q->ci + q->left;
		assert_in_range(q->left, 2, 64);
		assert_true((q->ci & (q->cq.size - 1)) + q->left <= q->cq.size);
		read_mini(q, cqe);
	} else {
		read_cqe(cqe, at);
		q->ci++;
	}
	q->cq.dbrec[0] = htobe32(q->ci & 0xffffff);
	return true;
}

unsigned int
rig_receive(const uint8_t *frame, uint32_t len, bool wait)
{
	struct soft_frame f = { .data = frame, .len = len };

	return cx5_receive(&rig.port, &f, 1, wait);
}

/* --- transmit --- */

void
rig_sq_open(unsigned int i, uint32_t blocks)
{
	struct rig_sq *q = &rig.sq[i];

	memset(q, 0, sizeof(*q));
	cq_open(&q->cq, blocks);
	q->sq = (struct cx5_sq){
		.nic = &rig.nic, .cq = &q->cq, .size = blocks, .sqn = 0x200 + i, .state = CX5_READY
	};
	q->sq.buf = ring(blocks * 64);
	q->sq.dbrec = ring(8);
	assert_int_equal(cx5_sq_attach(&q->sq), 0);
}

bool
rig_sq_poll(unsigned int i, struct rig_cqe *cqe)
{
	struct rig_sq *q = &rig.sq[i];

	if (!is_mine(&q->cq, q->ci))
		return false;
	read_cqe(cqe, cqe_at(&q->cq, q->ci));
	q->ci++;
	q->cq.dbrec[0] = htobe32(q->ci & 0xffff); /* as the PMD writes it */
	return true;
}

void
rig_wqe_pointer(struct rig_wqe *wqe, const void *data, uint32_t len, uint32_t lkey_be)
{
	struct mlx5_wqe_data_seg seg = { .byte_count = htobe32(len),
					 .lkey = lkey_be,
					 .addr = htobe64((uintptr_t)data) };

	assert_true(wqe->bytes + 16 <= sizeof(wqe->body));
	memcpy(wqe->body + wqe->bytes, &seg, sizeof(seg));
	wqe->bytes += 16;
}

void
rig_wqe_inline(struct rig_wqe *wqe, const void *data, uint32_t len)
{
	uint32_t count_be = htobe32(len | 1u << 31);

	assert_true(wqe->bytes + 4 + len <= sizeof(wqe->body));
	memcpy(wqe->body + wqe->bytes, &count_be, 4);
	memcpy(wqe->body + wqe->bytes + 4, data, len);
	wqe->bytes += (4 + len + 15) & ~15u;
}

/* Bytes from at on, round the end of the ring. */
static void
put(struct rig_sq *q, uint32_t at, const void *data, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		q->sq.buf[(at + i) & (q->sq.size * 64 - 1)] = ((const uint8_t *)data)[i];
}

void
rig_wqe_post(struct rig_wqe *wqe)
{
	struct rig_sq *q = &rig.sq[wqe->sq];
	uint32_t at = q->pi * 64u, more = wqe->header > 2 ? wqe->header - 2u : 0;
	uint32_t headers = (more + 15) & ~15u, ds = 2 + (headers + wqe->bytes) / 16;
	struct mlx5_wqe_ctrl_seg ctrl = { .fm_ce_se = (uint8_t)(wqe->ce << 2) };
	uint8_t eth[16] = { [4] = wqe->cs_flags };
	uint16_t mss_be = htobe16(wqe->mss), size_be = htobe16(wqe->header);
	uint16_t vlan_be = htobe16(wqe->vlan);

	assert_in_range(ds, 2, 63);
	ctrl.opmod_idx_opcode = htobe32((uint32_t)q->pi << 8 | wqe->opcode);
	ctrl.qpn_ds = htobe32(q->sq.sqn << 8 | ds);
	memcpy(eth + 6, &mss_be, 2);
	if (wqe->vlan != 0) {
		size_be = htobe16(1u << 15);
		memcpy(eth + 14, &vlan_be, 2);
	} else if (wqe->header != 0) {
		memcpy(eth + 14, wqe->inline_header, wqe->header < 2 ? wqe->header : 2);
	}
	memcpy(eth + 12, &size_be, 2);
	put(q, at, &ctrl, 16);
	put(q, at + 16, eth, 16);
	if (more > 0)
		put(q, at + 32, wqe->inline_header + 2, more);
	put(q, at + 32 + headers, wqe->body, wqe->bytes);
	q->pi = (uint16_t)(q->pi + (ds + 3) / 4);
	q->sq.dbrec[MLX5_SND_DBR] = htobe32(q->pi);
}

unsigned int
rig_transmit(unsigned int max)
{
	return cx5_transmit(&rig.port, rig.out, max);
}

/* --- frames --- */

static uint16_t
sum16(const uint8_t *data, uint32_t len, uint32_t sum)
{
	for (uint32_t i = 0; i < len; i++)
		sum += i & 1 ? data[i] : (uint32_t)data[i] << 8;
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

uint8_t *
rig_frame(const struct rig_frame *spec)
{
	uint8_t *f = keep(malloc(spec->len)), *p = f + 12, *ip, *l4;
	uint32_t l4_len, at;
	uint16_t sum;

	for (uint32_t i = 0; i < spec->len; i++)
		f[i] = (uint8_t)(i * 7 + spec->seed);
	f[0] = 2; /* unicast */
	if (spec->tag != 0) {
		memcpy(p, (uint8_t[]){ 0x81, 0, spec->tag >> 8, spec->tag & 0xff }, 4);
		p += 4;
	}
	if (spec->tag2 != 0) {
		memcpy(p, (uint8_t[]){ 0x81, 0, spec->tag2 >> 8, spec->tag2 & 0xff }, 4);
		p += 4;
	}
	p[0] = 8;
	p[1] = 0;
	ip = p + 2;
	l4 = ip + 20;
	l4_len = spec->len - (uint32_t)(l4 - f);
	memcpy(ip,
	       (uint8_t[]){ 0x45,
			    0,
			    (l4_len + 20) >> 8,
			    (l4_len + 20) & 0xff,
			    0,
			    spec->seed,
			    0,
			    0,
			    64,
			    spec->tcp ? 6 : 17,
			    0,
			    0,
			    198,
			    18,
			    0,
			    1,
			    198,
			    19,
			    0,
			    1 },
	       20);
	sum = sum16(ip, 20, spec->bad_ip);
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
	at = spec->tcp ? 16 : 6;
	if (spec->tcp) {
		l4[12] = 5 << 4;
		l4[13] = 0x10 | 0x08 | 0x01; /* ACK, PSH, FIN */
	} else {
		l4[4] = (uint8_t)(l4_len >> 8);
		l4[5] = (uint8_t)l4_len;
	}
	l4[at] = 0;
	l4[at + 1] = 0;
	sum = sum16(l4, l4_len,
		    (uint16_t)~sum16(ip + 12, 8, 0) + (spec->tcp ? 6u : 17u) + l4_len +
			    spec->bad_l4);
	l4[at] = (uint8_t)(sum >> 8);
	l4[at + 1] = (uint8_t)sum;
	return f;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/slow_rig.h"

#include <rte_eal.h>
#include <rte_mempool.h>
#include <rte_ring.h>

struct rig rig;
static struct rte_mempool *pool;

const uint8_t *
rig_mac(uint16_t port)
{
	static uint8_t mac[4][6];

	memcpy(mac[port], (const uint8_t[]){ 2, 0, 0, 0, 1, (uint8_t)port }, 6);
	return mac[port];
}

const uint8_t *
rig_peer_mac(uint8_t last)
{
	static uint8_t mac[256][6];

	memcpy(mac[last], (const uint8_t[]){ 2, 0, 0, 0, 0xee, last }, 6);
	return mac[last];
}

unsigned int
rig_free_mbufs(void)
{
	return rte_mempool_avail_count(pool);
}

static uint64_t
rig_clock(void)
{
	return rig.now_us;
}

static void
dirty(struct rte_mempool *mp, void *arg, void *obj, unsigned int i)
{
	struct rte_mbuf *m = obj;

	(void)mp;
	(void)arg;
	(void)i;
	memset(m->buf_addr, 0xa5, m->buf_len);
}

static char *
text(const char *s)
{
	return (char *)(uintptr_t)s;
}

int
rig_group_start(void **state)
{
	char *argv[] = { text("slow"),
			 text("--no-huge"),
			 text("-m"),
			 text("64"),
			 text("--no-pci"),
			 text("--no-telemetry"),
			 text("-l"),
			 text("0"),
			 text("--no-shconf"),
			 text("--log-level=lib.eal:error"),
			 NULL };

	(void)state;
	if (pool != NULL)
		return 0;
	if (rte_eal_init(RTE_DIM(argv) - 1, argv) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create("rig", RIG_MBUFS, 0, 0, RTE_PKTMBUF_HEADROOM + 256,
				       SOCKET_ID_ANY);
	if (pool == NULL)
		return -1;
	/* What was in a buffer before must not leave with a frame of ours. */
	rte_mempool_obj_iter(pool, dirty, NULL);
	return 0;
}

void
rig_check(void)
{
	struct ledger_row row;
	uint64_t up = 0, down = 0;

	for (unsigned int i = 0; i < RIG_RINGS; i++) {
		up += rte_ring_count(rig.ring[i].up);
		down += rte_ring_count(rig.ring[i].down);
	}
	assert_int_equal(rig.stats.seq % 2, 0);
	ledger_row(&row, &rig.stats);
	assert_int_equal(row.unaccounted, 0);
	assert_int_equal(row.received, 0);
	assert_int_equal(row.sent, 0);
	assert_int_equal(row.taken_in + up, rig.punted);
	assert_int_equal(row.handed_out, rig.collected + down);
	if (rig.slow != NULL) {
		struct slow_info info;

		slow_info(rig.slow, &info);
		assert_int_equal(row.held, info.held);
		assert_true(info.held <= info.held_max);
	}
}

void
rig_restart(const struct slow_config *cfg)
{
	struct slow_config full = *cfg;
	struct err err;

	slow_destroy(rig.slow);
	rig.slow = NULL;
	full.router = net_router();
	full.stats = &rig.stats;
	full.rings = rig.ring;
	full.nb_rings = RIG_RINGS;
	full.pool = pool;
	if (slow_create(&rig.slow, &full, &err) != 0)
		fail_msg("%s", err.text);
	rig.slow->clock = rig_clock;
}

static struct rte_ring *
make_ring(const char *kind, unsigned int i)
{
	char name[32];
	struct rte_ring *r;

	snprintf(name, sizeof(name), "%s%u", kind, i);
	r = rte_ring_create(name, RIG_SLOTS, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	assert_non_null(r);
	return r;
}

int
rig_start(void **state)
{
	(void)state;
	memset(&rig, 0, sizeof(rig));
	rig.now_us = 1000 * 1000000ull;
	net_before_set = NULL;
	net_start();
	for (unsigned int i = 0; i < RIG_RINGS; i++) {
		rig.ring[i].up = make_ring("up", i);
		rig.ring[i].down = make_ring("down", i);
	}
	rig_restart(&(struct slow_config){ .hold_per_neigh = 8, .hold_total = 24 });
	return 0;
}

int
rig_stop(void **state)
{
	struct rig_frame f;

	(void)state;
	for (unsigned int i = 0; i < 100 && !slow_idle(rig.slow); i++)
		rig_poll();
	rig_check();
	slow_destroy(rig.slow);
	rig.slow = NULL;
	assert_int_equal(rig.stats.held, 0);
	rig_check();
	for (uint16_t i = 0; i < RIG_RINGS; i++) {
		while (rig_take(i, &f))
			;
		rte_ring_free(rig.ring[i].up);
		rte_ring_free(rig.ring[i].down);
	}
	net_stop();
	assert_int_equal(rig_free_mbufs(), RIG_MBUFS);
	return 0;
}

static void
free_block(void *addr, void *shared)
{
	free(addr);
	free(shared);
}

static struct rte_mbuf *
exact(const uint8_t *bytes, uint16_t len)
{
	struct rte_mbuf_ext_shared_info *shared = calloc(1, sizeof(*shared));
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	uint8_t *block = malloc(len == 0 ? 1 : len);

	assert_true(m != NULL && block != NULL && shared != NULL);
	if (len > 0)
		memcpy(block, bytes, len);
	shared->free_cb = free_block;
	shared->fcb_opaque = shared;
	rte_mbuf_ext_refcnt_set(shared, 1);
	rte_pktmbuf_attach_extbuf(m, block, (uintptr_t)block, len, shared);
	m->data_len = len;
	m->pkt_len = len;
	return m;
}

struct rte_mbuf *
rig_mbuf(const uint8_t *bytes, uint16_t len, uint16_t first, uint16_t rest)
{
	uint16_t done = first == 0 || first > len ? len : first;
	struct rte_mbuf *head = exact(bytes, done), *tail = head;

	while (done < len) {
		uint16_t n =
			rest == 0 ? (uint16_t)(len - done) : RTE_MIN(rest, (uint16_t)(len - done));

		tail->next = exact(bytes + done, n);
		tail = tail->next;
		head->nb_segs++;
		head->pkt_len += n;
		done = (uint16_t)(done + n);
	}
	return head;
}

void
rig_punt(uint16_t ring, struct rte_mbuf *m, uint16_t port, enum verdict v, uint8_t l3_off)
{
	punt_tag_set(m, port, (struct punt_tag){ .verdict = (uint8_t)v, .l3_off = l3_off });
	assert_int_equal(rte_ring_enqueue(rig.ring[ring].up, m), 0);
	rig.punted++;
}

unsigned int
rig_poll(void)
{
	unsigned int n = slow_poll(rig.slow);

	rig_check();
	return n;
}

void
rig_tick(uint64_t after_us)
{
	rig.now_us += after_us;
	slow_tick(rig.slow, rig.now_us);
	rig_check();
}

bool
rig_take(uint16_t ring, struct rig_frame *f)
{
	struct rte_mbuf *m;
	const void *data;

	if (rte_ring_dequeue(rig.ring[ring].down, (void **)&m) != 0)
		return false;
	rig.collected++;
	rte_mbuf_sanity_check(m, 1);
	assert_true(m->pkt_len <= sizeof(f->b));
	f->port = m->port;
	f->len = (uint16_t)m->pkt_len;
	f->segments = m->nb_segs;
	data = rte_pktmbuf_read(m, 0, m->pkt_len, f->b);
	assert_non_null(data);
	if (data != f->b)
		memcpy(f->b, data, f->len);
	rte_pktmbuf_free(m);
	return true;
}

void
rig_none(void)
{
	for (unsigned int i = 0; i < RIG_RINGS; i++)
		assert_int_equal(rte_ring_count(rig.ring[i].down), 0);
}

uint64_t
rig_dropped(enum verdict v)
{
	return rig.stats.dropped[v];
}

uint16_t
rig_arp_build(uint8_t *out, const struct rig_arp *a)
{
	const uint8_t *sha = a->sha != NULL ? a->sha : rig_peer_mac(1);
	struct rte_arp_hdr arp = {
		.arp_hardware = RTE_BE16(RTE_ARP_HRD_ETHER),
		.arp_protocol = RTE_BE16(RTE_ETHER_TYPE_IPV4),
		.arp_hlen = 6,
		.arp_plen = 4,
		.arp_opcode = rte_cpu_to_be_16(a->op != 0 ? a->op : RTE_ARP_OP_REQUEST),
		.arp_data.arp_sip = rte_cpu_to_be_32(a->sip),
		.arp_data.arp_tip = rte_cpu_to_be_32(a->tip),
	};
	static const uint8_t tag[4] = { 0x81, 0, 0, 0 }, type[2] = { 0x08, 0x06 };
	uint16_t n = 12;

	memset(out, 0xff, 6);
	memcpy(out + 6, a->eth_src != NULL ? a->eth_src : sha, 6);
	memcpy(&arp.arp_data.arp_sha, sha, 6);
	if (a->tag) {
		memcpy(out + n, tag, 4);
		n = (uint16_t)(n + 4);
	}
	memcpy(out + n, type, 2);
	n = (uint16_t)(n + 2);
	memcpy(out + n, &arp, sizeof(arp));
	return (uint16_t)(n + sizeof(arp));
}

void
rig_arp(uint16_t ring, uint16_t port, const struct rig_arp *a)
{
	uint8_t b[64];
	uint16_t n = rig_arp_build(b, a);

	rig_punt(ring, rig_mbuf(b, n, 0, 0), port, VERDICT_PUNT_ARP, a->tag ? 18 : 14);
	assert_int_equal(rig_poll(), 1);
}

void
rig_is_arp(const struct rig_frame *f, uint16_t op, uint16_t port, const uint8_t *eth_dst,
	   uint32_t sip, uint32_t tip)
{
	static const uint8_t all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t fixed[8] = { 0x08, 0x06, 0, 1, 8, 0, 6, 4 };
	struct rte_arp_hdr arp;

	assert_int_equal(f->port, port);
	assert_int_equal(f->len, 60);
	assert_memory_equal(f->b, eth_dst != NULL ? eth_dst : all, 6);
	assert_memory_equal(f->b + 6, rig_mac(port), 6);
	assert_memory_equal(f->b + 12, fixed, sizeof(fixed));
	memcpy(&arp, f->b + 14, sizeof(arp));
	assert_int_equal(rte_be_to_cpu_16(arp.arp_opcode), op);
	assert_memory_equal(&arp.arp_data.arp_sha, rig_mac(port), 6);
	assert_int_equal(rte_be_to_cpu_32(arp.arp_data.arp_sip), sip);
	assert_int_equal(rte_be_to_cpu_32(arp.arp_data.arp_tip), tip);
	if (op == RTE_ARP_OP_REPLY)
		assert_memory_equal(&arp.arp_data.arp_tha, f->b, 6);
	for (unsigned int i = 42; i < 60; i++)
		assert_int_equal(f->b[i], 0);
}

void
rig_packet(uint16_t ring, const struct frame_spec *spec)
{
	static uint8_t b[UINT16_MAX];
	uint16_t n = frame_build(b, spec);

	rig_punt(ring, rig_mbuf(b, n, 0, 0), 0, VERDICT_PUNT_RESOLVE, spec->tagged ? 18 : 14);
}

void
rig_is_packet(const struct rig_frame *f, uint16_t port, const uint8_t *dst_mac, uint16_t id,
	      uint8_t ttl)
{
	struct rte_ipv4_hdr ip;

	assert_int_equal(f->port, port);
	assert_memory_equal(f->b, dst_mac, 6);
	assert_memory_equal(f->b + 6, rig_mac(port), 6);
	assert_int_equal(f->b[12] << 8 | f->b[13], RTE_ETHER_TYPE_IPV4);
	memcpy(&ip, f->b + 14, sizeof(ip));
	assert_int_equal(rte_be_to_cpu_16(ip.total_length) + 14, f->len);
	assert_int_equal(rte_be_to_cpu_16(ip.packet_id), id);
	assert_int_equal(ip.time_to_live, ttl);
	assert_int_equal(rte_raw_cksum(f->b + 14, rte_ipv4_hdr_len(&ip)), 0xffff);
}

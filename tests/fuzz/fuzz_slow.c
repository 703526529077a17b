/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/slow_rig.h"

/*
 * Arbitrary frames, in arbitrary segments, at lib/slow.  An input is a list of steps:
 *
 *	what (1 byte)  bits 0-1: ARP, local, resolve, or a tick; 2: ring; 3: behind a tag; 4: port
 *	first, rest    segment sizes, see rig_mbuf(); of a tick: its length in 50 ms
 *	length         of the frame, then the frame
 *
 * Whatever comes, the ledger closes after each step, every buffer is back at the end, and what
 * leaves has the form of a frame of ours.  Built with clang -fsanitize=fuzzer this is a libFuzzer
 * target; with FUZZ_STANDALONE it feeds itself damaged frames, the same ones in each run.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define STEP_HEAD 4

static void
look_at(const struct rig_frame *f)
{
	uint16_t type = (uint16_t)(f->b[12] << 8 | f->b[13]);

	assert_true(f->port < 2);
	assert_memory_equal(f->b + 6, rig_mac(f->port), 6);
	if (type == RTE_ETHER_TYPE_ARP) {
		assert_int_equal(f->len, 60);
		return;
	}
	assert_int_equal(type, RTE_ETHER_TYPE_IPV4);
	assert_int_equal(f->b[0] & 1, 0);
	assert_int_equal(f->len, 14 + (f->b[16] << 8 | f->b[17]));
}

static int
is_sound(struct neigh *n, void *arg)
{
	struct rte_ether_addr mac;

	(void)arg;
	if (!neigh_has_mac(n))
		return 0;
	mac = n->mac;
	assert_true(rte_is_valid_assigned_ether_addr(&mac));
	assert_memory_not_equal(&mac, rig_mac(0), 6);
	assert_memory_not_equal(&mac, rig_mac(1), 6);
	return 0;
}

static void
collect(void)
{
	struct rig_frame f;

	for (uint16_t ring = 0; ring < RIG_RINGS; ring++) {
		while (rig_take(ring, &f))
			look_at(&f);
	}
}

static size_t
step(const uint8_t *data, size_t len)
{
	static const enum verdict verdict[3] = { VERDICT_PUNT_ARP, VERDICT_PUNT_LOCAL,
						 VERDICT_PUNT_RESOLVE };
	uint8_t what = data[0];
	uint16_t n = (uint16_t)RTE_MIN((size_t)data[3], len - STEP_HEAD);

	if ((what & 3) == 3) {
		rig_tick(data[1] * 50000ull);
		if (what & 4)
			collect();
		return STEP_HEAD;
	}
	rig_punt(what >> 2 & 1, rig_mbuf(data + STEP_HEAD, n, data[1], data[2]), what >> 4 & 1,
		 verdict[what & 3], what & 8 ? 18 : 14);
	/* Sometimes several to a poll. */
	if (what & 0x20 || slow_idle(rig.slow) || rte_ring_full(rig.ring[0].up) ||
	    rte_ring_full(rig.ring[1].up))
		rig_poll();
	return (size_t)(STEP_HEAD + n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (rig_group_start(NULL) != 0)
		abort();
	rte_log_set_global_level(RTE_LOG_ERR); /* address conflicts are what is tried here */
	rig_start(NULL);
	net_route(IP4(203, 0, 113, 0), 24, IP4(10, 1, 0, 9));
	net_route_dev(IP4(198, 51, 100, 0), 24, 1);
	net_neigh_add(1, IP4(10, 1, 0, 7), rig_peer_mac(7));
	/* Fewer steps than there are buffers, whatever the segments. */
	for (unsigned int steps = 0; len >= STEP_HEAD && steps < 1000; steps++) {
		size_t used = step(data, len);

		data += used;
		len -= used;
		if (rig_free_mbufs() < 300) {
			rig_poll();
			collect();
		}
	}
	rig_poll();
	neigh_walk(router_neighs(net_router()), is_sound, NULL);
	collect();
	rig_stop(NULL);
	return 0;
}

#ifdef FUZZ_STANDALONE

#define RUNS      3000
#define STEPS_MAX 40

/* Marsaglia's xorshift: the same frames on every machine. */
static uint32_t
below(uint32_t n)
{
	static uint32_t x = 2463534242u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x % n;
}

static uint32_t
some_address(void)
{
	static const uint32_t ip[] = {
		IP4(10, 0, 0, 1),    IP4(10, 1, 0, 1),        IP4(10, 0, 0, 9),
		IP4(10, 1, 0, 9),    IP4(10, 1, 0, 7),        IP4(10, 1, 0, 255),
		IP4(203, 0, 113, 5), IP4(198, 51, 100, 3),    IP4(192, 0, 2, 1),
		IP4(224, 0, 0, 1),   IP4(255, 255, 255, 255), 1,
	};

	return ip[below(RTE_DIM(ip))];
}

static uint16_t
some_packet(uint8_t *b, uint8_t *what)
{
	struct frame_spec s = {
		.src = some_address(),
		.dst = some_address(),
		.id = (uint16_t)below(65536),
		.payload = (uint16_t)(1 + below(60)),
		.padding = (uint16_t)below(20),
		.nb_options = below(4) == 0 ? (uint8_t)(4 * below(11)) : 0,
		.proto = below(3) ? IPPROTO_ICMP : IPPROTO_UDP,
		.tagged = *what >> 3 & 1,
	};
	uint16_t n = frame_build(b, &s), off = (uint16_t)((s.tagged ? 38 : 34) + s.nb_options);
	uint32_t sum = 0;

	if (s.proto != IPPROTO_ICMP || s.payload < 8)
		return n;
	memset(b + off, 0, 4);
	b[off] = 8;
	for (uint16_t i = 0; i < s.payload; i++)
		sum += i % 2 ? b[off + i] : (uint32_t)b[off + i] << 8;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16)) & 0xffff;
	b[off + 2] = (uint8_t)(sum >> 8);
	b[off + 3] = (uint8_t)sum;
	return n;
}

static uint16_t
some_arp(uint8_t *b, const uint8_t *what)
{
	struct rig_arp a = {
		.op = (uint16_t)(1 + below(2)),
		.tag = *what >> 3 & 1,
		.sha = below(10) ? rig_peer_mac((uint8_t)below(8)) : rig_mac((uint16_t)below(2)),
		.sip = below(8) ? some_address() : 0,
		.tip = some_address(),
	};

	return rig_arp_build(b, &a);
}

/* A step around a good frame, damaged more often than not; its length. */
static size_t
some_step(uint8_t *b)
{
	uint8_t frame[UINT8_MAX + 200];
	uint16_t n;

	b[0] = (uint8_t)below(256);
	b[1] = (uint8_t)(below(2) ? below(80) : 0);
	b[2] = (uint8_t)(b[1] && below(2) ? 1 + below(30) : 0);
	b[3] = 0;
	if ((b[0] & 3) == 3)
		return STEP_HEAD;
	n = (b[0] & 3) == 0 ? some_arp(frame, b) : some_packet(frame, b);
	n = RTE_MIN(n, (uint16_t)UINT8_MAX);
	for (uint32_t i = below(4); i > 0; i--)
		frame[below(n)] = (uint8_t)below(256);
	if (below(8) == 0)
		n = (uint16_t)below(n);
	b[3] = (uint8_t)n;
	memcpy(b + STEP_HEAD, frame, n);
	return (size_t)(STEP_HEAD + n);
}

int
main(void)
{
	static uint8_t input[STEPS_MAX * (STEP_HEAD + UINT8_MAX)];

	for (unsigned int run = 0; run < RUNS; run++) {
		size_t len = 0;

		for (uint32_t i = 1 + below(STEPS_MAX - 1); i > 0; i--)
			len += some_step(input + len);
		LLVMFuzzerTestOneInput(input, len);
	}
	printf("%u lists of frames\n", RUNS);
	return 0;
}

#endif

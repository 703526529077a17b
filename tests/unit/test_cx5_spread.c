/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive-side scaling of the ConnectX-5 model: the hash is rte_softrss() over the selected fields
 * that the frame has, in every combination.
 */
#include "drivers/mlx5/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <rte_thash.h>

#include <cmocka.h>

static struct cx5_tir tir;
static struct cx5_rqt rqt;
static struct cx5_rq rq[64];
static uint8_t key[TOEPLITZ_KEY];

/* A frame with random addresses and ports; protocol of the IP header, 0: ARP. */
static uint32_t
build(uint8_t *frame, struct hdr *hdr, int version, uint8_t protocol, bool fragment)
{
	uint32_t len = 110;

	for (uint32_t i = 0; i < len; i++)
		frame[i] = (uint8_t)rand();
	frame[12] = version == 4 || version == 0 ? 0x08 : 0x86;
	frame[13] = version == 4 ? 0x00 : version == 0 ? 0x06 : 0xdd;
	if (version == 4) {
		frame[14] = 0x45;
		frame[16] = 0;
		frame[17] = 80;
		frame[20] = fragment ? 0x20 : 0;
		frame[21] = 0;
		frame[23] = protocol;
	} else if (version == 6) {
		frame[14] = 0x60;
		frame[18] = 0;
		frame[19] = 50;
		frame[20] = fragment ? 44 : protocol;
	}
	hdr_parse(hdr, frame, len);
	return len;
}

/* The selected bytes in order, as big-endian dwords, a lone port in the high half of the last. */
static uint32_t
oracle(uint64_t fields, const struct hdr *hdr, const uint8_t *frame, uint8_t *type)
{
	uint8_t input[40] = { 0 };
	uint32_t words[10];
	unsigned int n = 0;
	uint32_t kind_l3 = hdr->l3 == HDR_L3_IPV4 ? 1 : 2, kind_l4 = hdr->l4 == HDR_L4_TCP ? 1 : 2;
	uint64_t src = hdr->l3 == HDR_L3_IPV4   ? IBV_RX_HASH_SRC_IPV4
		       : hdr->l3 == HDR_L3_IPV6 ? IBV_RX_HASH_SRC_IPV6
						: 0;
	uint64_t sport = hdr->l4 == HDR_L4_TCP   ? IBV_RX_HASH_SRC_PORT_TCP
			 : hdr->l4 == HDR_L4_UDP ? IBV_RX_HASH_SRC_PORT_UDP
						 : 0;
	unsigned int len = hdr->l3 == HDR_L3_IPV4 ? 4 : 16;
	const uint8_t *ip = frame + hdr->l3_at + (len == 4 ? 12 : 8);

	*type = 0;
	for (unsigned int i = 0; i < 2; i++) {
		if (!(fields & src << i))
			continue;
		memcpy(input + n, ip + i * len, len);
		n += len;
		*type |= (uint8_t)(kind_l3 << (2 * i));
	}
	for (unsigned int i = 0; i < 2; i++) {
		if (!(fields & sport << i))
			continue;
		memcpy(input + n, frame + hdr->l4_at + 2 * i, 2);
		n += 2;
		*type |= (uint8_t)(kind_l4 << (4 + 2 * i));
	}
	for (unsigned int i = 0; i < 10; i++)
		words[i] = (uint32_t)input[4 * i] << 24 | (uint32_t)input[4 * i + 1] << 16 |
			   (uint32_t)input[4 * i + 2] << 8 | input[4 * i + 3];
	return rte_softrss(words, (n + 3) / 4, key);
}

static void
the_hash_is_that_of_softrss(void **state)
{
	static const struct {
		int version;
		uint8_t protocol;
		bool fragment;
	} kinds[] = {
		{ 4, 6, false },   { 4, 17, false }, { 4, 1, false },  { 4, 17, true },
		{ 4, 132, false }, { 6, 6, false },  { 6, 17, false }, { 6, 58, false },
		{ 6, 6, true },    { 0, 0, false },
	};

	(void)state;
	for (unsigned int fields = 0; fields < 256; fields++) {
		for (unsigned int i = 0; i < 2 * sizeof(kinds) / sizeof(kinds[0]); i++) {
			uint8_t frame[128], type, want_type;
			unsigned int k = i / 2;
			struct hdr hdr;
			uint32_t hash, want;
			struct cx5_rq *got;

			for (unsigned int b = 0; b < sizeof(key); b++)
				key[b] = (uint8_t)rand();
			toeplitz_init(&tir.toeplitz, key);
			tir.fields = fields;
			rqt.n = 1u << rand() % 7;
			build(frame, &hdr, kinds[k].version, kinds[k].protocol, kinds[k].fragment);
			want = oracle(fields, &hdr, frame, &want_type);
			got = cx5_spread(&tir, &hdr, frame, &hash, &type);
			if (hash != want || type != want_type || got != &rq[want & (rqt.n - 1)])
				fail_msg("fields 0x%x, kind %u: hash 0x%x, want 0x%x; type 0x%x, "
					 "want 0x%x",
					 fields, k, hash, want, type, want_type);
		}
	}
}

static void
a_symmetric_hash_does_not_know_the_direction(void **state)
{
	uint8_t there[128], back[128], type;
	uint32_t hash[2], plain;
	struct hdr hdr;

	(void)state;
	tir.fields = 0xff;
	build(there, &hdr, 4, 17, false);
	memcpy(back, there, sizeof(back));
	memcpy(back + 26, there + 30, 4);
	memcpy(back + 30, there + 26, 4);
	memcpy(back + 34, there + 36, 2);
	memcpy(back + 36, there + 34, 2);
	tir.symmetric = true;
	cx5_spread(&tir, &hdr, there, &hash[0], &type);
	cx5_spread(&tir, &hdr, back, &hash[1], &type);
	tir.symmetric = false;
	cx5_spread(&tir, &hdr, there, &plain, &type);
	assert_int_equal(hash[0], hash[1]);
	assert_int_not_equal(hash[0], plain);
}

static void
without_a_hash_the_first_queue_takes_all(void **state)
{
	struct cx5_rq alone = { 0 };
	struct cx5_tir direct = { .rq = &alone };
	uint8_t frame[128], type = 1;
	uint32_t hash = 1;
	struct hdr hdr;

	(void)state;
	build(frame, &hdr, 4, 17, false);
	assert_ptr_equal(cx5_spread(&direct, &hdr, frame, &hash, &type), &alone);
	assert_int_equal(hash | type, 0);
	tir.hash = false;
	hash = 1;
	assert_ptr_equal(cx5_spread(&tir, &hdr, frame, &hash, &type), &rq[0]);
	assert_int_equal(hash | type, 0);
	tir.hash = true;
}

static int
setup(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 64; i++)
		rqt.rq[i] = &rq[i];
	rqt.n = 64;
	tir.rqt = &rqt;
	tir.hash = true;
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hash_is_that_of_softrss),
		cmocka_unit_test(a_symmetric_hash_does_not_know_the_direction),
		cmocka_unit_test(without_a_hash_the_first_queue_takes_all),
	};

	srand(1);
	return cmocka_run_group_tests(tests, setup, NULL);
}

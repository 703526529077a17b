/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Receive-side scaling: with each choice of hash functions a random key and a random indirection
 * table, every frame has the hash of rte_softrss() and the queue that the table has for it.  A frame
 * without a hash goes to queue 0 of an 82599, to the first entry's queue of a ConnectX-5.
 */
#define RETA  128
#define IPV4  RTE_ETH_RSS_IPV4
#define IPV6  RTE_ETH_RSS_IPV6
#define TCP4  RTE_ETH_RSS_NONFRAG_IPV4_TCP
#define UDP4  RTE_ETH_RSS_NONFRAG_IPV4_UDP
#define TCP6  RTE_ETH_RSS_NONFRAG_IPV6_TCP
#define UDP6  RTE_ETH_RSS_NONFRAG_IPV6_UDP
#define OWN   10 /* the first frames of the list are for the port's own address */
#define TURNS 8  /* random addresses and ports for each choice */

static const uint64_t choices[] = {
	IPV4,        IPV6,        UDP4,        TCP4,
	UDP6,        TCP6,        IPV4 | UDP4, IPV4 | TCP4,
	IPV6 | UDP6, IPV6 | TCP6, IPV4 | IPV6, IPV4 | IPV6 | UDP4 | TCP4 | UDP6 | TCP6,
};

static void
check(struct lab *lab, uint64_t rss_hf, const uint8_t *key, const uint16_t *reta)
{
	struct lab_seen seen[64];

	lab_send(lab, lab_frames, OWN, seen);
	for (unsigned int i = 0; i < OWN; i++) {
		const struct lab_frame *frame = &lab_frames[i];
		uint32_t hash = 0;
		bool hashed = lab_softrss(lab, frame, rss_hf, key, &hash);
		uint16_t queue = reta[hash % RETA];
		bool said = (seen[i].flags & RTE_MBUF_F_RX_RSS_HASH) != 0;

		if (seen[i].times != 1)
			lab_fail(lab, "0x%" PRIx64 " %s: came %u times", rss_hf, frame->name,
				 seen[i].times);
		else if (hashed && (!said || seen[i].hash != hash))
			lab_fail(lab, "0x%" PRIx64 " %s: hash 0x%x, want 0x%x", rss_hf, frame->name,
				 said ? seen[i].hash : 0, hash);
		else if (hashed && seen[i].queue != queue)
			lab_fail(lab, "0x%" PRIx64 " %s: queue %u, want %u; hash %u", rss_hf,
				 frame->name, seen[i].queue, queue, hash % RETA);
		else if (!hashed && seen[i].queue != (lab->conf.mlx5 ? reta[0] : 0))
			lab_fail(lab, "0x%" PRIx64 " %s: queue %u without a hash", rss_hf,
				 frame->name, seen[i].queue);
	}
}

static void
set_reta(struct lab *lab, uint16_t reta[RETA])
{
	struct rte_eth_rss_reta_entry64 entries[RETA / 64];
	int ret;

	for (unsigned int i = 0; i < RETA; i++) {
		reta[i] = (uint16_t)(rand() % LAB_QUEUES);
		entries[i / 64].mask = UINT64_MAX;
		entries[i / 64].reta[i % 64] = reta[i];
	}
	ret = rte_eth_dev_rss_reta_update(0, entries, RETA);
	if (ret < 0)
		lab_fail(lab, "the indirection table: %s", rte_strerror(-ret));
}

static void
randomize(struct lab *lab)
{
	for (unsigned int i = 0; i < OWN; i++) {
		struct lab_frame *frame = &lab_frames[i];

		for (unsigned int b = 0; b < 16; b++) {
			frame->from[b] = (uint8_t)rand();
			frame->to[b] = (uint8_t)rand();
		}
		frame->sport = (uint16_t)rand();
		frame->dport = (uint16_t)rand();
		lab_build(lab, frame);
	}
}

void
lab_rss(struct lab *lab)
{
	uint16_t reta[RETA];
	uint8_t key[40];

	lab->eth.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	lab->eth.rxmode.offloads = RTE_ETH_RX_OFFLOAD_RSS_HASH;
	srand(1);
	for (size_t i = 0; i < RTE_DIM(choices); i++) {
		for (unsigned int b = 0; b < sizeof(key); b++)
			key[b] = (uint8_t)rand();
		lab->eth.rx_adv_conf.rss_conf = (struct rte_eth_rss_conf){
			.rss_key = key, .rss_key_len = sizeof(key), .rss_hf = choices[i]
		};
		if (i > 0)
			lab_stop();
		lab_start(lab);
		set_reta(lab, reta);
		for (unsigned int turn = 0; turn < TURNS; turn++) {
			randomize(lab);
			check(lab, choices[i], key, reta);
		}
	}
}

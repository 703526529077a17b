/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_LAB_H
#define TEST_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>
#include <rte_mempool.h>

/*
 * Two software NICs of a kind at one cable, behind their production PMD, in lock-step: port 1 sends
 * frames of every sort, port 0 has queues, filters and rules, and what it does with each frame is
 * compared with what it is meant to do.
 *
 * One thread.  What differs is a line on stdout and makes the program fail.
 */
#define LAB_QUEUES 4
#define LAB_LEN    96 /* bytes of a frame; the last four are its number */
#define LAB_MARKED (RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID)

struct lab_conf {
	const char *program, *plugin, *devargs, *simd;
	bool mlx5;
	bool groups; /* the PMD has tables behind the root table */
};

/* A frame in words; lab_build() makes the bytes. */
struct lab_frame {
	const char *name;
	struct rte_ether_addr dst, src; /* dst zero: port 0's own */
	uint16_t vlan;                  /* 0: untagged */
	uint8_t version;                /* 4, 6; 0: ARP */
	uint8_t protocol;
	bool fragment;
	uint8_t from[16], to[16]; /* IPv4: the first four */
	uint16_t sport, dport;
	uint8_t bytes[LAB_LEN];
};

/* What became of it. */
struct lab_seen {
	unsigned int times; /* delivered */
	uint16_t queue;
	uint64_t flags; /* RTE_MBUF_F_RX_* */
	uint32_t mark, hash;
};

struct lab {
	struct lab_conf conf;
	struct rte_eth_conf eth;   /* of port 0 */
	struct rte_ether_addr mac; /* of port 0 */
	struct rte_mempool *pool;
	unsigned int failures;
};

int lab_open(struct lab *lab);
int lab_close(struct lab *lab); /* 0, or 1: there were failures, or mbufs are missing */
/* Port 0 with lab->eth; it was stopped or is not configured yet. */
void lab_start(struct lab *lab);
void lab_stop(void);
void lab_fail(struct lab *lab, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void lab_build(const struct lab *lab, struct lab_frame *frame);
/* All of them, once each. */
void lab_send(struct lab *lab, const struct lab_frame *frames, unsigned int n,
	      struct lab_seen *seen);
/* rte_softrss() of what the hash functions rss_hf take of a frame; false: nothing. */
bool lab_softrss(const struct lab *lab, const struct lab_frame *frame, uint64_t rss_hf,
		 const uint8_t key[40], uint32_t *hash);

/* Every frame of the labs' list; a lab may not be told more than there are. */
extern struct lab_frame lab_frames[];
extern const unsigned int lab_nb_frames;

void lab_error(struct lab *lab);
void lab_filter(struct lab *lab);
void lab_flow(struct lab *lab);
void lab_rss(struct lab *lab);

#endif

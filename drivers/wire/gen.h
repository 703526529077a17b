/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_GEN_H
#define WIRE_GEN_H

#include "drivers/wire/probe_build.h"

/*
 * The wire "gen", a source of test frames; what its files share.  Under the models' lock.
 *
 * Frame n (from 0) is of flow f and has number s there:
 *   run = 5 with spread=five, else 1;  f = n / run % flows;  s = n / run / flows * run + n % run.
 * A flow keeps its addresses and ports, so that its order is worth watching whatever the queues.
 */
#define GEN_SLOTS     SOFT_BATCH /* of each size: as many as frames wait to be taken at most */
#define GEN_SIZES     3
#define GEN_IMIX      12 /* frames after which sizes come in the same order again */
#define GEN_ORDER     (GEN_IMIX * GEN_SLOTS)
#define GEN_SIZE_MAX  9700
#define GEN_FLOWS_MAX (1u << 20)
#define GEN_FLOWS     65536 /* destinations when they are random and nobody said how many */

enum gen_spread { GEN_SINGLE, GEN_FIVE, GEN_RANDOM };
enum gen_full { GEN_FULL_AUTO, GEN_FULL_WAIT, GEN_FULL_DROP };

struct gen_conf {
	struct spec_prefix dst, src;
	uint32_t spread; /* enum gen_spread */
	char routes[256], template[256];
	uint32_t flows; /* 0: 1, or GEN_FLOWS */
	uint8_t dmac[6], smac[6];
	char size[8]; /* "imix" or bytes */
	uint32_t vlan, ttl, proto;
	bool sums;
	char rate[24]; /* "max" or frames a second */
	uint32_t full; /* enum gen_full */
	uint64_t count;
	uint32_t start; /* 1: manual */
	uint64_t after; /* ms */
	uint32_t burst;
	uint64_t seed; /* 0: that of the run */
};
extern const struct spec_opt gen_opts[];
extern const struct gen_conf gen_defaults;

#define GEN_RATE_MAX 0 /* of pace.rate: as fast as it goes */
struct gen_pace {
	uint64_t rate;     /* frames a second */
	uint64_t base_ns;  /* since when frames are due */
	uint64_t released; /* of those due since then: whole bursts */
	uint64_t given;    /* and made; since base_ns */
};

struct gen_template { /* a frame of a capture */
	uint8_t *data;
	uint32_t len;
	uint32_t tag_at; /* 0: no room, goes as it is */
	uint64_t w0;
};

struct gen {
	/* what fetch() touches */
	struct probe_flow *flow;
	uint32_t nb_flows, run;
	uint32_t at, in_run; /* the next frame's flow, place in its run */
	uint64_t seq;        /* number of the first frame of that run */
	unsigned int order_at, nb_order;
	uint8_t order[GEN_ORDER]; /* slots, in turn */
	struct probe_slot slot[GEN_SIZES * GEN_SLOTS];
	struct soft_frame ring[GEN_SLOTS];   /* made and not taken yet */
	unsigned int head, pending, offered; /* offered: by the last fetch() */
	bool started, waiting;               /* start said; "after" not over */
	uint64_t left;                       /* frames to make, UINT64_MAX: no end */
	struct gen_pace pace;

	uint64_t sent, waited;
	uint64_t bytes; /* with those that are pending */

	struct gen_template *template; /* instead of slots' own frames */
	uint32_t nb_templates;
	uint32_t burst, full;
	uint64_t after_ns;
	uint8_t *memory; /* of the slots */
};

/* gen_options.c: from conf to a gen that runs.  0, or negative errno with text. */
int gen_open(struct gen *gen, const struct soft_wire *wire, struct err *err);
void gen_close(struct gen *gen);
/* "max" or frames a second, as the option and the command have it. */
int gen_parse_rate(const char *text, uint64_t *rate, struct err *err);

/* gen_flows.c: who sends to whom */
int gen_flows_open(struct gen *gen, const struct gen_conf *conf, uint64_t seed, struct err *err);

/* gen_template.c */
int gen_template_open(struct gen *gen, const struct gen_conf *conf, uint8_t stream,
		      struct err *err);
void gen_template_close(struct gen *gen);
/* Template i as number seq of flow i into a slot. */
void gen_template_put(const struct gen *gen, uint32_t i, struct probe_slot *slot, uint64_t seq);

#endif

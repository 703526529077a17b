/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_SPEC_H
#define WIRE_SPEC_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The specification of software NICs and wires, SLUICE_NICS:
 *
 *   SPEC = ITEM { ";" ITEM }             blanks around everything are free
 *   ITEM = WORD { blank WORD }           a NIC, then the wires at its cable; or "run" alone
 *   WORD = KIND { "," KEY [ "=" VALUE ] }
 *
 * Without any NIC in it, each plugin brings two of its kind, cabled to each other.
 *
 *   run,cpu=0 ; 82599,queues=4 gen,dst=198.18.0.0/15,rate=1000000 sink ; 82599 pcap,out=OUT.pcap
 *
 * Pure text to structs; any thread.
 */
#define SPEC_WORD_MAX 4  /* of an item: one NIC, up to two wires, one to spare for the error */
#define SPEC_OPT_MAX  24 /* of a word */
#define SPEC_ITEM_MAX 34 /* 32 ports, "run" */

struct spec_word {
	const char *kind; /* points into spec.text */
	unsigned int nb_opts;
	struct {
		const char *key, *value; /* value NULL: the key stood alone */
	} opt[SPEC_OPT_MAX];
};
struct spec_item {
	unsigned int nb_words;
	struct spec_word word[SPEC_WORD_MAX];
};
struct spec {
	char *text; /* the copy that everything points into */
	unsigned int nb_items;
	struct spec_item item[SPEC_ITEM_MAX];
};
/* 0; -EINVAL names the place; -ENOMEM.  On success spec_free() releases it. */
int spec_parse(struct spec *spec, const char *text, struct err *err);
void spec_free(struct spec *spec);

/* What a kind takes after its name: a table from which parsing, help and documents come. */
enum spec_type {
	SPEC_FLAG,   /* KEY, KEY=on|off      -> bool */
	SPEC_U32,    /* decimal or 0x, k M G -> uint32_t, min..max */
	SPEC_U64,    /*                      -> uint64_t, min..max */
	SPEC_STRING, /*                      -> char [size] */
	SPEC_WORD,   /* one of words         -> uint32_t, its place */
	SPEC_MAC,    /*                      -> uint8_t [6] */
	SPEC_IP,     /*                      -> uint32_t, host order */
	SPEC_PREFIX, /* A.B.C.D[/LEN]        -> struct spec_prefix */
	SPEC_BDF,    /* 0000:01:00.0         -> char [16] */
};
struct spec_prefix {
	uint32_t addr; /* host order, no host bits */
	uint32_t depth;
};
struct spec_opt {
	const char *name; /* NULL ends the table */
	enum spec_type type;
	size_t at, size;          /* offset and size of the member */
	uint64_t min, max;        /* of a number; max 0: what the type holds */
	const char *const *words; /* SPEC_WORD; NULL ends */
	const char *help;         /* one line, with the default */
};
#define SPEC_AT(type, member) offsetof(type, member), sizeof(((type *)0)->member)

/*
 * The options of a word into conf, which holds the defaults already.  An unknown key, a value of
 * the wrong form or beyond its limits is -EINVAL with a text that names the word, the key, what is
 * allowed.
 */
int spec_options(const struct spec_word *word, const struct spec_opt *opts, void *conf,
		 struct err *err);

/* A whole number as SPEC_U64 has it; false when it is none, or above 64 bits. */
bool spec_number(const char *text, uint64_t *number);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_CMD_H
#define CTL_CMD_H

#include "base/err.h"
#include "cfg/route_spec.h"
#include "ctl/port_ops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_ether.h>

/*
 * The command tables.  A command is one row; what it accepts, its help and its completion all come
 * from there.  One control thread.
 */
#define CMD_WORDS_MAX 128 /* of one line: a route with every next hop spelled out takes 99 */

struct cmd;
struct ctl;

/* The words behind those of the row, as a parse function takes them one after the other. */
struct cmd_in {
	const struct cmd *cmd;
	char *const *word;
	unsigned int n, at;
	const struct port_ops *ports;
};

/* What the words meant.  Texts point into the line. */
struct cmd_args {
	uint16_t port; /* PORT_NONE: all */
	bool given;    /* an optional part was there */
	bool longer, on;
	uint8_t depth;
	uint32_t ip;
	uint64_t number;
	struct rte_ether_addr mac;
	const char *text;
	char *const *word; /* help: the words asked about */
	unsigned int nb_words;
	struct route_spec spec;
};

/* What a command file and its two passes need to know of a row. */
enum cmd_kind {
	CMD_PLAIN = 0,
	CMD_LATER,  /* a later issue brings it: -ENOTSUP */
	CMD_ROUTES, /* changes static routes: queued while "begin" is open */
	CMD_BEGIN,
	CMD_COMMIT,
	CMD_ABORT,
	CMD_START,
	CMD_STOP,
	CMD_QUIT,
	CMD_SAVE, /* writes a file */
};

struct cmd {
	const char *words; /* fixed, one blank between two */
	const char *args;  /* what follows, for help and completion; "" is nothing */
	/* Understand the words and change nothing; NULL takes none. */
	int (*parse)(struct cmd_in *in, struct cmd_args *args, struct err *err);
	int (*run)(struct ctl *ctl, const struct cmd_args *args, FILE *out, struct err *err);
	/* In a command file, before anything runs: what parse cannot see, such as other files. */
	int (*check)(struct ctl *ctl, const struct cmd_args *args, struct err *err);
	const char *help; /* one line */
	enum cmd_kind kind;
};

/* Each ends with a row without words. */
extern const struct cmd cmd_addr[], cmd_neigh[], cmd_route[], cmd_port[], cmd_fwd[], cmd_cfg[],
	cmd_show[], cmd_later[];

/*
 * Find the row of a line and let it parse the rest.  0; -EINVAL for words nobody knows, for missing
 * and superfluous ones; -ENOTSUP for CMD_LATER; or what parse says.
 */
int cmd_understand(char *const *word, unsigned int n, const struct port_ops *ports,
		   const struct cmd **cmd, struct cmd_args *args, struct err *err);

/* Help on the rows that begin with these words; all of them without. -EINVAL: no such row. */
int cmd_help(char *const *word, unsigned int n, FILE *out, struct err *err);

/*
 * Completion: each distinct word that may stand where left ends and begins with what is typed of it
 * there is handed to fn.  left is not changed.
 */
typedef void (*cmd_choice_fn)(const char *word, void *arg);
void cmd_complete(const char *left, const struct port_ops *ports, cmd_choice_fn fn, void *arg);

/* ---- for parse functions; what is what the argument is called in texts */
bool cmd_more(const struct cmd_in *in);
/* Is the next word this one?  Takes it if so. */
bool cmd_accept(struct cmd_in *in, const char *literal);
int cmd_take(struct cmd_in *in, const char *what, const char **word, struct err *err);
int cmd_expect(struct cmd_in *in, const char *literal, struct err *err);
int cmd_take_port(struct cmd_in *in, uint16_t *port, struct err *err);
int cmd_take_port_or_all(struct cmd_in *in, uint16_t *port, struct err *err);
int cmd_take_number(struct cmd_in *in, const char *what, uint64_t min, uint64_t max,
		    uint64_t *value, struct err *err);
int cmd_take_on_off(struct cmd_in *in, bool *on, struct err *err);
int cmd_end(struct cmd_in *in, struct err *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CFG_ROUTE_SPEC_H
#define CFG_ROUTE_SPEC_H

#include "base/err.h"

#include <stdint.h>
#include <stdio.h>

/*
 * A static route as the user wrote it.  Addresses in host byte order.
 */
#define ROUTE_NH_MAX     16     /* next hops of one route */
#define ROUTE_PORT_ANY   0xffff /* "via IP" without "dev": the port whose network holds IP */
#define ROUTE_WEIGHT_MAX 256

enum route_kind {
	ROUTE_VIA,       /* one or more next hops */
	ROUTE_DEV,       /* on the link: every address is its own next hop; nh[0].port says where */
	ROUTE_BLACKHOLE, /* no next hop */
};

struct route_nh {
	uint32_t ip;     /* VIA only */
	uint16_t port;   /* port id or ROUTE_PORT_ANY */
	uint16_t weight; /* 1..ROUTE_WEIGHT_MAX */
};

struct route_spec {
	uint32_t prefix;
	uint8_t depth;
	uint8_t kind;
	uint8_t nb_nh;
	struct route_nh nh[ROUTE_NH_MAX];
};

/* Port by id, PCI address or device name.  0, or -ENODEV with the text in err. */
typedef int (*cfg_port_fn)(const char *text, uint16_t *port, struct err *err);

/*
 * Parse the words behind "route add": PREFIX/LEN (via IP [dev PORT] [weight N])... | dev PORT |
 * blackhole.  Pure.  On success every unused byte of *spec is zero; on failure it is as it was.
 * 0, -EINVAL, or what port() returned.
 */
int route_spec_parse(const char *const *word, unsigned int nb_words, cfg_port_fn port,
		     struct route_spec *spec, struct err *err);

/*
 * The text of a spec as route files and commands take it, without a newline.  name() turns a port
 * id into what route_spec_parse() reads back as that port.
 */
typedef const char *(*cfg_port_name_fn)(uint16_t port);
void route_spec_print(FILE *out, const struct route_spec *spec, cfg_port_name_fn name);

/*
 * A whole route file.  LF or CRLF, # comments, blank lines, long lines; an empty file has no
 * routes.  Reads all lines whatever happens: each bad one is reported through bad() as "FILE:LINE:
 * reason".  A prefix met twice is reported through warn(); the last line wins and keeps the place
 * of the first.  Of either kind ROUTE_FILE_SAY_MAX are said, then how many more there are.
 *
 * On success the caller frees file->route with route_file_free(); on failure *file is as it was.
 * 0; -EINVAL when any line was bad; another errno when the file could not be read (text in err).
 */
#define ROUTE_FILE_SAY_MAX 100

struct route_file {
	struct route_spec *route;
	uint32_t n;
};
typedef void (*cfg_say_fn)(const char *line, void *arg);
struct route_file_config {
	cfg_port_fn port;
	cfg_say_fn bad, warn;
	void *arg;
};
int route_file_read(const char *path, const struct route_file_config *cfg, struct route_file *file,
		    struct err *err);
void route_file_free(struct route_file *file);

#endif

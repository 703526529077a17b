/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "cfg/cfg.h"
#include "cfg/route_spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 256 /* more than 16 next hops need, so that 17 of them are called by name */
#define INDEX_MIN 1024u

/* A message that has been said often enough is only counted. */
struct said {
	cfg_say_fn say;
	uint32_t n;
};

struct load {
	const char *path;
	const struct route_file_config *cfg;
	struct err *err;
	struct route_spec *route;
	uint32_t *line;  /* of each route: where it was met last */
	uint32_t *index; /* open addressing over (prefix, depth): route + 1, 0 is free */
	uint32_t n, room;
	uint32_t slots; /* power of two, at least twice room */
	struct said bad, warn;
};

static void
say(struct load *l, struct said *s, unsigned int number, const struct err *why)
{
	struct err text = *why;

	s->n++;
	if (s->n > ROUTE_FILE_SAY_MAX || s->say == NULL)
		return;
	err_prefix(&text, 0, "%s:%u", l->path, number);
	s->say(text.text, l->cfg->arg);
}

static void
say_rest(struct load *l, const struct said *s, const char *what)
{
	struct err text;

	if (s->n <= ROUTE_FILE_SAY_MAX || s->say == NULL)
		return;
	err_set(&text, 0, "%s: and %" PRIu32 " more %s", l->path, s->n - ROUTE_FILE_SAY_MAX, what);
	s->say(text.text, l->cfg->arg);
}

/* The slot that holds the prefix, or the free one where it belongs. */
static uint32_t *
slot_of(const struct load *l, uint32_t prefix, uint8_t depth)
{
	/* Fibonacci hashing: the upper half of the product mixes all bits of the key. */
	uint64_t key = (uint64_t)prefix << 6 | depth;
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32);

	for (;; i++) {
		uint32_t *slot = &l->index[i & (l->slots - 1)];
		const struct route_spec *r = *slot != 0 ? &l->route[*slot - 1] : NULL;

		if (r == NULL || (r->prefix == prefix && r->depth == depth))
			return slot;
	}
}

/* Room for twice as many routes.  On failure what there was is still there. */
static int
grow(struct load *l)
{
	uint32_t room = l->room == 0 ? INDEX_MIN / 2 : 2 * l->room;
	struct route_spec *route;
	uint32_t *line, *index;

	if (room > UINT32_MAX / 4)
		return -ENOMEM;
	route = reallocarray(l->route, room, sizeof(*route));
	if (route == NULL)
		return -ENOMEM;
	l->route = route;
	line = reallocarray(l->line, room, sizeof(*line));
	if (line == NULL)
		return -ENOMEM;
	l->line = line;
	index = calloc(2 * (size_t)room, sizeof(*index));
	if (index == NULL)
		return -ENOMEM;
	free(l->index);
	l->index = index;
	l->room = room;
	l->slots = 2 * room;
	for (uint32_t i = 0; i < l->n; i++)
		*slot_of(l, route[i].prefix, route[i].depth) = i + 1;
	return 0;
}

static int
keep(struct load *l, const struct route_spec *spec, unsigned int number)
{
	char prefix[ADDR_PREFIX_TEXT];
	struct err text;
	uint32_t *slot;

	if (l->n == l->room && grow(l) < 0)
		return err_set(l->err, -ENOMEM, "%s:%u: no memory for more than %" PRIu32 " routes",
			       l->path, number, l->n);
	slot = slot_of(l, spec->prefix, spec->depth);
	if (*slot == 0) {
		*slot = ++l->n;
	} else {
		err_set(&text, 0, "%s stands in line %" PRIu32 " already; this line wins",
			addr_prefix(prefix, spec->prefix, spec->depth), l->line[*slot - 1]);
		say(l, &l->warn, number, &text);
	}
	l->route[*slot - 1] = *spec;
	l->line[*slot - 1] = number;
	return 0;
}

static int
take_line(char *line, size_t len, unsigned int number, void *arg)
{
	struct load *l = arg;
	char *word[WORDS_MAX];
	struct route_spec spec;
	struct err why;
	int n = -EINVAL, ret;

	if (strlen(line) != len)
		err_set(&why, 0, "a NUL byte stands at column %zu; is this a text file?",
			strlen(line) + 1);
	else
		n = cfg_words(line, word, WORDS_MAX, &why);
	if (n == 0)
		return 0;
	ret = n < 0 ? n
		    : route_spec_parse((const char *const *)word, (unsigned int)n, l->cfg->port,
				       &spec, &why);
	if (ret == 0)
		return keep(l, &spec, number);
	say(l, &l->bad, number, &why);
	return 0;
}

int
route_file_read(const char *path, const struct route_file_config *cfg, struct route_file *file,
		struct err *err)
{
	struct load l = {
		.path = path, .cfg = cfg, .err = err, .bad.say = cfg->bad, .warn.say = cfg->warn
	};
	int ret = cfg_lines(path, take_line, &l, err);

	say_rest(&l, &l.bad, "bad lines");
	say_rest(&l, &l.warn, "prefixes met twice");
	if (ret == 0 && l.bad.n > 0)
		ret = err_set(err, -EINVAL,
			      "%s: %" PRIu32 " bad line%s; no route was taken from it", path,
			      l.bad.n, l.bad.n == 1 ? "" : "s");
	free(l.index);
	free(l.line);
	if (ret < 0) {
		free(l.route);
		return ret;
	}
	file->route = l.route;
	file->n = l.n;
	return 0;
}

void
route_file_free(struct route_file *file)
{
	free(file->route);
	file->route = NULL;
	file->n = 0;
}

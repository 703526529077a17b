/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a name or a value ends at, besides the end of the text. */
#define BLANKS     " \t\r\n"
#define NAME_ENDS  BLANKS ",=;"
#define VALUE_ENDS BLANKS ",;"

/*
 * The text is cut into names in place.  A name's end may be where the next mark stands, so that
 * mark is read before a zero is written over it.
 */
struct reader {
	char *at;
	struct spec *spec;
	struct err *err;
};

static void
skip_blanks(struct reader *r)
{
	r->at += strspn(r->at, BLANKS);
}

/*
 * Cut a name or a value off, and return the mark behind it (and behind blanks): ',', '=', ';', '\0'
 * at the end, or ' ' when another word follows.
 */
static char
cut(struct reader *r, const char *ends, char **name)
{
	char *end, mark;

	skip_blanks(r);
	*name = r->at;
	end = r->at + strcspn(r->at, ends);
	r->at = end;
	skip_blanks(r);
	mark = *r->at;
	if (mark == ',' || mark == '=' || mark == ';')
		r->at++;
	else if (mark != '\0')
		mark = ' ';
	*end = '\0';
	return mark;
}

static int
read_option(struct reader *r, struct spec_word *word, char *mark)
{
	char *key, *value = NULL;

	*mark = cut(r, NAME_ENDS, &key);
	if (*key == '\0')
		return err_set(r->err, -EINVAL,
			       "'%.64s': no key behind a comma; write KEY or KEY=VALUE",
			       word->kind);
	if (*mark == '=') {
		*mark = cut(r, VALUE_ENDS, &value);
		if (*value == '\0')
			return err_set(r->err, -EINVAL,
				       "'%.64s': no value behind '%.64s='; write KEY=VALUE",
				       word->kind, key);
		if (*mark == '=')
			return err_set(r->err, -EINVAL,
				       "'%.64s': %.64s=%.64s is followed by a second '='",
				       word->kind, key, value);
	}
	if (word->nb_opts == SPEC_OPT_MAX)
		return err_set(r->err, -EINVAL,
			       "'%.64s': more than %u options; leave out '%.64s' and what follows",
			       word->kind, SPEC_OPT_MAX, key);
	word->opt[word->nb_opts].key = key;
	word->opt[word->nb_opts++].value = value;
	return 0;
}

static int
read_word(struct reader *r, struct spec_word *word, char *mark)
{
	char *kind;
	int ret;

	*mark = cut(r, NAME_ENDS, &kind);
	if (*kind == '\0')
		return err_set(r->err, -EINVAL,
			       "a word starts with '%c': write the kind in front, as in "
			       "\"82599,queues=4\"",
			       *mark);
	if (*mark == '=')
		return err_set(r->err, -EINVAL,
			       "'%.64s=': a word starts with its kind, as in \"82599,queues=4\"",
			       kind);
	word->kind = kind;
	while (*mark == ',') {
		ret = read_option(r, word, mark);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int
read_item(struct reader *r, struct spec_item *item, char *mark)
{
	int ret;

	do {
		if (item->nb_words == SPEC_WORD_MAX)
			return err_set(r->err, -EINVAL,
				       "more than %u words behind '%.64s'; \";\" starts the next "
				       "NIC",
				       SPEC_WORD_MAX - 1, item->word[0].kind);
		ret = read_word(r, &item->word[item->nb_words], mark);
		if (ret < 0)
			return ret;
		item->nb_words++;
	} while (*mark == ' ');
	return 0;
}

static int
read_items(struct reader *r)
{
	char mark;
	int ret;

	do {
		struct spec *spec = r->spec;

		skip_blanks(r);
		if (*r->at == ';' || *r->at == '\0')
			return err_set(r->err, -EINVAL,
				       "nothing %s a \";\": write a NIC there, or take the \";\" "
				       "away",
				       *r->at == ';' ? "in front of" : "behind");
		if (spec->nb_items == SPEC_ITEM_MAX)
			return err_set(r->err, -EINVAL, "more than %u items", SPEC_ITEM_MAX);
		ret = read_item(r, &spec->item[spec->nb_items], &mark);
		if (ret < 0)
			return ret;
		spec->nb_items++;
	} while (mark == ';');
	return 0;
}

/* Errors print pieces of the text, and are one line for a terminal. */
static int
check_bytes(const char *text, struct err *err)
{
	for (const char *c = text; *c != '\0'; c++) {
		unsigned char byte = (unsigned char)*c;

		if ((byte < 0x20 && strchr(BLANKS, byte) == NULL) || byte == 0x7f)
			return err_set(err, -EINVAL,
				       "byte 0x%02x at place %zu is no text; take it away", byte,
				       (size_t)(c - text) + 1);
	}
	if (text[strspn(text, BLANKS)] == '\0')
		return err_set(err, -EINVAL, "empty; write NICs, as in \"82599 gen sink\"");
	return 0;
}

int
spec_parse(struct spec *spec, const char *text, struct err *err)
{
	struct reader r = { .spec = spec, .err = err };
	int ret = check_bytes(text, err);

	memset(spec, 0, sizeof(*spec));
	if (ret < 0)
		return ret;
	spec->text = strdup(text);
	if (spec->text == NULL)
		return err_set(err, -ENOMEM, "no memory for %zu bytes", strlen(text));
	r.at = spec->text;
	ret = read_items(&r);
	if (ret < 0)
		spec_free(spec);
	return ret;
}

void
spec_free(struct spec *spec)
{
	free(spec->text);
	memset(spec, 0, sizeof(*spec));
}

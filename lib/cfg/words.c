/* SPDX-License-Identifier: BSD-3-Clause */
#include "cfg/cfg.h"

#include <errno.h>
#include <stdbool.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Take one word, which may be put together from bare and quoted pieces, moving it left over its
 * quotes.  *read ends behind the word, *write behind the zero that ends it.
 */
static int
take(char **read, char **write, struct err *err)
{
	char *r = *read, *w = *write;
	char quote = '\0';

	for (; *r != '\0' && (quote != '\0' || !is_blank(*r)); r++) {
		if ((unsigned char)*r < 0x20 && *r != '\t')
			return err_set(err, -EINVAL,
				       "byte 0x%02x in the line is no text; remove it", *r);
		if (quote == '\0' && (*r == '"' || *r == '\''))
			quote = *r;
		else if (quote != '\0' && *r == quote)
			quote = '\0';
		else
			*w++ = *r;
	}
	if (quote != '\0')
		return err_set(err, -EINVAL, "a %c opens and none closes; add the second one",
			       quote);
	/* The zero may fall on the blank that ends the word: step over that first. */
	*read = *r != '\0' ? r + 1 : r;
	*w++ = '\0';
	*write = w;
	return 0;
}

int
cfg_words(char *line, char **word, unsigned int max, struct err *err)
{
	char *read = line, *write = line;
	unsigned int n = 0;

	for (;;) {
		int ret;

		while (is_blank(*read))
			read++;
		if (*read == '\0' || *read == '#')
			return (int)n;
		if (n == max)
			return err_set(err, -EINVAL,
				       "more than %u words; nothing here takes so many", max);
		word[n++] = write;
		ret = take(&read, &write, err);
		if (ret < 0)
			return ret;
	}
}

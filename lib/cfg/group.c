/* SPDX-License-Identifier: BSD-3-Clause */
#include "cfg/group.h"

#include "base/addr.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *
cfg_skip_blanks(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

/* From s up to, not including, end, without the blanks at both sides. */
static struct cfg_span
trim(const char *s, const char *end)
{
	while (s < end && is_blank(*s))
		s++;
	while (s < end && is_blank(end[-1]))
		end--;
	return (struct cfg_span){ s, (int)(end - s) };
}

static int
split(struct cfg_group *g, const char *s, const char *end, struct err *err)
{
	g->nb_values = 0;
	if (trim(s, end).len == 0)
		return 0;
	for (;;) {
		const char *comma = memchr(s, ',', (size_t)(end - s));

		if (g->nb_values == CFG_LCORES_MAX)
			return err_set(err, -EINVAL,
				       "%s: '%.*s...' has more than %u values; write %s", g->option,
				       CFG_SPAN_ARG(g->text), CFG_LCORES_MAX, g->form);
		g->value[g->nb_values++] = trim(s, comma != NULL ? comma : end);
		if (comma == NULL)
			return 0;
		s = comma + 1;
	}
}

int
cfg_group_take(const char **text, struct cfg_group *g, struct err *err)
{
	const char *s = cfg_skip_blanks(*text);
	size_t n;

	if (*s == '\0')
		return err_set(err, -EINVAL, "%s ends where a group should stand; write %s",
			       g->option, g->form);
	if (*s == ',')
		return err_set(
			err, -EINVAL,
			"%s: nothing stands before the comma in '%.64s'; write %s, or remove "
			"the comma",
			g->option, s, g->form);
	if (*s != '(') {
		struct cfg_span stray = trim(s, s + strcspn(s, "(,"));

		return err_set(err, -EINVAL,
			       "%s: '%.*s' stands outside parentheses; write groups as %s",
			       g->option, CFG_SPAN_ARG(stray), g->form);
	}
	n = 1 + strcspn(s + 1, "()");
	g->text = trim(s, s + n);
	if (s[n] != ')')
		return err_set(err, -EINVAL,
			       "%s: '%.*s' has no closing parenthesis; write groups as %s",
			       g->option, CFG_SPAN_ARG(g->text), g->form);
	g->text.len = (int)n + 1;
	*text = s + n + 1;
	return split(g, s + 1, s + n, err);
}

int
cfg_group_more(const char **text, const struct cfg_group *g, struct err *err)
{
	const char *s = cfg_skip_blanks(*text);

	if (*s == '\0')
		return 0;
	if (*s == '(')
		return err_set(err, -EINVAL,
			       "%s: no comma stands between '%.*s' and '%.64s'; put one there",
			       g->option, CFG_SPAN_ARG(g->text), s);
	if (*s != ',')
		return err_set(err, -EINVAL,
			       "%s: '%.64s' stands outside parentheses, behind '%.*s'; remove it",
			       g->option, s, CFG_SPAN_ARG(g->text));
	*text = s + 1;
	if (*cfg_skip_blanks(s + 1) == '\0')
		return err_set(err, -EINVAL,
			       "%s: nothing follows the last comma; remove it, or write another %s",
			       g->option, g->form);
	return 1;
}

int
cfg_group_number(const struct cfg_group *g, unsigned int i, const char *name, uint16_t max,
		 uint16_t *value, struct err *err)
{
	char text[CFG_SPAN_MAX + 1];
	uint64_t v;
	int ret;

	if (g->value[i].len == 0)
		return err_set(err, -EINVAL, "%s: '%.*s' has no %s; write %s", g->option,
			       CFG_SPAN_ARG(g->text), name, g->form);
	snprintf(text, sizeof(text), "%.*s", CFG_SPAN_ARG(g->value[i]));
	ret = addr_parse_number(name, text, 0, max, &v, err);
	if (ret < 0)
		return err_prefix(err, ret, "%s '%.*s'", g->option, CFG_SPAN_ARG(g->text));
	*value = (uint16_t)v;
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/cmd.h"

#include "base/addr.h"

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#define HELP_COLUMN 42

/* The explicit list: a new table is a line here. */
static const struct cmd *const tables[] = {
	cmd_addr, cmd_neigh, cmd_route, cmd_port, cmd_fwd, cmd_cfg, cmd_show, cmd_later,
};

/* Walks all rows of all tables; begins with { 0 }. */
struct rows {
	size_t table;
	const struct cmd *at;
};

static const struct cmd *
next_row(struct rows *r)
{
	r->at = r->at == NULL ? tables[0] : r->at + 1;
	while (r->at->words == NULL) {
		if (++r->table == RTE_DIM(tables))
			return NULL;
		r->at = tables[r->table];
	}
	return r->at;
}

/* The at-th blank-separated word of text: where it begins and its length; 0 behind the last. */
static size_t
nth(const char *text, unsigned int at, const char **begin)
{
	for (;; at--) {
		size_t len = strcspn(text, " ");

		if (at == 0 || len == 0) {
			*begin = text;
			return at == 0 ? len : 0;
		}
		text += len + (text[len] == ' ');
	}
}

static bool
same(const char *begin, size_t len, const char *word)
{
	return len != 0 && strlen(word) == len && memcmp(begin, word, len) == 0;
}

/* How many of the row's words the line begins with; *all says whether these are all it has. */
static unsigned int
common(const struct cmd *cmd, char *const *word, unsigned int n, bool *all)
{
	unsigned int k = 0;

	for (;; k++) {
		const char *begin;
		size_t len = nth(cmd->words, k, &begin);

		*all = len == 0;
		if (k == n || !same(begin, len, word[k]))
			return k;
	}
}

/* Edits that turn a into b; words are short. */
static unsigned int
distance(const char *a, size_t na, const char *b)
{
	unsigned int row[32], nb = (unsigned int)strlen(b);

	if (na >= RTE_DIM(row) || nb >= RTE_DIM(row))
		return UINT32_MAX;
	for (unsigned int j = 0; j <= nb; j++)
		row[j] = j;
	for (unsigned int i = 1; i <= na; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (unsigned int j = 1; j <= nb; j++) {
			unsigned int change = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = RTE_MIN(change, RTE_MIN(row[j], row[j - 1]) + 1);
		}
	}
	return row[nb];
}

/* The best suggestion for word[depth], among rows that share the words before it. */
static void
nearest(char *const *word, unsigned int depth, char *text, size_t size)
{
	struct rows r = { 0 };
	unsigned int best = 3;

	text[0] = '\0';
	for (const struct cmd *cmd = next_row(&r); cmd != NULL; cmd = next_row(&r)) {
		const char *begin;
		size_t len = nth(cmd->words, depth, &begin);
		unsigned int d;
		bool all;

		if (cmd->kind == CMD_LATER || len == 0 || common(cmd, word, depth, &all) != depth)
			continue;
		d = distance(begin, len, word[depth]);
		if (d < best && d < len) {
			best = d;
			snprintf(text, size, "%.*s", (int)len, begin);
		}
	}
}

/* "addr, neigh, route": what may follow the first depth words. */
static void
followers(char *const *word, unsigned int depth, char *text, size_t size)
{
	struct rows r = { 0 };
	size_t used = 0;
	const char *last = "";
	size_t last_len = 0;

	text[0] = '\0';
	for (const struct cmd *cmd = next_row(&r); cmd != NULL; cmd = next_row(&r)) {
		const char *begin;
		size_t len = nth(cmd->words, depth, &begin);
		bool all;

		if (cmd->kind == CMD_LATER || len == 0 || common(cmd, word, depth, &all) != depth)
			continue;
		if (len == last_len && memcmp(last, begin, len) == 0)
			continue;
		last = begin;
		last_len = len;
		if (used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%.*s",
						 used == 0 ? "" : ", ", (int)len, begin);
	}
}

static int
unknown(char *const *word, unsigned int n, unsigned int depth, struct err *err)
{
	char before[128] = "", hint[256];

	for (unsigned int i = 0, used = 0; i < depth && used < sizeof(before); i++)
		used += (unsigned int)snprintf(before + used, sizeof(before) - used, "%s%s",
					       i == 0 ? "" : " ", word[i]);
	if (depth == n) {
		followers(word, depth, hint, sizeof(hint));
		return err_set(err, -EINVAL, "'%s' is not complete: one of %s follows", before,
			       hint);
	}
	nearest(word, depth, hint, sizeof(hint));
	if (hint[0] != '\0')
		return err_set(err, -EINVAL, "unknown word '%.64s'%s%s%s: did you mean '%s'?",
			       word[depth], depth == 0 ? "" : " after '", before,
			       depth == 0 ? "" : "'", hint);
	if (depth == 0)
		return err_set(err, -EINVAL, "unknown word '%.64s': see help", word[0]);
	followers(word, depth, hint, sizeof(hint));
	return err_set(err, -EINVAL, "unknown word '%.64s' after '%s': one of %s follows",
		       word[depth], before, hint);
}

int
cmd_understand(char *const *word, unsigned int n, const struct port_ops *ports,
	       const struct cmd **cmd, struct cmd_args *args, struct err *err)
{
	struct rows r = { 0 };
	const struct cmd *best = NULL;
	unsigned int best_words = 0, depth = 0;
	struct cmd_in in = { .word = word, .n = n, .ports = ports };

	for (const struct cmd *c = next_row(&r); c != NULL; c = next_row(&r)) {
		bool all;
		unsigned int k = common(c, word, n, &all);

		depth = RTE_MAX(depth, k);
		if (all && k > best_words) {
			best = c;
			best_words = k;
		}
	}
	if (best == NULL)
		return unknown(word, n, depth, err);
	if (best->kind == CMD_LATER)
		return err_set(err, -ENOTSUP, "'%s': not in this build", best->words);

	memset(args, 0, sizeof(*args));
	args->port = PORT_NONE;
	in.cmd = best;
	in.at = best_words;
	*cmd = best;
	if (best->parse != NULL) {
		int ret = best->parse(&in, args, err);

		if (ret < 0)
			return ret;
	}
	return cmd_end(&in, err);
}

int
cmd_help(char *const *word, unsigned int n, FILE *out, struct err *err)
{
	struct rows r = { 0 };
	unsigned int shown = 0;

	for (const struct cmd *cmd = next_row(&r); cmd != NULL; cmd = next_row(&r)) {
		char usage[128];
		bool all;

		if (cmd->kind == CMD_LATER || common(cmd, word, n, &all) != n)
			continue;
		snprintf(usage, sizeof(usage), "%s%s%s", cmd->words,
			 cmd->args[0] != '\0' ? " " : "", cmd->args);
		/* What does not fit its column gets a line of its own. */
		if (strlen(usage) > HELP_COLUMN - 2)
			fprintf(out, "%s\n%-*s%s\n", usage, HELP_COLUMN, "", cmd->help);
		else
			fprintf(out, "%-*s%s\n", HELP_COLUMN, usage, cmd->help);
		shown++;
	}
	if (shown == 0)
		return err_set(err, -EINVAL, "help: no command begins with '%.64s'", word[0]);
	return 0;
}

/* ---- completion */

struct completion {
	char seen[64][PORT_TEXT_MAX]; /* enough for every word of one place; more are not offered */
	unsigned int nb_seen;
	const char *typed;
	cmd_choice_fn fn;
	void *arg;
};

static void
offer(struct completion *c, const char *begin, size_t len)
{
	char word[PORT_TEXT_MAX];

	if (len == 0 || len >= sizeof(word) || c->nb_seen == RTE_DIM(c->seen))
		return;
	memcpy(word, begin, len);
	word[len] = '\0';
	if (strncmp(word, c->typed, strlen(c->typed)) != 0)
		return;
	for (unsigned int i = 0; i < c->nb_seen; i++)
		if (strcmp(c->seen[i], word) == 0)
			return;
	memcpy(c->seen[c->nb_seen++], word, len + 1);
	c->fn(word, c->arg);
}

/* One word of an args text, such as "[dev", "all|PORT" or "on|off": its literals, and its ports
 * unless ports is NULL. */
static void
offer_argument(struct completion *c, const char *text, size_t len, const struct port_ops *ports)
{
	while (len > 0) {
		size_t piece = 0;

		while (piece < len && strchr("[]|.(),", text[piece]) == NULL)
			piece++;
		if (same(text, piece, "PORT")) {
			if (ports == NULL)
				return;
			for (uint16_t p = ports->next(-1); p != PORT_NONE; p = ports->next(p))
				offer(c, ports->name(p), strlen(ports->name(p)));
		} else if (piece > 0 && *text >= 'a' && *text <= 'z') {
			offer(c, text, piece);
		}
		piece += piece < len;
		text += piece;
		len -= piece;
	}
}

static void
offer_row(struct completion *c, const struct cmd *cmd, char *const *word, unsigned int n,
	  const struct port_ops *ports)
{
	bool all, optional = strchr(cmd->args, '[') != NULL;
	unsigned int k = common(cmd, word, n, &all);
	const char *begin;
	size_t len;

	if (cmd->kind == CMD_LATER || (k < n && !all))
		return;
	if (!all) {
		len = nth(cmd->words, n, &begin);
		offer(c, begin, len);
		return;
	}
	if (n > k && strcmp(word[n - 1], "dev") == 0) {
		offer_argument(c, "PORT", 4, ports);
		return;
	}
	/* Optional parts shift what follows them: there every keyword is offered everywhere. */
	for (unsigned int at = optional ? 0 : n - k; (len = nth(cmd->args, at, &begin)) != 0;
	     at++) {
		offer_argument(c, begin, len, optional ? NULL : ports);
		if (!optional)
			break;
	}
}

void
cmd_complete(const char *left, const struct port_ops *ports, cmd_choice_fn fn, void *arg)
{
	struct completion c = { .fn = fn, .arg = arg };
	struct rows r = { 0 };
	char line[512], *word[CMD_WORDS_MAX], *save = NULL;
	size_t len = strlen(left);
	unsigned int n = 0;

	if (len >= sizeof(line))
		return;
	memcpy(line, left, len + 1);
	for (char *w = strtok_r(line, " \t", &save); w != NULL && n < RTE_DIM(word);
	     w = strtok_r(NULL, " \t", &save))
		word[n++] = w;
	if (n == RTE_DIM(word))
		return;
	/* The last word is still being typed unless a blank ended it. */
	c.typed = n > 0 && strchr(" \t", left[len - 1]) == NULL ? word[--n] : "";
	for (const struct cmd *cmd = next_row(&r); cmd != NULL; cmd = next_row(&r))
		offer_row(&c, cmd, word, n, ports);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "cfg/cfg.h"
#include "fuzz/fuzz.h"

#include <stdarg.h>
#include <string.h>

/*
 * --config, --steer and command lines from any bytes.  The laws: what was refused has a text of one
 * line; what was taken, printed again, is the input without its blanks.
 */
struct text {
	char *buf;
	size_t len, size;
};

__attribute__((format(printf, 2, 3))) static void
add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, t->size - t->len, fmt, ap);
	va_end(ap);
	FUZZ_CHECK(n >= 0 && (size_t)n < t->size - t->len);
	t->len += (size_t)n;
}

static void
squeeze(char *s)
{
	char *w = s;

	for (; *s != '\0'; s++)
		if (strchr(" \t\r\n", *s) == NULL)
			*w++ = *s;
	*w = '\0';
}

static void
check_refused(int ret, const struct err *err)
{
	FUZZ_CHECK(ret < 0);
	FUZZ_CHECK(err->text[0] != '\0');
}

static void
fuzz_poll(char *line, struct text *again)
{
	static struct cfg_poll poll[CFG_POLL_MAX];
	struct err err = { "" };
	unsigned int n = 0;
	int ret = cfg_poll_parse(line, poll, CFG_POLL_MAX, &n, &err);

	if (ret != 0) {
		check_refused(ret, &err);
		return;
	}
	FUZZ_CHECK(n > 0 && n <= CFG_POLL_MAX);
	for (unsigned int i = 0; i < n; i++)
		add(again, "%s(%s,%u,%u)", i > 0 ? "," : "", poll[i].port, poll[i].queue,
		    poll[i].lcore);
	squeeze(line);
	FUZZ_CHECK(strcmp(line, again->buf) == 0);
}

static void
add_lcores(struct text *t, const uint16_t *lcore, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		add(t, "%s%u", i > 0 ? "," : "(", lcore[i]);
	add(t, ")");
}

static void
fuzz_steer(char *line, struct text *again)
{
	static struct cfg_steer steer[CFG_STEER_MAX];
	struct err err = { "" };
	unsigned int n = 0;
	int ret = cfg_steer_parse(line, steer, CFG_STEER_MAX, &n, &err);

	if (ret != 0) {
		check_refused(ret, &err);
		return;
	}
	FUZZ_CHECK(n > 0 && n <= CFG_STEER_MAX);
	for (unsigned int i = 0; i < n; i++) {
		add(again, "%s", i > 0 ? "," : "");
		add_lcores(again, steer[i].rx, steer[i].nb_rx);
		add(again, ":");
		add_lcores(again, steer[i].target, steer[i].nb_target);
	}
	squeeze(line);
	FUZZ_CHECK(strcmp(line, again->buf) == 0);
}

/* Words lie within the line, one behind the other, and are never longer than it. */
static void
fuzz_words(char *line, size_t len)
{
	struct err err = { "" };
	char *word[16], *end = line;
	int n = cfg_words(line, word, 16, &err);

	if (n < 0) {
		check_refused(n, &err);
		return;
	}
	FUZZ_CHECK(n <= 16);
	for (int i = 0; i < n; i++) {
		FUZZ_CHECK(word[i] >= end);
		end = word[i] + strlen(word[i]) + 1;
		FUZZ_CHECK(end <= line + len + 1);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	size_t size = len + 16;
	char *line = calloc(1, len + 1);
	struct text again = { .buf = calloc(1, size), .size = size };

	FUZZ_CHECK(line != NULL && again.buf != NULL);
	for (int kind = 0; kind < 3; kind++) {
		if (len > 0)
			memcpy(line, data, len);
		line[len] = '\0';
		again.len = 0;
		again.buf[0] = '\0';
		if (kind == 0)
			fuzz_poll(line, &again);
		else if (kind == 1)
			fuzz_steer(line, &again);
		else
			fuzz_words(line, len);
	}
	free(again.buf);
	free(line);
	return 0;
}

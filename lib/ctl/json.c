/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/json.h"

#include <inttypes.h>

static void
quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20 || *c > 0x7e)
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void
lead(struct json *j, const char *key)
{
	if (j->follows)
		fputc(',', j->out);
	j->follows = true;
	if (key != NULL) {
		quoted(j->out, key);
		fputc(':', j->out);
	}
}

void
json_open(struct json *j, const char *key, char bracket)
{
	lead(j, key);
	fputc(bracket, j->out);
	j->follows = false;
}

void
json_close(struct json *j, char bracket)
{
	fputc(bracket, j->out);
	j->follows = true;
}

void
json_text(struct json *j, const char *key, const char *value)
{
	lead(j, key);
	quoted(j->out, value);
}

void
json_count(struct json *j, const char *key, uint64_t value)
{
	lead(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void
json_signed(struct json *j, const char *key, int64_t value)
{
	lead(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void
json_real(struct json *j, const char *key, double value, int decimals)
{
	lead(j, key);
	fprintf(j->out, "%.*f", decimals, value);
}

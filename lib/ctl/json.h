/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_JSON_H
#define CTL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Write JSON piece by piece.  key is NULL inside an array.  There is no null: what is unknown is
 * "unknown" or not there.
 */
struct json {
	FILE *out;
	bool follows; /* something stands before in this object or array */
};

void json_open(struct json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);                 /* '}' or ']' */
/* Bytes that are no printable ASCII become \u00XX, so that any name gives valid JSON. */
void json_text(struct json *j, const char *key, const char *value);
void json_count(struct json *j, const char *key, uint64_t value);
void json_signed(struct json *j, const char *key, int64_t value);
void json_real(struct json *j, const char *key, double value, int decimals);

#endif

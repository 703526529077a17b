/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
err_set(struct err *err, int ret, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return ret;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return ret;
}

int
err_prefix(struct err *err, int ret, const char *fmt, ...)
{
	struct err old;
	va_list ap;
	int n;

	if (err == NULL)
		return ret;
	old = *err;
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->text))
		snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %s", old.text);
	return ret;
}

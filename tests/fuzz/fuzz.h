/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What libFuzzer and replay.c call; always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A law that must hold for any input; unlike assert() it also stands in release builds. */
#define FUZZ_CHECK(expr)                                                                           \
	do {                                                                                       \
		if (!(expr)) {                                                                     \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #expr);   \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#endif

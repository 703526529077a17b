/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/fuzz.h"
#include "support/random.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A fuzz target without a fuzzer: every file of a corpus, then mutants of them, the same ones on
 * every machine.  It finds less than libFuzzer, but any compiler builds it and every test run has
 * it.
 *
 *	fuzz_NAME CORPUS-DIRECTORY [MUTANTS]
 */
#define INPUTS_MAX 256
#define INPUT_MAX  65536

struct input {
	uint8_t *data;
	size_t len;
};

static struct input input[INPUTS_MAX];
static unsigned int nb_inputs;

/* Exactly as long as its content, so that ASan sees one byte too far. */
static void
run(const uint8_t *data, size_t len)
{
	uint8_t *exact = malloc(len > 0 ? len : 1);

	if (exact == NULL)
		abort();
	if (len > 0)
		memcpy(exact, data, len);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
}

static int
load(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (f == NULL || nb_inputs == INPUTS_MAX) {
		fprintf(stderr, "%s: %s\n", path, f == NULL ? strerror(errno) : "one too many");
		return -1;
	}
	input[nb_inputs].data = malloc(INPUT_MAX);
	if (input[nb_inputs].data == NULL)
		abort();
	input[nb_inputs].len = fread(input[nb_inputs].data, 1, INPUT_MAX, f);
	nb_inputs++;
	fclose(f);
	return 0;
}

static int
load_all(const char *dir)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, NULL, alphasort), ret = 0;

	if (n < 0) {
		fprintf(stderr, "%s: %s\n", dir, strerror(errno));
		return -1;
	}
	for (int i = 0; i < n; i++) {
		if (entry[i]->d_name[0] != '.' && ret == 0)
			ret = load(dir, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	return ret;
}

/* One small damage or graft; buf has room for INPUT_MAX bytes. */
static size_t
mutate(struct test_random *r, uint8_t *buf, size_t len)
{
	const struct input *other = &input[test_random_below(r, nb_inputs)];
	uint32_t at = test_random_below(r, (uint32_t)len + 1);
	uint32_t n = 1 + test_random_below(r, 16);

	switch (test_random_below(r, 6)) {
	case 0: /* flip a bit */
		if (at < len)
			buf[at] ^= (uint8_t)(1u << test_random_below(r, 8));
		return len;
	case 1: /* another byte */
		if (at < len)
			buf[at] = (uint8_t)test_random_next(r);
		return len;
	case 2: /* cut the end off */
		return at;
	case 3: /* take some out */
		if (at + n > len)
			return len;
		memmove(buf + at, buf + at + n, len - at - n);
		return len - n;
	case 4: /* double some */
		if (at + n > len || len + n > INPUT_MAX)
			return len;
		memmove(buf + at + n, buf + at, len - at);
		return len + n;
	default: /* put in a piece of another */
		if (other->len < n || len + n > INPUT_MAX)
			return len;
		memmove(buf + at + n, buf + at, len - at);
		memcpy(buf + at, other->data + test_random_below(r, (uint32_t)(other->len - n + 1)),
		       n);
		return len + n;
	}
}

int
main(int argc, char **argv)
{
	unsigned long mutants = argc > 2 ? strtoul(argv[2], NULL, 0) : 20000;
	uint8_t *buf = malloc(INPUT_MAX);
	struct test_random r;

	if (argc < 2 || buf == NULL || load_all(argv[1]) < 0 || nb_inputs == 0) {
		fprintf(stderr, "usage: %s CORPUS-DIRECTORY [MUTANTS]; the directory has files\n",
			argv[0]);
		return 2;
	}
	for (unsigned int i = 0; i < nb_inputs; i++)
		run(input[i].data, input[i].len);
	r = test_random_start(1);
	for (unsigned long i = 0; i < mutants; i++) {
		const struct input *from = &input[test_random_below(&r, nb_inputs)];
		size_t len = from->len;

		memcpy(buf, from->data, len);
		for (uint32_t k = 1 + test_random_below(&r, 4); k > 0; k--)
			len = mutate(&r, buf, len);
		run(buf, len);
	}
	printf("%u inputs, %lu mutants\n", nb_inputs, mutants);
	for (unsigned int i = 0; i < nb_inputs; i++)
		free(input[i].data);
	free(buf);
	return 0;
}

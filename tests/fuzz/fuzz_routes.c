/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "cfg/route_spec.h"
#include "fuzz/fuzz.h"
#include "support/files.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/*
 * A route file from any bytes.  The laws: a refused file said why, of each bad line; an accepted
 * one has sound routes, each prefix once, and printed it reads as the same again, in silence.
 */
struct heard {
	unsigned int bad, warn;
};

static void
hear_bad(const char *line, void *arg)
{
	struct heard *h = arg;

	FUZZ_CHECK(strncmp(line, "/proc/self/fd/", 14) == 0);
	FUZZ_CHECK(strpbrk(line, "\r\n\x1b") == NULL);
	h->bad++;
}

static void
hear_warn(const char *line, void *arg)
{
	struct heard *h = arg;

	FUZZ_CHECK(strstr(line, "already") != NULL || strstr(line, "more") != NULL);
	h->warn++;
}

static int
port(const char *text, uint16_t *id, struct err *err)
{
	uint64_t v;
	int ret = addr_parse_number("port", text, 0, 31, &v, err);

	if (ret == 0)
		*id = (uint16_t)v;
	return ret == 0 ? 0 : -ENODEV;
}

static const char *
no_name(uint16_t id)
{
	(void)id;
	return NULL;
}

static void
check_route(const struct route_spec *s)
{
	FUZZ_CHECK(s->depth <= 32 && (s->prefix & ~addr_mask(s->depth)) == 0);
	FUZZ_CHECK(s->kind <= ROUTE_BLACKHOLE && s->nb_nh <= ROUTE_NH_MAX);
	FUZZ_CHECK((s->nb_nh == 0) == (s->kind == ROUTE_BLACKHOLE));
	for (unsigned int i = 0; i < s->nb_nh; i++) {
		const struct route_nh *nh = &s->nh[i];

		FUZZ_CHECK(nh->weight >= 1 && nh->weight <= ROUTE_WEIGHT_MAX);
		FUZZ_CHECK(nh->port < 32 || (nh->port == ROUTE_PORT_ANY && s->kind == ROUTE_VIA));
		if (s->kind == ROUTE_VIA)
			FUZZ_CHECK(nh->ip >> 24 != 0 && nh->ip >> 24 != 127 && nh->ip >> 24 < 224);
	}
}

static void
read_again(const struct route_file *file, const struct route_file_config *cfg)
{
	struct route_file second = { 0 };
	struct heard *h = cfg->arg;
	struct temp_file f;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	FUZZ_CHECK(out != NULL);
	for (uint32_t i = 0; i < file->n; i++) {
		check_route(&file->route[i]);
		route_spec_print(out, &file->route[i], no_name);
		fputc('\n', out);
	}
	fclose(out);
	f = temp_file_bytes(text, len);
	*h = (struct heard){ 0 };
	FUZZ_CHECK(route_file_read(f.path, cfg, &second, NULL) == 0);
	FUZZ_CHECK(h->bad == 0 && h->warn == 0);
	FUZZ_CHECK(second.n == file->n);
	FUZZ_CHECK(file->n == 0 ||
		   memcmp(second.route, file->route, file->n * sizeof(*file->route)) == 0);
	route_file_free(&second);
	temp_file_close(&f);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct temp_file f = temp_file_bytes(data, len);
	struct heard heard = { 0 };
	struct route_file_config cfg = { port, hear_bad, hear_warn, &heard };
	struct route_file file = { 0 };
	struct err err = { "" };
	int ret = route_file_read(f.path, &cfg, &file, &err);

	FUZZ_CHECK((ret == 0) == (heard.bad == 0));
	if (ret == 0) {
		read_again(&file, &cfg);
		route_file_free(&file);
	} else {
		FUZZ_CHECK(ret == -EINVAL && err.text[0] != '\0' && file.route == NULL);
	}
	temp_file_close(&f);
	return 0;
}

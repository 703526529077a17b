/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/wire_fake.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 32

struct soft_report {
	unsigned int n;
	struct {
		const char *key;
		uint64_t value;
		const char *text;
	} line[KEYS];
};

struct soft_port wire_port = { .index = 3, .mac = { 2, 0, 0, 0, 0, 0x33 } };
uint64_t wire_now_ns = 1000000000;
uint8_t wire_reply[2048];
uint32_t wire_reply_len;
unsigned int wire_nb_replies;

uint64_t
soft_now_ns(void)
{
	return wire_now_ns;
}

uint64_t
soft_seed(void)
{
	return 1;
}

void
soft_reply(struct soft_wire *wire, const uint8_t *frame, uint32_t len)
{
	assert(wire->port == &wire_port && len <= sizeof(wire_reply));
	memcpy(wire_reply, frame, len);
	wire_reply_len = len;
	wire_nb_replies++;
}

void
soft_report_u64(struct soft_report *report, const char *key, uint64_t value)
{
	assert(report->n < KEYS);
	report->line[report->n].key = key;
	report->line[report->n++].value = value;
}

void
soft_report_text(struct soft_report *report, const char *key, const char *value)
{
	assert(report->n < KEYS);
	report->line[report->n].key = key;
	report->line[report->n++].text = value;
}

int64_t
wire_value(const struct soft_wire *wire, const char *key)
{
	struct soft_report report = { 0 };

	wire->kind->report(wire, &report);
	for (unsigned int i = 0; i < report.n; i++)
		if (strcmp(report.line[i].key, key) == 0)
			return (int64_t)report.line[i].value;
	return -1;
}

const char *
wire_text(const struct soft_wire *wire, const char *key)
{
	struct soft_report report = { 0 };

	wire->kind->report(wire, &report);
	for (unsigned int i = 0; i < report.n; i++)
		if (strcmp(report.line[i].key, key) == 0)
			return report.line[i].text;
	return NULL;
}

int
wire_command(struct soft_wire *wire, const char *words, struct err *err)
{
	char text[128], *argv[8], *save;
	int argc = 0;

	strncpy(text, words, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (char *word = strtok_r(text, " ", &save); word != NULL && argc < 8;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	return wire->kind->command(wire, argc, argv, err);
}

int
wire_open(struct wire_fake *fake, const char *words, struct err *err)
{
	struct spec spec;
	struct soft_wire *wire = &fake->wire;
	int ret = spec_parse(&spec, words, err);

	memset(fake, 0, sizeof(*fake));
	if (ret < 0)
		return ret;
	wire->kind =
		strcmp(spec.item[0].word[0].kind, "gen") == 0 ? &wire_kind_gen : &wire_kind_sink;
	wire->port = &wire_port;
	wire->conf = malloc(wire->kind->conf_size);
	assert(wire->conf != NULL);
	memcpy(wire->conf, wire->kind->defaults, wire->kind->conf_size);
	ret = spec_options(&spec.item[0].word[0], wire->kind->opts, wire->conf, err);
	spec_free(&spec);
	if (ret == 0)
		ret = wire->kind->create(wire, err);
	if (ret < 0)
		wire_close(fake);
	return ret;
}

void
wire_close(struct wire_fake *fake)
{
	fake->wire.kind->destroy(&fake->wire);
	free(fake->wire.conf);
	fake->wire.conf = NULL;
}

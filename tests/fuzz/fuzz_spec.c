/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/spec.h"
#include "fuzz/fuzz.h"

#include <string.h>

/*
 * SLUICE_NICS from any bytes.  The laws: what was refused has a text of one line; what was taken,
 * printed and read again, is the same; options of every type stay within their member.
 */
#define AROUND 0xa5

struct conf {
	uint8_t before[8];
	bool flag;
	uint32_t count, mode, ip;
	uint64_t rate;
	char file[8];
	uint8_t between[8];
	char bdf[16];
	uint8_t mac[6];
	struct spec_prefix net;
	uint8_t after[8];
};
static const char *const modes[] = { "slow", "fast", NULL };
static const struct spec_opt opts[] = {
	{ "flag", SPEC_FLAG, SPEC_AT(struct conf, flag), .help = "" },
	{ "count", SPEC_U32, SPEC_AT(struct conf, count), .min = 1, .max = 64, .help = "" },
	{ "rate", SPEC_U64, SPEC_AT(struct conf, rate), .help = "" },
	{ "mode", SPEC_WORD, SPEC_AT(struct conf, mode), .words = modes, .help = "" },
	{ "file", SPEC_STRING, SPEC_AT(struct conf, file), .help = "" },
	{ "mac", SPEC_MAC, SPEC_AT(struct conf, mac), .help = "" },
	{ "ip", SPEC_IP, SPEC_AT(struct conf, ip), .help = "" },
	{ "net", SPEC_PREFIX, SPEC_AT(struct conf, net), .help = "" },
	{ "bdf", SPEC_BDF, SPEC_AT(struct conf, bdf), .help = "" },
	{ .name = NULL },
};

static void
check_refused(int ret, const struct err *err)
{
	FUZZ_CHECK(ret < 0);
	FUZZ_CHECK(err->text[0] != '\0');
	FUZZ_CHECK(strchr(err->text, '\n') == NULL);
}

static void
fuzz_options(const struct spec_word *word)
{
	static const uint8_t around[8] = { AROUND, AROUND, AROUND, AROUND,
					   AROUND, AROUND, AROUND, AROUND };
	struct conf conf;
	struct err err = { "" };
	int ret;

	memset(&conf, AROUND, sizeof(conf));
	conf.flag = false;
	conf.count = 1;
	conf.mode = 0;
	conf.file[0] = conf.bdf[0] = '\0';
	conf.net = (struct spec_prefix){ 0, 0 };
	ret = spec_options(word, opts, &conf, &err);
	if (ret != 0)
		check_refused(ret, &err);
	FUZZ_CHECK(memcmp(conf.before, around, 8) == 0);
	FUZZ_CHECK(memcmp(conf.between, around, 8) == 0);
	FUZZ_CHECK(memcmp(conf.after, around, 8) == 0);
	FUZZ_CHECK(conf.count >= 1 && conf.count <= 64);
	FUZZ_CHECK(conf.mode < 2);
	FUZZ_CHECK(memchr(conf.file, '\0', sizeof(conf.file)) != NULL);
	FUZZ_CHECK(memchr(conf.bdf, '\0', sizeof(conf.bdf)) != NULL);
	FUZZ_CHECK(conf.net.depth <= 32);
}

static size_t
put(char *out, const char *mark, const char *text)
{
	strcpy(out, mark);
	strcat(out, text);
	return strlen(out);
}

/* The shortest text that means the same; out has room for the input and one mark a name. */
static void
print(const struct spec *spec, char *out)
{
	size_t at = 0;

	for (unsigned int i = 0; i < spec->nb_items; i++) {
		const struct spec_item *item = &spec->item[i];

		FUZZ_CHECK(item->nb_words > 0 && item->nb_words <= SPEC_WORD_MAX);
		for (unsigned int w = 0; w < item->nb_words; w++) {
			const struct spec_word *word = &item->word[w];

			at += put(out + at, w > 0 ? " " : i > 0 ? ";" : "", word->kind);
			for (unsigned int k = 0; k < word->nb_opts; k++) {
				at += put(out + at, ",", word->opt[k].key);
				if (word->opt[k].value != NULL)
					at += put(out + at, "=", word->opt[k].value);
			}
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct spec spec, again;
	char *text = calloc(1, len + 1), *once = calloc(1, len + 2), *twice = calloc(1, len + 2);
	struct err err = { "" };
	int ret;

	FUZZ_CHECK(text != NULL && once != NULL && twice != NULL);
	if (len > 0)
		memcpy(text, data, len);
	ret = spec_parse(&spec, text, &err);
	if (ret != 0) {
		check_refused(ret, &err);
		FUZZ_CHECK(spec.text == NULL);
	} else {
		FUZZ_CHECK(spec.nb_items > 0 && spec.nb_items <= SPEC_ITEM_MAX);
		for (unsigned int i = 0; i < spec.nb_items; i++)
			for (unsigned int w = 0; w < spec.item[i].nb_words; w++)
				fuzz_options(&spec.item[i].word[w]);
		print(&spec, once);
		FUZZ_CHECK(spec_parse(&again, once, &err) == 0);
		print(&again, twice);
		FUZZ_CHECK(strcmp(once, twice) == 0);
		spec_free(&again);
		spec_free(&spec);
	}
	free(twice);
	free(once);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "drivers/wire/spec.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One value on its way: what err calls it, where it goes. */
struct value {
	const struct spec_opt *opt;
	const char *kind, *text;
	void *to;
	struct err *err;
};

#define NAMED    "%.64s,%.64s=%.64s: "
#define NAMES(v) (v)->kind, (v)->opt->name, (v)->text

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
digits(const char **text, unsigned int base, uint64_t *number)
{
	const char *s = *text;
	uint64_t n = 0;

	for (int digit; (digit = hex_digit(*s)) >= 0 && digit < (int)base; s++)
		if (__builtin_mul_overflow(n, base, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n))
			return false;
	if (s == *text)
		return false;
	*text = s;
	*number = n;
	return true;
}

bool
spec_number(const char *text, uint64_t *number)
{
	const bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	uint64_t n, unit = 1;

	if (hex)
		text += 2;
	if (!digits(&text, hex ? 16 : 10, &n))
		return false;
	if (*text == 'k')
		unit = 1000;
	else if (*text == 'M')
		unit = 1000000;
	else if (*text == 'G')
		unit = 1000000000;
	if (unit > 1)
		text++;
	if (*text != '\0' || __builtin_mul_overflow(n, unit, &n))
		return false;
	*number = n;
	return true;
}

static int
put_number(const struct value *v)
{
	uint64_t most = v->opt->type == SPEC_U32 ? UINT32_MAX : UINT64_MAX, n;
	uint64_t max = v->opt->max == 0 ? most : v->opt->max;

	if (!spec_number(v->text, &n))
		return err_set(v->err, -EINVAL,
			       NAMED "not a number; write %" PRIu64 " to %" PRIu64
				     ", decimal or 0x..., k, M or G behind it allowed",
			       NAMES(v), v->opt->min, max);
	if (n < v->opt->min || n > max)
		return err_set(v->err, -EINVAL, NAMED "outside %" PRIu64 " to %" PRIu64, NAMES(v),
			       v->opt->min, max);
	if (v->opt->type == SPEC_U32)
		*(uint32_t *)v->to = (uint32_t)n;
	else
		*(uint64_t *)v->to = n;
	return 0;
}

static int
put_flag(const struct value *v)
{
	bool on = strcmp(v->text, "on") == 0;

	if (!on && strcmp(v->text, "off") != 0)
		return err_set(v->err, -EINVAL, NAMED "write on or off, or the key alone for on",
			       NAMES(v));
	*(bool *)v->to = on;
	return 0;
}

static int
put_string(const struct value *v)
{
	size_t len = strlen(v->text);

	if (len >= v->opt->size)
		return err_set(v->err, -EINVAL, NAMED "%zu bytes, %zu are the limit", NAMES(v), len,
			       v->opt->size - 1);
	memcpy(v->to, v->text, len + 1);
	return 0;
}

static int
put_word(const struct value *v)
{
	char all[256] = "";
	size_t at = 0;

	for (uint32_t i = 0; v->opt->words[i] != NULL; i++) {
		if (strcmp(v->text, v->opt->words[i]) == 0) {
			*(uint32_t *)v->to = i;
			return 0;
		}
		if (at < sizeof(all))
			at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s",
					       i > 0 ? ", " : "", v->opt->words[i]);
	}
	return err_set(v->err, -EINVAL, NAMED "write one of %s", NAMES(v), all);
}

/* Group addresses are welcome: what a generator sends to.  A NIC's own is checked where it is used. */
static int
put_mac(const struct value *v)
{
	uint8_t mac[6];
	bool good = strlen(v->text) == ADDR_MAC_TEXT - 1;

	for (unsigned int i = 0; good && i < sizeof(mac); i++) {
		int hi = hex_digit(v->text[3 * i]), lo = hex_digit(v->text[3 * i + 1]);

		good = hi >= 0 && lo >= 0 && (i == 5 || v->text[3 * i + 2] == ':');
		mac[i] = (uint8_t)((unsigned int)hi << 4 | (unsigned int)lo);
	}
	if (!good)
		return err_set(v->err, -EINVAL,
			       NAMED "not a MAC address; write it as in 02:00:5e:00:00:01",
			       NAMES(v));
	memcpy(v->to, mac, sizeof(mac));
	return 0;
}

static int
put_ip(const struct value *v)
{
	int ret = addr_parse_ip4(v->text, v->to, v->err);

	return ret == 0 ? 0 : err_prefix(v->err, ret, "%.64s,%.64s", v->kind, v->opt->name);
}

static int
put_prefix(const struct value *v)
{
	struct spec_prefix *prefix = v->to;
	uint8_t depth;
	int ret;

	if (strchr(v->text, '/') == NULL) {
		ret = put_ip(v);
		if (ret == 0)
			prefix->depth = 32;
		return ret;
	}
	ret = addr_parse_prefix(v->text, &prefix->addr, &depth, v->err);
	if (ret < 0)
		return err_prefix(v->err, ret, "%.64s,%.64s", v->kind, v->opt->name);
	prefix->depth = depth;
	return 0;
}

/* DDDD:BB:SS.F, in the lower case that sysfs has. */
static int
put_bdf(const struct value *v)
{
	static const char form[] = "xxxx:xx:sx.f";
	char bdf[sizeof(form)];
	bool good = strlen(v->text) == sizeof(form) - 1;

	for (unsigned int i = 0; good && i < sizeof(form); i++) {
		char c = v->text[i];

		if (form[i] == 'x')
			good = hex_digit(c) >= 0;
		else if (form[i] == 's' || form[i] == 'f') /* 32 slots, 8 functions */
			good = c >= '0' && c <= (form[i] == 's' ? '1' : '7');
		else
			good = c == form[i];
		bdf[i] = c >= 'A' && c <= 'F' ? (char)(c | 0x20) : c;
	}
	if (!good)
		return err_set(v->err, -EINVAL,
			       NAMED "not a PCI address; write it as in 0000:01:00.0", NAMES(v));
	memcpy(v->to, bdf, sizeof(bdf));
	return 0;
}

static int
put(const struct value *v)
{
	switch (v->opt->type) {
	case SPEC_FLAG:
		return put_flag(v);
	case SPEC_U32:
	case SPEC_U64:
		return put_number(v);
	case SPEC_STRING:
		return put_string(v);
	case SPEC_WORD:
		return put_word(v);
	case SPEC_MAC:
		return put_mac(v);
	case SPEC_IP:
		return put_ip(v);
	case SPEC_PREFIX:
		return put_prefix(v);
	case SPEC_BDF:
		return put_bdf(v);
	}
	return -EINVAL;
}

static int
unknown_key(const struct spec_word *word, const char *key, const struct spec_opt *opts,
	    struct err *err)
{
	char all[384] = "";
	size_t at = 0;

	for (const struct spec_opt *opt = opts; opt != NULL && opt->name != NULL; opt++)
		if (at < sizeof(all))
			at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s",
					       opt == opts ? "" : ", ", opt->name);
	if (at == 0)
		return err_set(err, -EINVAL, "%.64s: unknown key '%.64s'; it takes none",
			       word->kind, key);
	return err_set(err, -EINVAL, "%.64s: unknown key '%.64s'; it takes %s", word->kind, key,
		       all);
}

static const struct spec_opt *
find(const struct spec_opt *opts, const char *key)
{
	for (; opts != NULL && opts->name != NULL; opts++)
		if (strcmp(opts->name, key) == 0)
			return opts;
	return NULL;
}

static bool
said_before(const struct spec_word *word, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(word->opt[i].key, word->opt[n].key) == 0)
			return true;
	return false;
}

int
spec_options(const struct spec_word *word, const struct spec_opt *opts, void *conf, struct err *err)
{
	for (unsigned int i = 0; i < word->nb_opts; i++) {
		struct value v = { .kind = word->kind, .text = word->opt[i].value, .err = err };
		int ret;

		v.opt = find(opts, word->opt[i].key);
		if (v.opt == NULL)
			return unknown_key(word, word->opt[i].key, opts, err);
		if (said_before(word, i))
			return err_set(err, -EINVAL, "%.64s: '%.64s' is said twice; once is enough",
				       word->kind, v.opt->name);
		if (v.text == NULL && v.opt->type == SPEC_FLAG)
			v.text = "on";
		if (v.text == NULL)
			return err_set(err, -EINVAL, "%.64s: '%.64s' needs a value: %s=...",
				       word->kind, v.opt->name, v.opt->name);
		v.to = (char *)conf + v.opt->at;
		ret = put(&v);
		if (ret < 0)
			return ret;
	}
	return 0;
}

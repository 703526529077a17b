/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "cfg/cfg.h"
#include "cfg/route_spec.h"
#include "support/cmocka.h"
#include "support/random.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * What is written down is read back: random values are printed with random blanks and quotes, and
 * parsing gives the values again.
 */
static struct test_random rnd;

static uint32_t
below(uint32_t n)
{
	return test_random_below(&rnd, n);
}

static int
blanks(char *out)
{
	static const char *const kind[] = { "", "", "", " ", "  ", "\t", "\n", " \t\r\n" };

	return sprintf(out, "%s", kind[below(RTE_DIM(kind))]);
}

static int
put(char *out, const char *text)
{
	int n = blanks(out);

	return n + sprintf(out + n, "%s", text);
}

static int
put_number(char *out, uint32_t v)
{
	int n = blanks(out);

	return n + sprintf(out + n, "%u", v);
}

#define PORTS 5
static const char *const port_text[PORTS] = {
	"0",
	"0000:01:00.1",
	"net_pcap0",
	"tap-x.7",
	"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789A", /* 63, the longest */
};

static int
put_poll(char *out, const struct cfg_poll *p)
{
	int n = put(out, "(");

	n += put(out + n, p->port);
	n += put(out + n, ",");
	n += put_number(out + n, p->queue);
	n += put(out + n, ",");
	n += put_number(out + n, p->lcore);
	return n + put(out + n, ")");
}

static void
polls_come_back(void **state)
{
	static struct cfg_poll want[CFG_POLL_MAX], got[CFG_POLL_MAX];
	static char text[CFG_POLL_MAX * 128];

	(void)state;
	rnd = test_random_start(1);
	for (int round = 0; round < 2000; round++) {
		uint16_t queues[PORTS] = { 0 };
		unsigned int n = 1 + below(round % 100 == 0 ? CFG_POLL_MAX : 12), found;
		struct err err;
		int len = 0;

		for (unsigned int i = 0; i < n; i++) {
			uint32_t port = below(PORTS);

			snprintf(want[i].port, sizeof(want[i].port), "%s", port_text[port]);
			want[i].queue = queues[port]++;
			want[i].lcore = (uint16_t)below(CFG_LCORES_MAX);
		}
		for (unsigned int i = n - 1; i > 0; i--) {
			unsigned int k = below(i + 1);
			struct cfg_poll p = want[i];

			want[i] = want[k];
			want[k] = p;
		}
		for (unsigned int i = 0; i < n; i++) {
			len += put_poll(text + len, &want[i]);
			len += put(text + len, i + 1 < n ? "," : "");
		}
		if (cfg_poll_parse(text, got, CFG_POLL_MAX, &found, &err) != 0)
			fail_msg("'%s': %s", text, err.text);
		assert_int_equal(found, n);
		for (unsigned int i = 0; i < n; i++) {
			assert_string_equal(got[i].port, want[i].port);
			assert_int_equal(got[i].queue, want[i].queue);
			assert_int_equal(got[i].lcore, want[i].lcore);
		}
	}
}

static uint16_t
pick_lcores(uint16_t *lcore, const uint16_t *all, uint32_t max)
{
	uint16_t n = (uint16_t)(1 + below(max));

	memcpy(lcore, all, n * sizeof(*lcore));
	return n;
}

static int
put_lcores(char *out, const uint16_t *lcore, unsigned int n)
{
	int len = put(out, "(");

	for (unsigned int i = 0; i < n; i++) {
		len += put_number(out + len, lcore[i]);
		len += put(out + len, i + 1 < n ? "," : "");
	}
	return len + put(out + len, ")");
}

static void
steering_groups_come_back(void **state)
{
	struct cfg_steer want[CFG_STEER_MAX], got[CFG_STEER_MAX];
	static char text[CFG_STEER_MAX * 4096];
	uint16_t all[CFG_LCORES_MAX];

	(void)state;
	rnd = test_random_start(2);
	for (uint16_t i = 0; i < CFG_LCORES_MAX; i++)
		all[i] = i;
	for (int round = 0; round < 500; round++) {
		unsigned int n = 1 + below(CFG_STEER_MAX), found;
		struct err err;
		int len = 0;

		for (uint32_t i = CFG_LCORES_MAX - 1; i > 0; i--) {
			uint32_t k = below(i + 1);
			uint16_t v = all[i];

			all[i] = all[k];
			all[k] = v;
		}
		for (unsigned int i = 0; i < n; i++) {
			/* Eight lcores apart: nobody receives for two groups. */
			want[i].nb_rx = pick_lcores(want[i].rx, all + 8 * i, 8);
			want[i].nb_target = pick_lcores(want[i].target, all, CFG_LCORES_MAX);
			len += put_lcores(text + len, want[i].rx, want[i].nb_rx);
			len += put(text + len, ":");
			len += put_lcores(text + len, want[i].target, want[i].nb_target);
			len += put(text + len, i + 1 < n ? "," : "");
		}
		if (cfg_steer_parse(text, got, CFG_STEER_MAX, &found, &err) != 0)
			fail_msg("'%s': %s", text, err.text);
		assert_int_equal(found, n);
		for (unsigned int i = 0; i < n; i++) {
			assert_int_equal(got[i].nb_rx, want[i].nb_rx);
			assert_memory_equal(got[i].rx, want[i].rx, want[i].nb_rx * 2u);
			assert_int_equal(got[i].nb_target, want[i].nb_target);
			assert_memory_equal(got[i].target, want[i].target, want[i].nb_target * 2u);
		}
	}
}

/* A word of any bytes but NUL and control characters, and the same in random quotes. */
static int
put_word(char *out, char *word)
{
	int n = 0, len = (int)below(12);

	word[len] = '\0';
	if (len == 0)
		return sprintf(out, "''");
	for (int i = 0; i < len; i++) {
		uint32_t c = below(255 - 0x1f) + 0x20;
		char quote = c == '\'' ? '"' : c == '"' || below(2) ? '\'' : '"';

		word[i] = (char)c;
		/* '#' matters at a word's beginning only; blanks and quotes always. */
		if (c == ' ' || c == '"' || c == '\'' || (c == '#' && i == 0) || below(4) == 0)
			n += sprintf(out + n, "%c%c%c", quote, (char)c, quote);
		else
			out[n++] = (char)c;
	}
	out[n] = '\0';
	return n;
}

static void
words_come_back(void **state)
{
	char line[1024], want[8][16], *got[8];

	(void)state;
	rnd = test_random_start(3);
	for (int round = 0; round < 20000; round++) {
		unsigned int n = below(9);
		struct err err;
		int len = sprintf(line, "%s", below(2) ? " \t" : "");

		for (unsigned int i = 0; i < n; i++) {
			len += put_word(line + len, want[i]);
			len += sprintf(line + len, "%s", below(2) ? " " : "\t  ");
		}
		if (below(3) == 0)
			sprintf(line + len, "# \" and more");
		if (cfg_words(line, got, 8, &err) != (int)n)
			fail_msg("round %d: %s", round, err.text);
		for (unsigned int i = 0; i < n; i++)
			assert_string_equal(got[i], want[i]);
	}
}

static int
port(const char *text, uint16_t *id, struct err *err)
{
	for (uint16_t i = 0; i < PORTS; i++)
		if (strcmp(text, port_text[i]) == 0) {
			*id = i;
			return 0;
		}
	return err_set(err, -ENODEV, "no port '%s'", text);
}

static const char *
port_name(uint16_t id)
{
	return port_text[id];
}

static bool
known(const struct route_spec *s, const struct route_nh *nh)
{
	for (unsigned int i = 0; i < s->nb_nh; i++)
		if (s->nh[i].ip == nh->ip && s->nh[i].port == nh->port)
			return true;
	return false;
}

static void
random_spec(struct route_spec *s)
{
	memset(s, 0, sizeof(*s));
	s->depth = (uint8_t)below(33);
	s->prefix = (uint32_t)test_random_next(&rnd) & addr_mask(s->depth);
	s->kind = (uint8_t)below(3);
	if (s->kind == ROUTE_DEV) {
		s->nb_nh = 1;
		s->nh[0].port = (uint16_t)below(PORTS);
		s->nh[0].weight = 1;
	}
	for (uint32_t n = s->kind == ROUTE_VIA ? 1 + below(ROUTE_NH_MAX) : 0; n > 0; n--) {
		struct route_nh nh = {
			.ip = IP4(1 + below(126), below(256), below(256), below(256)),
			.port = below(3) == 0 ? ROUTE_PORT_ANY : (uint16_t)below(PORTS),
			.weight = (uint16_t)(below(2) ? 1 : 1 + below(ROUTE_WEIGHT_MAX)),
		};

		if (!known(s, &nh))
			s->nh[s->nb_nh++] = nh;
	}
}

static void
routes_come_back(void **state)
{
	static char text[4096];

	(void)state;
	rnd = test_random_start(4);
	for (int round = 0; round < 20000; round++) {
		struct route_spec want, got;
		char *word[128];
		struct err err;
		FILE *out = fmemopen(text, sizeof(text), "w");
		int n;

		random_spec(&want);
		route_spec_print(out, &want, port_name);
		fclose(out);
		n = cfg_words(text, word, RTE_DIM(word), &err);
		assert_true(n >= 2);
		memset(&got, 0x5a, sizeof(got));
		if (route_spec_parse((const char *const *)word, (unsigned int)n, port, &got,
				     &err) != 0)
			fail_msg("round %d: %s", round, err.text);
		assert_memory_equal(&got, &want, sizeof(got));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(polls_come_back),
		cmocka_unit_test(steering_groups_come_back),
		cmocka_unit_test(words_come_back),
		cmocka_unit_test(routes_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cfg/route_spec.h"

#include "base/addr.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define WAYS "'via ADDRESS', 'dev PORT' or 'blackhole'"

/* The words that are left. */
struct words {
	const char *const *word;
	unsigned int n;
};

static bool
next_is(const struct words *w, const char *text)
{
	return w->n > 0 && strcmp(w->word[0], text) == 0;
}

/* The word at the front, which is taken; NULL at the end. */
static const char *
take(struct words *w)
{
	if (w->n == 0)
		return NULL;
	w->n--;
	return *w->word++;
}

static int
take_port(struct words *w, cfg_port_fn port, uint16_t *id, struct err *err)
{
	const char *text = take(w);

	if (text == NULL)
		return err_set(err, -EINVAL,
			       "'dev' is the last word; name a port behind it: an id, a PCI "
			       "address or a device name");
	return port(text, id, err);
}

static int
take_weight(struct words *w, uint16_t *weight, struct err *err)
{
	const char *text = take(w);
	uint64_t v;
	int ret;

	if (text == NULL)
		return err_set(err, -EINVAL, "'weight' is the last word; write 1..%d behind it",
			       ROUTE_WEIGHT_MAX);
	ret = addr_parse_number("weight", text, 1, ROUTE_WEIGHT_MAX, &v, err);
	if (ret == 0)
		*weight = (uint16_t)v;
	return ret;
}

/* RFC 1812 5.3.7 and RFC 1122 3.2.1.3: what no host can have, nobody can hand packets to. */
static int
check_gateway(const char *text, uint32_t ip, struct err *err)
{
	const char *what = NULL;

	if (ip == UINT32_MAX)
		what = "the broadcast address";
	else if (ip >> 28 == 0xf)
		what = "in reserved 240.0.0.0/4";
	else if (ip >> 28 == 0xe)
		what = "a multicast address";
	else if (ip >> 24 == 127)
		what = "a loopback address";
	else if (ip >> 24 == 0)
		what = "in 0.0.0.0/8, 'this network'";
	if (what == NULL)
		return 0;
	return err_set(err, -EINVAL,
		       "next hop %.64s is %s; name a router's own address on a connected network",
		       text, what);
}

static int
take_gateway(struct words *w, uint32_t *ip, struct err *err)
{
	const char *text = take(w);
	int ret;

	if (text == NULL)
		return err_set(err, -EINVAL,
			       "'via' is the last word; write the next hop's address behind it");
	ret = addr_parse_ip4(text, ip, err);
	if (ret < 0)
		return err_prefix(err, ret, "via");
	return check_gateway(text, *ip, err);
}

/* [dev PORT] [weight N] behind an address, in either order, each once. */
static int
take_details(struct words *w, cfg_port_fn port, struct route_nh *nh, struct err *err)
{
	bool has_port = false, has_weight = false;
	int ret = 0;

	nh->port = ROUTE_PORT_ANY;
	nh->weight = 1;
	while (ret == 0 && (next_is(w, "dev") || next_is(w, "weight"))) {
		const char *key = take(w);
		bool *seen = key[0] == 'd' ? &has_port : &has_weight;

		if (*seen)
			return err_set(err, -EINVAL,
				       "'%s' stands twice behind one next hop; remove one", key);
		*seen = true;
		ret = key[0] == 'd' ? take_port(w, port, &nh->port, err)
				    : take_weight(w, &nh->weight, err);
	}
	return ret;
}

static int
check_new(const struct route_spec *s, const struct route_nh *nh, struct err *err)
{
	char ip[ADDR_IP4_TEXT];

	for (unsigned int i = 0; i < s->nb_nh; i++)
		if (s->nh[i].ip == nh->ip && s->nh[i].port == nh->port)
			return err_set(err, -EINVAL,
				       "next hop %s stands there twice; name it once and give it a "
				       "weight",
				       addr_ip4(ip, nh->ip));
	return 0;
}

static int
take_via(struct words *w, cfg_port_fn port, struct route_spec *s, struct err *err)
{
	s->kind = ROUTE_VIA;
	while (next_is(w, "via")) {
		struct route_nh nh = { 0 };
		int ret;

		take(w);
		if (s->nb_nh == ROUTE_NH_MAX)
			return err_set(err, -EINVAL,
				       "more than %d next hops; a route has room for no more",
				       ROUTE_NH_MAX);
		ret = take_gateway(w, &nh.ip, err);
		if (ret == 0)
			ret = take_details(w, port, &nh, err);
		if (ret == 0)
			ret = check_new(s, &nh, err);
		if (ret < 0)
			return ret;
		s->nh[s->nb_nh++] = nh;
	}
	return 0;
}

static int
take_way(struct words *w, cfg_port_fn port, struct route_spec *s, struct err *err)
{
	if (w->n == 0)
		return err_set(err, -EINVAL, "the route leads nowhere; add " WAYS);
	if (next_is(w, "via"))
		return take_via(w, port, s, err);
	if (next_is(w, "dev")) {
		take(w);
		s->kind = ROUTE_DEV;
		s->nb_nh = 1;
		s->nh[0].weight = 1;
		return take_port(w, port, &s->nh[0].port, err);
	}
	if (next_is(w, "blackhole")) {
		take(w);
		s->kind = ROUTE_BLACKHOLE;
		return 0;
	}
	return err_set(err, -EINVAL, "'%.64s' is not a way for packets to go; write " WAYS,
		       w->word[0]);
}

int
route_spec_parse(const char *const *word, unsigned int nb_words, cfg_port_fn port,
		 struct route_spec *spec, struct err *err)
{
	struct words w = { word, nb_words };
	struct route_spec s;
	const char *prefix = take(&w);
	int ret;

	memset(&s, 0, sizeof(s)); /* padding too: specs may be compared as bytes */
	if (prefix == NULL)
		return err_set(err, -EINVAL,
			       "the route has no prefix; write PREFIX/LENGTH, then " WAYS);
	ret = addr_parse_prefix(prefix, &s.prefix, &s.depth, err);
	if (ret == 0)
		ret = take_way(&w, port, &s, err);
	if (ret < 0)
		return ret;
	if (w.n > 0)
		return err_set(err, -EINVAL,
			       "'%.64s' does not belong behind '%.64s'; the route is complete "
			       "there, so remove it",
			       w.word[0], w.word[-1]);
	memcpy(spec, &s, sizeof(s));
	return 0;
}

static void
print_port(FILE *out, uint16_t port, cfg_port_name_fn name)
{
	const char *text = name(port);

	if (text != NULL)
		fprintf(out, " dev %s", text);
	else
		fprintf(out, " dev %u", port);
}

void
route_spec_print(FILE *out, const struct route_spec *spec, cfg_port_name_fn name)
{
	char prefix[ADDR_PREFIX_TEXT], ip[ADDR_IP4_TEXT];

	fputs(addr_prefix(prefix, spec->prefix, spec->depth), out);
	if (spec->kind == ROUTE_BLACKHOLE)
		fputs(" blackhole", out);
	if (spec->kind == ROUTE_DEV)
		print_port(out, spec->nh[0].port, name);
	for (unsigned int i = 0; spec->kind == ROUTE_VIA && i < spec->nb_nh; i++) {
		fprintf(out, " via %s", addr_ip4(ip, spec->nh[i].ip));
		if (spec->nh[i].port != ROUTE_PORT_ANY)
			print_port(out, spec->nh[i].port, name);
		if (spec->nh[i].weight != 1)
			fprintf(out, " weight %u", spec->nh[i].weight);
	}
}

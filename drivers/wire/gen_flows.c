/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "drivers/wire/gen.h"
#include "drivers/wire/wires.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE_MAX_BYTES 1024
#define DRAWS          64 /* before an address that nobody forwards to is taken as it is */
#define FIVE           5

struct route_list {
	struct spec_prefix *prefix;
	uint32_t n, room;
};

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t
draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* 0 .. n - 1 */
static uint32_t
draw_below(uint64_t *state, uint64_t n)
{
	return (uint32_t)((draw(state) >> 32) * n >> 32);
}

/* Any host; of a network that has them, neither its first address nor its last. */
static uint32_t
draw_host(uint64_t *state, const struct spec_prefix *prefix)
{
	uint64_t hosts = 1ull << (32 - prefix->depth);

	if (prefix->depth >= 31)
		return prefix->addr + draw_below(state, hosts);
	return prefix->addr + 1 + draw_below(state, hosts - 2);
}

static uint32_t
first_host(const struct spec_prefix *prefix)
{
	return prefix->addr + (prefix->depth >= 31 ? 0 : 1);
}

/* RFC 6890: not 0.0.0.0/8, 127.0.0.0/8, multicast and above, which a default route seems to hold. */
static bool
is_forwarded(uint32_t ip)
{
	return ip >> 24 != 0 && ip >> 24 != 127 && ip < 0xe0000000u;
}

static uint32_t
draw_routed(uint64_t *state, const struct route_list *routes)
{
	const struct spec_prefix *route = &routes->prefix[draw_below(state, routes->n)];
	uint32_t ip = 0;

	for (unsigned int i = 0; i < DRAWS && !is_forwarded(ip); i++)
		ip = draw_host(state, route);
	return ip;
}

static int
add_route(struct route_list *routes, const struct spec_prefix *prefix)
{
	if (routes->n == routes->room) {
		uint32_t room = routes->room == 0 ? 1024 : routes->room * 2;
		void *more = reallocarray(routes->prefix, room, sizeof(*prefix));

		if (more == NULL)
			return -ENOMEM;
		routes->prefix = more;
		routes->room = room;
	}
	routes->prefix[routes->n++] = *prefix;
	return 0;
}

/* A line of a route file; those that lead nowhere but to a next hop are of no use to a generator. */
static int
read_line(struct route_list *routes, char *line, struct err *err)
{
	static const char blanks[] = " \t\r\n";
	char *save, *word, *via;
	struct spec_prefix prefix;
	uint8_t depth;
	int ret;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, blanks, &save);
	via = word == NULL ? NULL : strtok_r(NULL, blanks, &save);
	if (word == NULL || (via != NULL && strcmp(via, "via") != 0))
		return 0;
	ret = addr_parse_prefix(word, &prefix.addr, &depth, err);
	if (ret < 0)
		return ret;
	prefix.depth = depth;
	return add_route(routes, &prefix);
}

static int
read_routes(struct route_list *routes, const char *path, struct err *err)
{
	char line[LINE_MAX_BYTES];
	unsigned int at = 0;
	FILE *file;
	int ret = wire_check_file(path, err);

	if (ret < 0)
		return err_prefix(err, ret, "gen,routes");
	file = fopen(path, "re");
	if (file == NULL)
		return err_set(err, -errno, "gen,routes=%s: %s", path, strerror(errno));
	while (ret == 0 && fgets(line, sizeof(line), file) != NULL) {
		at++;
		ret = read_line(routes, line, err);
		if (ret == -ENOMEM)
			err_set(err, ret, "gen,routes=%s: no memory", path);
		else if (ret < 0)
			err_prefix(err, ret, "gen,routes=%s:%u", path, at);
	}
	if (ret == 0 && ferror(file))
		ret = err_set(err, -EIO, "gen,routes=%s: cannot be read to its end", path);
	fclose(file);
	if (ret == 0 && routes->n == 0)
		ret = err_set(err, -EINVAL,
			      "gen,routes=%s: no line 'PREFIX/LEN via NEXTHOP' is in it", path);
	return ret;
}

int
gen_flows_open(struct gen *gen, const struct gen_conf *conf, uint64_t seed, struct err *err)
{
	bool routed = conf->routes[0] != '\0', single = !routed && conf->spread == GEN_SINGLE;
	struct route_list routes = { 0 };
	uint64_t state = seed;
	int ret = 0;

	gen->run = conf->spread == GEN_FIVE ? FIVE : 1;
	gen->nb_flows = conf->flows != 0 ? conf->flows : single ? 1 : GEN_FLOWS;
	gen->flow = calloc(gen->nb_flows, sizeof(*gen->flow));
	if (gen->flow == NULL)
		return err_set(err, -ENOMEM, "gen,flows=%u: no memory", gen->nb_flows);
	if (routed)
		ret = read_routes(&routes, conf->routes, err);
	for (uint32_t i = 0; ret == 0 && i < gen->nb_flows; i++) {
		uint32_t src = i == 0 ? first_host(&conf->src) : draw_host(&state, &conf->src);
		uint32_t dst = routed   ? draw_routed(&state, &routes)
			       : single ? first_host(&conf->dst)
					: draw_host(&state, &conf->dst);

		probe_flow_init(&gen->flow[i], i, src, dst);
	}
	free(routes.prefix);
	return ret;
}

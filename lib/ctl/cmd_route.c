/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/addr.h"
#include "ctl/cmd.h"
#include "ctl/ctl.h"
#include "ctl/routes.h"
#include "ctl/state.h"
#include "route/route.h"

static int
parse_spec(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	/* Only the array's constness differs, which C does not convert by itself. */
	const char *const *word = (const char *const *)(uintptr_t)(in->word + in->at);
	unsigned int n = in->n - in->at;

	in->at = in->n;
	return route_spec_parse(word, n, in->ports->find, &a->spec, err);
}

static int
parse_prefix(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	int ret = cmd_take(in, "PREFIX/LENGTH", &a->text, err);

	return ret < 0 ? ret : addr_parse_prefix(a->text, &a->ip, &a->depth, err);
}

static int
parse_file(struct cmd_in *in, struct cmd_args *a, struct err *err)
{
	return cmd_take(in, "FILE", &a->text, err);
}

static int
add(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)out;
	return router_route_add(ctl->cfg.router, &a->spec, false, err);
}

static int
replace(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)out;
	return router_route_add(ctl->cfg.router, &a->spec, true, err);
}

static int
del(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	(void)out;
	return router_route_del(ctl->cfg.router, a->ip, a->depth, err);
}

static int
load(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	return ctl_route_file_load(ctl, a->text, out, err);
}

static int
reload(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	return routes_reload(ctl, a->text, out, err);
}

static int
save(struct ctl *ctl, const struct cmd_args *a, FILE *out, struct err *err)
{
	return routes_save(ctl, a->text, out, err);
}

static int
check_file(struct ctl *ctl, const struct cmd_args *a, struct err *err)
{
	return routes_check(ctl, a->text, err);
}

#define SPEC "PREFIX/LENGTH via IP [dev PORT] [weight N]... | dev PORT | blackhole"

const struct cmd cmd_route[] = {
	{
		.words = "route add",
		.args = SPEC,
		.parse = parse_spec,
		.run = add,
		.help = "a static route; its prefix must be new",
		.kind = CMD_ROUTES,
	},
	{
		.words = "route replace",
		.args = SPEC,
		.parse = parse_spec,
		.run = replace,
		.help = "the same, new or not",
		.kind = CMD_ROUTES,
	},
	{
		.words = "route del",
		.args = "PREFIX/LENGTH",
		.parse = parse_prefix,
		.run = del,
		.help = "remove a static route",
		.kind = CMD_ROUTES,
	},
	{
		.words = "route load",
		.args = "FILE",
		.parse = parse_file,
		.run = load,
		.check = check_file,
		.help = "add the routes of a file, replacing those with the same prefix",
		.kind = CMD_ROUTES,
	},
	{
		.words = "route reload",
		.args = "FILE",
		.parse = parse_file,
		.run = reload,
		.check = check_file,
		.help = "make the static routes those of a file; what is alike stays untouched",
		.kind = CMD_ROUTES,
	},
	{
		.words = "route save",
		.args = "FILE",
		.parse = parse_file,
		.run = save,
		.help = "write the static routes to a file that route load takes",
		.kind = CMD_SAVE,
	},
	{ 0 },
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/routes.h"

#include "ctl/ctl.h"
#include "ctl/outfile.h"
#include "ctl/state.h"
#include "route/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading */

struct listener {
	FILE *out; /* NULL: keep the first line only */
	struct err first;
	unsigned int bad;
};

static void
say_bad(const char *line, void *arg)
{
	struct listener *l = arg;

	if (l->bad++ == 0)
		err_set(&l->first, 0, "%s", line);
	if (l->out != NULL)
		fprintf(l->out, "%s\n", line);
}

static void
say_warning(const char *line, void *arg)
{
	const struct listener *l = arg;

	if (l->out != NULL)
		fprintf(l->out, "%s\n", line);
}

static int
read_file(struct ctl *ctl, const char *path, FILE *out, struct route_file *file, struct err *err)
{
	struct listener l = { .out = out };
	const struct route_file_config cfg = {
		.port = ctl->cfg.ports->find, .bad = say_bad, .warn = say_warning, .arg = &l
	};
	int ret = route_file_read(path, &cfg, file, err);

	if (ret == 0 || l.bad == 0)
		return ret;
	if (out != NULL)
		return err_set(err, ret, "%s: %u bad line%s, nothing is applied", path, l.bad,
			       l.bad == 1 ? "" : "s");
	if (l.bad == 1)
		return err_set(err, ret, "%s", l.first.text);
	return err_set(err, ret, "%s (and %u more)", l.first.text, l.bad - 1);
}

int
routes_check(struct ctl *ctl, const char *path, struct err *err)
{
	return ctl_route_file_check(ctl, path, NULL, err);
}

int
ctl_route_file_check(struct ctl *ctl, const char *path, FILE *out, struct err *err)
{
	struct route_file file;
	int ret = read_file(ctl, path, out, &file, err);

	if (ret == 0)
		route_file_free(&file);
	return ret;
}

/* ---- applying: all of it or nothing, unless it goes into a batch that is open anyway */

static int
batch_begin(struct ctl *ctl, struct err *err)
{
	return ctl->in_batch ? 0 : router_begin(ctl->cfg.router, err);
}

static int
batch_end(struct ctl *ctl, int ret, struct err *err)
{
	if (ctl->in_batch)
		return ret;
	if (ret == 0)
		return router_commit(ctl->cfg.router, err);
	router_abort(ctl->cfg.router, NULL);
	return ret;
}

int
ctl_route_file_load(struct ctl *ctl, const char *path, FILE *out, struct err *err)
{
	struct route_file file;
	int ret = read_file(ctl, path, out, &file, err);

	if (ret < 0)
		return ret;
	ret = batch_begin(ctl, err);
	if (ret < 0)
		goto out_free;
	for (uint32_t i = 0; i < file.n && ret == 0; i++)
		ret = router_route_add(ctl->cfg.router, &file.route[i], true, err);
	ret = batch_end(ctl, ret, err);
	if (ret == 0)
		fprintf(out, "%s: %u routes\n", path, file.n);
out_free:
	route_file_free(&file);
	return ret;
}

/* ---- reload: walk two sorted lists side by side */

struct routes {
	struct route_spec *route;
	uint32_t n, room;
};

static int
keep_static(const struct route_info *info, void *arg)
{
	struct routes *have = arg;

	if (info->source != ROUTE_STATIC)
		return 0;
	if (have->n == have->room) {
		uint32_t room = have->room == 0 ? 256 : have->room * 2;
		struct route_spec *r = realloc(have->route, room * sizeof(*r));

		if (r == NULL)
			return -ENOMEM;
		have->route = r;
		have->room = room;
	}
	have->route[have->n++] = info->spec;
	return 0;
}

static int
order(const struct route_spec *a, const struct route_spec *b)
{
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix ? -1 : 1;
	return a->depth - b->depth;
}

static int
order_void(const void *a, const void *b)
{
	return order(a, b);
}

static bool
same_route(const struct route_spec *a, const struct route_spec *b)
{
	if (a->kind != b->kind || a->nb_nh != b->nb_nh)
		return false;
	for (unsigned int i = 0; i < a->nb_nh; i++) {
		const struct route_nh *x = &a->nh[i], *y = &b->nh[i];

		if (x->port != y->port)
			return false;
		if (a->kind == ROUTE_VIA && (x->ip != y->ip || x->weight != y->weight))
			return false;
	}
	return true;
}

struct changes {
	uint32_t added, changed, removed, kept;
};

static int
step(struct router *r, const struct route_spec *have, const struct route_spec *want,
     struct changes *n, struct err *err)
{
	if (want == NULL) {
		n->removed++;
		return router_route_del(r, have->prefix, have->depth, err);
	}
	if (have != NULL && same_route(have, want)) {
		n->kept++;
		return 0;
	}
	if (have != NULL)
		n->changed++;
	else
		n->added++;
	return router_route_add(r, want, have != NULL, err);
}

static int
apply_difference(struct router *r, const struct routes *have, const struct route_file *want,
		 struct changes *n, struct err *err)
{
	uint32_t h = 0, w = 0;
	int ret = 0;

	while (ret == 0 && (h < have->n || w < want->n)) {
		int side = h == have->n ? 1 : w == want->n ? -1 : 0;

		if (side == 0)
			side = order(&have->route[h], &want->route[w]);
		ret = step(r, side <= 0 ? &have->route[h] : NULL,
			   side >= 0 ? &want->route[w] : NULL, n, err);
		h += side <= 0;
		w += side >= 0;
	}
	return ret;
}

int
routes_reload(struct ctl *ctl, const char *path, FILE *out, struct err *err)
{
	struct routes have = { 0 };
	struct changes n = { 0 };
	struct route_file want;
	int ret;

	if (ctl->in_batch)
		return err_set(
			err, -EBUSY,
			"route reload compares with what is in force: commit or abort first");
	ret = read_file(ctl, path, out, &want, err);
	if (ret < 0)
		return ret;
	qsort(want.route, want.n, sizeof(*want.route), order_void);
	ret = router_route_walk(ctl->cfg.router, 0, 0, keep_static, &have);
	if (ret < 0) {
		err_set(err, ret, "%s: no memory to compare %u routes", path, want.n);
		goto out_free;
	}
	ret = router_begin(ctl->cfg.router, err);
	if (ret < 0)
		goto out_free;
	ret = apply_difference(ctl->cfg.router, &have, &want, &n, err);
	ret = batch_end(ctl, ret, err);
	if (ret == 0)
		fprintf(out, "%s: %u routes added, %u changed, %u removed, %u kept\n", path,
			n.added, n.changed, n.removed, n.kept);
out_free:
	free(have.route);
	route_file_free(&want);
	return ret;
}

/* ---- saving */

struct saver {
	const struct ctl *ctl;
	FILE *out;
	uint32_t n;
};

static int
save_one(const struct route_info *info, void *arg)
{
	struct saver *s = arg;

	if (info->source != ROUTE_STATIC)
		return 0;
	route_spec_print(s->out, &info->spec, s->ctl->cfg.ports->name);
	fputc('\n', s->out);
	s->n++;
	return 0;
}

int
routes_save(struct ctl *ctl, const char *path, FILE *out, struct err *err)
{
	struct saver s = { .ctl = ctl };
	struct outfile file;
	int ret = outfile_open(&file, path, err);

	if (ret < 0)
		return ret;
	s.out = file.out;
	router_route_walk(ctl->cfg.router, 0, 0, save_one, &s);
	ret = outfile_commit(&file, err);
	if (ret == 0)
		fprintf(out, "%s: %u routes\n", path, s.n);
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Those whose plugins exist, so that a slip is told from a plugin that comes later; "ethdev" is that
 * of ./run hwcheck, which has real ports at the far end of their cable.
 */
static const char *const nics[] = { "82599", "cx5", "ethdev" };

static bool
is_nic(const char *name, const char *asking)
{
	for (size_t i = 0; i < sizeof(nics) / sizeof(nics[0]); i++)
		if (strcmp(nics[i], name) == 0)
			return true;
	return strcmp(asking, name) == 0;
}

static int
no_wire(const char *name, struct err *err)
{
	char all[128] = "";
	size_t at = 0;

	for (unsigned int i = 0; wire_kinds[i] != NULL && at < sizeof(all); i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", i > 0 ? ", " : "",
				       wire_kinds[i]->name);
	return err_set(err, -EINVAL, "unknown wire '%.64s'; there are %s", name, all);
}

static int
no_nic(const char *name, struct err *err)
{
	if (wire_kind_find(name) != NULL)
		return err_set(err, -EINVAL,
			       "the wire '%.64s' has no NIC in front of it; write 82599 or cx5",
			       name);
	if (strcmp(name, "run") == 0)
		return err_set(err, -EINVAL, "'run' is an item of its own; put \";\" around it");
	return err_set(err, -EINVAL, "unknown NIC '%.64s'; there are 82599 and cx5", name);
}

static int
add_run(struct places *places, const struct spec_item *item, struct err *err)
{
	if (item->nb_words > 1)
		return err_set(err, -EINVAL, "'run' stands alone; put \";\" behind its options");
	if (places->run_said)
		return err_set(err, -EINVAL, "'run' is said twice; once is enough");
	places->run_said = true;
	return run_options(&item->word[0], &places->run, err);
}

static int
add_wire(struct place_wire *wire, const struct spec_word *word, struct err *err)
{
	wire->kind = wire_kind_find(word->kind);
	if (wire->kind == NULL)
		return no_wire(word->kind, err);
	/* One byte for a kind without options: NULL would be an error. */
	wire->conf = malloc(wire->kind->conf_size + 1);
	if (wire->conf == NULL)
		return err_set(err, -ENOMEM, "no memory");
	if (wire->kind->conf_size > 0)
		memcpy(wire->conf, wire->kind->defaults, wire->kind->conf_size);
	return spec_options(word, wire->kind->opts, wire->conf, err);
}

/* One wire gets every end that it can take; of two, the first gets the first that leaves one. */
static int
share_ends(struct place *place, struct err *err)
{
	struct place_wire *a = &place->wire[0], *b = &place->wire[1];

	if (b->kind == NULL) {
		if (a->kind != NULL)
			a->ends = a->kind->ends;
		return 0;
	}
	if ((a->kind->ends & WIRE_IN) != 0 && (b->kind->ends & WIRE_OUT) != 0) {
		a->ends = WIRE_IN;
		b->ends = WIRE_OUT;
		return 0;
	}
	if ((a->kind->ends & WIRE_OUT) != 0 && (b->kind->ends & WIRE_IN) != 0) {
		a->ends = WIRE_OUT;
		b->ends = WIRE_IN;
		return 0;
	}
	return err_set(err, -EINVAL, "both '%s' and '%s' can only %s; take one of them away",
		       a->kind->name, b->kind->name,
		       a->kind->ends == WIRE_IN ? "give frames" : "take frames");
}

static int
add_place(struct places *places, const struct spec_item *item, const char *kind, struct err *err)
{
	struct place *place = &places->place[places->n];
	int ret;

	if (!is_nic(item->word[0].kind, kind))
		return no_nic(item->word[0].kind, err);
	if (places->n == SOFT_PORT_MAX)
		return err_set(err, -EINVAL, "more than %u NICs", SOFT_PORT_MAX);
	if (item->nb_words > 3)
		return err_set(err, -EINVAL,
			       "port %u: '%.64s' is a third wire; a cable has two ends", places->n,
			       item->word[3].kind);
	place->nic = &item->word[0];
	places->n++;
	for (unsigned int i = 1; i < item->nb_words; i++) {
		ret = add_wire(&place->wire[i - 1], &item->word[i], err);
		if (ret < 0)
			return err_prefix(err, ret, "port %u", places->n - 1);
	}
	ret = share_ends(place, err);
	return ret < 0 ? err_prefix(err, ret, "port %u", places->n - 1) : 0;
}

int
places_add(struct places *places, const char *text, const char *kind, struct err *err)
{
	struct spec *spec;
	int ret;

	if (places->nb_specs == PLACES_SPECS)
		return err_set(err, -ENOSPC, "more than %u kinds of NIC", PLACES_SPECS);
	spec = calloc(1, sizeof(*spec));
	if (spec == NULL)
		return err_set(err, -ENOMEM, "no memory");
	ret = spec_parse(spec, text, err);
	if (ret < 0) {
		free(spec);
		return ret;
	}
	places->spec[places->nb_specs++] = spec;
	for (unsigned int i = 0; i < spec->nb_items; i++) {
		const struct spec_item *item = &spec->item[i];

		if (strcmp(item->word[0].kind, "run") == 0)
			ret = add_run(places, item, err);
		else
			ret = add_place(places, item, kind, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

void
places_release(struct places *places)
{
	for (unsigned int i = 0; i < places->n; i++)
		for (unsigned int k = 0; k < 2; k++)
			free(places->place[i].wire[k].conf);
	for (unsigned int i = 0; i < places->nb_specs; i++) {
		spec_free(places->spec[i]);
		free(places->spec[i]);
	}
	memset(places, 0, sizeof(*places));
}

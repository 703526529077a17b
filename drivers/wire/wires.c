/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/wires.h"

#include <string.h>

const struct wire_kind *const wire_kinds[] = {
	&wire_kind_gen,
	&wire_kind_loop,
	&wire_kind_pair,
	&wire_kind_pcap,
	&wire_kind_sink,
	&wire_kind_tap,
	NULL,
};

const struct wire_kind *
wire_kind_find(const char *name)
{
	for (unsigned int i = 0; wire_kinds[i] != NULL; i++)
		if (strcmp(wire_kinds[i]->name, name) == 0)
			return wire_kinds[i];
	return NULL;
}

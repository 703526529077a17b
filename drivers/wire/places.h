/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_PLACES_H
#define WIRE_PLACES_H

#include "drivers/wire/run.h"
#include "drivers/wire/wires.h"

/*
 * The specification as a plan: which NIC is at which index, and which wire at which end of its
 * cable.  Nothing is created yet, but all that can be judged without the NICs' plugins is.
 */
struct place_wire {
	const struct wire_kind *kind; /* NULL: none */
	unsigned int ends;            /* WIRE_IN, WIRE_OUT: which it has here */
	void *conf;                   /* parsed; owned */
};
struct place {
	const struct spec_word *nic;
	struct place_wire wire[2];
};
#define PLACES_SPECS 4 /* texts: SLUICE_NICS, or what each kind gets without it */
struct places {
	unsigned int nb_specs, n;
	struct spec *spec[PLACES_SPECS];
	struct place place[SOFT_PORT_MAX];
	struct run_conf run;
	bool run_said;
};

/*
 * Add a text to the plan.  kind is the NIC whose plugin asks, which need not be in the list of
 * those we know.  On error the plan is in no state but to be released.
 */
int places_add(struct places *places, const char *text, const char *kind, struct err *err);
void places_release(struct places *places);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef STATS_VERDICT_H
#define STATS_VERDICT_H

/*
 * Every fate a packet can meet.  FORWARD is not final: a packet that still carries it when the
 * transmit stage is done has been accepted by a NIC.  The PUNT ones go to the control thread, and
 * the rest are drops, one counter each.
 */
enum verdict {
	VERDICT_FORWARD = 0,
	VERDICT_PUNT_ARP,     /* an ARP frame */
	VERDICT_PUNT_LOCAL,   /* IPv4 to one of our addresses */
	VERDICT_PUNT_RESOLVE, /* forwarded, but the next hop's MAC is not known yet */
	VERDICT_DROP,         /* the first drop has this value plus one; it is none itself */
#define VERDICT(id, name, hint) VERDICT_##id,
#include "stats/verdict.def"
#undef VERDICT
	VERDICT_MAX,
};

#define VERDICT_IS_DROP(v) ((v) > VERDICT_DROP)

/* Name as in JSON, and the hint; any thread; v must be a drop. */
const char *verdict_name(enum verdict v);
const char *verdict_hint(enum verdict v);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_PROBE_H
#define WIRE_PROBE_H

#include "drivers/wire/softnic.h"

/*
 * A test frame: Ethernet, IPv4, UDP and a payload that says which stream and flow it is of, which
 * number it has there, and what every byte after that must be.  Built by gen, judged by sink.
 *
 * Frames without FCS of 60 bytes and up.  Any thread, pure but for the tables of the judge.
 */
#define PROBE_MAGIC 0x51u
#define PROBE_AT    42 /* of the payload without VLAN tag */
#define PROBE_MIN   60
struct probe_tag { /* 16 bytes at PROBE_AT, little-endian */
	uint8_t magic;
	uint8_t stream; /* port index of the gen */
	uint8_t ttl;    /* as sent */
	uint8_t check;  /* over the 15 others */
	uint32_t flow;
	uint64_t seq; /* within the flow, from 0 */
};
/* Bytes from PROBE_AT + 16 to the end are a pattern of (stream, flow, seq). */

#endif

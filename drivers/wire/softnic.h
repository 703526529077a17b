/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOFTNIC_H
#define SOFTNIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Software NICs, seen from a program that has loaded them: run them, disturb them, ask them.
 * Exported by libsluice_wire.so, which both plugins (libsluice_82599.so, libsluice_cx5.so) need.
 * What a program never linked with this can do comes through the control socket: same commands.
 *
 * Threads: any, one call at a time holds the models' lock; softnic_step() only in a lock-step run.
 * Errors: negative errno, text in *err of at least SOFTNIC_TEXT bytes when err is not NULL.
 */
#define SOFTNIC_API  __attribute__((visibility("default")))
#define SOFTNIC_TEXT 512

/*
 * One turn of every NIC and every wire on the caller's thread: rings are drained to the cable, at
 * most `batch` frames a port are taken off it.  Returns the frames moved, -EBUSY when a model
 * thread runs them (the specification does not say "run,step").
 */
SOFTNIC_API int softnic_step(unsigned int batch);

/* What a cable and a card can suffer.  The value means what the comment says; 0 ends it. */
enum softnic_fault {
	SOFTNIC_LINK_DOWN,       /* 1: no light */
	SOFTNIC_RX_STARVE,       /* 1: the NIC sees no receive descriptor */
	SOFTNIC_TX_HANG,         /* 1: the NIC fetches no transmit descriptor */
	SOFTNIC_SLOW_COMPLETION, /* microseconds between a frame's end and its completion */
	SOFTNIC_DMA_RX,          /* the next N receive buffer addresses are damaged */
	SOFTNIC_DMA_TX,          /* the next N transmit buffer addresses are damaged */
	SOFTNIC_BAD_IP,          /* the next N IPv4 frames off the cable: wrong header checksum */
	SOFTNIC_BAD_L4,          /* the next N UDP or TCP frames: wrong checksum */
	SOFTNIC_BAD_FCS,         /* the next N frames: wrong frame check sequence */
	SOFTNIC_CQE_RX,          /* the next N receive completions are errors (cx5) */
	SOFTNIC_CQE_TX,          /* the next N transmit completions are errors (cx5) */
	SOFTNIC_REMOVE,          /* 1: pulled out of its slot */
	SOFTNIC_READ_STALL,      /* microseconds that every register read or command takes longer */
	SOFTNIC_FAULTS
};
/* Returns 0, -ENODEV (no such port), -ENOTSUP (not with this NIC). */
SOFTNIC_API int softnic_fault(unsigned int port, enum softnic_fault fault, uint64_t value,
			      char *err);
SOFTNIC_API int softnic_fault_by_name(const char *name); /* enum, or -ENOENT */
SOFTNIC_API const char *softnic_fault_name(enum softnic_fault fault);

/* Since the model was made.  offered = frames + missed + filtered + bad + lost; see each. */
struct softnic_stats {
	uint64_t rx_offered;          /* frames that came off the cable */
	uint64_t rx_frames;           /* delivered into host memory */
	uint64_t rx_bytes;            /* of those, without FCS */
	uint64_t rx_missed;           /* no descriptor */
	uint64_t rx_filtered;         /* not for us: MAC, VLAN, a drop rule, no rule */
	uint64_t rx_bad;              /* FCS, too long, too short */
	uint64_t rx_lost;             /* the host gave memory that it does not own */
	uint64_t tx_frames, tx_bytes; /* put on the cable */
	uint64_t tx_lost;             /* not sent: wrong memory or descriptor; cx5: no link */
	uint64_t dma_errors;          /* addresses outside what the host gave */
	uint64_t bad_descriptors;     /* what the datasheet forbids */
	uint64_t traps;               /* register accesses or commands */
};
SOFTNIC_API int softnic_stats(unsigned int port, struct softnic_stats *stats);
SOFTNIC_API unsigned int softnic_ports(void);
SOFTNIC_API const char *softnic_bdf(unsigned int port); /* "0000:01:00.0", or NULL */

/*
 * One command as the control socket takes it ("stats", "fault 0 link_down 1", "gen 0 rate 1000000",
 * "help"); the answer, JSON or text, is written into out.  Returns 0, -EINVAL (not a command, text
 * says why), -ENOSPC (the answer did not fit).
 */
SOFTNIC_API int softnic_command(const char *line, char *out, size_t len);

#endif

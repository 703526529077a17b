/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_SOFT_H
#define WIRE_SOFT_H

#include "drivers/wire/softnic.h"
#include "drivers/wire/spec.h"

/*
 * Where NIC models and wires meet.  A port is a NIC and its end of a cable; a wire is what hangs on
 * the other end.  Frames cross as pointers, in batches, with no copy in between.
 *
 * Threads: everything below runs under the one models' lock (soft_lock): in the model thread, or in
 * the caller of softnic_step().  A model's register handler and commands take it themselves.
 */
#define SOFT_BATCH     64   /* frames at most in one call */
#define SOFT_FRAME_MAX 9728 /* bytes, without FCS: 9.5 KB (82599 datasheet 7.1, MAXFRS) */
#define SOFT_PORT_MAX  32

#define SOFT_BAD_FCS 1u /* flags: the cable damaged it */
struct soft_frame {
	const uint8_t *data; /* destination MAC first; no FCS */
	uint32_t len, flags;
};

struct soft_port;
struct soft_wire;

/* A NIC model: one constant table of functions. */
struct soft_kind {
	const char *name, *help;     /* "82599" */
	const struct spec_opt *opts; /* of conf; the first members are struct soft_conf */
	size_t conf_size;
	const void *defaults; /* a conf */
	/* Make the NIC and its entry in the tree (tree.h), before EAL scans.  port->conf is set; set
	 * port->nic, bdf, mac. */
	int (*create)(struct soft_port *port, struct err *err);
	void (*destroy)(struct soft_port *port);
	/* The host has switched the receiver on and the link is up. */
	bool (*listening)(const struct soft_port *port);
	/* Up to max frames that the host wants sent; valid until transmitted(), which completes them. */
	unsigned int (*transmit)(struct soft_port *port, struct soft_frame *frames,
				 unsigned int max);
	void (*transmitted)(struct soft_port *port);
	/* Frames off the cable.  Returns how many were taken: all, or with wait fewer, when the next one
	 * has no descriptor; without wait that one counts as missed and is gone. */
	unsigned int (*receive)(struct soft_port *port, const struct soft_frame *frames,
				unsigned int n, bool wait);
	/* port->fault[fault] has its new value.  0 or -ENOTSUP. */
	int (*fault)(struct soft_port *port, enum softnic_fault fault);
};

/* What every NIC takes. */
struct soft_conf {
	char bdf[16];    /* "" takes the kind's next free one */
	uint8_t mac[6];  /* zero: the kind's own, by index */
	uint32_t numa;   /* node the device claims */
	uint32_t queues; /* pairs it offers */
};

struct soft_port {
	unsigned int index; /* place in the specification */
	const struct soft_kind *kind;
	void *conf; /* of kind->conf_size */
	void *nic;  /* the model's own */
	char bdf[16];
	uint8_t mac[6];
	struct soft_wire *in, *out; /* may be the same; NULL: nothing there */
	uint64_t fault[SOFTNIC_FAULTS];
	struct softnic_stats stats; /* the model counts; rx_offered is the runner's */
	struct soft_reply *reply; /* runner: frames a wire wants delivered here, see soft_reply() */
	bool heard;               /* runner: the wires know that it listens */
};

#define WIRE_IN  1u /* gives frames to the NIC */
#define WIRE_OUT 2u /* takes frames from it */
struct soft_report;
struct wire_kind {
	const char *name, *help; /* "gen" */
	const struct spec_opt *opts;
	size_t conf_size;
	const void *defaults;
	unsigned int ends; /* which it can take: both when both are free and it can */
	int (*create)(struct soft_wire *wire, struct err *err); /* all ports and wires exist */
	void (*destroy)(struct soft_wire *wire); /* flush files; also when create failed */
	/* WIRE_IN, asked only while the NIC is listening: up to max frames that wait to be received,
	 * valid until fetched(), which says how many of them the NIC took.  No fetched() after 0. */
	unsigned int (*fetch)(struct soft_wire *wire, struct soft_frame *frames, unsigned int max);
	void (*fetched)(struct soft_wire *wire, unsigned int taken);
	/* WIRE_OUT; frames are valid during the call only. */
	void (*send)(struct soft_wire *wire, const struct soft_frame *frames, unsigned int n);
	/* The NIC has begun or ceased to listen.  NULL: of no interest. */
	void (*link)(struct soft_wire *wire, bool up);
	/* its counters, by soft_report_*() */
	void (*report)(const struct soft_wire *wire, struct soft_report *report);
	/* "gen 0 start": the words after the port; -EINVAL explains what there is.  NULL: none. */
	int (*command)(struct soft_wire *wire, int argc, char **argv, struct err *err);
};
struct soft_wire {
	const struct wire_kind *kind;
	struct soft_port *port;
	void *conf;
	void *own;
	bool wait;  /* fetch() is a source that waits for descriptors rather than lose frames */
	bool ended; /* a source with an end has reached it; a report says so */
};

/*
 * For plugins, from their constructor: this NIC kind is here.  Reads SLUICE_NICS when it is the
 * first, makes the ports of this kind; without SLUICE_NICS two of them, wired to each other.  What
 * is wrong, another DPDK too, is one line on stderr, and there are no ports.
 */
SOFTNIC_API int soft_plug(const struct soft_kind *kind);
/* From the first probe of any port: start the model thread, unless it is a lock-step run. */
SOFTNIC_API int soft_start(void);
/* Any thread of the host, also one that shares a CPU with the model thread: that gives way.  In a
 * trap handler as well, which may only spin and yield: soft_lock_trap() is the same by another name. */
SOFTNIC_API void soft_lock(void);
SOFTNIC_API void soft_lock_trap(void);
SOFTNIC_API void soft_unlock(void);
SOFTNIC_API void
soft_stall(const struct soft_port *port); /* SOFTNIC_READ_STALL: sleep if it is on */
SOFTNIC_API struct soft_port *soft_port(unsigned int index); /* NULL: no such */
SOFTNIC_API uint64_t soft_now_ns(void); /* CLOCK_MONOTONIC; in lock-step 1 us a turn */
SOFTNIC_API bool soft_is_step(void);
SOFTNIC_API uint64_t soft_seed(void); /* run,seed=N: of everything random; 1 without */
SOFTNIC_API bool soft_trace(void);    /* run,trace: lines by soft_log(), however many */
/* One line on stderr, "softnic: PORT: text".  Never from a datapath more than once a second. */
SOFTNIC_API void soft_log(const struct soft_port *port, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* For wires: deliver a frame to the wire's own port in the next turn (an ARP answer). */
SOFTNIC_API void soft_reply(struct soft_wire *wire, const uint8_t *frame, uint32_t len);
/* For wires that end at a port: up to SOFT_BATCH frames into it at once.  What has no descriptor
 * counts as missed there.  Returns n, or 0 when it is not listening. */
SOFTNIC_API unsigned int soft_deliver(struct soft_port *port, const struct soft_frame *frames,
				      unsigned int n);
SOFTNIC_API void soft_report_u64(struct soft_report *report, const char *key, uint64_t value);
SOFTNIC_API void soft_report_text(struct soft_report *report, const char *key, const char *value);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_RUN_H
#define WIRE_RUN_H

#include "base/err.h"
#include "drivers/wire/soft.h"
#include "drivers/wire/spec.h"

#include <sched.h>
#include <stdio.h>

/*
 * What the files that run the models share: ports.c makes them, turn.c and runner.c run them,
 * control.c and report.c speak of them.  Private to this folder and its tests.
 */
#define RUN_NO_CPU UINT32_MAX
struct run_conf {      /* "run,..." */
	uint32_t cpu;  /* of the model thread, RUN_NO_CPU: any that the process may use */
	bool step;     /* no model thread: softnic_step() */
	bool trace;    /* a line on stderr for every turn that moves frames */
	uint64_t seed; /* of everything random */
	char control[108], report[256]; /* paths, "" for none */
};
/* The word "run" into conf; checks that the CPU is there and ours.  0 or -EINVAL. */
int run_options(const struct spec_word *word, struct run_conf *conf, struct err *err);
extern const struct spec_opt run_opts[];

/* ports.c.  The ports that take part in turns, in order of index; under the lock. */
struct port_list {
	struct soft_port *port[SOFT_PORT_MAX];
	unsigned int n;
};
const struct port_list *ports_running(void);
/* This process ends them, should the one that loaded the plugins have become a daemon since. */
void ports_own(void);
/* The names of NIC kinds in the specification that no plugin has brought: one warning. */
void ports_warn_absent(void);
/*
 * Stop everything and forget it, as if nothing had been plugged.  At the exit of the process, whose
 * threads may still be using their NICs, these stay; wires, files and sockets end.
 */
void ports_end(bool at_exit);

/* turn.c */
/* One turn of every port; rx frames at most a port, rings drained when it is a step.  Frames moved. */
unsigned int turn_all(unsigned int rx_max, bool drain);
void turn_release(struct soft_port *port); /* the replies that wait */

/* lock.c */
void lock_turn(void);               /* the model thread's soft_lock(): others go first */
bool lock_try_for(unsigned int ms); /* for the way out, which must not hang */
bool lock_wanted(void);

/* runner.c.  Which CPUs the process has is what it had at this call. */
void runner_init(const struct run_conf *conf);
const struct run_conf *runner_conf(void);
bool runner_started(void);
uint64_t runner_turns(void);
bool runner_end(void); /* false: the thread did not stop in time */

/* faults.c; under the lock */
/* 0 or -ENOTSUP, with a text. */
int fault_set(struct soft_port *port, enum softnic_fault fault, uint64_t value, struct err *err);
#define FAULTS_ON_FRAMES(p)                                                                        \
	((p)->fault[SOFTNIC_BAD_IP] | (p)->fault[SOFTNIC_BAD_L4] | (p)->fault[SOFTNIC_BAD_FCS])
/* Damage copies of the frames; given says which were hit.  For those behind `taken` it is undone. */
void faults_apply(struct soft_port *port, struct soft_frame *frames, unsigned int n,
		  uint8_t *given);
void faults_settle(struct soft_port *port, const uint8_t *given, unsigned int taken,
		   unsigned int n);

/* report.c */
int report_check(const char *path, struct err *err); /* could it be written? */
int report_write(const char *path, struct err *err);
void report_print(FILE *out, bool json); /* under the lock */

/* command.c: softnic_command() with a text of any length, which is the caller's to free(); it is
 * NULL when there was no memory.  Takes the lock. */
int command_text(const char *line, char **text, size_t *len);

/* control.c */
int control_open(const char *path, struct err *err); /* the socket is there */
int control_start(struct err *err);                  /* and answers */
void control_end(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_MODEL_H
#define N82599_MODEL_H

#include "drivers/ixgbe/model/board.h"
#include "drivers/ixgbe/model/queue.h"
#include "drivers/ixgbe/model/regs.h"
#include "drivers/wire/soft.h"
#include "drivers/wire/toeplitz.h"

#include <stdatomic.h>
#include <stdbool.h>

/*
 * An Intel 82599 behind the unmodified net_ixgbe: registers, rings, filters, statistics.  The
 * numbers behind the comments are sections of the datasheet (331520).
 *
 * Private to this folder.  Everything runs under the models' lock (soft_lock()).
 */
#define N82599_RXQ   64 /* queues that the model serves, of 128 */
#define N82599_TXQ   64
#define N82599_BAR   (512u << 10)
#define N82599_CHAIN 40 /* descriptors of one frame at most (8.2.3.9.1: WTHRESH and 40 buffers) */

struct n82599_conf {
	struct soft_conf common;
	uint32_t trap_all; /* word: "few" or "all" register pages trap */
};

struct n82599 {
	struct soft_port *port;
	uint8_t *regs; /* the model's view of the BAR; a register's plain value */
	uint8_t *bar;  /* the host's: the same memory, no access to pages that have side effects */
	int bar_fd;
	bool attached, removed, trap_all;
	uint32_t warned; /* mmio.c: what has been said */

	/* irq.c, irq_handle.c */
	uint64_t causes, enabled;       /* bit a vector: EICR 15:0 and its like beyond, EIMS */
	uint32_t other, other_enabled;  /* EICR and EIMS 30:16 */
	bool line;                      /* the interrupt of the other causes is raised */
	unsigned int nb_vectors;        /* for queues: vectors 1 .. nb_vectors */
	int irq[1 + N82599_VECTORS];    /* eventfds, [0] for the other causes */
	struct rte_intr_handle *handle; /* EAL's, while attached */

	/* eeprom.c, i2c.c */
	uint16_t eeprom[1024]; /* words */
	uint8_t sfp[256];
	struct n82599_i2c i2c;

	/* datapath */
	struct n82599_rxq rxq[N82599_RXQ];
	struct n82599_txq txq[N82599_TXQ];
	uint64_t rxq_on, txq_on; /* bit a queue */
	uint64_t patience;       /* cycles between looks at a queue's registers, see queue.c */
	bool queues_dirty;       /* RXDCTL, TXDCTL, base, length, SRRCTL written: look again */
	bool rss_dirty;          /* key, RETA or MRQC written */
	bool filter_dirty;       /* RAL/RAH, MTA, FCTRL, VLNCTRL, VFTA written */
	struct toeplitz rss;
	struct n82599_rx *rx; /* rx.c, filter.c: their own */
	struct n82599_tx *tx; /* tx.c: its own, with the room to put chains together */
};

/* A register's plain value, no side effects. */
#define N82599_REG(nic, off) (*(volatile uint32_t *)(void *)((nic)->regs + (off)))

/* attach.c: the shim driver between EAL and net_ixgbe */
int n82599_attach(struct n82599 *nic, const struct soft_conf *conf, struct err *err);
void n82599_unattach(const struct n82599 *nic);
struct n82599 *n82599_by_bdf(const char *bdf);
struct n82599 *n82599_by_bar(uintptr_t addr); /* the NIC whose host view holds it, or NULL */

/* bar.c */
int n82599_bar_open(struct n82599 *nic, struct err *err);
void n82599_bar_close(struct n82599 *nic);
void n82599_bar_protect(struct n82599 *nic); /* by trap_all and removed */

/* trap.c: SIGSEGV on the host's view becomes a call of mmio.c */
int n82599_trap_init(struct err *err);

/* mmio.c: a register access of the host, with its side effects; takes a locked model */
uint32_t n82599_read(struct n82599 *nic, uint32_t off);
void n82599_write(struct n82599 *nic, uint32_t off, uint32_t value);
void n82599_reset(struct n82599 *nic); /* 4.2.1.6: registers to their initial values */

/* fault.c: also the state of the cable */
bool n82599_link_up(const struct n82599 *nic);
void n82599_link_update(struct n82599 *nic); /* LINKS, and an interrupt if it changed */
int n82599_fault(struct soft_port *port, enum softnic_fault fault);

/* counters.c: statistics registers, 8.2.3.23; they stick, none wraps but octets */
void n82599_count(struct n82599 *nic, uint32_t off, uint32_t n);
void n82599_count_octets(struct n82599 *nic, uint32_t low, uint64_t bytes);
bool n82599_read_clears(uint32_t off);
/* The queues' own, which lie on pages that may not trap: shown at CRCERRS, cleared at MLFC, the
 * order in which the PMD reads. */
void n82599_queue_counters(struct n82599 *nic, bool show);

/* rx.c, queue.c, filter.c, tx.c: the functions of struct soft_kind, and: */
int n82599_datapath_open(struct n82599 *nic);
void n82599_datapath_close(struct n82599 *nic);
void n82599_datapath_reset(struct n82599 *nic);
void n82599_queues(struct n82599 *nic); /* registers to rxq[], txq[] */
bool n82599_listening(const struct soft_port *port);
unsigned int n82599_receive(struct soft_port *port, const struct soft_frame *frames, unsigned int n,
			    bool wait);
unsigned int n82599_transmit(struct soft_port *port, struct soft_frame *frames, unsigned int max);
void n82599_transmitted(struct soft_port *port);

#endif

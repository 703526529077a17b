/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_BOARD_H
#define N82599_BOARD_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* The parts of model.h that have little to do with frames: EEPROM, SFP+ module, interrupts. */
#define N82599_VECTORS 15 /* for queues: what net_ixgbe uses (IXGBE_MAX_INTR_QUEUE_NUM) */

struct n82599;
struct rte_intr_handle;

/* The module's end of the two-wire bus, i2c.c */
struct n82599_i2c {
	bool scl, sda;      /* as the master drives them */
	bool out;           /* what the module drives: false pulls the data line down */
	bool fresh;         /* the next falling clock edge ends a start condition */
	uint8_t phase;      /* enum phase */
	uint8_t bits, byte; /* of the byte under way */
	uint8_t at;         /* the module's address counter */
};

/* eeprom.c, i2c.c */
void n82599_eeprom_init(struct n82599 *nic);
void n82599_i2c_init(struct n82599 *nic);
void n82599_i2c_write(struct n82599 *nic, uint32_t value);
uint32_t n82599_i2c_read(const struct n82599 *nic);

/* irq.c: causes and masks, 7.3.1 */
int n82599_irq_open(struct n82599 *nic, struct err *err);
void n82599_irq_close(struct n82599 *nic);
void n82599_irq_reset(struct n82599 *nic);
void n82599_irq_raise(struct n82599 *nic, uint32_t causes); /* EICR bits */
void n82599_irq_rx(struct n82599 *nic, unsigned int queue); /* by IVAR, 7.3.1.2.1 */
/* A register of 8.2.3.5 that is more than memory: true, and *value read or written. */
bool n82599_irq_read(struct n82599 *nic, uint32_t off, uint32_t *value);
bool n82599_irq_write(struct n82599 *nic, uint32_t off, uint32_t value);

/* irq_handle.c: EAL's interrupt handle of the device */
int n82599_handle_attach(struct n82599 *nic, struct rte_intr_handle *handle);
void n82599_handle_arm(struct n82599 *nic); /* the PMD has reset the NIC: vectors are there again */
void n82599_handle_detach(struct n82599 *nic);

#endif

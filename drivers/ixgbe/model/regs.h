/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_REGS_H
#define N82599_REGS_H

/*
 * Registers of the 82599 that the model gives a meaning, by the datasheet's names; section 8.2.3 of
 * the datasheet (331520) lists all of them.  Offsets into BAR 0, bytes; values are 32 bits,
 * little-endian.
 */
enum n82599_reg {
	R_CTRL = 0x00000,
	R_STATUS = 0x00008,
};

#endif

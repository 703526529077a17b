/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_TRAP_DECODE_H
#define N82599_TRAP_DECODE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The x86-64 instructions that compilers emit for a volatile load or store of 32 bits, and the
 * narrow loads they make of one whose upper bits nobody reads.  Pure.
 */
struct trap_insn {
	uint8_t len;    /* bytes */
	bool store;     /* register or immediate to memory */
	bool immediate; /* value is stored; otherwise register reg is loaded or stored */
	uint8_t reg;    /* 0..15 as the processor counts: rax, rcx, rdx, rbx, rsp, ... */
	uint8_t width;  /* bytes of memory: 4, or 1 and 2 of a narrow load */
	bool sign;      /* a narrow load extends the sign */
	uint32_t value;
};

#define TRAP_INSN_MAX 15 /* bytes of an x86 instruction at most */
/* Reads no byte beyond the instruction's end.  False: none of those above. */
bool trap_decode(struct trap_insn *insn, const uint8_t *code);

#endif

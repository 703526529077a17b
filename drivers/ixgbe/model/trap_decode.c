/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/trap_decode.h"

#include <string.h>

/* Sections are those of Intel's manual, volume 2. */
#define REX_W      0x08u /* 2.2.1: 64-bit operand */
#define REX_R      0x04u /* high bit of the register */
#define MOD(modrm) ((modrm) >> 6)
#define REG(modrm) ((modrm) >> 3 & 7u)
#define RM(modrm)  ((modrm)&7u)

/* The bytes behind a ModRM byte that say where memory is (2.1.5): SIB and displacement. */
static const uint8_t *
skip_address(uint8_t modrm, const uint8_t *at)
{
	uint8_t base = RM(modrm);

	if (base == 4)
		base = *at++ & 7u; /* a SIB byte has the base */
	if (MOD(modrm) == 1)
		return at + 1;
	/* Without displacement, base 5 means one of 32 bits and no base (or RIP) after all. */
	if (MOD(modrm) == 2 || base == 5)
		return at + 4;
	return at;
}

/* 0F xx: MOVZX and MOVSX of 8 and 16 bits, 0F 38 F9: MOVDIRI. */
static bool
decode_0f(struct trap_insn *insn, const uint8_t **at)
{
	uint8_t opcode = *(*at)++;

	switch (opcode) {
	case 0xb6:
	case 0xbe:
		insn->width = 1;
		insn->sign = opcode == 0xbe;
		return true;
	case 0xb7:
	case 0xbf:
		insn->width = 2;
		insn->sign = opcode == 0xbf;
		return true;
	case 0x38:
		insn->store = true;
		return *(*at)++ == 0xf9;
	default:
		return false;
	}
}

static bool
decode_opcode(struct trap_insn *insn, const uint8_t **at)
{
	switch (*(*at)++) {
	case 0x8b: /* MOV r32, r/m32 */
		return true;
	case 0x89: /* MOV r/m32, r32 */
		insn->store = true;
		return true;
	case 0xc7: /* MOV r/m32, imm32 */
		insn->store = insn->immediate = true;
		return true;
	case 0x0f:
		return decode_0f(insn, at);
	default:
		return false;
	}
}

bool
trap_decode(struct trap_insn *insn, const uint8_t *code)
{
	const uint8_t *at = code;
	uint8_t rex = 0, modrm;

	*insn = (struct trap_insn){ .width = 4 };
	if ((*at & 0xf0u) == 0x40)
		rex = *at++;
	/* 64 bits at once are not an access that the NIC knows. */
	if (rex & REX_W || !decode_opcode(insn, &at))
		return false;

	modrm = *at++;
	if (MOD(modrm) == 3) /* register to register does not touch memory */
		return false;
	if (insn->immediate && REG(modrm) != 0)
		return false;
	at = skip_address(modrm, at);
	insn->reg = (uint8_t)(REG(modrm) | (rex & REX_R ? 8u : 0));
	if (insn->immediate) {
		memcpy(&insn->value, at, sizeof(insn->value));
		at += sizeof(insn->value);
	}
	insn->len = (uint8_t)(at - code);
	return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/trap_decode.h"
#include "support/cmocka.h"

#include <stdlib.h>
#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

#define LOAD(r)                                                                                    \
	{                                                                                          \
		.reg = (r), .width = 4                                                             \
	}
#define NARROW(r, w, s)                                                                            \
	{                                                                                          \
		.reg = (r), .width = (w), .sign = (s)                                              \
	}
#define STORE(r)                                                                                   \
	{                                                                                          \
		.reg = (r), .width = 4, .store = true                                              \
	}
#define IMM(v)                                                                                     \
	{                                                                                          \
		.width = 4, .store = true, .immediate = true, .value = (v)                         \
	}

/* Bytes as GNU as makes them of the text. */
static const struct {
	const char *text, *bytes;
	uint8_t len;
	struct trap_insn want;
} known[] = {
	{ "mov (%rdi),%eax", "\x8b\x07", 2, LOAD(RAX) },
	{ "mov 0x8(%rdx),%ecx", "\x8b\x4a\x08", 3, LOAD(RCX) },
	{ "mov -0x80(%rbp),%edi", "\x8b\x7d\x80", 3, LOAD(RDI) },
	{ "mov 0x10010(%rbx),%ebp", "\x8b\xab\x10\x00\x01\x00", 6, LOAD(RBP) },
	{ "mov (%rsp),%esi", "\x8b\x34\x24", 3, LOAD(RSI) },
	{ "mov 0x28(%rsp),%edx", "\x8b\x54\x24\x28", 4, LOAD(RDX) },
	{ "mov 0x42a0(%rsp),%ebx", "\x8b\x9c\x24\xa0\x42\x00\x00", 7, LOAD(RBX) },
	{ "mov (%rax,%rcx,4),%esp", "\x8b\x24\x88", 3, LOAD(RSP) },
	{ "mov 0x8(%rax,%rcx,1),%eax", "\x8b\x44\x08\x08", 4, LOAD(RAX) },
	{ "mov 0x5400(%rdx,%rax,8),%ecx", "\x8b\x8c\xc2\x00\x54\x00\x00", 7, LOAD(RCX) },
	{ "mov 0x800(,%rax,4),%eax", "\x8b\x04\x85\x00\x08\x00\x00", 7, LOAD(RAX) },
	{ "mov 0x0(%rbp),%eax", "\x8b\x45\x00", 3, LOAD(RAX) },
	{ "mov 0x0(%r13),%eax", "\x41\x8b\x45\x00", 4, LOAD(RAX) },
	{ "mov 0x0(%r13,%rax,1),%ecx", "\x41\x8b\x4c\x05\x00", 5, LOAD(RCX) },
	{ "mov (%r12),%eax", "\x41\x8b\x04\x24", 4, LOAD(RAX) },
	{ "mov 0x1234(%rip),%edx", "\x8b\x15\x34\x12\x00\x00", 6, LOAD(RDX) },
	{ "mov 0x1234(%rip),%r9d", "\x44\x8b\x0d\x34\x12\x00\x00", 7, LOAD(R9) },
	{ "mov (%rdi),%r8d", "\x44\x8b\x07", 3, LOAD(R8) },
	{ "mov (%rsi),%r10d", "\x44\x8b\x16", 3, LOAD(R10) },
	{ "mov (%r9),%r11d", "\x45\x8b\x19", 3, LOAD(R11) },
	{ "mov 0x8(%r12),%r12d", "\x45\x8b\x64\x24\x08", 5, LOAD(R12) },
	{ "mov (%rax),%r13d", "\x44\x8b\x28", 3, LOAD(R13) },
	{ "mov (%rax),%r14d", "\x44\x8b\x30", 3, LOAD(R14) },
	{ "mov (%r8,%r15,2),%r15d", "\x47\x8b\x3c\x78", 4, LOAD(R15) },

	{ "mov %eax,(%rdi)", "\x89\x07", 2, STORE(RAX) },
	{ "mov %ecx,0x18(%rdx)", "\x89\x4a\x18", 3, STORE(RCX) },
	{ "mov %r9d,0x808(%rsi)", "\x44\x89\x8e\x08\x08\x00\x00", 7, STORE(R9) },
	{ "mov %r15d,0x8(%r14,%rbx,1)", "\x45\x89\x7c\x1e\x08", 5, STORE(R15) },
	{ "mov %edx,0x42a8(%rip)", "\x89\x15\xa8\x42\x00\x00", 6, STORE(RDX) },
	{ "movdiri %eax,(%rdi)", "\x0f\x38\xf9\x07", 4, STORE(RAX) },
	{ "movdiri %r8d,0x18(%rdi)", "\x44\x0f\x38\xf9\x47\x18", 6, STORE(R8) },

	{ "movl $0xffffffff,(%rax)", "\xc7\x00\xff\xff\xff\xff", 6, IMM(0xffffffff) },
	{ "movl $0x4000000,0x6028(%rax)", "\xc7\x80\x28\x60\x00\x00\x00\x00\x00\x04", 10,
	  IMM(0x4000000) },
	{ "movl $0x1,0x4(%rax,%rdx,4)", "\xc7\x44\x90\x04\x01\x00\x00\x00", 8, IMM(1) },
	{ "movl $0x2,0x8(%r11)", "\x41\xc7\x43\x08\x02\x00\x00\x00", 8, IMM(2) },
	{ "movl $0x3,0x100(%rip)", "\xc7\x05\x00\x01\x00\x00\x03\x00\x00\x00", 10, IMM(3) },

	{ "movzbl 0x8(%rdi),%eax", "\x0f\xb6\x47\x08", 4, NARROW(RAX, 1, false) },
	{ "movzwl (%rsi),%r8d", "\x44\x0f\xb7\x06", 4, NARROW(R8, 2, false) },
	{ "movsbl (%rsi),%edx", "\x0f\xbe\x16", 3, NARROW(RDX, 1, true) },
	{ "movswl 0x10(%r9),%ebx", "\x41\x0f\xbf\x59\x10", 5, NARROW(RBX, 2, true) },
};

static const struct {
	const char *text;
	char bytes[TRAP_INSN_MAX + 1];
} unknown[] = {
	{ "mov (%rdi),%rax", "\x48\x8b\x07" },
	{ "mov %rax,(%rdi)", "\x48\x89\x07" },
	{ "movq $0,(%rdi)", "\x48\xc7\x07\x00\x00\x00\x00" },
	{ "mov %ecx,%eax", "\x89\xc8" },
	{ "mov $1,%eax, as c7", "\xc7\xc0\x01\x00\x00\x00" },
	{ "c7 with /1", "\xc7\x0f\x00\x00\x00\x00" },
	{ "mov (%rdi),%ax", "\x66\x8b\x07" },
	{ "mov (%rdi),%al", "\x8a\x07" },
	{ "addl $1,(%rdi)", "\x83\x07\x01" },
	{ "cmpl $0,(%rdi)", "\x83\x3f\x00" },
	{ "movaps (%rdi),%xmm0", "\x0f\x28\x07" },
	{ "crc32l (%rdi),%eax, without its prefix", "\x0f\x38\xf1\x07" },
	{ "rep stos", "\xf3\xab" },
};

/* A copy that ends where the instruction ends: AddressSanitizer sees a byte read too far. */
static bool
decode(struct trap_insn *insn, const char *bytes, size_t len)
{
	uint8_t *code = malloc(len);
	bool ok;

	assert_non_null(code);
	memcpy(code, bytes, len);
	ok = trap_decode(insn, code);
	free(code);
	return ok;
}

static void
moves_are_decoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct trap_insn *want = &known[i].want;
		struct trap_insn got;

		if (!decode(&got, known[i].bytes, known[i].len))
			fail_msg("%s: not decoded", known[i].text);
		if (got.len != known[i].len)
			fail_msg("%s: %u bytes, not %u", known[i].text, got.len, known[i].len);
		if (got.store != want->store || got.immediate != want->immediate ||
		    got.width != want->width || got.sign != want->sign)
			fail_msg("%s: the wrong kind", known[i].text);
		if (!want->immediate && got.reg != want->reg)
			fail_msg("%s: register %u, not %u", known[i].text, got.reg, want->reg);
		if (got.value != want->value)
			fail_msg("%s: value %#x, not %#x", known[i].text, got.value, want->value);
	}
}

static void
the_rest_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		struct trap_insn got;

		if (decode(&got, unknown[i].bytes, TRAP_INSN_MAX))
			fail_msg("%s: decoded", unknown[i].text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_are_decoded),
		cmocka_unit_test(the_rest_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"
#include "drivers/ixgbe/model/trap_decode.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

/*
 * The host's view of a BAR has no access rights: a load or store raises SIGSEGV on the thread that
 * does it, and the handler carries it out.  It runs between two instructions of a driver, which
 * holds no lock of libc there, so it may call what the model calls.
 */
static struct sigaction before; /* what the program had */

/* By the number that instructions give them. */
static const int registers[16] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/* Any other fault is the program's, as if this handler were not there. */
static void
pass_on(int sig, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(sig, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(sig);
	else
		sigaction(SIGSEGV, &before, NULL); /* the instruction faults again */
}

static void
unknown(const struct n82599 *nic, uint32_t off, const uint8_t *code)
{
	char bytes[3 * 8 + 1] = "";

	/* Eight bytes may reach into a page that is not there, but not across 4 KB. */
	for (unsigned int i = 0; i < 8; i++) {
		if (i > 0 && ((uintptr_t)&code[i] & 0xfff) == 0)
			break;
		snprintf(bytes + 3 * i, 4, " %02x", code[i]);
	}
	soft_log(nic->port, "register %05x: an instruction that is not decoded:%s", off, bytes);
}

static uint32_t
load(struct n82599 *nic, uint32_t off, const struct trap_insn *insn)
{
	uint32_t value = n82599_read(nic, off & ~3u);
	unsigned int spare = 32 - 8u * insn->width;

	if (spare == 0)
		return value;
	value = value >> 8 * (off & 3u) << spare;
	return insn->sign ? (uint32_t)((int32_t)value >> spare) : value >> spare;
}

static void
access_register(struct n82599 *nic, uint32_t off, const struct trap_insn *insn, greg_t *regs)
{
	greg_t *reg = &regs[registers[insn->reg]];

	if (!insn->store)
		soft_stall(nic->port);
	soft_lock_trap();
	nic->port->stats.traps++;
	if (insn->store)
		n82599_write(nic, off, insn->immediate ? insn->value : (uint32_t)*reg);
	else
		*reg = load(nic, off, insn); /* 32-bit results clear the upper half */
	soft_unlock();
}

static void
on_segv(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *regs = uc->uc_mcontext.gregs;
	uintptr_t addr = (uintptr_t)info->si_addr;
	struct n82599 *nic = info->si_code > 0 ? n82599_by_bar(addr) : NULL;
	const uint8_t *code = (const uint8_t *)regs[REG_RIP]; /* NOLINT: that is an address */
	struct trap_insn insn;
	int saved = errno;

	if (nic == NULL) {
		pass_on(sig, info, context);
		return;
	}
	if (trap_decode(&insn, code)) {
		access_register(nic, (uint32_t)(addr - (uintptr_t)nic->bar), &insn, regs);
		regs[REG_RIP] += insn.len;
	} else {
		unknown(nic, (uint32_t)(addr - (uintptr_t)nic->bar), code);
		pass_on(sig, info, context);
	}
	errno = saved;
}

int
n82599_trap_init(struct err *err)
{
	struct sigaction now, mine = {
		/* On the alternate stack, if the thread has one: "before" may need it.  A fault in
		 * the model itself reaches "before" as well. */
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};

	mine.sa_sigaction = on_segv;
	sigemptyset(&mine.sa_mask);
	if (sigaction(SIGSEGV, NULL, &now) != 0)
		return err_set(err, -errno, "no handler for SIGSEGV: %s", strerror(errno));
	/* Called for each probe: the program may have put a handler of its own there since. */
	if (now.sa_sigaction != on_segv)
		before = now;
	if (sigaction(SIGSEGV, &mine, NULL) != 0)
		return err_set(err, -errno, "no handler for SIGSEGV: %s", strerror(errno));
	return 0;
}

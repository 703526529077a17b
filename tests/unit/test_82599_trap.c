/* SPDX-License-Identifier: BSD-3-Clause */
#include "bare_82599.h"
#include "support/cmocka.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

/* Real loads and stores of this program, through the page protection and the signal handler. */
static struct n82599 *nic;
static unsigned int locks, unlocks, stalls;

/* ---- in place of the runner and of attach.c */

void
soft_lock_trap(void)
{
	errno = EDOM; /* whatever the model does is not to be seen outside */
	locks++;
}

void
soft_unlock(void)
{
	unlocks++;
}

void
soft_stall(const struct soft_port *port)
{
	assert_ptr_equal(port, &bare_port);
	stalls++;
}

struct n82599 *
n82599_by_bar(uintptr_t addr)
{
	return addr - (uintptr_t)nic->bar < N82599_BAR ? nic : NULL;
}

/* ---- the handler that the program had before */

static sigjmp_buf out;
static void *seen_addr;

static void catch (int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	seen_addr = info->si_addr;
	siglongjmp(out, 1);
}

static void
handle_with(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_NODEFER };

	sa.sa_sigaction = handler;
	assert_int_equal(sigaction(SIGSEGV, &sa, NULL), 0);
}

/* Within the test: cmocka has handlers of its own while one runs. */
static void
begin(void)
{
	handle_with(catch);
	nic = bare_new();
	assert_int_equal(n82599_trap_init(NULL), 0);
	locks = unlocks = stalls = 0;
}

static int
end(void **state)
{
	(void)state;
	bare_free(nic);
	return 0;
}

static volatile uint32_t *
at(uint32_t off)
{
	return (volatile uint32_t *)(void *)(nic->bar + off);
}

static void
registers_are_reached(void **state)
{
	volatile uint32_t *fctrl;

	(void)state;
	begin();
	fctrl = at(R_FCTRL);
	errno = 0;
	*fctrl = 0x12345678;
	assert_int_equal(*fctrl, 0x12345678);
	assert_int_equal(N82599_REG(nic, R_FCTRL), 0x12345678);
	assert_int_equal(errno, 0);
	assert_int_equal(locks, 2);
	assert_int_equal(unlocks, 2);
	assert_int_equal(stalls, 1); /* of a load only */
	assert_int_equal(bare_port.stats.traps, 2);
	assert_int_equal(*at(R_SWSM), 0);
	assert_int_equal(*at(R_SWSM), SWSM_SMBI);
	assert_true(*at(R_STATUS) & STATUS_GIO);
	*at(N82599_BAR - 4) = 9; /* the last one */
	assert_int_equal(*at(N82599_BAR - 4), 9);
}

/* Each register is loaded into and stored from: the upper half goes, the others stay. */
#define THROUGH(reg, reg32)                                                                        \
	do {                                                                                       \
		uint64_t full;                                                                     \
		volatile uint32_t *a = at(R_FCTRL), *b = at(R_VLNCTRL);                            \
		*a = 0xfedcba98;                                                                   \
		__asm__ volatile("mov $-1, %%" reg "\n\t"                                          \
				 "movl (%[a]), %%" reg32 "\n\t"                                    \
				 "movl %%" reg32 ", (%[b])\n\t"                                    \
				 "mov %%" reg ", %[full]"                                          \
				 : [full] "=m"(full)                                               \
				 : [a] "S"(a), [b] "D"(b)                                          \
				 : reg, "memory");                                                 \
		assert_int_equal(full, 0xfedcba98);                                                \
		assert_int_equal(N82599_REG(nic, R_VLNCTRL), 0xfedcba98);                          \
		*b = 0;                                                                            \
	} while (0)

static void
each_register_works(void **state)
{
	(void)state;
	begin();
	THROUGH("rax", "eax");
	THROUGH("rbx", "ebx");
	THROUGH("rcx", "ecx");
	THROUGH("rdx", "edx");
	THROUGH("r8", "r8d");
	THROUGH("r9", "r9d");
	THROUGH("r10", "r10d");
	THROUGH("r11", "r11d");
	THROUGH("r12", "r12d");
	THROUGH("r13", "r13d");
	THROUGH("r14", "r14d");
	THROUGH("r15", "r15d");
}

static void
narrow_loads_take_their_part(void **state)
{
	volatile uint8_t *base;
	uint32_t zero, sign;

	(void)state;
	begin();
	base = (volatile uint8_t *)at(R_FCTRL);
	*at(R_FCTRL) = 0x81828384;
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(base[i], 0x84 - i);
	assert_int_equal(*(volatile uint16_t *)(volatile void *)(base + 2), 0x8182);
	__asm__ volatile("movzbl 1(%1), %0" : "=r"(zero) : "r"(base));
	__asm__ volatile("movswl 2(%1), %0" : "=r"(sign) : "r"(base));
	assert_int_equal(zero, 0x83);
	assert_int_equal(sign, 0xffff8182);
}

static void
plain_pages_do_not_trap(void **state)
{
	(void)state;
	begin();
	*at(R_RDT(63)) = 5;
	*at(R_TDT(0)) = 6;
	assert_int_equal(N82599_REG(nic, R_RDT(63)), 5);
	assert_int_equal(*at(R_TDT(0)), 6);
	assert_int_equal(locks, 0);
	nic->trap_all = true;
	n82599_bar_protect(nic);
	assert_int_equal(*at(R_RDT(63)), 5);
	assert_int_equal(locks, 1);
	nic->trap_all = false;
	n82599_bar_protect(nic);
	bare_port.fault[SOFTNIC_REMOVE] = 1;
	n82599_fault(&bare_port, SOFTNIC_REMOVE);
	assert_int_equal(*at(R_RDT(63)), UINT32_MAX);
	assert_int_equal(locks, 2);
}

/* A crash that has nothing to do with a BAR ends where it would have ended. */
static void
fault_elsewhere(void)
{
	volatile uint32_t *wrong = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int before = locks;

	if (sigsetjmp(out, 1) == 0) {
		*wrong = 1;
		fail_msg("no fault");
	}
	assert_ptr_equal(seen_addr, wrong);
	assert_int_equal(locks, before);
	munmap((void *)(uintptr_t)wrong, 4096);
	*at(R_FCTRL) = 3; /* and registers still work */
	assert_int_equal(N82599_REG(nic, R_FCTRL), 3);
}

static void
other_faults_go_to_the_program(void **state)
{
	begin();
	fault_elsewhere();
	(void)state;
}

static void
unknown_instructions_are_named(void **state)
{
	volatile uint32_t *fctrl;

	(void)state;
	begin();
	fctrl = at(R_FCTRL);
	if (sigsetjmp(out, 1) == 0) {
		__asm__ volatile("addl $1, (%0)" : : "a"(fctrl) : "memory");
		fail_msg("no fault");
	}
	assert_ptr_equal(seen_addr, fctrl);
	assert_non_null(strstr(bare_log, "05080"));
	assert_non_null(strstr(bare_log, " 83 00 01"));
	assert_int_equal(locks, unlocks);
}

/* The program may install a handler after the first probe: the next one comes first again. */
static void
a_later_handler_is_kept(void **state)
{
	begin();
	handle_with(catch);
	assert_int_equal(n82599_trap_init(NULL), 0);
	assert_int_equal(n82599_trap_init(NULL), 0);
	*at(R_FCTRL) = 4;
	assert_int_equal(*at(R_FCTRL), 4);
	fault_elsewhere();
	(void)state;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(registers_are_reached, end),
		cmocka_unit_test_teardown(each_register_works, end),
		cmocka_unit_test_teardown(narrow_loads_take_their_part, end),
		cmocka_unit_test_teardown(plain_pages_do_not_trap, end),
		cmocka_unit_test_teardown(other_faults_go_to_the_program, end),
		cmocka_unit_test_teardown(unknown_instructions_are_named, end),
		cmocka_unit_test_teardown(a_later_handler_is_kept, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

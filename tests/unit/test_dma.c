/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/dma.h"
#include "support/cmocka.h"
#include "support/eal.h"

#include <sys/mman.h>

#include <rte_malloc.h>
#include <rte_memory.h>

#define PAGE 4096u

static int
first_list(const struct rte_memseg_list *msl, void *arg)
{
	struct dma_span *span = arg;

	span->lo = msl->addr_64;
	span->hi = msl->addr_64 + msl->len;
	return 1;
}

static void
memory_of_eal_is_reachable(void **state)
{
	uint8_t *bytes = rte_malloc("test", 3 * PAGE, 64);
	uint64_t bus = rte_malloc_virt2iova(bytes);

	(void)state;
	assert_non_null(bytes);
	assert_ptr_equal(dma_at(bus, 3 * PAGE), bytes);
	assert_ptr_equal(dma_at(bus + 5, 1), bytes + 5);
	assert_ptr_equal(dma_at(bus, 0), bytes);
	rte_free(bytes);
}

static void
the_end_is_the_end(void **state)
{
	struct dma_span eal = { 0 };

	(void)state;
	rte_memseg_list_walk(first_list, &eal);
	assert_true(eal.hi > eal.lo);
	/* Both from the last answer and looked up. */
	for (int fresh = 0; fresh < 2; fresh++) {
		assert_non_null(dma_at(eal.hi - 64, 64));
		assert_null(dma_at(eal.hi - 64, 65));
		assert_null(dma_at(eal.hi, 1));
		assert_null(dma_at(eal.hi, 0));
		assert_null(dma_at(eal.lo - 1, 1));
		assert_null(dma_at(eal.lo - 1, 64));
		assert_null(dma_at(eal.hi - 64, UINT64_MAX));
		dma_last = (struct dma_span){ 0 };
	}
}

static void
what_is_not_eals_is_refused(void **state)
{
	static uint8_t ours[64];

	(void)state;
	assert_null(dma_at((uintptr_t)ours, 1));
	assert_null(dma_at(0, 1));
	assert_null(dma_at(UINT64_MAX, 1));
	assert_null(dma_at(RTE_BAD_IOVA, 0));
}

/* Next to each other on the bus, but not in memory: no frame may run from one into the other. */
static void
neighbours_on_the_bus_may_be_strangers(void **state)
{
	uint8_t *virt =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	rte_iova_t iova[] = { 0x8000, 0x7000 };

	(void)state;
	assert_ptr_not_equal(virt, MAP_FAILED);
	assert_int_equal(rte_extmem_register(virt, 2 * PAGE, iova, 2, PAGE), 0);
	assert_ptr_equal(dma_at(0x8000, 1), virt);
	assert_ptr_equal(dma_at(0x7fff, 1), virt + 2 * PAGE - 1);
	assert_null(dma_at(0x7fff, 2));
	assert_int_equal(rte_extmem_unregister(virt, 2 * PAGE), 0);
	munmap(virt, 2 * PAGE);
}

/* Pages whose bus addresses are neither the virtual ones nor in their order. */
static void
external_memory_comes_and_goes(void **state)
{
	uint8_t *virt =
		mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	rte_iova_t iova[] = { 0x7000, 0x8000, 0x2000, RTE_BAD_IOVA };

	(void)state;
	assert_ptr_not_equal(virt, MAP_FAILED);
	assert_null(dma_at(0x7000, 1));
	assert_int_equal(rte_extmem_register(virt, 4 * PAGE, iova, 4, PAGE), 0);

	assert_ptr_equal(dma_at(0x7000, 1), virt);
	assert_ptr_equal(dma_at(0x7ff0, 0x20), virt + 0xff0); /* two pages in one piece */
	assert_ptr_equal(dma_at(0x8fff, 1), virt + 0x1fff);
	assert_null(dma_at(0x8fff, 2));
	assert_ptr_equal(dma_at(0x2000, PAGE), virt + 2 * PAGE);
	assert_null(dma_at(0x3000, 1));
	assert_null(dma_at(0x6fff, 1));
	assert_null(dma_at((uintptr_t)virt, 1)); /* a bus address is not a pointer */
	assert_null(dma_at(RTE_BAD_IOVA, 1));

	assert_int_equal(rte_extmem_unregister(virt, 4 * PAGE), 0);
	/* Without an event it is the next unknown address that finds out. */
	assert_null(dma_at(0x1, 1));
	dma_last = (struct dma_span){ 0 };
	assert_null(dma_at(0x7000, 1));
	munmap(virt, 4 * PAGE);
}

static void
many_pieces_are_all_found(void **state)
{
	enum { N = 100 };
	uint8_t *virt =
		mmap(NULL, N * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	rte_iova_t iova[N];

	(void)state;
	assert_ptr_not_equal(virt, MAP_FAILED);
	for (unsigned int i = 0; i < N; i++)
		iova[i] = 2 * PAGE * (1 + i * 37 % N); /* all apart, in no order */
	assert_int_equal(rte_extmem_register(virt, N * PAGE, iova, N, PAGE), 0);
	for (unsigned int i = 0; i < N; i++) {
		assert_ptr_equal(dma_at(iova[i], PAGE), virt + i * PAGE);
		assert_null(dma_at(iova[i] + PAGE, 1));
		assert_null(dma_at(iova[i] + 1, PAGE));
		assert_null(dma_at(iova[i] - 1, 2));
	}
	assert_int_equal(rte_extmem_unregister(virt, N * PAGE), 0);
	munmap(virt, N * PAGE);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_eal_is_reachable),
		cmocka_unit_test(the_end_is_the_end),
		cmocka_unit_test(what_is_not_eals_is_refused),
		cmocka_unit_test(external_memory_comes_and_goes),
		cmocka_unit_test(neighbours_on_the_bus_may_be_strangers),
		cmocka_unit_test(many_pieces_are_all_found),
	};

	(void)argc;
	test_eal_init(argv[0], "0", "32");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

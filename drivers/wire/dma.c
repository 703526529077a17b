/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/dma.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <rte_memory.h>

/*
 * A sorted list of what EAL has, looked up by halves.  It is made anew when an address is not on
 * it and EAL's lists have changed since (external memory comes and goes without an event), and
 * when memory has gone, which EAL does tell (not in legacy mode, where none goes).
 */
struct dma_span dma_last;
static struct {
	struct dma_span *span;
	size_t n, room;
	uint64_t print; /* of EAL's lists when this was made */
	bool watched;
} map;
static atomic_bool gone = true;

static void
on_memory(enum rte_mem_event event, const void *addr, size_t len, void *arg)
{
	(void)addr;
	(void)len;
	(void)arg;
	if (event != RTE_MEM_EVENT_FREE)
		return;
	/* EAL takes it away after this, under its lock: the next look waits for that. */
	atomic_store(&gone, true);
	__atomic_store_n(&dma_last.hi, 0, __ATOMIC_SEQ_CST);
}

/* FNV-1a over what a change of EAL's memory changes: cheap enough for every unknown address. */
static int
add_print(const struct rte_memseg_list *msl, void *arg)
{
	uint64_t *print = arg;
	const uint64_t words[] = { msl->addr_64, msl->len, msl->memseg_arr.count, msl->version };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		*print = (*print ^ words[i]) * 0x100000001b3u;
	return 0;
}

static uint64_t
print_now(void)
{
	uint64_t print = 0xcbf29ce484222325u;

	rte_memseg_list_walk(add_print, &print);
	return print;
}

static int
add_span(uint64_t lo, uint64_t hi, intptr_t delta)
{
	struct dma_span *last = map.n > 0 ? &map.span[map.n - 1] : NULL;

	if (last != NULL && last->hi == lo && last->delta == delta) {
		last->hi = hi;
		return 0;
	}
	if (map.n == map.room) {
		size_t room = map.room == 0 ? 64 : 2 * map.room;
		struct dma_span *more = realloc(map.span, room * sizeof(*more));

		if (more == NULL)
			return -1; /* what is not on the list is refused */
		map.span = more;
		map.room = room;
	}
	map.span[map.n++] = (struct dma_span){ .lo = lo, .hi = hi, .delta = delta };
	return 0;
}

/* Memory in one piece to the program, page by page: each may have any bus address. */
static int
add_pages(const struct rte_memseg_list *msl, const struct rte_memseg *ms, size_t len, void *arg)
{
	size_t pages = len / msl->page_sz;

	(void)arg;
	for (size_t i = 0; i < pages; i++) {
		if (ms[i].iova == RTE_BAD_IOVA)
			continue;
		if (add_span(ms[i].iova, ms[i].iova + ms[i].len,
			     (intptr_t)(ms[i].addr_64 - ms[i].iova)) < 0)
			return -1;
	}
	return 0;
}

static int
by_address(const void *a, const void *b)
{
	const struct dma_span *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void
look(void)
{
	size_t n;

	/* Refused in legacy mode and when it is there already: both fine. */
	if (!map.watched)
		rte_mem_event_callback_register("softnic", on_memory, NULL);
	map.watched = true;
	map.print = print_now();
	map.n = 0;
	rte_memseg_contig_walk(add_pages, NULL);
	if (map.n == 0)
		return;
	qsort(map.span, map.n, sizeof(*map.span), by_address);
	n = map.n;
	map.n = 1;
	for (size_t i = 1; i < n; i++)
		add_span(map.span[i].lo, map.span[i].hi, map.span[i].delta);
}

static const struct dma_span *
find(uint64_t bus, uint64_t len)
{
	const struct dma_span *span = map.span;
	size_t n = map.n;

	if (n == 0)
		return NULL;
	/* The last span that begins at or below bus, without a branch to guess wrong. */
	while (n > 1) {
		size_t half = n / 2;

		span = span[half].lo <= bus ? span + half : span;
		n -= half;
	}
	return bus >= span->lo && bus < span->hi && len <= span->hi - bus ? span : NULL;
}

void *
dma_slow(uint64_t bus, uint64_t len)
{
	const struct dma_span *span;
	uint64_t print;

	do {
		if (atomic_load(&gone) && atomic_exchange(&gone, false))
			look();
		span = find(bus, len);
		if (span == NULL) {
			print = print_now();
			if (print == map.print)
				return NULL;
			look();
			span = find(bus, len);
			if (span == NULL)
				return NULL;
		}
		dma_last = *span;
		atomic_thread_fence(memory_order_seq_cst);
	} while (atomic_load(&gone)); /* in between: on_memory() may have missed this dma_last */
	return (void *)(uintptr_t)(bus + (uint64_t)span->delta);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ATOMICS_H
#define BASE_ATOMICS_H

#include <stdint.h>

/*
 * The only memory orders in the tree.  Relaxed get and put serve counters and knobs with one
 * writer; acquire and release publish what a pointer or a flag stands for.
 */
#define atomic_get(p)        __atomic_load_n((p), __ATOMIC_RELAXED)
#define atomic_put(p, v)     __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define atomic_acquire(p)    __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define atomic_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

/* One writer adds to its own counter: a load, an add, a store, no locked operation. */
#define atomic_bump(p, n) atomic_put((p), atomic_get(p) + (n))

/* Many writers take from one counter: the only locked operation, and only with --stop-after. */
#define atomic_take(p, n) __atomic_fetch_sub((p), (n), __ATOMIC_RELAXED)

/*
 * Sixteen bytes read or written at once.  Aligned 16-byte vector moves are single-copy atomic on
 * every x86-64 with AVX (Intel SDM 3A section 9.1.1, AMD APM 2 section 7.3.2) and on Armv8.4 LSE2;
 * ThreadSanitizer only understands the builtin, which is why it gets that.
 */
struct u128 {
	uint64_t w[2];
} __attribute__((aligned(16)));

#if defined(__SANITIZE_THREAD__)
#define ATOMICS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ATOMICS_TSAN 1
#endif
#endif

typedef long long atomics_vec __attribute__((vector_size(16), aligned(16), may_alias));

static inline struct u128
atomic_get16(const void *p)
{
	union {
		struct u128 u;
		atomics_vec v;
		unsigned __int128 i;
	} x;
#ifdef ATOMICS_TSAN
	x.i = __atomic_load_n((const unsigned __int128 *)p, __ATOMIC_RELAXED);
#else
	x.v = *(const volatile atomics_vec *)p;
#endif
	return x.u;
}

static inline void
atomic_put16(void *p, struct u128 value)
{
	union {
		struct u128 u;
		atomics_vec v;
		unsigned __int128 i;
	} x = { .u = value };
#ifdef ATOMICS_TSAN
	__atomic_store_n((unsigned __int128 *)p, x.i, __ATOMIC_RELAXED);
#else
	*(volatile atomics_vec *)p = x.v;
#endif
}

#endif

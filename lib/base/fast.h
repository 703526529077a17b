/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_FAST_H
#define BASE_FAST_H

/*
 * Worker code includes this last.  A worker never allocates, prints, sleeps or takes a lock; who
 * writes such a call in a stage learns it from the compiler.
 */
#pragma GCC poison malloc calloc realloc free strdup
#pragma GCC poison printf fprintf puts snprintf vsnprintf rte_log __rte_panic rte_exit
#pragma GCC poison sleep usleep nanosleep rte_delay_us rte_delay_ms
#pragma GCC poison pthread_mutex_lock rte_spinlock_lock rte_malloc rte_zmalloc rte_free
#pragma GCC poison log_err log_warn log_notice log_info log_debug

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_log.h>

/*
 * One line to EAL's log, log type "sluice" (--log-level sluice:debug).  A newline is added.
 *
 * Threads: control only; fast.h poisons these for workers.
 */
extern int log_type;

#define log_line(level, fmt, ...) rte_log(level, log_type, "sluice: " fmt "\n", ##__VA_ARGS__)
#define log_err(...)              log_line(RTE_LOG_ERR, __VA_ARGS__)
#define log_warn(...)             log_line(RTE_LOG_WARNING, __VA_ARGS__)
#define log_notice(...)           log_line(RTE_LOG_NOTICE, __VA_ARGS__)
#define log_info(...)             log_line(RTE_LOG_INFO, __VA_ARGS__)
#define log_debug(...)            log_line(RTE_LOG_DEBUG, __VA_ARGS__)

/* Register the log type; call once, before or after rte_eal_init(). */
void log_init(void);

/* For what the network can cause again and again: at most one true per second and object. */
struct log_limit {
	uint64_t next_us;
	uint64_t suppressed; /* since the last true */
};
bool log_allowed(struct log_limit *limit);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include "base/clock.h"

int log_type = RTE_LOGTYPE_USER1;

void
log_init(void)
{
	int type = rte_log_register_type_and_pick_level("sluice", RTE_LOG_INFO);

	if (type >= 0)
		log_type = type;
}

bool
log_allowed(struct log_limit *limit)
{
	uint64_t now_us = clock_us();

	if (now_us < limit->next_us) {
		limit->suppressed++;
		return false;
	}
	limit->next_us = now_us + CLOCK_SECOND_US;
	limit->suppressed = 0;
	return true;
}

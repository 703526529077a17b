/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include "base/clock.h"

enum watch_word
watch_look(struct watch_port *port, const struct watch_sample *sample)
{
	bool moved = !port->seen || sample->left != port->left;
	uint64_t refused = port->seen ? sample->refused - port->refused : 0;
	bool told = port->told;

	port->seen = true;
	port->left = sample->left;
	port->refused = sample->refused;
	if (moved) {
		port->quiet_s = 0;
		port->told = false;
		if (told)
			return WATCH_SENDS;
		port->lost = 0;
		return WATCH_NOTHING;
	}
	port->lost += refused;
	if (refused > 0 || port->quiet_s > 0)
		port->quiet_s++;
	if (told || port->lost == 0 || port->quiet_s < WATCH_QUIET_S)
		return WATCH_NOTHING;
	port->told = true;
	return WATCH_STALLED;
}

bool
watch_may_retry(struct watch_retry *retry, uint64_t now_us)
{
	uint64_t wait_us = retry->wait_s * CLOCK_SECOND_US;

	if (now_us < retry->next_us)
		return false;
	/* It did help if it took longer than that. */
	if (now_us >= retry->next_us + wait_us)
		retry->wait_s = WATCH_RETRY_MIN_S;
	else if (retry->wait_s < WATCH_RETRY_MAX_S)
		retry->wait_s *= 2;
	retry->next_us = now_us + retry->wait_s * CLOCK_SECOND_US;
	return true;
}

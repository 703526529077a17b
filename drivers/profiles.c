/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/profile.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Generic is last, and takes the rest. */
static const struct nic_profile *const profiles[] = {
	&nic_profile_ixgbe,
	&nic_profile_mlx5,
	&nic_profile_generic,
};

/* ethdev itself makes these, for every device. */
static const struct nic_hint common[] = {
	{ "rx_missed_errors",
	  "no free RX descriptor: the worker is too slow, or an interrupt holds "
	  "its core (see show lcores); spread with more queues or raise --rxd" },
	{ "rx_mbuf_allocation_errors", "the buffer pool was empty: raise --total-num-mbufs" },
	{ "rx_errors", "frames the device calls damaged: cable, optics or a duplex mismatch" },
	{ "tx_errors", "frames the device did not send" },
	{ NULL, NULL },
};

bool
nic_profile_has(const char *const *names, const char *driver)
{
	for (; names != NULL && *names != NULL; names++)
		if (strcmp(*names, driver) == 0)
			return true;
	return false;
}

const struct nic_profile *
nic_profile_of(const char *driver)
{
	for (size_t i = 0; driver != NULL && i < RTE_DIM(profiles); i++)
		if (nic_profile_has(profiles[i]->drivers, driver))
			return profiles[i];
	return &nic_profile_generic;
}

bool
nic_profile_off(const struct nic_setup *setup, const char *key)
{
	const size_t len = strlen(key);

	for (const char *at = setup->devargs; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, key, len) == 0 && at[len] == '=')
			return strtol(at + len + 1, NULL, 0) == 0;
	}
	return false;
}

const char *
nic_profile_broken(const struct nic_rule *rules, const struct nic_setup *setup)
{
	for (; rules != NULL && rules->text != NULL; rules++)
		if (rules->broken(setup))
			return rules->text;
	return NULL;
}

static const char *
hint(const struct nic_hint *hints, const char *xstat)
{
	for (; hints != NULL && hints->pattern != NULL; hints++)
		if (fnmatch(hints->pattern, xstat, 0) == 0)
			return hints->text;
	return NULL;
}

const char *
nic_profile_hint(const struct nic_profile *profile, const char *xstat)
{
	const char *text = hint(profile->hints, xstat);

	if (text == NULL)
		text = hint(common, xstat);
	return text != NULL ? text : "";
}

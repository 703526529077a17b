/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/guard.h"

#include <assert.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <rte_version.h>

#define GUARD_RELEASE "DPDK 22.11" /* all of its updates keep the ABI */
#define GUARD_ABI     23

static_assert(RTE_VER_YEAR == 22 && RTE_VER_MONTH == 11, "built against DPDK 22.11 only");

/* Stops at a librte_eal of another ABI: loading a plugin brings its own beside the program's. */
static int
other_eal(struct dl_phdr_info *info, size_t size, void *arg)
{
	static const char eal[] = "librte_eal.so.";
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *base = slash == NULL ? info->dlpi_name : slash + 1;
	const char **found = arg;

	(void)size;
	if (strncmp(base, eal, strlen(eal)) != 0 || atoi(base + strlen(eal)) == GUARD_ABI)
		return 0;
	*found = base;
	return 1;
}

int
guard_dpdk(const char *plugin, struct err *err)
{
	const char *version = rte_version(), *found = NULL;
	size_t n = strlen(GUARD_RELEASE);

	dl_iterate_phdr(other_eal, &found);
	if (found == NULL && strncmp(version, GUARD_RELEASE, n) == 0 &&
	    (version[n] == '.' || version[n] == '\0'))
		return 0;
	return err_set(err, -ENOTSUP,
		       "%s: this program runs %s, and %s works with the ABI of " GUARD_RELEASE
		       " (librte_eal.so.%d) only: it makes no NICs here",
		       plugin, found != NULL ? found : version, plugin, GUARD_ABI);
}

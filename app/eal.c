/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal.h"

#include "base/clock.h"
#include "base/log.h"
#include "chatter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_errno.h>

/* Between EAL and its own stream, or NULL.  Its lock is chatter's. */
static FILE *filter, *beyond;
static struct chatter chatter;

/* EAL flushes after each line, by the thread that says it. */
static ssize_t
pass_on(void *cookie, const char *line, size_t len)
{
	uint64_t left_out = 0;
	bool pass = rte_log_cur_msg_logtype() == log_type ||
		    chatter_pass(&chatter, line, len, clock_us(), &left_out);

	(void)cookie;
	if (left_out > 0)
		fprintf(beyond,
			"sluice: %" PRIu64 " lines of drivers that said the same are left out\n",
			left_out);
	if (pass)
		fwrite(line, 1, len, beyond);
	fflush(beyond);
	return (ssize_t)len;
}

/* Without it drivers only say more. */
static void
filter_log(void)
{
	const cookie_io_functions_t functions = { .write = pass_on };

	beyond = rte_log_get_stream();
	filter = fopencookie(NULL, "w", functions);
	if (filter != NULL)
		rte_openlog_stream(filter);
}

void
eal_end(void)
{
	if (filter != NULL) {
		rte_openlog_stream(NULL);
		fclose(filter);
	}
	rte_eal_cleanup();
}

int
eal_start(int argc, char **argv, struct err *err)
{
	/* EAL reorders the words it is given. */
	char **word = calloc((size_t)argc + 1, sizeof(*word));
	int used, ret = 0;

	if (word == NULL)
		return err_set(err, -EINVAL, "out of memory");
	memcpy(word, argv, (size_t)argc * sizeof(*word));
	used = rte_eal_init(argc, word);
	if (used < 0) {
		ret = err_set(
			err, -EINVAL,
			"EAL does not start: %s; its own lines above say why (words before "
			"'--' are EAL's; programs that run at once need a --file-prefix each)",
			rte_strerror(rte_errno));
	} else if (used + 1 < argc) {
		/* EAL overlooks what is no option, and so would run without what was meant. */
		ret = err_set(
			err, -EINVAL,
			"'%.64s' is no option of EAL's; words before '--' are EAL options and "
			"their values",
			word[used + 1]);
		rte_eal_cleanup();
	} else {
		filter_log();
	}
	free(word);
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_errno.h>

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
	}
	free(word);
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_TALLY_H
#define N82599_TALLY_H

#include <stdint.h>

#define SIZES 6u /* classes of the counters PRC64.., PTC64..: registers in a row */

/* A batch's sums, added to the registers at its end. */
struct tally {
	uint64_t bytes; /* without FCS */
	uint32_t frames, size[SIZES];
	uint32_t multicast, broadcast, sum_errors;
};

/* Up to 64 bytes with FCS, to 127, 255, 511, 1023, more. */
static inline unsigned int
size_class(uint32_t with_fcs)
{
	unsigned int class = with_fcs <= 64 ? 0 : 26u - (unsigned int)__builtin_clz(with_fcs);

	return class < SIZES ? class : SIZES - 1;
}

#endif

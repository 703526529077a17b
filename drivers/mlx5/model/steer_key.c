/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/mlx5/model/prm.h"
#include "drivers/mlx5/model/steer.h"

#include <errno.h>

#include <rte_common.h>

/*
 * Match keys, PRM "fte_match_param": a section of 64 bytes each for the outer headers, misc, inner
 * headers, misc 2 to misc 5; bit i of the criteria switches section i on.  The first two are
 * modelled.
 */
#define SECTION      64
#define SECTION_LAST 6
#define MISC_5       6

/* Bits that cx5_key_read() (steer_key.h) fills in. */
static void
modelled(struct cx5_key *key)
{
	memset(key, 0xff, SECTION);
	memset(&key->w[8], 0, SECTION);
	prm_set(key, 0xc0, 16, 0); /* reserved */
	prm_set(key, 0xd4, 4, 0);  /* l3_ok, l4_ok, checksums */
	prm_set(key, FTE_SECOND_TCI, 16, 0xffff);
	prm_set(key, FTE_SECOND_CVLAN, 1, 1);
	prm_set(key, FTE_SECOND_SVLAN, 1, 1);
	prm_set(key, FTE_FLOW_LABEL, 20, 0xfffff);
}

static bool
any_set(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != 0)
			return true;
	}
	return false;
}

int
cx5_key_mask(struct cx5_key *mask, const struct mlx5dv_flow_match_parameters *match,
	     uint8_t criteria, const char **what)
{
	static const char *const later[] = { "inner headers", "metadata registers or MPLS (misc 2)",
					     "tunnel or ICMP fields (misc 3)",
					     "programmable samples (misc 4)" };
	const uint8_t *bytes = (const uint8_t *)match->match_buf;
	struct cx5_key known;

	*what = NULL;
	if (match->match_sz % 4 != 0)
		return -EINVAL;
	memset(mask, 0, sizeof(*mask));
	for (unsigned int i = 0; i <= SECTION_LAST && i * SECTION < match->match_sz; i++) {
		size_t len = RTE_MIN((size_t)SECTION, match->match_sz - i * SECTION);

		if (!(criteria & 1u << i))
			continue;
		if (i < 2)
			memcpy(&mask->w[i * 8], bytes + i * SECTION, len);
		else if (any_set(bytes + i * SECTION, len)) {
			/* Whether there is a misc 5 at all is what the PMD asks at each probe. */
			*what = i == MISC_5 ? NULL : later[i - 2];
			return -EOPNOTSUPP;
		}
	}
	modelled(&known);
	for (unsigned int i = 0; i < CX5_KEY_WORDS; i++) {
		if (mask->w[i] & ~known.w[i]) {
			*what = i < 8 ? "checksum verdicts or reserved bits (outer headers)"
				      : "tunnels or the source port (misc)";
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

int
cx5_key_value(struct cx5_key *value, const struct mlx5dv_flow_match_parameters *match,
	      const struct cx5_key *mask)
{
	if (match->match_sz % 4 != 0)
		return -EINVAL;
	memset(value, 0, sizeof(*value));
	memcpy(value, match->match_buf, RTE_MIN(match->match_sz, sizeof(*value)));
	for (unsigned int i = 0; i < CX5_KEY_WORDS; i++)
		value->w[i] &= mask->w[i];
	return 0;
}

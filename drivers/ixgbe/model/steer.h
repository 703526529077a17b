/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_STEER_H
#define N82599_STEER_H

#include "drivers/ixgbe/model/rx.h"

/* RSS, 7.1.2.8: hash to queue and descriptor.  Here for the two parsers. */
#define RETA_MASK  127u
#define RETA_QUEUE 15u /* an entry has four bits, 8.2.3.7.13 */
#define RSS_IP4_AT 12u /* of the IP header: both addresses */

static inline void
steer(const struct n82599 *nic, struct rx_item *it, uint32_t type, uint32_t hash)
{
	if (nic->rx->rules.pcsd) {
		it->word[RXD_INFO] |= type;
		it->word[RXD_HASH] = hash;
	}
	it->queue = nic->regs[R_RETA(0) + (hash & RETA_MASK)] & RETA_QUEUE;
}

static inline void
steer4(const struct n82599 *nic, struct rx_item *it, const uint8_t *ip, const uint8_t *l4)
{
	uint32_t mrqc = nic->rx->rules.mrqc, info = it->word[RXD_INFO], hash, type;
	bool tcp = info & RXD_TCP && mrqc & MRQC_TCP4;
	bool udp = info & RXD_UDP && mrqc & MRQC_UDP4;

	if (!(tcp || udp || mrqc & MRQC_IP4))
		return;
	hash = toeplitz_add(&nic->rss, 0, ip + RSS_IP4_AT, 0, 8);
	type = RXD_RSS_IP4;
	if (tcp || udp) {
		hash = toeplitz_add(&nic->rss, hash, l4, 8, 4);
		type = tcp ? RXD_RSS_TCP4 : RXD_RSS_UDP4;
	}
	steer(nic, it, type, hash);
}

#endif

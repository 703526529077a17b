/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/rx.h"

#include <errno.h>

/*
 * A frame as the host is to see it: its bytes, a tag taken out or not, followed by its FCS or not.
 */
static inline uint32_t
least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* n bytes of it from byte at. */
void
n82599_rx_copy(const struct rx_item *it, uint32_t at, uint8_t *to, uint32_t n)
{
	uint32_t cut = it->strip ? TAG_LEN : 0, data_len = it->frame_len - cut, part;

	if (cut && at < TAG_AT && n > 0) {
		part = least(n, TAG_AT - at);
		memcpy(to, it->data + at, part);
		at += part;
		to += part;
		n -= part;
	}
	if (at < data_len && n > 0) {
		part = least(n, data_len - at);
		memcpy(to, it->data + at + cut, part);
		at += part;
		to += part;
		n -= part;
	}
	if (n > 0) {
		uint32_t fcs = n82599_fcs(it->data, it->frame_len) ^ (it->bad_fcs ? UINT32_MAX : 0);

		memcpy(to, (const uint8_t *)&fcs + (at - data_len), n);
	}
}

/* Into the buffers of the descriptors from q->head on, as many as it takes: the caller has seen
 * that they are there.  0, or -EFAULT: one of them is not the host's and none was touched. */
int
n82599_rx_scatter(struct n82599 *nic, struct n82599_rxq *q, const struct rx_item *it)
{
	uint8_t *to[SOFT_FRAME_MAX / 1024 + 2];
	uint32_t at = q->head, nb = 0;

	for (uint32_t done = 0; done < it->len; done += q->room) {
		to[nb] = n82599_dma(nic->port, SOFTNIC_DMA_RX, load64(q->ring + at * DESC_LEN),
				    least(q->room, it->len - done));
		if (to[nb++] == NULL)
			return -EFAULT;
		at = at + 1 == q->size ? 0 : at + 1;
	}
	for (uint32_t i = 0; i < nb; i++)
		n82599_rx_copy(it, i * q->room, to[i], least(q->room, it->len - i * q->room));
	return 0;
}

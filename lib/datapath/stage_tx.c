/* SPDX-License-Identifier: BSD-3-Clause */
#include "datapath/core.h"
#include "datapath/tx_send.h"

#include <rte_ethdev.h>

#include "base/fast.h"

static void
note(struct bundle *b, uint16_t port, uint16_t sent, uint16_t n)
{
	b->tx[b->nb_tx++] = (struct bundle_tx){ port, sent, (uint16_t)(n - sent) };
}

/* The packets that leave by one port, in their order; index[] says which they are. */
static void
send_some(struct core *core, struct bundle *b, const uint8_t *index, uint16_t n)
{
	uint16_t port = b->out[index[0]], sent;

	for (unsigned int i = 0; i < n; i++)
		core->scratch[i] = b->pkt[index[i]];
	sent = tx_send(core, port, core->scratch, n);
	note(b, port, sent, n);
	for (unsigned int i = sent; i < n; i++)
		bundle_mark(b, index[i], VERDICT_TX_FULL);
}

/* Port by port: each pass takes the port of the first packet left and leaves the others. */
static void
send_mixed(struct core *core, struct bundle *b)
{
	uint8_t left[BUNDLE_MAX], mine[BUNDLE_MAX];
	unsigned int nb_left = 0;

	for (unsigned int i = 0; i < b->n; i++)
		if (b->verdict[i] == VERDICT_FORWARD)
			left[nb_left++] = (uint8_t)i;
	while (nb_left != 0) {
		uint8_t port = b->out[left[0]];
		unsigned int keep = 0;
		uint16_t n = 0;

		for (unsigned int i = 0; i < nb_left; i++) {
			if (b->out[left[i]] == port)
				mine[n++] = left[i];
			else
				left[keep++] = left[i];
		}
		nb_left = keep;
		send_some(core, b, mine, n);
	}
}

/*
 * In:  b->pkt[] that carry FORWARD, each with b->out[].
 * Out: what still carries FORWARD belongs to a NIC now; what a ring refused carries TX_FULL.
 *
 * Everything is sent now: batching ends with the bundle and adds no latency.
 */
void
stage_tx(struct core *core, struct bundle *b)
{
	b->nb_tx = 0;
	if (likely(b->odd == 0 && b->one_port)) {
		uint16_t sent = tx_send(core, b->out[0], b->pkt, b->n);

		note(b, b->out[0], sent, b->n);
		for (unsigned int i = sent; i < b->n; i++)
			bundle_mark(b, i, VERDICT_TX_FULL);
		return;
	}
	send_mixed(core, b);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cable_nic.h"

#include "drivers/wire/soft.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

static uint16_t ethdev;
static struct rte_mempool *mbufs;
static struct rte_mbuf *held[SOFT_BATCH]; /* received, until transmitted() */
static unsigned int nb_held;
static uint8_t whole[SOFT_BATCH][SOFT_FRAME_MAX + 4]; /* frames that came in several buffers */

void
cable_nic_use(uint16_t port, struct rte_mempool *pool)
{
	ethdev = port;
	mbufs = pool;
}

static int
create(struct soft_port *port, struct err *err)
{
	struct rte_ether_addr mac;

	(void)err;
	rte_eth_macaddr_get(ethdev, &mac);
	memcpy(port->mac, mac.addr_bytes, sizeof(port->mac));
	snprintf(port->bdf, sizeof(port->bdf), "ethdev");
	return 0;
}

static void
destroy(struct soft_port *port)
{
	(void)port;
}

static bool
listening(const struct soft_port *port)
{
	struct rte_eth_link link;

	(void)port;
	return rte_eth_link_get_nowait(ethdev, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

/* What the device has received is what "the host wants sent": it goes to the sink. */
static unsigned int
transmit(struct soft_port *port, struct soft_frame *frames, unsigned int max)
{
	nb_held =
		rte_eth_rx_burst(ethdev, 0, held, (uint16_t)RTE_MIN(max, (unsigned int)SOFT_BATCH));
	for (unsigned int i = 0; i < nb_held; i++) {
		struct rte_mbuf *m = held[i];
		uint32_t len = RTE_MIN(m->pkt_len, (uint32_t)sizeof(whole[0]));

		frames[i] = (struct soft_frame){ rte_pktmbuf_read(m, 0, len, whole[i]), len, 0 };
		port->stats.tx_frames++;
		port->stats.tx_bytes += len;
	}
	return nb_held;
}

static void
transmitted(struct soft_port *port)
{
	(void)port;
	rte_pktmbuf_free_bulk(held, nb_held);
	nb_held = 0;
}

/* A frame in as many buffers as it takes; NULL: the pool has none. */
static struct rte_mbuf *
mbuf_of(const struct soft_frame *frame)
{
	struct rte_mbuf *first = NULL;
	uint32_t done = 0;

	while (done < frame->len) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(mbufs);
		uint16_t part;

		if (m == NULL || (first != NULL && rte_pktmbuf_chain(first, m) != 0)) {
			rte_pktmbuf_free(m);
			rte_pktmbuf_free(first);
			return NULL;
		}
		part = (uint16_t)RTE_MIN(frame->len - done, (uint32_t)rte_pktmbuf_tailroom(m));
		memcpy(rte_pktmbuf_mtod(m, void *), frame->data + done, part);
		m->data_len = part;
		if (first == NULL)
			first = m;
		first->pkt_len += part;
		done += part;
	}
	return first;
}

static unsigned int
receive(struct soft_port *port, const struct soft_frame *frames, unsigned int n, bool wait)
{
	unsigned int taken;

	(void)wait; /* a frame that the device does not take is offered again */
	for (taken = 0; taken < n; taken++) {
		struct rte_mbuf *m = mbuf_of(&frames[taken]);

		if (m == NULL)
			break;
		if (rte_eth_tx_burst(ethdev, 0, &m, 1) == 0) {
			rte_pktmbuf_free(m);
			break;
		}
		port->stats.rx_frames++;
		port->stats.rx_bytes += frames[taken].len;
	}
	return taken;
}

static int
fault(struct soft_port *port, enum softnic_fault what)
{
	(void)port;
	(void)what;
	return -ENOTSUP;
}

static const struct spec_opt no_opts[] = { { .name = NULL } };
static const struct soft_conf defaults;
static const struct soft_kind kind = {
	.name = "ethdev",
	.help = "a port of DPDK at the far end of a real cable",
	.opts = no_opts,
	.conf_size = sizeof(struct soft_conf),
	.defaults = &defaults,
	.create = create,
	.destroy = destroy,
	.listening = listening,
	.transmit = transmit,
	.transmitted = transmitted,
	.receive = receive,
	.fault = fault,
};

int
cable_nic_plug(void)
{
	return soft_plug(&kind);
}

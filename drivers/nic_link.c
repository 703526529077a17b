/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/atomics.h"
#include "base/log.h"
#include "drivers/nic_priv.h"

#include <stdio.h>
#include <string.h>

/* A call a second finds it due although the caller's clock has jitter. */
#define LINK_EVERY_US 750000

/* EAL's interrupt thread. */
static int
link_changed(uint16_t port, enum rte_eth_event_type event, void *arg, void *ret)
{
	(void)event;
	(void)ret;
	(void)port;
	atomic_release((uint32_t *)arg, 1u);
	return 0;
}

void
nic_link_watch(uint16_t port)
{
	struct nic_state *st = nic_state(port);

	nic_link_unwatch(port);
	st->link_known = false;
	st->link_due_us = 0;
	atomic_release(&st->link_event, 1u); /* the first poll is due at once */
	if (!st->lsc)
		return;
	st->watched = rte_eth_dev_callback_register(port, RTE_ETH_EVENT_INTR_LSC, link_changed,
						    &st->link_event) == 0;
	if (!st->watched)
		log_warn("port %u (%s): no link interrupt; read once a second", port,
			 nic_name(port));
}

void
nic_link_unwatch(uint16_t port)
{
	struct nic_state *st = nic_state(port);

	if (st->watched)
		rte_eth_dev_callback_unregister(port, RTE_ETH_EVENT_INTR_LSC, link_changed,
						&st->link_event);
	st->watched = false;
}

void
nic_link(uint16_t port, struct nic_link *link)
{
	struct rte_eth_link now = { 0 };

	*link = (struct nic_link){ .speed_mbps = RTE_ETH_SPEED_NUM_UNKNOWN };
	if (!rte_eth_dev_is_valid_port(port) || nic_removed(port) ||
	    rte_eth_link_get_nowait(port, &now) != 0)
		return;
	link->up = now.link_status == RTE_ETH_LINK_UP;
	link->full_duplex = now.link_duplex == RTE_ETH_LINK_FULL_DUPLEX;
	if (now.link_speed != RTE_ETH_SPEED_NUM_NONE)
		link->speed_mbps = now.link_speed;
}

static void
tell(uint16_t port, const struct nic_link *link)
{
	const char *duplex = link->full_duplex ? "full" : "half";
	uint32_t mbps = link->speed_mbps;

	if (!link->up)
		log_notice("port %u (%s): link down", port, nic_name(port));
	else if (mbps == RTE_ETH_SPEED_NUM_UNKNOWN)
		log_notice("port %u (%s): link up, unknown speed", port, nic_name(port));
	else if (mbps < 1000)
		log_notice("port %u (%s): link up, %u Mbps %s duplex", port, nic_name(port), mbps,
			   duplex);
	else
		log_notice("port %u (%s): link up, %g Gbps %s duplex", port, nic_name(port),
			   mbps / 1000.0, duplex);
}

static void
poll_one(uint16_t port, uint64_t now_us)
{
	struct nic_state *st = nic_state(port);
	struct nic_link link;
	uint64_t start_us;

	if (atomic_acquire(&st->link_event) == 0 && now_us < st->link_due_us)
		return;
	atomic_release(&st->link_event, 0u); /* before the read: an edge during it is seen again */
	start_us = clock_us();
	nic_health_poll(port);
	nic_link(port, &link);
	st->link_due_us = nic_poll_due(now_us, LINK_EVERY_US, start_us);
	if (st->link_known && link.up == st->link.up &&
	    (!link.up ||
	     (link.speed_mbps == st->link.speed_mbps && link.full_duplex == st->link.full_duplex)))
		return;
	st->link = link;
	st->link_known = true;
	tell(port, &link);
}

void
nic_poll_link(uint64_t now_us)
{
	uint16_t port;

	RTE_ETH_FOREACH_DEV (port)
		if (nic_state(port)->started)
			poll_one(port, now_us);
}

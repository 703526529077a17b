/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/atomics.h"
#include "base/log.h"
#include "drivers/nic_priv.h"

#include <string.h>

/* EAL's interrupt thread. */
static int
pulled_out(uint16_t port, enum rte_eth_event_type event, void *arg, void *ret)
{
	(void)event;
	(void)ret;
	(void)port;
	atomic_release((uint32_t *)arg, 1u);
	return 0;
}

void
nic_health_watch(uint16_t port)
{
	struct nic_state *st = nic_state(port);

	nic_health_unwatch(port);
	st->removed = false;
	atomic_release(&st->removal_event, 0u);
	st->removal_watched = rte_eth_dev_callback_register(port, RTE_ETH_EVENT_INTR_RMV,
							    pulled_out, &st->removal_event) == 0;
}

void
nic_health_unwatch(uint16_t port)
{
	struct nic_state *st = nic_state(port);

	if (st->removal_watched)
		rte_eth_dev_callback_unregister(port, RTE_ETH_EVENT_INTR_RMV, pulled_out,
						&st->removal_event);
	st->removal_watched = false;
}

static void
mark(uint16_t port)
{
	nic_state(port)->removed = true;
	log_err("port %u (%s): the device is gone (surprise removal). Its counters stand still, "
		"what is routed there is dropped as tx_full; restart sluice once it is back",
		port, nic_name(port));
}

bool
nic_removed(uint16_t port)
{
	return port < RTE_MAX_ETHPORTS && nic_state(port)->removed;
}

void
nic_health_poll(uint16_t port)
{
	struct nic_state *st = nic_state(port);

	if (!st->removed &&
	    (atomic_acquire(&st->removal_event) != 0 || rte_eth_dev_is_removed(port) == 1))
		mark(port);
}

/* More packets than pass between two looks a second apart: 2^32 take 29 s even at 148.8 Mpps. */
static bool
implausible(uint64_t before, uint64_t now)
{
	return now > before && now - before >= UINT32_MAX;
}

bool
nic_health_counters(uint16_t port, const union nic_counters *before, const union nic_counters *now)
{
	const struct rte_eth_stats *a = &before->stats, *b = &now->stats;
	struct nic_state *st = nic_state(port);

	if (st->profile->gone == NULL ||
	    !(implausible(a->ipackets, b->ipackets) || implausible(a->opackets, b->opackets) ||
	      implausible(a->imissed, b->imissed) || implausible(a->ierrors, b->ierrors)))
		return true;
	if (!st->profile->gone(port))
		return true;
	mark(port);
	return false;
}

bool
nic_health_dead(struct nic_rxq_health *q, uint64_t packets, uint64_t errors)
{
	bool moved = packets != q->packets, failed = errors != q->errors;

	q->packets = packets;
	q->errors = errors;
	if (moved) { /* the error may have come after the packets */
		q->failed = failed;
		q->quiet = 0;
		return false;
	}
	q->failed |= failed;
	return q->failed && ++q->quiet >= NIC_DEAD_LOOKS;
}

void
nic_health_begin(uint16_t port)
{
	struct nic_state *st = nic_state(port);
	const struct rte_eth_stats *now = &st->total.stats;

	for (uint16_t i = 0; i < RTE_DIM(st->rxq); i++)
		st->rxq[i] = (struct nic_rxq_health){ .packets = now->q_ipackets[i],
						      .errors = now->q_errors[i] };
	st->rx_nombuf = now->rx_nombuf;
}

/* The others revive it by themselves. */
static bool
reads_by_vector(uint16_t port)
{
	const struct nic_profile *profile = nic_state(port)->profile;
	struct nic_modes modes;

	nic_modes(port, &modes);
	return profile->rx_fast != NULL && strstr(modes.rx, profile->rx_fast) != NULL;
}

int
nic_dead_queue(uint16_t port)
{
	struct nic_state *st = nic_state(port);
	const struct rte_eth_stats *now = &st->total.stats;
	int dead = -1;
	bool hungry;

	if (st->profile == NULL || !st->profile->rx_may_die || !st->started || st->removed)
		return -1;
	hungry = now->rx_nombuf != st->rx_nombuf;
	st->rx_nombuf = now->rx_nombuf;
	for (uint16_t i = 0; i < RTE_DIM(st->rxq); i++) {
		struct nic_rxq_health *q = &st->rxq[i];

		/* A driver that finds no buffer may count that as an error of the queue, too. */
		if (hungry)
			q->errors = now->q_errors[i];
		if (nic_health_dead(q, now->q_ipackets[i], now->q_errors[i]) && dead < 0)
			dead = i;
	}
	return dead >= 0 && reads_by_vector(port) ? dead : -1;
}

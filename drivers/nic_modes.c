/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/nic_priv.h"

#include <stdio.h>
#include <string.h>

struct side {
	const char *fast, *slow; /* words of mode names */
	const struct nic_rule *rules;
	const char *said; /* by the driver, or NULL */
	const char *(*by_setup)(const struct nic_setup *setup);
};

/* Fill in the name of the function; the reason if it is a slow one, else NULL. */
static const char *
judge(char *mode, const struct side *side, const struct nic_profile *profile,
      const struct nic_setup *setup)
{
	const char *why = nic_profile_broken(side->rules, setup);

	if (side->said != NULL) {
		snprintf(mode, NIC_NAME_MAX, "%s", side->said);
		if (side->fast == NULL ||
		    (strstr(side->said, side->fast) != NULL &&
		     (side->slow == NULL || strstr(side->said, side->slow) == NULL)))
			return NULL;
		return why != NULL ? why : profile->unsaid;
	}
	if (side->by_setup == NULL) {
		snprintf(mode, NIC_NAME_MAX, "unknown");
		return NULL;
	}
	snprintf(mode, NIC_NAME_MAX, "%s (by set-up)", side->by_setup(setup));
	return why;
}

void
nic_modes_judge(struct nic_modes *modes, const struct nic_profile *p, const struct nic_setup *setup,
		const char *rx, const char *tx)
{
	struct side rx_side = { p->rx_fast, p->rx_slow, p->rx_rules, rx, p->rx_by_setup };
	struct side tx_side = { p->tx_fast, p->tx_slow, p->tx_rules, tx, p->tx_by_setup };
	const char *rx_why = NULL, *tx_why = NULL;

	memset(modes, 0, sizeof(*modes));
	snprintf(modes->rx, sizeof(modes->rx), "none");
	snprintf(modes->tx, sizeof(modes->tx), "none");
	if (setup->nb_rxq != 0)
		rx_why = judge(modes->rx, &rx_side, p, setup);
	if (setup->nb_txq != 0)
		tx_why = judge(modes->tx, &tx_side, p, setup);
	snprintf(modes->why, sizeof(modes->why), "%s%s%s%s%s", rx_why != NULL ? "RX: " : "",
		 rx_why != NULL ? rx_why : "", rx_why != NULL && tx_why != NULL ? "; " : "",
		 tx_why != NULL ? "TX: " : "", tx_why != NULL ? tx_why : "");
}

void
nic_modes(uint16_t port, struct nic_modes *modes)
{
	struct rte_eth_burst_mode rx, tx;
	const struct nic_state *st;
	bool has_rx, has_tx;

	memset(modes, 0, sizeof(*modes));
	snprintf(modes->rx, sizeof(modes->rx), "unknown");
	snprintf(modes->tx, sizeof(modes->tx), "unknown");
	if (!rte_eth_dev_is_valid_port(port) || nic_state(port)->profile == NULL)
		return;
	st = nic_state(port);
	has_rx = st->setup.nb_rxq != 0 && rte_eth_rx_burst_mode_get(port, 0, &rx) == 0;
	has_tx = st->setup.nb_txq != 0 && rte_eth_tx_burst_mode_get(port, 0, &tx) == 0;
	nic_modes_judge(modes, st->profile, &st->setup, has_rx ? rx.info : NULL,
			has_tx ? tx.info : NULL);
}

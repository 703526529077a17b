/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/softnic.h"
#include "lab.h"

#include <inttypes.h>
#include <string.h>

/*
 * Completions with error on a ConnectX-5: a send queue recovers by itself, a receive queue does if
 * it is read by a scalar function, and a restart of the port brings back any.  Whatever happens,
 * every frame has one fate on the card.
 *
 * A vector function of net_mlx5 22.11 (and of 26.11-rc0) may stay where it is for ever: to find that
 * the CQ is drained it looks at the entry before its consumer index, which it has read itself, so it
 * sees the end only where a lap of the ring ends (mlx5_rx_err_handle(), since "fix error CQE dumping
 * for vectorized Rx").  How much had come before an error therefore decides.
 */
#define MANY 64

/* How many of n equal frames come. */
static unsigned int
pass(struct lab *lab, unsigned int n)
{
	struct lab_frame frames[MANY];
	struct lab_seen seen[64];

	for (unsigned int i = 0; i < n; i++)
		frames[i] = lab_frames[0];
	lab_send(lab, frames, n, seen);
	return seen[0].times;
}

static void
must_pass(struct lab *lab, const char *when)
{
	unsigned int came = pass(lab, MANY);

	if (came != MANY)
		lab_fail(lab, "%s: %u frames of %u came", when, came, MANY);
}

static void
must_balance(struct lab *lab, const char *when, uint64_t lost)
{
	struct softnic_stats s = { 0 };

	softnic_stats(0, &s);
	if (s.rx_offered != s.rx_frames + s.rx_missed + s.rx_filtered + s.rx_bad + s.rx_lost)
		lab_fail(lab,
			 "%s: the card was offered %" PRIu64 " frames and accounts for %" PRIu64,
			 when, s.rx_offered,
			 s.rx_frames + s.rx_missed + s.rx_filtered + s.rx_bad + s.rx_lost);
	if (s.rx_lost != lost)
		lab_fail(lab, "%s: %" PRIu64 " frames are lost, not %" PRIu64, when, s.rx_lost,
			 lost);
}

static void
send_errors(struct lab *lab)
{
	static const enum softnic_fault faults[] = { SOFTNIC_CQE_TX, SOFTNIC_DMA_TX };
	struct rte_eth_stats stats = { 0 };
	struct rte_eth_burst_mode mode = { 0 };
	unsigned int n = RTE_DIM(faults);

	/* A frame that is copied into its WQE has no address to damage. */
	rte_eth_tx_burst_mode_get(1, 0, &mode);
	if (strstr(mode.info, "INLINE") != NULL)
		n--;
	for (unsigned int i = 0; i < n; i++) {
		const char *name = softnic_fault_name(faults[i]);

		softnic_fault(1, faults[i], 1, NULL);
		if (pass(lab, MANY) == MANY)
			lab_fail(lab, "%s: nothing was lost", name);
		must_pass(lab, name);
		rte_eth_stats_get(1, &stats);
		if (stats.oerrors <= i)
			lab_fail(lab, "%s: the PMD counts %" PRIu64 " errors", name, stats.oerrors);
	}
}

/* With more and more frames before. */
static void
receive_errors(struct lab *lab)
{
	static const enum softnic_fault faults[] = { SOFTNIC_CQE_RX, SOFTNIC_DMA_RX };
	struct rte_eth_burst_mode mode = { 0 };
	unsigned int stuck = 0;
	bool vector;

	rte_eth_rx_burst_mode_get(0, 0, &mode);
	vector = strstr(mode.info, "Vector") != NULL;
	for (unsigned int i = 0; i < 12; i++) {
		const char *name = softnic_fault_name(faults[i % 2]);

		for (unsigned int k = 0; k < i; k++)
			must_pass(lab, name);
		softnic_fault(0, faults[i % 2], 1, NULL);
		if (pass(lab, 8) != 0)
			lab_fail(lab, "%s: frames behind the error came", name);
		must_balance(lab, name, i + 1);
		if (pass(lab, MANY) == MANY)
			continue;
		if (!vector)
			lab_fail(lab, "%s: %s does not recover", name, mode.info);
		stuck++;
		lab_stop();
		lab_start(lab);
		must_pass(lab, "after a restart");
	}
	printf("%s: %u of 12 errors were for ever\n", mode.info, stuck);
}

void
lab_error(struct lab *lab)
{
	memset(&lab->eth, 0, sizeof(lab->eth));
	lab_start(lab);
	must_pass(lab, "at first");
	send_errors(lab);
	receive_errors(lab);
}

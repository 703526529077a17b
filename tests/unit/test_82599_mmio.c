/* SPDX-License-Identifier: BSD-3-Clause */
#include "bare_82599.h"
#include "support/cmocka.h"

#include <string.h>

static struct n82599 *nic;

static int
begin(void **state)
{
	(void)state;
	nic = bare_new();
	return 0;
}

static int
end(void **state)
{
	(void)state;
	bare_free(nic);
	return 0;
}

static uint32_t
rd(uint32_t off)
{
	return n82599_read(nic, off);
}

static void
wr(uint32_t off, uint32_t value)
{
	n82599_write(nic, off, value);
}

static void
reset_brings_initial_values(void **state)
{
	(void)state;
	wr(R_RDLEN(0), 4096);
	wr(R_FCTRL, FCTRL_UPE);
	wr(R_EIMS, EICR_LSC);
	nic->rss_dirty = nic->filter_dirty = nic->queues_dirty = false;
	wr(R_CTRL, CTRL_RST);
	assert_int_equal(rd(R_CTRL) & (CTRL_RST | CTRL_LRST), 0);
	assert_int_equal(bare_resets, 1);
	assert_int_equal(rd(R_RDLEN(0)), 0);
	assert_int_equal(rd(R_FCTRL), 0);
	assert_int_equal(rd(R_EIMS), 0);
	assert_true(nic->rss_dirty && nic->filter_dirty && nic->queues_dirty);

	wr(R_CTRL, CTRL_LRST);
	assert_int_equal(bare_resets, 2);
	wr(R_CTRL, 0);
	assert_int_equal(bare_resets, 2);
	/* The permanent address, from where drivers read it. */
	assert_int_equal(rd(R_RAL_OLD(0)), 0x03598202);
	assert_int_equal(rd(R_RAL_OLD(0) + 4), RAH_AV | 0x0504);
	assert_int_equal(rd(R_STATUS) >> STATUS_LAN_ID_SHIFT & 3, 1); /* function 1 */
}

static void
the_master_stops_when_told(void **state)
{
	(void)state;
	assert_true(rd(R_STATUS) & STATUS_GIO);
	wr(R_CTRL, CTRL_GIO_DIS);
	assert_false(rd(R_STATUS) & STATUS_GIO);
	wr(R_CTRL, CTRL_RST);
	assert_true(rd(R_STATUS) & STATUS_GIO);
}

static void
a_semaphore_goes_to_the_first_reader(void **state)
{
	(void)state;
	assert_false(rd(R_SWSM) & SWSM_SMBI);
	assert_true(rd(R_SWSM) & SWSM_SMBI);
	wr(R_SWSM, SWSM_SMBI | SWSM_SWESMBI);
	assert_true(rd(R_SWSM) & SWSM_SWESMBI);
	wr(R_SW_FW_SYNC, 5);
	assert_int_equal(rd(R_SW_FW_SYNC), 5);
	wr(R_SWSM, 0);
	assert_int_equal(rd(R_SWSM), 0);
}

static void
handshakes_end(void **state)
{
	(void)state;
	wr(R_MSCA, MSCA_MDI_COMMAND | 0x1234);
	assert_int_equal(rd(R_MSCA), 0x1234);
	assert_int_equal(rd(R_MSRWD) >> MSRWD_READ_SHIFT, 0xffff);
	wr(R_RDRXCTL, 0);
	assert_true(rd(R_RDRXCTL) & RDRXCTL_DMAIDONE);
	wr(R_SECTXSTAT, 0);
	wr(R_SECRXSTAT, 0);
	assert_true(rd(R_SECTXSTAT) & SECSTAT_READY);
	assert_true(rd(R_SECRXSTAT) & SECSTAT_READY);
	wr(R_FDIRCTRL, 1);
	assert_true(rd(R_FDIRCTRL) & FDIRCTRL_INIT_DONE);
	wr(R_FDIRCMD, 0x103);
	assert_int_equal(rd(R_FDIRCMD), 0x100);
	wr(R_AUTOC, rd(R_AUTOC) | AUTOC_RESTART_AN);
	assert_int_equal(rd(R_AUTOC), AUTOC_10G_SERIAL | AUTOC_1G_SFI);
	assert_int_not_equal(rd(R_ANLP1) & 0xf0000, 0);
}

static void
a_queue_that_is_off_is_empty(void **state)
{
	static const uint32_t control[] = { R_RXDCTL(0), R_RXDCTL(63), R_RXDCTL(64), R_RXDCTL(127),
					    R_TXDCTL(0), R_TXDCTL(64), R_TXDCTL(127) };

	(void)state;
	for (size_t i = 0; i < sizeof(control) / sizeof(control[0]); i++) {
		uint32_t base = control[i] & ~0x3fu, head = base + 0x10, tail = base + 0x18;

		wr(control[i], RXDCTL_ENABLE);
		assert_int_equal(rd(control[i]), RXDCTL_ENABLE);
		wr(head, 3);
		wr(tail, 9);
		wr(control[i], RXDCTL_ENABLE | 1);
		assert_int_equal(rd(tail), 9);
		nic->queues_dirty = false;
		wr(control[i], TXDCTL_SWFLSH);
		assert_true(nic->queues_dirty);
		assert_int_equal(rd(control[i]), 0);
		if (rd(head) != 0 || rd(tail) != 0)
			fail_msg("register %#x left head %u, tail %u", control[i], rd(head),
				 rd(tail));
	}
	nic->queues_dirty = false;
	wr(R_RDT(0), 5);
	wr(R_TDT(5), 5);
	assert_false(nic->queues_dirty);
}

static void
tables_are_marked(void **state)
{
	static const struct {
		uint32_t off;
		bool rss, filter, queues;
	} cases[] = {
		{ R_MRQC, true, false, false },
		{ R_RETA(0), true, false, false },
		{ R_RETA(31), true, false, false },
		{ R_RSSRK(0), true, false, false },
		{ R_RSSRK(9), true, false, false },
		{ R_FCTRL, false, true, false },
		{ R_VLNCTRL, false, true, false },
		{ R_MCSTCTRL, false, true, false },
		{ R_MTA(127), false, true, false },
		{ R_VFTA(127), false, true, false },
		{ R_RAL(127), false, true, false },
		{ R_RAL_OLD(1), false, true, false },
		{ R_RAL_OLD(15) + 4, false, true, false },
		{ R_HLREG0, false, true, false },
		{ R_MAXFRS, false, true, false },
		{ R_RXCTRL, false, false, true },
		{ R_DMATXCTL, false, false, true },
		{ R_RDBAL(2), false, false, true },
		{ R_TDLEN(2), false, false, true },
		{ R_SRRCTL_OLD(2), false, false, true },
		{ R_RSSRK(10), false, false, false },
		{ R_AUTOC, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		nic->rss_dirty = nic->filter_dirty = nic->queues_dirty = false;
		wr(cases[i].off, 0x100);
		if (nic->rss_dirty != cases[i].rss || nic->filter_dirty != cases[i].filter ||
		    nic->queues_dirty != cases[i].queues)
			fail_msg("register %#x: rss %d, filter %d, queues %d", cases[i].off,
				 nic->rss_dirty, nic->filter_dirty, nic->queues_dirty);
	}
}

static void
two_places_are_one_register(void **state)
{
	static const uint32_t pairs[][2] = {
		{ R_RAL_OLD(0), R_RAL(0) },
		{ R_RAL_OLD(15) + 4, R_RAH(15) },
		{ R_SRRCTL_OLD(0), R_SRRCTL(0) },
		{ R_SRRCTL_OLD(15), R_SRRCTL(15) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		wr(pairs[i][0], 0x11);
		assert_int_equal(rd(pairs[i][1]), 0x11);
		wr(pairs[i][1], 0x22);
		assert_int_equal(rd(pairs[i][0]), 0x22);
	}
	wr(R_SRRCTL(16), 0x33); /* its neighbour is not SRRCTL */
	assert_int_equal(rd(R_SRRCTL_OLD(16)), 0);
}

static void
links_tells_of_the_cable(void **state)
{
	(void)state;
	assert_int_equal(rd(R_LINKS) & (LINKS_UP | LINKS_10G), LINKS_UP | LINKS_10G);
	rd(R_EICR);
	bare_port.fault[SOFTNIC_LINK_DOWN] = 1;
	assert_int_equal(n82599_fault(&bare_port, SOFTNIC_LINK_DOWN), 0);
	assert_int_equal(rd(R_LINKS), 0);
	assert_int_equal(rd(R_EICR), EICR_LSC);
	n82599_fault(&bare_port, SOFTNIC_LINK_DOWN); /* no news */
	assert_int_equal(rd(R_EICR), 0);
	bare_port.fault[SOFTNIC_LINK_DOWN] = 0;
	n82599_fault(&bare_port, SOFTNIC_LINK_DOWN);
	assert_int_equal(rd(R_EICR), EICR_LSC);
	wr(R_LINKS, 0);
	assert_true(rd(R_LINKS) & LINKS_UP);

	bare_port.in = bare_port.out = NULL;
	wr(R_CTRL, CTRL_RST);
	assert_int_equal(rd(R_LINKS), 0);
}

static void
what_is_gone_reads_as_ones(void **state)
{
	(void)state;
	wr(R_RDT(0), 5);
	bare_port.fault[SOFTNIC_REMOVE] = 1;
	assert_int_equal(n82599_fault(&bare_port, SOFTNIC_REMOVE), 0);
	assert_true(nic->removed);
	assert_int_equal(bare_resets, 1);
	assert_int_equal(rd(R_STATUS), UINT32_MAX);
	assert_int_equal(rd(R_EICR), UINT32_MAX);
	assert_int_equal(rd(R_RDT(0)), UINT32_MAX);
	wr(R_CTRL, CTRL_RST);
	wr(R_RDT(0), 7);
	assert_int_equal(bare_resets, 1);

	bare_port.fault[SOFTNIC_REMOVE] = 0;
	n82599_fault(&bare_port, SOFTNIC_REMOVE);
	assert_int_equal(rd(R_RDT(0)), 0);
	assert_true(rd(R_STATUS) & STATUS_GIO);
	assert_int_equal(n82599_fault(&bare_port, SOFTNIC_CQE_RX), -ENOTSUP);
	assert_int_equal(n82599_fault(&bare_port, SOFTNIC_TX_HANG), 0);
}

/* A driver would take the silence of these for success. */
static void
rules_without_effect_are_told_once(void **state)
{
	static const struct {
		uint32_t off, idle, on;
		const char *word;
	} cases[] = {
		{ R_FDIRCMD, 2, FDIRCMD_ADD, "flow director" },
		{ R_FTQF(127), 3, TQF_ENABLE, "5-tuple" },
		{ R_ETQF(0), 0x800, TQF_ENABLE | 0x800, "EtherType" },
		{ R_SYNQF, 0, SYNQF_ENABLE, "SYN" },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wr(cases[i].off, cases[i].idle);
		assert_int_equal(bare_logs, i);
		wr(cases[i].off, cases[i].on);
		wr(cases[i].off, cases[i].on);
		assert_int_equal(bare_logs, i + 1);
		assert_non_null(strstr(bare_log, cases[i].word));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reset_brings_initial_values, begin, end),
		cmocka_unit_test_setup_teardown(the_master_stops_when_told, begin, end),
		cmocka_unit_test_setup_teardown(a_semaphore_goes_to_the_first_reader, begin, end),
		cmocka_unit_test_setup_teardown(handshakes_end, begin, end),
		cmocka_unit_test_setup_teardown(a_queue_that_is_off_is_empty, begin, end),
		cmocka_unit_test_setup_teardown(tables_are_marked, begin, end),
		cmocka_unit_test_setup_teardown(two_places_are_one_register, begin, end),
		cmocka_unit_test_setup_teardown(links_tells_of_the_cable, begin, end),
		cmocka_unit_test_setup_teardown(what_is_gone_reads_as_ones, begin, end),
		cmocka_unit_test_setup_teardown(rules_without_effect_are_told_once, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "bare_82599.h"
#include "support/cmocka.h"

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

static void
counters_clear_when_read(void **state)
{
	static const uint32_t cleared[] = {
		R_CRCERRS, R_ILLERRC, R_ERRBC,  R_RLEC,    R_MPC(0),    R_MPC(7),
		R_PRC64,   R_PRC1522, R_GPRC,   R_BPRC,    R_MPRC,      R_GPTC,
		R_GORCL,   R_GORCH,   R_GOTCL,  R_GOTCH,   R_RUC,       R_ROC,
		R_TORL,    R_TPR,     R_TPT,    R_PTC64,   R_PTC1522,   R_BPTC,
		R_XEC,     R_RXDGPC,  R_TXDGPC, R_TXDGBCH, R_QBTC_L(0), R_QBTC_H(15),
	};
	static const uint32_t kept[] = { R_HLREG0,  R_MAXFRS,   R_AUTOC,   R_LINKS, R_RQSMR(0),
					 R_TQSM(0), R_TQSM(31), R_RDRXCTL, R_RAL(0) };

	(void)state;
	for (size_t i = 0; i < sizeof(cleared) / sizeof(cleared[0]); i++) {
		N82599_REG(nic, cleared[i]) = 7;
		assert_int_equal(n82599_read(nic, cleared[i]), 7);
		if (n82599_read(nic, cleared[i]) != 0)
			fail_msg("register %#x keeps its count", cleared[i]);
	}
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		N82599_REG(nic, kept[i]) = 7;
		n82599_read(nic, kept[i]);
		if (n82599_read(nic, kept[i]) != 7)
			fail_msg("register %#x is no counter", kept[i]);
	}
}

static void
counters_stick(void **state)
{
	(void)state;
	n82599_count(nic, R_GPRC, UINT32_MAX - 1);
	n82599_count(nic, R_GPRC, 1);
	assert_int_equal(N82599_REG(nic, R_GPRC), UINT32_MAX);
	n82599_count(nic, R_GPRC, 5);
	assert_int_equal(n82599_read(nic, R_GPRC), UINT32_MAX);
	n82599_count(nic, R_GPRC, 5);
	assert_int_equal(n82599_read(nic, R_GPRC), 5);
}

static void
octets_carry(void **state)
{
	(void)state;
	n82599_count_octets(nic, R_GORCL, 0xfffffff0);
	assert_int_equal(N82599_REG(nic, R_GORCH), 0);
	n82599_count_octets(nic, R_GORCL, 0x15);
	assert_int_equal(N82599_REG(nic, R_GORCL), 5);
	assert_int_equal(N82599_REG(nic, R_GORCH), 1);
	n82599_count_octets(nic, R_GORCL, 0x300000000);
	assert_int_equal(N82599_REG(nic, R_GORCH), 4);
	assert_int_equal(n82599_read(nic, R_GORCL), 5);
	assert_int_equal(n82599_read(nic, R_GORCH), 4);
}

/* As a driver reads: CRCERRS, then the queues' counters (which may not trap), then MLFC. */
static void
queue_counters_show_between_crcerrs_and_mlfc(void **state)
{
	(void)state;
	n82599_write(nic, R_RQSMR(1), 3u << 8); /* queue 5: set 3 */
	n82599_write(nic, R_TQSM(1), 9u << 8);
	nic->rxq[5] = (struct n82599_rxq){ .frames = 10, .bytes = 0x500000600, .dropped = 2 };
	nic->rxq[0].frames = 1;
	nic->rxq[63].frames = 1; /* both: set 0 */
	nic->txq[5] = (struct n82599_txq){ .frames = 7, .bytes = 0x100000007 };
	assert_int_equal(N82599_REG(nic, R_QPRC(3)), 0);

	n82599_read(nic, R_CRCERRS);
	assert_int_equal(N82599_REG(nic, R_QPRC(3)), 10);
	assert_int_equal(N82599_REG(nic, R_QBRC_L(3)), 0x600);
	assert_int_equal(N82599_REG(nic, R_QBRC_H(3)), 5);
	assert_int_equal(N82599_REG(nic, R_QPRDC(3)), 2);
	assert_int_equal(N82599_REG(nic, R_QPRC(0)), 2);
	assert_int_equal(N82599_REG(nic, R_QPTC(9)), 7);
	assert_int_equal(n82599_read(nic, R_QBTC_L(9)), 7);
	assert_int_equal(n82599_read(nic, R_QBTC_H(9)), 1);

	nic->rxq[5].frames += 4; /* meanwhile */
	n82599_read(nic, R_MLFC);
	assert_int_equal(N82599_REG(nic, R_QPRC(3)), 0);
	assert_int_equal(N82599_REG(nic, R_QBRC_H(3)), 0);
	assert_int_equal(N82599_REG(nic, R_QPRDC(3)), 0);
	assert_int_equal(N82599_REG(nic, R_QPTC(9)), 0);
	n82599_read(nic, R_CRCERRS);
	assert_int_equal(N82599_REG(nic, R_QPRC(3)), 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counters_clear_when_read, begin, end),
		cmocka_unit_test_setup_teardown(counters_stick, begin, end),
		cmocka_unit_test_setup_teardown(octets_carry, begin, end),
		cmocka_unit_test_setup_teardown(queue_counters_show_between_crcerrs_and_mlfc, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/cmocka.h"
#include "support/rig_82599.h"

static struct rig r;
static uint8_t frame[RIG_FRAME];

static int
setup(void **state)
{
	(void)state;
	rig_open(&r);
	rig_rx_start(&r, 0, 64, 2);
	n82599_write(&r.nic, R_FCTRL, 0);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_close(&r);
	return 0;
}

#define MAC(...) ((const uint8_t[6]){ __VA_ARGS__ })
static const uint8_t broadcast[6] = { 255, 255, 255, 255, 255, 255 };

/* Whether a frame of len bytes comes through. */
static bool
passes(const uint8_t mac[6], uint16_t tag, uint32_t len)
{
	struct rig_packet p = { .len = len, .tag = tag, .src = 1, .dst = 2 };
	uint64_t frames = r.port.stats.rx_frames;

	memcpy(p.mac, mac, 6);
	rig_packet(frame, &p);
	assert_int_equal(rig_receive(&r, frame, len, 0, false), 1);
	rig_check_sums(&r, N82599_REG(&r.nic, R_TPR));
	return r.port.stats.rx_frames > frames;
}

static bool
mac_passes(const uint8_t mac[6])
{
	return passes(mac, 0, 60);
}

static void
set_rar(unsigned int i, const uint8_t mac[6])
{
	n82599_write(&r.nic, i < 16 ? R_RAL_OLD(i) : R_RAL(i), load32(mac));
	n82599_write(&r.nic, i < 16 ? R_RAL_OLD(i) + 4 : R_RAH(i), RAH_AV | load16(mac + 4));
}

static void
exact_addresses_pass(void **state)
{
	(void)state;
	assert_true(mac_passes(r.port.mac));
	assert_false(mac_passes(MAC(2, 0, 0, 0, 0, 7)));
	assert_int_equal(r.port.stats.rx_filtered, 1);
	assert_int_equal(N82599_REG(&r.nic, R_GPRC), 1);
	for (unsigned int i = 1; i < RARS; i += 14)
		set_rar(i, MAC(2, 0, 0, 0, 1, (uint8_t)i));
	for (unsigned int i = 1; i < RARS; i += 14)
		assert_true(mac_passes(MAC(2, 0, 0, 0, 1, (uint8_t)i)));
	set_rar(16, MAC(2, 0, 0, 0, 1, 16)); /* the first that is at one place only */
	assert_true(mac_passes(MAC(2, 0, 0, 0, 1, 16)));
	assert_false(mac_passes(MAC(2, 0, 0, 0, 1, 2)));
	assert_true(mac_passes(r.port.mac));
	set_rar(3, MAC(1, 0, 0x5e, 0, 0, 5)); /* a group address as an exact one */
	assert_true(mac_passes(MAC(1, 0, 0x5e, 0, 0, 5)));
}

static void
no_address_passes_none(void **state)
{
	(void)state;
	n82599_write(&r.nic, R_RAH(0), 0);
	assert_false(mac_passes(r.port.mac));
	assert_false(mac_passes(MAC(0, 0, 0, 0, 0, 1)));
	assert_false(mac_passes(broadcast));
}

static void
broadcast_passes_by_bam_or_mpe(void **state)
{
	(void)state;
	assert_false(mac_passes(broadcast));
	n82599_write(&r.nic, R_FCTRL, FCTRL_UPE);
	assert_false(mac_passes(broadcast));
	n82599_write(&r.nic, R_FCTRL, FCTRL_BAM);
	assert_true(mac_passes(broadcast));
	assert_int_equal(rig_rxd(&r, 0, 0).status,
			 RXD_DD | RXD_EOP | RXD_IPCS | RXD_L4I | RXD_UDPCS | RXD_PIF);
	n82599_write(&r.nic, R_FCTRL, FCTRL_MPE);
	assert_true(mac_passes(broadcast));
	assert_int_equal(N82599_REG(&r.nic, R_BPRC), 2);
	assert_int_equal(N82599_REG(&r.nic, R_MPRC), 0);
}

static void
promiscuous_modes(void **state)
{
	const uint8_t *group = MAC(1, 0, 0x5e, 1, 2, 3), *other = MAC(2, 9, 9, 9, 9, 9);

	(void)state;
	n82599_write(&r.nic, R_FCTRL, FCTRL_UPE);
	assert_true(mac_passes(other));
	assert_false(rig_rxd(&r, 0, 0).status & RXD_PIF);
	assert_false(mac_passes(group));
	n82599_write(&r.nic, R_FCTRL, FCTRL_MPE);
	assert_false(mac_passes(other));
	assert_true(mac_passes(group));
	assert_int_equal(N82599_REG(&r.nic, R_MPRC), 1);
}

/* The vector of a group address by MO, as ixgbe's mta_vector() does it. */
static uint32_t
vector(const uint8_t mac[6], unsigned int mo)
{
	static const unsigned int low[4] = { 4, 3, 2, 0 }, high[4] = { 4, 5, 6, 8 };

	return (mac[4] >> low[mo] | (uint32_t)mac[5] << high[mo]) & 0xfffu;
}

static void
the_multicast_table_is_hashed_by_mo(void **state)
{
	const uint8_t *group = MAC(1, 0, 0x5e, 0x12, 0xab, 0xcd),
		      *near = MAC(1, 0, 0x5e, 0x12, 0xa5, 0xcd);

	(void)state;
	for (unsigned int mo = 0; mo < 4; mo++) {
		uint32_t bit = vector(group, mo);

		n82599_write(&r.nic, R_MTA(bit >> 5), 1u << (bit & 31));
		n82599_write(&r.nic, R_MCSTCTRL, mo);
		assert_false(mac_passes(group)); /* MFE is off */
		n82599_write(&r.nic, R_MCSTCTRL, MCSTCTRL_MFE | mo);
		assert_true(mac_passes(group));
		assert_int_equal(mac_passes(near), vector(near, mo) == bit);
		n82599_write(&r.nic, R_MTA(bit >> 5), 0);
		assert_false(mac_passes(group));
	}
}

static void
the_vlan_table_filters_tags(void **state)
{
	(void)state;
	assert_true(passes(r.port.mac, 100, 64));
	n82599_write(&r.nic, R_VLNCTRL, TYPE_VLAN | VLNCTRL_VFE);
	assert_false(passes(r.port.mac, 100, 64));
	assert_true(passes(r.port.mac, 0, 60));
	n82599_write(&r.nic, R_VFTA(3), 1u << 4);
	assert_true(passes(r.port.mac, 100, 64));
	assert_true(passes(r.port.mac, 0x6064, 64)); /* priority does not matter */
	assert_false(passes(r.port.mac, 101, 64));
	n82599_write(&r.nic, R_FCTRL, FCTRL_UPE);
	assert_false(passes(r.port.mac, 101, 64)); /* nor is VFE off when promiscuous */
	n82599_write(&r.nic, R_VLNCTRL, 0x88a8 | VLNCTRL_VFE);
	assert_true(passes(r.port.mac, 101, 64)); /* not a tag of this type */
}

static void
tags_are_stripped_by_queue(void **state)
{
	struct rig_rxd d;

	(void)state;
	assert_true(passes(r.port.mac, 0x2123, 100));
	assert_int_equal(rig_rxd(&r, 0, 0).len, 100);
	assert_int_equal(rig_rxd(&r, 0, 0).status & RXD_VP, 0);
	N82599_REG(&r.nic, R_RXDCTL(0)) |= RXDCTL_VME;
	assert_true(passes(r.port.mac, 0x2123, 100));
	d = rig_rxd(&r, 0, 1);
	assert_int_equal(d.len, 96);
	assert_int_equal(d.vlan, 0x2123);
	assert_true(d.status & RXD_VP);
	assert_true(d.status & RXD_IPCS);
	assert_memory_equal(r.rx[0].buf[1], frame, 12);
	assert_memory_equal(r.rx[0].buf[1] + 12, frame + 16, 84);
	assert_int_equal(r.rx[0].buf[1][96], RIG_FILL);
	assert_true(passes(r.port.mac, 0, 60));
	assert_int_equal(rig_rxd(&r, 0, 2).len, 60);
	assert_int_equal(rig_rxd(&r, 0, 2).status & RXD_VP, 0);
}

static void
stripped_frames_are_scattered(void **state)
{
	(void)state;
	n82599_write(&r.nic, R_HLREG0, HLREG0_JUMBOEN | HLREG0_RXCRCSTRP);
	n82599_write(&r.nic, R_MAXFRS, 9728u << MAXFRS_SHIFT);
	N82599_REG(&r.nic, R_RXDCTL(0)) |= RXDCTL_VME;
	for (uint32_t len = 2048; len < 2060; len++) {
		uint32_t at = r.nic.rxq[0].head, rest = len - 4 > 2048 ? len - 4 - 2048 : 0;

		assert_true(passes(r.port.mac, 7, len));
		assert_memory_equal(r.rx[0].buf[at], frame, 12);
		assert_memory_equal(r.rx[0].buf[at] + 12, frame + 16, len - 16 - rest);
		assert_int_equal(rig_rxd(&r, 0, at).len, len - 4 - rest);
		if (rest == 0)
			continue;
		assert_memory_equal(r.rx[0].buf[at + 1], frame + len - rest, rest);
		assert_int_equal(rig_rxd(&r, 0, at + 1).len, rest);
		assert_int_equal(rig_rxd(&r, 0, at + 1).vlan, 7);
	}
}

static void
lengths_have_limits(void **state)
{
	(void)state;
	assert_true(passes(r.port.mac, 0, 1514));
	assert_false(passes(r.port.mac, 0, 1515));
	assert_true(passes(r.port.mac, 5, 1518)); /* a tag comes on top */
	assert_false(passes(r.port.mac, 5, 1519));
	assert_int_equal(N82599_REG(&r.nic, R_ROC), 2);
	n82599_write(&r.nic, R_MAXFRS, 3000u << MAXFRS_SHIFT);
	assert_false(passes(r.port.mac, 0, 1515)); /* JUMBOEN is off */
	n82599_write(&r.nic, R_HLREG0, HLREG0_JUMBOEN | HLREG0_RXCRCSTRP);
	assert_true(passes(r.port.mac, 0, 2996));
	assert_false(passes(r.port.mac, 0, 2997));
	assert_true(passes(r.port.mac, 5, 3000));
	assert_false(passes(r.port.mac, 5, 3001));
	assert_false(passes(r.port.mac, 0, 59));
	assert_int_equal(N82599_REG(&r.nic, R_RUC), 1);
	assert_int_equal(r.port.stats.rx_bad, 6);
	n82599_write(&r.nic, R_MAXFRS, 15000u << MAXFRS_SHIFT);
	assert_true(passes(r.port.mac, 0, SOFT_FRAME_MAX));
	assert_false(passes(r.port.mac, 0, SOFT_FRAME_MAX + 1));
	frame[0] = 0;
	assert_int_equal(rig_receive(&r, frame, 1, 0, false), 1);
	assert_int_equal(N82599_REG(&r.nic, R_RUC), 2);
}

static void
damaged_frames_are_counted_by_kind(void **state)
{
	(void)state;
	assert_true(passes(r.port.mac, 0, 60));
	assert_int_equal(rig_receive(&r, frame, 60, SOFT_BAD_FCS, false), 1);
	assert_int_equal(N82599_REG(&r.nic, R_CRCERRS), 1);
	assert_int_equal(rig_receive(&r, frame, 59, SOFT_BAD_FCS, false), 1);
	assert_int_equal(N82599_REG(&r.nic, R_RFC), 1);
	assert_int_equal(rig_receive(&r, frame, 2000, SOFT_BAD_FCS, false), 1);
	assert_int_equal(N82599_REG(&r.nic, R_RJC), 1);
	assert_int_equal(r.port.stats.rx_bad, 3);
	n82599_write(&r.nic, R_FCTRL, FCTRL_SBP);
	assert_int_equal(rig_receive(&r, frame, 60, SOFT_BAD_FCS, false), 1);
	assert_int_equal(rig_rxd(&r, 0, 1).status, rig_rxd(&r, 0, 0).status | RXD_RXE);
	assert_int_equal(r.port.stats.rx_frames, 2);
	rig_check_sums(&r, 5);
}

static void
the_fcs_can_be_kept(void **state)
{
	/* A frame of 60 zeros but for the addresses, its FCS computed elsewhere (zlib). */
	static const uint8_t fcs[4] = { 0x47, 0x21, 0xc7, 0x68 };

	(void)state;
	memset(frame, 0, sizeof(frame));
	memcpy(frame, r.port.mac, 6);
	n82599_write(&r.nic, R_HLREG0, 0);
	n82599_write(&r.nic, R_RDRXCTL, 0);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(rig_rxd(&r, 0, 0).len, 64);
	assert_memory_equal(r.rx[0].buf[0], frame, 60);
	assert_memory_equal(r.rx[0].buf[0] + 60, fcs, 4);
	assert_int_equal(r.rx[0].buf[0][64], RIG_FILL);
	assert_int_equal(r.port.stats.rx_bytes, 60);
	assert_int_equal(r.nic.rxq[0].bytes, 64);
	n82599_write(&r.nic, R_RDRXCTL, RDRXCTL_CRCSTRIP); /* one switch is enough to keep it */
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(rig_rxd(&r, 0, 1).len, 64);
	n82599_write(&r.nic, R_HLREG0, HLREG0_RXCRCSTRP);
	assert_int_equal(rig_receive(&r, frame, 60, 0, false), 1);
	assert_int_equal(rig_rxd(&r, 0, 2).len, 60);
}

/* The FCS itself may lie over the end of a buffer. */
static void
a_kept_fcs_is_scattered(void **state)
{
	(void)state;
	n82599_write(&r.nic, R_HLREG0, HLREG0_JUMBOEN);
	n82599_write(&r.nic, R_RDRXCTL, 0);
	n82599_write(&r.nic, R_MAXFRS, 9728u << MAXFRS_SHIFT);
	for (uint32_t len = 2043; len < 2050; len++) {
		uint32_t at = r.nic.rxq[0].head, first = len + 4 < 2048 ? len + 4 : 2048, fcs;
		uint8_t got[2060];

		assert_true(passes(r.port.mac, 0, len));
		fcs = n82599_fcs(frame, len);
		memcpy(frame + len, &fcs, 4);
		memcpy(got, r.rx[0].buf[at], first);
		memcpy(got + first, r.rx[0].buf[at + 1], len + 4 - first);
		assert_memory_equal(got, frame, len + 4);
		assert_int_equal(rig_rxd(&r, 0, at).len, first);
	}
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(exact_addresses_pass),
		T(no_address_passes_none),
		T(broadcast_passes_by_bam_or_mpe),
		T(promiscuous_modes),
		T(the_multicast_table_is_hashed_by_mo),
		T(the_vlan_table_filters_tags),
		T(tags_are_stripped_by_queue),
		T(stripped_frames_are_scattered),
		T(lengths_have_limits),
		T(damaged_frames_are_counted_by_kind),
		T(the_fcs_can_be_kept),
		T(a_kept_fcs_is_scattered),
	};

	return cmocka_run_group_tests_name("82599 filter", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/nic_priv.h"
#include "support/cmocka.h"

#include <stdio.h>

/* The families as data: no EAL, devices made up from what the PMDs report. */
#define HASHES (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_NONFRAG_IPV4_UDP)

static struct nic_device
device(const char *driver)
{
	const struct nic_profile *profile = nic_profile_of(driver);
	struct nic_device dev = {
		.profile = profile,
		.simd_bits = 256,
		.info = {
			.min_mtu = 68,
			.max_mtu = 9710,
			.min_rx_bufsize = 1024,
			.rx_desc_lim = { .nb_max = 4096, .nb_min = 32, .nb_align = 8 },
			.tx_desc_lim = { .nb_max = 4096, .nb_min = 32, .nb_align = 8 },
			.rx_offload_capa = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM |
					   RTE_ETH_RX_OFFLOAD_SCATTER |
					   RTE_ETH_RX_OFFLOAD_RSS_HASH,
			.tx_offload_capa = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM |
					   RTE_ETH_TX_OFFLOAD_MULTI_SEGS |
					   RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE,
			.flow_type_rss_offloads = HASHES | RTE_ETH_RSS_IPV6,
		},
		.caps = { .max_rxq = 16, .max_txq = 64, .mtu = 1500, .max_mtu = 9710 },
	};

	snprintf(dev.caps.driver, sizeof(dev.caps.driver), "%s", driver);
	return dev;
}

static struct nic_config
config(void)
{
	return (struct nic_config){
		.nb_rxq = 2,
		.nb_txq = 2,
		.rxd = 1024,
		.txd = 512,
		.rx_free = NIC_DEFAULT,
		.tx_free = NIC_DEFAULT,
		.tx_rs = NIC_DEFAULT,
		.mbuf_size = 2048 + RTE_PKTMBUF_HEADROOM,
	};
}

static void
each_driver_has_its_family(void **state)
{
	static const char *const rows[][2] = {
		{ "net_ixgbe", "ixgbe" },    { "net_ixgbe_vf", "ixgbe" },
		{ "mlx5_pci", "mlx5" },      { "mlx5_auxiliary", "mlx5" },
		{ "net_i40e", "generic" },   { "net_pcap", "generic" },
		{ "net_ixgbe2", "generic" }, { "", "generic" },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++)
		assert_string_equal(nic_profile_of(rows[i][0])->family, rows[i][1]);
	assert_string_equal(nic_profile_of(NULL)->family, "generic");
	assert_true(nic_profile_has(nic_profile_generic.paired, "net_tap"));
	assert_true(nic_profile_has(nic_profile_generic.paired, "net_ring"));
	assert_false(nic_profile_has(nic_profile_generic.paired, "net_pcap"));
	assert_false(nic_profile_has(nic_profile_ixgbe.paired, "net_ixgbe"));
}

/* A family's own numbers must be on its own fast path. */
static void
defaults_are_the_fast_path(void **state)
{
	static const char *const drivers[] = { "net_ixgbe", "net_ixgbe_vf", "mlx5_pci",
					       "net_pcap" };

	(void)state;
	for (size_t i = 0; i < RTE_DIM(drivers); i++) {
		struct nic_device dev = device(drivers[i]);
		struct nic_config cfg = config();
		struct nic_setup s;
		struct err err = { "" };

		cfg.rxd = dev.profile->rxd;
		cfg.txd = dev.profile->txd;
		if (nic_setup_make(&s, &dev, &cfg, &err) != 0)
			fail_msg("%s: %s", drivers[i], err.text);
		assert_null(nic_profile_broken(dev.profile->rx_rules, &s));
		assert_null(nic_profile_broken(dev.profile->tx_rules, &s));
		assert_true(rte_is_power_of_2(dev.profile->rxd));
		assert_true(rte_is_power_of_2(dev.profile->txd));
		assert_int_equal(dev.profile->burst % dev.profile->rx_quantum, 0);
	}
}

static void
ixgbe_asks_for_what_is_free(void **state)
{
	struct nic_device dev = device("net_ixgbe");
	struct nic_config cfg = config();
	struct nic_setup s;

	(void)state;
	cfg.fast_free = true; /* not wanted there: any TX offload costs the vector path */
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.rx_offloads,
			 RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_RSS_HASH);
	assert_int_equal(s.tx_offloads, 0);
	assert_int_equal(s.rss_hf, HASHES);
	assert_int_equal(s.missing, 1u << NIC_NO_FAST_FREE);
	assert_true(s.drop_en);
	assert_false(s.spans);

	cfg.nb_rxq = 1; /* the packet buffer may hold a burst, and there is nothing to spread */
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.rx_offloads, RTE_ETH_RX_OFFLOAD_IPV4_CKSUM);
	assert_int_equal(s.rss_hf, 0);
	assert_false(s.drop_en);
}

static void
long_frames_take_scatter(void **state)
{
	struct nic_device dev = device("net_ixgbe");
	struct nic_config cfg = config();
	struct nic_setup s;

	(void)state;
	cfg.mtu = 2022; /* and 26 bytes around it: 2048 exactly */
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_false(s.spans);
	cfg.mtu = 2023;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_true(s.spans);
	assert_true((s.rx_offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0);
	assert_int_equal(s.tx_offloads, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	cfg.mtu = 1500; /* the register counts kilobytes: 2047 bytes are 1024 */
	cfg.mbuf_size--;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_true(s.spans);

	dev = device("mlx5_pci"); /* and fast free goes where frames may span */
	cfg = config();
	cfg.txd = 1024;
	cfg.fast_free = true;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.tx_offloads, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
	cfg.mtu = 9000;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.tx_offloads, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	assert_int_equal(s.missing, 1u << NIC_NO_FAST_FREE);
}

static void
what_is_absent_is_not_asked_for(void **state)
{
	struct nic_device dev = device("net_pcap");
	struct nic_config cfg = config();
	struct nic_setup s;

	(void)state;
	dev.info.rx_offload_capa = dev.info.tx_offload_capa = 0;
	dev.info.flow_type_rss_offloads = RTE_ETH_RSS_IPV4;
	cfg.fast_free = true;
	cfg.mtu = 9000;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.rx_offloads, 0);
	assert_int_equal(s.tx_offloads, 0);
	assert_int_equal(s.rss_hf, RTE_ETH_RSS_IPV4);
	assert_int_equal(s.missing, 1u << NIC_NO_RX_CKSUM | 1u << NIC_NO_RSS_PORTS |
					    1u << NIC_NO_RSS_HASH | 1u << NIC_NO_SCATTER |
					    1u << NIC_NO_MULTI_SEGS | 1u << NIC_NO_FAST_FREE);
	dev.info.rx_offload_capa = RTE_ETH_RX_OFFLOAD_RSS_HASH;
	dev.info.flow_type_rss_offloads = 0;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.rx_offloads, 0); /* ethdev refuses the hash without RSS */
	assert_true((s.missing & 1u << NIC_NO_RSS) != 0);
	dev = device("net_tap"); /* has it, at the price of summing payloads */
	cfg.nb_rxq = cfg.nb_txq = 1;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.rx_offloads & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM, 0);
	assert_int_equal(s.missing & 1u << NIC_NO_RX_CKSUM, 0);
	for (uint32_t i = 0; i < NIC_MISSING_MAX; i++)
		assert_non_null(nic_missing_text(i));
}

/* One value of a good configuration is spoilt; 0 and NULL say "as it was". */
static const struct refusal {
	const char *driver;
	uint16_t nb_rxq, nb_txq, rxd, txd;
	int32_t rx_free, tx_free, tx_rs;
	uint16_t mtu;
	uint32_t mbuf_size;
	const char *says;
} refusals[] = {
	{ .driver = "net_ixgbe", .rxd = 8192, .says = "--rxd 8192 is above this NIC's 4096" },
	{ .driver = "net_ixgbe", .rxd = 16, .says = "--rxd 16 is below this NIC's 32" },
	{ .driver = "net_ixgbe",
	  .rxd = 1001,
	  .says = "--rxd 1001 is not a multiple of this NIC's 8" },
	{ .driver = "net_ixgbe", .txd = 8192, .says = "--txd 8192 is above this NIC's 4096" },
	{ .driver = "net_ixgbe",
	  .nb_rxq = 17,
	  .says = "number of RX queues 17 is above this NIC's 16" },
	{ .driver = "net_ixgbe",
	  .nb_txq = 65,
	  .says = "number of TX queues 65 is above this NIC's 64" },
	{ .driver = "net_ixgbe", .rx_free = 1024, .says = "--rxfreet 1024 is not within 1..1023" },
	{ .driver = "net_ixgbe", .rx_free = -7, .says = "--rxfreet -7" },
	{ .driver = "net_ixgbe", .tx_rs = 64, .says = "--txrst 64 is above this NIC's 32" },
	{ .driver = "net_ixgbe",
	  .tx_rs = 32,
	  .tx_free = 16,
	  .says = "--txrst 32 is above --txfreet 16" },
	{ .driver = "net_ixgbe", .tx_rs = 24, .says = "--txrst 24 does not divide --txd 512" },
	{ .driver = "net_ixgbe",
	  .tx_free = 509,
	  .tx_rs = 1,
	  .says = "--txfreet 509 is above this NIC's 508" },
	{ .driver = "net_ixgbe",
	  .tx_free = 500,
	  .tx_rs = 32,
	  .says = "together are above --txd 512" },
	{ .driver = "net_ixgbe_vf", .nb_rxq = 3, .says = "3 RX queues: a virtual function takes" },
	{ .driver = "net_ixgbe", .mtu = 9711, .says = "MTU 9711 is above this NIC's 9710" },
	{ .driver = "net_ixgbe", .mtu = 67, .says = "MTU 67 is below this NIC's 68" },
	{ .driver = "net_ixgbe",
	  .mbuf_size = 1151,
	  .says = "--mbuf-size 1151 is below this NIC's 1152" },
	{ .driver = "mlx5_pci", .rxd = 1000, .says = "--rxd 1000 is not a power of two" },
	{ .driver = "mlx5_pci", .txd = 520, .says = "--txd 520 is not a power of two" },
	{ .driver = "mlx5_pci", .txd = 32, .says = "--txd 32 is below this NIC's 64" },
	{ .driver = "net_tap", .nb_rxq = 1, .says = "1 RX and 2 TX queues: net_tap needs" },
};

static void
each_refusal_names_the_limit(void **state)
{
	(void)state;
	for (size_t i = 0; i < RTE_DIM(refusals); i++) {
		const struct refusal *r = &refusals[i];
		struct nic_device dev = device(r->driver);
		struct nic_config cfg = config();
		struct nic_setup s = { .rxd = 77 };
		struct err err = { "" };
		int ret;

		cfg.nb_rxq = r->nb_rxq ? r->nb_rxq : cfg.nb_rxq;
		cfg.nb_txq = r->nb_txq ? r->nb_txq : cfg.nb_txq;
		cfg.rxd = r->rxd ? r->rxd : cfg.rxd;
		cfg.txd = r->txd ? r->txd : cfg.txd;
		cfg.rx_free = r->rx_free ? r->rx_free : NIC_DEFAULT;
		cfg.tx_free = r->tx_free ? r->tx_free : NIC_DEFAULT;
		cfg.tx_rs = r->tx_rs ? r->tx_rs : NIC_DEFAULT;
		cfg.mtu = r->mtu;
		cfg.mbuf_size = r->mbuf_size ? r->mbuf_size : cfg.mbuf_size;
		ret = nic_setup_make(&s, &dev, &cfg, &err);
		if (ret != -EINVAL || strstr(err.text, r->says) == NULL)
			fail_msg("\"%s\": %d \"%s\"", r->says, ret, err.text);
		assert_int_equal(s.rxd, 77); /* untouched */
	}
}

/* An explicit 0 would be the PMD's own default in disguise. */
static void
zero_thresholds_are_refused(void **state)
{
	struct nic_device dev = device("net_ixgbe");
	struct nic_config cfg = config();
	struct nic_setup s;
	struct err err;

	(void)state;
	cfg.tx_rs = 0;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--txrst 0"));
	cfg = config();
	cfg.nb_rxq = cfg.nb_txq = 0;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, &err), -EINVAL);
}

/* What the user leaves open follows the rings he asked for, for every ring the device takes. */
static void
open_thresholds_fit_any_ring(void **state)
{
	struct nic_device dev = device("net_ixgbe");

	(void)state;
	for (uint16_t n = 32; n <= 4096; n = (uint16_t)(n + 8)) {
		struct nic_config cfg = config();
		struct nic_setup s;
		struct err err = { "" };

		cfg.rxd = cfg.txd = n;
		if (nic_setup_make(&s, &dev, &cfg, &err) != 0)
			fail_msg("ring of %u: %s", n, err.text);
		assert_true(s.rx_free >= 1 && s.rx_free < n);
		if (n >= 64 && n % 32 == 0)
			assert_int_equal(s.tx_rs, 32);
		cfg.tx_rs = 1; /* one open, one given */
		assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
		assert_int_equal(s.tx_rs, 1);
	}
}

static void
the_open_threshold_gives_way(void **state)
{
	struct nic_device dev = device("net_ixgbe");
	struct nic_config cfg = config();
	struct nic_setup s;

	(void)state;
	cfg.txd = 1024;
	cfg.tx_free = 1000;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.tx_rs, 16); /* together within the ring */
	cfg.tx_free = 8;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.tx_rs, 8); /* not above --txfreet */
	cfg = config();
	cfg.txd = 48;
	cfg.tx_rs = 24;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.tx_free, 24);
}

static void
generic_leaves_thresholds_to_the_driver(void **state)
{
	struct nic_device dev = device("net_i40e");
	struct nic_config cfg = config();
	struct nic_setup s;

	(void)state;
	dev.info.default_rxconf.rx_free_thresh = 48;
	dev.info.default_txconf.tx_free_thresh = 40;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.rx_free, 48);
	assert_int_equal(s.tx_free, 40);
	assert_int_equal(s.tx_rs, 0);
	assert_false(s.drop_en);
	cfg.rxd = 32;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.rx_free, 24);
}

/* "": the fast path.  A NULL mode: the driver does not say. */
static const struct verdict {
	const char *driver, *devargs, *rx, *tx;
	uint16_t rxd, txd, mtu, simd_bits;
	int32_t rx_free, tx_rs;
	const char *want_rx, *want_tx, *why;
} verdicts[] = {
	{ .driver = "net_ixgbe",
	  .want_rx = "vector (by set-up)",
	  .want_tx = "vector (by set-up)",
	  .why = "" },
	{ .driver = "net_ixgbe",
	  .rxd = 1000,
	  .want_rx = "scalar (by set-up)", /* nor does 32 divide it */
	  .want_tx = "vector (by set-up)",
	  .why = "RX: --rxd is not a power of two" },
	{ .driver = "net_ixgbe",
	  .rxd = 1000,
	  .rx_free = 40,
	  .want_rx = "scalar bulk (by set-up)",
	  .want_tx = "vector (by set-up)",
	  .why = "RX: --rxd is not a power of two" },
	{ .driver = "net_ixgbe",
	  .rx_free = 16,
	  .want_rx = "scalar (by set-up)",
	  .want_tx = "vector (by set-up)",
	  .why = "RX: --rxfreet is below 32" },
	{ .driver = "net_ixgbe",
	  .rx_free = 48,
	  .want_rx = "scalar (by set-up)",
	  .want_tx = "vector (by set-up)",
	  .why = "RX: --rxfreet does not divide --rxd" },
	{ .driver = "net_ixgbe",
	  .tx_rs = 16,
	  .want_rx = "vector (by set-up)",
	  .want_tx = "scalar full-featured (by set-up)",
	  .why = "TX: --txrst is outside 32..64" },
	{ .driver = "net_ixgbe",
	  .txd = 32,
	  .want_rx = "vector (by set-up)",
	  .want_tx = "scalar full-featured (by set-up)",
	  .why = "TX: --txd is below 64 or not a multiple of 32" },
	{ .driver = "net_ixgbe",
	  .txd = 200,
	  .want_rx = "vector (by set-up)",
	  .want_tx = "scalar full-featured (by set-up)",
	  .why = "TX: --txd is below 64 or not a multiple of 32" },
	{ .driver = "net_ixgbe",
	  .mtu = 9000,
	  .want_rx = "vector scattered (by set-up)",
	  .want_tx = "scalar full-featured (by set-up)",
	  .why = "TX: a transmit offload is on: frames span buffers (raise --mbuf-size or lower "
		 "the MTU)" },
	{ .driver = "net_ixgbe",
	  .mtu = 9000,
	  .rxd = 1000,
	  .want_rx = "scalar scattered (by set-up)",
	  .want_tx = "scalar full-featured (by set-up)",
	  .why = "RX: --rxd is not a power of two; TX: a transmit offload is on: frames span "
		 "buffers (raise --mbuf-size or lower the MTU)" },
	{ .driver = "net_ixgbe",
	  .mtu = 9000,
	  .rxd = 1000,
	  .rx_free = 40,
	  .want_rx = "scalar bulk scattered (by set-up)",
	  .want_tx = "scalar full-featured (by set-up)",
	  .why = "RX: --rxd is not a power of two; TX: a transmit offload is on: frames span "
		 "buffers (raise --mbuf-size or lower the MTU)" },
	{ .driver = "net_ixgbe",
	  .simd_bits = 64,
	  .want_rx = "scalar bulk (by set-up)",
	  .want_tx = "scalar simple (by set-up)",
	  .why = "RX: vectors are narrower than 128 bits (--force-max-simd-bitwidth); "
		 "TX: vectors are narrower than 128 bits (--force-max-simd-bitwidth)" },
	{ .driver = "net_ixgbe",
	  .rx = "Vector SSE",
	  .tx = "Vector",
	  .rxd = 1000,
	  .want_rx = "Vector SSE",
	  .want_tx = "Vector",
	  .why = "" }, /* its word counts */
	{ .driver = "mlx5_pci",
	  .rx = "Vector SSE",
	  .tx = "Enhanced MPW + INLINE",
	  .want_rx = "Vector SSE",
	  .want_tx = "Enhanced MPW + INLINE",
	  .why = "" },
	{ .driver = "mlx5_pci",
	  .rx = "MPRQ Vector SSE",
	  .tx = "Enhanced MPW + Fast Free",
	  .want_rx = "MPRQ Vector SSE",
	  .want_tx = "Enhanced MPW + Fast Free",
	  .why = "" },
	{ .driver = "mlx5_pci",
	  .rx = "Scalar",
	  .tx = "Enhanced MPW + MULTI",
	  .mtu = 9000,
	  .want_rx = "Scalar",
	  .want_tx = "Enhanced MPW + MULTI",
	  .why = "RX: a frame may be longer than a buffer (raise --mbuf-size or lower the MTU); "
		 "TX: frames may span buffers (raise --mbuf-size or lower the MTU)" },
	{ .driver = "mlx5_pci",
	  .rx = "Scalar",
	  .tx = "Enhanced MPW",
	  .want_rx = "Scalar",
	  .want_tx = "Enhanced MPW",
	  .why = "RX: the driver does not say why (--log-level=pmd.net.mlx5:debug tells)" },
	{ .driver = "mlx5_pci",
	  .devargs = "mprq_en=1,rx_vec_en=0x0",
	  .rx = "Multi-Packet RQ",
	  .tx = "Enhanced MPW",
	  .want_rx = "Multi-Packet RQ",
	  .want_tx = "Enhanced MPW",
	  .why = "RX: the device argument rx_vec_en=0" },
	{ .driver = "mlx5_pci",
	  .devargs = "txq_mpw_en=0",
	  .rx = "Vector SSE",
	  .tx = "No MPW",
	  .want_rx = "Vector SSE",
	  .want_tx = "No MPW",
	  .why = "TX: the device argument txq_mpw_en=0" },
	{ .driver = "mlx5_pci",
	  .devargs = "xrx_vec_en=0,rx_vec_en=1,rx_vec=0",
	  .rx = "Scalar",
	  .tx = "No MPW",
	  .want_rx = "Scalar",
	  .want_tx = "No MPW",
	  .why = "RX: the driver does not say why (--log-level=pmd.net.mlx5:debug tells); "
		 "TX: the driver does not say why (--log-level=pmd.net.mlx5:debug tells)" },
	{ .driver = "mlx5_pci", .want_rx = "unknown", .want_tx = "unknown", .why = "" },
	{ .driver = "net_pcap", .want_rx = "unknown", .want_tx = "unknown", .why = "" },
	{ .driver = "net_i40e",
	  .rx = "Scalar",
	  .tx = "Vector AVX2",
	  .want_rx = "Scalar",
	  .want_tx = "Vector AVX2",
	  .why = "" },
};

static void
each_mode_comes_with_its_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < RTE_DIM(verdicts); i++) {
		const struct verdict *v = &verdicts[i];
		struct nic_device dev = device(v->driver);
		struct nic_config cfg = config();
		struct nic_modes modes;
		struct nic_setup s;
		struct err err = { "" };

		cfg.rxd = v->rxd ? v->rxd : cfg.rxd;
		cfg.txd = v->txd ? v->txd : cfg.txd;
		cfg.rx_free = v->rx_free ? v->rx_free : NIC_DEFAULT;
		cfg.tx_rs = v->tx_rs ? v->tx_rs : NIC_DEFAULT;
		cfg.mtu = v->mtu;
		dev.devargs = v->devargs;
		dev.simd_bits = v->simd_bits ? v->simd_bits : dev.simd_bits;
		if (nic_setup_make(&s, &dev, &cfg, &err) != 0)
			fail_msg("row %zu: %s", i, err.text);
		nic_modes_judge(&modes, dev.profile, &s, v->rx, v->tx);
		assert_string_equal(modes.rx, v->want_rx);
		assert_string_equal(modes.tx, v->want_tx);
		assert_string_equal(modes.why, v->why);
	}
}

static void
a_port_that_only_sends_has_no_rx_mode(void **state)
{
	struct nic_device dev = device("net_ixgbe");
	struct nic_config cfg = config();
	struct nic_modes modes;
	struct nic_setup s;

	(void)state;
	cfg.nb_rxq = 0;
	cfg.rxd = 1000;
	assert_int_equal(nic_setup_make(&s, &dev, &cfg, NULL), 0);
	assert_int_equal(s.missing | s.rx_offloads | s.rss_hf, 0);
	nic_modes_judge(&modes, dev.profile, &s, NULL, NULL);
	assert_string_equal(modes.rx, "none");
	assert_string_equal(modes.tx, "vector (by set-up)");
	assert_string_equal(modes.why, "");
}

static void
counters_have_plain_words(void **state)
{
	const struct nic_profile *ixgbe = &nic_profile_ixgbe, *mlx5 = &nic_profile_mlx5;
	const struct nic_profile *generic = &nic_profile_generic;

	(void)state;
	assert_non_null(strstr(nic_profile_hint(ixgbe, "rx_missed_errors"), "packet buffer"));
	assert_non_null(strstr(nic_profile_hint(ixgbe, "rx_priority3_dropped"), "packet buffer"));
	assert_non_null(strstr(nic_profile_hint(ixgbe, "rx_q7_errors"), "full RX ring"));
	assert_non_null(strstr(nic_profile_hint(mlx5, "rx_out_of_buffer"), "too slow"));
	assert_non_null(strstr(nic_profile_hint(mlx5, "rx_prio5_buf_discard_packets"), "priority"));
	assert_non_null(strstr(nic_profile_hint(generic, "rx_missed_errors"), "RX descriptor"));
	/* what only ethdev counts has one meaning everywhere */
	assert_non_null(strstr(nic_profile_hint(ixgbe, "rx_mbuf_allocation_errors"), "pool"));
	assert_string_equal(nic_profile_hint(mlx5, "rx_good_packets"), "");
	assert_string_equal(nic_profile_hint(generic, "rx_out_of_buffer"), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_driver_has_its_family),
		cmocka_unit_test(defaults_are_the_fast_path),
		cmocka_unit_test(ixgbe_asks_for_what_is_free),
		cmocka_unit_test(long_frames_take_scatter),
		cmocka_unit_test(what_is_absent_is_not_asked_for),
		cmocka_unit_test(each_refusal_names_the_limit),
		cmocka_unit_test(zero_thresholds_are_refused),
		cmocka_unit_test(open_thresholds_fit_any_ring),
		cmocka_unit_test(the_open_threshold_gives_way),
		cmocka_unit_test(generic_leaves_thresholds_to_the_driver),
		cmocka_unit_test(each_mode_comes_with_its_reason),
		cmocka_unit_test(a_port_that_only_sends_has_no_rx_mode),
		cmocka_unit_test(counters_have_plain_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

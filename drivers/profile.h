/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROFILE_H
#define PROFILE_H

#include "drivers/nic.h"

/*
 * What a family of NICs is: numbers, what is asked of it, and in words what costs its fast path.
 * A family is one constant table in its own folder and one line in profiles.c.
 *
 * Private to drivers/.  Control thread; the tables are constant.
 */

/* What a PMD is asked for, decided to the last value; rules and checks read nothing else. */
struct nic_setup {
	const char *driver;
	uint16_t nb_rxq, nb_txq;
	uint16_t rxd, txd;
	uint16_t rx_free, tx_free, tx_rs; /* descriptors */
	uint16_t mtu;                     /* IPv4 bytes */
	uint32_t room;                    /* bytes of a frame that one buffer takes */
	bool spans;                       /* a frame of that MTU may need several buffers */
	bool drop_en;
	uint64_t rx_offloads, tx_offloads, rss_hf;
	uint16_t simd_bits; /* EAL's --force-max-simd-bitwidth, or what the CPU has */
	char devargs[256];  /* the device's, "key=value,...", as far as they fit */
	uint32_t missing;   /* bits of enum nic_missing: wanted, and not there */
};

/* Something the fast path needs.  text says what is the matter and which option brings it back. */
struct nic_rule {
	const char *text;
	bool (*broken)(const struct nic_setup *setup);
};

/* What an extended counter means.  pattern is a shell pattern, see fnmatch(3). */
struct nic_hint {
	const char *pattern, *text;
};

struct nic_profile {
	const char *family;
	const char *const *drivers;  /* names in rte_eth_dev_info.driver_name; NULL ends */
	const char *const *paired;   /* drivers that need as many RX as TX queues, or NULL */
	const char *const *emulated; /* drivers whose RX checksum offload is software, or NULL */

	uint16_t rxd, txd; /* powers of two */
	uint16_t burst, mbcache, rx_quantum;
	uint16_t rx_free, tx_free, tx_rs; /* 0: the driver's own default */
	uint16_t max_rxq, max_txq;        /* what is trusted of what the device claims */
	uint16_t room_align;              /* the device uses multiples of this of a buffer */
	bool drop_en;                     /* drop at an empty ring when there are more rings */

	/* RX and TX offloads asked for where the device has them; scatter comes by itself */
	uint64_t rx_wanted, tx_wanted;
	uint64_t rss_hf; /* hash functions, with more than one RX queue */

	/* A mode name has the first word, and not the second, on the fast path; NULL: no opinion */
	const char *rx_fast, *rx_slow, *tx_fast, *tx_slow;
	/* The function that this PMD takes for a set-up, when it does not tell; NULL: unknown then */
	const char *(*rx_by_setup)(const struct nic_setup *setup);
	const char *(*tx_by_setup)(const struct nic_setup *setup);
	const struct nic_rule *rx_rules, *tx_rules; /* .text NULL ends */
	const char *unsaid;                         /* why, when slow and no rule is broken */
	const char *ignored; /* thresholds that this driver does not look at, or NULL */

	const struct nic_hint *hints; /* .pattern NULL ends */
	/* Names of counters that imissed lacks, "%u" is 0..15; or NULL. */
	const char *missed_xstat;

	bool rx_may_die; /* after an error the fast path may stand still until a restart */

	/* Does a device whose counters jumped read as nothing but ones?  NULL: the PMD tells. */
	bool (*gone)(uint16_t port);

	/* Make thresholds the user did not give fit the rings he did give, or NULL. */
	void (*fit)(struct nic_setup *setup, const struct nic_config *cfg);
	/* Refuse what the PMD would refuse without a reason, or NULL.  0 or -EINVAL. */
	int (*check)(const struct nic_setup *setup, struct err *err);
};

extern const struct nic_profile nic_profile_ixgbe;
extern const struct nic_profile nic_profile_mlx5;
extern const struct nic_profile nic_profile_generic;

/* The family a driver belongs to; never NULL, generic takes what nobody knows. */
const struct nic_profile *nic_profile_of(const char *driver);
bool nic_profile_has(const char *const *names, const char *driver); /* NULL is an empty list */

/* Is this device argument there, with the value 0? */
bool nic_profile_off(const struct nic_setup *setup, const char *key);

/* The first broken rule's text, or NULL. */
const char *nic_profile_broken(const struct nic_rule *rules, const struct nic_setup *setup);

/* The family's word on a counter, else what is common to all devices, else "". */
const char *nic_profile_hint(const struct nic_profile *profile, const char *xstat);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/rx.h"

/*
 * L2 filtering, datasheet 7.1.1: exact addresses, the multicast hash, VLAN table.
 */
#define MAC_BYTES   0x0000ffffffffffffull
#define MAC_GROUP   0x01u /* of the first byte */
#define FRAME_PLAIN 1518u /* bytes with FCS when jumbo frames are off, 8.2.3.22.8 */
#define VID         0x0fffu
#define OLD_RARS    16u /* of the address registers, those that net_ixgbe writes at R_RAL_OLD() */

/* The enabled exact addresses; looked for in order. */
static void
addresses(struct n82599 *nic)
{
	struct n82599_rx *rx = nic->rx;

	rx->nb_mac = 0;
	rx->mac[0] = UINT64_MAX; /* none: no frame's */
	for (unsigned int i = 0; i < RARS; i++) {
		uint32_t off = i < OLD_RARS ? R_RAL_OLD(i) : R_RAL(i);
		uint32_t high = N82599_REG(nic, off + 4);

		if (high & RAH_AV)
			rx->mac[rx->nb_mac++] =
				(uint64_t)(high & 0xffffu) << 32 | N82599_REG(nic, off);
	}
}

static void
hash_key(struct n82599 *nic)
{
	uint8_t key[TOEPLITZ_KEY];

	/* RSSRK holds the key with its first byte in the lowest bits, 8.2.3.7.14. */
	memcpy(key, nic->regs + R_RSSRK(0), sizeof(key));
	toeplitz_init(&nic->rss, key);
}

void
n82599_rules(struct n82599 *nic)
{
	struct rx_rules *r = &nic->rx->rules;
	uint32_t fctrl = N82599_REG(nic, R_FCTRL), vlan = N82599_REG(nic, R_VLNCTRL);
	uint32_t hlreg0 = N82599_REG(nic, R_HLREG0), mcst = N82599_REG(nic, R_MCSTCTRL);
	uint32_t longest = FRAME_PLAIN;

	if (nic->filter_dirty) {
		nic->filter_dirty = false;
		addresses(nic);
	}
	if (nic->rss_dirty) {
		nic->rss_dirty = false;
		hash_key(nic);
	}
	r->upe = fctrl & FCTRL_UPE;
	r->mpe = fctrl & FCTRL_MPE;
	r->bam = fctrl & FCTRL_BAM;
	r->sbp = fctrl & FCTRL_SBP;
	r->vfe = vlan & VLNCTRL_VFE;
	r->vet_be = __builtin_bswap16((uint16_t)(vlan & VLNCTRL_VET));
	r->mfe = mcst & MCSTCTRL_MFE;
	/* MO 0..3: address bits 47:36, 46:35, 45:34, 43:32, 8.2.3.7.6 */
	r->mo_shift = (uint8_t)((const uint8_t[]){ 4, 3, 2, 0 }[mcst & MCSTCTRL_MO]);
	r->mrqc = N82599_REG(nic, R_MRQC);
	r->rss = (r->mrqc & MRQC_MRQE) == MRQC_RSS;
	r->pcsd = N82599_REG(nic, R_RXCSUM) & RXCSUM_PCSD;
	/* Both switches have to say so, 8.2.3.8.8; net_ixgbe sets them alike. */
	r->fcs = !(hlreg0 & HLREG0_RXCRCSTRP) || !(N82599_REG(nic, R_RDRXCTL) & RDRXCTL_CRCSTRIP);
	if (hlreg0 & HLREG0_JUMBOEN)
		longest = N82599_REG(nic, R_MAXFRS) >> MAXFRS_SHIFT;
	r->max_len = longest > FCS_LEN ? longest - FCS_LEN : 0;
	if (r->max_len > SOFT_FRAME_MAX)
		r->max_len = SOFT_FRAME_MAX;
}

static bool
exact(const struct n82599_rx *rx, uint64_t mac)
{
	for (unsigned int i = 0; i < rx->nb_mac; i++)
		if (rx->mac[i] == mac)
			return true;
	return false;
}

static bool
hashed(const struct n82599 *nic, const uint8_t *mac)
{
	uint32_t bit = (uint32_t)load16(mac + 4) >> nic->rx->rules.mo_shift & 0xfffu;

	return N82599_REG(nic, R_MTA(bit >> 5)) >> (bit & 31u) & 1u;
}

static bool
vlan_wanted(const struct n82599 *nic, const struct rx_item *it)
{
	uint32_t vid;

	if (load16(it->data + TAG_AT) != nic->rx->rules.vet_be)
		return true;
	vid = load16_be(it->data + TAG_AT + 2) & VID;
	return N82599_REG(nic, R_VFTA(vid >> 5)) >> (vid & 31u) & 1u;
}

bool
n82599_wanted(const struct n82599 *nic, const struct rx_item *it)
{
	const struct rx_rules *r = &nic->rx->rules;
	uint64_t mac = load64(it->data) & MAC_BYTES;

	if (r->vfe && !vlan_wanted(nic, it))
		return false;
	if (mac == MAC_BYTES)
		return r->bam || r->mpe;
	if (it->data[0] & MAC_GROUP)
		return r->mpe || (r->mfe && hashed(nic, it->data)) || exact(nic->rx, mac);
	return r->upe || exact(nic->rx, mac);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/model.h"

#include <string.h>

/*
 * What registers do beyond keeping a value.  Registers that nobody here knows are memory, which is
 * enough for all that a driver only configures (flow control, priorities, timers, security).
 */
#define IN(off, first, end) ((off) >= (first) && (off) < (end))

/* Some registers are at two places: the other one of them, or 0. */
static uint32_t
twin(uint32_t off)
{
	if (IN(off, R_RAL_OLD(0), R_RAL_OLD(16))) /* 8.2.3.7.8 */
		return off - R_RAL_OLD(0) + R_RAL(0);
	if (IN(off, R_RAL(0), R_RAL(16)))
		return off - R_RAL(0) + R_RAL_OLD(0);
	if (IN(off, R_SRRCTL_OLD(0), R_SRRCTL_OLD(16))) /* 8.2.3.8.7 */
		return R_SRRCTL((off - R_SRRCTL_OLD(0)) / 4);
	if (IN(off, R_RXQ(0), R_RXQ(16)) && (off & 0x3fu) == R_SRRCTL(0) - R_RXQ(0))
		return R_SRRCTL_OLD((off - R_RXQ(0)) / 0x40);
	return 0;
}

static void
store(struct n82599 *nic, uint32_t off, uint32_t value)
{
	uint32_t other = twin(off);

	N82599_REG(nic, off) = value;
	if (other != 0)
		N82599_REG(nic, other) = value;
}

uint32_t
n82599_read(struct n82599 *nic, uint32_t off)
{
	uint32_t value;

	if (nic->removed) /* no completion from the bus: all ones */
		return UINT32_MAX;
	if (n82599_irq_read(nic, off, &value))
		return value;
	if (off == R_I2CCTL)
		return n82599_i2c_read(nic);
	if (off == R_CRCERRS)
		n82599_queue_counters(nic, true);
	else if (off == R_MLFC)
		n82599_queue_counters(nic, false);

	value = N82599_REG(nic, off);
	if (off == R_SWSM) /* whoever reads it 0 has it, 8.2.3.4 */
		N82599_REG(nic, off) = value | SWSM_SMBI;
	else if (n82599_read_clears(off))
		N82599_REG(nic, off) = 0;
	return value;
}

static void
write_ctrl(struct n82599 *nic, uint32_t value)
{
	uint32_t status;

	if (value & (CTRL_RST | CTRL_LRST)) {
		n82599_reset(nic);
		n82599_handle_arm(nic);
	}
	N82599_REG(nic, R_CTRL) = value & ~(CTRL_RST | CTRL_LRST);
	/* 5.2.5.3.2: the master stops at once, since no request is under way between turns. */
	status = N82599_REG(nic, R_STATUS) & ~STATUS_GIO;
	N82599_REG(nic, R_STATUS) = status | (value & CTRL_GIO_DIS ? 0 : STATUS_GIO);
}

/* Software may talk to the EEPROM itself; then it reads zeros, since nothing drives the line. */
static uint32_t
eec(uint32_t value)
{
	return EEC_PRES | EEC_AUTO_RD | 4u << EEC_SIZE_SHIFT |
	       (value & (EEC_REQ | EEC_CS | EEC_SK | EEC_DI)) | (value & EEC_REQ ? EEC_GNT : 0);
}

static uint32_t
eerd(const struct n82599 *nic, uint32_t value)
{
	const uint32_t words = sizeof(nic->eeprom) / sizeof(nic->eeprom[0]);
	uint32_t addr = EERD_ADDR(value);

	if (!(value & EERD_START))
		return value;
	return (uint32_t)(addr < words ? nic->eeprom[addr] : 0xffffu) << 16 | (value & 0xfffcu) |
	       EERD_DONE;
}

/* A control register of one queue.  Off means empty, too: head and tail go back to the start, else
 * a queue that is switched on again would begin where it ended. */
static bool
write_queue(struct n82599 *nic, uint32_t off, uint32_t value)
{
	bool rx = IN(off, R_RXQ(0), R_RXQ(63) + 0x40u) || IN(off, R_RXQ(64), R_RXQ(127) + 0x40u);
	uint32_t queue = off & ~0x3fu, reg = off & 0x3fu;

	if (!rx && !IN(off, R_TXQ(0), R_TXQ(128)))
		return false;
	if (reg == R_RXDCTL(0) - R_RXQ(0)) { /* TXDCTL has the same place and the same bits */
		value &= ~TXDCTL_SWFLSH;
		if (!(value & RXDCTL_ENABLE)) {
			N82599_REG(nic, queue + R_RDH(0) - R_RXQ(0)) = 0;
			N82599_REG(nic, queue + R_RDT(0) - R_RXQ(0)) = 0;
		}
	}
	store(nic, off, value);
	if (reg != R_RDT(0) - R_RXQ(0))
		nic->queues_dirty = true;
	return true;
}

/* Tables that the datapath keeps in a form of its own. */
static void
mark_dirty(struct n82599 *nic, uint32_t off)
{
	if (off == R_MRQC || IN(off, R_RETA(0), R_RETA(32)) || IN(off, R_RSSRK(0), R_RSSRK(10)))
		nic->rss_dirty = true;
	if (off == R_FCTRL || off == R_VLNCTRL || off == R_MCSTCTRL || off == R_HLREG0 ||
	    off == R_MAXFRS || IN(off, R_MTA(0), R_MTA(128)) || IN(off, R_RAL(0), R_RAL(128)) ||
	    IN(off, R_RAL_OLD(0), R_RAL_OLD(16)) || IN(off, R_VFTA(0), R_VFTA(128)))
		nic->filter_dirty = true;
	if (off == R_RXCTRL || off == R_DMATXCTL || IN(off, R_SRRCTL_OLD(0), R_SRRCTL_OLD(16)))
		nic->queues_dirty = true;
}

/* What a register keeps of what is written into it. */
static uint32_t
kept(const struct n82599 *nic, uint32_t off, uint32_t value)
{
	switch (off) {
	case R_EEC:
		return eec(value);
	case R_EERD:
		return eerd(nic, value);
	case R_MSCA: /* there is no PHY on the MDIO bus: MSRWD stays all ones */
		return value & ~MSCA_MDI_COMMAND;
	case R_AUTOC:
		return value & ~AUTOC_RESTART_AN;
	case R_RDRXCTL:
		return value | RDRXCTL_DMAIDONE;
	case R_FDIRCTRL:
		return value | FDIRCTRL_INIT_DONE;
	case R_FDIRCMD:
		return value & ~FDIRCMD_CMD;
	case R_MSRWD:
		return value | 0xffffu << MSRWD_READ_SHIFT;
	case R_STATUS:
	case R_LINKS:
	case R_ANLP1:
	case R_SECTXSTAT:
	case R_SECRXSTAT: /* read only */
		return N82599_REG(nic, off);
	default:
		return value;
	}
}

/* What a driver may ask for and this NIC takes without doing it: say so, once. */
static void
warn_idle(struct n82599 *nic, uint32_t off, uint32_t value)
{
	const char *what = NULL;
	unsigned int kind = 0;

	if (off == R_FDIRCMD && (value & FDIRCMD_CMD) == FDIRCMD_ADD) {
		what = "flow director";
	} else if (IN(off, R_FTQF(0), R_FTQF(128)) && value & TQF_ENABLE) {
		what = "5-tuple filter";
		kind = 1;
	} else if (IN(off, R_ETQF(0), R_ETQF(8)) && value & TQF_ENABLE) {
		what = "EtherType filter";
		kind = 2;
	} else if (off == R_SYNQF && value & SYNQF_ENABLE) {
		what = "SYN filter";
		kind = 3;
	}
	if (what == NULL || nic->warned & 1u << kind)
		return;
	nic->warned |= 1u << kind;
	soft_log(nic->port, "%s: not modelled, its rules choose no queue", what);
}

void
n82599_write(struct n82599 *nic, uint32_t off, uint32_t value)
{
	if (nic->removed)
		return;
	if (off == R_CTRL)
		write_ctrl(nic, value);
	else if (off == R_I2CCTL)
		n82599_i2c_write(nic, value);
	else if (!n82599_irq_write(nic, off, value) && !write_queue(nic, off, value)) {
		store(nic, off, kept(nic, off, value));
		mark_dirty(nic, off);
		warn_idle(nic, off, value);
	}
}

/* Initial values that differ from 0: chapter 8.2, and what the EEPROM would load. */
void
n82599_reset(struct n82599 *nic)
{
	const uint8_t *mac = nic->port->mac;
	unsigned int function = (unsigned int)(nic->port->bdf[11] - '0') & 3u;

	memset(nic->regs, 0, N82599_BAR);
	N82599_REG(nic, R_STATUS) = STATUS_GIO | function << STATUS_LAN_ID_SHIFT;
	N82599_REG(nic, R_ESDP) = ESDP_SDP2;
	N82599_REG(nic, R_EEC) = eec(0);
	N82599_REG(nic, R_EEMNGCTL) = EEMNGCTL_CFG;
	N82599_REG(nic, R_RDRXCTL) = RDRXCTL_DMAIDONE;
	N82599_REG(nic, R_SECTXSTAT) = N82599_REG(nic, R_SECRXSTAT) = SECSTAT_READY;
	N82599_REG(nic, R_HLREG0) = HLREG0_TXCRCEN | HLREG0_RXCRCSTRP | HLREG0_TXPADEN;
	N82599_REG(nic, R_MAXFRS) = 1518u << MAXFRS_SHIFT;
	N82599_REG(nic, R_MSRWD) = 0xffffu << MSRWD_READ_SHIFT;
	N82599_REG(nic, R_AUTOC) = AUTOC_10G_SERIAL | AUTOC_1G_SFI;
	N82599_REG(nic, R_AUTOC2) = AUTOC2_SFI;
	N82599_REG(nic, R_ANLP1) = ANLP1_AN_STATE;
	store(nic, R_RAL(0),
	      mac[0] | (uint32_t)mac[1] << 8 | (uint32_t)mac[2] << 16 | (uint32_t)mac[3] << 24);
	store(nic, R_RAH(0), RAH_AV | mac[4] | (uint32_t)mac[5] << 8);
	n82599_link_update(nic);
	n82599_irq_reset(nic);
	nic->queues_dirty = nic->rss_dirty = nic->filter_dirty = true;
	n82599_datapath_reset(nic);
}

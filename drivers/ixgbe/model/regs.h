/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_REGS_H
#define N82599_REGS_H

#include "drivers/ixgbe/model/regs_mac.h"

/*
 * Registers of the 82599 by the names and section numbers of its datasheet (331520, chapter 8.2.3):
 * R_x is an offset into BAR 0 in bytes, x_y a bit or field of it.  All registers are 32 bits.
 */

/* General, 8.2.3.1 */
#define R_CTRL              0x00000u
#define CTRL_GIO_DIS        (1u << 2) /* no PCIe requests any more */
#define CTRL_LRST           (1u << 3)
#define CTRL_RST            (1u << 26)
#define R_STATUS            0x00008u
#define STATUS_LAN_ID_SHIFT 2
#define STATUS_GIO          (1u << 19) /* PCIe requests are allowed */
#define R_CTRL_EXT          0x00018u
#define CTRL_EXT_DRV        (1u << 28) /* a driver is loaded */
#define R_ESDP              0x00020u
#define ESDP_SDP2           (1u << 2) /* the pin that says a module is in the cage */
#define R_I2CCTL            0x00028u
#define I2C_CLK_IN          (1u << 0)
#define I2C_CLK_OUT         (1u << 1)
#define I2C_DATA_IN         (1u << 2)
#define I2C_DATA_OUT        (1u << 3)

/* EEPROM, 8.2.3.2 */
#define R_EEC          0x10010u
#define EEC_SK         (1u << 0)
#define EEC_CS         (1u << 1)
#define EEC_DI         (1u << 2)
#define EEC_DO         (1u << 3)
#define EEC_REQ        (1u << 6)
#define EEC_GNT        (1u << 7)
#define EEC_PRES       (1u << 8)
#define EEC_AUTO_RD    (1u << 9)
#define EEC_SIZE_SHIFT 11 /* 64 << size words */
#define R_EERD         0x10014u
#define EERD_START     (1u << 0)
#define EERD_DONE      (1u << 1)
#define EERD_ADDR(v)   ((v) >> 2 & 0x3fffu)
#define R_EEMNGCTL     0x10110u
#define EEMNGCTL_CFG   (3u << 18) /* configuration of both ports has been loaded */

/* PCIe, 8.2.3.4: semaphores between software and firmware */
#define R_FWSM       0x10148u
#define R_SWSM       0x10140u
#define SWSM_SMBI    (1u << 0) /* set by being read */
#define SWSM_SWESMBI (1u << 1)
#define R_SW_FW_SYNC 0x10160u

/* Interrupts, 8.2.3.5 */
#define R_EICR       0x00800u
#define EICR_RTX     0x0000ffffu /* the queues' causes, by IVAR */
#define EICR_LSC     (1u << 20)
#define EICR_OTHER   (1u << 31)
#define R_EICS       0x00808u
#define R_EIAC       0x00810u
#define R_EIMS       0x00880u
#define R_EIMC       0x00888u
#define R_EIAM       0x00890u
#define R_GPIE       0x00898u
#define GPIE_MSIX    (1u << 4)  /* Multiple_MSIX: IVAR names vectors, not EICR bits */
#define GPIE_OCD     (1u << 5)  /* a read of EICR leaves the queues' causes alone */
#define GPIE_EIAME   (1u << 30) /* an interrupt masks itself, by EIAM */
#define R_EIAM_EX(i) (0x00ad0u + 4u * (i))
#define R_EICS_EX(i) (0x00a90u + 4u * (i)) /* vectors 32 * i and up; i = 0, 1 */
#define R_EIMS_EX(i) (0x00aa0u + 4u * (i))
#define R_EIMC_EX(i) (0x00ab0u + 4u * (i))
#define R_IVAR(i)    (0x00900u + 4u * (i)) /* four causes: RX 2i, TX 2i, RX 2i+1, TX 2i+1 */
#define IVAR_VALID   0x80u
#define IVAR_VECTOR  0x3fu
#define R_IVAR_MISC  0x00a00u /* TCP timer, other causes */
#define R_EITR(i)    ((i) < 24u ? 0x00820u + 4u * (i) : 0x12300u + 4u * ((i)-24u))

/* Receive, 8.2.3.7 */
#define R_FCTRL       0x05080u
#define FCTRL_SBP     (1u << 1) /* store bad packets */
#define FCTRL_MPE     (1u << 8)
#define FCTRL_UPE     (1u << 9)
#define FCTRL_BAM     (1u << 10)
#define R_VLNCTRL     0x05088u
#define VLNCTRL_VET   0xffffu
#define VLNCTRL_VFE   (1u << 30)
#define R_MCSTCTRL    0x05090u
#define MCSTCTRL_MO   3u
#define MCSTCTRL_MFE  (1u << 2)
#define R_RXCSUM      0x05000u
#define RXCSUM_IPPCSE (1u << 12)
#define RXCSUM_PCSD   (1u << 13)            /* RSS hash instead of fragment checksum */
#define R_MTA(i)      (0x05200u + 4u * (i)) /* 128 */
#define R_RAL(i)      (0x0a200u + 8u * (i)) /* 128; the first 16 also at R_RAL_OLD() */
#define R_RAH(i)      (0x0a204u + 8u * (i))
#define R_RAL_OLD(i)  (0x05400u + 8u * (i))
#define RAH_AV        (1u << 31)
#define R_VFTA(i)     (0x0a000u + 4u * (i)) /* 128 */
#define R_MRQC        0x05818u
#define MRQC_MRQE     0xfu
#define MRQC_RSS      1u
#define MRQC_TCP4     (1u << 16)
#define MRQC_IP4      (1u << 17)
#define MRQC_IP6      (1u << 20)
#define MRQC_TCP6     (1u << 21)
#define MRQC_UDP4     (1u << 22)
#define MRQC_UDP6     (1u << 23)
#define R_RETA(i)     (0x05c00u + 4u * (i)) /* 32, four entries each */
#define R_RSSRK(i)    (0x05c80u + 4u * (i)) /* 10 */

/* Receive queues, 8.2.3.8: pages 0x1000 for 0..63, 0xd000 for 64..127 */
#define R_RXQ(q)         ((q) < 64u ? 0x01000u + 0x40u * (q) : 0x0d000u + 0x40u * ((q)-64u))
#define R_RDBAL(q)       (R_RXQ(q) + 0x00u)
#define R_RDBAH(q)       (R_RXQ(q) + 0x04u)
#define R_RDLEN(q)       (R_RXQ(q) + 0x08u) /* bytes */
#define R_RDH(q)         (R_RXQ(q) + 0x10u)
#define R_SRRCTL(q)      (R_RXQ(q) + 0x14u) /* the first 16 also at R_SRRCTL_OLD() */
#define R_RDT(q)         (R_RXQ(q) + 0x18u)
#define R_RXDCTL(q)      (R_RXQ(q) + 0x28u)
#define R_SRRCTL_OLD(q)  (0x02100u + 4u * (q))
#define SRRCTL_BSIZE     0x1fu /* BSIZEPACKET, KB */
#define SRRCTL_DROP_EN   (1u << 28)
#define RXDCTL_ENABLE    (1u << 25)
#define RXDCTL_VME       (1u << 30) /* strip VLAN tags */
#define R_RXCTRL         0x03000u
#define RXCTRL_RXEN      (1u << 0)
#define R_RDRXCTL        0x02f00u
#define RDRXCTL_CRCSTRIP (1u << 1)
#define RDRXCTL_DMAIDONE (1u << 3)

/* Transmit, 8.2.3.9 */
#define R_DMATXCTL    0x04a80u
#define DMATXCTL_TE   (1u << 0)
#define R_TXQ(q)      (0x06000u + 0x40u * (q)) /* 128: pages 0x6000, 0x7000 */
#define R_TDBAL(q)    (R_TXQ(q) + 0x00u)
#define R_TDBAH(q)    (R_TXQ(q) + 0x04u)
#define R_TDLEN(q)    (R_TXQ(q) + 0x08u)
#define R_TDH(q)      (R_TXQ(q) + 0x10u)
#define R_TDT(q)      (R_TXQ(q) + 0x18u)
#define R_TXDCTL(q)   (R_TXQ(q) + 0x28u)
#define R_TDWBAL(q)   (R_TXQ(q) + 0x38u)
#define R_TDWBAH(q)   (R_TXQ(q) + 0x3cu)
#define TXDCTL_ENABLE (1u << 25)
#define TXDCTL_SWFLSH (1u << 26) /* clears itself */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_REGS_MAC_H
#define N82599_REGS_MAC_H

/* The second half of regs.h: MAC and link, statistics, flow director, security. */

/* MAC, 8.2.3.22 */
#define R_HLREG0         0x04240u
#define HLREG0_TXCRCEN   (1u << 0)
#define HLREG0_RXCRCSTRP (1u << 1)
#define HLREG0_JUMBOEN   (1u << 2)
#define HLREG0_TXPADEN   (1u << 10)
#define HLREG0_LPBK      (1u << 15)
#define R_MSCA           0x0425cu
#define MSCA_MDI_COMMAND (1u << 30) /* clears itself when the MDIO frame is through */
#define R_MSRWD          0x04260u
#define MSRWD_READ_SHIFT 16
#define R_MAXFRS         0x04268u /* bits 31:16: bytes with FCS, when JUMBOEN */
#define MAXFRS_SHIFT     16
#define R_AUTOC          0x042a0u
#define AUTOC_10G_SERIAL (3u << 13) /* LMS: SFI, no auto-negotiation */
#define AUTOC_RESTART_AN (1u << 12)
#define AUTOC_1G_SFI     (1u << 9)
#define R_LINKS          0x042a4u
#define LINKS_UP         (1u << 30)
#define LINKS_10G        (3u << 28)
#define LINKS_STATUS     (1u << 7) /* up since the last look */
#define R_AUTOC2         0x042a8u
#define AUTOC2_SFI       (2u << 16)
#define R_ANLP1          0x042b0u
#define ANLP1_AN_STATE   (4u << 16) /* any but 0: the state machine runs */

/* Statistics, 8.2.3.23: cleared by reading but where noted */
#define R_CRCERRS   0x04000u
#define R_ILLERRC   0x04004u
#define R_ERRBC     0x04008u
#define R_MLFC      0x04034u
#define R_MRFC      0x04038u
#define R_RLEC      0x04040u
#define R_PRC64     0x0405cu
#define R_PRC127    0x04060u
#define R_PRC255    0x04064u
#define R_PRC511    0x04068u
#define R_PRC1023   0x0406cu
#define R_PRC1522   0x04070u
#define R_GPRC      0x04074u
#define R_BPRC      0x04078u
#define R_MPRC      0x0407cu
#define R_GPTC      0x04080u
#define R_GORCL     0x04088u
#define R_GORCH     0x0408cu
#define R_GOTCL     0x04090u
#define R_GOTCH     0x04094u
#define R_RUC       0x040a4u
#define R_RFC       0x040a8u
#define R_ROC       0x040acu
#define R_RJC       0x040b0u
#define R_TORL      0x040c0u
#define R_TORH      0x040c4u
#define R_TPR       0x040d0u
#define R_TPT       0x040d4u
#define R_PTC64     0x040d8u
#define R_PTC127    0x040dcu
#define R_PTC255    0x040e0u
#define R_PTC511    0x040e4u
#define R_PTC1023   0x040e8u
#define R_PTC1522   0x040ecu
#define R_MPTC      0x040f0u
#define R_BPTC      0x040f4u
#define R_XEC       0x04120u /* L4 and IP checksum errors */
#define R_RXNFGPC   0x041b0u /* good packets, filtered or not */
#define R_RXNFGBCL  0x041b4u
#define R_RXNFGBCH  0x041b8u
#define R_MPC(i)    (0x03fa0u + 4u * (i)) /* missed, by packet buffer; 8 */
#define R_RXDGPC    0x02f50u              /* good packets put into host memory */
#define R_RXDGBCL   0x02f54u
#define R_RXDGBCH   0x02f58u
#define R_TXDGPC    0x087a0u
#define R_TXDGBCL   0x087a4u
#define R_TXDGBCH   0x087a8u
#define R_RQSMR(i)  (0x02300u + 4u * (i)) /* four queues a register, 16 counter sets */
#define R_TQSM(i)   (0x08600u + 4u * (i))
#define R_QPRC(i)   (0x01030u + 0x40u * (i)) /* 16 sets, like those below */
#define R_QBRC_L(i) (0x01034u + 0x40u * (i))
#define R_QBRC_H(i) (0x01038u + 0x40u * (i))
#define R_QPRDC(i)  (0x01430u + 0x40u * (i))
#define R_QPTC(i)   (0x06030u + 0x40u * (i))
#define R_QBTC_L(i) (0x08700u + 8u * (i))
#define R_QBTC_H(i) (0x08704u + 8u * (i))

/* Flow director, 8.2.3.21 */
#define R_FDIRCTRL         0x0ee00u
#define FDIRCTRL_INIT_DONE (1u << 3)
#define R_FDIRCMD          0x0ee2cu
#define FDIRCMD_ADD        1u
#define FDIRCMD_CMD        3u /* clears itself when carried out */
#define R_FDIRFREE         0x0ee38u
#define R_FDIRUSTAT        0x0ee50u
#define R_FDIRMISS         0x0ee5cu

/* Filters that choose a queue, 8.2.3.7 */
#define R_SYNQF      0x0ec30u
#define SYNQF_ENABLE (1u << 0)
#define R_ETQF(i)    (0x05128u + 4u * (i)) /* 8 */
#define R_FTQF(i)    (0x0e600u + 4u * (i)) /* 128 */
#define TQF_ENABLE   (1u << 31)

/* Security, 8.2.3.12: the path is off, so it is always drained and ready */
#define R_SECTXSTAT   0x08804u
#define R_SECRXSTAT   0x08d04u
#define SECSTAT_READY (1u << 0)

#endif

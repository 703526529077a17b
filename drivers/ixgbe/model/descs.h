/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef N82599_DESCS_H
#define N82599_DESCS_H

/*
 * Descriptors of the 82599 by the sections of its datasheet (331520), little-endian quadwords, and
 * the few registers that only the datapath reads.
 */
#define DESC_LEN  16u     /* bytes */
#define TYPE_VLAN 0x8100u /* of VLNCTRL and DMATXCTL after reset */

/* Receive, advanced, write-back: its four dwords, 7.1.6.2 */
#define RXD_INFO   0 /* types */
#define RXD_HASH   1
#define RXD_STATUS 2
#define RXD_LEN    3 /* and, from bit 16 on, the tag */
/* dword 0 */
#define RXD_RSS_TCP4 1u
#define RXD_RSS_IP4  2u
#define RXD_RSS_TCP6 3u
#define RXD_RSS_IP6  5u
#define RXD_RSS_UDP4 7u
#define RXD_RSS_UDP6 8u
#define RXD_IPV4     0x0010u
#define RXD_IPV4E    0x0020u /* with options, beside RXD_IPV4 */
#define RXD_IPV6     0x0040u
#define RXD_IPV6E    0x0080u
#define RXD_TCP      0x0100u
#define RXD_UDP      0x0200u
#define RXD_SCTP     0x0400u
/* dword 2: extended status and error */
#define RXD_DD    (1u << 0)
#define RXD_EOP   (1u << 1)
#define RXD_VP    (1u << 3) /* a tag was stripped */
#define RXD_UDPCS (1u << 4)
#define RXD_L4I   (1u << 5) /* L4 integrity was checked */
#define RXD_IPCS  (1u << 6)
#define RXD_PIF   (1u << 7)  /* not a unicast address */
#define RXD_RXE   (1u << 29) /* MAC error, FCTRL.SBP */
#define RXD_L4E   (1u << 30)
#define RXD_IPE   (1u << 31)

/* Transmit, advanced: quadword 1, 7.2.3.2.3 and 7.2.3.2.4 */
#define TXD_DTALEN  0xffffu
#define TXD_DTYP    (15ull << 20)
#define TXD_CONTEXT (2ull << 20)
#define TXD_DATA    (3ull << 20)
#define TXD_EOP     (1ull << 24)
#define TXD_IFCS    (1ull << 25)
#define TXD_RS      (1ull << 27)
#define TXD_DEXT    (1ull << 29) /* 0: legacy, 7.2.3.2.1 */
#define TXD_VLE     (1ull << 30)
#define TXD_TSE     (1ull << 31)
#define TXD_DD      (1ull << 32)
#define TXD_IDX(v)  ((v) >> 36 & 1u) /* two contexts a queue */
#define TXD_IXSM    (1ull << 40)
#define TXD_TXSM    (1ull << 41)
#define TXD_IPSEC   (1ull << 42)
#define TXD_PAYLEN  46  /* shift */
#define TXD_MIN_LEN 17u /* bytes of a frame in host memory at least, 7.2.3.3 */
/* context, quadword 0 */
#define TXC_IPLEN(v)  ((uint32_t)(v)&0x1ffu)
#define TXC_MACLEN(v) ((uint32_t)((v) >> 9) & 0x7fu)
#define TXC_VLAN(v)   ((uint16_t)((v) >> 16))
/* context, quadword 1 */
#define TXC_IPV4     (1ull << 10)
#define TXC_L4T(v)   ((uint32_t)((v) >> 11) & 3u)
#define TXC_UDP      0u
#define TXC_TCP      1u
#define TXC_SCTP     2u
#define TXC_L4LEN(v) ((uint32_t)((v) >> 40) & 0xffu)
#define TXC_MSS(v)   ((uint32_t)((v) >> 48))

#define DMATXCTL_VT_SHIFT 16       /* type of an inserted tag */
#define R_DTXTCPFLGL      0x04a88u /* TCP flags that stay in the first segment, the middle ones */
#define R_DTXTCPFLGH      0x04a8cu /* the last */

#endif

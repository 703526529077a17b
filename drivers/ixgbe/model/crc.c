/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/ixgbe/model/data.h"

#include <nmmintrin.h>

/* IEEE 802.3 3.2.9, polynomial 0xedb88320 with its bits reversed.  A nibble at a time: only frames with KEEP_CRC need it, and 16 words stay in the cache. */
uint32_t
n82599_fcs(const uint8_t *frame, uint32_t len)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	uint32_t crc = UINT32_MAX;

	for (uint32_t i = 0; i < len; i++) {
		crc ^= frame[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

/* SCTP's is what SSE 4.2 computes; models are for x86-64. */
uint32_t
n82599_crc32c(const uint8_t *data, uint32_t len, uint32_t crc)
{
	for (; len >= 8; len -= 8, data += 8)
		crc = (uint32_t)_mm_crc32_u64(crc, load64(data));
	for (; len > 0; len--, data++)
		crc = _mm_crc32_u8(crc, *data);
	return crc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_HDR4_FOUR_H
#define BASE_HDR4_FOUR_H

#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

/*
 * The checks of a plain IPv4 header, four headers at once: compiler vectors, which become SSE4.1
 * here and NEON on Arm.  Little endian.
 */
typedef uint32_t four __attribute__((vector_size(16)));
typedef uint8_t four_bytes __attribute__((vector_size(16)));

struct hdr4_four {
	four src, dst; /* host byte order */
	four length;   /* total length */
	four aged;     /* TTL, protocol and checksum of the packet one hop older: hdr4_age() */
	four odd;      /* all ones where the scalar judge must look: not plain, or not valid */
};

static inline four
four_load(const void *p)
{
	four v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void
four_store(void *p, four v)
{
	memcpy(p, &v, sizeof(v));
}

/* Bit k: lane k is all ones. */
static inline unsigned int
four_mask(four v)
{
#ifdef __SSE2__
	typedef float four_floats __attribute__((vector_size(16)));

	return (unsigned int)__builtin_ia32_movmskps((four_floats)v);
#else
	return (v[0] & 1) | (v[1] & 2) | (v[2] & 4) | (v[3] & 8);
#endif
}

static inline uint32_t
four_word(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static inline four
four_swap(four v)
{
	four_bytes b = (four_bytes)v;

	return (four)__builtin_shufflevector(b, b, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13,
					     12);
}

/* All ones where no host has the address: hdr4_no_host(). */
static inline four
four_no_host(four ip)
{
	four top = ip >> 24;

	return (four)(top - 1 >= 223) | (four)(top == 127);
}

/* RFC 1624 equation 3 on the word of TTL, protocol and checksum; see hdr4_age(). */
static inline four
four_age(four word)
{
	four sum = (word >> 16) + 1;

	sum -= (four)(sum >= 0xffff); /* all ones is minus one */
	return ((word - 1) & 0xffff) | sum << 16;
}

/*
 * ip[]: four fixed headers, 20 readable bytes each; room: bytes of frame behind each Ethernet
 * header.  The checksum is verified whatever the NIC said, at no measurable cost.
 */
static inline struct hdr4_four
hdr4_four(uint8_t *const *ip, four room)
{
	four r0 = four_load(ip[0]), r1 = four_load(ip[1]);
	four r2 = four_load(ip[2]), r3 = four_load(ip[3]);
	/* transposed: w0 version..length, w1 id..offset, w2 TTL..checksum, w3 source */
	four a = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
	four b = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
	four c = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
	four d = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
	four w0 = __builtin_shufflevector(a, b, 0, 1, 4, 5);
	four w1 = __builtin_shufflevector(a, b, 2, 3, 6, 7);
	four w2 = __builtin_shufflevector(c, d, 0, 1, 4, 5);
	four w3 = __builtin_shufflevector(c, d, 2, 3, 6, 7);
	four w4 = { four_word(ip[0] + 16), four_word(ip[1] + 16), four_word(ip[2] + 16),
		    four_word(ip[3] + 16) };
	four low = (w0 & 0xffff) + (w1 & 0xffff) + (w2 & 0xffff) + (w3 & 0xffff) + (w4 & 0xffff);
	four sum = low + (w0 >> 16) + (w1 >> 16) + (w2 >> 16) + (w3 >> 16) + (w4 >> 16);
	struct hdr4_four out;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	out.src = four_swap(w3);
	out.dst = four_swap(w4);
	out.length = four_swap(w0) & 0xffff;
	out.aged = four_age(w2);
	out.odd = (four)((w0 & 0xff) != 0x45) | (four)((w2 & 0xff) <= 1) | (four)(out.length < 20) |
		  (four)(out.length > room) | (four)(sum != 0xffff) | four_no_host(out.src) |
		  four_no_host(out.dst);
	return out;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_CAPTURES_H
#define TEST_CAPTURES_H

#include <assert.h>
#include <pcap/pcap.h>
#include <stdint.h>
#include <string.h>

/*
 * Captures for tests to read: frame i holds its number in its first two bytes, then i, i + 1, ...
 */
struct capture_frame {
	uint32_t len;     /* bytes captured */
	uint32_t missing; /* bytes that the frame had beyond those */
	uint64_t at_ns;
};

static inline void
capture_bytes(uint8_t *frame, unsigned int i, uint32_t len)
{
	for (uint32_t k = 0; k < len; k++)
		frame[k] = (uint8_t)(i + k);
	if (len >= 2) {
		frame[0] = (uint8_t)(i >> 8);
		frame[1] = (uint8_t)i;
	}
}

static inline void
capture_write(const char *path, int link, const struct capture_frame *frames, unsigned int n)
{
	pcap_t *dead =
		pcap_open_dead_with_tstamp_precision(link, 65535, PCAP_TSTAMP_PRECISION_NANO);
	pcap_dumper_t *dump = pcap_dump_open(dead, path);
	uint8_t bytes[65535];

	assert(dump != NULL);
	for (unsigned int i = 0; i < n; i++) {
		struct pcap_pkthdr hdr = { .caplen = frames[i].len,
					   .len = frames[i].len + frames[i].missing };

		hdr.ts.tv_sec = (time_t)(frames[i].at_ns / 1000000000u);
		hdr.ts.tv_usec = (suseconds_t)(frames[i].at_ns % 1000000000u);
		capture_bytes(bytes, i, hdr.caplen);
		pcap_dump((uint8_t *)dump, &hdr, bytes);
	}
	pcap_dump_close(dump);
	pcap_close(dead);
}

#endif

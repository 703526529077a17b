/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PCAP_COMPARE_H
#define TEST_PCAP_COMPARE_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Do two captures hold the same frames in the same order?  Says where they part. */
static inline bool
pcap_same(const char *got_path, const char *want_path)
{
	char text[PCAP_ERRBUF_SIZE];
	pcap_t *got = pcap_open_offline(got_path, text), *want = pcap_open_offline(want_path, text);
	unsigned int n = 0;
	bool same = got != NULL && want != NULL;

	if (!same)
		printf("%s or %s: %s\n", got_path, want_path, text);
	while (same) {
		struct pcap_pkthdr *g, *w;
		const uint8_t *gd, *wd;
		int more_g = pcap_next_ex(got, &g, &gd), more_w = pcap_next_ex(want, &w, &wd);

		if (more_g != 1 || more_w != 1) {
			same = more_g == more_w;
			if (!same)
				printf("%s: %s at frame %u\n", got_path,
				       more_g == 1 ? "more than wanted" : "ends", n);
			break;
		}
		if (g->caplen != w->caplen || memcmp(gd, wd, w->caplen) != 0) {
			printf("%s: frame %u differs (%u bytes, want %u)\n", got_path, n, g->caplen,
			       w->caplen);
			same = false;
		}
		n++;
	}
	if (got != NULL)
		pcap_close(got);
	if (want != NULL)
		pcap_close(want);
	return same;
}

#endif

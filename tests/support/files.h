/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * A file that lives in memory and has a path, for what wants to open one.  Ends with the process,
 * or with temp_file_close().
 */
struct temp_file {
	int fd;
	char path[32];
};

static inline struct temp_file
temp_file_bytes(const void *data, size_t len)
{
	struct temp_file f = { .fd = memfd_create("test", MFD_CLOEXEC) };
	const char *p = data;

	assert(f.fd >= 0);
	while (len > 0) {
		ssize_t n = write(f.fd, p, len);

		assert(n > 0);
		p += n;
		len -= (size_t)n;
	}
	snprintf(f.path, sizeof(f.path), "/proc/self/fd/%d", f.fd);
	return f;
}

static inline struct temp_file
temp_file_text(const char *text)
{
	return temp_file_bytes(text, strlen(text));
}

static inline void
temp_file_close(struct temp_file *f)
{
	close(f->fd);
	f->fd = -1;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cfg/cfg.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUF_MIN (64u << 10)
/* Whoever feeds us /dev/zero gets an answer, not our memory; /dev/urandom has lines, but no end. */
#define LINE_BYTES_MAX   (16u << 20)
#define DEVICE_BYTES_MAX (64u << 20)

struct reader {
	FILE *file;
	const char *path;
	cfg_line_fn fn;
	void *arg;
	char *buf;
	size_t size, used; /* used < size: there is always room for a zero */
	size_t left;       /* bytes that may still come */
	unsigned int number;
};

/* The line at s, len bytes before its LF or the end of the file. */
static int
hand_over(struct reader *r, char *s, size_t len)
{
	if (len > 0 && s[len - 1] == '\r')
		len--;
	s[len] = '\0';
	if (r->number++ == 0 && len >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0) {
		s += 3; /* the byte order mark that Windows editors begin UTF-8 with */
		len -= 3;
	}
	return r->fn(s, len, r->number, r->arg);
}

/* Hand over the lines that are complete, and move the beginning of the next to the front. */
static int
drain(struct reader *r, size_t scanned)
{
	char *s = r->buf, *end = r->buf + r->used, *from = r->buf + scanned, *lf;
	int ret;

	while ((lf = memchr(from, '\n', (size_t)(end - from))) != NULL) {
		ret = hand_over(r, s, (size_t)(lf - s));
		if (ret != 0)
			return ret;
		s = from = lf + 1;
	}
	r->used = (size_t)(end - s);
	memmove(r->buf, s, r->used);
	return 0;
}

static int
grow(struct reader *r, struct err *err)
{
	size_t size = r->size == 0 ? BUF_MIN : 2 * r->size;
	char *buf;

	if (r->used >= LINE_BYTES_MAX)
		return err_set(err, -EINVAL,
			       "%s:%u: the line is longer than %u MB; is this a text file?",
			       r->path, r->number + 1, LINE_BYTES_MAX >> 20);
	buf = realloc(r->buf, size);
	if (buf == NULL) {
		err_set(err, -ENOMEM, "%s:%u: no memory for a line of %zu bytes", r->path,
			r->number + 1, r->used);
		return -ENOMEM; /* said here, so that the analyzer sees that buf is not used */
	}
	r->buf = buf;
	r->size = size;
	return 0;
}

static int
read_all(struct reader *r, struct err *err)
{
	size_t got;
	int ret;

	do {
		size_t scanned = r->used;

		if (r->size - r->used < 2) {
			ret = grow(r, err);
			if (ret < 0)
				return ret;
		}
		errno = 0;
		got = fread(r->buf + r->used, 1, r->size - r->used - 1, r->file);
		if (got == 0 && ferror(r->file)) {
			ret = errno != 0 ? -errno : -EIO;
			return err_set(err, ret, "%s: reading fails: %s; is it a file?", r->path,
				       strerror(-ret));
		}
		if (got > r->left)
			return err_set(err, -EINVAL, "%s: %u MB and no end; is this a text file?",
				       r->path, DEVICE_BYTES_MAX >> 20);
		r->left -= got;
		r->used += got;
		ret = drain(r, scanned);
		if (ret != 0)
			return ret;
	} while (got > 0);
	return r->used > 0 ? hand_over(r, r->buf, r->used) : 0;
}

static bool
is_device(FILE *file)
{
	struct stat st;

	return fstat(fileno(file), &st) == 0 && S_ISCHR(st.st_mode);
}

int
cfg_lines(const char *path, cfg_line_fn fn, void *arg, struct err *err)
{
	struct reader r = { .path = path, .fn = fn, .arg = arg };
	int ret;

	r.file = fopen(path, "re");
	if (r.file == NULL) {
		ret = -errno;
		return err_set(err, ret, "%s: cannot be opened: %s; check the name and its rights",
			       path, strerror(-ret));
	}
	r.left = is_device(r.file) ? DEVICE_BYTES_MAX : SIZE_MAX;
	ret = read_all(&r, err);
	free(r.buf);
	fclose(r.file);
	return ret;
}

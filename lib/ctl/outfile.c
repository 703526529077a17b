/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
release(struct outfile *f)
{
	if (f->out != NULL)
		fclose(f->out);
	free(f->temp);
	free(f->path);
	memset(f, 0, sizeof(*f));
}

/* A FIFO that nobody reads is an error (ENXIO), not something to wait for. */
static int
open_now(const char *path)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && fcntl(fd, F_SETFL, O_WRONLY) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Returns a descriptor; sets f->path and f->temp. */
static int
open_beside(struct outfile *f, const char *path)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;
	int fd;

	if (exists && !S_ISREG(st.st_mode)) {
		f->path = strdup(path);
		return f->path == NULL ? -1 : open_now(path);
	}
	/* Through a symbolic link it is the target that gets replaced. */
	f->path = exists ? realpath(path, NULL) : strdup(path);
	if (f->path == NULL || asprintf(&f->temp, "%s.%d.tmp", f->path, (int)getpid()) < 0) {
		f->temp = NULL;
		return -1;
	}
	unlink(f->temp); /* of an earlier process with our number, if anyone's */
	fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd >= 0 && exists && fchmod(fd, st.st_mode & 07777) < 0) {
		close(fd);
		unlink(f->temp);
		return -1;
	}
	return fd;
}

int
outfile_open(struct outfile *f, const char *path, struct err *err)
{
	int fd, ret;

	memset(f, 0, sizeof(*f));
	errno = ENOMEM;
	fd = open_beside(f, path);
	if (fd < 0) {
		ret = -errno;
		goto err_release;
	}
	f->out = fdopen(fd, "w");
	if (f->out == NULL) {
		ret = -errno;
		close(fd);
		if (f->temp != NULL)
			unlink(f->temp);
		goto err_release;
	}
	return 0;

err_release:
	release(f);
	return err_set(err, ret, "%s cannot be written: %s", path,
		       ret == -ENXIO ? "nobody reads this FIFO" : strerror(-ret));
}

int
outfile_commit(struct outfile *f, struct err *err)
{
	int ret = 0;

	/* An earlier write may have failed without anyone looking. */
	errno = EIO;
	if (ferror(f->out) || fflush(f->out) != 0)
		ret = -errno;
	if (fclose(f->out) != 0 && ret == 0)
		ret = -errno;
	f->out = NULL;
	if (ret == 0 && f->temp != NULL && rename(f->temp, f->path) < 0)
		ret = -errno;
	if (ret < 0) {
		err_set(err, ret, "%s cannot be written: %s", f->path, strerror(-ret));
		if (f->temp != NULL)
			unlink(f->temp);
	}
	release(f);
	return ret;
}

void
outfile_abort(struct outfile *f)
{
	if (f->temp != NULL)
		unlink(f->temp);
	release(f);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/atomics.h"
#include "drivers/wire/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * The control socket.  A request is one line; the answer is "ok LENGTH" or "err LENGTH", LF, and
 * LENGTH bytes: what sluice's own socket says, so that sluicectl is a client of both.
 */
#define CLIENTS_MAX 8u
#define LINE_LEN    1024u
#define FULL_MS     100  /* no file descriptor for a client: wait, rather than ask again at once */
#define SEND_MS     1000 /* that a client has to read its answer before it is hung up on */

struct client {
	int fd; /* -1: free */
	size_t len;
	char line[LINE_LEN];
};

static struct {
	int fd, stop; /* -1: closed */
	bool running;
	pthread_t thread;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	dev_t dev; /* what we made, so that another's is never removed */
	ino_t ino;
	struct client client[CLIENTS_MAX];
} control = { .fd = -1, .stop = -1 };

/* ---- the socket */

static int
refused(const char *path, int error, struct err *err)
{
	return err_set(err, -error, "run,control=%s: %s", path, strerror(error));
}

/* A socket that nobody answers on is left from a process that was killed. */
static int
clear_path(const struct sockaddr_un *addr, struct err *err)
{
	struct stat st;
	int fd, ret;

	if (lstat(addr->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : refused(addr->sun_path, errno, err);
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, -EEXIST,
			       "run,control=%s: there is something else than a socket; remove it "
			       "or write another path",
			       addr->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return refused(addr->sun_path, errno, err);
	ret = connect(fd, (const struct sockaddr *)addr, sizeof(*addr));
	if (ret < 0)
		ret = errno;
	close(fd);
	if (ret != ECONNREFUSED)
		return err_set(err, -EADDRINUSE,
			       "run,control=%s: another process answers there; write another path",
			       addr->sun_path);
	return unlink(addr->sun_path) < 0 ? refused(addr->sun_path, errno, err) : 0;
}

/* From its first moment nobody else may connect: the mode is the umask's at bind(). */
static int
bind_private(int fd, const struct sockaddr_un *addr)
{
	mode_t old = umask(0177);
	int ret = bind(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 ? errno : 0;

	umask(old);
	return ret;
}

int
control_open(const char *path, struct err *err)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;
	int fd, ret;

	if (strlen(path) >= sizeof(addr.sun_path))
		return refused(path, ENAMETOOLONG, err);
	strcpy(addr.sun_path, path);
	ret = clear_path(&addr, err);
	if (ret < 0)
		return ret;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return refused(path, errno, err);
	ret = bind_private(fd, &addr);
	if (ret != 0) {
		close(fd);
		return refused(path, ret, err);
	}
	if (listen(fd, CLIENTS_MAX) < 0 || lstat(path, &st) < 0) {
		ret = errno;
		unlink(path);
		close(fd);
		return refused(path, ret, err);
	}
	strcpy(control.path, path);
	control.dev = st.st_dev;
	control.ino = st.st_ino;
	control.fd = fd;
	return 0;
}

/* ---- clients */

static void
hang_up(struct client *c)
{
	close(c->fd);
	c->fd = -1;
	c->len = 0;
}

/* Wait for a client to read; false when it does not, or when this is the end. */
static bool
may_send(int fd)
{
	struct pollfd p[] = { { .fd = fd, .events = POLLOUT },
			      { .fd = control.stop, .events = POLLIN } };

	return poll(p, 2, SEND_MS) > 0 && p[1].revents == 0;
}

static bool
send_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN && !may_send(fd))
			return false;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return true;
}

static bool
answer(const struct client *c, bool ok, const char *text, size_t len)
{
	char head[32];
	int n = snprintf(head, sizeof(head), "%s %zu\n", ok ? "ok" : "err", len);

	return send_all(c->fd, head, (size_t)n) && send_all(c->fd, text, len);
}

static bool
serve(const struct client *c, const char *line)
{
	char *text;
	size_t len = 0;
	int ret = command_text(line, &text, &len);
	bool sent = text != NULL && answer(c, ret == 0, text, len);

	free(text);
	return sent;
}

/* False when there is nothing more to come. */
static bool
receive(struct client *c)
{
	static const char long_line[] = "the line is longer than 1023 bytes\n";
	ssize_t n = recv(c->fd, c->line + c->len, sizeof(c->line) - c->len, MSG_DONTWAIT);
	char *end;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	c->len += (size_t)n;
	while ((end = memchr(c->line, '\n', c->len)) != NULL) {
		size_t used = (size_t)(end - c->line) + 1;

		*end = '\0';
		if (!serve(c, c->line))
			return false;
		c->len -= used;
		memmove(c->line, c->line + used, c->len);
	}
	if (c->len < sizeof(c->line))
		return true;
	answer(c, false, long_line, sizeof(long_line) - 1);
	return false;
}

/* False when the process has no room for it, and it waits on. */
static bool
welcome(void)
{
	int fd = accept4(control.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		if (control.client[i].fd < 0) {
			control.client[i].fd = fd;
			return true;
		}
	close(fd);
	return true;
}

/* Full, it leaves the next client waiting in the socket's queue. */
static void *
serve_all(void *arg)
{
	struct pollfd p[CLIENTS_MAX + 2];
	bool may_come = true;

	(void)arg;
	for (;;) {
		bool room = false;

		for (unsigned int i = 0; i < CLIENTS_MAX; i++) {
			p[i] = (struct pollfd){ .fd = control.client[i].fd, .events = POLLIN };
			room = room || control.client[i].fd < 0;
		}
		p[CLIENTS_MAX] = (struct pollfd){ .fd = room && may_come ? control.fd : -1,
						  .events = POLLIN };
		p[CLIENTS_MAX + 1] = (struct pollfd){ .fd = control.stop, .events = POLLIN };
		if (poll(p, CLIENTS_MAX + 2, may_come ? -1 : FULL_MS) < 0 && errno != EINTR)
			return NULL;
		if (p[CLIENTS_MAX + 1].revents != 0)
			return NULL;
		for (unsigned int i = 0; i < CLIENTS_MAX; i++)
			if (p[i].revents != 0 && !receive(&control.client[i]))
				hang_up(&control.client[i]);
		may_come = p[CLIENTS_MAX].revents == 0 || welcome();
	}
}

int
control_start(struct err *err)
{
	sigset_t all, old;
	int ret;

	if (control.fd < 0 || control.running)
		return 0;
	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		control.client[i].fd = -1;
	control.stop = eventfd(0, EFD_CLOEXEC);
	if (control.stop < 0)
		return refused(control.path, errno, err);
	sigfillset(&all); /* signals are the program's */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&control.thread, NULL, serve_all, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret != 0) {
		close(control.stop);
		control.stop = -1;
		return refused(control.path, ret, err);
	}
	control.running = true;
	pthread_setname_np(control.thread, "softnic-ctl");
	return 0;
}

static void
stop_thread(void)
{
	const uint64_t one = 1;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	if (write(control.stop, &one, sizeof(one)) != sizeof(one) ||
	    pthread_timedjoin_np(control.thread, NULL, &until) != 0)
		return; /* it may hold the lock that we are called with; its files stay open */
	control.running = false;
	close(control.stop);
	control.stop = -1;
	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		if (control.client[i].fd >= 0)
			hang_up(&control.client[i]);
}

void
control_end(void)
{
	struct stat st;

	if (control.fd < 0)
		return;
	if (lstat(control.path, &st) == 0 && st.st_dev == control.dev && st.st_ino == control.ino)
		unlink(control.path);
	if (control.running)
		stop_thread();
	if (!control.running)
		close(control.fd);
	control.fd = -1;
}

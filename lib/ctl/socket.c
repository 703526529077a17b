/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "ctl/ctl.h"
#include "ctl/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * The control socket.  A request is one line ended by LF; the answer is "ok LENGTH" or "err LENGTH",
 * LF, and LENGTH bytes.  Many requests a connection, answered in order; a client that does not read
 * its answers is not read from either, so it costs one answer and one buffer at most.
 */
#define CLIENTS_MAX     32u
#define LINE_LEN_MAX    (64 * 1024)
#define LINE_BUF        (LINE_LEN_MAX + 1) /* with its LF */
#define ACCEPT_PAUSE_US 1000000

struct client {
	struct ctl_listener *listener; /* NULL: the slot is free */
	int fd;
	bool skipping; /* inside a line that was too long */
	bool ended;    /* it sends nothing more */
	uint64_t lines;
	char *in; /* LINE_BUF bytes */
	size_t in_len;
	char *out;
	size_t out_len, out_at;
};

struct ctl_listener {
	struct ctl *ctl;
	int fd;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	dev_t dev; /* what we made, so that another's is never removed */
	ino_t ino;
	int pause; /* timer while out of descriptors, or -1 */
	struct log_limit full;
	struct client client[CLIENTS_MAX];
};

/* ---- clients */

static void
hang_up(struct client *c)
{
	/* One command a connection is how scripts call sluicectl, "begin" and "commit" included. */
	if (c->lines > 1)
		ctl_forget(c->listener->ctl, c);
	else
		ctl_leave(c->listener->ctl, c);
	evloop_del(c->listener->ctl->cfg.loop, c->fd);
	close(c->fd);
	free(c->in);
	free(c->out);
	memset(c, 0, sizeof(*c));
}

/* Send what fits.  False when the client is gone. */
static bool
flush(struct client *c)
{
	struct evloop *loop = c->listener->ctl->cfg.loop;

	while (c->out_at < c->out_len) {
		ssize_t n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			return false;
		c->out_at += (size_t)n;
	}
	if (c->out_at == c->out_len) {
		free(c->out);
		c->out = NULL;
		c->out_len = c->out_at = 0;
	}
	evloop_want_write(loop, c->fd, c->out != NULL);
	evloop_want_read(loop, c->fd, c->out == NULL && !c->ended);
	return true;
}

static int
answer(struct client *c, bool ok, const char *text, size_t len)
{
	char head[32];
	int n = snprintf(head, sizeof(head), "%s %zu\n", ok ? "ok" : "err", len);

	c->out = malloc((size_t)n + len);
	if (c->out == NULL)
		return -ENOMEM;
	memcpy(c->out, head, (size_t)n);
	memcpy(c->out + n, text, len);
	c->out_len = (size_t)n + len;
	return 0;
}

static int
refuse(struct client *c, const char *text)
{
	return answer(c, false, text, strlen(text));
}

/* What a refused command had printed already, such as every bad line of a file, is in the text. */
static int
serve(struct client *c, char *line, size_t len)
{
	struct err err = { "" };
	char *text = NULL;
	size_t text_len = 0;
	FILE *out;
	int ret;

	if (memchr(line, '\0', len) != NULL)
		return refuse(c, "a NUL byte in the line\n");
	out = open_memstream(&text, &text_len);
	if (out == NULL)
		return -ENOMEM;
	c->lines++;
	ret = ctl_run_for(c->listener->ctl, c, line, out, &err);
	if (ret < 0)
		fprintf(out, "%s\n", err.text);
	if (fclose(out) != 0) {
		free(text);
		return refuse(c, "no memory for the answer\n");
	}
	ret = answer(c, ret == 0, text, text_len);
	free(text);
	return ret;
}

/* One request out of the buffer; 0 when there is no whole line. */
static int
next_request(struct client *c)
{
	char *end = memchr(c->in, '\n', c->in_len);
	size_t len, used;
	int ret = 0;

	if (end == NULL && c->in_len < LINE_BUF)
		return 0;
	if (end == NULL) {
		/* Refuse it once, then throw the rest of it away. */
		c->in_len = 0;
		if (c->skipping)
			return 0;
		c->skipping = true;
		ret = refuse(c, "the line is longer than 65536 bytes: use a command file\n");
		return ret < 0 ? ret : 1;
	}
	len = (size_t)(end - c->in);
	used = len + 1;
	*end = '\0';
	if (c->skipping)
		c->skipping = false;
	else
		ret = serve(c, c->in, len);
	c->in_len -= used;
	memmove(c->in, c->in + used, c->in_len);
	return ret < 0 ? ret : 1;
}

/* False when there is nothing more to come. */
static bool
receive(struct client *c)
{
	ssize_t n = recv(c->fd, c->in + c->in_len, LINE_BUF - c->in_len, MSG_DONTWAIT);

	if (n > 0)
		c->in_len += (size_t)n;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void
on_client(void *arg)
{
	struct client *c = arg;
	bool received = false;

	for (;;) {
		int ret;

		if (!flush(c))
			goto gone;
		if (c->out != NULL)
			return;
		ret = next_request(c);
		if (ret < 0)
			goto gone;
		if (ret > 0)
			continue;
		if (c->ended)
			goto gone;
		/* One read an event, so that a busy client leaves room for the others. */
		if (received)
			return;
		c->ended = !receive(c);
		received = true;
	}
gone:
	hang_up(c);
}

static struct client *
free_slot(struct ctl_listener *l)
{
	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		if (l->client[i].listener == NULL)
			return &l->client[i];
	return NULL;
}

static void
on_pause_over(void *arg)
{
	struct ctl_listener *l = arg;

	evloop_timer_del(l->ctl->cfg.loop, l->pause);
	l->pause = -1;
	evloop_want_read(l->ctl->cfg.loop, l->fd, true);
}

/* Without a free descriptor the connection stays pending, and the loop would spin on it. */
static void
pause_accepting(struct ctl_listener *l)
{
	struct evloop *loop = l->ctl->cfg.loop;

	if (log_allowed(&l->full))
		log_warn("control socket %s: accept: %s", l->path, strerror(errno));
	l->pause = evloop_timer(loop, ACCEPT_PAUSE_US, on_pause_over, l);
	if (l->pause >= 0)
		evloop_want_read(loop, l->fd, false);
}

static void
turn_away(struct ctl_listener *l, int fd)
{
	char why[64], all[96];
	int n;

	if (log_allowed(&l->full))
		log_warn("control socket %s: more than %u clients", l->path, CLIENTS_MAX);
	n = snprintf(why, sizeof(why), "there are %u clients already, try later\n", CLIENTS_MAX);
	n = snprintf(all, sizeof(all), "err %d\n%s", n, why);
	(void)!send(fd, all, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	close(fd);
}

static void
on_connect(void *arg)
{
	struct ctl_listener *l = arg;
	struct client *c = free_slot(l);
	int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			pause_accepting(l);
		return;
	}
	if (c == NULL) {
		turn_away(l, fd);
		return;
	}
	*c = (struct client){ .listener = l, .fd = fd, .in = malloc(LINE_BUF) };
	if (c->in == NULL || evloop_add(l->ctl->cfg.loop, fd, on_client, c) < 0) {
		free(c->in);
		memset(c, 0, sizeof(*c));
		close(fd);
	}
}

/* ---- the listening end */

/* 0 when nobody listens there any more, or nothing is there. */
static int
check_path(const struct sockaddr_un *addr, struct err *err)
{
	struct stat st;
	int fd, ret;

	if (lstat(addr->sun_path, &st) < 0) {
		if (errno == ENOENT)
			return 0;
		ret = -errno;
		return err_set(err, ret, "control socket %s: %s", addr->sun_path, strerror(-ret));
	}
	if (!S_ISSOCK(st.st_mode))
		return err_set(
			err, -EEXIST,
			"control socket %s: there is a file that is no socket; choose another "
			"--socket",
			addr->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		ret = -errno;
		return err_set(err, ret, "control socket: %s", strerror(-ret));
	}
	ret = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) == 0 ? 0 : -errno;
	close(fd);
	/* A full backlog (EAGAIN) is a live one too. */
	if (ret == 0 || ret == -EAGAIN)
		return err_set(err, -EADDRINUSE,
			       "control socket %s: another process answers there; choose another "
			       "--socket",
			       addr->sun_path);
	if (ret != -ECONNREFUSED)
		return err_set(err, ret, "control socket %s: %s", addr->sun_path, strerror(-ret));
	log_notice("control socket %s: replacing one that nobody listens to", addr->sun_path);
	unlink(addr->sun_path);
	return 0;
}

static int
open_listener(struct ctl_listener *l, const struct sockaddr_un *addr)
{
	struct stat st;
	int ret;

	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return -errno;
	/* On Linux the path takes the socket's own mode, so there is no moment with a wider one. */
	if (fchmod(l->fd, 0600) < 0 ||
	    bind(l->fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0)
		goto err_close;
	if (lstat(addr->sun_path, &st) < 0 || chmod(addr->sun_path, 0600) < 0 ||
	    listen(l->fd, (int)CLIENTS_MAX) < 0)
		goto err_unlink;
	l->dev = st.st_dev;
	l->ino = st.st_ino;
	return 0;

err_unlink:
	ret = -errno;
	unlink(addr->sun_path);
	close(l->fd);
	return ret;
err_close:
	ret = -errno;
	close(l->fd);
	return ret;
}

int
ctl_socket(struct ctl *ctl, const char *path, struct err *err)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct ctl_listener *l;
	int ret;

	if (ctl->listener != NULL)
		return err_set(err, -EBUSY, "control socket: %s is open already",
			       ctl->listener->path);
	if (path[0] == '\0' || strlen(path) >= sizeof(addr.sun_path))
		return err_set(err, -EINVAL,
			       "control socket '%s': a path of 1 to %zu bytes, please", path,
			       sizeof(addr.sun_path) - 1);
	strcpy(addr.sun_path, path);
	ret = check_path(&addr, err);
	if (ret < 0)
		return ret;
	l = calloc(1, sizeof(*l));
	if (l == NULL)
		return err_set(err, -ENOMEM, "control socket %s: no memory", path);
	l->ctl = ctl;
	l->pause = -1;
	strcpy(l->path, path);
	ret = open_listener(l, &addr);
	if (ret < 0)
		goto err_free;
	ctl->listener = l;
	ret = evloop_add(ctl->cfg.loop, l->fd, on_connect, l);
	if (ret < 0)
		goto err_close;
	return 0;

err_close:
	ctl_socket_close(ctl);
	return err_set(err, ret, "control socket %s: %s", path, strerror(-ret));
err_free:
	free(l);
	return err_set(err, ret,
		       "control socket %s: %s; its directory must be there, and sluice allowed to "
		       "write in it",
		       path, strerror(-ret));
}

void
ctl_socket_close(struct ctl *ctl)
{
	struct ctl_listener *l = ctl->listener;
	struct stat st;

	if (l == NULL)
		return;
	for (unsigned int i = 0; i < CLIENTS_MAX; i++)
		if (l->client[i].listener != NULL)
			hang_up(&l->client[i]);
	evloop_timer_del(ctl->cfg.loop, l->pause);
	evloop_del(ctl->cfg.loop, l->fd);
	close(l->fd);
	if (lstat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
		unlink(l->path);
	free(l);
	ctl->listener = NULL;
}

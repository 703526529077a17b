/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctl/evloop.h"

#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 64
#define TIMERS_MAX     32

struct watch {
	evloop_fn fn; /* NULL: nobody watches this descriptor */
	void *arg;
	uint32_t events;
	uint32_t generation; /* tells an event of a closed descriptor from one of its successor */
};

struct timer {
	evloop_fn fn; /* NULL: free */
	void *arg;
	uint64_t period_us, due_us;
};

struct evloop {
	int epoll;
	bool quit;
	struct watch *watch; /* by descriptor */
	int nb_watch;
	uint32_t generation;
	struct timer timer[TIMERS_MAX];
	evloop_poll_fn poll;
	void *poll_arg;
};

int
evloop_create(struct evloop **out)
{
	struct evloop *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return -ENOMEM;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0) {
		int ret = -errno;

		free(l);
		return ret;
	}
	*out = l;
	return 0;
}

void
evloop_destroy(struct evloop *l)
{
	if (l == NULL)
		return;
	close(l->epoll);
	free(l->watch);
	free(l);
}

static struct watch *
watch_of(struct evloop *l, int fd)
{
	if (fd < 0 || fd >= l->nb_watch || l->watch[fd].fn == NULL)
		return NULL;
	return &l->watch[fd];
}

static int
grow(struct evloop *l, int fd)
{
	int n = fd + 16;
	struct watch *w;

	if (fd < l->nb_watch)
		return 0;
	w = realloc(l->watch, (size_t)n * sizeof(*w));
	if (w == NULL)
		return -ENOMEM;
	memset(w + l->nb_watch, 0, (size_t)(n - l->nb_watch) * sizeof(*w));
	l->watch = w;
	l->nb_watch = n;
	return 0;
}

static int
control(struct evloop *l, int op, int fd)
{
	struct epoll_event ev = {
		.events = l->watch[fd].events,
		.data.u64 = (uint64_t)l->watch[fd].generation << 32 | (uint32_t)fd,
	};

	return epoll_ctl(l->epoll, op, fd, &ev) == 0 ? 0 : -errno;
}

int
evloop_add(struct evloop *l, int fd, evloop_fn fn, void *arg)
{
	int ret;

	if (fd < 0 || fn == NULL)
		return -EINVAL;
	if (watch_of(l, fd) != NULL)
		return -EEXIST;
	ret = grow(l, fd);
	if (ret < 0)
		return ret;
	l->watch[fd] = (struct watch){
		.fn = fn, .arg = arg, .events = EPOLLIN, .generation = ++l->generation
	};
	ret = control(l, EPOLL_CTL_ADD, fd);
	if (ret < 0)
		l->watch[fd].fn = NULL;
	return ret;
}

void
evloop_del(struct evloop *l, int fd)
{
	if (watch_of(l, fd) == NULL)
		return;
	control(l, EPOLL_CTL_DEL, fd);
	l->watch[fd].fn = NULL;
}

static int
want(struct evloop *l, int fd, uint32_t event, bool on)
{
	struct watch *w = watch_of(l, fd);
	uint32_t events;

	if (w == NULL)
		return -ENOENT;
	events = on ? w->events | event : w->events & ~event;
	if (events == w->events)
		return 0;
	w->events = events;
	return control(l, EPOLL_CTL_MOD, fd);
}

int
evloop_want_write(struct evloop *l, int fd, bool on)
{
	return want(l, fd, EPOLLOUT, on);
}

int
evloop_want_read(struct evloop *l, int fd, bool on)
{
	return want(l, fd, EPOLLIN, on);
}

int
evloop_timer(struct evloop *l, uint64_t period_us, evloop_fn fn, void *arg)
{
	if (period_us == 0 || fn == NULL)
		return -EINVAL;
	for (int i = 0; i < TIMERS_MAX; i++) {
		if (l->timer[i].fn != NULL)
			continue;
		l->timer[i] = (struct timer){
			.fn = fn,
			.arg = arg,
			.period_us = period_us,
			.due_us = clock_us() + period_us,
		};
		return i;
	}
	return -ENOSPC;
}

void
evloop_timer_del(struct evloop *l, int timer)
{
	if (timer >= 0 && timer < TIMERS_MAX)
		l->timer[timer].fn = NULL;
}

void
evloop_poll(struct evloop *l, evloop_poll_fn fn, void *arg)
{
	l->poll = fn;
	l->poll_arg = arg;
}

static void
fire_timers(struct evloop *l)
{
	uint64_t now = clock_us();

	for (int i = 0; i < TIMERS_MAX && !l->quit; i++) {
		struct timer *t = &l->timer[i];

		if (t->fn == NULL || t->due_us > now)
			continue;
		/* A loop that was late fires once, not once for every period it missed. */
		t->due_us += t->period_us;
		if (t->due_us <= now)
			t->due_us = now + t->period_us;
		t->fn(t->arg);
	}
}

/* Whole milliseconds, rounded up: waking early would be a busy loop. */
static int
timeout_ms(const struct evloop *l, uint64_t sleep_us)
{
	uint64_t now = clock_us();

	for (int i = 0; i < TIMERS_MAX; i++) {
		const struct timer *t = &l->timer[i];
		uint64_t left = t->due_us > now ? t->due_us - now : 0;

		if (t->fn != NULL && left < sleep_us)
			sleep_us = left;
	}
	if (sleep_us == UINT64_MAX)
		return -1;
	if (sleep_us / 1000 >= INT_MAX)
		return INT_MAX;
	return (int)((sleep_us + 999) / 1000);
}

static void
dispatch(struct evloop *l, const struct epoll_event *ev, int n)
{
	for (int i = 0; i < n && !l->quit; i++) {
		struct watch *w = watch_of(l, (int)(uint32_t)ev[i].data.u64);

		if (w != NULL && w->generation == ev[i].data.u64 >> 32)
			w->fn(w->arg);
	}
}

void
evloop_run(struct evloop *l)
{
	struct epoll_event ev[EVENTS_AT_ONCE];

	while (!l->quit) {
		uint64_t sleep_us = l->poll != NULL ? l->poll(l->poll_arg) : UINT64_MAX;
		int n;

		if (l->quit)
			break;
		n = epoll_wait(l->epoll, ev, EVENTS_AT_ONCE, timeout_ms(l, sleep_us));
		dispatch(l, ev, n);
		if (!l->quit)
			fire_timers(l);
	}
	l->quit = false;
}

void
evloop_quit(struct evloop *l)
{
	l->quit = true;
}

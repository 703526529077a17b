/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTL_EVLOOP_H
#define CTL_EVLOOP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The control thread's event loop: file descriptors through epoll, periodic timers, and a poll
 * function for what has no descriptor (the punt rings).  One thread; callbacks may add and remove
 * anything, themselves included.
 */
struct evloop;

int evloop_create(struct evloop **out);
void evloop_destroy(struct evloop *l);

typedef void (*evloop_fn)(void *arg);
/* Call fn when fd is readable (or hung up).  0 or -errno. */
int evloop_add(struct evloop *l, int fd, evloop_fn fn, void *arg);
void evloop_del(struct evloop *l, int fd);
/* Writable as well, until turned off: for answers a slow client has not read yet. */
int evloop_want_write(struct evloop *l, int fd, bool on);
/* No longer readable, or again: for a client whose answers are not read yet. */
int evloop_want_read(struct evloop *l, int fd, bool on);

/* Call fn about every period_us, to the millisecond; returns a handle >= 0 or -errno. */
int evloop_timer(struct evloop *l, uint64_t period_us, evloop_fn fn, void *arg);
void evloop_timer_del(struct evloop *l, int timer);

/*
 * fn is called once per turn of the loop and returns how long the loop may sleep, in us: 0 when
 * there is more to do at once, UINT64_MAX when it does not care.  One function; a second call
 * replaces the first.
 */
typedef uint64_t (*evloop_poll_fn)(void *arg);
void evloop_poll(struct evloop *l, evloop_poll_fn fn, void *arg);

/* Run until evloop_quit(); at once over when that was called before. */
void evloop_run(struct evloop *l);
void evloop_quit(struct evloop *l);

#endif

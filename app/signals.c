/* SPDX-License-Identifier: BSD-3-Clause */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

static const int ignored[] = { SIGHUP,  SIGPIPE, SIGUSR2, SIGALRM, SIGVTALRM,
			       SIGPROF, SIGIO,   SIGURG,  SIGPWR };

/* One process has one set of signals; so these are its, not an object's. */
static struct signals_fns fns;
static int fd = -1;                         /* wakes the loop */
static volatile sig_atomic_t asked;         /* SIGINT and SIGTERM seen so far */
static volatile sig_atomic_t report_wanted; /* SIGUSR1 seen, and not yet acted on */
static struct termios terminal;
static bool have_terminal;

static void
set_of_ours(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGUSR1);
}

void
signals_block(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		sigaction(ignored[i], &ignore, NULL);
	set_of_ours(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	have_terminal = tcgetattr(STDIN_FILENO, &terminal) == 0;
}

/* ---- handlers: only what is safe in one */

static void
wake(void)
{
	const uint64_t one = 1;
	int saved = errno;

	/* Full is as good: it is readable then. */
	if (fd >= 0)
		(void)!write(fd, &one, sizeof(one));
	errno = saved;
}

/* The prompt may have left the terminal without echo. */
static void
leave(int signal)
{
	static const char text[] = "\nsluice: forced to leave before it was done\n";

	(void)signal;
	if (have_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(1);
}

static void
count(int signal)
{
	struct sigaction action = { .sa_handler = leave };

	asked = asked + 1;
	if (asked > 2)
		leave(signal);
	if (asked == 2) {
		sigaction(SIGALRM, &action, NULL);
		alarm(SIGNALS_PATIENCE_S);
	}
	wake();
}

static void
want_report(int signal)
{
	(void)signal;
	report_wanted = 1;
	wake();
}

void
signals_catch(void)
{
	struct sigaction action = { .sa_handler = count, .sa_flags = SA_RESTART };
	sigset_t set;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = want_report;
	sigaction(SIGUSR1, &action, NULL);
	set_of_ours(&set);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- in the loop */

static void
readable(void *arg)
{
	uint64_t n;

	(void)arg;
	(void)!read(fd, &n, sizeof(n));
	if (report_wanted) {
		report_wanted = 0;
		fns.report(fns.arg);
	}
	if (asked > 0)
		fns.end(fns.arg);
}

int
signals_watch(struct evloop *loop, const struct signals_fns *to, struct err *err)
{
	int ret;

	fns = *to;
	fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "eventfd: %s", strerror(errno));
	ret = evloop_add(loop, fd, readable, NULL);
	if (ret < 0)
		return err_set(err, ret, "signals: %s", strerror(-ret));
	if (asked > 0 || report_wanted)
		wake(); /* they came earlier */
	return 0;
}

bool
signals_forced(void)
{
	return asked > 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

static const int ignored[] = { SIGHUP,  SIGPIPE, SIGUSR2, SIGALRM, SIGVTALRM,
			       SIGPROF, SIGIO,   SIGURG,  SIGPWR };

/* One process has one set of signals; so these are its, not an object's. */
static struct signals_fns callbacks;
static int fd = -1;
static volatile sig_atomic_t asked; /* SIGINT and SIGTERM seen so far */
static struct termios terminal;
static bool have_terminal;

static void
set_of_ends(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

void
signals_block(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		sigaction(ignored[i], &ignore, NULL);
	set_of_ends(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	have_terminal = tcgetattr(STDIN_FILENO, &terminal) == 0;
}

static void
readable(void *arg)
{
	struct signalfd_siginfo info;

	(void)arg;
	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			callbacks.report(callbacks.arg);
			continue;
		}
		asked = asked + 1;
		callbacks.end(callbacks.arg);
	}
}

int
signals_watch(struct evloop *loop, const struct signals_fns *fns, struct err *err)
{
	sigset_t set;
	int ret;

	callbacks = *fns;
	set_of_ends(&set);
	sigaddset(&set, SIGUSR1);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "signalfd: %s", strerror(errno));
	ret = evloop_add(loop, fd, readable, NULL);
	if (ret < 0)
		return err_set(err, ret, "signals: %s", strerror(-ret));
	return 0;
}

/* Only what is safe in a handler: the prompt may have left the terminal without echo. */
static void
leave(int signal)
{
	static const char text[] = "\nsluice: forced to leave before it was done\n";

	(void)signal;
	if (have_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

static void
count(int signal)
{
	asked = asked + 1;
	if (asked > 2)
		leave(signal);
	if (asked == 2)
		alarm(SIGNALS_PATIENCE_S);
}

void
signals_ending(void)
{
	struct sigaction action = { .sa_handler = leave, .sa_flags = SA_RESTART };
	sigset_t set;

	sigaction(SIGALRM, &action, NULL);
	if (signals_forced())
		alarm(SIGNALS_PATIENCE_S);
	action.sa_handler = count;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	set_of_ends(&set);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool
signals_forced(void)
{
	return asked > 1;
}

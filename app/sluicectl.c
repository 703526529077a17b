/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * The control client: a line to sluice's socket, the answer to the terminal.  It links nothing of
 * DPDK, and starts in no time.
 */
#define DEFAULT_SOCKET "/run/sluice.sock"
#define ANSWER_WAIT_S  60

enum { EXIT_DONE = 0, EXIT_NO_ANSWER = 1, EXIT_REFUSED = 2 };

static const char usage[] =
	"usage: sluicectl [--socket PATH] [COMMAND...]\n"
	"\n"
	"Sends one command to a running sluice and prints the answer.  Without a command, reads\n"
	"commands from standard input, one a line, and stops at the first that is refused.\n"
	"\n"
	"  --socket PATH  sluice's --socket; else $SLUICE_SOCKET, else " DEFAULT_SOCKET "\n"
	"  --help         this text\n"
	"  --version      the version\n"
	"\n"
	"Exit status: 0 done, 1 no answer, 2 refused.  'sluicectl help' lists the commands.\n";

static int
no_answer(const char *path, const char *why)
{
	fprintf(stderr, "sluicectl: %s: %s\n", path, why);
	return EXIT_NO_ANSWER;
}

static FILE *
open_socket(const char *path)
{
	const struct timeval wait = { .tv_sec = ANSWER_WAIT_S };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	FILE *f;
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		no_answer(path, "the path is too long for a socket");
		return NULL;
	}
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		no_answer(path, strerror(errno));
		return NULL;
	}
	if (connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0) {
		no_answer(path, errno == ENOENT || errno == ECONNREFUSED
					? "no sluice answers here: was it started with --socket?"
					: strerror(errno));
		close(fd);
		return NULL;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	f = fdopen(fd, "r");
	if (f == NULL)
		close(fd);
	return f;
}

static bool
send_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

static bool
copy(FILE *from, FILE *to, size_t len)
{
	char buf[65536];

	while (len > 0) {
		size_t n = fread(buf, 1, len < sizeof(buf) ? len : sizeof(buf), from);

		if (n == 0)
			return false;
		if (fwrite(buf, 1, n, to) != n)
			return false;
		len -= n;
	}
	return fflush(to) == 0;
}

/* Send a line without its LF and print the answer. */
static int
ask(FILE *f, const char *path, const char *line)
{
	char head[64], *end;
	size_t len;
	bool ok;

	/* A send that fails may have left an answer behind, such as "too many clients". */
	if (send_all(fileno(f), line, strlen(line)))
		send_all(fileno(f), "\n", 1);
	errno = 0;
	if (fgets(head, sizeof(head), f) == NULL)
		return no_answer(path, errno == EAGAIN ? "no answer in time"
						       : "the connection ended without an answer");
	ok = strncmp(head, "ok ", 3) == 0;
	if (!ok && strncmp(head, "err ", 4) != 0)
		return no_answer(path, "the answer is not sluice's");
	errno = 0;
	len = strtoul(strchr(head, ' ') + 1, &end, 10);
	if (*end != '\n' || errno != 0)
		return no_answer(path, "the answer is not sluice's");
	if (ok)
		return copy(f, stdout, len) ? EXIT_DONE
					    : no_answer(path, "the answer was cut short");
	return copy(f, stderr, len) ? EXIT_REFUSED : no_answer(path, "the answer was cut short");
}

/* The arguments joined by blanks; NULL when they cannot be one line. */
static char *
join(int n, char *const *arg)
{
	size_t len = 1, at = 0;
	char *line;

	for (int i = 0; i < n; i++)
		len += strlen(arg[i]) + 1;
	line = malloc(len);
	if (line == NULL)
		return NULL;
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(line + at, len - at, "%s%s", i == 0 ? "" : " ", arg[i]);
	if (strchr(line, '\n') != NULL) {
		free(line);
		return NULL;
	}
	return line;
}

static int
ask_arguments(FILE *f, const char *path, int n, char *const *arg)
{
	char *line = join(n, arg);
	int ret;

	if (line == NULL) {
		fprintf(stderr, "sluicectl: a command is one line; several go to standard input\n");
		return EXIT_REFUSED;
	}
	ret = ask(f, path, line);
	free(line);
	return ret;
}

/* People go on after a typing error; scripts stop. */
static int
ask_lines(FILE *f, const char *path)
{
	bool terminal = isatty(STDIN_FILENO);
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;
	int ret = EXIT_DONE;

	for (;;) {
		ssize_t len;

		if (terminal) {
			fputs("sluice> ", stdout);
			fflush(stdout);
		}
		len = getline(&line, &room, stdin);
		if (len < 0)
			break;
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		ret = ask(f, path, line);
		if (ret == EXIT_NO_ANSWER || (ret == EXIT_REFUSED && !terminal)) {
			if (!terminal)
				fprintf(stderr, "sluicectl: stopped at line %u\n", number);
			break;
		}
	}
	free(line);
	return ret == EXIT_REFUSED && terminal ? EXIT_DONE : ret;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ 0 },
	};
	const char *path = getenv("SLUICE_SOCKET");
	FILE *f;
	int opt, ret;

	if (path == NULL || path[0] == '\0')
		path = DEFAULT_SOCKET;
	/* "+": what follows the first word belongs to the command. */
	while ((opt = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			path = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_DONE;
		case 'v':
			puts("sluicectl " SLUICE_VERSION);
			return EXIT_DONE;
		default:
			fputs(usage, stderr);
			return EXIT_REFUSED;
		}
	}
	f = open_socket(path);
	if (f == NULL)
		return EXIT_NO_ANSWER;
	ret = optind < argc ? ask_arguments(f, path, argc - optind, argv + optind)
			    : ask_lines(f, path);
	fclose(f);
	return ret;
}

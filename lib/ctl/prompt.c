/* SPDX-License-Identifier: BSD-3-Clause */
/* rdline_new() is experimental in 22.11 and stable, unchanged, later. */
#define ALLOW_EXPERIMENTAL_API
#include "base/log.h"
#include "ctl/cmd.h"
#include "ctl/ctl.h"
#include "ctl/state.h"

#include <cmdline_rdline.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define PROMPT       "sluice> "
#define LINE_LEN_MAX (64u * 1024)
#define EDIT_LEN_MAX 511u /* what librte_cmdline's editor holds; more it drops in silence */
#define FILE_TURN_US 1000
#define CHOICES_MAX  64

/*
 * The prompt.  librte_cmdline edits the line, keeps the history and asks for completions; what the
 * line means is the one parser's business (cmdline's own cuts words at 128 bytes).
 */
struct ctl_terminal {
	struct ctl *ctl;
	struct rdline *rdline; /* NULL: stdin is no terminal */
	struct termios before;
	int timer; /* instead of epoll, which takes no regular files; or -1 */
	char *line;
	size_t len;
	bool too_long;
	/* one completion under way */
	char choice[CHOICES_MAX][PORT_TEXT_MAX];
	unsigned int nb_choices;
};

static void
run(struct ctl *ctl, char *line)
{
	struct err err = { "" };

	if (ctl_run_line(ctl, line, stdout, &err) < 0) {
		fflush(stdout);
		fprintf(stderr, "error: %s\n", err.text);
	}
	fflush(stdout);
}

/* ---- completion, in the form rdline wants it: one call for each choice */

static void
keep_choice(const char *word, void *arg)
{
	struct ctl_terminal *t = arg;

	if (t->nb_choices < CHOICES_MAX)
		snprintf(t->choice[t->nb_choices++], PORT_TEXT_MAX, "%s", word);
}

/* How many bytes all choices share. */
static size_t
shared_length(const struct ctl_terminal *t)
{
	size_t len = strlen(t->choice[0]);

	for (unsigned int i = 1; i < t->nb_choices; i++)
		for (size_t k = 0; k < len; k++)
			if (t->choice[i][k] != t->choice[0][k])
				len = k;
	return len;
}

/*
 * Returns what rdline expects: 2 when dst is to be appended, 1 when dst is a choice to list and
 * there may be more, 0 at the end.  *state is 0 for the tab key, -1 for '?', then ours.
 */
static int
complete(struct rdline *rdl, const char *left, char *dst, unsigned int size, int *state)
{
	struct ctl_terminal *t = rdline_get_opaque(rdl);
	const char *blank = strrchr(left, ' ');
	size_t typed = strlen(blank != NULL ? blank + 1 : left), len;

	if (*state <= 0) {
		t->nb_choices = 0;
		cmd_complete(left, t->ctl->cfg.ports, keep_choice, t);
		if (t->nb_choices == 0)
			return 0;
		len = shared_length(t);
		if (*state == 0 && (len > typed || t->nb_choices == 1)) {
			snprintf(dst, size, "%.*s%s", (int)(len - typed), t->choice[0] + typed,
				 t->nb_choices == 1 ? " " : "");
			return RDLINE_RES_COMPLETE;
		}
		*state = 0;
	}
	if ((unsigned int)*state >= t->nb_choices)
		return 0;
	snprintf(dst, size, "%s", t->choice[*state]);
	++*state;
	return 1;
}

/* ---- a terminal */

static int
write_char(struct rdline *rdl, char c)
{
	(void)rdl;
	return (int)write(STDOUT_FILENO, &c, 1);
}

static void
validate(struct rdline *rdl, const char *buf, unsigned int size)
{
	struct ctl_terminal *t = rdline_get_opaque(rdl);
	char line[EDIT_LEN_MAX + 3];

	(void)size;
	snprintf(line, sizeof(line), "%s", buf);
	line[strcspn(line, "\n")] = '\0';
	if (line[strspn(line, " \t")] != '\0')
		rdline_add_history(rdl, line);
	if (strlen(line) >= EDIT_LEN_MAX)
		fprintf(stderr, "error: the line is longer than %u bytes: use a command file\n",
			EDIT_LEN_MAX - 1u);
	else
		run(t->ctl, line);
}

/* One key for the editor, which lacks Ctrl-U: to the line's begin, and cut from there. */
static int
key(struct rdline *rdl, char c)
{
	if (c != '\025')
		return rdline_char_in(rdl, c);
	(void)rdline_char_in(rdl, '\001');
	return rdline_char_in(rdl, '\013');
}

static void
on_key(void *arg)
{
	struct ctl_terminal *t = arg;
	struct ctl *ctl = t->ctl;
	char buf[256];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		ctl_prompt_close(ctl);
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		int ret = key(t->rdline, buf[i]);

		if (ctl->quitting) {
			ctl_prompt_close(ctl);
			return;
		}
		if (ret == RDLINE_RES_EOF || ret == RDLINE_RES_EXITED) {
			fprintf(stderr,
				"\nThe prompt is closed, sluice goes on; Ctrl-C ends it.\n");
			ctl_prompt_close(ctl);
			return;
		}
		if (ret == RDLINE_RES_VALIDATED)
			rdline_newline(t->rdline, PROMPT);
	}
}

static int
open_terminal(struct ctl_terminal *t)
{
	struct termios raw;
	int ret;

	if (tcgetattr(STDIN_FILENO, &t->before) < 0)
		return -errno;
	t->rdline = rdline_new(write_char, validate, complete, t);
	if (t->rdline == NULL)
		return -ENOMEM;
	/* Signals stay with the terminal: Ctrl-C ends sluice, at the prompt as elsewhere. */
	raw = t->before;
	raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
	if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) < 0) {
		ret = -errno;
		goto err_free;
	}
	ret = evloop_add(t->ctl->cfg.loop, STDIN_FILENO, on_key, t);
	if (ret < 0)
		goto err_restore;
	rdline_newline(t->rdline, PROMPT);
	return 0;

err_restore:
	tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
err_free:
	rdline_free(t->rdline);
	t->rdline = NULL;
	return ret;
}

/* ---- a pipe or a file */

static void
one_char(struct ctl_terminal *t, char c)
{
	if (c != '\n') {
		if (t->len < LINE_LEN_MAX)
			t->line[t->len++] = c;
		else
			t->too_long = true;
		return;
	}
	if (t->len > 0 && t->line[t->len - 1] == '\r')
		t->len--;
	t->line[t->len] = '\0';
	if (t->too_long)
		fprintf(stderr, "error: the line is longer than %u bytes\n", LINE_LEN_MAX);
	else if (strlen(t->line) != t->len)
		fprintf(stderr, "error: a NUL byte in the line\n");
	else
		run(t->ctl, t->line);
	t->len = 0;
	t->too_long = false;
}

static void
on_input(void *arg)
{
	struct ctl_terminal *t = arg;
	char buf[4096];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	for (ssize_t i = 0; i < n && !t->ctl->quitting; i++)
		one_char(t, buf[i]);
	if (n > 0 && !t->ctl->quitting)
		return;
	if (!t->ctl->quitting && (t->len > 0 || t->too_long))
		one_char(t, '\n'); /* the last line needs no newline */
	ctl_prompt_close(t->ctl);
}

static int
open_stream(struct ctl_terminal *t)
{
	int ret;

	t->line = malloc(LINE_LEN_MAX + 1);
	if (t->line == NULL)
		return -ENOMEM;
	ret = evloop_add(t->ctl->cfg.loop, STDIN_FILENO, on_input, t);
	/* Regular files and /dev/null are always readable, so epoll takes none. */
	if (ret == -EPERM) {
		ret = t->timer = evloop_timer(t->ctl->cfg.loop, FILE_TURN_US, on_input, t);
		ret = ret < 0 ? ret : 0;
	}
	return ret;
}

int
ctl_prompt(struct ctl *ctl, struct err *err)
{
	struct ctl_terminal *t;
	int ret;

	if (ctl->terminal != NULL)
		return err_set(err, -EBUSY, "there is a prompt already");
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return err_set(err, -ENOMEM, "no memory for the prompt");
	t->ctl = ctl;
	t->timer = -1;
	ret = isatty(STDIN_FILENO) ? open_terminal(t) : open_stream(t);
	if (ret < 0) {
		free(t->line);
		free(t);
		return err_set(err, ret, "no prompt on standard input: %s", strerror(-ret));
	}
	ctl->terminal = t;
	return 0;
}

void
ctl_prompt_close(struct ctl *ctl)
{
	struct ctl_terminal *t = ctl->terminal;

	if (t == NULL)
		return;
	evloop_timer_del(ctl->cfg.loop, t->timer);
	evloop_del(ctl->cfg.loop, STDIN_FILENO);
	if (t->rdline != NULL) {
		tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
		rdline_free(t->rdline);
	}
	free(t->line);
	free(t);
	ctl->terminal = NULL;
	/* What was begun at the prompt nobody can commit any more. */
	ctl_forget(ctl, NULL);
}

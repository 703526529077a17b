/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/run.h"
#include "drivers/wire/wires.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The commands: one row each, from which help comes as well.  A word that is no command is a wire's,
 * "gen 0 start".
 */
#define WORDS_MAX 16

struct command {
	const char *name, *args, *help;
	int argc_min, argc_max;                                        /* words behind the name */
	int (*run)(int argc, char **argv, FILE *out, struct err *err); /* under the lock */
};
static const struct command commands[];

/* NULL with a text: -ENODEV */
static struct soft_port *
port_of(const char *text, struct err *err)
{
	struct soft_port *port = NULL;
	uint64_t n;

	if (spec_number(text, &n) && n < SOFT_PORT_MAX)
		port = soft_port((unsigned int)n);
	if (port == NULL)
		err_set(err, -ENODEV, "no port '%.32s'; write 0 to %d, see stats", text,
			(int)softnic_ports() - 1);
	return port;
}

static int
run_stats(int argc, char **argv, FILE *out, struct err *err)
{
	const bool json = argc > 0;

	if (json && strcmp(argv[0], "json") != 0)
		return err_set(err, -EINVAL,
			       "stats: unknown word '%.64s'; write stats or stats json", argv[0]);
	report_print(out, json);
	return 0;
}

static int
run_fault(int argc, char **argv, FILE *out, struct err *err)
{
	struct soft_port *port = port_of(argv[0], err);
	uint64_t value;
	int fault;

	(void)argc;
	(void)out;
	if (port == NULL)
		return -ENODEV;
	fault = softnic_fault_by_name(argv[1]);
	if (fault < 0)
		return err_set(err, -EINVAL, "no fault '%.64s'; help lists them", argv[1]);
	if (!spec_number(argv[2], &value))
		return err_set(err, -EINVAL, "'%.64s' is no number; 0 ends a fault", argv[2]);
	return fault_set(port, (enum softnic_fault)fault, value, err);
}

static int
run_link(int argc, char **argv, FILE *out, struct err *err)
{
	struct soft_port *port = port_of(argv[0], err);
	bool down = strcmp(argv[1], "down") == 0;

	(void)argc;
	(void)out;
	if (port == NULL)
		return -ENODEV;
	if (!down && strcmp(argv[1], "up") != 0)
		return err_set(err, -EINVAL, "link: '%.64s'; write up or down", argv[1]);
	return fault_set(port, SOFTNIC_LINK_DOWN, down, err);
}

static void
help_options(FILE *out, const struct spec_opt *opts)
{
	for (; opts != NULL && opts->name != NULL; opts++)
		fprintf(out, "  %-12s %s\n", opts->name, opts->help);
}

/* "help gen": what the specification takes behind a word. */
static int
help_kind(const char *name, FILE *out, struct err *err)
{
	const struct wire_kind *wire = wire_kind_find(name);

	if (strcmp(name, "run") == 0) {
		help_options(out, run_opts);
		return 0;
	}
	if (wire != NULL) {
		fprintf(out, "%s: %s\n", wire->name, wire->help);
		help_options(out, wire->opts);
		return 0;
	}
	for (unsigned int i = 0; i < softnic_ports(); i++) {
		const struct soft_port *port = soft_port(i);

		if (port == NULL || strcmp(port->kind->name, name) != 0)
			continue;
		fprintf(out, "%s: %s\n", port->kind->name, port->kind->help);
		help_options(out, port->kind->opts);
		return 0;
	}
	return err_set(err, -EINVAL,
		       "nothing known of '%.64s'; a NIC is known once its plugin is loaded", name);
}

static int
run_help(int argc, char **argv, FILE *out, struct err *err)
{
	if (argc > 0)
		return help_kind(argv[0], out, err);
	for (const struct command *c = commands; c->name != NULL; c++)
		fprintf(out, "%s%s: %s\n", c->name, c->args, c->help);
	fputs("WIRE PORT WORDS...: a command of a wire there, as in \"gen 0 start\"\n", out);
	fputs("faults:", out);
	for (int i = 0; i < SOFTNIC_FAULTS; i++)
		fprintf(out, " %s", softnic_fault_name((enum softnic_fault)i));
	fputs("\nwires:", out);
	for (unsigned int i = 0; wire_kinds[i] != NULL; i++)
		fprintf(out, " %s", wire_kinds[i]->name);
	fputc('\n', out);
	return 0;
}

static const struct command commands[] = {
	{ "help", " [WORD]", "commands and faults, or the options of a NIC, a wire or run", 0, 1,
	  run_help },
	{ "stats", " [json]", "what everything has counted", 0, 1, run_stats },
	{ "fault", " PORT NAME VALUE", "start a fault; VALUE 0 ends it", 3, 3, run_fault },
	{ "link", " PORT up|down", "plug the cable in, or pull it", 2, 2, run_link },
	{ .name = NULL },
};

static int
run_wire(const struct wire_kind *kind, int argc, char **argv, struct err *err)
{
	struct soft_port *port;
	struct soft_wire *wire;

	if (argc < 1)
		return err_set(err, -EINVAL, "%s: which port? Write \"%s PORT ...\"", kind->name,
			       kind->name);
	port = port_of(argv[0], err);
	if (port == NULL)
		return -ENODEV;
	if (port->in != NULL && port->in->kind == kind)
		wire = port->in;
	else if (port->out != NULL && port->out->kind == kind)
		wire = port->out;
	else
		return err_set(err, -ENODEV, "port %u has no %s; see stats", port->index,
			       kind->name);
	if (kind->command == NULL)
		return err_set(err, -EINVAL, "%s takes no commands", kind->name);
	return kind->command(wire, argc - 1, argv + 1, err);
}

/* -E2BIG when there are more words. */
static int
split(char *line, char **word)
{
	char *save = NULL;
	int n = 0;

	for (char *w = strtok_r(line, " \t\r\n", &save); w != NULL;
	     w = strtok_r(NULL, " \t\r\n", &save)) {
		if (n == WORDS_MAX)
			return -E2BIG;
		word[n++] = w;
	}
	return n;
}

static int
run_words(int n, char **word, FILE *out, struct err *err)
{
	const struct wire_kind *wire = wire_kind_find(word[0]);

	for (const struct command *c = commands; c->name != NULL; c++) {
		if (strcmp(c->name, word[0]) != 0)
			continue;
		if (n - 1 < c->argc_min || n - 1 > c->argc_max)
			return err_set(err, -EINVAL, "write \"%s%s\"", c->name, c->args);
		return c->run(n - 1, word + 1, out, err);
	}
	if (wire != NULL)
		return run_wire(wire, n - 1, word + 1, err);
	return err_set(err, -EINVAL, "no command '%.64s'; see help", word[0]);
}

static int
run_line(char *line, FILE *out, struct err *err)
{
	char *word[WORDS_MAX];
	int ret, n = split(line, word);

	if (n < 0)
		return err_set(err, -EINVAL, "more than %d words", WORDS_MAX);
	if (n == 0)
		return err_set(err, -EINVAL, "an empty line; see help");
	soft_lock();
	ret = run_words(n, word, out, err);
	soft_unlock();
	return ret;
}

int
command_text(const char *line, char **text, size_t *len)
{
	struct err err = { "" };
	char *copy = strdup(line);
	FILE *out;
	int ret;

	*text = NULL;
	out = copy == NULL ? NULL : open_memstream(text, len);
	if (out == NULL) {
		free(copy);
		return -ENOMEM;
	}
	ret = run_line(copy, out, &err);
	if (ret < 0)
		fprintf(out, "%s\n", err.text);
	if (fclose(out) != 0)
		ret = -ENOMEM;
	free(copy);
	return ret;
}

int
softnic_command(const char *line, char *out, size_t len)
{
	size_t text_len = 0;
	char *text;
	int ret = command_text(line, &text, &text_len);

	if (text == NULL)
		return ret;
	if (len > 0) {
		size_t n = text_len < len ? text_len : len - 1;

		memcpy(out, text, n);
		out[n] = '\0';
	}
	free(text);
	return text_len >= len ? -ENOSPC : ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "inputs.h"

#include "cfg/cfg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_TEXT_MAX 4096

static bool
says(const char *line, const char *word)
{
	size_t len = strlen(word);

	line += strspn(line, " \t");
	return strncmp(line, word, len) == 0 && strchr(" \t#", line[len]) != NULL;
}

static int
command_line(char *line, size_t len, unsigned int number, void *arg)
{
	struct inputs *inputs = arg;

	(void)len;
	(void)number;
	inputs->start |= says(line, "start");
	inputs->quit |= says(line, "quit");
	return 0;
}

static int
route_line(char *line, size_t len, unsigned int number, void *arg)
{
	struct inputs *inputs = arg;

	(void)line;
	(void)len;
	inputs->route_lines = number;
	return 0;
}

/* The report is written at the end, which is late to learn that it cannot be. */
static int
check_writable(const char *path, struct err *err)
{
	char dir[PATH_TEXT_MAX];
	struct stat st;
	char *slash;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR, "--stats-json: %.256s is a directory; name a file",
			       path);
	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return err_set(err, -ENAMETOOLONG, "--stats-json: the path is too long");
	slash = strrchr(dir, '/');
	if (slash == NULL)
		strcpy(dir, ".");
	else
		slash[slash == dir ? 1 : 0] = '\0';
	if (access(dir, W_OK | X_OK) < 0)
		return err_set(err, -errno,
			       "--stats-json: cannot write to the directory of %.256s: %s; name a "
			       "file elsewhere",
			       path, strerror(errno));
	return 0;
}

int
inputs_read(const struct app_args *args, struct inputs *inputs, struct err *err)
{
	int ret = 0;

	*inputs = (struct inputs){ 0 };
	if (args->cmdline_file != NULL)
		ret = cfg_lines(args->cmdline_file, command_line, inputs, err);
	if (ret < 0)
		return err_prefix(err, ret, "--cmdline-file");
	if (args->route_file != NULL)
		ret = cfg_lines(args->route_file, route_line, inputs, err);
	if (ret < 0)
		return err_prefix(err, ret, "--route-file");
	return args->stats_json != NULL ? check_writable(args->stats_json, err) : 0;
}

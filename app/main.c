/* SPDX-License-Identifier: BSD-3-Clause */
#include "args.h"
#include "base/clock.h"
#include "base/log.h"
#include "eal.h"
#include "inputs.h"
#include "launch.h"
#include "plugins.h"
#include "preflight.h"
#include "run.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_version.h>

enum status { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_LEDGER = 3 };

static int
say(int status, const struct err *err)
{
	fflush(stdout);
	fprintf(stderr, "sluice: %s\n", err->text);
	return status;
}

/* A closed standard stream would lend its number to the next file, and take what is printed. */
static void
hold_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* What can be known and refused without EAL. */
static int
prepare(int argc, char **argv, struct app *app, struct err *err)
{
	int ret = args_parse(argc, argv, &app->args, err);

	if (ret < 0 || app->args.help || app->args.version)
		return ret;
	ret = inputs_read(&app->args, &app->inputs, err);
	if (ret < 0)
		return ret;
	if (args_idle(&app->args) && !app->inputs.start && !app->inputs.quit)
		return err_set(err, -EINVAL,
			       "nothing to do: give -i, --auto-start, --socket or --check, or a "
			       "'start' line in the command file; see sluice --help");
	ret = plugins_check(app->args.eal_argc, argv, err);
	return ret < 0 ? ret : preflight(app->args.eal_argc, argv, err);
}

static int
carry_out(struct app *app)
{
	struct err err;
	int ret;

	ret = launch_up(app, &err);
	if (ret < 0)
		return say(ret == -EIO ? STATUS_FAILED : STATUS_USAGE, &err);
	launch_print_plan(app, stdout);
	ret = run_configure(app, &err);
	if (ret < 0)
		return say(app->failed ? STATUS_FAILED : STATUS_USAGE, &err);
	if (app->args.check || app->quit)
		return STATUS_DONE;
	ret = run_loop(app, &err);
	return ret < 0 ? say(STATUS_FAILED, &err) : STATUS_DONE;
}

int
main(int argc, char **argv)
{
	static struct app app;
	int status, ended;
	uint32_t missing;
	struct err err;

	hold_standard_streams();
	app.started_us = clock_us();
	log_init();

	if (prepare(argc, argv, &app, &err) < 0)
		return say(STATUS_USAGE, &err);
	if (app.args.help) {
		args_help(stdout);
		return STATUS_DONE;
	}
	if (app.args.version) {
		printf("sluice %s, %s\n", SLUICE_VERSION, rte_version());
		return STATUS_DONE;
	}
	signals_block();
	if (eal_start(app.args.eal_argc, argv, &err) < 0)
		return say(STATUS_USAGE, &err);
	signals_catch();

	status = carry_out(&app);
	ended = run_end(&app);
	missing = launch_down(&app);
	eal_end();

	if (ended == STATUS_DONE && missing > 0)
		ended = STATUS_LEDGER;
	return status != STATUS_DONE ? status : ended;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "drivers/wire/run.h"

#include <errno.h>
#include <unistd.h>

const struct spec_opt run_opts[] = {
	{ "cpu", SPEC_U32, SPEC_AT(struct run_conf, cpu), .max = CPU_SETSIZE - 1,
	  .help = "CPU that the model thread is pinned to (default: not pinned)" },
	{ "step", SPEC_FLAG, SPEC_AT(struct run_conf, step),
	  .help = "lock-step: no model thread, the program calls softnic_step() (default: off)" },
	{ "control", SPEC_STRING, SPEC_AT(struct run_conf, control),
	  .help = "path of the UNIX socket that takes commands (default: none)" },
	{ "report", SPEC_STRING, SPEC_AT(struct run_conf, report),
	  .help = "file that gets all counters as JSON in the end (default: none)" },
	{ "seed", SPEC_U64, SPEC_AT(struct run_conf, seed),
	  .help = "what everything random starts from (default: 1)" },
	{ "trace", SPEC_FLAG, SPEC_AT(struct run_conf, trace),
	  .help = "a line on stderr for every turn that moves frames (default: off)" },
	{ .name = NULL },
};

/* "0-3,6" */
static void
print_cpus(const cpu_set_t *cpus, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (int i = 0, last; i < CPU_SETSIZE && at < size; i = last + 1) {
		last = i;
		if (!CPU_ISSET(i, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		at += (size_t)snprintf(text + at, size - at, last > i ? "%s%d-%d" : "%s%d",
				       at > 0 ? "," : "", i, last);
	}
}

static int
check_cpu(uint32_t cpu, struct err *err)
{
	const long there = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t allowed;
	char text[128];

	if (there > 0 && (long)cpu >= there)
		return err_set(err, -EINVAL, "run,cpu=%u: there is no such CPU; write 0 to %ld",
			       cpu, there - 1);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0 || CPU_ISSET(cpu, &allowed))
		return 0;
	print_cpus(&allowed, text, sizeof(text));
	return err_set(err, -EINVAL,
		       "run,cpu=%u: this process may not run there, only on %s (see taskset)", cpu,
		       text);
}

int
run_options(const struct spec_word *word, struct run_conf *conf, struct err *err)
{
	int ret = spec_options(word, run_opts, conf, err);

	if (ret < 0)
		return ret;
	if (conf->step && conf->cpu != RUN_NO_CPU)
		return err_set(err, -EINVAL,
			       "run: step has no model thread to pin; leave cpu=%u or step out",
			       conf->cpu);
	return conf->cpu == RUN_NO_CPU ? 0 : check_cpu(conf->cpu, err);
}

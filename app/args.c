/* SPDX-License-Identifier: BSD-3-Clause */
#include "args.h"

#include "base/addr.h"
#include "datapath/core.h"
#include "worker/worker.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#define SECONDS_MAX    UINT32_MAX
#define QUEUES_MAX     64
#define MBUF_SIZE_MIN  256 /* headroom and every header that sluice reads, in one segment */
#define POOL_MBUFS_MAX INT32_MAX

enum kind {
	KIND_FLAG,   /* bool, no value */
	KIND_TEXT,   /* const char * */
	KIND_NUMBER, /* uint64_t within min..max */
	KIND_CONFIG, /* (port,queue,lcore),... */
	KIND_MODE,
	KIND_ABSENT, /* another build has it */
};

struct option_row {
	const char *name; /* with its dashes */
	const char *value, *help;
	enum kind kind;
	size_t offset;
	uint64_t min, max;
};

#define AT(field) offsetof(struct app_args, field)
#define FLAG(name, field, help)                                                                    \
	{                                                                                          \
		name, NULL, help, KIND_FLAG, AT(field), 0, 0                                       \
	}
#define TEXT(name, v, field, help)                                                                 \
	{                                                                                          \
		name, v, help, KIND_TEXT, AT(field), 0, 0                                          \
	}
#define NUMBER(name, v, field, min, max, help)                                                     \
	{                                                                                          \
		name, v, help, KIND_NUMBER, AT(field), min, max                                    \
	}
#define ABSENT(name, v, help)                                                                      \
	{                                                                                          \
		name, v, help, KIND_ABSENT, 0, 0, 0                                                \
	}

static const struct option_row options[] = {
	FLAG("--help", help, "this text"),
	FLAG("--version", version, "sluice's and DPDK's version"),
	FLAG("--check", check, "parse everything, print the plan, exit"),
	FLAG("--interactive", interactive, "prompt on the terminal; also -i"),
	TEXT("--cmdline-file", "FILE", cmdline_file, "run these commands first"),
	FLAG("--auto-start", auto_start, "start forwarding without \"start\""),
	TEXT("--route-file", "FILE", route_file, "static routes, one a line"),
	TEXT("--socket", "PATH", socket, "control socket for sluicectl"),
	{ "--config", "TUPLES", "who polls what: (port,queue,lcore),...", KIND_CONFIG, 0, 0, 0 },
	{ "--forward-mode", "MODE", "ip4, io, mac, rxonly or drop; default ip4", KIND_MODE, 0, 0,
	  0 },
	NUMBER("--nb-cores", "N", nb_cores, 1, RTE_MAX_LCORE - 1,
	       "forwarding lcores, without --config"),
	NUMBER("--rxq", "N", rxq, 1, QUEUES_MAX, "receive queues of each port"),
	NUMBER("--txq", "N", txq, 1, QUEUES_MAX, "transmit queues of each port"),
	NUMBER("--rxd", "N", rxd, 1, UINT16_MAX, "descriptors of a receive queue"),
	NUMBER("--txd", "N", txd, 1, UINT16_MAX, "descriptors of a transmit queue"),
	NUMBER("--rxfreet", "N", rxfreet, 0, UINT16_MAX, "refill threshold of receive queues"),
	NUMBER("--txfreet", "N", txfreet, 0, UINT16_MAX, "free threshold of transmit queues"),
	NUMBER("--txrst", "N", txrst, 0, UINT16_MAX, "report threshold of transmit queues"),
	NUMBER("--burst", "N", burst, 1, BUNDLE_MAX, "packets of a burst; 1 turns bundling off"),
	NUMBER("--prefetch", "N", prefetch, 0, 64, "packets prefetched ahead; 0 off"),
	NUMBER("--mbcache", "N", mbcache, 0, RTE_MEMPOOL_CACHE_MAX_SIZE,
	       "mbufs of an lcore's pool cache; 0 off"),
	NUMBER("--mbuf-size", "N", mbuf_size, MBUF_SIZE_MIN, UINT16_MAX,
	       "bytes of an mbuf's data room, headroom included"),
	NUMBER("--total-num-mbufs", "N", total_num_mbufs, 1, POOL_MBUFS_MAX,
	       "mbufs of each node's pool"),
	NUMBER("--max-routes", "N", max_routes, 1, 1u << 24, "routes there is room for"),
	FLAG("--promiscuous", promiscuous, "receive frames to any MAC address"),
	NUMBER("--stats-period", "S", stats_period_s, 0, SECONDS_MAX,
	       "print port statistics every S seconds; 0 off"),
	FLAG("--record-core-cycles", record_core_cycles, "count cycles per packet"),
	FLAG("--record-burst-stats", record_burst_stats, "count the sizes of bursts"),
	TEXT("--stats-json", "FILE", stats_json,
	     "write the report here at the end, and on SIGUSR1"),
	NUMBER("--run-for", "S", run_for_s, 1, SECONDS_MAX, "end after S seconds"),
	NUMBER("--stop-after", "N", stop_after, 1, INT64_MAX, "end after N received packets"),
	NUMBER("--stop-when-idle", "MS", stop_when_idle_ms, 1, SECONDS_MAX,
	       "end when nothing was received for MS milliseconds"),
	ABSENT("--steer", "GROUPS", "software steering: not in this build"),
	ABSENT("--steer-batch", "N", "software steering: not in this build"),
	ABSENT("--hash-seed", "N", "flow hash: not in this build"),
};

void
args_help(FILE *out)
{
	char left[48];

	fprintf(out,
		"usage: sluice [EAL options] -- [options]\n\n"
		"Forwards IPv4 between the ports EAL finds.  EAL's options say which lcores (-l,\n"
		"the first one controls, the others forward), how much memory (-m, --no-huge) and\n"
		"which devices (-a, --vdev); the page sluice(8) and DPDK's guide list them.\n\n");
	for (size_t i = 0; i < RTE_DIM(options); i++) {
		const struct option_row *o = &options[i];

		snprintf(left, sizeof(left), "%s%s%s", o->name, o->value != NULL ? " " : "",
			 o->value != NULL ? o->value : "");
		fprintf(out, "  %-24s %s", left, o->help);
		if (o->kind == KIND_NUMBER)
			fprintf(out, " (%llu..%llu)", (unsigned long long)o->min,
				(unsigned long long)o->max);
		fprintf(out, "\n");
	}
	fprintf(out,
		"\nAt least one of -i, --auto-start, --socket, --check or a \"start\" in the\n"
		"command file is needed.  Exit status: 0 ended as asked, 1 failed at run time,\n"
		"2 usage or configuration, 3 the ledger did not close.\n");
}

/* The row that a word names, up to a '='; NULL without one. */
static const struct option_row *
find_option(const char *word)
{
	size_t len;

	if (strcmp(word, "-i") == 0)
		word = "--interactive";
	else if (strcmp(word, "-h") == 0)
		word = "--help";
	len = strcspn(word, "=");
	for (size_t i = 0; i < RTE_DIM(options); i++)
		if (strlen(options[i].name) == len && memcmp(options[i].name, word, len) == 0)
			return &options[i];
	return NULL;
}

/* Do both spell one option, but for dashes that were left out or added? */
static bool
same_letters(const char *word, const char *name)
{
	for (;; word++, name++) {
		word += strspn(word, "-_");
		name += strspn(name, "-");
		if (*name == '\0')
			return *word == '\0' || *word == '=';
		if (*word != *name)
			return false;
	}
}

static int
refuse_word(const char *word, struct err *err)
{
	size_t len = strcspn(word, "=");

	if (word[0] != '-')
		return err_set(err, -EINVAL,
			       "'%.64s' is not an option, and sluice takes nothing else; see "
			       "sluice --help",
			       word);
	for (size_t i = 0; len > 3 && i < RTE_DIM(options); i++)
		if (strncmp(options[i].name, word, len) == 0)
			return err_set(err, -EINVAL,
				       "'%.64s' is not an option: names are not shortened; did you "
				       "mean %s?",
				       word, options[i].name);
	for (size_t i = 0; i < RTE_DIM(options); i++)
		if (same_letters(word, options[i].name))
			return err_set(err, -EINVAL, "'%.64s' is not an option; did you mean %s?",
				       word, options[i].name);
	return err_set(err, -EINVAL,
		       "'%.64s' is not an option of sluice (EAL's stand before '--'); see sluice "
		       "--help",
		       word);
}

static int
set_value(struct app_args *args, const struct option_row *o, const char *value, struct err *err)
{
	void *field = (char *)args + o->offset;

	switch (o->kind) {
	case KIND_FLAG:
		*(bool *)field = true;
		return 0;
	case KIND_TEXT:
		*(const char **)field = value;
		return 0;
	case KIND_NUMBER:
		return addr_parse_number(o->name, value, o->min, o->max, field, err);
	case KIND_MODE:
		if (forward_mode_parse(value, &args->mode, err) < 0)
			return err_prefix(err, -EINVAL, "--forward-mode");
		return 0;
	case KIND_CONFIG:
		return cfg_poll_parse(value, args->poll, CFG_POLL_MAX, &args->nb_poll, err);
	case KIND_ABSENT:
		break;
	}
	return err_set(err, -EINVAL, "%s: not in this build; leave it out", o->name);
}

/* One option and its value, from word[0] on; how many words it took, or -EINVAL. */
static int
take_option(struct app_args *args, char **word, int left, struct err *err)
{
	const struct option_row *o = find_option(word[0]);
	const char *value = strchr(word[0], '=');
	int used = 1;
	int ret;

	if (o == NULL)
		return refuse_word(word[0], err);
	if (value != NULL)
		value++;
	if (o->kind == KIND_FLAG && value != NULL)
		return err_set(err, -EINVAL, "%s takes no value; leave '=%.64s' out", o->name,
			       value);
	if (o->kind != KIND_FLAG && value == NULL && left > 1 && strncmp(word[1], "--", 2) != 0) {
		value = word[1];
		used = 2;
	}
	if (o->kind != KIND_FLAG && (value == NULL || value[0] == '\0'))
		return err_set(err, -EINVAL, "%s needs a value; write %s %s", o->name, o->name,
			       o->value);
	ret = set_value(args, o, value, err);
	return ret < 0 ? ret : used;
}

/* The words before "--" are EAL's business, except that ours get lost there in an unkind way. */
static int
check_eal_words(int argc, char **argv, struct err *err)
{
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-' && find_option(argv[i]) != NULL)
			return err_set(err, -EINVAL,
				       "%.64s is sluice's own option and stands before '--', where "
				       "EAL's go; write sluice [EAL options] -- %.64s",
				       argv[i], argv[i]);
	return 0;
}

static void
set_unset(struct app_args *args)
{
	memset(args, 0, sizeof(*args));
	for (size_t i = 0; i < RTE_DIM(options); i++)
		if (options[i].kind == KIND_NUMBER)
			*(uint64_t *)(void *)((char *)args + options[i].offset) = ARGS_UNSET;
}

int
args_parse(int argc, char **argv, struct app_args *args, struct err *err)
{
	int i, used;

	set_unset(args);
	for (i = 1; i < argc; i++) {
		const struct option_row *o = find_option(argv[i]);

		if (o != NULL && strchr(argv[i], '=') == NULL) {
			args->help |= o->offset == AT(help) && o->kind == KIND_FLAG;
			args->version |= o->offset == AT(version) && o->kind == KIND_FLAG;
		}
	}
	if (args->help || args->version)
		return 0;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		;
	args->eal_argc = i;
	if (check_eal_words(args->eal_argc, argv, err) < 0)
		return -EINVAL;
	for (i++; i < argc; i += used) {
		used = take_option(args, &argv[i], argc - i, err);
		if (used < 0)
			return used;
	}
	return 0;
}

bool
args_idle(const struct app_args *args)
{
	return !args->interactive && !args->auto_start && args->socket == NULL && !args->check;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "preflight.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYS_NODES "/sys/devices/system/node"
#define FLOOR_MB  256 /* the default FIB, a small pool and EAL's own */

/* Is word this option, or a shortening as EAL's getopt takes it? */
static bool
is_option(const char *word, const char *name, size_t shortest)
{
	size_t len = strcspn(word, "=");

	return len >= shortest && len <= strlen(name) && strncmp(word, name, len) == 0;
}

static const char *
value_of(int argc, char *const *argv, int i)
{
	const char *equals = strchr(argv[i], '=');

	if (equals != NULL)
		return equals + 1;
	return i + 1 < argc ? argv[i + 1] : "";
}

static void
read_node_mb(const char *text, struct preflight_want *want)
{
	for (unsigned int n = 0; n < PREFLIGHT_NODES_MAX && *text != '\0'; n++) {
		char *end;

		want->node_mb[n] = strtoull(text, &end, 10);
		if (*end != ',')
			return;
		text = end + 1;
	}
}

void
preflight_read_args(int argc, char *const *argv, struct preflight_want *want)
{
	memset(want, 0, sizeof(*want));
	for (int i = 1; i < argc; i++) {
		if (is_option(argv[i], "--no-huge", sizeof("--no-hu") - 1))
			want->no_huge = true;
		else if (is_option(argv[i], "--in-memory", sizeof("--in") - 1))
			want->in_memory = true;
		else if (is_option(argv[i], "--socket-mem", sizeof("--socket-m") - 1))
			read_node_mb(value_of(argc, argv, i), want);
		else if (strcmp(argv[i], "-m") == 0)
			want->total_mb = strtoull(value_of(argc, argv, i), NULL, 10);
		else if (strncmp(argv[i], "-m", 2) == 0)
			want->total_mb = strtoull(argv[i] + 2, NULL, 10);
	}
}

static uint64_t
free_mb(const struct preflight_node *node)
{
	uint64_t kb = 0;

	for (unsigned int p = 0; p < node->nb_pages; p++)
		kb += node->pages[p].free * node->pages[p].size_kb;
	return kb / 1024;
}

/* Pages of a node's smallest size; that is what can be had without a reboot. */
static const struct preflight_pages *
small_pages(const struct preflight_node *node)
{
	const struct preflight_pages *small = &node->pages[0];

	for (unsigned int p = 1; p < node->nb_pages; p++)
		if (node->pages[p].size_kb < small->size_kb)
			small = &node->pages[p];
	return small;
}

static int
too_few(const struct preflight_node *node, uint64_t need_mb, struct err *err)
{
	const struct preflight_pages *small = small_pages(node);
	uint64_t short_kb = (need_mb - free_mb(node)) * 1024;
	uint64_t more = (short_kb + small->size_kb - 1) / small->size_kb;

	return err_set(err, -ENOMEM,
		       "hugepages: node %u: %" PRIu64 " MB needed, %" PRIu64 " MB free (%" PRIu64
		       " of %" PRIu64 " pages of %u kB); reserve more: echo %" PRIu64
		       " > " SYS_NODES
		       "/node%u/hugepages/hugepages-%ukB/nr_hugepages; or do without: --no-huge "
		       "-m %" PRIu64,
		       node->id, need_mb, free_mb(node), small->free, small->total, small->size_kb,
		       small->total + more, node->id, small->size_kb, need_mb);
}

int
preflight_judge(const struct preflight_host *host, const struct preflight_want *want,
		struct err *err)
{
	uint64_t total = 0, by_node = 0;
	const struct preflight_node *best = NULL;

	/* A kernel without hugepages or sysfs: EAL knows better. */
	if (want->no_huge || host->nb_nodes == 0)
		return 0;
	for (unsigned int n = 0; n < host->nb_nodes; n++) {
		const struct preflight_node *node = &host->node[n];

		if (node->nb_pages == 0)
			return 0;
		if (node->id < PREFLIGHT_NODES_MAX && want->node_mb[node->id] > free_mb(node))
			return too_few(node, want->node_mb[node->id], err);
		total += free_mb(node);
		by_node += node->id < PREFLIGHT_NODES_MAX ? want->node_mb[node->id] : 0;
		if (best == NULL || free_mb(node) > free_mb(best))
			best = node;
	}
	if (by_node == 0) {
		uint64_t need = want->total_mb != 0 ? want->total_mb : FLOOR_MB;

		if (total < need)
			return too_few(best, need - (total - free_mb(best)), err);
	}
	if (!host->mounted && !want->in_memory)
		return err_set(err, -ENOMEM,
			       "hugepages: no hugetlbfs is mounted; mount one: mkdir -p "
			       "/dev/hugepages && mount -t hugetlbfs nodev /dev/hugepages; or give "
			       "--in-memory");
	return 0;
}

static uint64_t
read_number(const char *dir, const char *pages, const char *file)
{
	char path[512], text[32];
	uint64_t value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", dir, pages, file);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	if (fgets(text, sizeof(text), f) != NULL)
		value = strtoull(text, NULL, 10);
	fclose(f);
	return value;
}

/* The number behind prefix in a file's name. */
static bool
name_number(const char *name, const char *prefix, uint32_t *number)
{
	size_t len = strlen(prefix);

	if (strncmp(name, prefix, len) != 0 || name[len] < '0' || name[len] > '9')
		return false;
	*number = (uint32_t)strtoul(name + len, NULL, 10);
	return true;
}

static void
read_node(struct preflight_node *node)
{
	struct dirent *entry;
	char path[256];
	DIR *dir;

	snprintf(path, sizeof(path), SYS_NODES "/node%u/hugepages", node->id);
	dir = opendir(path);
	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL && node->nb_pages < PREFLIGHT_SIZES_MAX) {
		struct preflight_pages *pages = &node->pages[node->nb_pages];

		if (!name_number(entry->d_name, "hugepages-", &pages->size_kb))
			continue;
		pages->total = read_number(path, entry->d_name, "nr_hugepages");
		pages->free = read_number(path, entry->d_name, "free_hugepages");
		node->nb_pages++;
	}
	closedir(dir);
}

static bool
hugetlbfs_mounted(void)
{
	char line[512];
	bool found = false;
	FILE *f = fopen("/proc/mounts", "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		found |= strstr(line, " hugetlbfs ") != NULL;
	if (f != NULL)
		fclose(f);
	return found;
}

int
preflight(int argc, char *const *argv, struct err *err)
{
	struct preflight_host host = { 0 };
	struct preflight_want want;
	struct dirent *entry;
	DIR *dir;

	preflight_read_args(argc, argv, &want);
	dir = opendir(SYS_NODES);
	while (dir != NULL && host.nb_nodes < PREFLIGHT_NODES_MAX &&
	       (entry = readdir(dir)) != NULL) {
		struct preflight_node *node = &host.node[host.nb_nodes];

		if (!name_number(entry->d_name, "node", &node->id))
			continue;
		read_node(node);
		host.nb_nodes++;
	}
	if (dir != NULL)
		closedir(dir);
	host.mounted = hugetlbfs_mounted();
	return preflight_judge(&host, &want, err);
}

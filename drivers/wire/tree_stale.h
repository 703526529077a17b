/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_TREE_STALE_H
#define WIRE_TREE_STALE_H

/*
 * What processes that died have left: for tree.c.  A folder is stale when nobody holds its lock.
 */
#define TREE_NAME "sluice-nics." /* then the process id, a dot and something unique */
#define TREE_LOCK ".lock"        /* EAL's scan skips names with a dot in front */

/* All of this user's below base; those of others and of the living stay. */
void tree_clear_stale(const char *base);
void tree_remove_folder(const char *path);
/* What the PMD of a process has made outside of its folder. */
void tree_remove_socket(int pid);

#endif

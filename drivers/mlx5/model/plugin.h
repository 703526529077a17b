/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CX5_PLUGIN_H
#define CX5_PLUGIN_H

/* glue.c: from now on the PMD's calls of rdma-core end here.  Constructor only. */
void cx5_glue_install(void);

#endif

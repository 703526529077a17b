/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_COMPAT_H
#define BASE_COMPAT_H

/*
 * What differs between DPDK 22.11 and later LTS releases, and nothing else.  Everything outside
 * this header is written against the names below or against what all of them share.
 */
#include <rte_version.h>

#if RTE_VERSION < RTE_VERSION_NUM(22, 11, 0, 0)
#error "sluice needs DPDK 22.11 or later"
#endif

/* Renamed in 23.03; the old name went later. */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define compat_tel_add_count rte_tel_data_add_dict_uint
#else
#define compat_tel_add_count rte_tel_data_add_dict_u64
#endif

#endif

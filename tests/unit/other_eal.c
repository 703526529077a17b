/* SPDX-License-Identifier: BSD-3-Clause */
/* An empty library: only its name, librte_eal.so.99, matters to test_guard. */
extern const int other_eal;
const int other_eal = 99;

#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""cppcheck over the product's C files.  A suppression stands beside its line and says why."""
import os

import tree

FLAGS = ["--quiet", "--std=c11", "--language=c", "--enable=warning,portability,performance",
         "--inline-suppr", "--error-exitcode=2", "--template={file}:{line}: {id}: {message}",
         "-Ilib", "-Idrivers", "-Iapp", "--suppress=missingIncludeSystem",
         # cppcheck does not see DPDK's headers, and so does not know its loop macros.
         "--suppress=unknownMacro", f"-j{os.cpu_count()}"]


def main():
    sources = tree.files("*.c", under=tree.PRODUCT)
    out = tree.run(tree.tool("cppcheck"), *FLAGS, *map(str, sources))
    tree.end(sorted(set(out.stderr.splitlines())), len(sources))


main()

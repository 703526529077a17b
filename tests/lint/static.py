#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""cppcheck over the product's C files.  A suppression stands beside its line and says why."""
import os
import re

import tree

FLAGS = ["--quiet", "--std=c11", "--language=c", "--enable=warning,portability,performance",
         "--inline-suppr", "--error-exitcode=2", "--template={file}:{line}: {id}: {message}",
         "-Ilib", "-Idrivers", "-Iapp", "--suppress=missingIncludeSystem",
         # gcc's -Wformat knows that a constant fits; cppcheck does not.
         "--suppress=invalidPrintfArgType_uint", "--suppress=invalidPrintfArgType_sint",
         # cppcheck does not see DPDK's headers, and so does not know its loop macros.
         "--suppress=unknownMacro", f"-j{os.cpu_count()}"]


def list_macros():
    """Of the system's headers only this one: the compiler says where it is."""
    out = tree.subprocess.run(["gcc", "-E", "-M", "-x", "c", "-"], input="#include <sys/queue.h>",
                              capture_output=True, text=True, check=True)
    return re.search(r"\S*sys/queue\.h", out.stdout).group(0)


def main():
    tree.tool("cppcheck")
    sources = tree.files("*.c", under=tree.PRODUCT)
    out = tree.run("cppcheck", *FLAGS, f"--include={list_macros()}", *map(str, sources))
    tree.end(sorted(set(out.stderr.splitlines())), len(sources))


main()

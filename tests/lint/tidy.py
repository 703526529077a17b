#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy with the checks of .clang-tidy, over the product's C files.

usage: tidy.py BUILD_DIR
"""
import concurrent.futures
import json
import os
import pathlib
import sys

import tree


def check(job):
    build, path = job
    out = tree.run("clang-tidy", "--quiet", "-p", str(build), "--warnings-as-errors=*",
                   "--extra-arg=-Wno-unknown-warning-option", str(path))
    return [line for line in out.stdout.splitlines() if ": error:" in line or ": warning:" in line]


def main():
    tree.tool("clang-tidy")
    build = pathlib.Path(sys.argv[1]).resolve()
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    known = {(pathlib.Path(c["directory"]) / c["file"]).resolve() for c in commands}
    sources = [p for p in tree.files("*.c", under=tree.PRODUCT) if tree.ROOT / p in known]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(check, ((build, p) for p in sources)))
    tree.end(sorted({line for lines in found for line in lines}), len(sources))


main()

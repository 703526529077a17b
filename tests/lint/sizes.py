#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files and functions are short enough to read: .c 500 lines, .h 150, a test's 800, a function 70,
lib/datapath 1200 in all."""
import json

import tree

SOURCE, HEADER, TEST, FUNCTION, DATAPATH = 500, 150, 800, 70, 1200


def limit_of(path):
    if path.parts[0] == "tests":
        return TEST
    return HEADER if path.suffix == ".h" else SOURCE


def lines_of(path):
    return tree.read(path).count("\n")


def file_problems(sources):
    for path in sources:
        if lines_of(path) > limit_of(path):
            yield f"{path}: {lines_of(path)} lines, {limit_of(path)} are the limit"
    workers = [p for p in sources if p.parts[:2] == ("lib", "datapath")]
    total = sum(map(lines_of, workers))
    if total > DATAPATH:
        yield f"lib/datapath: {total} lines in all, {DATAPATH} are the limit"


def function_problems(sources):
    out = tree.run(tree.tool("ctags"), "--output-format=json", "--fields=+ne", "--kinds-C=f",
                   "--languages=C", "--langmap=C:+.h", "-o", "-", *map(str, sources))
    if out.returncode != 0:
        yield f"ctags: {out.stderr.strip()}"
    for line in out.stdout.splitlines():
        tag = json.loads(line)
        length = tag.get("end", tag["line"]) - tag["line"] + 1
        if length > FUNCTION:
            yield (f"{tag['path']}:{tag['line']}: {tag['name']}() has {length} lines, "
                   f"{FUNCTION} are the limit")


def main():
    sources = tree.files("*.[ch]")
    tree.end([*file_problems(sources), *function_problems(sources)], len(sources))


main()

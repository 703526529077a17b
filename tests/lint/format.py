#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every C file is as clang-format 14 leaves it; every text file ends in one newline, without
trailing blanks."""
import re

import tree


def text_problems(path):
    data = tree.read(path)
    for number, line in enumerate(data.split("\n"), 1):
        if line != line.rstrip():
            yield f"{path}:{number}: blanks at the end of the line"
    if data and not re.search(r"[^\n]\n\Z", data):
        yield f"{path}: wants exactly one newline at its end"


def main():
    version = tree.run(tree.tool("clang-format"), "--version").stdout
    if " 14." not in version:
        tree.skip(f"clang-format 14 decides, this is {version.strip()}")
    sources = tree.files("*.[ch]")
    problems = []
    result = tree.run("clang-format", "--dry-run", "-Werror", *map(str, sources))
    if result.returncode != 0:
        problems += [line for line in result.stderr.splitlines() if " error: " in line]
        problems = problems or [result.stderr]
    texts = tree.files("*.def", "*.py", "*.sh", "meson.build") + tree.files(
        "*.md", "*.scd", "*.cmds", under=("docs", "config"))
    for path in texts:
        problems += text_problems(path)
    tree.end(problems, len(sources) + len(texts))


main()

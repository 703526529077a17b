#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shell scripts parse, python programs compile, and each begins with its licence."""
import ast

import tree

LICENCE = "SPDX-License-Identifier: BSD-3-Clause"


def scripts():
    found = [p for p in map(tree.pathlib.Path, ("run", ".ci/run")) if (tree.ROOT / p).is_file()]
    return found + tree.files("*.sh", under=("config", "tests"))


def problems_of(path, check):
    problem = check(path)
    if problem:
        yield f"{path}: {problem}"
    if LICENCE not in "\n".join(tree.read(path).split("\n")[:3]):
        yield f"{path}: no {LICENCE} in its first three lines"


def shell(path):
    # dash is Debian's /bin/sh: what it refuses is not POSIX enough.
    return tree.run("sh", "-n", str(path)).stderr.strip()


def python(path):
    try:
        ast.parse(tree.read(path))
    except SyntaxError as e:
        return str(e)
    return ""


def licence_only(_):
    return ""


def main():
    jobs = [(p, shell) for p in scripts()]
    jobs += [(p, python) for p in tree.files("*.py", under=("config", "tests"))]
    jobs += [(p, licence_only) for p in tree.files("*.[ch]", "*.def")]
    tree.end([p for path, check in jobs for p in problems_of(path, check)], len(jobs))


main()

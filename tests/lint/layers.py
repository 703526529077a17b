#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every #include "..." of app, lib and drivers is one that the list in tests/lint/layers allows,
and worker code includes base/fast.h last."""
import re

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
WORKER_SOURCE = re.compile(r"^lib/datapath/.*\.c$|^lib/.*_fast[^/]*\.c$")


def allowed():
    table = {}
    for line in tree.read("tests/lint/layers").splitlines():
        line = line.split("#")[0].strip()
        if line:
            module, _, others = line.partition(":")
            table[module.strip()] = set(others.split())
    return table


def module_of(path):
    """lib/fib/fib.c -> fib; drivers/... -> drivers; app/... -> app."""
    return path.parts[1] if path.parts[0] == "lib" else path.parts[0]


def target(path, name):
    """(module, as a _fast header?) that an included name belongs to, or None when there is none."""
    if (tree.ROOT / "lib" / name).is_file() and "/" in name:
        return name.split("/")[0], "_fast" in name
    for top in ("app", "drivers"):
        for candidate in (tree.ROOT / name, tree.ROOT / top / name):
            if candidate.is_file() and candidate.is_relative_to(tree.ROOT / top):
                return top, False
    beside = tree.ROOT / path.parent / name
    if beside.is_file():
        return module_of(beside.relative_to(tree.ROOT)), False
    return None


def problems_of(path, table):
    text = tree.read(path)
    module = module_of(path)
    if module not in table:
        yield f"{path}: module {module} is not in tests/lint/layers"
        return
    mine = INCLUDE.findall(text)
    for mark, name in mine:
        if mark == "<":
            continue
        to = target(path, name)
        if to is None:
            yield f'{path}: "{name}" is no header of this tree (system headers take <>)'
        elif to[0] != module and (f"{to[0]}_fast" if to[1] else to[0]) not in table[module]:
            yield f'{path}: {module} may not include "{name}"'
    if WORKER_SOURCE.match(str(path)) and (not mine or mine[-1][1] != "base/fast.h"):
        yield f"{path}: worker code includes base/fast.h last"


def main():
    table = allowed()
    sources = tree.files("*.[ch]", under=tree.PRODUCT)
    tree.end((p for path in sources for p in problems_of(path, table)), len(sources))


main()

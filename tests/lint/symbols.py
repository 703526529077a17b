#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Worker code calls only what tests/lint/symbols allows, and nothing below app ends the process.

usage: symbols.py BUILD_DIR
"""
import pathlib
import re
import sys

import tree

# DPDK's inline functions bring __rte_panic with them; our own calls show in the source.
ENDS_PROCESS = {"exit", "_exit", "_Exit", "quick_exit", "abort", "rte_exit"}
ENDING_CALL = re.compile(r"\b(_?exit|_Exit|abort|rte_exit|rte_panic|RTE_VERIFY)\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def allowed():
    lines = (line.split("#")[0].strip() for line in tree.read("tests/lint/symbols").splitlines())
    return re.compile("|".join(f"(?:{line})" for line in lines if line))


def undefined(archive):
    """Symbols that the archive wants from elsewhere, and who wants each."""
    out = tree.run(tree.tool("nm"), "-A", str(archive))
    if out.returncode != 0:
        print(out.stderr.strip())
        sys.exit(1)
    wants, defined = {}, set()
    for line in out.stdout.splitlines():
        where, _, rest = line.rpartition(":")
        fields = rest.split()
        kind, symbol = fields[-2], fields[-1]
        if kind in "Uwv":
            wants.setdefault(symbol, pathlib.PurePath(where.split(":")[-1]).name)
        else:
            defined.add(symbol)
    return {s: w for s, w in wants.items() if s not in defined}


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    archives = [p for top in ("lib", "drivers") for p in sorted((build / top).rglob("*.a"))]
    sources = tree.files("*.[ch]", under=("lib", "drivers"))
    problems = [f"{path}: {call}() ends the process; only app/main.c may" for path in sources
                for call in ENDING_CALL.findall(COMMENT.sub("", tree.read(path)))]
    for archive in archives:
        for symbol, who in sorted(undefined(archive).items()):
            if symbol in ENDS_PROCESS:
                problems.append(f"{who}: {symbol}() ends the process; only app/main.c may")
            if archive.name == "libsluice_datapath.a" and not allowed().fullmatch(symbol):
                problems.append(f"{who}: {symbol} is not in tests/lint/symbols: worker code "
                                "may not call it")
    tree.end(problems, len(archives))


main()

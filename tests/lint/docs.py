#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each option and verdict, and each command, stands in the man page; each command completes in the
shell; links in the documents, and what they name in build/, lead somewhere.

usage: docs.py BUILD_DIR
"""
import pathlib
import re
import sys

import tree

MAN = "docs/man/sluice.8.scd"
COMPLETION = "config/completion/sluicectl.bash"
VERDICT = re.compile(r"^VERDICT\(\w+, (\w+),", re.M)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
COMMAND = re.compile(r'\.words = "([^"]+)"([^;]*?)\}', re.S)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
BUILT = re.compile(r"(?<![\w/-])build/([\w./-]*\w)")


def options(build):
    """What sluice --help shows."""
    out = tree.run(str(build / "app" / "sluice"), "--help")
    if out.returncode != 0 or not out.stdout:
        print(f"sluice --help: exit status {out.returncode}: {out.stderr.strip()}")
        sys.exit(1)
    return sorted(set(OPTION.findall(out.stdout)))


def commands():
    """The rows of lib/ctl, but those that say "not in this build"."""
    for path in tree.files("cmd*.c", under=("lib",)):
        for words, row in COMMAND.findall(tree.read(path)):
            if "CMD_LATER" not in row:
                yield words


def links(build):
    documents = tree.files("*.md", under=("docs", "drivers"))
    for path in [pathlib.Path("README.md"), *documents]:
        text = tree.read(path)
        for to in LINK.findall(text):
            if "://" not in to and not (tree.ROOT / path.parent / to).exists():
                yield f"{path}: link to {to}, which is not there"
        for to in BUILT.findall(text):
            if not (build / to).exists():
                yield f"{path}: build/{to}, which the build does not make"


def completion():
    lines = tree.read(COMPLETION).splitlines()
    for words in commands():
        if not any(line == words or line.startswith(words + " ") for line in lines):
            yield f"{COMPLETION}: no line for {words}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    # Without its markup, and with single blanks.
    man = re.sub(r"\s+", " ", re.sub(r"[\\*]", "", tree.read(MAN)))
    wanted = [*options(build), *commands()]
    wanted += VERDICT.findall(tree.read("lib/stats/verdict.def"))
    problems = [f"{MAN}: nothing about {word}" for word in wanted
                if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", man)]
    tree.end([*problems, *completion(), *links(build)], len(wanted))


main()

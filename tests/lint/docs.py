#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each option and verdict, and each command, stands in the man page; each command completes in the
shell; links in the documents, and what they name in build/, lead somewhere; the document on software
NICs has the keys, faults, commands and counters that the code has, and no others.

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
SOFTNICS = "docs/software-nics.md"
SPEC_TABLE = re.compile(r"struct spec_opt (\w+)\[\] = \{(.*?)\};", re.S)
SPEC_KIND = re.compile(r"struct (?:soft|wire)_kind \w+ = \{(.*?)\};", re.S)
SPEC_KEY = re.compile(r'\{ "(\w+)", SPEC_')
FAULT = re.compile(r'\[SOFTNIC_\w+\] = "(\w+)"')
ORDER = re.compile(r'^\t\{ "(\w+)", "[^"]*", "', re.M)
WIRE_ORDER = re.compile(r'strcmp\(argv\[0\], "(\w+)"\)')
COUNTER = re.compile(r'soft_report_(?:u64|text)\([^"]*"(\w+)"')
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


def model_files():
    return {path: tree.read(path) for path in tree.files("*.c", under=("drivers",))
            if "wire" in path.parts or "model" in path.parts}


def spec_keys(files):
    """{kind: its keys}, from the tables that the specification is read by."""
    tables = {(path, name): SPEC_KEY.findall(rows) for path, text in files.items()
              for name, rows in SPEC_TABLE.findall(text)}
    keys = {"run": next(rows for (_, name), rows in tables.items() if name == "run_opts")}
    for path, text in files.items():
        for kind in SPEC_KIND.findall(text):
            name = re.search(r'\.name = "(\w+)"', kind)[1]
            table = re.search(r"\.opts = (\w+)", kind)[1]
            keys[name] = tables[path, table] if (path, table) in tables else next(
                rows for (_, other), rows in tables.items() if other == table)
    return keys


def sections(text):
    """{heading: text below it}; a heading counts by its first word in backquotes, or as a whole."""
    parts = re.split(r"^#+ (.*)$", text, flags=re.M)
    return {(re.match(r"`(\w+)`", head) or re.match(r"(.*)", head))[1]: body
            for head, body in zip(parts[1::2], parts[2::2])}


def first_cells(body):
    """Names in backquotes in the first cells of tables."""
    cells = re.findall(r"^\| ((?:[^|]|\\\|)*) \|", body, re.M)
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def compare(place, documented, real):
    for word in sorted(set(real) - set(documented)):
        yield f"{SOFTNICS}: {place}: nothing about {word}"
    for word in sorted(set(documented) - set(real)):
        yield f"{SOFTNICS}: {place}: {word}, which the code does not have"


def software_nics():
    files, text = model_files(), tree.read(SOFTNICS)
    keys, parts = spec_keys(files), sections(text)
    wire = {path.name: text for path, text in files.items() if "wire" in path.parts}
    faults = FAULT.findall(wire["faults.c"])
    for kind, names in keys.items():
        if names:
            yield from compare(kind, first_cells(parts.get(kind, "")), names)
        elif f"`{kind}`" not in text:
            yield f"{SOFTNICS}: nothing about {kind}"
    yield from compare("Faults", first_cells(parts["Faults"]), faults)
    orders = ORDER.findall(wire["command.c"])
    for name, source in wire.items():
        if ".command = " in source:
            orders += [re.search(r'\.name = "(\w+)"', source)[1], *WIRE_ORDER.findall(source)]
    yield from compare("Control", first_cells(parts["Control"]), orders)
    counters = {word for source in wire.values() for word in COUNTER.findall(source)}
    for word in sorted(counters):
        if f"`{word}`" not in parts["Reports"]:
            yield f"{SOFTNICS}: Reports: nothing about {word}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    # Without its markup, and with single blanks.
    man = re.sub(r"\s+", " ", re.sub(r"[\\*]", "", tree.read(MAN)))
    wanted = [*options(build), *commands()]
    wanted += VERDICT.findall(tree.read("lib/stats/verdict.def"))
    problems = [f"{MAN}: nothing about {word}" for word in wanted
                if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", man)]
    tree.end([*problems, *completion(), *links(build), *software_nics()], len(wanted))


main()

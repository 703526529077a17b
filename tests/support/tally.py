#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Add up what the suites of "./run test" left in a directory: meson's testlog.json and pytest's
JUnit files, one per suite, and "broken", which names suites that did not get that far.

A cmocka program counts case by case, everything else as one.  The last line is
"N passed, N failed[, N skipped]"; the exit status is 1 unless all that ran passed and something ran.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

CMOCKA_RAN = re.compile(r"\[={10}\] .*?(\d+) test\(s\) run\.")
CMOCKA_FAILED = re.compile(r"\[  FAILED  \].* (\d+) test\(s\), listed below")
CMOCKA_SKIPPED = re.compile(r"\[  SKIPPED \].* (\d+) test\(s\), listed below")


def total(pattern, text):
    return sum(int(n) for n in pattern.findall(text))


def meson_test(entry):
    """[passed, failed, skipped] of one program."""
    if entry["result"] in ("SKIP", "IGNORED"):
        return [0, 0, 1]
    bad = entry["result"] not in ("OK", "EXPECTEDFAIL")
    text = entry.get("stdout", "") + entry.get("stderr", "")
    ran, failed = total(CMOCKA_RAN, text), total(CMOCKA_FAILED, text)
    skipped = total(CMOCKA_SKIPPED, text)
    if bad and failed == 0:
        failed, ran = 1, max(ran, 1)  # a crash, a time-out, a sanitizer's report
    if not bad and ran == 0:
        ran = 1
    return [max(ran - failed - skipped, 0), failed, skipped]


def meson_suite(path):
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["name"], meson_test(row)) for row in rows]


def junit_suite(path):
    rows = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        bad = case.find("failure") is not None or case.find("error") is not None
        skip = case.find("skipped") is not None
        rows.append((case.get("name"), [not (bad or skip), bad, skip and not bad]))
    return rows


def main(argv):
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    results = pathlib.Path(argv[1])
    suites = {p.stem: meson_suite(p) for p in sorted(results.glob("*.json"))}
    suites.update({p.stem: junit_suite(p) for p in sorted(results.glob("*.xml"))})
    broken = results / "broken"
    for name in broken.read_text(encoding="utf-8").split() if broken.exists() else []:
        suites.setdefault(name, []).append(("did not run to its end", [0, 1, 0]))

    passed = failed = skipped = 0
    for name, rows in suites.items():
        p, f, s = (sum(counts[i] for _, counts in rows) for i in range(3))
        print(f"{name}: {p} passed, {f} failed, {s} skipped")
        for test, counts in rows:
            if counts[1]:
                print(f"  failed: {name}: {test}")
        passed, failed, skipped = passed + p, failed + f, skipped + s
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

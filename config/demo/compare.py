#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does a JSON report hold what is expected?

usage: compare.py EXPECTED REPORT

EXPECTED is JSON; each of its values must be in REPORT at the same place.  What EXPECTED does not
mention may be anything.
"""
import json
import sys


def differences(expected, actual, where=""):
    if isinstance(expected, dict):
        for key, value in expected.items():
            at = f"{where}.{key}" if where else key
            if not isinstance(actual, dict) or key not in actual:
                yield f"{at}: missing"
            else:
                yield from differences(value, actual[key], at)
    elif isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            yield f"{where}: {len(expected)} elements expected"
            return
        for i, value in enumerate(expected):
            yield from differences(value, actual[i], f"{where}[{i}]")
    elif expected != actual:
        yield f"{where}: {actual}, expected {expected}"


def main(argv):
    if len(argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    with open(argv[1], encoding="utf-8") as e, open(argv[2], encoding="utf-8") as r:
        wrong = list(differences(json.load(e), json.load(r)))
    for line in wrong:
        print(f"compare: {line}", file=sys.stderr)
    if not wrong:
        print(f"compare: the report is as {argv[1]} expects")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

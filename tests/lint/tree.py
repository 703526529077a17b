# SPDX-License-Identifier: BSD-3-Clause
"""What the lints share: the tree's files, and how a lint ends."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRODUCT = ("app", "lib", "drivers")
SKIP = 77  # meson's exit status for "skipped"


def files(*patterns, under=PRODUCT + ("tests",)):
    """Paths below ROOT, sorted; build directories are not below these."""
    found = {p for top in under for pattern in patterns for p in (ROOT / top).rglob(pattern)}
    return sorted(p.relative_to(ROOT) for p in found if p.is_file())


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def tool(name):
    """Skip the lint when its tool is not there; "./run lint" installs it."""
    path = shutil.which(name)
    if path is None:
        skip(f"{name} is not installed")
    return path


def run(*argv):
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def end(problems, checked):
    """Print each problem, and leave: 0 when there are none and something was looked at."""
    problems = list(problems)
    for problem in problems:
        print(problem)
    print(f"{checked} checked, {len(problems)} wrong")
    sys.exit(1 if problems or not checked else 0)

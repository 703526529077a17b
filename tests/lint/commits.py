#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commit subjects since the root: "area: imperative, lower case", at most 60 characters."""
import re

import tree

SUBJECT = re.compile(r"^[a-z0-9][a-z0-9_/.,-]*( [a-z0-9_/.,-]+)?: (?![A-Z][a-z])\S.*[^.\s]$")
LENGTH = 60
# "adds", "added", "adding" where "add" is meant.
NOT_IMPERATIVE = re.compile(
    r": (add|fix|remov|mak|us|chang|updat|mov|renam|test|writ|implement|introduc|support)"
    r"(s|es|ed|ing) ")


def problems_of(subject):
    if len(subject) > LENGTH:
        yield f"{len(subject)} characters, {LENGTH} are the limit"
    if not SUBJECT.match(subject):
        yield 'wants "area: what it does", lower case, no full stop'
    elif NOT_IMPERATIVE.search(subject):
        yield 'wants the imperative: "add", not "adds" or "added"'


def main():
    if tree.run(tree.tool("git"), "rev-parse", "--is-inside-work-tree").returncode != 0:
        tree.skip("not a git work tree")
    log = tree.run("git", "log", "--no-merges", "--format=%h %s")
    commits = [line.split(" ", 1) for line in log.stdout.splitlines()]
    tree.end((f"{commit} {subject}: {p}" for commit, subject in commits
              for p in problems_of(subject)), len(commits))


main()

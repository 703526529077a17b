#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each header compiles alone, twice included, with gcc and with clang."""
import concurrent.futures
import os
import shlex

import tree

FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
         "-fsyntax-only", "-Ilib", "-Idrivers", "-Iapp", "-Itests", "-I."]


def compile_alone(job):
    compiler, path, flags = job
    # Through a source file, and twice: "#pragma once" and guards have to work.
    source = f'#include "{path}"\n#include "{path}"\n'
    command = [compiler, *FLAGS, *flags, "-x", "c", "-"]
    result = tree.subprocess.run(command, cwd=tree.ROOT, input=source, capture_output=True,
                                 text=True, check=False)
    if result.returncode == 0:
        return None
    first = next((line for line in result.stderr.splitlines() if "error" in line), result.stderr)
    return f"{path}: {compiler}: {first}"


def main():
    dpdk = tree.run("pkg-config", "--cflags", "libdpdk")
    if dpdk.returncode != 0:
        tree.skip("libdpdk is not installed")
    flags = [f.replace("-I/", "-isystem/") if f.startswith("-I/") else f
             for f in shlex.split(dpdk.stdout)]
    headers = tree.files("*.h")
    jobs = [(compiler, path, flags) for compiler in ("gcc", "clang") for path in headers
            if tree.tool(compiler)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [p for p in pool.map(compile_alone, jobs) if p]
    tree.end(problems, len(jobs))


main()

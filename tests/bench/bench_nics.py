#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cycles and instructions per packet of sluice's worker through the production PMDs, in lock-step.

One thread runs the NIC models and, between their turns, the worker; only the worker's turns are
timed, and only those whose bursts were full.  So neither a second core nor the models' speed
matters.  The models' writes leave descriptors and headers in this core's cache, where a NIC leaves
them in the last level: cycles are those of a warm cache.  Instructions are callgrind's: repeatable,
whatever else the machine does.

Rounds of all rows interleave, and a row is worth the median of its rounds.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PARTS = ["rx", "classify", "ip4", "rewrite", "tx", "settle"]
# callgrind's names of the parts; what is inside bench_turn() and in none of them is the loop's
FUNCTIONS = {"rx": "stage_rx", "classify": "stage_classify", "ip4": "stage_ip4",
             "rewrite": "stage_rewrite", "tx": "stage_tx", "settle": "stage_settle",
             "whole": "bench_turn"}
GEN = "gen,dst=198.18.0.0/15,spread=random,flows=4096"
SINK = "sink,verify=none"
ROWS = [("net_ixgbe, vector", "82599", "ixgbe", []),
        ("net_ixgbe, scalar", "82599", "ixgbe", ["--simd", "64"]),
        ("net_mlx5, DevX", "cx5", "mlx5", []),
        ("net_mlx5, MPRQ", "cx5", "mlx5", ["--devargs", "mprq_en=1,rxqs_min_mprq=1"])]
CALLGRIND = ["valgrind", "--tool=callgrind", "--toggle-collect=bench_turn", "--quiet",
             # the models decode the PMD's register accesses from the fault's register values
             "--px-default=allregs-at-mem-access", "--px-file-backed=allregs-at-mem-access"]


def command(row, turns, burst):
    _, nic, family, more = row
    plugin = BUILD / f"drivers/{family}/model/libsluice_{nic}.so"
    spec = f"run,step ; {nic} {GEN} ; {nic} {SINK}"
    bdf = ("0000:01:00.0", "0000:02:00.0") if nic == "82599" else ("0000:3b:00.0", "0000:3b:00.1")
    return ([str(BUILD / "tests/path/pmd_path"), "--plugin", str(plugin), "--bench", str(turns),
             "--burst", str(burst), *more],
            {**os.environ, "SLUICE_NICS": spec, "PMD_BDF0": bdf[0], "PMD_BDF1": bdf[1]})


def run(argv, env):
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=1800, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"turns"')]
    if done.returncode != 0 or not lines:
        raise SystemExit(f"bench: {' '.join(argv)}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(lines[0])


def instructions(row, options, folder):
    """{part: instructions per packet}"""
    argv, env = command(row, options.counted, options.burst)
    out = folder / "callgrind.out"
    result = run([*CALLGRIND, f"--callgrind-out-file={out}", *argv], env)
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(out)],
                          capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) .*:(\w+)( \[|$)", line)
        for part, name in FUNCTIONS.items():
            if match and match.group(2) == name and part not in found:
                found[part] = int(match.group(1).replace(",", "")) / result["packets"]
    return found


def print_table(title, rows, digits):
    print(f"\n{title}\n\n| PMD | {' | '.join([*PARTS, 'whole'])} |")
    print(f"|---|{'---|' * (len(PARTS) + 1)}")
    for name, values in rows:
        print(f"| {name} | " + " | ".join(f"{values.get(p, float('nan')):.{digits}f}"
                                          for p in [*PARTS, "whole"]) + " |")


def parse():
    p = argparse.ArgumentParser(prog="./run bench nics", description=__doc__.split("\n\n")[0])
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--turns", type=int, default=20000, help="of a round that count")
    p.add_argument("--burst", type=int, default=32)
    p.add_argument("--counted", type=int, default=2000, help="turns under callgrind; 0: none")
    p.add_argument("--json", default=str(BUILD / "bench/nics.json"))
    return p.parse_args()


def main():
    options = parse()
    seen = {row[0]: [] for row in ROWS}
    for number in range(options.rounds):
        for row in ROWS:
            seen[row[0]].append(run(*command(row, options.turns, options.burst))
                                ["cycles_per_packet"])
        print(f"round {number + 1}/{options.rounds}: " + ", ".join(
            f"{name} {rounds[-1]['whole']:.1f}" for name, rounds in seen.items()),
            file=sys.stderr, flush=True)
    cycles = [(name, {p: statistics.median(r[p] for r in rounds) for p in [*PARTS, "whole"]})
              for name, rounds in seen.items()]
    print_table(f"TSC cycles per packet, 60-byte frames, bursts of {options.burst}, medians of "
                f"{options.rounds} interleaved rounds", cycles, 1)
    counted = []
    if options.counted and shutil.which("valgrind"):
        with tempfile.TemporaryDirectory() as name:
            counted = [(row[0], instructions(row, options, pathlib.Path(name))) for row in ROWS]
        print_table("Instructions per packet (callgrind)", counted, 1)
    path = pathlib.Path(options.json)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"burst": options.burst, "rounds": seen, "cycles": dict(cycles),
                                "instructions": dict(counted)}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

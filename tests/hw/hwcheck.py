#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Acceptance of sluice's datapath on two real ports that a cable joins.

usage: ./run hwcheck PORT PORT        PORT is a PCI address; both bound to what their PMD needs

  gen, sink -- port B ====== cable ====== port A -- sluice: routes it back out

Every case sends numbered frames from one port; the other port's datapath routes them back, and each
one that returns is verified: order, checksums, TTL, payload.  Then the ports change places.  What a
case proves of a driver is only worth reporting from a real card; --software runs the same over two
82599 models, to see that the check itself works.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SLUICE_BUILD", ROOT / "build"))
CASE_S = 120
MAC = ("02:00:00:00:00:0a", "02:00:00:00:00:0b")
COUNT = 20000

# name, gen's options, the datapath's options
CASES = [(f"{size} bytes", f"size={size}", []) for size in (60, 64, 128, 256, 512, 1024, 1514)]
CASES += [("IMIX", "size=imix", []), ("bursts of 1", "size=60", ["--burst", "1"]),
          ("bursts of 256", "size=60", ["--burst", "256"]),
          ("4 queues", "size=60", ["--queues", "4"]),
          ("4 queues, IMIX", "size=imix", ["--queues", "4"]),
          ("scalar receive and transmit", "size=60", ["--simd", "64"]),
          ("9000 bytes", "size=9014", ["--mtu", "9000"])]


def command(options, dut, gen, more):
    """(argv, environment) of a case."""
    env = dict(os.environ)
    argv = [str(BUILD / "tests/hw/hwcheck"), "--dut", str(dut), *more]
    if not options.software:
        env.pop("SLUICE_NICS", None)
        return [*argv, "--allow", options.ports[0], "--allow", options.ports[1],
                "--gen", f"{gen},count={COUNT}"], env
    env["SLUICE_NICS"] = (
        f"run,step ; 82599,mac={MAC[0]} pair,with=1 ; 82599,mac={MAC[1]} pair,with=0 ; ethdev "
        f"gen,dst=198.18.0.0/15,spread=random,flows=64,dmac={MAC[dut]},{gen},count={COUNT} "
        f"sink,hops={options.hops}")
    return [*argv, "--no-huge", "--plugin",
            str(BUILD / "drivers/ixgbe/model/libsluice_82599.so")], env


def problems(r, dut):
    """What is not as it should be, in words."""
    sink = next(w for p in r["nics"]["ports"] for w in p["wires"] if w["wire"] == "sink")
    router, tester = r["ports"][dut], r["ports"][1 - dut]
    checks = [
        (sink["frames"] == COUNT, f"{sink['frames']} of {COUNT} frames came back"),
        (sink["bad_total"] == 0, f"{sink['bad_total']} frames were wrong: {sink['first_bad']}"),
        (sink["lost"] == 0, f"{sink['lost']} numbers are missing"),
        (sink["misordered"] + sink["duplicated"] == 0, f"order: {sink['first_disorder']}"),
        (r["unaccounted"] == 0, f"the ledger is off by {r['unaccounted']}"),
        (r["dropped"] == 0, f"the datapath dropped {r['dropped']}"),
        (r["pool_missing"] == 0, f"{r['pool_missing']} buffers did not come back"),
    ]
    for name, port in (("datapath's port", router), ("tester's port", tester)):
        checks += [(port[k] == 0, f"{name}: {k} {port[k]}")
                   for k in ("rx_missed", "rx_errors", "rx_nombuf", "tx_errors")]
    return [text for good, text in checks if not good]


def run(options, dut, gen, more):
    """(report or None, problems)"""
    argv, env = command(options, dut, gen, more)
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=CASE_S, check=False,
                              env=env)
    except subprocess.TimeoutExpired:
        return None, [f"no end within {CASE_S} s"]
    if done.returncode != 0 or "{\"" not in done.stdout:
        words = [w for w in done.stderr.splitlines() if w.strip()]
        return None, [words[-1] if words else f"exit status {done.returncode}"]
    report = json.loads(done.stdout[done.stdout.index("{\""):])
    return report, problems(report, dut)


def print_case(dut, name, report, wrong):
    modes = f"{report['rx_mode']} / {report['tx_mode']}" if report else "-"
    where = f"{report['name']} {report['driver']}" if report else f"port {dut}"
    print(f"{'FAIL' if wrong else 'ok':4}  {where}  {name:28} {modes}", flush=True)
    for text in wrong:
        print(f"      {text}")


def parse():
    p = argparse.ArgumentParser(prog="./run hwcheck", description=__doc__.split("\n\n")[0])
    p.add_argument("ports", nargs="*", metavar="PORT", help="two PCI addresses")
    p.add_argument("--software", action="store_true", help="two 82599 models instead of cards")
    p.add_argument("--cases", type=int, default=len(CASES), help="only the first N")
    p.add_argument("--hops", default="1", help=argparse.SUPPRESS)
    p.add_argument("--json", default=str(BUILD / "hwcheck.json"))
    options = p.parse_args()
    if options.software != (not options.ports) or len(options.ports) not in (0, 2):
        p.error("two ports, or --software")
    return options


def main():
    options = parse()
    failed, results = 0, []
    if options.software:
        print("hwcheck: software NICs: this says that the check works, nothing about a card")
    # Models are made anew for each case, and their start mostly waits; cards are there once.
    with concurrent.futures.ThreadPoolExecutor(4 if options.software else 1) as pool:
        jobs = [(dut, name, pool.submit(run, options, dut, gen, more))
                for dut in (0, 1) for name, gen, more in CASES[:options.cases]]
        for dut, name, job in jobs:
            report, wrong = job.result()
            failed += bool(wrong)
            results.append({"case": name, "dut": dut, "problems": wrong, "report": report})
            print_case(dut, name, report, wrong)
    pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"hwcheck: {len(results) - failed} passed, {failed} failed; details in {options.json}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

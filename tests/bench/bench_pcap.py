#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packets per second of sluice and of dpdk-testpmd, one core each, on a net_pcap port that replays a
capture for ever and drops what it is to send.

On a shared machine a mean says little: the programs take turns for some rounds, both counters are
read every 50 ms through EAL's telemetry, a run is worth the 90th percentile of its samples and a
program the median of its runs.  Writes build/bench/pcap.json and prints a table.
"""
import argparse
import contextlib
import json
import os
import pathlib
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support import traffic  # noqa: E402

SAMPLE_S = 0.05
START_S = 20
NB_ROUTES = NB_PACKETS = 1000
GATEWAYS = 8
# Rows of the table: name, program, arguments; and what sluice has to reach of the first row.
TARGETS = {"sluice io": 0.95, "sluice ip4": 0.60}


class BenchError(Exception):
    pass


class Telemetry:
    """EAL's telemetry socket of a file prefix: one JSON answer a command."""

    def __init__(self, prefix, process):
        runtime = "/var/run" if os.geteuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/tmp")
        path = f"{runtime}/dpdk/{prefix}/dpdk_telemetry.v2"
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        deadline = time.monotonic() + START_S
        while True:
            try:
                self.sock.connect(path)
                break
            except OSError:
                if process.poll() is not None:
                    raise BenchError(f"it ended at once, exit status {process.returncode}")
                if time.monotonic() > deadline:
                    raise BenchError(f"no telemetry at {path} within {START_S} s")
                process_wait(process, SAMPLE_S)
        self.size = json.loads(self.sock.recv(1024))["max_output_len"]

    def sent(self, port=0):
        """(time, packets received, packets sent)."""
        self.sock.send(f"/ethdev/stats,{port}".encode())
        stats = json.loads(self.sock.recv(self.size))["/ethdev/stats"]
        if not stats:
            return time.monotonic(), 0, 0
        return time.monotonic(), stats["ipackets"], stats["opackets"]

    def close(self):
        self.sock.close()


def process_wait(process, seconds):
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def p90(values):
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.9))]


def sample(telemetry, process, seconds):
    """Rates of packets sent, in packets per second, one for each 50 ms."""
    deadline = time.monotonic() + START_S
    while telemetry.sent()[2] == 0:  # starting still
        if time.monotonic() > deadline:
            raise BenchError("it forwards nothing")
        process_wait(process, SAMPLE_S)
        if process.poll() is not None:
            raise BenchError(f"it ended early, exit status {process.returncode}")
    rates = []
    before = telemetry.sent()
    end = before[0] + seconds
    while before[0] < end:
        process_wait(process, SAMPLE_S)
        now = telemetry.sent()
        rates.append((now[2] - before[2]) / (now[0] - before[0]))
        before = now
    return rates


def run_once(argv, prefix, seconds, log):
    with open(log, "wb") as out:
        # testpmd ends at the end of its input, so it gets a pipe that stays open.
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=out, stderr=out, cwd=ROOT)
        telemetry = None
        try:
            telemetry = Telemetry(prefix, process)
            return p90(sample(telemetry, process, seconds))
        except BenchError as e:
            tail = pathlib.Path(log).read_text(errors="replace").splitlines()[-15:]
            raise BenchError(f"{argv[0]}: {e}\n" + "\n".join(tail))
        finally:
            if telemetry is not None:
                telemetry.close()
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdin.close()
            shutil.rmtree(f"/var/run/dpdk/{prefix}", ignore_errors=True)


def write_inputs(folder):
    table = traffic.routes(NB_ROUTES)
    traffic.write_pcap(folder / "in.pcap", [
        traffic.udp_frame(dst, sport=1024 + i) for i, dst in
        enumerate(traffic.destinations(table, NB_PACKETS))])
    gateway = "198.18.0.%d"
    with open(folder / "setup.cmds", "w", encoding="ascii") as f:
        f.write("addr add 198.18.0.1/24 dev net_pcap0\n")
        for g in range(GATEWAYS):
            f.write(f"neigh add {gateway % (g + 2)} lladdr 02:00:00:00:01:{g:02x} dev net_pcap0\n")
    with open(folder / "routes", "w", encoding="ascii") as f:
        for i, (prefix, length) in enumerate(table):
            f.write(f"{traffic.ip_text(prefix)}/{length} via {gateway % (i % GATEWAYS + 2)}\n")


def rows(folder, options):
    """[(name, file prefix, argv)]"""
    def eal(prefix):
        memory = ["--in-memory"] if options.huge else ["--no-huge", "--no-shconf"]
        return [*memory, "-m", "512", f"--file-prefix={prefix}", "--no-pci", "--lcores",
                options.lcores, "--log-level=lib.eal:error", "--vdev",
                f"net_pcap0,rx_pcap={folder}/in.pcap,infinite_rx=1", "--"]

    def testpmd(mode):
        prefix = f"bench_testpmd_{mode}"
        return (f"testpmd {mode}", prefix,
                ["dpdk-testpmd", *eal(prefix), f"--forward-mode={mode}", "--nb-cores=1",
                 "--total-num-mbufs=16384", "--no-lsc-interrupt"])

    def sluice(mode, *more):
        prefix = f"bench_sluice_{mode}"
        return (f"sluice {mode}", prefix,
                [options.sluice, *eal(prefix), "--config", "(0,0,1)", "--total-num-mbufs=16384",
                 "--forward-mode", mode, "--auto-start", *more, *options.more])

    return [testpmd("io"), testpmd("mac"), sluice("io"), sluice("mac"),
            sluice("ip4", "--cmdline-file", f"{folder}/setup.cmds",
                   "--route-file", f"{folder}/routes")]


def measure(programs, options, folder):
    p90s = {name: [] for name, _, _ in programs}
    for number in range(options.rounds):
        for name, prefix, argv in programs:
            p90s[name].append(run_once(argv, prefix, options.seconds, folder / f"{prefix}.log"))
        print(f"round {number + 1}/{options.rounds}: " + ", ".join(
            f"{name} {values[-1] / 1e6:.1f}" for name, values in p90s.items()),
            file=sys.stderr, flush=True)
    return p90s


def report(p90s, options):
    base = statistics.median(next(iter(p90s.values())))
    result = {"machine": platform.processor() or platform.machine(), "kernel": platform.release(),
              "rig": "net_pcap infinite_rx=1, one core", "routes": NB_ROUTES,
              "destinations": NB_PACKETS, "hugepages": options.huge, "rounds": options.rounds,
              "rows": []}
    print(f"\n| program | Mpps min | median | max | ns/packet | of {next(iter(p90s))} | wanted |")
    print("|---|---|---|---|---|---|---|")
    for name, values in p90s.items():
        median = statistics.median(values)
        ratio, target = median / base, TARGETS.get(name)
        result["rows"].append({"program": name, "pps": values, "median_pps": median,
                               "ratio": ratio, "target": target})
        wanted = "" if target is None else f"{target:.2f} {'met' if ratio >= target else 'MISSED'}"
        print(f"| {name} | {min(values) / 1e6:.1f} | {median / 1e6:.1f} | {max(values) / 1e6:.1f} "
              f"| {1e9 / median:.1f} | {ratio:.2f} | {wanted} |")
    print(f"\n{NB_ROUTES} routes, {NB_PACKETS} random destinations, 60-byte frames, "
          f"{'hugepages' if options.huge else 'no hugepages'}; "
          f"90th percentile of 50 ms samples, {options.rounds} interleaved rounds")
    return result


def parse():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--rounds", type=int, default=6)
    p.add_argument("--seconds", type=float, default=2.0, help="of each run that count")
    p.add_argument("--sluice", default=str(ROOT / "build/app/sluice"))
    p.add_argument("--lcores", default="(0)@0,(1)@1", help="EAL's; lcore 1 forwards")
    p.add_argument("--huge", action="store_true", help="2 MB hugepages, 256 of them free")
    p.add_argument("--json", default=str(ROOT / "build/bench/pcap.json"))
    p.add_argument("more", nargs="*", help="further sluice options, behind --")
    return p.parse_args()


def main():
    options = parse()
    if shutil.which("dpdk-testpmd") is None:
        print("bench: dpdk-testpmd is not here; apt-get install dpdk-dev", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="sluice-bench-") as name:
        folder = pathlib.Path(name)
        write_inputs(folder)
        try:
            p90s = measure(rows(folder, options), options, folder)
        except BenchError as e:
            print(f"bench: {e}", file=sys.stderr)
            return 1
    result = report(p90s, options)
    path = pathlib.Path(options.json)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

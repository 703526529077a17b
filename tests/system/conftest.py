# SPDX-License-Identifier: BSD-3-Clause
"""What every system test has: the tree's support modules, and runs of sluice on two net_pcap ports
that end with the test, whatever the test does.

SLUICE_BUILD names the build directory; build/ is the default.
"""
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import traffic  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SLUICE_BUILD", ROOT / "build"))
RUN_S = 60
POLL_S = 0.02
SETUP = """\
addr add 10.0.0.1/24 dev 0
addr add 192.168.1.1/24 dev net_pcap1
neigh add 192.168.1.2 lladdr 02:00:00:00:01:02 dev 1
route add 10.1.0.0/16 via 192.168.1.2
"""
# What SETUP forwards: to port 1, and from there to its neighbour.
SOURCE = traffic.ip_number("10.0.0.2")
NEIGHBOUR_MAC = "02:00:00:00:01:02"
prefixes = itertools.count()


class Runner:
    """sluice on IN -> net_pcap0, net_pcap1 -> OUT1, in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.report = folder / "report.json"
        self.running = []
        self.prefixes = []
        self.capture(0)
        traffic.write_pcap(folder / "empty.pcap", [])
        self.write("setup.cmds", SETUP)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def capture(self, count):
        """IN with so many packets that SETUP forwards, each with another destination and size."""
        frames = [traffic.udp_frame(traffic.ip_number("10.1.0.0") + i % 65000 + 1, src=SOURCE,
                                    sport=1024 + i % 40000, size=60 + i % 1400)
                  for i in range(count)]
        traffic.write_pcap(self.folder / "in.pcap", frames)
        return frames

    def eal(self, lcores="0,1", memory=256):
        self.prefixes.append(f"sluice-{os.getpid()}-{next(prefixes)}")
        return ["--no-huge", "-m", str(memory), "--no-pci", "-l", lcores, "--no-telemetry",
                "--file-prefix", self.prefixes[-1], "--log-level=lib.eal:error",
                "--vdev", "net_pcap0,rx_pcap=in.pcap,tx_pcap=out0.pcap",
                "--vdev", "net_pcap1,rx_pcap=empty.pcap,tx_pcap=out1.pcap"]

    def start(self, *options, eal=None, stdin=subprocess.DEVNULL, stdout=None):
        """A running sluice; its words are in out.txt and err.txt."""
        argv = [str(BUILD / "app" / "sluice"), *(self.eal() if eal is None else eal), "--",
                *map(str, options)]
        with open(self.folder / "out.txt", "wb") as out, open(self.folder / "err.txt", "wb") as err:
            process = subprocess.Popen(argv, cwd=self.folder, stdin=stdin, stdout=stdout or out,
                                       stderr=err)
        self.running.append(process)
        return process

    def run(self, *options, eal=None, stdin=subprocess.DEVNULL):
        """The exit status of a run that ends by itself."""
        return self.start(*options, eal=eal, stdin=stdin).wait(RUN_S)

    def out(self):
        return (self.folder / "out.txt").read_text(errors="replace")

    def err(self):
        return (self.folder / "err.txt").read_text(errors="replace")

    def json(self):
        return json.loads(self.report.read_text(encoding="utf-8"))

    def wait_for(self, text, process):
        """Until sluice has said so."""
        deadline = time.monotonic() + RUN_S
        while text not in self.out() + self.err():
            assert process.poll() is None, f"ended with {process.returncode}:\n{self.err()}"
            assert time.monotonic() < deadline, f"never said '{text}':\n{self.out()}{self.err()}"
            time.sleep(POLL_S)

    def forwarding(self, *options):
        """A sluice that forwards and would go on for ever."""
        process = self.start("--auto-start", "--cmdline-file", "setup.cmds", *options)
        self.wait_for("forwarding: mode", process)
        return process

    def ctl(self, command):
        return subprocess.run([str(BUILD / "app" / "sluicectl"), "--socket",
                               str(self.folder / "ctl.sock"), command], capture_output=True,
                              text=True, timeout=RUN_S, check=False)

    def sent(self):
        """The IPv4 frames of OUT1: ARP announcements are not what came in."""
        return [f for f in traffic.read_pcap(self.folder / "out1.pcap") if f[12:14] == b"\x08\x00"]

    def close(self):
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
        for prefix in self.prefixes:
            shutil.rmtree(f"/var/run/dpdk/{prefix}", ignore_errors=True)


@pytest.fixture
def sluice(tmp_path):
    runner = Runner(tmp_path)
    yield runner
    runner.close()

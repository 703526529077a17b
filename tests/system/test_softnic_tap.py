# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's stack at both ends of sluice's cables, the production PMDs in between.

  namespace a: far0 10.0.0.2 --- TAP --- NIC 0 | sluice | NIC 1 --- TAP --- far1 10.0.1.2: namespace b
"""
import hashlib
import json
import os
import subprocess
import sys
import time

import pytest
from conftest import BUILD, RUN_S

from softnic import BDF, PLUGIN, Control, needs_softnic

pytestmark = needs_softnic
SETUP = """\
addr add 10.0.0.1/24 dev 0
addr add 10.0.1.1/24 dev 1
"""
LINK_S = 20  # net_ixgbe looks at a link seconds after it was told of a change
SERVER = """\
import hashlib, socket, sys
s = socket.create_server(("10.0.1.2", 5001))
print("ready", flush=True)
c, _ = s.accept()
h, n = hashlib.sha256(), 0
while data := c.recv(1 << 16):
    h.update(data)
    n += len(data)
print(n, h.hexdigest(), flush=True)
"""
CLIENT = """\
import socket, sys
c = socket.create_connection(("10.0.1.2", 5001), timeout=60)
c.sendall(sys.stdin.buffer.read())
"""


class Cable:
    """sluice between two namespaces that end with it."""

    def __init__(self, folder, kind):
        self.folder = folder
        self.holders = [subprocess.Popen(["unshare", "--net", "sleep", "600"]) for _ in range(2)]
        home = os.readlink("/proc/self/ns/net")
        self.until(lambda: all(os.readlink(self.netns(i)) != home for i in range(2)), "namespaces")
        wires = " ; ".join(f"{kind} tap,name=far{i},netns={self.netns(i)}" for i in range(2))
        self.nics = Control(folder / "nics.sock")
        (folder / "setup.cmds").write_text(SETUP, encoding="ascii")
        argv = [BUILD / "app/sluice", "--no-huge", "--no-shconf", "--no-telemetry", "-m", "256",
                "-l", "0,1", "--log-level=lib.eal:error", "-d", PLUGIN[kind],
                *[word for bdf in BDF[kind] for word in ("-a", bdf)],
                "--", "--auto-start", "--cmdline-file", "setup.cmds"]
        with open(folder / "out.txt", "wb") as out:
            self.process = subprocess.Popen(
                [str(word) for word in argv], cwd=folder, stdout=out, stderr=out,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": str(folder),
                     "SLUICE_NICS": f"run,control={self.nics.path} ; {wires}"})

    def netns(self, end):
        return f"/proc/{self.holders[end].pid}/ns/net"

    def argv(self, end, *words):
        return ["nsenter", f"--net={self.netns(end)}", *words]

    def at(self, end, *words):
        return subprocess.run(self.argv(end, *words), capture_output=True, text=True,
                              timeout=RUN_S, check=False)

    def said(self):
        return (self.folder / "out.txt").read_text(errors="replace")

    def until(self, condition, what, seconds=RUN_S):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"not within {seconds} s: {what}\n{self.said()}"
            time.sleep(0.05)

    def bring_up(self):
        def ready():
            assert self.process.poll() is None, self.said()
            return "forwarding: mode" in self.said()
        self.until(ready, "forwarding")
        for end in range(2):
            for words in (["addr", "add", f"10.0.{end}.2/24", "dev", f"far{end}"],
                          ["route", "add", "default", "via", f"10.0.{end}.1"]):
                done = self.at(end, "ip", *words)
                assert done.returncode == 0, done.stderr
            self.until(lambda: self.carrier(end), "the carrier", LINK_S)

    def carrier(self, end):
        return "state UP" in self.at(end, "ip", "link", "show", f"far{end}").stdout

    def ping(self, *options):
        """Ten.  ping leaves soon after the last, so on a busy machine answers may come too late."""
        return self.at(0, "ping", "-n", "-c", "10", "-i", "0.02", *options, "10.0.1.2")

    def all_answered(self, *options):
        return " 0% packet loss" in self.ping(*options).stdout

    def stats(self):
        answer = self.nics.ask("stats json")
        return [port["stats"] for port in json.loads(answer[answer.index("{"):])["ports"]]

    def close(self):
        for process in [self.process, *self.holders]:
            if process.poll() is None:
                process.kill()
            process.wait()


@pytest.fixture(params=["82599", "cx5"])
def cable(request, tmp_path):
    made = Cable(tmp_path, request.param)
    try:
        made.bring_up()
        yield made
    finally:
        made.close()


def test_the_kernel_talks_through_it(cable):
    cable.until(lambda: "ttl=63" in cable.ping().stdout, "an answer, one hop older")
    cable.until(cable.all_answered, "answers")
    cable.until(lambda: cable.all_answered("-s", "1472", "-M", "do"), "answers to the longest")
    for stats in cable.stats():
        assert stats["rx_frames"] >= 30 and stats["tx_frames"] >= 30
        assert stats["dma_errors"] == stats["bad_descriptors"] == stats["rx_bad"] == 0


def test_a_connection_carries_every_byte(cable):
    data = os.urandom(4 << 20) * 2
    with subprocess.Popen(cable.argv(1, sys.executable, "-c", SERVER), stdout=subprocess.PIPE,
                          text=True) as server:
        try:
            assert server.stdout.readline() == "ready\n"
            subprocess.run(cable.argv(0, sys.executable, "-c", CLIENT), input=data, check=True,
                           timeout=RUN_S)
            assert server.stdout.readline().split() == [str(len(data)),
                                                        hashlib.sha256(data).hexdigest()]
        finally:
            server.kill()


def test_a_link_that_goes_takes_the_carrier(cable):
    cable.until(cable.all_answered, "answers")
    cable.nics.ask("fault 0 link_down 1")
    cable.until(lambda: not cable.carrier(0), "no carrier", LINK_S)
    assert cable.carrier(1)
    assert " 0 received" in cable.at(0, "ping", "-n", "-c", "3", "-W", "1", "10.0.1.2").stdout
    cable.nics.ask("fault 0 link_down 0")
    cable.until(lambda: cable.carrier(0), "the carrier", LINK_S)
    cable.until(cable.all_answered, "answers")

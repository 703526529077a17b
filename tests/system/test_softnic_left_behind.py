# SPDX-License-Identifier: BSD-3-Clause
"""What software NICs leave on the machine: nothing after an end, and after SIGKILL nothing that the
next start does not remove.

  NIC 0 --- loop        NIC 1 --- far end: a kernel interface in a network namespace of its own
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from conftest import BUILD

from softnic import BDF, PLUGIN, needs_softnic

pytestmark = needs_softnic
KIND = pytest.mark.parametrize("kind", ["82599", "cx5"])
WAIT_S = 60
POLL_S = 0.02


class Place:
    """Where everything is that a run makes: a TMPDIR, a socket in it, a namespace."""

    def __init__(self, folder):
        self.folder = folder
        self.socket = folder / "nics.sock"
        self.running = []
        # What is in a namespace goes with its last process: here this one.
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        self.netns = f"/proc/{self.holder.pid}/ns/net"
        home = os.readlink("/proc/self/ns/net")
        wait_for(lambda: os.readlink(self.netns) != home, "the namespace")

    def start(self, kind, wire="loop"):
        spec = (f"run,control={self.socket} ; {kind} {wire} ; "
                f"{kind} tap,name=far0,netns={self.netns}")
        argv = [BUILD / "app/sluice", "--no-huge", "--no-shconf", "--no-telemetry", "-m", "256",
                "-l", "0,1", "--log-level=lib.eal:error", "-d", PLUGIN[kind],
                *[word for bdf in BDF[kind] for word in ("-a", bdf)],
                "--", "--auto-start", "--socket", "ctl.sock"]
        out = open(self.folder / f"out{len(self.running)}.txt", "wb")
        with out:
            process = subprocess.Popen([str(word) for word in argv], cwd=self.folder, stdout=out,
                                       stderr=out, stdin=subprocess.DEVNULL,
                                       env={**os.environ, "SLUICE_NICS": spec,
                                            "TMPDIR": str(self.folder)})
        self.running.append(process)
        return process

    def said(self, process):
        return (self.folder / f"out{self.running.index(process)}.txt").read_text(errors="replace")

    def forwarding(self, kind):
        process = self.start(kind)

        def ready():
            assert process.poll() is None, self.said(process)
            return "forwarding: mode" in self.said(process)
        wait_for(ready, "forwarding", lambda: self.said(process))
        return process

    def pmd_socket(self, process):
        """What net_mlx5 makes outside of our folder."""
        return pathlib.Path(f"/var/tmp/dpdk_net_mlx5_{process.pid}")

    def trees(self):
        return sorted(self.folder.glob("sluice-nics.*"))

    def interfaces(self):
        done = subprocess.run(["nsenter", f"--net={self.netns}", "cat", "/proc/net/dev"],
                              capture_output=True, text=True, check=True)
        return [line.split(":")[0].strip() for line in done.stdout.splitlines()[2:]]

    def close(self):
        for process in [*self.running, self.holder]:
            if process.poll() is None:
                process.kill()
            process.wait()


def wait_for(condition, what, words=lambda: ""):
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, f"not within {WAIT_S} s: {what}\n{words()}"
        time.sleep(POLL_S)


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.close()


@KIND
def test_an_end_leaves_nothing(place, kind):
    process = place.forwarding(kind)
    assert len(place.trees()) == 1
    assert place.socket.is_socket()
    assert "far0" in place.interfaces()
    process.send_signal(signal.SIGTERM)
    assert process.wait(WAIT_S) == 0, place.said(process)
    assert place.trees() == []
    assert not place.socket.exists()
    assert not place.pmd_socket(process).exists()
    assert "far0" not in place.interfaces()


@KIND
def test_the_start_after_a_kill_clears_up(place, kind):
    killed = place.forwarding(kind)
    left = place.trees()
    killed.kill()
    killed.wait()
    assert place.trees() == left and len(left) == 1
    assert "far0" not in place.interfaces()  # the kernel's part of it
    if kind == "cx5" and os.access("/var/tmp", os.W_OK):
        assert place.pmd_socket(killed).exists()
    process = place.forwarding(kind)
    assert len(place.trees()) == 1 and place.trees() != left
    assert not place.pmd_socket(killed).exists()
    process.send_signal(signal.SIGTERM)
    assert process.wait(WAIT_S) == 0, place.said(process)
    assert place.trees() == []
    assert not place.socket.exists()


def test_a_start_leaves_the_living_alone(place):
    first = place.forwarding("82599")
    theirs = place.trees()
    second = place.start("82599")  # its socket and its interface are taken
    second.wait(WAIT_S)
    assert place.trees() == theirs
    assert "SLUICE_NICS: run,control=" in place.said(second)
    assert first.poll() is None
    assert place.socket.is_socket()


@KIND
def test_a_failed_start_leaves_nothing(place, kind):
    process = place.start(kind, wire="pcap,in=none.pcap")
    process.wait(WAIT_S)
    lines = [line for line in place.said(process).splitlines() if "softnic:" in line]
    assert len(lines) == 1 and "none.pcap: No such file" in lines[0], place.said(process)
    assert place.trees() == []
    assert not place.socket.exists()
    assert "far0" not in place.interfaces()


def test_every_process_of_a_crowd_has_its_own(place):
    """Ten at a time, half of them killed: no start removes what a living one has."""
    code = ("import ctypes, os, sys, time\n"
            "wire = ctypes.CDLL(sys.argv[1])\n"
            "wire.tree_root.restype = ctypes.c_char_p\n"
            "print(wire.tree_root(None).decode(), flush=True)\n"
            "time.sleep(600)\n")
    wire = BUILD / "drivers/wire/libsluice_wire.so"
    for _ in range(3):
        crowd = [subprocess.Popen([sys.executable, "-c", code, str(wire)], text=True,
                                  stdout=subprocess.PIPE,
                                  env={**os.environ, "TMPDIR": str(place.folder)})
                 for _ in range(10)]
        place.running += crowd
        roots = [process.stdout.readline().strip() for process in crowd]
        assert len(set(roots)) == len(crowd)
        for process, root in zip(crowd, roots):
            assert pathlib.Path(root).is_dir(), root
        for process in crowd[::2]:
            process.kill()
        for process in crowd[1::2]:
            process.terminate()
        for process in crowd:
            process.wait()
            process.stdout.close()
    process = place.forwarding("82599")
    assert len(place.trees()) == 1
    process.kill()

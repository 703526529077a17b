# SPDX-License-Identifier: BSD-3-Clause
"""Software NICs for tests: their specification, their plugins, their control socket, and what the
tests in lock-step run on."""
import json
import os
import pathlib
import re
import socket
import subprocess
import time

import pytest

from program import POLL_S, Sluice

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SLUICE_BUILD", ROOT / "build"))
PLUGIN = {"82599": BUILD / "drivers/ixgbe/model/libsluice_82599.so",
          "cx5": BUILD / "drivers/mlx5/model/libsluice_cx5.so"}
RUN_S = 120


def unusable():
    """Why software NICs cannot run here, or None."""
    if os.uname().machine != "x86_64":
        return "the models are for x86-64"
    if os.geteuid() != 0:
        return "wants root, for the interface behind a ConnectX-5"
    if not os.path.exists("/dev/net/tun"):
        return "wants /dev/net/tun"
    return None


needs_softnic = pytest.mark.skipif(unusable() is not None, reason=str(unusable()))


class Nic:
    """A NIC model, how its PMD is told to be, and what that makes of a port."""

    def __init__(self, name, kind, options="", devargs=None, simd=None, rx=None, tx=None):
        self.name, self.kind, self.options = name, kind, options
        self.devargs, self.simd, self.rx, self.tx = devargs, simd, rx, tx

    def word(self, **options):
        """The NIC's word in a specification."""
        return ",".join([self.kind, *filter(None, [self.options]),
                         *(f"{k}={v}" for k, v in options.items())])

    @property
    def plugin(self):
        return PLUGIN[self.kind]

    def __repr__(self):
        return self.name


# Each receive and transmit function that the two PMDs choose between; the words are those that
# "show port info" has.
NICS = [
    Nic("82599", "82599", rx="vector", tx="vector"),
    Nic("82599-scalar", "82599", simd="64", rx="scalar", tx="scalar"),
    Nic("cx5", "cx5", rx="Vector", tx="Enhanced MPW"),
    Nic("cx5-scalar", "cx5", devargs="rx_vec_en=0", rx="Scalar", tx="Enhanced MPW"),
    Nic("cx5-mprq", "cx5", devargs="mprq_en=1,rxqs_min_mprq=1", rx="MPRQ Vector",
        tx="Enhanced MPW"),
    Nic("cx5-inline", "cx5", devargs="txq_inline_mpw=128,txqs_min_inline=1", rx="Vector",
        tx="Enhanced MPW"),
    Nic("cx5-send", "cx5", devargs="txq_mpw_en=0", rx="Vector", tx="No MPW"),
    Nic("cx5-verbs", "cx5", options="mode=verbs", devargs="dv_flow_en=0", rx="Vector",
        tx="Enhanced MPW"),
]
BDF = {"82599": ("0000:01:00.0", "0000:02:00.0"), "cx5": ("0000:3b:00.0", "0000:3b:00.1")}


def lockstep(nic, wires, *options, seed=1):
    """pmd_path on two ports with these wires: what it printed, which is JSON."""
    spec = f"run,step,seed={seed}" + "".join(f" ; {nic.word(**o)} {w}" for o, w in wires)
    argv = [str(BUILD / "tests/path/pmd_path"), "--plugin", str(nic.plugin), *map(str, options)]
    if nic.devargs:
        argv += ["--devargs", nic.devargs]
    if nic.simd:
        argv += ["--simd", nic.simd]
    bdf = BDF[nic.kind]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=RUN_S, check=False,
                          env={**os.environ, "SLUICE_NICS": spec, "PMD_BDF0": bdf[0],
                               "PMD_BDF1": bdf[1]})
    assert done.returncode == 0, f"SLUICE_NICS='{spec}' {' '.join(argv)}\n{done.stdout}{done.stderr}"
    return json.loads(done.stdout[done.stdout.index('{"'):])


def wire(report, port, name):
    """A wire's counters in a report of the software NICs."""
    return next(w for w in report["ports"][port]["wires"] if w["wire"] == name)


class Control:
    """The control socket of the software NICs in some process."""

    def __init__(self, path):
        self.path = str(path)

    def ask(self, line):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(RUN_S)
            s.connect(self.path)
            s.sendall(f"{line}\n".encode())
            s.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := s.recv(1 << 16):
                answer += chunk
        head, _, body = answer.decode().partition("\n")
        assert head.startswith("ok "), f"{line}: {answer}"
        return body

    def stats(self):
        return json.loads(self.ask("stats json"))


class Counts(dict):
    """What sluice and its NICs have counted, by dotted names: "port0.rx_missed", "nic1.tx_frames",
    "sink.lost", "ledger.sent", "dropped.tx_full"."""

    # What moves when nothing is wrong.
    NORMAL = re.compile(r"port.\.(id|.._packets|.._bytes)|nic.\.(rx_offered|.x_frames|.x_bytes|traps)|"
                        r"gen\..*|sink\.(?!lost|misordered|duplicated|late|untracked|bad_).*|"
                        r"ledger\.(received|originated|sent|held)")

    def take(self, name, numbers):
        self.update({f"{name}.{k}": v for k, v in numbers.items() if isinstance(v, int)})

    def __sub__(self, other):
        return Counts({k: v - other[k] for k, v in self.items()})

    def wrong(self, expected):
        """What is not as expected, or moved although it should not; {} when all is well.  A function
        gets the counts and returns the number."""
        want = {k: v(self) if callable(v) else v for k, v in expected.items()}
        odd = {k: 0 for k, v in self.items() if v and k not in want and not self.NORMAL.fullmatch(k)}
        return {k: f"{self[k]}, want {v}" for k, v in {**want, **odd}.items() if self[k] != v}


class Forwarder(Sluice):
    """sluice in a process of its own, between a gen at NIC 0 and a sink at NIC 1; a test gives out
    the traffic in portions.

    The gen sends as fast as it goes and waits where the receive ring is full, so a machine that is
    busy elsewhere loses nothing; at a rate it drops what finds no room.  All that a receive ring has
    fits into a transmit ring.
    """
    SETUP = ("addr add 10.0.0.1/24 dev 0", "addr add 10.0.1.1/24 dev 1",
             "neigh add 10.0.1.2 lladdr 02:00:00:00:01:02 dev 1",
             "route add 198.18.0.0/15 via 10.0.1.2")
    RXD, TXD = 1024, 2048
    LIMIT_S = 30

    def __init__(self, nic, folder):
        self.nic, self.nics, self.seen = nic, Control(folder / "nics.sock"), 0
        spec = (f"run,cpu=0,control={self.nics.path} ; "
                f"{nic.word()} gen,dst=198.18.0.0/15,spread=random,flows=64,start=manual ; "
                f"{nic.word()} sink,hops=1")
        eal = ["-d", str(nic.plugin)]
        if nic.devargs:
            eal += [word for bdf in BDF[nic.kind] for word in ("-a", f"{bdf},{nic.devargs}")]
        super().__init__(folder, [], ["--rxd", str(self.RXD), "--txd", str(self.TXD)], self.SETUP,
                         memory=256, eal=eal, env={"SLUICE_NICS": spec})

    def __enter__(self):
        super().__enter__()
        try:
            for port in 0, 1:
                self.logged(f"{self.port(port)}: link up")
            # Our addresses are announced a second after the start, by ARP.
            self.wait_until(lambda: all(p["stats"]["tx_frames"] for p in
                                        self.nics.stats()["ports"]), "both ports send")
            self.passes(64)  # the first of every flow
        except BaseException:
            self.kill()
            raise
        return self

    def port(self, number):
        """As sluice's log has it."""
        return f"port {number} ({BDF[self.nic.kind][number]})"

    def mark(self):
        """What is logged from here on is news."""
        self.seen = len(self.log())

    def news(self):
        return self.log()[self.seen:]

    def logged(self, pattern, seconds=LIMIT_S):
        """The match of a regular expression, or of a plain text, once it is news."""
        text = pattern if isinstance(pattern, re.Pattern) else re.compile(re.escape(pattern))
        self.wait_until(lambda: text.search(self.news()), f"'{text.pattern}' is logged", seconds)
        return text.search(self.news())

    def logged_under_load(self, pattern, seconds):
        """The same, with some packets now and then meanwhile."""
        deadline = time.monotonic() + seconds
        while True:
            self.offer(64)
            try:
                return self.logged(pattern, 0.4)
            except AssertionError:
                if time.monotonic() > deadline:
                    raise

    def fault(self, port, name, value):
        self.nics.ask(f"fault {port} {name} {value}")

    def offer(self, count, rate="max"):
        """So many more frames on the cable."""
        for words in (f"rate {rate}", f"count {count}", "start"):
            self.nics.ask(f"gen 0 {words}")

    def counts(self):
        all_ = Counts()
        report, nics = self.report(), self.nics.stats()
        for port in report["ports"]:
            all_.take(f"port{port['id']}", port)
        all_.take("ledger", report["ledger"])
        all_.take("dropped", report["ledger"]["dropped"])
        for port in nics["ports"]:
            all_.take(f"nic{port['port']}", port["stats"])
            for of_wire in port["wires"]:
                all_.take(of_wire["wire"], of_wire)
        return all_

    def arrived(self):
        """The sink's frames, without asking sluice."""
        return wire(self.nics.stats(), 1, "sink")["frames"]

    def since(self, before, expected, seconds=LIMIT_S):
        """What was counted since, once it is as expected and nothing else is wrong."""
        deadline = time.monotonic() + seconds
        while True:
            counts = self.counts()
            now = counts - before
            wrong = {} if counts["gen.done"] else {"gen.done": "it still sends"}
            wrong |= now.wrong(expected)
            if not wrong:
                return now
            assert time.monotonic() < deadline, f"{wrong}\n{now}\n{self.news()}"
            time.sleep(POLL_S)

    def passes(self, count, **expected):
        """They all arrive."""
        before = self.counts()
        self.offer(count)
        self.since(before, {"gen.sent": count, "sink.frames": count, "ledger.received": count,
                            **expected})

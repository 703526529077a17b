# SPDX-License-Identifier: BSD-3-Clause
"""Software NICs for tests: their specification, their plugins, their control socket, and what the
tests in lock-step run on."""
import json
import os
import pathlib
import socket
import subprocess

import pytest

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

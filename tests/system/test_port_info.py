# SPDX-License-Identifier: BSD-3-Clause
""""show port info" says which receive and transmit functions the production PMDs run, and with one
threshold, offload or argument wrong, which of them cost the vector path.

net_ixgbe does not tell: sluice predicts, and the PMD's debug log is the judge.
"""
import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess

import pytest

from softnic import BDF, BUILD, PLUGIN, RUN_S, needs_softnic

pytestmark = needs_softnic
prefixes = itertools.count()
NARROW = "vectors are narrower than 128 bits (--force-max-simd-bitwidth)"
NARROW_EAL = ("--force-max-simd-bitwidth=64",)
SHORT = "--mbuf-size 1152"  # less than a frame of 1500 bytes
RING_ODD = "--rxd is not a power of two"
SPANS = "a transmit offload is on: frames span buffers (raise --mbuf-size or lower the MTU)"
LONGER = "a frame may be longer than a buffer (raise --mbuf-size or lower the MTU)"


class Case:
    """What is set on a port; the functions and the reason that it is to have."""

    def __init__(self, name, rx, tx, why="", options="", commands=(), eal=(), nic="", devargs=""):
        self.name, self.rx, self.tx, self.why = name, rx, tx, why
        self.options, self.commands, self.eal = options.split(), commands, eal
        self.nic, self.devargs = nic, devargs

    def __repr__(self):
        return self.name


IXGBE = [
    Case("defaults", "vector", "vector"),
    Case("an odd ring", "scalar", "vector", f"RX: {RING_ODD}", "--rxd 1000"),
    Case("an odd ring in bulk", "scalar bulk", "vector", f"RX: {RING_ODD}",
         "--rxd 1000 --rxfreet 40"),
    Case("rxfreet small", "scalar", "vector", "RX: --rxfreet is below 32", "--rxfreet 16"),
    Case("rxfreet uneven", "scalar", "vector", "RX: --rxfreet does not divide --rxd",
         "--rxfreet 48"),
    Case("txrst small", "vector", "scalar full-featured", "TX: --txrst is outside 32..64",
         "--txrst 16"),
    Case("an odd TX ring", "vector", "scalar full-featured",
         "TX: --txd is below 64 or not a multiple of 32", "--txd 72"),
    Case("narrow vectors", "scalar bulk", "scalar simple", f"RX: {NARROW}; TX: {NARROW}",
         eal=NARROW_EAL),
    Case("short buffers", "vector scattered", "scalar full-featured", f"TX: {SPANS}", SHORT),
    Case("short buffers, an odd ring", "scalar scattered", "scalar full-featured",
         f"RX: {RING_ODD}; TX: {SPANS}", f"{SHORT} --rxd 1000"),
    Case("short buffers, an odd ring in bulk", "scalar bulk scattered", "scalar full-featured",
         f"RX: {RING_ODD}; TX: {SPANS}", f"{SHORT} --rxd 1000 --rxfreet 40"),
    Case("long frames", "vector", "vector", "", "--mbuf-size 10368",
         commands=("port config mtu 0 9000",)),
]
MLX5 = [
    Case("defaults", "Vector SSE", "Enhanced MPW + Fast Free"),
    Case("verbs", "Vector SSE", "Enhanced MPW + Fast Free", nic=",mode=verbs",
         devargs="dv_flow_en=0"),
    Case("MPRQ", "MPRQ Vector SSE", "Enhanced MPW", devargs="mprq_en=1,rxqs_min_mprq=1"),
    Case("inline", "Vector SSE", "Enhanced MPW + INLINE + METADATA + Fast Free",
         devargs="txq_inline_mpw=128,txqs_min_inline=1"),
    Case("vectors off", "Scalar", "Enhanced MPW + Fast Free",
         "RX: the device argument rx_vec_en=0", devargs="rx_vec_en=0"),
    Case("MPRQ, vectors off", "Multi-Packet RQ", "Enhanced MPW",
         "RX: the device argument rx_vec_en=0", devargs="mprq_en=1,rxqs_min_mprq=1,rx_vec_en=0"),
    Case("bundles off", "Vector SSE", "No MPW + Fast Free", "TX: the device argument txq_mpw_en=0",
         devargs="txq_mpw_en=0"),
    Case("narrow vectors", "Scalar", "Enhanced MPW + Fast Free", f"RX: {NARROW}",
         eal=NARROW_EAL),
    Case("short buffers", "Scalar", "Enhanced MPW + MULTI + TSO + METADATA",
         f"RX: {LONGER}; TX: frames may span buffers (raise --mbuf-size or lower the MTU)", SHORT),
]


def run(kind, case, folder, *more):
    """What sluice says of a port set up like this, its report, and all that it logged."""
    report = folder / "report.json"
    commands = folder / "info.cmds"
    commands.write_text("".join(f"{c}\n" for c in (*case.commands, "show port info 0", "quit")))
    prefix = f"info-{os.getpid()}-{next(prefixes)}"
    argv = [str(BUILD / "app/sluice"), "--no-huge", "--no-shconf", "--no-telemetry", "-m", "256",
            "-l", "0,1", "--file-prefix", prefix, "-d", str(PLUGIN[kind]), *case.eal, "-a",
            ",".join(filter(None, [BDF[kind][0], case.devargs])), *more, "--", "-i", "--config",
            "(0,0,1)", "--stats-json", str(report), "--cmdline-file", str(commands), *case.options]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=RUN_S, check=False,
                              stdin=subprocess.DEVNULL,
                              env={**os.environ, "SLUICE_NICS": f"{kind}{case.nic} loop"})
    finally:
        shutil.rmtree(f"/var/run/dpdk/{prefix}", ignore_errors=True)
    assert done.returncode == 0, f"{' '.join(argv)}\n{done.stdout}{done.stderr}"
    return done.stdout, json.loads(report.read_text(encoding="utf-8")), done.stdout + done.stderr


def says(text, name):
    found = re.findall(rf"^{name}: (.*)$", text, re.MULTILINE)
    return found[-1] if found else ""


# net_ixgbe's log of ixgbe_set_rx_function() and ixgbe_set_tx_function(), in our words
RX_LOG = {
    "Vector rx enabled": "vector",
    "Using Vector Scattered Rx callback": "vector scattered",
    "Rx Burst Bulk Alloc Preconditions are satisfied": "scalar bulk",
    "Using a Scattered with bulk allocation callback": "scalar bulk scattered",
    "Rx Burst Bulk Alloc Preconditions are not satisfied": "scalar",
    "Using Regular (non-vector, single allocation) Scattered Rx callback": "scalar scattered",
}
TX_LOG = {
    "Vector tx enabled": "vector",
    "Using simple tx code path": "scalar simple",
    "Using full-featured tx code path": "scalar full-featured",
}


def logged(log, words):
    """The last of them; what a queue says first of its vectors comes second in the log."""
    said = [words[w] for line in log.splitlines() for w in words if w in line]
    return said[-1] if said else "nothing"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Every case of both, a few at a time: they mostly wait."""
    ask = {"82599": ["--log-level=pmd.net.ixgbe.init:debug"], "cx5": []}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        jobs = {(kind, case): pool.submit(run, kind, case, tmp_path_factory.mktemp("info"), *ask[kind])
                for kind, cases in (("82599", IXGBE), ("cx5", MLX5)) for case in cases}
        yield jobs


def check(text, report, case, suffix):
    assert says(text, "RX burst mode") == case.rx + suffix
    assert says(text, "TX burst mode") == case.tx + suffix
    assert says(text, "Not faster because") == case.why
    port = report["ports"][0]
    assert (port["rx_mode"], port["tx_mode"]) == (case.rx + suffix, case.tx + suffix)


@pytest.mark.parametrize("case", IXGBE, ids=repr)
def test_ixgbe(case, runs):
    text, report, log = runs["82599", case].result()
    assert logged(log, RX_LOG) == case.rx
    assert logged(log, TX_LOG) == case.tx
    check(text, report, case, " (by set-up)")


@pytest.mark.parametrize("case", MLX5, ids=repr)
def test_mlx5(case, runs):
    text, report, _ = runs["cx5", case].result()
    check(text, report, case, "")

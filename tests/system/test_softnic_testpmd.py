# SPDX-License-Identifier: BSD-3-Clause
"""Debian's dpdk-testpmd with nothing but "-d PLUGIN" between the two ports of a software NIC.

  gen, sink --- cable --- NIC 0 | PMD | dpdk-testpmd | PMD | NIC 1 --- cable --- gen, sink

A sink verifies every packet that a gen sent.
"""
import contextlib
import re

import pytest

from softnic import BDF, NICS, PLUGIN, wire
from testpmd import Testpmd, needs_testpmd

pytestmark = needs_testpmd
COUNT = 20000
MACS = ("02:00:00:00:07:00", "02:00:00:00:07:01")
FAR = ("02:53:00:00:00:02", "02:53:00:00:01:02")  # who gen says it is
KINDS = [n for n in NICS if n.name in ("82599", "cx5", "cx5-verbs")]
CASES = [(nic, queues) for nic in KINDS for queues in (1, 4)]
# Whose sink expects frames as this mode leaves them; the other one's then objects to each MAC.
EXPECTS = {"io": 1, "macswap": 0}


def session(folder, nic, queues):
    """Port 1's sink wants what port 0's gen sent, port 0's what port 1's sent with MACs swapped."""
    gen = f"gen,start=manual,size=imix,spread=random,flows=256,count={COUNT}"
    sinks = (f"sink,hops=0,dmac={FAR[1]},smac={MACS[1]}", f"sink,hops=0,dmac={MACS[0]},smac={FAR[0]}")
    ports = [f"{nic.word(mac=mac)} {gen} {sink}" for mac, sink in zip(MACS, sinks)]
    eal = [word for bdf in BDF[nic.kind] for word in ("-a", address(nic, bdf))]
    return Testpmd(folder, nic.plugin, " ; ".join(ports), [f"--rxq={queues}", f"--txq={queues}"],
                   eal)


def address(nic, bdf):
    return bdf if nic.devargs is None else f"{bdf},{nic.devargs}"


@pytest.fixture(scope="module")
def sessions(tmp_path_factory):
    """All of them at once: a start mostly waits for links."""
    folder = tmp_path_factory.mktemp("testpmd")
    with contextlib.ExitStack() as stack:
        started = {case: stack.enter_context(session(folder / f"{case[0]}-{case[1]}", *case))
                   for case in CASES}
        for testpmd in started.values():
            testpmd.ready()
        yield started


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request, sessions):
    """(testpmd, NIC, queues): nothing is forwarded before and after a test."""
    return sessions[request.param], *request.param


def forward(testpmd, mode, queues):
    """COUNT packets each way, each of them verified: none lost, none changed but as the mode says,
    none out of order."""
    for line in (f"set fwd {mode}", "clear port stats all", "start"):
        testpmd.do(line)
    before = testpmd.nics.stats()
    for line in ("sink {} clear", f"gen {{}} count {COUNT}", "gen {} start"):
        for port in range(2):
            assert testpmd.nics.ask(line.format(port)) == ""

    def arrived():
        now = testpmd.nics.stats()
        return now if all(wire(now, p, "sink")["frames"] >= COUNT for p in range(2)) else None
    report = testpmd.until(arrived)
    said = testpmd.do("stop")
    for port in range(2):
        sink, now, then = wire(report, port, "sink"), report["ports"][port], before["ports"][port]
        bad_mac = 0 if EXPECTS[mode] == port else COUNT
        assert (sink["frames"], sink["bad_mac"], sink["bad_total"]) == (COUNT, bad_mac, bad_mac), sink
        assert sink["lost"] == sink["misordered"] == sink["duplicated"] == 0, sink
        for name in ("rx_missed", "rx_bad", "rx_lost", "tx_lost", "dma_errors", "bad_descriptors"):
            assert now["stats"][name] == then["stats"][name], (name, now)
        assert re.search(rf"statistics for port {port} .*\n +RX-packets: {COUNT} .*\n"
                         rf" +TX-packets: {COUNT} +TX-dropped: 0 ", said), said
    used = re.findall(r"RX Port= ?(\d+)/Queue= ?(\d+) -> ", said)
    assert queues == 1 or len(set(used)) == 2 * queues, said


@pytest.mark.parametrize("mode", ["io", "macswap"])
def test_forwards(case, mode):
    testpmd, _, queues = case
    forward(testpmd, mode, queues)


def test_a_cable_pulled_and_plugged_in_is_an_event(sessions):
    for down, status in ((1, "down"), (0, "up")):
        for testpmd in sessions.values():
            assert testpmd.nics.ask(f"fault 0 link_down {down}") == ""
        for testpmd in sessions.values():
            testpmd.expect("Port 0: link state change event")
            assert f"Link status: {status}" in testpmd.do("show port info 0")


def test_ports_stop_and_start(case):
    testpmd, _, queues = case
    assert "Done" in testpmd.do("port stop all")
    assert "Done" in testpmd.do("port start all")
    forward(testpmd, "io", queues)


def test_a_port_is_detached_and_attached(case):
    testpmd, nic, queues = case
    bdf = BDF[nic.kind][0]
    testpmd.do("port stop 0")
    assert "Now total ports is 1" in testpmd.do("port detach 0")
    assert "Invalid port 0" in testpmd.do("show port info 0")
    assert "Port 0 is attached" in testpmd.do(f"port attach {address(nic, bdf)}")
    assert MACS[0] in testpmd.do("port start 0").lower()
    forward(testpmd, "io", queues)


def test_ends_clean(case):
    testpmd = case[0]
    assert testpmd.quit() == 0
    assert testpmd.left_behind() == []


@pytest.mark.parametrize("kind", PLUGIN)
def test_without_a_word_two_ports_are_wired_to_each_other(kind, tmp_path):
    """The packets of tx_first go round and round."""
    with Testpmd(tmp_path, PLUGIN[kind]) as testpmd:
        testpmd.ready()
        testpmd.do("start tx_first")
        while int(re.search(r"RX-packets: (\d+)", testpmd.do("show port stats 1")).group(1)) < 1000:
            pass
        said = testpmd.do("stop")
        assert re.findall(r"TX-dropped: (\d+)", said) == ["0"] * 3, said
        assert testpmd.quit() == 0
        assert testpmd.left_behind() == []

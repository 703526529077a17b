# SPDX-License-Identifier: BSD-3-Clause
"""Production PMDs on software NICs as an ordinary user: no root, no hugepages, no device; net_mlx5 in
namespaces of that user's own.  "./run test" runs the same over the sanitized build.

  gen --- cable --- NIC 0 | PMD | sluice or dpdk-testpmd | PMD | NIC 1 --- cable --- sink
"""
import pytest

from ordinary import ID, NAMESPACES, USER, home, needs_user, no_namespaces  # noqa: F401
from program import Sluice
from softnic import BDF, NICS, Control, needs_softnic, wire
from testpmd import Testpmd, needs_testpmd

pytestmark = [needs_softnic, needs_user]
COUNT = 20000
SETUP = ["addr add 10.0.0.1/24 dev 0", "addr add 10.0.1.1/24 dev 1",
         "neigh add 10.0.1.2 lladdr 02:00:00:00:01:02 dev 1", "route add 198.18.0.0/15 via 10.0.1.2"]
CASES = [n for n in NICS if n.name in ("82599", "82599-scalar", "cx5", "cx5-mprq", "cx5-verbs")]
EVERY = pytest.mark.parametrize("nic", CASES, ids=repr)


def user(nic):
    """The words before a program."""
    if nic.kind != "cx5":
        return USER
    if no_namespaces():
        pytest.skip(no_namespaces())
    return (*USER, *NAMESPACES)


def eal(nic):
    words = [word for bdf in BDF[nic.kind] for word in ("-a", f"{bdf},{nic.devargs or ''}".rstrip(","))]
    return words + ([f"--force-max-simd-bitwidth={nic.simd}"] if nic.simd else [])


def wires(nic, hops):
    return (f"{nic.word()} gen,start=manual,count={COUNT},size=imix,spread=random,flows=256 ; "
            f"{nic.word()} sink,hops={hops}")


def verified(nics, wait):
    """COUNT packets from gen to sink."""
    assert nics.ask("gen 0 start") == ""
    wait(lambda: wire(nics.stats(), 1, "sink")["test_frames"] >= COUNT)
    report = nics.stats()
    sink = wire(report, 1, "sink")
    assert (sink["test_frames"], sink["bad_total"], sink["lost"], sink["misordered"]) == (COUNT, 0, 0, 0)
    for port in report["ports"]:
        assert port["stats"]["dma_errors"] == port["stats"]["bad_descriptors"] == 0, port


@EVERY
def test_sluice(nic, home):
    nics = Control(home / "nics.sock")
    env = {"SLUICE_NICS": f"run,cpu=0,control={nics.path} ; {wires(nic, 1)}", "TMPDIR": str(home),
           "XDG_RUNTIME_DIR": str(home)}
    with Sluice(home, [], ["--rxd", "1024", "--txd", "2048"], SETUP, memory=256, wrap=user(nic),
                eal=["-d", str(nic.plugin), *eal(nic)], env=env) as sluice:
        modes = sluice.ask("show port info 0")
        assert nic.rx in modes and nic.tx in modes
        verified(nics, lambda done: sluice.wait_until(done, "the sink has all"))
        ledger = sluice.stop()["ledger"]
    assert ledger["received"] == ledger["sent"] == COUNT
    assert not list(home.glob("sluice-nics.*"))


@needs_testpmd
@EVERY
def test_testpmd(nic, home):
    with Testpmd(home / "run", nic.plugin, wires(nic, 0), eal=eal(nic), wrap=user(nic), owner=ID,
                 env={"XDG_RUNTIME_DIR": str(home)}) as testpmd:
        testpmd.ready()
        testpmd.do("start")
        verified(testpmd.nics, testpmd.until)
        testpmd.do("stop")
        assert testpmd.quit() == 0
        assert testpmd.left_behind() == []

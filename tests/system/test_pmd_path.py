# SPDX-License-Identifier: BSD-3-Clause
"""The datapath on the production PMDs over software NICs, in lock-step: every packet verified by a
sink, none lost, none out of order, every buffer back.

  gen --- cable --- NIC 0 | PMD | sluice, one thread | PMD | NIC 1 --- cable --- sink
"""
import concurrent.futures

import pytest
from support import traffic

from softnic import NICS, ROOT, lockstep, needs_softnic, wire

pytestmark = needs_softnic
GOLDEN = ROOT / "tests/path/golden"
EVERY = pytest.mark.parametrize("nic", NICS, ids=repr)


def through(nic, gen, *options, sink="hops=1"):
    return lockstep(nic, [({}, f"gen,dst=198.18.0.0/15,spread=random,{gen}"),
                          ({}, f"sink,{sink}")], *options)


def clean(result, count):
    """All of it arrived, once, in order, unharmed; and nothing is left behind."""
    sink, ledger = wire(result["nics"], 1, "sink"), result["ledger"]
    assert wire(result["nics"], 0, "gen")["sent"] == count
    assert sink["frames"] == count and sink["bad_total"] == 0, sink
    assert ledger["received"] == ledger["sent"] == count, ledger
    assert ledger["unaccounted"] == 0 and not any(ledger["dropped"].values()), ledger
    assert result["pool_missing"] == 0
    for port in result["nics"]["ports"]:
        stats = port["stats"]
        assert stats["dma_errors"] == stats["bad_descriptors"] == 0, stats
        assert stats["rx_offered"] == stats["rx_frames"]
    for port in result["ports"]:
        assert port["rx_missed"] == port["rx_errors"] == port["rx_nombuf"] == 0


def all_at_once(run, cases):
    """A run mostly waits for its PMD's delays, so several share the machine."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for case, job in [(case, pool.submit(run, case)) for case in cases]:
            try:
                job.result()
            except AssertionError as e:
                raise AssertionError(f"{case}: {e}") from e


@EVERY
def test_every_size_arrives(nic):
    all_at_once(lambda size: clean(through(nic, f"flows=64,count=4000,size={size}"), 4000),
                [60, 61, 64, 127, 128, 511, 1514, "imix"])


@EVERY
def test_every_burst_arrives(nic):
    all_at_once(lambda n: clean(through(nic, "flows=64,count=3001", "--burst", n), 3001),
                [1, 3, 4, 33, 256])


@EVERY
def test_four_queues_spread_and_keep_flows_in_order(nic):
    result = through(nic, "flows=256,count=20000", "--queues", 4)
    clean(result, 20000)


@EVERY
def test_long_frames_in_several_buffers(nic):
    all_at_once(lambda size: clean(through(nic, f"flows=8,count=600,size={size}", "--mtu", 9000),
                                   600), [1515, 2048, 9000, 9014])


@EVERY
@pytest.mark.parametrize("queues", [1, 4])
def test_the_missed_counter_explains_every_loss(nic, queues):
    """Twice as much comes in as a worker's turn takes: what the NIC missed, and nothing else, is
    what the sink lacks, and the driver counts the same."""
    result = through(nic, "flows=256,count=30000,full=drop", "--queues", queues, "--rxd", 512,
                     "--burst", 32 // queues)
    sink, ledger = wire(result["nics"], 1, "sink"), result["ledger"]
    stats, port = result["nics"]["ports"][0]["stats"], result["ports"][0]
    assert stats["rx_offered"] == 30000 == stats["rx_frames"] + stats["rx_missed"], stats
    assert stats["rx_missed"] > 3000 and port["rx_missed"] == stats["rx_missed"], port
    assert sink["frames"] == ledger["received"] == 30000 - stats["rx_missed"], (sink, ledger)
    assert sink["misordered"] == sink["duplicated"] == sink["bad_total"] == 0, sink
    assert not any(ledger["dropped"].values()) and ledger["unaccounted"] == 0, ledger
    assert result["pool_missing"] == 0


@EVERY
def test_the_function_is_the_one_meant(nic):
    ports = through(nic, "count=10")["ports"]
    for port in ports:
        assert nic.rx in port["rx_mode"] and nic.tx in port["tx_mode"], port


def padded(path):
    return [f.ljust(60, b"\0") for f in traffic.read_pcap(path)]


def golden(nic, name, folder):
    """A cable carries no frame below 60 bytes: short ones are padded, going in and coming out."""
    inside = folder / f"{name}.in.pcap"
    traffic.write_pcap(inside, padded(GOLDEN / inside.name))
    out = [folder / f"{name}.out{p}.pcap" for p in range(2)]
    result = lockstep(nic, [({"mac": f"02:70:63:61:70:0{p}"},
                             f"pcap,out={out[p]}" + (f",in={inside}" if p == 0 else ""))
                            for p in range(2)], "--promisc")
    assert result["ledger"]["unaccounted"] == 0 and result["pool_missing"] == 0
    for path in out:
        assert padded(path) == padded(GOLDEN / path.name), path.name


@EVERY
def test_golden_captures(nic, tmp_path):
    all_at_once(lambda name: golden(nic, name, tmp_path),
                ["n1", "n3", "n31", "n32", "n33", "mixed"])


@pytest.mark.parametrize("nic", [n for n in NICS if n.name in ("82599", "cx5")], ids=repr)
class TestTheJudges:
    """A forwarder with a fault is found out."""

    def broken(self, nic, how):
        return through(nic, "flows=4,count=5000", "--break", how)

    def test_one_corrupt_packet_in_a_thousand(self, nic):
        sink = wire(self.broken(nic, "corrupt")["nics"], 1, "sink")
        assert sink["frames"] == 5000 and sink["bad_payload"] + sink["bad_l4_sum"] >= 5, sink

    def test_two_packets_swapped(self, nic):
        result = through(nic, "flows=1,count=5000", "--break", "swap")
        sink = wire(result["nics"], 1, "sink")
        assert sink["frames"] == 5000 and sink["misordered"] == 1 and sink["lost"] == 0, sink

    def test_one_mbuf_leaked(self, nic):
        result = self.broken(nic, "leak")
        sink = wire(result["nics"], 1, "sink")
        assert result["pool_missing"] == 1
        assert sink["frames"] == 4999 and sink["lost"] == 1, sink

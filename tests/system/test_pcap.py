# SPDX-License-Identifier: BSD-3-Clause
"""Captures through the whole program: nothing lost, nothing added, every byte right."""
import pytest

from conftest import NEIGHBOUR_MAC
from support import traffic


def forwarded(frame):
    """What a router makes of it: new MAC addresses, a smaller TTL, and the checksum to match."""
    head = bytearray(frame[14:34])
    head[8] -= 1
    head[10:12] = b"\0\0"
    head[10:12] = traffic.checksum(bytes(head)).to_bytes(2, "big")
    macs = traffic.mac_bytes(NEIGHBOUR_MAC) + traffic.mac_bytes(traffic.PCAP_PORT_MAC % 1)
    return macs + frame[12:14] + bytes(head) + frame[34:]


# 100,000 only once: the others are about the edges of bursts.
@pytest.mark.parametrize("count", [0, 1, 3, 31, 32, 33, 100_000])
def test_all_of_it_and_nothing_else(sluice, count):
    frames = sluice.capture(count)
    status = sluice.run("--cmdline-file", "setup.cmds", "--auto-start", "--stop-when-idle", "300",
                        "--stats-json", "report.json")
    assert status == 0, sluice.err()
    assert sluice.sent() == [forwarded(f) for f in frames]
    report = sluice.json()
    ledger = report["ledger"]
    assert report["ports"][0]["rx_packets"] == count
    assert ledger["received"] == count
    assert ledger["sent"] == count + ledger["originated"]
    assert ledger["unaccounted"] == 0
    assert ledger["held"] == 0
    assert sum(ledger["dropped"].values()) == 0


@pytest.mark.parametrize("options", [["--burst", "1"], ["--burst", "256", "--prefetch", "64"],
                                     ["--prefetch", "0", "--mbcache", "0"],
                                     ["--rxd", "64", "--txd", "64"], ["--burst", "7"]],
                         ids=" ".join)
def test_numbers_change_speed_only(sluice, options):
    frames = sluice.capture(1000)
    status = sluice.run("--cmdline-file", "setup.cmds", "--auto-start", "--stop-when-idle", "300",
                        *options)
    assert status == 0, sluice.err()
    assert sluice.sent() == [forwarded(f) for f in frames]


def test_no_route_is_a_reason(sluice):
    sluice.capture(33)
    assert sluice.run("--auto-start", "--stop-when-idle", "300", "--stats-json",
                      "report.json") == 0
    ledger = sluice.json()["ledger"]
    assert ledger["dropped"]["no_route"] == 33
    assert (ledger["received"], ledger["sent"], ledger["unaccounted"]) == (33, 0, 0)
    assert sluice.sent() == []


@pytest.mark.parametrize("mode", ["io", "mac"])
def test_yardsticks_send_to_the_paired_port(sluice, mode):
    frames = sluice.capture(40)
    assert sluice.run("--auto-start", "--stop-when-idle", "300", "--forward-mode", mode) == 0
    got = sluice.sent()
    assert [f[12:] for f in got] == [f[12:] for f in frames]
    if mode == "io":
        assert got == frames
    else:
        assert all(f[6:12] == traffic.mac_bytes(traffic.PCAP_PORT_MAC % 1) for f in got)


@pytest.mark.parametrize("mode", ["rxonly", "drop"])
def test_yardsticks_that_discard(sluice, mode):
    sluice.capture(40)
    assert sluice.run("--auto-start", "--cmdline-file", "setup.cmds", "--stop-when-idle", "300",
                      "--forward-mode", mode, "--stats-json", "report.json") == 0
    ledger = sluice.json()["ledger"]
    assert ledger["dropped"]["discarded"] == 40
    assert ledger["unaccounted"] == 0
    assert sluice.sent() == []

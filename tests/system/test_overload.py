# SPDX-License-Identifier: BSD-3-Clause
"""More comes in than can go out: each loss has a name, and the ledger closes.

  net_pcap0, replays a capture for ever --> sluice --> net_ring0 nobody reads, or a TAP that is down
"""
import re

import pytest

from netns import Namespace, needs_netns
from program import Sluice
from support import traffic

ENOUGH = 100_000
RING_SLOTS = 1024  # net_ring's


def write_capture(folder):
    path = folder / "in.pcap"
    traffic.write_pcap(path, [traffic.udp_frame(traffic.ip_number("203.0.113.9"), sport=1024 + i)
                              for i in range(64)])
    return path


def commands(port):
    return [f"addr add 192.0.2.1/24 dev {port}",
            f"neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev {port}",
            "route add 203.0.113.0/24 via 192.0.2.2"]


def dropped(sluice, name):
    found = re.search(rf"\b{name}\s+(\d+)", sluice.ask("show drops"))
    return int(found.group(1)) if found else 0


def overload(folder, vdev, port, netns=None):
    """Run until ENOUGH packets met a full ring; the final report."""
    capture = write_capture(folder)
    vdevs = [f"net_pcap0,rx_pcap={capture},infinite_rx=1", vdev]
    with Sluice(folder, vdevs, ["--config", "(net_pcap0,0,1)"], commands(port),
                netns=netns) as sluice:
        sluice.wait_until(lambda: dropped(sluice, "tx_full") > ENOUGH, "tx_full counts")
        return sluice.stop()


def check(report, at_most_sent):
    ledger = report["ledger"]
    full = ledger["dropped"]["tx_full"]
    assert full > ENOUGH
    assert ledger["sent"] <= at_most_sent
    assert ledger["received"] == ledger["sent"] + full
    others = {k: v for k, v in ledger["dropped"].items() if v and k != "tx_full"}
    assert not others


def test_a_ring_whose_consumer_stopped(tmp_path):
    # net_ring hands back what it sent; nobody polls its receive side, which --config leaves out.
    check(overload(tmp_path, "net_ring0", "net_ring0"), RING_SLOTS)


@needs_netns
def test_a_tap_nobody_reads(tmp_path):
    """Its interface goes down under sluice: the kernel takes nothing more."""
    space = Namespace("overload")
    try:
        capture = write_capture(tmp_path)
        vdevs = [f"net_pcap0,rx_pcap={capture},infinite_rx=1", "net_tap0,iface=unread"]
        with Sluice(tmp_path, vdevs, ["--config", "(net_pcap0,0,1)"], commands("net_tap0"),
                    netns=space.name) as sluice:
            space.run("ip", "link", "set", "unread", "down")
            sluice.wait_until(lambda: dropped(sluice, "tx_full") > ENOUGH, "tx_full counts")
            check(sluice.stop(), float("inf"))
    finally:
        space.remove()

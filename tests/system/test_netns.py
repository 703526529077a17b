# SPDX-License-Identifier: BSD-3-Clause
"""Two kernel hosts, each in a network namespace, talk through sluice in a third.

      left                         middle                          right
  +-----------+        +-----------------------------+        +-----------+
  | 10.1.1.2  |--------| port 0   sluice     port 1  |--------| 10.2.2.2  |
  |           |  TAP,  | 10.1.1.1          10.2.2.1  |  TAP,  |           |
  +-----------+  veth  +-----------------------------+  veth  +-----------+

tap:  net_tap makes the interface, which then moves to the host's namespace.
veth: net_af_packet on one end of a veth pair, the host has the other.
82599, cx5: a production PMD on a software NIC, whose cable ends in the host's namespace as a TAP.
"""
import hashlib
import json
import os
import re

import pytest

from netns import Lab, needs_netns
from softnic import PLUGIN, needs_softnic

pytestmark = needs_netns
DOWNLOAD_BYTES = 50 * 1000 * 1000


@pytest.fixture(scope="module", params=["tap", "veth",
                                        *(pytest.param(kind, marks=needs_softnic) for kind in PLUGIN)])
def lab(request):
    """Forwarding, and nobody knows anybody's MAC address yet."""
    with Lab(request.param) as lab:
        yield lab.start()
        ledger = lab.sluice.stop()["ledger"]
        assert ledger["sent"] > DOWNLOAD_BYTES // 1500


def ping(host, to, *options):
    return host.run("ping", "-n", "-q", *options, to)


def received(text):
    return int(re.search(r"(\d+) received", text).group(1))


def test_arp_both_ways_from_empty_tables(lab):
    """The first ping makes left ask for its gateway and sluice ask for right."""
    assert lab.left.mac not in lab.sluice.ask("show neigh")
    witness = lab.right.start("timeout", "30", "tcpdump", "-n", "-l", "-e", "-i", lab.right.link,
                              "arp", stdout=-1, stderr=-1, text=True)
    assert any("listening on" in line for line in witness.stderr)

    assert received(ping(lab.left, lab.right.address, "-c", "1", "-w", "10")) >= 1

    # In this order, among announcements; the end of tcpdump's time ends the search too.
    assert any(f"who-has {lab.right.address}" in line for line in witness.stdout)
    assert any(f"{lab.right.address} is-at {lab.right.mac}" in line for line in witness.stdout)
    for host in (lab.left, lab.right):
        assert re.search(rf"{host.gateway} .*lladdr [0-9a-f:]+ ", host.neighbours())
        assert f"{host.address}" in lab.sluice.ask("show neigh")
        assert host.mac in lab.sluice.ask("show neigh")


def test_a_thousand_pings_a_millisecond_apart(lab):
    out = ping(lab.left, lab.right.address, "-c", "1000", "-i", "0.001")
    assert received(out) == 1000, out


def test_ttl_is_one_less(lab):
    """Linux sends 64; what left gets back has passed sluice once."""
    out = lab.left.run("ping", "-n", "-c", "1", lab.right.address)
    assert "ttl=63" in out


def test_own_addresses_answer(lab):
    for host in (lab.left, lab.right):
        assert received(ping(host, host.gateway, "-c", "10", "-i", "0.01")) == 10
    # Also those on the far side.
    assert received(ping(lab.left, lab.right.gateway, "-c", "10", "-i", "0.01")) == 10


def iperf3(lab, *options, seconds=10):
    server = lab.right.start("iperf3", "-s", "-1", "--forceflush", stdout=-1, stderr=-2, text=True)
    assert any("listening" in line for line in iter(server.stdout.readline, ""))
    out = lab.left.run("iperf3", "-c", lab.right.address, "-J", "-t", str(seconds), *options,
                       timeout=seconds + 30)
    server.wait(10)
    return json.loads(out)


@pytest.mark.parametrize("way", [[], ["-R"]], ids=["there", "back"])
def test_tcp_does_not_stall(lab, way):
    seconds = 4 if lab.kind in PLUGIN else 10
    result = iperf3(lab, *way, seconds=seconds)
    stalled = [i["sum"]["start"] for i in result["intervals"] if i["sum"]["bytes"] == 0]
    assert len(result["intervals"]) >= seconds / 2
    assert not stalled
    assert result["end"]["sum_received"]["bytes"] > 10_000_000


def overrun(host):
    """Datagrams that arrived and that its iperf3 had no CPU to take: nobody's loss but its own."""
    names, values = (line.split() for line in host.run("cat", "/proc/net/snmp").splitlines()
                     if line.startswith("Udp:"))
    return int(dict(zip(names, values))["RcvbufErrors"])


@pytest.mark.parametrize("way", [[], ["-R"]], ids=["there", "back"])
def test_udp(lab, way):
    receiver = lab.left if way else lab.right
    before = overrun(receiver)
    total = iperf3(lab, "-u", "-b", "20M", "-l", "1200", *way, seconds=3)["end"]["sum"]
    assert total["packets"] > 3000
    assert total["lost_packets"] - (overrun(receiver) - before) < total["packets"] / 100


def test_a_large_download_arrives_whole(lab, tmp_path):
    content = os.urandom(DOWNLOAD_BYTES)
    (tmp_path / "file").write_bytes(content)
    server = lab.right.start("/usr/bin/python3", "-u", "-m", "http.server", "8000", "--bind",
                             lab.right.address, cwd=tmp_path, stdout=-1, stderr=-3, text=True)
    assert "Serving HTTP" in server.stdout.readline()
    target = tmp_path / "copy"
    lab.left.run("curl", "-sS", "--max-time", "120", "-o", str(target),
                 f"http://{lab.right.address}:8000/file", timeout=150)
    server.kill()
    assert (hashlib.sha256(target.read_bytes()).hexdigest() ==
            hashlib.sha256(content).hexdigest())


def test_nothing_was_lost_inside(lab):
    """Of all of the above nothing was dropped but what the hosts said to nobody: http.server asks
    the name server for its own name, and there is no route to one."""
    drops = lab.sluice.ask("show drops")
    for name in ("bad_checksum", "bad_length", "neigh_unresolved", "neigh_queue_full", "tx_full"):
        assert re.search(rf"{name}\s+0\b", drops), drops
    for port in lab.nics.stats()["ports"] if lab.nics else ():
        stats, tap = port["stats"], port["wires"][0]
        assert stats["rx_offered"] == stats["rx_frames"] == tap["to_nic"], port
        assert stats["tx_frames"] == tap["from_nic"] and stats["tx_lost"] == tap["lost"] == 0, port
        assert stats["dma_errors"] == stats["bad_descriptors"] == 0, port

# SPDX-License-Identifier: BSD-3-Clause
"""Control answers while a worker forwards as fast as it can."""
import time

import pytest

from program import Sluice
from softnic import PLUGIN, needs_softnic
from support import traffic

CALLS, QUICK, LIMIT_S = 100, 95, 0.050


def check(folder, vdevs, config, setup, least, **how):
    """sluicectl's own start included: it is what a person or a script waits for."""
    with Sluice(folder, vdevs, ["--config", config], setup, **how) as sluice:
        took = []
        for _ in range(CALLS):
            begin = time.monotonic()
            answer = sluice.ask("show port stats all")
            took.append(time.monotonic() - begin)
            assert "NIC statistics for port 0" in answer
        report = sluice.stop()
    assert report["ledger"]["sent"] > least
    assert sorted(took)[QUICK - 1] < LIMIT_S, sorted(took)[QUICK - 1:]


def test_statistics_within_50_ms_at_full_rate(tmp_path):
    capture = tmp_path / "in.pcap"
    traffic.write_pcap(capture, [traffic.udp_frame(traffic.ip_number("203.0.113.9"), sport=i + 1)
                                 for i in range(64)])
    check(tmp_path, [f"net_pcap0,rx_pcap={capture},infinite_rx=1"], "(net_pcap0,0,1)",
          ["addr add 192.0.2.1/24 dev net_pcap0",
           "neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev net_pcap0",
           "route add 203.0.113.0/24 via 192.0.2.2"], 1_000_000)


@needs_softnic
@pytest.mark.parametrize("kind", PLUGIN)
def test_statistics_of_a_pmd_at_full_rate(kind, tmp_path):
    """The model has the CPU of the thread that asks, and each register that it asks for."""
    check(tmp_path, [], "(0,0,1)", ["addr add 10.0.0.1/24 dev 0", "addr add 10.0.1.1/24 dev 1",
                                    "neigh add 10.0.1.2 lladdr 02:00:00:00:01:02 dev 1",
                                    "route add 198.18.0.0/15 via 10.0.1.2"], 10_000,
          eal=["-d", str(PLUGIN[kind])],
          env={"SLUICE_NICS": f"run,cpu=0 ; {kind} gen,dst=198.18.0.0/15 ; {kind} sink"})

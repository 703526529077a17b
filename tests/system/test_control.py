# SPDX-License-Identifier: BSD-3-Clause
"""Control answers while a worker forwards as fast as it can."""
import time

from program import Sluice
from support import traffic

CALLS, QUICK, LIMIT_S = 100, 95, 0.050


def test_statistics_within_50_ms_at_full_rate(tmp_path):
    """sluicectl's own start included: it is what a person or a script waits for."""
    capture = tmp_path / "in.pcap"
    traffic.write_pcap(capture, [traffic.udp_frame(traffic.ip_number("203.0.113.9"), sport=i + 1)
                                 for i in range(64)])
    setup = ["addr add 192.0.2.1/24 dev net_pcap0",
             "neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev net_pcap0",
             "route add 203.0.113.0/24 via 192.0.2.2"]
    with Sluice(tmp_path, [f"net_pcap0,rx_pcap={capture},infinite_rx=1"],
                ["--config", "(net_pcap0,0,1)"], setup) as sluice:
        took = []
        for _ in range(CALLS):
            begin = time.monotonic()
            answer = sluice.ask("show port stats all")
            took.append(time.monotonic() - begin)
            assert "NIC statistics for port 0" in answer
        report = sluice.stop()
    assert report["ledger"]["sent"] > 1_000_000
    assert sorted(took)[QUICK - 1] < LIMIT_S, sorted(took)[QUICK - 1:]

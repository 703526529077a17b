# SPDX-License-Identifier: BSD-3-Clause
"""sluice itself between two software NICs whose model runs in a thread of its own, as hardware
would: nothing is in step, and still every packet is verified and every loss explained.

  gen --- cable --- port 0 | production PMD | sluice | production PMD | port 1 --- cable --- sink
"""
import re

import pytest

from program import Sluice
from softnic import NICS, Control, needs_softnic, wire

pytestmark = needs_softnic
PAIRS = [n for n in NICS if n.name in ("82599", "cx5", "cx5-verbs")]
SETUP = ["addr add 10.0.0.1/24 dev 0", "addr add 10.0.1.1/24 dev 1",
         "neigh add 10.0.1.2 lladdr 02:00:00:00:01:02 dev 1",
         "route add 198.18.0.0/15 via 10.0.1.2"]


def forward(nic, folder, gen, count, queues):
    """(sluice's report, the NICs' report) of a run that ended when gen had sent all."""
    control = Control(folder / "nics.sock")
    config = ",".join(f"(0,{q},1)" for q in range(queues))
    eal = ["-d", str(nic.plugin)]
    env = {"SLUICE_NICS": f"run,cpu=0,control={control.path} ; {nic.word()} "
                          f"gen,dst=198.18.0.0/15,spread=random,flows=256,start=manual,{gen},"
                          f"count={count} ; {nic.word()} sink,hops=1"}
    # A TX ring above all that the RX rings hold: who drains it may not be scheduled for a while.
    rxd = 1024 // queues
    with Sluice(folder, [], ["--config", config, "--rxd", str(rxd), "--txd", "4096"], SETUP,
                eal=eal, env=env, memory=256) as sluice:
        sluice.wait_until(lambda: control.stats()["ports"][0]["listening"] == 1, "link")
        control.ask("gen 0 start")
        sluice.wait_until(lambda: wire(control.stats(), 0, "gen")["done"] == 1, "gen ends", 60)

        def quiet():
            """What the NIC delivered was received, and what was to be sent has arrived."""
            nics, sink = control.stats(), wire(control.stats(), 1, "sink")
            streams = re.findall(r"RX-packets: +(\d+)", sluice.ask("show fwd stats all"))
            received = int(streams[-1])  # the sum stands last
            full = int(re.search(r"tx_full +(\d+)", sluice.ask("show drops")).group(1))
            return (received == nics["ports"][0]["stats"]["rx_frames"] and
                    received == sink["test_frames"] + full)
        sluice.wait_until(quiet, "all has arrived")
        nics = control.stats()
        report = sluice.stop()
        assert "mbufs" not in sluice.log().split("Telling cores to stop")[-1], sluice.log()
    return report, nics


def accounted(report, nics):
    """What came in and is not at the sink is in the NIC's missed counter, to the frame."""
    sink, stats = wire(nics, 1, "sink"), nics["ports"][0]["stats"]
    ledger = report["ledger"]
    assert sink["misordered"] == sink["duplicated"] == sink["bad_total"] == 0, sink
    assert stats["rx_offered"] == stats["rx_frames"] + stats["rx_missed"], stats
    assert report["ports"][0]["rx_missed"] == stats["rx_missed"], (report["ports"], stats)
    assert report["ports"][0]["rx_packets"] == stats["rx_frames"], (report["ports"], stats)
    assert ledger["received"] == stats["rx_frames"], (ledger, stats)
    assert sink["test_frames"] + ledger["dropped"]["tx_full"] == ledger["received"], (sink, ledger)
    assert sink["other"] == 0
    assert ledger["unaccounted"] == 0


@pytest.mark.parametrize("queues", [1, 4])
@pytest.mark.parametrize("nic", PAIRS, ids=repr)
def test_none_is_lost_at_a_limited_rate(nic, queues, tmp_path):
    """The ring's depth is the patience of the NIC: 1,024 frames at 50,000 a second are 20 ms; a
    machine that lets a worker wait longer makes gen wait, not lose."""
    report, nics = forward(nic, tmp_path, "size=imix,rate=50000,full=wait", 50000, queues)
    accounted(report, nics)
    sink = wire(nics, 1, "sink")
    assert sink["test_frames"] == 50000 and sink["lost"] == 0, sink
    assert report["ports"][0]["rx_missed"] == 0
    assert not any(report["ledger"]["dropped"].values()), report["ledger"]


@pytest.mark.parametrize("queues", [1, 4])
@pytest.mark.parametrize("nic", PAIRS, ids=repr)
def test_what_is_lost_unthrottled_is_what_the_nic_missed(nic, queues, tmp_path):
    report, nics = forward(nic, tmp_path, "size=60,rate=max,full=drop", 3000000, queues)
    accounted(report, nics)
    sink = wire(nics, 1, "sink")
    assert sink["lost"] <= nics["ports"][0]["stats"]["rx_missed"]

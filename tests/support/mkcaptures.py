#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the demo's capture, and the ledger that sluice must close it with.

usage: mkcaptures.py            write config/demo/demo.pcap and config/demo/expected.json
       mkcaptures.py --check    compare them with what would be written; exit status 1 if different

The same bytes come out on every run.  The frames arrive at one router port; scenes.py holds what is
in them and oracle.py, which shares no code with sluice, works out from config/demo.cmds and the
bytes what becomes of each.  Each frame also carries the fate its author had in mind: where the two
disagree, nothing is written.
"""
import collections
import json
import pathlib
import struct
import sys

try:
    import scenes
except ImportError as e:
    print(f"mkcaptures: {e}: python3-scapy is needed")
    sys.exit(77)  # meson takes it for "skipped"
import oracle

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURE = ROOT / "config" / "demo" / "demo.pcap"
EXPECTED = ROOT / "config" / "demo" / "expected.json"
COMMANDS = ROOT / "config" / "demo.cmds"
START = 1767225600  # 2026-01-01 00:00:00 UTC
SIZE_MAX = 300_000


def pcap(frames):
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for f in frames:
        second, us = divmod(f.us, 10**6)
        out.append(struct.pack("<IIII", START + second, us, len(f.data), len(f.data)))
        out.append(f.data)
    return b"".join(out)


def ledger(router, frames):
    """What the report must hold, and the frames whose author thought otherwise."""
    wrong = []
    delivered = 0
    originated = collections.Counter()
    dropped = collections.Counter({name: 0 for name in oracle.verdicts(ROOT)})
    sent = collections.Counter()
    # No announcement of our addresses: the run is over before it is due (docs/adr/0005).
    for number, f in enumerate(frames, 1):
        fate = router.fate(f.data)
        if fate.name != f.fate:
            wrong.append(f"frame {number} ({f.what}): meant as {f.fate}, is {fate.name}")
        if fate.name == "sent":
            sent[fate.port] += 1
        elif fate.name == "delivered":
            delivered += 1
        else:
            dropped[fate.name] += 1
        for kind, port in fate.originates:
            originated[kind] += 1
            sent[port] += 1
    for port, ip in sorted(router.unanswered()):
        wrong.append(f"nobody answers for {ip} on {port}: how long its packets wait is no constant")
    ports = [{"id": i, "name": name, "tx_packets": sent[name]}
             for i, name in enumerate(("net_pcap0", "net_pcap1"))]
    ports[0].update(rx_packets=len(frames), rx_bytes=sum(len(f.data) for f in frames))
    ports[1].update(rx_packets=0, rx_bytes=0)
    total = {
        "received": len(frames),
        "originated": sum(originated.values()),
        "sent": sum(sent.values()),
        "delivered": delivered,
        "held": 0,
        "unaccounted": 0,
        "dropped": dict(dropped),
    }
    if total["received"] + total["originated"] != \
            total["sent"] + delivered + sum(dropped.values()):
        wrong.append("the ledger does not close")
    return {"forward_mode": "ip4", "ports": ports, "ledger": total}, wrong


def main(argv):
    if argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    frames = scenes.demo()
    router = oracle.Router(COMMANDS.read_text(encoding="utf-8"), scenes.PORT_MAC)
    report, wrong = ledger(router, frames)
    capture = pcap(frames)
    if len(capture) > SIZE_MAX:
        wrong.append(f"{len(capture)} bytes are more than {SIZE_MAX}")
    text = json.dumps(report, indent=2) + "\n"
    if argv[1:]:
        for path, data in ((CAPTURE, capture), (EXPECTED, text.encode())):
            if not path.exists() or path.read_bytes() != data:
                wrong.append(f"{path.relative_to(ROOT)} is not what mkcaptures.py makes")
    elif not wrong:
        CAPTURE.parent.mkdir(parents=True, exist_ok=True)
        CAPTURE.write_bytes(capture)
        EXPECTED.write_text(text, encoding="utf-8")
        print(f"{len(frames)} frames, {len(capture)} bytes")
    for line in wrong:
        print(f"mkcaptures: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write the captures of the path tests: what comes in, and what must leave, computed here.

    mkgolden.py DIR

The expectation is built field by field with scapy, never by running sluice.  The router of the
test: port 0 is 02:70:63:61:70:00 with 10.0.0.1/24, port 1 is 02:70:63:61:70:01 with 10.0.1.1/24;
routes 20/8 via 10.0.1.2 (02:00:00:00:01:02), 30/8 via 10.0.0.2 (02:00:00:00:00:02), 40/8
blackhole, default via 10.0.1.3 (02:00:00:00:01:03).
"""
import random
import struct
import sys

from scapy.all import (ICMP, IP, TCP, UDP, Dot1Q, Ether, IPOption_LSRR, IPOption_NOP,
                       IPOption_RR, IPOption_Router_Alert, IPv6, Raw, checksum)

PORT = ["02:70:63:61:70:00", "02:70:63:61:70:01"]
PEER = "02:00:00:00:00:99"
NEXT = {20: (1, "02:00:00:00:01:02"), 30: (0, "02:00:00:00:00:02"), 50: (1, "02:00:00:00:01:03")}


def write_pcap(path, frames):
    """Not scapy's: no clock in it, so that the same input gives the same file."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i, data in enumerate(frames):
            f.write(struct.pack("<IIII", i // 1000, i % 1000 * 1000, len(data), len(data)) + data)


def ether(packet, dst=PORT[0], pad=True, **tag):
    frame = Ether(dst=dst, src=PEER)
    if tag:
        frame = frame / Dot1Q(**tag)
    data = bytes(frame / packet)
    return data.ljust(60, b"\xee") if pad else data


def leaves(data):
    """(port, bytes) of a forwarded packet: one hop older, new MACs, no tag, no padding."""
    out, mac = NEXT[data[16]]
    header, rest = bytearray(data[:(data[0] & 15) * 4]), data[(data[0] & 15) * 4:]
    header[8] -= 1
    header[10:12] = b"\0\0"
    header[10:12] = checksum(bytes(header)).to_bytes(2, "big")
    return out, bytes(Ether(dst=mac, src=PORT[out], type=0x0800)) + bytes(header) + rest


class Case:
    def __init__(self, name):
        self.name, self.frames, self.out, self.drops = name, [], [[], []], {}

    def forward(self, packet, **how):
        self.frames.append(ether(packet, **how))
        port, data = leaves(bytes(packet))
        self.out[port].append(data)

    def drop(self, why, data):
        self.frames.append(data)
        self.drops[why] = self.drops.get(why, 0) + 1

    def write(self, folder):
        write_pcap(f"{folder}/{self.name}.in.pcap", self.frames)
        for port in (0, 1):
            write_pcap(f"{folder}/{self.name}.out{port}.pcap", self.out[port])
        with open(f"{folder}/{self.name}.drops", "w") as f:
            f.write("".join(f"{k} {v}\n" for k, v in sorted(self.drops.items())))


def any_packet(rng):
    dst = f"{rng.choice([20, 30, 50])}.{rng.randrange(256)}.{rng.randrange(256)}.7"
    size = rng.choice([0, 1, 18, 100, 512, 1400])
    options = rng.choice([[]] * 6 + [[IPOption_Router_Alert()], [IPOption_NOP()] * 4,
                                     [IPOption_RR(routers=["0.0.0.0"] * 3)]])
    ip = IP(src=f"198.51.100.{rng.randrange(1, 255)}", dst=dst, ttl=rng.randrange(2, 256),
            id=rng.randrange(65536), tos=rng.choice([0, 0xb8]), options=options)
    proto = rng.choice([UDP(sport=rng.randrange(1, 65536), dport=53), TCP(dport=443, flags="A"),
                        ICMP()])
    return ip / proto / Raw(rng.randbytes(size))


def mixed(rng):
    case = Case("mixed")
    good = IP(src="198.51.100.1", dst="20.1.1.1") / UDP() / Raw(b"x" * 30)

    def change(**fields):
        p = good.copy()
        for k, v in fields.items():
            setattr(p, k, v)
        return p

    def patched(offset, value):
        data = bytearray(bytes(good))
        data[offset] = value
        return Raw(bytes(data))

    drops = [
        ("ttl_expired", ether(change(ttl=1))),
        ("ttl_expired", ether(change(ttl=0))),
        ("bad_checksum", ether(patched(10, bytes(good)[10] ^ 0x40))),
        ("bad_version", ether(patched(0, 0x65))),
        ("bad_header_length", ether(patched(0, 0x43))),
        ("bad_length", ether(change(len=1500))),
        ("too_short", ether(good)[:33]),
        ("not_for_us", ether(good, dst="02:00:00:00:00:55")),
        ("not_ip", bytes(Ether(dst=PORT[0], src=PEER) / IPv6())),
        ("vlan_unknown", ether(good, vlan=42)),
        ("martian_source", ether(change(src="127.0.0.1"))),
        ("martian_source", ether(change(src="10.0.1.1"))),
        ("bad_destination", ether(change(dst="240.0.0.1"))),
        ("bad_destination", ether(change(dst="10.0.1.255"))),
        ("bad_destination", ether(change(dst="224.0.0.5"), dst="01:00:5e:00:00:05")),
        ("options_refused", ether(change(options=[IPOption_LSRR(routers=["1.2.3.4"])]))),
        ("blackhole", ether(change(dst="40.0.0.1"))),
    ]
    fixed = []
    for why, data in drops:
        fixed.append((why, with_type(data) if why in ("bad_version", "bad_header_length",
                                                      "bad_checksum") else data))
    for _ in range(300):
        roll = rng.random()
        if roll < 0.2:
            case.drop(*rng.choice(fixed))
        elif roll < 0.3:
            case.forward(any_packet(rng), vlan=0, prio=rng.randrange(8))
        else:
            case.forward(any_packet(rng), pad=rng.random() < 0.7)
    return case


def with_type(data):
    """scapy types the frame by its payload; a raw IPv4 header needs the type said."""
    return data[:12] + b"\x08\x00" + data[14:]


def counted(n):
    case = Case(f"n{n}")
    for i in range(n):
        case.forward(IP(src="198.51.100.1", dst="20.0.0.1", id=i) / UDP() / Raw(b"x" * 18))
    return case


def main():
    folder = sys.argv[1]
    rng = random.Random(6)
    for case in [counted(n) for n in (0, 1, 3, 31, 32, 33)] + [mixed(rng)]:
        case.write(folder)


main()

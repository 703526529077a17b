# SPDX-License-Identifier: BSD-3-Clause
"""Captures and route tables for tests and benchmarks: the standard library only, quick to make, and
the same again for the same seed."""
import random
import socket
import struct

PCAP_PORT_MAC = "02:70:63:61:70:%02x"  # net_pcap's, by its port number
PEER_MAC = "02:00:00:00:00:fe"

# Prefix lengths in about the proportions of the Internet's table.
LENGTHS = {24: 60, 23: 9, 22: 11, 21: 5, 20: 5, 19: 4, 18: 2, 17: 1.5, 16: 2.5}


def ip_text(ip):
    return socket.inet_ntoa(struct.pack(">I", ip))


def ip_number(text):
    return struct.unpack(">I", socket.inet_aton(text))[0]


def mac_bytes(text):
    return bytes.fromhex(text.replace(":", ""))


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def udp_frame(dst, src=ip_number("198.51.100.1"), sport=1024, dport=9, size=60, ttl=64,
              dmac=PCAP_PORT_MAC % 0, smac=PEER_MAC):
    """A UDP datagram in an Ethernet frame of size bytes, FCS not counted.  No UDP checksum."""
    ip_length = size - 14
    head = struct.pack(">BBHHHBBHII", 0x45, 0, ip_length, 0, 0x4000, ttl, 17, 0, src, dst)
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    udp = struct.pack(">HHHH", sport, dport, ip_length - 20, 0)
    return (mac_bytes(dmac) + mac_bytes(smac) + b"\x08\x00" + head + udp).ljust(size, b"\0")


def write_pcap(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        for i, frame in enumerate(frames):
            f.write(struct.pack("<IIII", i // 1000000, i % 1000000, len(frame), len(frame)))
            f.write(frame)


def read_pcap(path):
    """The frames of a pcap that libpcap wrote on this machine."""
    with open(path, "rb") as f:
        data = f.read()
    frames, at = [], 24
    while at + 16 <= len(data):
        held = struct.unpack_from("<I", data, at + 8)[0]
        frames.append(data[at + 16:at + 16 + held])
        at += 16 + held
    return frames


def routes(count, seed=7):
    """[(prefix, length)], no two the same, of ordinary unicast space; not 10/8, 127/8, 198/8."""
    rng = random.Random(seed)
    found = set()
    while len(found) < count:
        length = rng.choices(list(LENGTHS), list(LENGTHS.values()))[0]
        ip = rng.randrange(1 << 24, 224 << 24)
        if ip >> 24 not in (10, 127, 198):
            found.add((ip & (0xFFFFFFFF << (32 - length)) & 0xFFFFFFFF, length))
    table = sorted(found)
    rng.shuffle(table)
    return table


def destinations(table, count, seed=8):
    """Random addresses, each of a random route of the table; never its first or last one."""
    rng = random.Random(seed)
    picks = (rng.choice(table) for _ in range(count))
    return [prefix + rng.randrange(1, (1 << (32 - length)) - 1) for prefix, length in picks]

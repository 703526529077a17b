#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Copy a capture so that a port with the MAC address given takes its frames for its own.

usage: readdress.py IN OUT MAC

IN is a pcap or pcapng file of Ethernet, Linux "cooked" or raw IPv4 packets.  OUT is a pcap of
Ethernet frames: unicast ones are addressed to MAC, group addresses stay as they are.
"""
import struct
import sys

ETHERNET, RAW, SLL, SLL2 = 1, (12, 14, 101, 228), 113, 276
SENDER = bytes.fromhex("00005e005301")
PCAP = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}


class BadCapture(Exception):
    pass


def read_pcap(data):
    """Yield (link type, nanoseconds, bytes, length on the wire)."""
    order, unit = PCAP[data[:4]]
    if len(data) < 24:
        raise BadCapture("the file ends in its header")
    link = struct.unpack_from(order + "I", data, 20)[0] & 0x0FFFFFFF
    at = 24
    while at < len(data):
        if at + 16 > len(data):
            return  # a capture that was still being written
        sec, sub, held, length = struct.unpack_from(order + "IIII", data, at)
        at += 16
        if at + held > len(data):
            return
        yield link, sec * 10**9 + sub * unit, data[at:at + held], length
        at += held


def tick_ns(options, order):
    """Nanoseconds of one unit of a pcapng interface's time stamps (option 9, if_tsresol)."""
    at = 0
    while at + 4 <= len(options):
        code, size = struct.unpack_from(order + "HH", options, at)
        if code == 9 and size == 1:
            value = options[at + 4]
            return 1e9 / (2 ** (value & 0x7F) if value & 0x80 else 10 ** value)
        at += 4 + (size + 3) // 4 * 4
    return 1000


def read_pcapng(data):
    order, links, at = "<", [], 0
    while at + 12 <= len(data):
        kind = struct.unpack_from(order + "I", data, at)[0]
        if kind == 0x0A0D0D0A:
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            links = []
        size = struct.unpack_from(order + "I", data, at + 4)[0]
        if size < 12 or at + size > len(data):
            return
        body = data[at + 8:at + size - 4]
        if kind == 1 and len(body) >= 8:
            links.append((struct.unpack_from(order + "H", body)[0], tick_ns(body[8:], order)))
        elif kind == 6 and len(body) >= 20:
            number, high, low, held, length = struct.unpack_from(order + "IIIII", body)
            if number >= len(links):
                raise BadCapture(f"a packet of interface {number}, which is not described")
            link, tick = links[number]
            yield link, int((high << 32 | low) * tick), body[20:20 + held], length
        elif kind == 3 and len(body) >= 4 and links:
            length = struct.unpack_from(order + "I", body)[0]
            yield links[0][0], 0, body[4:4 + length], length
        at += size


def packets(data):
    if data[:4] in PCAP:
        return read_pcap(data)
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        return read_pcapng(data)
    raise BadCapture("neither pcap nor pcapng")


def ethernet(link, frame, mac):
    """The frame as our port shall see it, or None for what cannot be made one."""
    if link == ETHERNET:
        if len(frame) < 6 or frame[0] & 1:
            return frame
        return mac + frame[6:]
    if link in RAW:
        return mac + SENDER + b"\x08\x00" + frame if frame[:1] and frame[0] >> 4 == 4 else None
    if link == SLL and len(frame) >= 16:
        return mac + SENDER + frame[14:16] + frame[16:]
    if link == SLL2 and len(frame) >= 20:
        return mac + SENDER + frame[:2] + frame[20:]
    if link in (SLL, SLL2):
        return None
    raise BadCapture(f"link type {link}: Ethernet, Linux cooked or raw IPv4 is wanted")


def copy(source, target, mac):
    with open(source, "rb") as f:
        data = f.read()
    count = cut = skipped = 0
    with open(target, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, ETHERNET))
        for link, ns, held, length in packets(data):
            frame = ethernet(link, held, mac)
            if frame is None:
                skipped += 1
                continue
            cut += length > len(held)
            out.write(struct.pack("<IIII", ns // 10**9 & 0xFFFFFFFF, ns % 10**9 // 1000,
                                  len(frame), len(frame) + length - len(held)))
            out.write(frame)
            count += 1
    print(f"readdress: {count} packets, readdressed to {mac.hex(':')}")
    if cut:
        print(f"readdress: {cut} of them were captured cut short; sluice will drop those as "
              "bad_length (capture with -s 0)")
    if skipped:
        print(f"readdress: {skipped} packets that are not IPv4 were left out")


def main(argv):
    if len(argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        copy(argv[1], argv[2], bytes.fromhex(argv[3].replace(":", "")))
    except (OSError, BadCapture) as e:
        print(f"readdress: {argv[1]}: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

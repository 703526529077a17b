# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of a frame: the rules of the design, written a second time, from bytes alone.

Meant to be read beside docs/packet-path.md, not to be fast.  It knows one port with frames coming
in, and the commands addr add, neigh add and route add.
"""
import ipaddress
import re
import struct
from typing import NamedTuple

NOBODY = [ipaddress.ip_network(n) for n in ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4",
                                            "240.0.0.0/4")]
IPV4, ARP = 0x0800, 0x0806
TAGS = (0x8100, 0x88A8, 0x9100)
MTU = 1500
END, NOP, LSRR, SSRR = 0, 1, 131, 137


class Fate(NamedTuple):
    name: str              # "sent", "delivered", or the verdict of a drop
    port: str = ""         # when sent
    originates: tuple = () # (kind, port) of each frame the router makes because of it


def verdicts(root):
    text = (root / "lib" / "stats" / "verdict.def").read_text(encoding="utf-8")
    return re.findall(r"^VERDICT\(\w+, (\w+),", text, re.M)


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def is_nobody(ip):
    return any(ip in net for net in NOBODY)


def options_good(options):
    """Whole options up to the end of the list, and no source route (RFC 791 3.1, RFC 7126)."""
    at = 0
    while at < len(options):
        kind = options[at]
        if kind == END:
            return True
        if kind == NOP:
            at += 1
            continue
        if at + 1 >= len(options) or options[at + 1] < 2 or at + options[at + 1] > len(options):
            return False
        if kind in (LSRR, SSRR):
            return False
        at += options[at + 1]
    return True


class Router:
    def __init__(self, commands, mac):
        self.mac = mac            # of the port where frames come in
        self.own = {}             # address -> (network, port)
        self.neighbours = set()   # (port, address) whose MAC is known
        self.asked = set()        # ... is being sought
        self.routes = []          # (network, next hop or None, port or None)
        for line in commands.splitlines():
            self.command(line.split("#")[0].split())
        self.incoming = next(iter(self.own.values()))[1]

    def command(self, words):
        if not words:
            return
        verb, rest = words[:2], words[2:]
        if verb == ["addr", "add"]:
            a = ipaddress.ip_interface(rest[0])
            self.own[a.ip] = (a.network, rest[2])
        elif verb == ["neigh", "add"]:
            self.neighbours.add((rest[4], ipaddress.ip_address(rest[0])))
        elif verb == ["route", "add"]:
            hop = ipaddress.ip_address(rest[2]) if rest[1] == "via" else None
            self.routes.append((ipaddress.ip_network(rest[0]), hop))
        else:
            raise ValueError(f"the oracle does not know: {' '.join(words)}")

    def connected(self, ip):
        for net, port in self.own.values():
            if ip in net:
                return port
        return None

    def next_hop(self, ip):
        """("via", port, address), or ("drop", verdict)."""
        for net, port in self.own.values():
            if ip in (net.network_address, net.broadcast_address):
                return "drop", "bad_destination"
        if self.connected(ip):
            return "via", self.connected(ip), ip
        best = max((r for r in self.routes if ip in r[0]), default=None,
                   key=lambda r: r[0].prefixlen)
        if best is None:
            return "drop", "no_route"
        if best[1] is None:
            return "drop", "blackhole"
        port = self.connected(best[1])
        return ("via", port, best[1]) if port else ("drop", "no_route")

    def fate(self, frame):
        if len(frame) < 14 + 20:
            return Fate("too_short")
        group = bool(frame[0] & 1)
        if not group and frame[:6] != self.mac:
            return Fate("not_for_us")
        kind, at = struct.unpack_from("!H", frame, 12)[0], 14
        if kind == 0x8100:
            if len(frame) < 18 + 20:
                return Fate("too_short")
            tci, kind = struct.unpack_from("!HH", frame, 14)
            if tci & 0xFFF or kind in TAGS:
                return Fate("vlan_unknown")
            at = 18
        elif kind in TAGS:
            return Fate("vlan_unknown")
        if kind == ARP:
            return self.arp(frame[at:])
        if kind != IPV4:
            return Fate("not_ip")
        return self.ipv4(frame[at:], group)

    def arp(self, data):
        op = struct.unpack_from("!H", data, 6)[0]
        sender, target = (ipaddress.ip_address(data[i:i + 4]) for i in (14, 24))
        if (self.incoming, sender) in self.asked:
            self.neighbours.add((self.incoming, sender))
        if op == 1 and target in self.own and self.own[target][1] == self.incoming:
            self.neighbours.add((self.incoming, sender))
            return Fate("delivered", originates=(("arp_reply", self.incoming),))
        return Fate("delivered")

    def ipv4(self, data, group):
        header, length = (data[0] & 15) * 4, struct.unpack_from("!H", data, 2)[0]
        if data[0] >> 4 != 4:
            return Fate("bad_version")
        if header < 20:
            return Fate("bad_header_length")
        if not header <= length <= len(data):
            return Fate("bad_length")
        if checksum(data[:header]) != 0:
            return Fate("bad_checksum")
        source, target = (ipaddress.ip_address(data[i:i + 4]) for i in (12, 16))
        if is_nobody(source) or source in self.own:
            return Fate("martian_source")
        if group or is_nobody(target):
            return Fate("bad_destination")
        if not options_good(data[20:header]):
            return Fate("options_refused")
        if target in self.own:
            return self.local(data[:length], header, source)
        way = self.next_hop(target)
        if way[1] == "bad_destination":
            return Fate("bad_destination")
        if data[8] <= 1:
            return Fate("ttl_expired")
        if way[0] == "drop":
            return Fate(way[1])
        if length > MTU:
            return Fate("mtu_exceeded")
        return self.forward(way[1], way[2])

    def forward(self, port, hop):
        """Sent, if need be after ARP; unanswered() tells whether that came true."""
        if (port, hop) in self.neighbours or (port, hop) in self.asked:
            return Fate("sent", port)
        self.asked.add((port, hop))
        return Fate("sent", port, (("arp_request", port),))

    def local(self, data, header, source):
        message = data[header:]
        fragment = struct.unpack_from("!H", data, 6)[0] & 0x3FFF
        if data[9] != 1 or fragment:
            return Fate("local_unhandled")
        if len(message) < 8 or checksum(message) != 0:
            return Fate("icmp_invalid")
        if message[0] != 8:
            return Fate("local_unhandled")
        way = self.next_hop(source)
        if way[0] != "via" or (way[1], way[2]) not in self.neighbours:
            raise ValueError(f"an echo reply to {source} would not leave at once")
        return Fate("delivered", originates=(("echo_reply", way[1]),))

    def unanswered(self):
        """(port, address) of those that were asked for and never answered."""
        return self.asked - self.neighbours

# SPDX-License-Identifier: BSD-3-Clause
"""Frames as a router port on a busy network sees them, each with the fate that it shall meet.

Addresses are those set aside for documentation and benchmarks (RFC 5737, 2544), shared and private
space, and two public resolvers; MAC addresses are RFC 7042's.  config/demo.cmds draws the map.
"""
import random
from typing import NamedTuple

from scapy.all import (ARP, ICMP, IP, TCP, UDP, DNS, DNSQR, DNSRR, Dot1Q, Ether, IPOption_LSRR,
                       IPOption_RR, IPOption_Router_Alert, IPv6, Raw, fragment)

PORT_MAC = bytes.fromhex("027063617000")  # net_pcap's first port
ROUTER = "02:70:63:61:70:00"
ACCESS = "00:00:5e:00:53:02"    # 10.0.0.2: customers 192.0.2.0/24
RETURN = "00:00:5e:00:53:03"    # 10.0.0.3: 100.64.0.0/10; also brings the world's answers
LATE = "00:00:5e:00:53:04"      # 10.0.0.4: known by ARP only
STRANGER = "00:00:5e:00:53:99"
EVERYBODY = "ff:ff:ff:ff:ff:ff"
SHORTEST = 60                   # of an Ethernet frame without its checksum
MSS = 1460


class Frame(NamedTuple):
    us: int     # since the capture's beginning
    data: bytes
    fate: str   # "sent", "delivered" or the drop's name
    what: str


class Scene:
    """Collects frames.  Each conversation has a clock of its own; at the end all are sorted."""

    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.frames = []
        self.us = 0

    def at(self, us):
        self.us = us

    def wait(self, low, high):
        self.us += self.rnd.randint(low, high)

    def put(self, packet, fate="sent", what="", pad=b"", cut=None):
        data = bytes(packet)
        if cut is not None:
            data = data[:cut]
        else:
            data += (pad or b"\0" * 64)[:max(0, SHORTEST - len(data))]
        self.frames.append(Frame(self.us, data, fate, what or packet.summary()))
        self.wait(3, 40)

    def bytes(self, n):
        return self.rnd.randbytes(n)


def ether(src=ACCESS, dst=ROUTER, **fields):
    return Ether(src=src, dst=dst, **fields)


class Tcp:
    """One connection, both directions, as the router between them sees it."""

    def __init__(self, scene, client, server, sport, dport):
        self.s, self.client, self.server = scene, client, server
        self.ports = {client: (sport, dport), server: (dport, sport)}
        self.mac = {client: ACCESS, server: RETURN}
        self.ttl = {client: 63, server: 54}
        self.id = {client: scene.rnd.getrandbits(16), server: scene.rnd.getrandbits(16)}
        self.seq = {client: scene.rnd.getrandbits(32), server: scene.rnd.getrandbits(32)}

    def send(self, who, flags, data=b"", options=()):
        peer = self.server if who == self.client else self.client
        sport, dport = self.ports[who]
        self.id[who] = (self.id[who] + 1) & 0xFFFF
        self.s.put(ether(self.mac[who]) /
                   IP(src=who, dst=peer, ttl=self.ttl[who], id=self.id[who], flags="DF") /
                   TCP(sport=sport, dport=dport, flags=flags, seq=self.seq[who],
                       ack=self.seq[peer] if "A" in flags else 0, window=502,
                       options=list(options)) / Raw(data))
        step = len(data) + ("S" in flags) + ("F" in flags)
        self.seq[who] = (self.seq[who] + step) & 0xFFFFFFFF

    def hello(self):
        options = (("MSS", MSS), ("NOP", None), ("WScale", 7), ("NOP", None), ("NOP", None),
                   ("SAckOK", b""))
        self.send(self.client, "S", options=options)
        self.s.wait(2000, 9000)
        self.send(self.server, "SA", options=options)
        self.s.wait(2000, 9000)
        self.send(self.client, "A")

    def ask(self, request, answer):
        """A request, and an answer in full segments with an ACK for every second one."""
        self.send(self.client, "PA", request)
        self.s.wait(2000, 9000)
        self.send(self.server, "A")
        for n, at in enumerate(range(0, len(answer), MSS), 1):
            part = answer[at:at + MSS]
            self.send(self.server, "PA" if at + MSS >= len(answer) else "A", part)
            if n % 2 == 0:
                self.send(self.client, "A")
        self.send(self.client, "A")

    def upload(self, data, size):
        for at in range(0, len(data), size):
            self.send(self.client, "PA", data[at:at + size])
            if at // size % 3 == 2:
                self.send(self.server, "A")
        self.send(self.server, "A")

    def bye(self):
        for who, flags in ((self.client, "FA"), (self.server, "A"), (self.server, "FA"),
                           (self.client, "A")):
            self.send(who, flags)
            self.s.wait(1000, 4000)


def web(s):
    request = b"GET /%d HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: demo\r\n\r\n"
    servers = ("203.0.113.10", "203.0.113.80", "203.0.113.77", "198.51.100.7", "198.51.100.200",
               "10.0.1.10")
    for i, server in enumerate(servers):
        s.at(1000 + 7000 * i)
        t = Tcp(s, f"192.0.2.{10 + i}", server, 40000 + 17 * i, 443 if i % 2 else 80)
        t.hello()
        for n in range(2):
            size = s.rnd.randint(300, 9000)
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size
            t.ask(request % n, head + s.bytes(size))
        t.bye()


def terminal(s):
    """Keystrokes: 41-byte packets and larger, both ways."""
    s.at(5000)
    t = Tcp(s, "192.0.2.33", "198.51.100.22", 51022, 22)
    t.hello()
    for size in (1, 2, 3, 5, 8, 13, 21, 36, 36, 52, 100, 200):
        t.send(t.client, "PA", s.bytes(size))
        s.wait(500, 3000)
        t.send(t.server, "PA", s.bytes(size + 16))
        t.send(t.client, "A")
    t.bye()


def upload(s):
    s.at(9000)
    t = Tcp(s, "100.64.12.7", "203.0.113.99", 60001, 443)
    t.mac[t.client] = RETURN
    t.hello()
    t.upload(s.bytes(24000), MSS)
    t.upload(s.bytes(3000), 536)
    t.bye()


def names(s):
    for i in range(12):
        s.at(2000 + 5100 * i)
        client, resolver = f"192.0.2.{40 + i % 5}", ("8.8.8.8", "9.9.9.9")[i % 2]
        question = DNSQR(qname=f"host{i}.example.com")
        port = 33000 + 101 * i
        s.put(ether() / IP(src=client, dst=resolver, ttl=63, id=1000 + i) /
              UDP(sport=port, dport=53) / DNS(id=i, rd=1, qd=question))
        s.wait(8000, 20000)
        s.put(ether(RETURN) / IP(src=resolver, dst=client, ttl=57, id=2000 + i) /
              UDP(sport=53, dport=port) /
              DNS(id=i, qr=1, rd=1, ra=1, qd=question,
                  an=DNSRR(rrname=f"host{i}.example.com", ttl=300, rdata=f"203.0.113.{i + 1}")))


def pings(s):
    for i in range(8):
        s.at(3000 + 10000 * i)
        body = bytes(range(0x10, 0x48))
        s.put(ether() / IP(src="192.0.2.50", dst="198.51.100.9", ttl=63, id=300 + i, flags="DF") /
              ICMP(type=8, id=77, seq=i + 1) / Raw(body))
        s.wait(4000, 9000)
        s.put(ether(RETURN) / IP(src="198.51.100.9", dst="192.0.2.50", ttl=58, id=400 + i) /
              ICMP(type=0, id=77, seq=i + 1) / Raw(body))


def imix(s):
    """7 : 4 : 1 of 46, 576 and 1,500 bytes of IPv4."""
    for n in range(4):
        s.at(12000 + 15000 * n)
        for i, size in enumerate([46] * 7 + [576] * 4 + [1500]):
            s.put(ether(RETURN) / IP(src=f"100.64.{n}.{i + 1}", dst=f"9.{n}.9.{20 * i + 1}",
                                     ttl=32, id=100 * n + i) /
                  UDP(sport=5000 + i, dport=6000 + n) / Raw(s.bytes(size - 28)))


def fragments(s):
    s.at(21000)
    for n, size in enumerate((3000, 4400)):
        whole = IP(src="192.0.2.60", dst="203.0.113.60", ttl=63, id=0x4242 + n) / \
            UDP(sport=2049, dport=800) / Raw(s.bytes(size))
        for part in fragment(whole, fragsize=1480):
            s.put(ether() / part)


def options(s):
    s.at(23000)
    body = UDP(sport=1, dport=2) / Raw(b"with options")
    for option in (IPOption_Router_Alert(), IPOption_RR(length=11, pointer=4,
                                                        routers=["0.0.0.0", "0.0.0.0"])):
        s.put(ether() / IP(src="192.0.2.61", dst="203.0.113.61", ttl=63, options=[option]) / body)
    s.put(ether() / IP(src="192.0.2.61", dst="203.0.113.61", ttl=63,
                       options=[IPOption_LSRR(routers=["203.0.113.1"])]) / body,
          "options_refused", "loose source route")


def priority_tags(s):
    """Telephony of a switch that tags with VID 0 and priority 5."""
    for i in range(10):
        s.at(24000 + 2000 * i)
        s.put(ether() / Dot1Q(vlan=0, prio=5) /
              IP(src="192.0.2.70", dst="203.0.113.70", ttl=63, tos=0xB8, id=i) /
              UDP(sport=16384, dport=16386) / Raw(b"\x80\x00" + s.bytes(170)))


def padded(s):
    """Short packets behind which some sender left old memory."""
    for i in range(6):
        s.at(26000 + 900 * i)
        s.put(ether() / IP(src="192.0.2.71", dst="203.0.113.71", ttl=63, id=i) /
              UDP(sport=123, dport=123) / Raw(b"x" * i), pad=s.bytes(64))


def neighbours(s):
    """ARP, and what the router itself is asked."""
    s.at(27000)
    for i in range(3):
        s.put(ether() / IP(src="192.0.2.80", dst="198.18.4.9", ttl=63, id=i) /
              UDP(sport=7, dport=7) / Raw(b"waits for ARP"), what="to the late neighbour")
    s.put(ether(LATE) / ARP(op=2, hwsrc=LATE, psrc="10.0.0.4", hwdst=ROUTER, pdst="10.0.0.1"),
          "delivered", "the late neighbour answers")
    for i in range(3):
        s.put(ether() / IP(src="192.0.2.80", dst="198.18.4.10", ttl=63, id=3 + i) /
              UDP(sport=7, dport=7) / Raw(b"need not wait"), what="to the late neighbour")
    s.put(ether(dst=EVERYBODY) / ARP(op=1, hwsrc=ACCESS, psrc="10.0.0.2", pdst="10.0.0.1"),
          "delivered", "who has 10.0.0.1?")
    s.put(ether(STRANGER, EVERYBODY) / ARP(op=1, hwsrc=STRANGER, psrc="10.0.0.88",
                                           pdst="10.0.0.99"),
          "delivered", "somebody asks for somebody else")
    for target, ttl in (("10.0.0.1", 63), ("10.0.1.1", 63), ("10.0.0.1", 1)):
        s.put(ether() / IP(src="192.0.2.81", dst=target, ttl=ttl) /
              ICMP(type=8, id=5, seq=1) / Raw(b"are you there?" * 3),
              "delivered", f"echo request to {target}, TTL {ttl}")
    s.put(ether() / IP(src="192.0.2.81", dst="10.0.0.1") / UDP(sport=9000, dport=161) /
          Raw(b"snmp"), "local_unhandled", "SNMP to the router")
    s.put(ether() / IP(src="192.0.2.81", dst="10.0.0.1") / ICMP(type=8, chksum=1),
          "icmp_invalid", "echo request with a bad checksum")


def plain(src="192.0.2.90", dst="203.0.113.90", mac=ACCESS, to=ROUTER, size=26, **fields):
    return ether(mac, to) / IP(src=src, dst=dst, **{"ttl": 63, **fields}) / \
        UDP(sport=4000, dport=4001) / Raw(b"d" * size)


def headers(s):
    """What RFC 1812 5.2.2 has a router throw away without a word."""
    s.at(30000)
    s.put(plain(), "too_short", "runt of 20 bytes", cut=20)
    s.put(plain(), "too_short", "runt of 33 bytes", cut=33)
    s.put(plain(version=5), "bad_version", "version 5")
    s.put(plain(version=6), "bad_version", "version 6 under IPv4's EtherType")
    s.put(plain(ihl=3), "bad_header_length", "IHL of 12 bytes")
    s.put(plain(ihl=15, len=40), "bad_length", "IHL beyond the packet")
    s.put(plain(len=1500), "bad_length", "1,500 bytes in a frame of 60")
    s.put(plain(size=600), "bad_length", "cut short on its way", cut=400)
    s.put(plain(chksum=0x1234), "bad_checksum", "bad header checksum")
    for i in range(2):
        good = bytes(plain(id=i))
        s.put(Raw(good[:30 + i] + bytes([good[30 + i] ^ 1]) + good[31 + i:]), "bad_checksum",
              "one flipped bit")


def addresses(s):
    """Sources and destinations that no router may pass on (RFC 1812 5.3.7, 5.3.5)."""
    s.at(32000)
    for src in ("127.0.0.1", "0.1.2.3", "224.0.0.1", "255.255.255.255", "240.1.2.3", "10.0.0.1"):
        s.put(plain(src=src), "martian_source", f"source {src}")
    for dst in ("240.0.0.1", "127.0.0.1", "0.0.0.0", "224.0.0.9", "255.255.255.255",
                "10.0.1.255", "10.0.1.0"):
        s.put(plain(dst=dst), "bad_destination", f"destination {dst}")
    s.put(plain(to=EVERYBODY), "bad_destination", "unicast packet in a broadcast frame")
    s.put(plain(src="10.0.0.77", dst="10.0.0.255", mac=STRANGER, to=EVERYBODY),
          "bad_destination", "directed broadcast on the port's own network")
    s.put(plain(src="10.0.0.77", dst="224.0.0.251", mac=STRANGER, to="01:00:5e:00:00:fb"),
          "bad_destination", "multicast DNS")
    s.put(plain(src="0.0.0.0", dst="255.255.255.255", mac=STRANGER, to=EVERYBODY, size=250),
          "martian_source", "a DHCP client without an address")


def frames_for_others(s):
    s.at(35000)
    for i in range(5):
        s.put(plain(to=STRANGER, id=i), "not_for_us", "another host's MAC, flooded by a switch")
    s.put(ether() / Dot1Q(vlan=42) / plain()[IP], "vlan_unknown", "VLAN 42")
    s.put(ether(type=0x88A8) / Dot1Q(vlan=7, type=0x8100) / Dot1Q(vlan=42) / plain()[IP],
          "vlan_unknown", "stacked tags")
    s.put(ether() / IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP() / Raw(b"six"), "not_ip",
          "IPv6")
    s.put(Ether(src=STRANGER, dst="01:80:c2:00:00:0e", type=0x88CC) / Raw(b"\2\7\4" + b"l" * 43),
          "not_ip", "LLDP of a switch")


def ways(s):
    """Sound packets that have nowhere to go."""
    s.at(37000)
    for i in range(4):
        s.put(plain(ttl=1, dst=f"203.0.113.{i + 1}"), "ttl_expired", "traceroute")
    s.put(plain(ttl=0), "ttl_expired", "TTL 0")
    s.put(plain(ttl=2, dst="203.0.113.77"), what="TTL 2: one hop left")
    for dst in ("172.16.0.1", "192.168.1.1", "11.0.0.1", "198.51.101.1", "1.1.1.1"):
        s.put(plain(dst=dst), "no_route", f"no route to {dst}")
    for dst in ("198.51.100.64", "198.51.100.95", "100.127.0.1"):
        s.put(plain(dst=dst), "blackhole", f"blackhole of {dst}")
    for dst in ("198.51.100.63", "198.51.100.96", "198.51.100.127", "198.51.100.128",
                "203.0.113.63", "203.0.113.127", "203.0.113.128", "100.126.255.255"):
        s.put(plain(dst=dst), what=f"beside a boundary: {dst}")
    s.put(plain(size=1600 - 28, flags="DF"), "mtu_exceeded", "1,600 bytes, not to be fragmented")


def demo():
    s = Scene(20260101)
    for part in (web, terminal, upload, names, pings, imix, fragments, options, priority_tags,
                 padded, neighbours, headers, addresses, frames_for_others, ways):
        part(s)
    # Stable: frames of the same microsecond stay in the order they were made.
    return sorted(s.frames, key=lambda f: f.us)

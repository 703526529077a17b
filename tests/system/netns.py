# SPDX-License-Identifier: BSD-3-Clause
"""Network namespaces with kernel hosts in them, and sluice between two of them."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from program import Sluice, enter
from softnic import PLUGIN, Control

TOOLS = ("ip", "nsenter", "ping", "ethtool", "tcpdump", "curl", "iperf3")


def unusable():
    """Why these tests cannot run here, or None."""
    if os.geteuid() != 0:
        return "wants root, for network namespaces"
    if not os.path.exists("/dev/net/tun"):
        return "wants /dev/net/tun"
    missing = [t for t in TOOLS if shutil.which(t) is None]
    if missing:
        return f"wants {' '.join(missing)}"
    probe = subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False)
    return None if probe.returncode == 0 else "may not make network namespaces here"


needs_netns = pytest.mark.skipif(unusable() is not None, reason=str(unusable()))


def sh(*argv, timeout=60):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, f"{' '.join(argv)}: {done.stdout}{done.stderr}"
    return done.stdout


class Namespace:
    def __init__(self, name):
        self.name = f"sluice-{name}-{os.getpid()}"
        self.children = []
        sh("ip", "netns", "add", self.name)
        # No router solicitations, no MLD: what a test counts is what the test sent.
        self.run("sh", "-c", "for f in /proc/sys/net/ipv6/conf/*/disable_ipv6; do "
                 "[ ! -e $f ] || echo 1 >$f; done")
        self.run("ip", "link", "set", "lo", "up")

    def command(self, *argv):
        return enter(self.name, *argv)

    def run(self, *argv, timeout=60):
        return sh(*self.command(*argv), timeout=timeout)

    def start(self, *argv, **how):
        child = subprocess.Popen(self.command(*argv), **how)
        self.children.append(child)
        return child

    def links(self):
        return self.run("ip", "-o", "link")

    def remove(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.wait()
            for pipe in (child.stdout, child.stderr):
                if pipe:
                    pipe.close()
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, check=False)


class Host(Namespace):
    """One interface, one address, and a gateway to the far network."""

    def __init__(self, name, address, gateway, far, mac):
        super().__init__(name)
        self.address, self.gateway, self.far, self.mac = address, gateway, far, mac
        self.link = name

    def plug_in(self):
        """The interface is in the namespace: give it what a host has."""
        # A TAP and the port behind it start with the same MAC address; a cable has two ends.
        self.run("ip", "link", "set", self.link, "address", self.mac)
        self.run("ip", "address", "add", f"{self.address}/24", "dev", self.link)
        self.run("ip", "link", "set", self.link, "up")
        # Not a default route: nobody here shall look for a name server on the other side.
        self.run("ip", "route", "add", self.far, "via", self.gateway)

    def neighbours(self):
        return self.run("ip", "neigh", "show", "dev", self.link)


class Lab:
    """left, sluice, right: see test_netns.py for the drawing."""

    def __init__(self, kind):
        self.kind = kind
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-lab-"))
        self.stack = contextlib.ExitStack()
        self.stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.middle = self.own(Namespace("middle"))
        self.left = self.own(Host("left", "10.1.1.2", "10.1.1.1", "10.2.2.0/24",
                                  "02:00:00:00:01:02"))
        self.right = self.own(Host("right", "10.2.2.2", "10.2.2.1", "10.1.1.0/24",
                                   "02:00:00:00:02:02"))
        self.hosts = (self.left, self.right)
        self.sluice = self.nics = None

    def own(self, namespace):
        self.stack.callback(namespace.remove)
        return namespace

    def veth(self, host):
        """host's interface in its namespace, its other end, port-NAME, in sluice's."""
        port = f"port-{host.link}"
        self.middle.run("ip", "link", "add", port, "type", "veth", "peer", "name", host.link,
                        "netns", host.name)
        # Else AF_PACKET hands over frames with unfilled checksums, and longer than the MTU.
        for side, link in ((host, host.link), (self.middle, port)):
            side.run("ethtool", "-K", link, "tx", "off", "gso", "off", "tso", "off", "gro", "off")
        self.middle.run("ip", "link", "set", port, "up")

    def start(self, *options, commands=()):
        eal, env = ["--no-pci"], {}
        if self.kind in PLUGIN:
            eal, vdevs, ports = ["-d", str(PLUGIN[self.kind])], [], ["0", "1"]
            # What comes off a cable waits in the rings only, also while nobody has a CPU for it.
            options = ["--rxd", "4096", "--txd", "4096", *options]
            self.nics = Control(self.folder / "nics.sock")
            env["SLUICE_NICS"] = " ; ".join([f"run,cpu=0,control={self.nics.path}", *(
                f"{self.kind} tap,name={h.link},netns={h.name}" for h in self.hosts)])
        elif self.kind == "tap":
            vdevs = [f"net_tap{i},iface={h.link}" for i, h in enumerate(self.hosts)]
            ports = ["net_tap0", "net_tap1"]
        else:
            for host in self.hosts:
                self.veth(host)
            vdevs = [f"net_af_packet{i},iface=port-{h.link}" for i, h in enumerate(self.hosts)]
            ports = ["net_af_packet0", "net_af_packet1"]
        addresses = [f"addr add {h.gateway}/24 dev {p}" for h, p in zip(self.hosts, ports)]
        self.sluice = self.stack.enter_context(Sluice(
            self.folder, vdevs, ["--config", f"({ports[0]},0,1),({ports[1]},0,1)", *options],
            [*addresses, *commands], netns=self.middle.name, eal=eal, env=env))
        for host in self.hosts:
            if self.kind == "tap":
                self.middle.run("ip", "link", "set", host.link, "netns", host.name)
            elif self.kind in PLUGIN:
                # More than a TCP window: nothing is lost while nobody has a CPU to take it.
                host.run("ip", "link", "set", host.link, "txqueuelen", "10000")
            host.plug_in()
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

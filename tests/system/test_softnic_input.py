# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with software NICs is one clear line, whatever program loads them: no crash, nothing
left behind, and nothing of the machine's own is taken instead."""
import itertools
import os
import re
import shutil
import subprocess

import pytest

from ordinary import ID, NAMESPACES, USER, home, needs_user, no_namespaces  # noqa: F401
from softnic import BUILD, PLUGIN, RUN_S, needs_softnic
from testpmd import TESTPMD, needs_testpmd

pytestmark = needs_softnic
prefixes = itertools.count()
NO_RIGHT_TO_TAP = (r"port 0: tap: (name=tap%d: cannot make the interface: Operation not permitted; it "
                   r"takes CAP_NET_ADMIN|cannot open /dev/net/tun: Permission denied; .*let this user)")
NO_RIGHT_TO_LEAVE = (r"port 0: tap: netns=/proc/self/ns/net: cannot enter it: Operation not "
                     r"permitted; it takes CAP_SYS_ADMIN")


def run(program, folder, kind, nics=None, plugin=None, wrap=(), env=()):
    """(exit status, what it said) of a program that has nothing but these NICs."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    os.chown(temporary, *((ID, ID) if wrap else (0, 0)))
    prefix = f"input-{os.getpid()}-{next(prefixes)}"
    eal = ["--no-huge", "--no-shconf", "--no-telemetry", "-m", "256", "-l", "0,1", "--file-prefix",
           prefix, "--log-level=lib.eal:info", "-d", str(plugin or PLUGIN[kind]), "--"]
    argv = [str(BUILD / "app/sluice"), *eal, "--auto-start", "--run-for", "1"]
    if program == "testpmd":
        argv = [TESTPMD, *eal, "-i"]
    environment = {**os.environ, "TMPDIR": str(temporary), "XDG_RUNTIME_DIR": str(folder),
                   **dict(env)}
    if nics is not None:
        environment["SLUICE_NICS"] = nics
    try:
        done = subprocess.run([*wrap, *argv], capture_output=True, text=True, timeout=RUN_S,
                              check=False, stdin=subprocess.DEVNULL, cwd=folder, env=environment)
    finally:
        shutil.rmtree(f"/var/run/dpdk/{prefix}", ignore_errors=True)
    said = done.stdout + done.stderr
    assert done.returncode >= 0, f"died of signal {-done.returncode}:\n{said}"
    assert list(temporary.iterdir()) == []
    return done.returncode, said


def refused(folder, kind, pattern, program="sluice", **how):
    """One line of softnic that matches, and no NIC."""
    status, said = run(program, folder, kind, **how)
    lines = [line for line in said.splitlines() if line.startswith("softnic: ")]
    assert len(lines) == 1 and re.search(pattern, lines[0]), said
    assert "Probe PCI driver" not in said
    if program == "sluice":
        assert status == 2
        assert "\nsluice: no port: PCI devices are software NICs here, and none" in f"\n{said}"


@pytest.mark.parametrize("nics,pattern", [
    ("82599x gen sink", "unknown NIC '82599x'; there are 82599 and cx5$"),
    ("{0} gne sink", r"port 0: unknown wire 'gne'; there are gen, loop, pair, pcap, sink, tap$"),
    ("{0},queus=4 gen", r"port 0: {0}: unknown key 'queus'; it takes .*queues"),
    ("{0},queues=many gen", r"port 0: {0},queues=many: not a number; write 1 to \d+"),
    ("{0} gen ; {0} sink,hop=1", r"port 1: sink: unknown key 'hop'; it takes .*hops"),
    ("run,cpus=0 ; {0}", "run: unknown key 'cpus'; it takes cpu, "),
    ("run,cpu=9999 ; {0}", r"run,cpu=9999: (outside 0 to|there is no such CPU; write 0 to) \d+$"),
    ("run,cpu=1000 ; {0}", r"run,cpu=1000: there is no such CPU; write 0 to \d+$"),
    ("{0} pcap,in=none.pcap", "port 0: pcap: in: none.pcap: No such file or directory"),
    ("{0} gen,template=none.pcap", "port 0: gen: gen,template: none.pcap: No such file or directory"),
    ("{0} gen,routes=none.txt", "port 0: gen: gen,routes: none.txt: No such file or directory"),
    ("{0} gen ; ; {0}", "nothing in front of a \";\": write a NIC there"),
    ("", "empty; write NICs, as in"),
])
@pytest.mark.parametrize("kind", PLUGIN)
def test_a_wrong_specification(kind, nics, pattern, tmp_path):
    refused(tmp_path, kind, rf"^softnic: SLUICE_NICS: {pattern.format(kind)}",
            nics=nics.format(kind))


@needs_testpmd
@pytest.mark.parametrize("kind", PLUGIN)
def test_testpmd_hears_of_it_too(kind, tmp_path):
    refused(tmp_path, kind, "^softnic: SLUICE_NICS: unknown NIC 'cx6'; there are 82599 and cx5$",
            program="testpmd", nics="cx6 loop")


def test_a_nic_whose_plugin_is_not_loaded(tmp_path):
    refused(tmp_path, "cx5", r"^softnic: no plugin is loaded for port 0 \(82599\): load it with -d",
            nics="82599 gen")


@pytest.mark.parametrize("kind", PLUGIN)
def test_another_dpdk(kind, tmp_path):
    source, library = tmp_path / "other.c", tmp_path / "other.so"
    source.write_text('const char *rte_version(void);\n'
                      'const char *rte_version(void) { return "DPDK 23.11.0"; }\n')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    name = PLUGIN[kind].name
    refused(tmp_path, kind, rf"^softnic: {name}: this program runs DPDK 23.11.0, and {name} works with"
            r" the ABI of DPDK 22.11 \(librte_eal.so.23\) only: it makes no NICs here$",
            env={"LD_PRELOAD": str(library)})


def test_a_plugin_where_everybody_may_write(tmp_path):
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    plugin = open_to_all / "libsluice_82599.so"
    plugin.write_bytes(b"")
    status, said = run("sluice", tmp_path, "82599", plugin=plugin)
    assert status == 2
    assert said == (f"sluice: -d {plugin}: everybody may write to {open_to_all}, and EAL loads no "
                    "plugin from such a place; copy it where only its owner may write\n")


def test_a_plugin_that_is_not_there(tmp_path):
    status, said = run("sluice", tmp_path, "82599", plugin=tmp_path / "none.so")
    assert status == 2
    assert said == (f"sluice: -d {tmp_path}/none.so: No such file or directory; name a plugin's file "
                    "or a folder of them\n")


@needs_user
class TestNoRight:
    def test_to_make_a_tap(self, home):
        refused(home, "82599", NO_RIGHT_TO_TAP, nics="82599 tap ; 82599 gen", wrap=USER)

    def test_to_enter_a_namespace(self, home):
        refused(home, "82599", NO_RIGHT_TO_LEAVE, nics="82599 tap,netns=/proc/self/ns/net",
                wrap=USER)

    def test_to_have_a_connectx_5(self, home):
        refused(home, "cx5", r"port 0: cx5: no right to create the network interface .*: run as root,"
                r' or in namespaces of your own by "unshare --map-current-user --net --keep-caps '
                'PROGRAM"$', nics="cx5 gen", wrap=USER)

    @pytest.mark.skipif(no_namespaces() is not None, reason=str(no_namespaces()))
    def test_the_way_out_is_one(self, home):
        """What the line about namespaces advises works."""
        status, said = run("sluice", home, "cx5", nics="cx5 gen ; cx5 sink",
                           wrap=[*USER, *NAMESPACES])
        assert status == 0, said

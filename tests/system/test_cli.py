# SPDX-License-Identifier: BSD-3-Clause
"""What is refused, with which words; and that a refusal starts nothing."""
import subprocess

import pytest

from conftest import BUILD

RUN_S = 60

# options behind "--", and what standard error says
OPTIONS = [
    ([], "nothing to do"),
    (["--promiscuous"], "nothing to do"),
    (["--bogus"], "--bogus"),
    (["--chec"], "did you mean --check"),
    (["--check", "stray"], "stray"),
    (["--check", "--burst"], "--burst needs a value"),
    (["--check", "--burst", "0"], "1..256"),
    (["--check", "--burst", "257"], "1..256"),
    (["--check", "--burst", "many"], "--burst"),
    (["--check", "--prefetch", "65"], "0..64"),
    (["--check", "--mbcache", "513"], "0..512"),
    (["--check", "--forward-mode", "nat"], "nat"),
    (["--check", "--rxq", "2"], "port 0 (net_pcap0) has 1 receive queues"),
    (["--check", "--txq", "2"], "port 0 (net_pcap0) has 1 transmit queues"),
    (["--check", "--nb-cores", "2"], "--nb-cores 2"),
    (["--check", "--total-num-mbufs", "100"], "--total-num-mbufs 100"),
    (["--check", "--steer", "(1):(2)"], "not in this build"),
    (["--check", "--steer-batch", "8"], "not in this build"),
    (["--check", "--hash-seed", "1"], "not in this build"),
    (["--check", "--config", ""], "--config"),
    (["--check", "--config", "garbage"], "garbage"),
    (["--check", "--config", "(0,0)"], "(0,0)"),
    (["--check", "--config", "(0,0,1"], "(0,0,1"),
    (["--check", "--config", "(0,0,1x)"], "1x"),
    (["--check", "--config", "(0,0,0)"], "main lcore"),
    (["--check", "--config", "(0,0,9)"], "lcore 9 is not one of EAL's"),
    (["--check", "--config", "(9,0,1)"], "net_pcap0"),
    (["--check", "--config", "(eth0,0,1)"], "eth0"),
    (["--check", "--config", "(0,0,1),(0,0,1)"], "(0,0,1)"),
    (["--check", "--config", "(0,0,1),(net_pcap0,0,1)"], "polled already"),
    (["--check", "--config", "(0,1,1)"], "queue 0"),
    (["--check", "--config", "(0,0,1),(0,1,1)"], "has 1 receive queues"),
    (["--check", "--cmdline-file", "nowhere"], "nowhere"),
    (["--check", "--cmdline-file", "."], "--cmdline-file"),
    (["--check", "--route-file", "nowhere"], "nowhere"),
    (["--check", "--stats-json", "nowhere/j"], "nowhere/j"),
    (["--check", "--stats-json", "."], "is a directory"),
    (["--auto-start", "--socket", "nowhere/s"], "nowhere/s: No such file or directory; its dir"),
    (["--auto-start", "--socket", "x" * 200], "xxx"),
    (["--check", "--max-routes", "0"], "--max-routes"),
]

COMMANDS = [
    ("bogus\n", ":1: ", "bogus"),
    ("show plan\nbogus\nstart\n", ":2: ", "bogus"),
    ("start\naddr add 10.0.0.1/33 dev 0\n", ":2: ", "above 32"),
    ("start\nroute add 10.0.0.1/24 via 10.0.0.2\n", ":2: ", "host bits"),
    ("start\r\naddr add 10.0.0.1/24 dev 7\r\n", ":2: ", "net_pcap0"),
    ("start\nset steer on\n", ":2: ", "not in this build"),
    ("start\nvlan add 5 dev 0\n", ":2: ", "not in this build"),
    ("start\nset burst 0", ":2: ", "1..256"),
    ("start\nroute add 10.0.0.0/8 via 1.2.3.4\nroute add 10.0.0.0/8 blackhole\n", ":3: ",
     "10.0.0.0/8"),
    ("start\n" + "x" * 5000, ":2: ", "xxx"),
    ("start\n\0\n", ":2: ", ""),
    ('start\nshow "plan\n', ":2: ", ""),
]

ROUTES = [
    ("10.0.0.0/33 via 10.0.0.1\n", ["routes:1: ", "above 32"]),
    ("10.0.0.1/24 blackhole\n", ["routes:1: ", "host bits"]),
    ("10.0.0/8 blackhole\n", ["routes:1: "]),
    ("10.0.0.0/8 via\n", ["routes:1: "]),
    ("10.0.0.0/8 via 10.0.0.1 dev 9\n", ["routes:1: ", "net_pcap0"]),
    ("10.0.0.0/8 blackhole\r\nfoo\r\n11.0.0.0/8 bar", ["routes:2: ", "routes:3: "]),
    ("#\n\n" + "y" * 5000 + "\n", ["routes:3: "]),
]


def started_nothing(sluice):
    return "forwarding: mode" not in sluice.err() and "Forward statistics" not in sluice.out()


@pytest.mark.parametrize("options,text", OPTIONS, ids=lambda v: " ".join(v)[:50] if isinstance(
    v, list) else "")
def test_bad_options(sluice, options, text):
    assert sluice.run(*options) == 2, sluice.err()
    assert text in sluice.err()
    assert started_nothing(sluice)


@pytest.mark.parametrize("eal,text", [
    (["--no-such"], "EAL does not start"),
    (["-l", "0,999"], "EAL does not start"),
    (["stray"], "'stray' is no option of EAL's"),
    (["--check"], "stands before '--'"),
    (["--burst=4"], "stands before '--'"),
], ids=" ".join)
def test_bad_words_before_the_dashes(sluice, eal, text):
    assert sluice.run("--auto-start", eal=sluice.eal() + eal) == 2
    assert text in sluice.err()


def test_no_worker_lcore(sluice):
    assert sluice.run("--check", eal=sluice.eal(lcores="0")) == 2
    assert "no lcore forwards" in sluice.err()


def test_no_port(sluice):
    eal = sluice.eal()
    assert sluice.run("--check", eal=eal[:eal.index("--vdev")]) == 2
    assert "no port" in sluice.err()


@pytest.mark.parametrize("eal,text", [
    (["--vdev", "net_pcap2,rx_pcap=nowhere.pcap"], "--vdev net_pcap2: no port came of it"),
    (["-a", "0000:ff:1f.7"], "-a 0000:ff:1f.7: --no-pci leaves PCI devices out"),
], ids=["vdev", "pci"])
def test_a_device_that_is_no_port_is_not_passed_over(sluice, eal, text):
    assert sluice.run("--auto-start", "--stop-when-idle", "1", eal=sluice.eal() + eal) == 2
    assert text in sluice.err()
    assert started_nothing(sluice)


def test_fewer_transmit_queues_than_workers(sluice):
    eal = sluice.eal()
    eal[eal.index("-l"):eal.index("-l") + 2] = ["--lcores", "0,1,2@1"]
    assert sluice.run("--check", "--config", "(0,0,1),(1,0,2)", eal=eal) == 2
    assert "has 1 transmit queues" in sluice.err()


def test_too_little_memory_says_how_much(sluice):
    assert sluice.run("--check", eal=sluice.eal(memory=64)) == 2
    assert "MB; give EAL more (-m" in sluice.err()


@pytest.mark.parametrize("text,line,reason", COMMANDS, ids=lambda v: repr(v)[:30])
def test_bad_command_files_start_nothing(sluice, text, line, reason):
    sluice.write("bad.cmds", text)
    assert sluice.run("--cmdline-file", "bad.cmds", "--auto-start") == 2, sluice.out()
    assert "bad.cmds" + line in sluice.err()
    assert reason in sluice.err()
    assert started_nothing(sluice)


@pytest.mark.parametrize("text,reasons", ROUTES, ids=lambda v: repr(v)[:30])
def test_bad_route_files_start_nothing(sluice, text, reasons):
    sluice.write("routes", text)
    assert sluice.run("--route-file", "routes", "--cmdline-file", "setup.cmds",
                      "--auto-start") == 2
    for reason in reasons:
        assert reason in sluice.err()
    assert started_nothing(sluice)


@pytest.mark.parametrize("text", ["", "\n", "# only\n", "10.9.0.0/16 blackhole",
                                  "10.9.0.0/16 blackhole\r\n"], ids=repr)
def test_odd_route_files_are_fine(sluice, text):
    sluice.write("routes", text)
    assert sluice.run("--route-file", "routes", "--check") == 0, sluice.err()


def test_an_empty_command_file_is_nothing_to_do(sluice):
    sluice.write("empty.cmds", "")
    assert sluice.run("--cmdline-file", "empty.cmds") == 2
    assert "nothing to do" in sluice.err()
    assert sluice.run("--cmdline-file", "empty.cmds", "--check") == 0


def test_a_start_in_the_command_file_is_enough(sluice):
    sluice.capture(5)
    sluice.write("all.cmds", (sluice.folder / "setup.cmds").read_text() + "start\n")
    assert sluice.run("--cmdline-file", "all.cmds", "--stop-when-idle", "200") == 0
    assert len(sluice.sent()) == 5


def test_spaces_and_names_in_config_are_fine(sluice):
    assert sluice.run("--check", "--config", " ( net_pcap0 ,0 , 1 ) , (1,0,1)") == 0, sluice.err()


def test_check_prints_the_plan_and_forwards_nothing(sluice):
    sluice.capture(5)
    assert sluice.run("--check", "--cmdline-file", "setup.cmds", "--auto-start", "--stats-json",
                      "report.json") == 0
    for text in ("Polling:", "pool of node 0", "need", "FIB:", "rx_mode", "tx_mode", "burst 32",
                 "promisc"):
        assert text in sluice.out()
    assert started_nothing(sluice)
    assert sluice.sent() == []
    assert not sluice.report.exists()


def test_check_finds_what_only_applying_shows(sluice):
    sluice.write("twice.cmds", "route add 10.0.0.0/8 blackhole\nroute save saved\nstart\n"
                               "route add 10.0.0.0/8 blackhole\n")
    assert sluice.run("--check", "--cmdline-file", "twice.cmds") == 2
    assert "twice.cmds:4: " in sluice.err()
    assert started_nothing(sluice)
    assert not (sluice.folder / "saved").exists()


def test_a_port_that_config_does_not_mention_only_transmits(sluice):
    sluice.capture(5)
    assert sluice.run("--config", "(0,0,1)", "--auto-start", "--cmdline-file", "setup.cmds",
                      "--stop-when-idle", "200") == 0
    assert "port 1 (net_pcap1) is not in --config" in sluice.out()
    assert len(sluice.sent()) == 5


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["--", "--help"], ["--", "-h"],
                                   ["-l", "0,1", "--help", "--", "--check"]], ids=" ".join)
def test_help_needs_no_eal(words):
    done = subprocess.run([str(BUILD / "app" / "sluice"), *words], capture_output=True, text=True,
                          timeout=RUN_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: sluice [EAL options] -- [options]")


@pytest.mark.parametrize("words", [["--version"], ["--", "--version"]], ids=" ".join)
def test_version_needs_no_eal(words):
    done = subprocess.run([str(BUILD / "app" / "sluice"), *words], capture_output=True, text=True,
                          timeout=RUN_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("sluice ")
    assert "DPDK" in done.stdout


def test_a_live_socket_is_refused_and_a_stale_one_replaced(sluice):
    first = sluice.forwarding("--socket", "ctl.sock")
    assert sluice.run("--auto-start", "--socket", "ctl.sock") == 2
    assert "ctl.sock" in sluice.err()
    assert sluice.ctl("show plan").returncode == 0
    first.kill()
    first.wait()
    second = sluice.start("--auto-start", "--socket", "ctl.sock")
    sluice.wait_for("forwarding: mode", second)
    assert sluice.ctl("quit").returncode == 0
    assert second.wait(RUN_S) == 0

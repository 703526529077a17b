# SPDX-License-Identifier: BSD-3-Clause
"""How a run ends, and what does not end it."""
import os
import signal
import subprocess
import time

import pytest

from conftest import BUILD
from support import traffic

END_S = 20
LINE = 0.3  # how long "nothing happens" is watched, s


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_with_a_report(sluice, number):
    sluice.capture(100)
    process = sluice.forwarding("--stats-json", "report.json")
    time.sleep(LINE)
    process.send_signal(number)
    assert process.wait(END_S) == 0, sluice.err()
    ledger = sluice.json()["ledger"]
    assert (ledger["received"], ledger["unaccounted"], ledger["held"]) == (100, 0, 0)
    assert "Accumulated forward statistics" in sluice.out()


def test_a_second_signal_forces_it(sluice):
    """Both wait while the process is stopped, so that neither comes too late to count."""
    sluice.capture(100)
    process = sluice.forwarding("--stats-json", "report.json")
    process.send_signal(signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGCONT)
    status = process.wait(END_S)
    if status == 1:  # a machine too busy to tear down within the limit
        assert "forced to leave" in sluice.err()
        return
    assert status == 0, sluice.err()
    assert sluice.json()["ledger"]["unaccounted"] == 0


def test_three_signals_end_it_where_it_waits_for_somebody(sluice):
    """A FIFO without a writer holds the control thread for ever."""
    os.mkfifo(sluice.folder / "fifo")
    sluice.write("setup.cmds", "start\n")
    process = sluice.forwarding("--socket", "ctl.sock")
    with subprocess.Popen([str(BUILD / "app" / "sluicectl"), "--socket", "ctl.sock",
                           "route load fifo"], cwd=sluice.folder, stderr=subprocess.DEVNULL):
        time.sleep(LINE)
        for _ in range(3):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.05)
        assert process.wait(END_S) == 1
    assert "forced to leave" in sluice.err()


def test_one_signal_ends_it_before_it_starts(sluice):
    os.mkfifo(sluice.folder / "fifo")
    process = sluice.start("--auto-start", "--route-file", "fifo")
    time.sleep(LINE)
    process.send_signal(signal.SIGINT)
    assert process.wait(END_S) == -signal.SIGINT


def test_a_reader_that_sleeps_stops_nothing(sluice):
    """The pipe that --stats-period prints into is full; the control thread goes on."""
    read, write = os.pipe()
    process = sluice.start("--auto-start", "--cmdline-file", "setup.cmds", "--socket", "ctl.sock",
                           "--stats-period", "1", stdout=write)
    sluice.wait_for("forwarding: mode", process)
    full = os.open(f"/proc/self/fd/{write}", os.O_WRONLY | os.O_NONBLOCK)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(full, b" ")
    time.sleep(1.5)
    assert sluice.ctl("show ledger").returncode == 0
    process.send_signal(signal.SIGTERM)
    os.close(full)
    os.close(write)
    while os.read(read, 4096):
        pass
    os.close(read)
    assert process.wait(END_S) == 0


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR2,
                                    signal.SIGWINCH, signal.SIGALRM, signal.SIGCONT])
def test_stray_signals_change_nothing(sluice, number):
    process = sluice.forwarding("--stats-json", "report.json")
    process.send_signal(number)
    time.sleep(LINE)
    assert process.poll() is None, sluice.err()
    assert not sluice.report.exists()
    process.send_signal(signal.SIGTERM)
    assert process.wait(END_S) == 0


def test_usr1_writes_the_report_and_goes_on(sluice):
    sluice.capture(33)
    process = sluice.forwarding("--stats-json", "report.json")
    time.sleep(LINE)
    process.send_signal(signal.SIGUSR1)
    deadline = time.monotonic() + END_S
    while not sluice.report.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sluice.json()["ledger"]["received"] == 33
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(END_S) == 0


def test_usr1_without_a_file_is_a_notice(sluice):
    process = sluice.forwarding()
    process.send_signal(signal.SIGUSR1)
    sluice.wait_for("--stats-json does not say where", process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(END_S) == 0


def test_closed_streams_change_nothing(sluice):
    """The shell closes 0 and 1; a file that took their numbers would be read or written."""
    sluice.capture(33)
    argv = [str(a) for a in sluice.start("--check").args[:-1]]
    sluice.running[-1].wait(END_S)
    line = 'exec "$@" <&- >&-'
    done = subprocess.run(["sh", "-c", line, "sh", *argv, "--auto-start", "--cmdline-file",
                           "setup.cmds", "--stop-when-idle", "300", "--stats-json",
                           "report.json"], cwd=sluice.folder, stderr=subprocess.PIPE,
                          timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert len(sluice.sent()) == 33
    assert sluice.json()["ledger"]["unaccounted"] == 0


def test_end_of_input_ends_the_prompt_only(sluice):
    process = sluice.start("-i", "--auto-start", "--stats-json", "report.json")
    sluice.wait_for("forwarding: mode", process)
    time.sleep(LINE)
    assert process.poll() is None, sluice.err()
    process.send_signal(signal.SIGTERM)
    assert process.wait(END_S) == 0


def test_prompt_from_a_pipe_runs_commands(sluice):
    read, write = os.pipe()
    os.write(write, b"start\nshow plan\nstop\nquit\n")
    process = sluice.start("-i", stdin=read)
    os.close(read)
    assert process.wait(END_S) == 0, sluice.err()
    os.close(write)
    assert "Done." in sluice.out()


def test_run_for(sluice):
    begin = time.monotonic()
    assert sluice.run("--auto-start", "--run-for", "1") == 0
    assert 1 <= time.monotonic() - begin < 10


def test_run_for_ends_a_run_that_forwards_nothing(sluice):
    assert sluice.run("--socket", "ctl.sock", "--run-for", "1") == 0


def test_stop_after_counts_received_packets_and_drains(sluice):
    sluice.capture(1000)
    assert sluice.run("--auto-start", "--cmdline-file", "setup.cmds", "--stop-after", "100",
                      "--stats-json", "report.json") == 0
    ledger = sluice.json()["ledger"]
    assert 100 <= ledger["received"] < 100 + 32
    assert ledger["sent"] == ledger["received"] + ledger["originated"]
    assert len(sluice.sent()) == ledger["received"]
    assert ledger["unaccounted"] == 0


def test_idle_counts_from_the_last_frame(sluice):
    sluice.capture(10)
    begin = time.monotonic()
    assert sluice.run("--auto-start", "--stop-when-idle", "1000") == 0
    assert 1 <= time.monotonic() - begin < 15


@pytest.mark.parametrize("end,announced", [("--run-for=3", 1), ("--stop-when-idle=1100", 0)])
def test_a_replay_is_over_before_addresses_are_announced(sluice, end, announced):
    sluice.capture(10)
    assert sluice.run("--auto-start", "--cmdline-file", "setup.cmds", end) == 0
    out = traffic.read_pcap(sluice.folder / "out1.pcap")
    assert [f[12:14] for f in out] == [b"\x08\0"] * 10 + [b"\x08\x06"] * announced


def test_packets_that_wait_for_arp_become_unresolved(sluice):
    sluice.capture(20)
    sluice.write("waiting.cmds", "addr add 192.168.1.1/24 dev 1\n"
                                 "route add 10.1.0.0/16 via 192.168.1.9\nstart\n")
    assert sluice.run("--cmdline-file", "waiting.cmds", "--stop-when-idle", "300", "--stats-json",
                      "report.json") == 0
    ledger = sluice.json()["ledger"]
    dropped = ledger["dropped"]
    assert dropped["neigh_unresolved"] > 0
    assert dropped["neigh_unresolved"] + dropped["neigh_queue_full"] == 20
    assert (ledger["held"], ledger["unaccounted"]) == (0, 0)


def test_nothing_is_held_while_stopped(sluice):
    """Neighbours that were being asked for when it stopped are not asked again until it starts."""
    sluice.capture(20)
    sluice.write("waiting.cmds", "addr add 192.168.1.1/24 dev 1\n"
                                 "route add 10.1.0.0/16 via 192.168.1.9\nstart\n")
    process = sluice.start("--cmdline-file", "waiting.cmds", "--socket", "ctl.sock",
                           "--stats-json", "report.json")
    sluice.wait_for("forwarding: mode", process)
    while "192.168.1.9" not in sluice.ctl("show neigh").stdout:
        assert process.poll() is None, sluice.err()
    assert sluice.ctl("stop").returncode == 0
    time.sleep(1.5)  # a request is due once a second
    assert sluice.ctl("show ledger").stdout.splitlines()[-1].split()[-2:] == ["0", "0"]
    assert sluice.ctl("quit").returncode == 0
    assert process.wait(END_S) == 0
    assert sluice.json()["ledger"]["held"] == 0


def test_a_hundred_starts_and_stops_in_one_process(sluice):
    sluice.capture(500)
    commands = sluice.write("again.cmds", "start\nstop\n" * 100 + "quit\n")
    with open(commands, "rb") as stdin:
        assert sluice.run("-i", "--cmdline-file", "setup.cmds", "--stats-json", "report.json",
                          stdin=stdin) == 0, sluice.err()
    assert sluice.out().count("Done.") == 100
    ledger = sluice.json()["ledger"]
    assert (ledger["unaccounted"], ledger["held"]) == (0, 0)


def test_what_a_ring_still_holds_comes_back(sluice):
    """Two lcores forward, and the one whose queue the ring's port would not poll by itself sends."""
    sluice.capture(2000)
    sluice.write("ring.cmds", "addr add 192.168.1.1/24 dev net_ring0\n"
                              "neigh add 192.168.1.2 lladdr 02:00:00:00:01:02 dev net_ring0\n"
                              "route add 10.1.0.0/16 via 192.168.1.2\n")
    eal = sluice.eal()
    at = eal.index("-l")
    eal[at:at + 2] = ["--lcores", "(0-2)@(0-1)"]
    eal[eal.index("--vdev"):] = ["--vdev", "net_ring0", "--vdev",
                                 "net_pcap0,rx_pcap=in.pcap,tx_pcap=o0.pcap,tx_pcap=o1.pcap"]
    assert sluice.run("--auto-start", "--cmdline-file", "ring.cmds", "--stop-when-idle", "300",
                      "--config", "(net_ring0,0,1),(net_pcap0,0,2)", "--stats-json", "report.json",
                      eal=eal) == 0, sluice.err()
    ledger = sluice.json()["ledger"]
    assert (ledger["unaccounted"], ledger["held"]) == (0, 0)
    # The ring hands back what it took, to another MAC; two lcores on one CPU may let it fill up.
    assert ledger["dropped"]["not_for_us"] == ledger["sent"] > 0
    assert ledger["sent"] + ledger["dropped"]["tx_full"] == 2000


def test_the_socket_stops_starts_and_quits(sluice):
    process = sluice.forwarding("--socket", "ctl.sock")
    assert sluice.ctl("start").returncode == 2
    assert sluice.ctl("stop").returncode == 0
    assert sluice.ctl("stop").returncode == 2
    assert sluice.ctl("start").returncode == 0
    assert "Polling:" in sluice.ctl("show plan").stdout
    assert sluice.ctl("quit").returncode == 0
    assert process.wait(END_S) == 0
    assert not (sluice.folder / "ctl.sock").exists()
    assert sluice.ctl("show plan").returncode == 1


def test_the_report_is_written_after_a_failure_too(sluice):
    """The directory goes away under it: the run says so and fails."""
    (sluice.folder / "gone").mkdir()
    process = sluice.forwarding("--stats-json", "gone/report.json")
    (sluice.folder / "gone").rmdir()
    process.send_signal(signal.SIGTERM)
    assert process.wait(END_S) == 1
    assert "gone/report.json" in sluice.err()

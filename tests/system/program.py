# SPDX-License-Identifier: BSD-3-Clause
"""sluice as a child process: start it, ask it, end it, read its report."""
import json
import os
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SLUICE_BUILD", ROOT / "build"))
POLL_S = 0.02
START_S = 30
STOP_S = 20


def enter(netns, *argv):
    """The command line that runs argv in a network namespace.  "ip netns exec" would also want a
    mount namespace of its own, which a chroot refuses when its root is no mount point."""
    return ["nsenter", f"--net=/run/netns/{netns}", *argv]


class Sluice:
    """One run.  Use it in a "with": whatever the test does, the process has ended afterwards."""

    def __init__(self, folder, vdevs, options, commands=(), netns=None, memory=512,
                 eal=("--no-pci",), env=None, wrap=()):
        self.folder = pathlib.Path(folder)
        self.report_path = self.folder / "report.json"
        self.socket = self.folder / "ctl.sock"
        self.log_path = self.folder / "sluice.log"
        command_file = self.folder / "setup.cmds"
        command_file.write_text("".join(f"{c}\n" for c in commands), encoding="ascii")
        eal = ["--no-huge", "--no-shconf", "--no-telemetry", "-m", str(memory), "-l", "0,1",
               "--log-level=lib.eal:error", *eal]
        for vdev in vdevs:
            eal += ["--vdev", vdev]
        argv = [*wrap, str(BUILD / "app" / "sluice"), *eal, "--", "--cmdline-file", str(command_file),
                "--socket", str(self.socket), "--stats-json", str(self.report_path),
                "--auto-start", *options]
        self.argv = enter(netns, *argv) if netns else argv
        self.env = {**os.environ, **(env or {})}
        self.process = None

    def __enter__(self):
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env=self.env)
        try:
            self.wait_until(lambda: self.ctl("show port info all").returncode == 0,
                            "the control socket answers")
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def log(self):
        return self.log_path.read_text(errors="replace")

    def wait_until(self, condition, what, seconds=START_S):
        """Until condition() is true; an ended process or the time limit fails the test."""
        deadline = time.monotonic() + seconds
        while not condition():
            try:
                status = self.process.wait(POLL_S)
            except subprocess.TimeoutExpired:
                status = None
            assert status is None, f"sluice ended with {status} before {what}:\n{self.log()}"
            assert time.monotonic() < deadline, f"not within {seconds} s: {what}\n{self.log()}"

    def ctl_argv(self, command):
        return [str(BUILD / "app" / "sluicectl"), "--socket", str(self.socket), command]

    def ctl(self, command):
        return subprocess.run(self.ctl_argv(command), capture_output=True, text=True,
                              timeout=START_S, check=False)

    def ask(self, command):
        done = self.ctl(command)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def report(self):
        """The report as of now."""
        self.report_path.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        self.wait_until(self.report_path.exists, "SIGUSR1 has written the report")
        return json.loads(self.report_path.read_text(encoding="utf-8"))

    def report(self):
        """The report as of now."""
        self.report_path.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        self.wait_until(self.report_path.exists, "SIGUSR1 has written the report")
        return json.loads(self.report_path.read_text(encoding="utf-8"))

    def stop(self):
        """End it as a user would, and return the report; the ledger has to close."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(STOP_S)
        assert status == 0, f"exit status {status}:\n{self.log()}"
        report = json.loads(self.report_path.read_text(encoding="utf-8"))
        assert report["ledger"]["unaccounted"] == 0, report["ledger"]
        assert report["ledger"]["held"] == 0, report["ledger"]
        return report

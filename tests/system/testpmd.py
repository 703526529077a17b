# SPDX-License-Identifier: BSD-3-Clause
"""Debian's dpdk-testpmd, as it is, as a child process over software NICs: its prompt is typed at, and
its answers are waited for."""
import itertools
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import time

import pytest

from softnic import BUILD, Control, unusable as no_softnic

PROMPT = "testpmd> "
WAIT_S = 90  # a start alone takes 10 s, more on a machine that is busy
TESTPMD = shutil.which("dpdk-testpmd")
prefixes = itertools.count()


def sanitized():
    path = BUILD / "meson-info/intro-buildoptions.json"
    options = json.loads(path.read_text(encoding="utf-8"))
    return next(o["value"] for o in options if o["name"] == "b_sanitize") != "none"


def unusable():
    """Why testpmd over software NICs cannot run here, or None."""
    if no_softnic() or not TESTPMD:
        return no_softnic() or "wants dpdk-testpmd"
    return "sanitized plugins want a sanitized program" if sanitized() else None


needs_testpmd = pytest.mark.skipif(unusable() is not None, reason=str(unusable()))


class Testpmd:
    __test__ = False  # whatever pytest makes of the name
    """One run, in a folder of its own that nothing but its log may remain in."""

    def __init__(self, folder, plugin, nics=None, options=(), eal=(), wrap=(), owner=-1, env=()):
        self.folder = pathlib.Path(folder)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir(parents=True)
        os.chown(self.temporary, owner, owner)
        self.prefix = f"testpmd-{os.getpid()}-{next(prefixes)}"
        # net_mlx5 leaves a socket below /var/tmp, and dumps below /var/log, by the process's number.
        self.argv = [*wrap, TESTPMD, "--no-huge", "--no-shconf", "--no-telemetry", "-m", "256",
                     "-l", "0,1", "--file-prefix", self.prefix, "-d", str(plugin), *eal, "--",
                     "-i", "--total-num-mbufs=28000", "--rxd=1024", "--txd=2048", *options]
        self.env = {**os.environ, "TMPDIR": str(self.temporary), **dict(env)}
        self.env.pop("SLUICE_NICS", None)
        if nics is not None:
            self.socket = self.temporary / "softnic.sock"
            self.env["SLUICE_NICS"] = f"run,control={self.socket} ; {nics}"
            self.nics = Control(self.socket)
        self.text, self.read = "", 0
        self.process = self.screen = None

    def start(self):
        # Into a pipe, testpmd would hold back its words until it ends.
        self.screen, terminal = os.openpty()
        try:
            self.process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=terminal,
                                            stderr=terminal, env=self.env, cwd=self.folder)
        finally:
            os.close(terminal)
        return self

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.process.stdin.close()
        os.close(self.screen)
        shutil.rmtree(f"/var/run/dpdk/{self.prefix}", ignore_errors=True)  # EAL leaves it

    def listen(self, seconds):
        """Take in what it says; False: it says nothing more."""
        if not select.select([self.screen], [], [], seconds)[0]:
            return True
        try:
            said = os.read(self.screen, 1 << 16)
        except OSError:  # EIO: nobody has the terminal any more
            said = b""
        self.text += said.decode(errors="replace").replace("\r\n", "\n")
        return said != b""

    def expect(self, pattern, seconds=WAIT_S):
        """What it says up to a match, and the match; what came before has been looked at."""
        deadline = time.monotonic() + seconds
        while (found := re.search(pattern, self.text[self.read:])) is None:
            open_ = self.listen(0.5)
            late = time.monotonic() > deadline
            assert open_ and not late, f"testpmd never said '{pattern}', but:\n{self.text}"
        said = self.text[self.read:self.read + found.start()]
        self.read += found.end()
        return said + found.group()

    def ready(self):
        """Until it can be told something."""
        self.expect(PROMPT)
        return self

    def type(self, line):
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def do(self, line):
        """Its answer to a command."""
        self.type(line)
        self.expect(re.escape(line) + r"\s*\n")
        return self.expect(re.escape(PROMPT))

    def until(self, condition):
        """The first value of condition() that is something."""
        deadline = time.monotonic() + WAIT_S
        while not (value := condition()):
            late = time.monotonic() > deadline
            assert not late, self.nics.ask("stats") + self.do("stop") + self.text
            self.listen(0.02)
        return value

    def quit(self):
        """End it as a user does; its exit status."""
        self.type("quit")
        self.expect("Bye\\.\\.\\.")
        while self.listen(0.5) and self.process.poll() is None:
            pass
        return self.process.wait(WAIT_S)

    def left_behind(self):
        """Files that should have gone with it, and interfaces."""
        pid = self.process.pid
        places = [self.temporary.glob("*"), pathlib.Path("/var/tmp").glob(f"dpdk_net_mlx5_{pid}"),
                  pathlib.Path("/tmp").glob(f"sluice-nics.{pid}.*")]
        return [str(path) for place in places for path in place]

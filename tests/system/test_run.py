# SPDX-License-Identifier: BSD-3-Clause
"""The door, ./run, from wherever its user stands."""
import os
import subprocess

import pytest

from conftest import BUILD, ROOT
from support import traffic

RUN_S = 300


def demo(folder, name):
    return subprocess.run([str(ROOT / "run"), "demo", name], cwd=folder, capture_output=True,
                          text=True, timeout=RUN_S, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, "SLUICE_NO_HUGE": "1"})


@pytest.mark.skipif(BUILD != ROOT / "build", reason="./run demo has a build directory of its own")
def test_demo_takes_a_file_by_its_name_there(tmp_path):
    frames = [traffic.udp_frame(traffic.ip_number("10.2.0.0") + i) for i in range(1, 8)]
    traffic.write_pcap(tmp_path / "mine, too.pcap", frames)
    done = demo(tmp_path, "mine, too.pcap")
    assert done.returncode == 0, done.stdout + done.stderr
    sent = traffic.read_pcap(BUILD / "demo" / "out.pcap")
    assert [f[30:34] for f in sent if f[12:14] == b"\x08\x00"] == [f[30:34] for f in frames]


@pytest.mark.parametrize("name,text", [("gone.pcap", "there is no file"), (".", "is a directory")])
def test_demo_says_what_is_wrong_with_a_file(tmp_path, name, text):
    done = demo(tmp_path, name)
    assert done.returncode == 1
    assert text in done.stderr and str(tmp_path) in done.stderr

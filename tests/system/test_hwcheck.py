# SPDX-License-Identifier: BSD-3-Clause
"""The acceptance for real cards, on two 82599 models: it passes, and it can fail."""
import subprocess

from softnic import ROOT, needs_softnic

pytestmark = needs_softnic


def hwcheck(tmp_path, *options):
    return subprocess.run(["/usr/bin/python3", str(ROOT / "tests/hw/hwcheck.py"), "--software",
                           "--json", str(tmp_path / "hwcheck.json"), *options],
                          capture_output=True, text=True, timeout=300, check=False)


def test_all_cases_pass_on_the_models(tmp_path):
    done = hwcheck(tmp_path)
    assert done.returncode == 0 and "28 passed, 0 failed" in done.stdout, done.stdout
    assert "nothing about a card" in done.stdout


def test_a_router_that_does_not_age_packets_fails(tmp_path):
    done = hwcheck(tmp_path, "--cases", "1", "--hops", "2")
    assert done.returncode == 1 and "0 passed, 2 failed" in done.stdout, done.stdout
    assert "20000 frames were wrong" in done.stdout


def test_two_ports_or_none(tmp_path):
    done = subprocess.run(["/usr/bin/python3", str(ROOT / "tests/hw/hwcheck.py"), "0000:01:00.0"],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "two ports" in done.stderr

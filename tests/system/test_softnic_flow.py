# SPDX-License-Identifier: BSD-3-Clause
"""What a port does with frames of every sort, on the production PMDs over software NICs: which ones
it takes, to which queue they go, what flow rules do with them.

  port 1 | PMD | NIC 1 --- cable --- NIC 0 | PMD | port 0, four queues
"""
import os
import subprocess

import pytest

from softnic import BDF, BUILD, NICS, RUN_S, needs_softnic

pytestmark = needs_softnic
EVERY = pytest.mark.parametrize("nic", NICS, ids=repr)
MLX5 = pytest.mark.parametrize("nic", [n for n in NICS if n.kind == "cx5"], ids=repr)


def lab(nic, name):
    argv = [str(BUILD / "tests/path/lab"), "--plugin", str(nic.plugin)]
    if nic.devargs:
        argv += ["--devargs", nic.devargs]
    if nic.simd:
        argv += ["--simd", nic.simd]
    spec = f"run,step ; {nic.word()} pair,with=1 ; {nic.word()} pair,with=0"
    bdf = BDF[nic.kind]
    done = subprocess.run([*argv, name], capture_output=True, text=True, timeout=RUN_S,
                          check=False, env={**os.environ, "SLUICE_NICS": spec,
                                            "PMD_BDF0": bdf[0], "PMD_BDF1": bdf[1]})
    assert done.returncode == 0, f"SLUICE_NICS='{spec}' {' '.join(argv)}\n{done.stdout}{done.stderr}"


@EVERY
def test_a_port_takes_its_own_frames(nic):
    lab(nic, "filter")


@EVERY
def test_the_hash_chooses_the_queue(nic):
    lab(nic, "rss")


@MLX5
def test_flow_rules(nic):
    lab(nic, "flow")


@MLX5
def test_completions_with_error(nic):
    lab(nic, "error")

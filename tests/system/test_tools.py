# SPDX-License-Identifier: BSD-3-Clause
"""What "run" leans on: captures made ours, reports compared, results added up."""
import json
import struct
import subprocess
import sys

import pytest

from conftest import ROOT
from support import tally, traffic

MAC = "02:70:63:61:70:00"
FRAME = traffic.udp_frame(traffic.ip_number("203.0.113.9"), dmac="00:00:5e:00:53:77")
BROADCAST = b"\xff" * 6 + FRAME[6:]


def tool(name, *args):
    return subprocess.run([sys.executable, str(ROOT / "config/demo" / name), *map(str, args)],
                          capture_output=True, text=True, check=False)


def readdress(tmp_path, data):
    (tmp_path / "in").write_bytes(data)
    done = tool("readdress.py", tmp_path / "in", tmp_path / "out", MAC)
    assert done.returncode == 0, done.stderr
    return traffic.read_pcap(tmp_path / "out"), done.stdout


def pcap(*frames, order="<", magic=0xA1B2C3D4, link=1):
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for frame in frames:
        out += struct.pack(order + "IIII", 1, 2, len(frame), len(frame)) + frame
    return out


def block(kind, body, order):
    body += b"\0" * (-len(body) % 4)
    return struct.pack(order + "II", kind, len(body) + 12) + body + struct.pack(
        order + "I", len(body) + 12)


def pcapng(*frames, order="<", link=1):
    out = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)
    out += block(1, struct.pack(order + "HHI", link, 0, 0), order)
    out += block(5, b"\0" * 12, order)  # statistics: to be passed over
    for frame in frames:
        out += block(6, struct.pack(order + "IIIII", 0, 0, 7, len(frame), len(frame)) + frame,
                     order)
    return out


OURS = traffic.mac_bytes(MAC) + FRAME[6:]


@pytest.mark.parametrize("make", [pcap, pcapng])
@pytest.mark.parametrize("order", ["<", ">"])
def test_frames_become_ours_and_group_addresses_stay(tmp_path, make, order):
    assert readdress(tmp_path, make(FRAME, BROADCAST, order=order))[0] == [OURS, BROADCAST]


def test_nanoseconds_are_fine(tmp_path):
    assert readdress(tmp_path, pcap(FRAME, magic=0xA1B23C4D))[0] == [OURS]


def test_raw_and_cooked_packets_get_a_header(tmp_path):
    packet = FRAME[14:]
    for link, data in ((101, packet), (228, packet), (113, b"\0" * 14 + b"\x08\x00" + packet),
                       (276, b"\x08\x00" + b"\0" * 18 + packet)):
        frames, _ = readdress(tmp_path, pcap(data, link=link))
        assert frames == [traffic.mac_bytes(MAC) + bytes.fromhex("00005e0053010800") + packet]


def test_ipv6_among_raw_packets_is_left_out_and_said_so(tmp_path):
    frames, said = readdress(tmp_path, pcap(b"\x60" + b"\0" * 39, FRAME[14:], link=101))
    assert len(frames) == 1
    assert "1 packets that are not IPv4" in said


def test_a_capture_cut_off_in_a_packet_keeps_what_is_whole(tmp_path):
    assert readdress(tmp_path, pcap(FRAME, FRAME)[:-5])[0] == [OURS]
    assert readdress(tmp_path, pcapng(FRAME, FRAME)[:-5])[0] == [OURS]


@pytest.mark.parametrize("data, reason", [
    (b"", "neither pcap nor pcapng"), (b"hello, world", "neither pcap nor pcapng"),
    (pcap()[:10], "ends in its header"), (pcap(FRAME, link=105), "link type 105")])
def test_what_is_no_capture_is_refused(tmp_path, data, reason):
    (tmp_path / "in").write_bytes(data)
    done = tool("readdress.py", tmp_path / "in", tmp_path / "out", MAC)
    assert done.returncode == 1
    assert reason in done.stderr and str(tmp_path / "in") in done.stderr


@pytest.mark.parametrize("expected, actual, status", [
    ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, 0), ({"a": {"b": 1}}, {"a": {"b": 2}}, 1),
    ({"a": 1}, {}, 1), ({"a": [1]}, {"a": [1, 2]}, 1), ({"a": [{"b": 1}]}, {"a": [{"b": 1}]}, 0)])
def test_compare(tmp_path, expected, actual, status):
    for name, value in (("e", expected), ("r", actual)):
        (tmp_path / name).write_text(json.dumps(value))
    assert tool("compare.py", tmp_path / "e", tmp_path / "r").returncode == status


CMOCKA = "[==========] 3 test(s) run.\n[  PASSED  ] 1 test(s).\n"
LISTED = "[  SKIPPED ] 1 test(s), listed below:\n[  FAILED  ] 1 test(s), listed below:\n"


@pytest.mark.parametrize("entry, counts", [
    ({"result": "OK", "stdout": "[==========] 3 test(s) run.\n"}, [3, 0, 0]),
    ({"result": "FAIL", "stdout": CMOCKA, "stderr": LISTED}, [1, 1, 1]),
    ({"result": "OK", "stdout": "no cmocka"}, [1, 0, 0]),
    ({"result": "FAIL", "stdout": "[==========] 3 test(s) run.\n"}, [2, 1, 0]),
    ({"result": "TIMEOUT"}, [0, 1, 0]), ({"result": "SKIP"}, [0, 0, 1]),
    ({"result": "ERROR", "stdout": ""}, [0, 1, 0])])
def test_a_program_counts_by_its_cases(entry, counts):
    assert tally.meson_test(entry) == counts


def test_nothing_run_is_no_success(tmp_path, capsys):
    assert tally.main(["tally", str(tmp_path)]) == 1
    (tmp_path / "broken").write_text("gcc\n")
    assert tally.main(["tally", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"

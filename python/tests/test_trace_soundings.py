"""Tests that tshark reads captures of soundings and of PPDUs whose users share all tones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support import PROGRAM
from test_trace import Frame, fields, needs_tshark, tshark

CELL = """\
duration = "30 ms"
series = "off"

[bss.home]
standard = "802.11ax"
width = "160 MHz"
streams = 8
mu_mimo = { users = 3, sounding_every = "10 ms" }

[host.server]

[station.s]
count = 3
streams = 4

[flow.down]
from = "server"
to = "s"
transport = { kind = "udp", payload = "1470 B", rate = "saturated" }
"""
FIELDS = (
    "frame.interface_name",
    "frame.time_epoch",
    "wlan.fc.type_subtype",
    "wlan.ra",
    "wlan.trigger.he.trigger_type",
    "wlan.he.mimo.nc_index",
    "wlan.he.mimo.nr_index",
    "radiotap.present.0_length.psdu",
    "radiotap.he.data_1.ppdu_format",
    "radiotap.he.data_6.nsts",
)
ANNOUNCEMENT, TRIGGER, REPORT = "0x0015", "0x0012", "0x000e"
MULTI, POLL, BROADCAST = "0x0002", "1", "ff:ff:ff:ff:ff:ff"


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Capture of a cell whose access point has eight streams for three stations of four."""
    folder = tmp_path_factory.mktemp("soundings")
    (folder / "cell.toml").write_text(CELL)
    call = [*PROGRAM, "run", "cell.toml", "--pcap", "cell.pcapng"]
    subprocess.run(call, cwd=folder, capture_output=True, check=True)
    return folder / "cell.pcapng"


@pytest.fixture(scope="module")
def air(capture: Path) -> list[Frame]:
    """Frames of the monitor."""
    frames = fields(capture, FIELDS)
    return [it for it in frames if it["frame.interface_name"] == "home:monitor"]


@needs_tshark
def test_tshark_finds_nothing_malformed_in_soundings(capture: Path) -> None:
    assert "Malformed" not in tshark(capture, "-q", "-z", "expert")


@needs_tshark
def test_reports_follow_announcement_ndp_and_poll(air: list[Frame]) -> None:
    first = next(at for at, it in enumerate(air) if it["wlan.fc.type_subtype"] == ANNOUNCEMENT)
    announcement, ndp, poll, *reports = air[first : first + 12]
    assert announcement["wlan.ra"] == BROADCAST
    assert (ndp["radiotap.present.0_length.psdu"], ndp["wlan.fc.type_subtype"]) == ("1", "")
    assert poll["wlan.trigger.he.trigger_type"] == POLL
    # 23 004 octets of four columns and eight rows are three segments for each station.
    assert {it["wlan.fc.type_subtype"] for it in reports} == {REPORT}
    assert len({it["frame.time_epoch"] for it in reports}) == 1
    assert {it["wlan.he.mimo.nc_index"] for it in reports} == {"3"}
    assert {it["wlan.he.mimo.nr_index"] for it in reports} == {"7"}


@needs_tshark
def test_users_share_the_streams_of_the_access_point(air: list[Frame]) -> None:
    """Three stations of four streams share eight: three, three and two."""
    parts: dict[str, dict[str, int]] = {}
    for it in air:
        if it["radiotap.he.data_1.ppdu_format"] == MULTI:
            streams = int(it["radiotap.he.data_6.nsts"], 0)
            parts.setdefault(it["frame.time_epoch"], {})[it["wlan.ra"]] = streams
    assert parts
    assert all(sorted(it.values()) == [2, 3, 3] for it in parts.values())

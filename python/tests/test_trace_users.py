"""Tests that captures (read by tshark) and pictures show frames of several users."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from matplotlib.patches import Rectangle

from airfair import channel_figure
from support import PROGRAM
from test_trace import Frame, fields, needs_tshark, tshark

CELL = """\
duration = "60 ms"
series = "off"

[bss.home]
standard = "802.11ax"
width = "80 MHz"
ofdma = {{ down = "round-robin", up = "round-robin", ack = "{ack}", poll = true, trigger_every = "5 ms" }}

[host.server]
"""
STATION = """
[station.{name}]

[flow.down-{name}]
from = "server"
to = "{name}"
transport = {{ kind = "udp", payload = "1470 B", rate = "saturated" }}

[flow.up-{name}]
from = "{name}"
to = "server"
transport = {{ kind = "udp", payload = "1470 B", rate = "20 Mb/s" }}
"""
NAMES = ("a", "b", "c", "d")
FIELDS = (
    "frame.interface_name",
    "frame.time_epoch",
    "frame.len",
    "wlan.fc.type_subtype",
    "wlan.ta",
    "wlan.ra",
    "wlan.qos.queue_size",
    "radiotap.ampdu.reference",
    "radiotap.he.data_1.ppdu_format",
    "radiotap.he.data_2.ru_allocation_offset",
    "radiotap.he.data_4.sta_id_user",
    "radiotap.he.data_5.data_bw_ru_allocation",
    "radiotap.he_mu.chan1_rus_0_index",
    "wlan.trigger.he.trigger_type",
    "wlan.trigger.he.user_info.aid12",
    "wlan.trigger.he.ru_allocation",
    "wlan.ba.multi_sta.aid11",
    "wlan_radio.data_rate",
)
AP, PREFIX = "02:af:00:00:00:00", "02:af:00:00:00:0"
TRIGGER, BLOCK_ACK, DATA, NULL = "0x0012", "0x0019", "0x0028", "0x002c"
MULTI, TRIGGERED = "0x0002", "0x0003"
BASIC, MU_BAR, BSRP = "0", "2", "4"
TONES = {"0x0007": 242, "0x0008": 484, "0x0009": 996}
"""Tones of the units of radiotap."""
FIRST = {242: 61, 484: 65, 996: 67}
"""RU Allocation of the first unit of each size in a trigger frame."""


@pytest.fixture(scope="module", params=["bar", "mu-bar", "aggregated-mu-bar"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the capture and the timeline of a cell, which acknowledges in one of the three ways."""
    folder = tmp_path_factory.mktemp("users")
    text = CELL.format(ack=request.param) + "".join(STATION.format(name=it) for it in NAMES)
    (folder / "cell.toml").write_text(text)
    call = [*PROGRAM, "run", "cell.toml", "--pcap", "cell.pcapng", "--timeline", "cell.json"]
    subprocess.run(call, cwd=folder, capture_output=True, check=True)
    return folder


@pytest.fixture(scope="module")
def air(files: Path) -> list[Frame]:
    """Frames of the monitor."""
    frames = fields(files / "cell.pcapng", FIELDS)
    return [it for it in frames if it["frame.interface_name"] == "home:monitor"]


@needs_tshark
def test_tshark_finds_nothing_malformed(files: Path) -> None:
    told = tshark(files / "cell.pcapng", "-q", "-z", "expert")
    assert "Malformed" not in told
    assert "Errors (" not in told
    assert "Warns (" not in told


@needs_tshark
def test_parts_of_a_frame_have_units_and_references_of_their_own(air: list[Frame]) -> None:
    parts = defaultdict(set)
    for it in air:
        if it["radiotap.he.data_1.ppdu_format"] == MULTI:
            unit = TONES[it["radiotap.he.data_5.data_bw_ru_allocation"]]
            place = int(it["radiotap.he.data_2.ru_allocation_offset"], 0)
            station = int(it["radiotap.he.data_4.sta_id_user"], 0)
            assert it["wlan.ra"] == f"{PREFIX}{station}"
            parts[it["frame.time_epoch"]].add(
                (unit, place, station, it["radiotap.ampdu.reference"])
            )
            first = {242: "192", 484: "200", 996: "208"}
            assert it["radiotap.he_mu.chan1_rus_0_index"] == first[unit]
    assert max(map(len, parts.values())) == len(NAMES)
    for found in parts.values():
        units, places, stations, references = (set(column) for column in zip(*found, strict=True))
        assert len(units) == 1
        assert len(places) == len(stations) == len(references) == len(found)


@needs_tshark
def test_triggered_stations_send_in_the_units_of_the_trigger(air: list[Frame]) -> None:
    """Each station that answers a trigger frame uses the unit that its user info names."""
    asked: dict[str, str] = {}
    kinds: Counter[str] = Counter()
    for it in air:
        if it["wlan.fc.type_subtype"] == TRIGGER:
            kind, aids = it["wlan.trigger.he.trigger_type"], it["wlan.trigger.he.user_info.aid12"]
            if it["radiotap.he.data_1.ppdu_format"] != MULTI:
                asked = {}
            units = it["wlan.trigger.he.ru_allocation"].split(",")
            stations = [str(int(aid, 0)) for aid in aids.split(",")]
            asked |= dict(zip(stations, units, strict=True))
            kinds[kind] += 1
        elif it["radiotap.he.data_1.ppdu_format"] == TRIGGERED:
            tones = TONES[it["radiotap.he.data_5.data_bw_ru_allocation"]]
            place = int(it["radiotap.he.data_2.ru_allocation_offset"], 0)
            assert int(asked[it["wlan.ta"][-1]], 0) == FIRST[tones] + place
            if it["wlan.fc.type_subtype"] == NULL:
                assert it["wlan.qos.queue_size"]
    assert kinds[BASIC] > 0
    assert kinds[BSRP] > 0
    assert kinds.keys() <= {BASIC, BSRP, MU_BAR}


@needs_tshark
def test_stations_that_a_trigger_does_not_name_send_in_its_random_units(tmp_path: Path) -> None:
    """The user info of three random units has AID 0 and the first of them."""
    text = CELL.format(ack="mu-bar").replace("poll = true", "users = 1, random = 3")
    text += "".join(STATION.format(name=it) for it in NAMES)
    (tmp_path / "cell.toml").write_text(text)
    call = [*PROGRAM, "run", "cell.toml", "--pcap", "cell.pcapng"]
    subprocess.run(call, cwd=tmp_path, capture_output=True, check=True)
    assert "Malformed" not in tshark(tmp_path / "cell.pcapng", "-q", "-z", "expert")
    units: dict[str, int] = {}
    named = random = 0
    for it in fields(tmp_path / "cell.pcapng", FIELDS):
        if it["frame.interface_name"] != "home:monitor":
            continue
        if it["wlan.trigger.he.trigger_type"] == BASIC:
            aids = it["wlan.trigger.he.user_info.aid12"].split(",")
            places = it["wlan.trigger.he.ru_allocation"].split(",")
            units = {str(int(a, 0)): int(b, 0) for a, b in zip(aids, places, strict=True)}
        elif it["radiotap.he.data_1.ppdu_format"] == TRIGGERED and "0" in units:
            tones = TONES[it["radiotap.he.data_5.data_bw_ru_allocation"]]
            unit = FIRST[tones] + int(it["radiotap.he.data_2.ru_allocation_offset"], 0)
            station = it["wlan.ta"][-1]
            if station in units:
                named += 1
                assert unit == units[station]
            else:
                random += 1
                assert units["0"] <= unit < units["0"] + 3
        elif it["wlan.trigger.he.trigger_type"]:
            units = {}
    assert named > 0
    assert random > 0


@needs_tshark
def test_a_block_ack_of_several_stations_names_those_that_sent_data(air: list[Frame]) -> None:
    sent: set[str] = set()
    found = 0
    for it in air:
        if it["wlan.fc.type_subtype"] == TRIGGER:
            sent = set()
        elif (
            it["radiotap.he.data_1.ppdu_format"] == TRIGGERED and it["wlan.fc.type_subtype"] == DATA
        ):
            sent.add(it["wlan.ta"][-1])
        elif it["wlan.ba.multi_sta.aid11"]:
            named = {str(int(aid, 0)) for aid in it["wlan.ba.multi_sta.aid11"].split(",")}
            assert named == sent
            found += 1
    assert found > 0


def test_units_are_stacked_in_the_lane_of_the_access_point(files: Path) -> None:
    trace: dict[str, Any] = json.loads((files / "cell.json").read_bytes())
    lanes = channel_figure.slices(trace)
    assert list(lanes) == ["home", *NAMES]
    parts = [it for it in lanes["home"] if it.arguments.get("places") == len(NAMES)]
    first = min(it.start for it in parts)
    together = [it.arguments["place"] for it in parts if it.start == first]
    assert sorted(together) == list(range(len(NAMES)))
    figure = channel_figure.draw(lanes, (first, first + 1e-3), access_points=["home"])
    (ax,) = figure.axes
    boxes = [it.get_bbox() for it in ax.patches if isinstance(it, Rectangle)]
    at_start = sorted((it.y0, it.y1) for it in boxes if it.x0 == pytest.approx(0, abs=1e-6))
    heights = at_start[: len(NAMES)]
    assert all(low[1] == pytest.approx(high[0]) for low, high in itertools.pairwise(heights))


@needs_tshark
def test_a_trigger_has_the_target_power_and_that_of_the_access_point(tmp_path: Path) -> None:
    """-60 dBm are 50 steps from -110 dBm. 20 dBm in 80 MHz are 14 dBm in each 20 MHz, 34 from -20 dBm."""
    keys = 'radio = { tx_power = "20 dBm" }\nwidth = '
    cell = CELL.format(ack="mu-bar").replace("width = ", keys)
    cell = cell.replace("trigger_every", 'target_rssi = "-60 dBm", trigger_every')
    station = STATION.replace("\n\n[flow.d", '\nposition = ["5 m", "1 m"]\n\n[flow.d')
    (tmp_path / "cell.toml").write_text(cell + "".join(station.format(name=it) for it in NAMES))
    call = [*PROGRAM, "run", "cell.toml", "--pcap", "cell.pcapng"]
    subprocess.run(call, cwd=tmp_path, capture_output=True, check=True)
    names = ("wlan.trigger.he.ap_tx_power", "wlan.trigger.he.target_rssi")
    triggers = [it for it in fields(tmp_path / "cell.pcapng", names) if it[names[0]]]
    assert triggers
    for it in triggers:
        assert {int(power, 0) for power in it[names[0]].split(",")} == {34}
        assert {int(power, 0) for power in it[names[1]].split(",")} == {50}

"""Tests of who holds whose air: tables, documents, timelines and captures of cells that share a channel."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airfair
from airfair import channel_figure, whose_air
from airfair.cli.commands import init
from airfair.run_page import page
from airfair.run_tables import Wish
from airfair.run_text import report
from airfair.terminal import Ink
from support import PROGRAM, SCENARIO
from test_trace import fields, needs_tshark, tshark


def template(kind: str) -> str:
    return "".join(init.template(init.KINDS[0], kind).values())


@pytest.fixture(scope="module")
def middle() -> airfair.Result:
    short = {"duration": "500 ms", "warmup": "100 ms"}
    return airfair.run(template("flow-in-the-middle"), set=short, replications=2)


@pytest.fixture(scope="module")
def house() -> airfair.Result:
    return airfair.run(template("apartment-house"), set={"duration": "300 ms", "warmup": "0 s"})


def text(result: airfair.Result, width: int = 80) -> list[str]:
    return list(report(result, Wish(), width, Ink(colour=False)))


def test_the_times_of_the_neighbours_add_up_to_that_of_the_channel(
    middle: airfair.Result, house: airfair.Result
) -> None:
    for result in (middle, house):
        keys = ["replication", "channel"]
        sums = result.neighbours.group_by(*keys).agg(pl.col("airtime_ns").sum())
        whole = result.channels.select(*keys, airtime_ns="neighbours_ns")
        assert sums.sort(*keys).equals(whole.sort(*keys))


def test_the_middle_cell_is_held_by_both_others(middle: airfair.Result) -> None:
    pairs = middle.neighbours.select("channel", "neighbour").rows()
    row = [("left", "middle"), ("middle", "left"), ("middle", "right"), ("right", "middle")]
    assert pairs == [*row, *row]
    held = whose_air.neighbours(middle)["middle"]
    assert set(held) == {"left", "right"}
    assert all(min(shares) > 0.2 for shares in held.values())


def test_the_report_names_the_largest_neighbours_and_fits(house: airfair.Result) -> None:
    lines = text(house)
    assert max(map(len, lines)) <= 80
    titles = [line for line in lines if line.startswith("Who holds whose air")]
    assert titles == [f"Who holds whose air on channel {it} (2.4 GHz)" for it in (1, 6, 11)]
    start = lines.index(titles[0])
    rows = lines[start : lines.index("", start)]
    found = [re.search(r"flat\d+ \d+\.\d, ", row) for row in rows if row.startswith("flat")]
    assert len(found) == 3
    assert any(found)
    assert rows[-1].startswith("total")


def test_the_parts_of_a_row_add_up_to_all_the_air(middle: airfair.Result) -> None:
    ((channel, table),) = whose_air.tables(middle, Wish())
    assert channel == "channel 36 (5 GHz)"
    rows = {line.label: line.cells for line in table.lines}
    for cell in ("left", "middle", "right"):
        *parts, words = rows[cell]
        assert sum(float(it.lstrip("<")) for it in parts) == pytest.approx(100, abs=0.2)
        assert "middle" in words or cell == "middle"
    own = sum(float(rows[cell][0]) for cell in ("left", "middle", "right"))
    assert float(rows["total"][0]) == pytest.approx(own, abs=0.2)


def test_of_many_cells_those_with_the_most_time_of_neighbours_are_shown(
    middle: airfair.Result,
) -> None:
    ((_, table),) = whose_air.tables(middle, Wish(rows=1))
    labels = [line.label for line in table.lines if "±" not in line.label]
    assert labels == ["middle", "… 2 more: --all", "total"]
    ((_, whole),) = whose_air.tables(middle, Wish(rows=1, every=True))
    assert whole.lines[0].label == "left"


def test_a_cell_alone_has_neither_a_table_nor_a_key() -> None:
    apart = airfair.run(SCENARIO)
    assert apart.neighbours.height == 0
    assert not [line for line in text(apart) if "whose air" in line]
    assert "shared_channels" not in apart.to_json()


def test_many_neighbours_share_one_number() -> None:
    held = {f"by flat{number}": [0.1 / number] for number in range(1, 6)}
    assert whose_air._words([held]) == "flat1 10.0, flat2 5.0, 3 others 7.8"  # noqa: SLF001


def test_the_document_has_the_share_of_each_neighbour_and_totals(middle: airfair.Result) -> None:
    document = middle.to_json()
    channel = next(it for it in document["channels"] if it["name"] == "middle")
    shares = {it["name"]: it["airtime_share"] for it in channel["neighbours"]}
    assert sum(shares.values()) == pytest.approx(channel["airtime"]["neighbours"])
    (shared,) = document["shared_channels"]
    assert (shared["name"], shared["cells"]) == ("channel 36 (5 GHz)", ["left", "middle", "right"])
    each = [it["airtime"] for it in document["channels"]]
    assert shared["total"]["overlap"] == pytest.approx(sum(it["overlap"] for it in each))
    # The outer cells use the air at the same time.
    assert shared["total"]["own"] > 1


def test_the_page_has_the_table(middle: airfair.Result) -> None:
    about: dict[str, Any] = dict.fromkeys(("airfair", "git", "scenario_sha256", "command_line"))
    html = page(middle, {}, about)
    assert "Who holds whose air on channel 36 (5 GHz)" in html


def test_a_result_is_the_same_after_it_was_written(middle: airfair.Result, tmp_path: Path) -> None:
    middle.save(tmp_path / "new")
    loaded = airfair.load_result(tmp_path / "new")
    assert loaded.neighbours.equals(middle.neighbours)
    assert text(loaded)[4:] == text(middle)[4:]
    alone = airfair.run(SCENARIO)
    alone.save(tmp_path / "alone")
    assert not (tmp_path / "alone" / "neighbours.parquet").exists()
    assert airfair.load_result(tmp_path / "alone").neighbours.equals(alone.neighbours)


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory with a capture and a timeline of three cells in a row."""
    folder = tmp_path_factory.mktemp("middle")
    (folder / "cell.toml").write_text(template("flow-in-the-middle"))
    change = ["--set", 'duration="60 ms"', "--set", 'warmup="0 s"']
    call = [*PROGRAM, "run", "cell.toml", *change, "--pcap", "p.pcapng", "--timeline", "t.json"]
    subprocess.run(call, cwd=folder, capture_output=True, check=True)
    return folder


def test_a_timeline_has_the_air_that_neighbours_hold(traced: Path) -> None:
    lanes = channel_figure.slices(json.loads((traced / "t.json").read_bytes()))
    assert [name for name in lanes if " " in name] == [
        f"neighbours of {cell}" for cell in ("left", "middle", "right")
    ]
    held = lanes["neighbours of middle"]
    assert {it.arguments.get("cell") for it in held} == {"left", "right", None}
    change = {"duration": "60 ms", "warmup": "0 s"}
    shares = airfair.run(template("flow-in-the-middle"), set=change).channel_shares.row(
        1, named=True
    )
    for category, use in (("neighbour", "neighbours"), ("overlap", "overlap")):
        time = sum(it.end - it.start for it in held if it.category == category)
        assert time / 0.06 == pytest.approx(shares[use], abs=1e-6)


def test_a_picture_names_the_neighbour_and_tells_the_colours(traced: Path) -> None:
    lanes = channel_figure.slices(json.loads((traced / "t.json").read_bytes()))
    svg = channel_figure.save(channel_figure.draw(lanes, (0.02, 0.024)), ".svg").decode()
    for words in ("neighbours of middle", "air held by left", "air held by right"):
        assert words in svg


COLOURED = """\
duration = "40 ms"
series = "off"
[bss.mine]
standard = "802.11ax"
width = "40 MHz"
channel = 44
colour = 9
[bss.theirs]
standard = "802.11ax"
channel = 44
[bss.apart]
standard = "802.11g"
channel = 11
"""


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Capture of two cells on channel 44 and one on channel 11."""
    folder = tmp_path_factory.mktemp("three")
    cells = ("mine", "theirs", "apart")
    flows = (
        f'[station.of-{cell}]\nbss = "{cell}"\n[host.to-{cell}]\nlink = {{ to = "{cell}" }}\n'
        f'[flow.{cell}]\nfrom = "of-{cell}"\nto = "to-{cell}"\n'
        'transport = { kind = "udp", payload = "1470 B", rate = "saturated" }\n'
        for cell in cells
    )
    (folder / "cell.toml").write_text(COLOURED + "".join(flows))
    call = [*PROGRAM, "run", "cell.toml", "--pcap", "p.pcapng"]
    subprocess.run(call, cwd=folder, capture_output=True, check=True)
    return folder / "p.pcapng"


@needs_tshark
def test_a_capture_says_of_each_frame_which_cell_it_is_of(three: Path) -> None:
    """Each cell has a monitor of its own, with its name and channel, and addresses that no other cell has."""
    assert "Malformed" not in tshark(three, "-q", "-z", "expert")
    seen = fields(
        three,
        (
            "frame.interface_name",
            "frame.interface_description",
            "radiotap.channel.freq",
            "radiotap.he.data_3.bss_color",
            "wlan.bssid",
            "wlan.ta",
            "wlan.ra",
        ),
    )
    addresses: dict[str, set[str]] = {}
    for cell, megahertz, number in (("mine", 5220, 44), ("theirs", 5220, 44), ("apart", 2462, 11)):
        frames = [it for it in seen if it["frame.interface_name"] == f"{cell}:monitor"]
        assert frames
        assert {it["radiotap.channel.freq"] for it in frames} == {str(megahertz)}
        about = f"all frames of cell {cell} on channel {number}"
        assert {it["frame.interface_description"] for it in frames} == {about}
        bssids = Counter(it["wlan.bssid"] for it in frames if it["wlan.bssid"])
        assert len(bssids) == 1
        both = {it[key] for it in frames for key in ("wlan.ta", "wlan.ra", "wlan.bssid") if it[key]}
        addresses[cell] = both - {"ff:ff:ff:ff:ff:ff"}
        colours = {it["radiotap.he.data_3.bss_color"] for it in frames} - {""}
        assert {int(it, 0) for it in colours} == {"mine": {9}, "theirs": set(), "apart": set()}[
            cell
        ]
    assert all(len(it) == 2 for it in addresses.values()), addresses
    assert len(set().union(*addresses.values())) == 6

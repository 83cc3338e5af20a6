"""Tests of aggregates and access categories in results, against numbers worked out by hand and sums."""

from __future__ import annotations

from pathlib import Path

import pytest

import airfair
from airfair import Result, run_page
from airfair.run_tables import Wish
from airfair.run_text import report
from airfair.terminal import Ink

EIGHT = """\
duration = "600 ms"
warmup = "100 ms"

[bss.cell]
standard = "802.11ax"
aggregation = { max_bytes = "12350 B", window = 64 }

[station.sender]
[station.receiver]

[host.server]
link = { rate = "1 Gb/s", delay = "1 ms" }

[flow.up]
from = "sender"
to = "server"
transport = { kind = "udp", payload = "1472 B", rate = "saturated" }

[flow.down]
from = "server"
to = "receiver"
transport = { kind = "udp", payload = "1472 B", rate = "500 Mb/s" }
"""
TWO = """\
duration = "1 s"

[bss.cell]
standard = "802.11n"
band = "5 GHz"
width = "20 MHz"
aggregation = "off"

[station.phone]
rate = "ht-mcs7"

[host.server]
link = { rate = "1 Gb/s", delay = "1 ms" }

[flow.call]
from = "phone"
to = "server"
access_category = "voice"
transport = { kind = "udp", payload = "160 B", rate = "64 kb/s" }

[flow.letter]
from = "phone"
to = "server"
start = "10 ms"
transport = { kind = "udp", payload = "160 B", rate = "640 kb/s" }
"""
BUSY = """\
duration = "1 s"

[bss.cell]
standard = "802.11ac"
ap.queue = { packets = 40 }

[station.one]
errors = { model = "bernoulli", probability = 0.05 }
[station.two]

[host.server]
link = { rate = "1 Gb/s", delay = "5 ms" }

[flow.up]
from = "one"
to = "server"
transport = { kind = "tcp", flavour = "sack" }

[flow.down]
from = "server"
to = "two"
transport = { kind = "tcp", flavour = "sack" }

[flow.film]
from = "server"
to = "one"
access_category = "video"
transport = { kind = "udp", payload = "1200 B", rate = "60 Mb/s" }

[flow.backup]
from = "two"
to = "server"
access_category = "background"
transport = { kind = "tcp", flavour = "sack" }
"""


def ran(text: str) -> Result:
    """Result of a scenario."""
    return airfair.run(airfair.Scenario.parse(text.encode()))


@pytest.fixture(scope="module")
def busy() -> Result:
    """Result of a cell with three categories, collisions, errors and drops."""
    return ran(BUSY)


def test_a_saturated_cell_whose_aggregates_have_room_for_eight_shows_eight() -> None:
    """With room for 12 350 octets, an aggregate has 8 MPDUs in tables, document and report.

    An MPDU has 1472 + 28 + 8 + 30 = 1538 octets and takes 1544 in an aggregate: 7·1544 + 1542 = 12 350."""
    result = ran(EIGHT)
    sender, receiver = result.stations.iter_rows(named=True)
    (point,) = result.access_points.iter_rows(named=True)
    assert sender["mean_aggregate"] == 8.0
    assert receiver["mean_aggregate_down"] == point["mean_aggregate"] == 8.0
    assert receiver["aggregates_down"] == point["aggregates"] > 100
    assert sender["mean_aggregate_down"] is None
    document = result.to_json()
    assert [it["mean_aggregate"] for it in document["stations"]] == [8.0, None]
    assert [it["mean_aggregate_down"] for it in document["stations"]] == [None, 8.0]
    lines = text(result)
    heading = next(line for line in lines if "MPDUs" in line)
    up = heading.index("MPDUs") + len("MPDUs")
    down = heading.rindex("MPDUs") + len("MPDUs")
    cells = {line.split()[0]: (line[up - 5 : up].strip(), line[down - 5 : down].strip()) for line in lines
             if line.startswith(("sender ", "receiver ", "cell (AP)")) and len(line) > down}  # fmt: skip
    assert cells == {"sender": ("8.0", "–"), "receiver": ("–", "8.0"), "cell": ("–", "8.0")}


def text(result: Result, width: int = 80) -> list[str]:
    """Lines that `airfair run` prints."""
    return list(report(result, Wish(), width, Ink()))


def test_the_airtime_of_a_category_is_that_of_its_frames() -> None:
    """Each category has the airtime of its frames and their ACKs, and the delays of its flow.

    160 + 28 + 8 + 30 = 226 octets, 16 + 8·226 + 6 = 1830 bits, fill 8 symbols of 260 bits: 36 + 8·4 = 68 µs.
    An ACK at 24 Mb/s lasts 20 + 2·4 = 28 µs. 64 kb/s are 50 packets a second, 640 kb/s 500, of which the
    last 5 would arrive after the end.
    """
    result = ran(TWO)
    letter, call = result.categories.iter_rows(named=True)
    assert (letter["category"], call["category"]) == ("best effort", "voice")
    assert (letter["frames"], call["frames"]) == (495, 50)
    assert call["airtime_share"] == pytest.approx(50 * 96e-6)
    assert letter["airtime_share"] == pytest.approx(495 * 96e-6)
    assert call["goodput_bps"] == 50 * 160 * 8
    assert (call["drops"], call["collisions"]) == (0, 0)
    flows = {it["flow"]: it for it in result.flows.iter_rows(named=True)}
    for category, flow in ((letter, flows["letter"]), (call, flows["call"])):
        for column in ("delay_p50_ms", "delay_p95_ms", "delay_max_ms", "goodput_bps"):
            assert category[column] == flow[column]


def test_categories_add_up_to_stations_and_access_points(busy: Result) -> None:
    categories = busy.categories
    members = [*busy.stations.iter_rows(named=True), *busy.access_points.iter_rows(named=True)]
    assert categories["category"].to_list() == ["background", "best effort", "video"]
    assert categories["frames"].sum() == sum(it["frames"] for it in members)
    causes = [
        f"dropped_{cause}"
        for cause in ("retry_limit", "queue_full", "codel", "ack_filter", "late", "by_scheme")
    ]
    drops = sum(it[cause] for it in members for cause in causes)
    assert categories["drops"].sum() == drops > 0
    assert categories["collisions"].sum() == sum(it["collisions"] for it in members) > 0
    assert categories["internal_collisions"].sum() > 0
    # The category of the highest priority loses no internal collision.
    assert categories["internal_collisions"].to_list()[-1] == 0
    assert categories["goodput_bps"].sum() == pytest.approx(busy.flows["goodput_bps"].sum())
    # The run ends during a frame: one of the tables counts a part of the frame, the other none of it.
    held = busy.stations["airtime_share"].sum()
    assert categories["airtime_share"].sum() == pytest.approx(held, abs=0.006)


def test_the_delay_of_a_category_is_of_all_its_flows_packets(busy: Result) -> None:
    best_effort = busy.categories.row(1, named=True)
    flows = [it for it in busy.flows.iter_rows(named=True) if it["flow"] in ("up", "down")]
    assert best_effort["delay_max_ms"] == max(it["delay_max_ms"] for it in flows)
    assert best_effort["delay_min_ms"] == min(it["delay_min_ms"] for it in flows)
    weights = [it["packets_received"] for it in flows]
    mean = sum(w * it["delay_mean_ms"] for w, it in zip(weights, flows, strict=True)) / sum(weights)
    assert best_effort["delay_mean_ms"] == pytest.approx(mean, rel=1e-6)
    least, most = sorted(it["delay_p95_ms"] for it in flows)
    assert least <= best_effort["delay_p95_ms"] <= most


def test_categories_are_told_wherever_a_result_is_shown(busy: Result, tmp_path: Path) -> None:
    lines = text(busy)
    assert any(line.startswith("category") and line.split()[1] == "Mb/s" for line in lines)
    assert max(map(len, lines)) <= 80
    document = busy.to_json()
    assert [it["name"] for it in document["categories"]] == ["background", "best effort", "video"]
    assert document["categories"][2]["delay_p95_ms"] == busy.categories["delay_p95_ms"][2]
    about = {"airfair": "", "git": None, "scenario_sha256": "", "command_line": None}
    assert "Access categories" in run_page.page(busy, {}, about)
    busy.save(tmp_path)
    assert (tmp_path / "categories.parquet").exists()


def test_where_all_are_of_one_category_nothing_is_said_of_it(tmp_path: Path) -> None:
    result = ran(TWO.replace('access_category = "voice"', ""))
    assert result.categories.is_empty()
    assert result.to_json()["categories"] == []
    assert not any(line.startswith("category") for line in text(result))
    assert not any("MPDUs" in line for line in text(result))
    result.save(tmp_path)
    assert not (tmp_path / "categories.parquet").exists()

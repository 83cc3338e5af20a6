"""Tests of the limits of flows in the table of flows, in sentences, on the page and in JSON."""

from __future__ import annotations

import html
import re
from pathlib import Path

import polars as pl
import pytest

import airfair
from airfair import names, run_text, terminal, text_table
from airfair.flow_limits import FlowLimits
from airfair.run_tables import Wish

# 65 535 octets in a round trip of more than 200 ms are 2.6 Mb/s, a tenth of 802.11g's capacity.
FAR = """\
title = "Windows, queues and air"
duration = "4 s"
[bss.home]
standard = "802.11g"
ap.queue = { packets = 20 }
[station.a]
[station.slow]
rate = "6 Mb/s"
[host.far]
link = { rate = "100 Mb/s", delay = "100 ms" }
[flow.download]
from = "far"
to = "a"
transport = { kind = "tcp", receive_window = "65535 B" }
"""
LINE = FAR.replace(
    'link = { rate = "100 Mb/s", delay = "100 ms" }',
    'link = { rate = "1 Mb/s", delay = "2 ms", queue = { packets = 20 } }',
)
MANY = (
    FAR
    + """\
[flow.call]
count = 20
from = "a"
to = "far"
transport = { kind = "udp", payload = "200 B", rate = "64 kb/s" }
"""
)


@pytest.fixture(scope="module")
def far() -> airfair.Result:
    return airfair.run(FAR, replications=2)


@pytest.fixture(scope="module")
def many() -> airfair.Result:
    return airfair.run(MANY)


def lines(result: airfair.Result, width: int = 80, *globs: str) -> list[str]:
    return list(run_text.report(result, Wish(flows=globs), width, terminal.Ink()))


def sentences(result: airfair.Result) -> list[str]:
    return FlowLimits(result).sentences(flow["name"] for flow in result.scenario.flows)


def test_a_column_and_a_sentence_have_the_limit_that_held_longest(far: airfair.Result) -> None:
    share = far.limits["receive_window"].mean()
    assert isinstance(share, float)
    assert share > 0.5
    shown = lines(far)
    assert any(line.endswith(f"rwnd {100 * share:.0f}") for line in shown)
    (sentence,) = sentences(far)
    assert sentence.startswith(
        f"download: limited by its receive window {100 * share:.0f} % of the time"
    )
    assert sentence in " ".join(map(str.strip, shown))


def test_a_wire_has_its_ends_and_a_full_queue_its_losses() -> None:
    result = airfair.run(LINE)
    (sentence,) = sentences(result)
    lost = result.flows["packets_dropped"][0]
    assert lost > 0
    assert re.fullmatch(
        r"download: limited by the wire from ‘far’ to ‘home’ \d+ % of the time; "
        rf"it lost {lost} packets in the full queue of the wire from ‘far’ to ‘home’\.",
        sentence,
    )


def test_the_air_has_its_cell_and_losses_their_cause() -> None:
    text = FAR.replace('to = "a"', 'to = "slow"').replace("100 ms", "2 ms")
    (sentence,) = sentences(airfair.run(text))
    assert "limited by the air of cell ‘home’" in sentence
    assert "packets in the full queue of access point ‘home’" in sentence
    noisy = text.replace(
        "[station.slow]", '[station.slow]\nerrors = { probability = 0.6, model = "bernoulli" }'
    )
    (sentence,) = sentences(airfair.run(noisy, set={"bss.home.max_attempts": 2}))
    assert "on the air from access point ‘home’" in sentence


def test_numbered_flows_have_one_sentence_and_many_flows_a_handful(many: airfair.Result) -> None:
    first, second = sentences(many)
    assert first.startswith("download: ")
    assert second.startswith("call1 … call20: limited by their application 100 % of the time")
    text = MANY.replace("count = 20\n", "")
    call = text[text.index("[flow.call]") :]
    alone = [call.replace("flow.call", f"flow.{letter}") for letter in "bcdefghi"]
    told = sentences(airfair.run(text + "".join(alone)))
    assert told[0].startswith("download: ")
    assert told[-1] == "5 more flows are not shown; --json prints their limits."
    assert len(told) == 6
    assert not any(line.startswith("download: ") for line in lines(many, 80, "call*"))


def test_a_cell_with_short_names_has_all_its_columns_in_80(far: airfair.Result) -> None:
    two = FAR.replace("flow.download", "flow.a") + FAR[FAR.index("[flow.") :].replace(
        "download", "b"
    )
    shown = lines(airfair.run(two))
    (heading,) = (line for line in shown if line.startswith("flow "))
    assert max(map(names.width, shown)) <= 80
    assert len(heading.split()) == 12
    assert lines(far)


def test_the_page_has_the_sentences_and_folds_numbered_flows(
    many: airfair.Result, tmp_path: Path
) -> None:
    many.save(tmp_path / "out")
    page = html.unescape((tmp_path / "out/report.html").read_text(encoding="utf-8"))
    for sentence in sentences(many):
        assert f"<li>{sentence}</li>" in page
    rows = re.findall(r'<tr[^>]*><th scope="row"[^>]*>([^<]*)<', page)
    assert "call1 … call20" in rows
    assert "call7" not in rows


def test_json_and_parquet_have_them(far: airfair.Result, tmp_path: Path) -> None:
    (flow,) = far.to_json()["flows"]
    columns = far.limits.drop("replication", "flow").columns
    assert list(flow["limits"]) == list(flow["ci95"]["limits"]) == columns
    assert sum(flow["limits"].values()) == pytest.approx(1)
    means = far.limits.mean()
    assert flow["limits"] == pytest.approx({name: means[name][0] for name in columns})
    waited = sum(place["waited"] for place in flow["places"])
    assert waited == pytest.approx(flow["limits"]["air"] + flow["limits"]["wire"])
    assert {place["node"] for place in flow["places"]} <= {"home", "far"}
    far.save(tmp_path / "out")
    for name in ("limits", "places"):
        written = pl.read_parquet(tmp_path / f"out/{name}.parquet")
        assert written.equals(getattr(far, name))
    again = airfair.load_result(tmp_path / "out")
    assert sentences(again) == sentences(far)
    assert again.to_json()["flows"] == far.to_json()["flows"]


def test_a_flow_that_never_starts_has_no_limit() -> None:
    late = FAR.replace("[flow.download]", '[flow.download]\nstart = "3999999999 ns"') + (
        FAR[FAR.index("[flow.") :].replace("download", "now")
    )
    result = airfair.run(late)
    assert [line.split(":")[0] for line in sentences(result)][-1] == "now"


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (0.404, 2.361, "0.404 (0.000 to 1.000)"),
        (0.95, 0.06, "0.950 (0.890 to 1.000)"),
        (0.5, 0.25, "0.500 ± 0.250"),
        (0.5, None, "0.500"),
        (None, None, "–"),
    ],
)
def test_an_index_and_its_interval_stay_between_0_and_1(
    value: float | None, half: float | None, text: str
) -> None:
    assert text_table.index(value, half, 3) == text


def test_no_interval_of_a_share_is_wider_than_the_whole() -> None:
    # Chance decides which of the flows gets the channel first, so two runs differ much.
    cell = MANY.replace("count = 20", "count = 3").replace('"4 s"', '"20 ms"')
    for line in lines(airfair.run(cell, replications=2), 400):
        for half in re.findall(r"± +([\d.]+) %", line):
            assert float(half) <= 100


def test_losses_by_a_scheme_name_the_scheme() -> None:
    """Two stations always send. The slow one holds the channel for longer, and loses data by the scheme."""
    upload = """\
[flow.{0}]
from = "{0}"
to = "far"
transport = {{ kind = "udp", payload = "1472 B", rate = "saturated" }}
"""
    cell = FAR.replace("ap.queue = { packets = 20 }", 'ap.control = "uplink-share"')
    both = cell[: cell.index("[flow")] + upload.format("slow") + upload.format("a")
    result = airfair.run(both)
    dropped = result.access_points["dropped_by_scheme"][0]
    assert result.flows["packets_dropped"].to_list() == [dropped, 0]
    sentence, _ = sentences(result)
    assert sentence.endswith(f"it lost {dropped:,} packets by the scheme of access point ‘home’.")
    # A station that only acknowledges data has no share.
    alone = airfair.run(cell + upload.format("slow"))
    assert alone.access_points["dropped_by_scheme"][0] == 0

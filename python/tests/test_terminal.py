"""Tests of tables on a terminal: columns at any width, groups, intervals, and harmless names."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import airfair
from airfair import names, run_tables, run_text, terminal, text_table
from airfair.run_tables import Wish
from support import SCENARIO

CROWD = """\
title = "A crowd"
duration = "1 s"
[bss.home]
standard = "802.11g"
[station.s]
count = 40
rate = "54 Mb/s"
[station.slow]
rate = "6 Mb/s"
[host.server]
link = { rate = "100 Mb/s", delay = "2 ms" }
[flow.down]
from = "server"
to = "s"
transport = { kind = "tcp" }
[flow.voice]
from = "slow"
to = "server"
transport = { kind = "udp", payload = "200 B", rate = "64 kb/s" }
"""

HOME = """\
title = "Flows that come and go"
duration = "6 s"
warmup = "1 s"
series = "500 ms"
[bss.home]
standard = "802.11g"
[station.phone]
rate = "54 Mb/s"
[station.laptop]
rate = "54 Mb/s"
[station.tv]
rate = "24 Mb/s"
[host.server]
link = { rate = "100 Mb/s", delay = "2 ms" }
[flow.voice]
from = "phone"
to = "server"
transport = { kind = "udp", payload = "200 B", rate = "64 kb/s" }
[flow.page]
count = 15
from = "server"
to = "laptop"
start = "2 s"
transport = { kind = "tcp", size = "50 kB" }
[flow.call]
from = "phone"
to = "server"
start = "4 s"
transport = { kind = "udp", payload = "1000 B", rate = "2 Mb/s" }
[flow.download]
from = "server"
to = "tv"
transport = { kind = "tcp" }
"""

UNITS = {"Mb/s", "%", "packets", "count", "ms", "s"}


@pytest.fixture(scope="module")
def two() -> airfair.Result:
    return airfair.run(SCENARIO, replications=3)


@pytest.fixture(scope="module")
def crowd() -> airfair.Result:
    return airfair.run(CROWD, replications=2)


@pytest.fixture(scope="module")
def home() -> airfair.Result:
    return airfair.run(HOME, replications=2)


def shown(result: airfair.Result, width: int = 80, *globs: str, every: bool = False) -> list[str]:
    return list(run_text.report(result, Wish(every, globs), width, terminal.Ink()))


def cells(line: str) -> list[str]:
    return re.split(r"  +", line.strip())


@pytest.mark.parametrize("width", [50, 80, 120])
def test_nothing_is_left_out_or_cut_off_at_any_width(
    two: airfair.Result, crowd: airfair.Result, width: int
) -> None:
    for result in (two, crowd):
        lines = shown(result, width)
        assert max(map(names.width, lines)) <= width
        wide = shown(result, 400)
        for word in (
            "goodput",
            "share",
            "loss",
            "missions",
            "delay",
            "jitter",
            "RTT",
            "frames",
            "queue",
            "Jain",
        ):
            assert sum(word in line for line in wide) > 0
            assert sum(word in line for line in lines) > 0
        assert "…" not in "".join(lines).replace(" … ", "")


def test_each_column_has_its_unit(crowd: airfair.Result) -> None:
    lines = shown(crowd)
    for first in ("flow ", "station "):
        for line in lines:
            if line.startswith(first):
                assert set(line.split()[1:]) <= UNITS


def test_each_figure_of_several_runs_has_its_interval(two: airfair.Result) -> None:
    lines = shown(two, 120)
    row = next(i for i, line in enumerate(lines) if line.startswith("a "))
    assert cells(lines[row + 1])[0] == "± 95 %"
    # Each value has an interval, except the words for the flow's limit.
    assert len(cells(lines[row])) - 1 == len(cells(lines[row + 1])) > 8
    interval = two.to_json()["flows"][0]["goodput_ci95_bps"] / 1e6
    assert cells(lines[row + 1])[1] == f"{interval:.3f}"
    assert not any("± 95" in line for line in shown(airfair.run(SCENARIO)))


def test_the_total_is_the_sum_of_goodputs(two: airfair.Result) -> None:
    total = next(cells(line) for line in shown(two, 120) if line.startswith("total"))
    flows = two.to_json()["flows"]
    assert total[1] == f"{sum(flow['goodput_bps'] for flow in flows) / 1e6:.3f}"
    assert total[2] == "100.0"


def test_no_table_has_a_sum_that_its_rows_do_not_have(home: airfair.Result) -> None:
    tables = [
        run_tables.flows(home, Wish(every=True)),
        run_tables.stations(home, Wish(every=True)),
        run_tables.links(home, Wish(every=True)),
    ]
    for table in filter(None, tables):
        rows = [line for line in table.lines if "± 95 %" not in line.label]
        (total,) = (line for line in rows if line.label == "total")
        for place, heading in enumerate(table.headings):
            if heading.startswith("limited"):
                continue
            # The total of a ratio is that of all packets or frames together.
            ratio = heading.split("\n")[0] in {"loss", "retries"}
            figures = [
                float(line.cells[place].removeprefix("<").replace("–", "0"))
                for line in rows
                if line is not total and line.cells[place]
            ]
            if total.cells[place] and not ratio:
                # Each number is rounded by up to half of its last digit, counts by up to 0.5.
                digits = max(len(cell.cells[place].partition(".")[2]) for cell in rows)
                room = (len(figures) + 1) * 0.5 * 10.0**-digits + 0.5 * (digits < 3)
                assert float(total.cells[place]) == pytest.approx(sum(figures), abs=room), heading
        rates = next(
            (i for i, head in enumerate(table.headings) if head.startswith("flow\n")), None
        )
        assert rates is None or total.cells[rates] == ""


def test_the_rate_over_a_flows_life_is_shown_where_flows_come_and_go(
    home: airfair.Result, two: airfair.Result
) -> None:
    by_name = {line.label: line.cells for line in run_tables.flows(home, Wish()).lines}
    call = next(flow for flow in home.to_json()["flows"] if flow["name"] == "call")
    # The call lasts 2 of the 5 measured seconds.
    assert by_name["call"][0] == f"{call['goodput_bps'] / 1e6:.3f}"
    assert by_name["call"][2] == f"{call['flow_rate_bps'] / 1e6:.3f}"
    assert call["flow_rate_bps"] == pytest.approx(2.5 * call["goodput_bps"], rel=0.02)
    headings = run_tables.flows(two, Wish()).headings
    assert not any(heading.startswith("flow\nrate") for heading in headings)


def test_flows_of_a_count_are_one_group_and_all_shows_each(home: airfair.Result) -> None:
    lines = shown(home)
    assert "page1 … page15" in lines
    assert not any(line.startswith("page1 ") for line in lines if "…" not in line)
    words = ["all 15", "mean", "least", "median", "p95", "most"]
    start = lines.index("page1 … page15")
    told = [cells(line)[0] for line in lines[start + 1 : start + 9]]
    assert [word for word in told if word != "± 95 %"] == words
    assert sum(line.startswith("page") for line in shown(home, every=True)) >= 15
    few = airfair.run(HOME.replace("count = 15", "count = 4"))
    assert sum(line.startswith("page") and ":" not in line for line in shown(few, 200)) == 4


def test_a_group_has_its_mean_least_and_most_and_the_worst_flows_follow(
    crowd: airfair.Result,
) -> None:
    lines = shown(crowd)
    flows = crowd.to_json()["flows"]
    goodputs = [flow["goodput_bps"] / 1e6 for flow in flows if flow["name"] != "voice"]
    start = lines.index("down1 … down40")
    rows = {row[0]: row for row in map(cells, lines[start + 1 : start + 9])}
    assert rows["all 40"][1] == f"{sum(goodputs):.3f}"
    assert rows["mean"][1] == f"{sum(goodputs) / 40:.3f}"
    assert rows["least"][1] == text_table.number(min(goodputs), 3)
    assert rows["median"][1] == text_table.number(float(np.quantile(goodputs, 0.5)), 3)
    assert rows["p95"][1] == text_table.number(float(np.quantile(goodputs, 0.95)), 3)
    assert rows["most"][1] == f"{max(goodputs):.3f}"
    worst = min(flows, key=lambda flow: flow["flow_rate_bps"] + (flow["name"] == "voice") * 1e9)
    heading = next(i for i, line in enumerate(lines) if line == "slowest flows:")
    assert cells(lines[heading + 1])[0] == worst["name"]
    assert any(line.startswith("s1 … s40") for line in lines)


def test_all_and_flows_show_rows_of_their_own(crowd: airfair.Result) -> None:
    everything = shown(crowd, every=True)
    assert {f"down{i}" for i in range(1, 41)} <= {cells(line)[0] for line in everything}
    some = shown(crowd, 80, "down1*", "voice")
    # these are down1 and down10 to down19
    assert len({cells(line)[0] for line in some if re.match(r"down\d+ (?!…)", line)}) == 11
    assert any(line.startswith("12 of 41 flows") for line in some)


def test_names_cannot_act_on_the_terminal() -> None:
    assert names.printable("a\x1b]0;x\x07\u202eb") == "a\\u001b]0;x\\u0007\\u202eb"
    assert names.printable("naïve 東京 –") == "naïve 東京 –"
    assert names.short("東京都", 5) == "東京…"
    assert names.width(names.pad("東", 4)) == 4


def test_numbers_in_a_row_make_a_group_and_others_do_not() -> None:
    assert names.groups(["a1", "a2", "a3", "a4", "b", "a6"]) == [
        ("a1 … a4", [0, 1, 2, 3]),
        ("b", [4]),
        ("a6", [5]),
    ]
    assert names.groups(["a1", "a2", "a3"]) == [("a1", [0]), ("a2", [1]), ("a3", [2])]
    assert names.groups([]) == []


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 3, "0"),
        (-1e-17, 3, "0"),
        (0.0004, 3, "<0.001"),
        (0.0006, 3, "0.001"),
        (-0.0004, 3, ">-0.001"),
        (1.29551, 3, "1.296"),
        (None, 1, "–"),
        (math.nan, 1, "–"),
        (7.0, None, "7"),
        (7.25, None, "7.2"),
        (1234.5, None, "1234"),
    ],
)
def test_no_figure_looks_like_zero_that_is_not(
    value: float | None, digits: int | None, text: str
) -> None:
    assert text_table.number(value, digits) == text


@pytest.mark.parametrize(("width", "tables", "gap"), [(24, 1, "  "), (22, 1, " "), (21, 2, "  ")])
def test_columns_come_closer_where_all_then_fit_beside_each_other(
    width: int, tables: int, gap: str
) -> None:
    # A label of 10 and two columns of 5 take 24 characters with gaps of two, 22 with gaps of one.
    lines = [text_table.Line("0123456789", ["11111", "22222"])]
    shown = text_table.text(text_table.Table("name", ["a\nms", "b\nms"], lines), width)
    assert sum(line.startswith("─") for line in shown) == tables
    assert f"0123456789{gap}11111" in "\n".join(shown)
    assert max(map(len, shown)) <= width

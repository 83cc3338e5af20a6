"""What a terminal shows: every column at any width, groups, intervals, names that cannot act."""

from __future__ import annotations

import math
import re

import pytest

import airfair
from airfair import names, terminal, text_table
from airfair.terminal_tables import Wish
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

UNITS = {"Mb/s", "%", "packets", "count", "ms", "s"}


@pytest.fixture(scope="module")
def two() -> airfair.Result:
    return airfair.run(SCENARIO, replications=3)


@pytest.fixture(scope="module")
def crowd() -> airfair.Result:
    return airfair.run(CROWD, replications=2)


def shown(result: airfair.Result, width: int = 80, *globs: str, every: bool = False) -> list[str]:
    return list(terminal.report(result, Wish(every, globs), width, terminal.Ink()))


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
    assert len(cells(lines[row])) == len(cells(lines[row + 1])) > 8
    interval = two.to_json()["flows"][0]["goodput_ci95_bps"] / 1e6
    assert cells(lines[row + 1])[1] == f"{interval:.3f}"
    assert not any("± 95" in line for line in shown(airfair.run(SCENARIO)))


def test_the_total_is_the_sum_of_goodputs(two: airfair.Result) -> None:
    total = next(cells(line) for line in shown(two, 120) if line.startswith("total"))
    flows = two.to_json()["flows"]
    assert total[1] == f"{sum(flow['goodput_bps'] for flow in flows) / 1e6:.3f}"
    assert total[2] == "100.0"


def test_a_group_has_its_mean_least_and_most_and_the_worst_flows_follow(
    crowd: airfair.Result,
) -> None:
    lines = shown(crowd)
    flows = crowd.to_json()["flows"]
    goodputs = [flow["goodput_bps"] / 1e6 for flow in flows if flow["name"] != "voice"]
    start = lines.index("down1 … down40")
    rows = {row[0]: row for row in map(cells, lines[start + 1 : start + 7])}
    assert rows["all 40"][1] == f"{sum(goodputs):.3f}"
    assert rows["mean"][1] == f"{sum(goodputs) / 40:.3f}"
    assert rows["least"][1] == text_table.number(min(goodputs), 3)
    assert rows["most"][1] == f"{max(goodputs):.3f}"
    worst = min(flows, key=lambda flow: flow["goodput_bps"] + (flow["name"] == "voice") * 1e9)
    heading = next(i for i, line in enumerate(lines) if line == "least goodput:")
    assert cells(lines[heading + 1])[0] == worst["name"]
    assert any(line.startswith("s1 … s40") for line in lines)


def test_all_and_flows_show_rows_of_their_own(crowd: airfair.Result) -> None:
    everything = shown(crowd, every=True)
    assert {f"down{i}" for i in range(1, 41)} <= {cells(line)[0] for line in everything}
    some = shown(crowd, 80, "down1*", "voice")
    # down1 and down10 to down19
    assert len({cells(line)[0] for line in some if line.startswith("down")}) == 11
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
    # A label of 10, two columns of 5: 24 columns with gaps of two, 22 with gaps of one.
    lines = [text_table.Line("0123456789", ["11111", "22222"])]
    shown = text_table.text(text_table.Table("name", ["a\nms", "b\nms"], lines), width)
    assert sum(line.startswith("─") for line in shown) == tables
    assert f"0123456789{gap}11111" in "\n".join(shown)
    assert max(map(len, shown)) <= width

"""Tests of the figures of one result, and of its view in a notebook."""

from __future__ import annotations

import html.parser
import re
import time

import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import airfair
from airfair import names, pages, run_curves, run_page
from support import SCENARIO
from test_terminal import CROWD, HOME

UNITS = {
    "throughput": "throughput [Mb/s]",
    "delay": "one-way delay [ms]",
    "cwnd": "congestion window [segments]",
    "queue": "queue [packets]",
}


@pytest.fixture(scope="module")
def result() -> airfair.Result:
    return airfair.run(SCENARIO, replications=2)


@pytest.mark.parametrize("what", UNITS)
def test_a_series_is_drawn_over_time_with_its_unit(result: airfair.Result, what: str) -> None:
    figure = getattr(result.plot, what)()
    assert isinstance(figure, Figure)
    (axes,) = figure.axes
    assert axes.get_xlabel() == "time [s]"
    assert axes.get_ylabel() == UNITS[what]
    assert axes.get_xlim() == (0, 4)
    assert len(axes.lines) >= 2


def test_the_curve_is_what_the_series_says(result: airfair.Result) -> None:
    (axes,) = result.plot.throughput().axes
    drawn = dict(zip([line.get_label() for line in axes.lines], axes.lines, strict=True))
    series = result.series("throughput")
    for flow in ("a", "b"):
        steps = series.filter(flow=flow).group_by("time_s", maintain_order=True)
        means = steps.agg(pl.col("throughput_bps").mean() / 1e6)["throughput_bps"].to_list()
        assert list(drawn[flow].get_ydata())[:-1] == pytest.approx(means)


def test_thousands_of_flows_are_drawn_in_seconds() -> None:
    many = HOME.replace("count = 15", "count = 5000").replace('"6 s"', '"2100 ms"')
    many = many.replace('start = "4 s"', 'start = "2 s"')
    result = airfair.run(many.replace("50 kB", "50 B"))
    began = time.process_time()
    assert "page1 … page5000" in [group.name for group in run_curves.Cast(result).flows]
    # A list of all flows for each flow would take 22 s.
    assert time.process_time() - began < 3


def test_airtime_is_a_bar_for_each_station_and_for_what_nobody_used(
    result: airfair.Result,
) -> None:
    (axes,) = result.plot.airtime().axes
    assert axes.get_xlabel() == "airtime [%]"
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["slow", "fast", "collisions", "contention", "idle"]
    widths = sum(bar.get_width() for bar in axes.patches)
    assert widths == pytest.approx(100)


def test_beacons_have_a_bar_where_there_are_some() -> None:
    result = airfair.run(SCENARIO, set={"bss.home.beacon": True})
    (axes,) = result.plot.airtime().axes
    assert "beacons" in [label.get_text() for label in axes.get_yticklabels()]
    assert sum(bar.get_width() for bar in axes.patches) == pytest.approx(100)


def test_plot_by_itself_is_everything_over_time_or_the_airtime(result: airfair.Result) -> None:
    labels = [axes.get_ylabel() for axes in result.plot().axes]
    assert [label.split()[0] for label in labels] == [
        "throughput",
        "one-way",
        "cwnd",
        "queue",
        "airtime",
    ]
    assert all(re.search(r"\[.*\]", label) for label in labels)
    bare = airfair.run(SCENARIO, series="off")
    (axes,) = bare.plot().axes
    assert axes.get_xlabel() == "airtime [%]"


def test_what_there_is_nothing_of_is_said() -> None:
    with pytest.raises(ValueError, match="records no time series"):
        airfair.run(SCENARIO, series="off").plot.throughput()
    udp = CROWD.replace('{ kind = "tcp" }', '{ kind = "udp", payload = "200 B", rate = "9 kb/s" }')
    result = airfair.run(udp)
    with pytest.raises(ValueError, match="this result has no congestion window"):
        result.plot.cwnd()
    (axes,) = result.plot.throughput().axes
    # The 40 downloads are one curve.
    assert [line.get_label() for line in axes.lines] == ["down1 … down40\n(mean of 40)", "voice"]


@pytest.fixture(scope="module")
def home() -> airfair.Result:
    return airfair.run(HOME, replications=3)


def drawn(axes: Axes) -> dict[str, Line2D]:
    return {str(line.get_label()): line for line in axes.lines}


def colours(axes: Axes) -> dict[str, str]:
    return {name: to_hex(line.get_color()) for name, line in drawn(axes).items()}


def test_the_largest_flows_are_drawn_wherever_they_stand_in_the_file() -> None:
    flow = '[flow.f{0}]\nfrom = "phone"\nto = "server"\nstart = "{0} s"\n{1}'
    kind = 'transport = { kind = "udp", payload = "200 B", rate = "9 kb/s" }\n'
    small = "".join(flow.format(number, kind) for number in (1, 3, 2, 4, 0))
    result = airfair.run(HOME.replace("[flow.voice]", small + "[flow.voice]"))
    (axes,) = result.plot.throughput().axes
    assert {"download", "call", "page1 … page15\n(mean of 15)"} <= drawn(axes).keys()
    assert len(axes.lines) == 5
    assert axes.get_title(loc="right") == "4 smaller are not shown"


def test_numbered_flows_are_one_band_with_its_mean(home: airfair.Result) -> None:
    (axes,) = home.plot.throughput().axes
    assert list(drawn(axes)) == ["voice", "page1 … page15\n(mean of 15)", "call", "download"]
    steps = home.series("throughput").filter(pl.col("flow").str.starts_with("page"))
    means = steps.group_by("time_s", maintain_order=True).agg(pl.col("throughput_bps").mean())
    line = drawn(axes)["page1 … page15\n(mean of 15)"]
    assert list(line.get_ydata())[:-1] == pytest.approx((means["throughput_bps"] / 1e6).to_list())
    of_flows = steps.group_by("time_s", "flow", maintain_order=True).agg(
        pl.col("throughput_bps").mean()
    )
    most = of_flows.group_by("time_s", maintain_order=True).max()["throughput_bps"].to_list()
    bands = [
        band
        for band in axes.collections
        if to_hex(band.get_facecolor()[0]) == to_hex(line.get_color())
    ]
    (band,) = bands
    assert band.get_paths()[0].vertices[:, 1].max() == pytest.approx(max(most) / 1e6)


def test_airtime_ends_at_100_percent(home: airfair.Result) -> None:
    full = airfair.run(CROWD, set={"station.slow.rate": "54 Mb/s"}, series="100 ms", replications=2)
    for result in (home, full):
        axes = next(axes for axes in result.plot().axes if axes.get_ylabel().startswith("airtime"))
        assert axes.get_ylim()[0] == 0
        assert axes.get_ylim()[1] <= 100
        for band in axes.collections:
            heights = band.get_paths()[0].vertices[:, 1]
            assert heights.min() >= 0
            assert heights.max() <= 100


def test_a_station_has_one_colour_in_all_figures_of_a_page(home: airfair.Result) -> None:
    timeline = {axes.get_ylabel().split()[0]: axes for axes in home.plot().axes}
    of_air = colours(timeline["airtime"])
    assert of_air.keys() == {"phone", "laptop", "tv", "warm-up"} - {"warm-up"}
    assert len(set(of_air.values())) == 3
    queues = colours(timeline["queue"])
    assert all(queues[name] == colour for name, colour in of_air.items() if name in queues)
    (axes,) = home.plot.airtime().axes
    names_ = [label.get_text() for label in axes.get_yticklabels()]
    bars = {
        names_[round(bar.get_y() + bar.get_height() / 2)]: to_hex(bar.get_facecolor())
        for bar in axes.patches
        if bar.get_width()
    }
    assert {name: bars[name] for name in of_air} == of_air
    parts = run_page.channels(home)[0].parts
    page_colours = {part.name: part.colour for part in parts}
    assert {name: page_colours[name] for name in of_air} == {
        name: pages.css(colour) for name, colour in of_air.items()
    }
    # A flow has its station's colour, unless another one has it.
    flows = colours(timeline["throughput"])
    assert (flows["download"], flows["call"]) == (of_air["tv"], of_air["phone"])
    assert flows["page1 … page15\n(mean of 15)"] == of_air["laptop"]
    assert flows["voice"] not in of_air.values()


def test_completion_times_are_drawn_as_their_distribution(home: airfair.Result) -> None:
    (axes,) = home.plot.completion().axes
    (line,) = axes.lines
    assert line.get_label() == "page1 … page15\n(45 of 45 done)"
    times = home.flows["completion_s"].drop_nulls().sort().to_list()
    assert list(line.get_xdata())[1:-1] == pytest.approx(times)
    assert list(line.get_ydata())[1:-1] == pytest.approx([100 * i / 45 for i in range(1, 46)])
    assert axes.get_xlabel() == "completion time [s]"
    late = airfair.run(HOME.replace('size = "50 kB"', 'size = "600 kB"'), replications=2)
    done = late.flows["completion_s"].drop_nulls().len()
    assert 4 <= done < 30, "some are done"
    (line,) = late.plot.completion().axes[0].lines
    assert line.get_ydata()[-1] == pytest.approx(100 * done / 30)


def test_few_transfers_have_no_distribution(result: airfair.Result) -> None:
    assert not result.plot.has_completions
    with pytest.raises(ValueError, match="fewer than 4 transfers"):
        result.plot.completion()


def test_a_notebook_shows_a_figure_without_pyplot(result: airfair.Result) -> None:
    content, about = result.plot.airtime()._repr_png_()
    assert content.startswith(b"\x89PNG")
    assert 300 < about["width"] < 1000


# ------------------------------------------------------------------ the notebook's view


class Reader(html.parser.HTMLParser):
    """Parser that collects open tags and the text of each cell."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)
        if tag in {"th", "td"}:
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"th", "td"} & set(self.open):
            self.cells[-1] += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


def test_a_notebook_shows_flows_with_their_intervals(result: airfair.Result) -> None:
    page = read(result._repr_html_())
    cells = [cell.strip() for cell in page.cells]
    flow = result.to_json()["flows"][0]
    assert f"{flow['goodput_bps'] / 1e6:.3f}" in cells
    assert f"{flow['goodput_ci95_bps'] / 1e6:.3f}" in cells
    assert cells.count("± 95 %") == 3
    assert "goodputMb/s" in cells
    assert "retransmissionscount" in cells


def test_the_view_takes_the_colours_of_the_page(result: airfair.Result) -> None:
    style = re.search(r"<style>(.*)</style>", result._repr_html_(), re.DOTALL)
    assert style is not None
    for rule in re.findall(r"([^{}]+)\{([^}]*)\}", style[1]):
        assert all(part.strip().startswith(".airfair-result") for part in rule[0].split(","))
        assert not re.search(r"(?<!-)color: (?!inherit)|background: (?!none)|#[0-9a-f]{3}", rule[1])


def test_names_cannot_act_in_a_notebook() -> None:
    hostile = SCENARIO.replace("One slow", "<script>alert(1)</script><img src=x onerror=y>&")
    page = airfair.run(hostile)._repr_html_()
    assert read(page).tags <= {
        *("div", "style", "strong", "br", "table", "thead", "tbody", "tr", "th", "td", "small")
    }
    assert "&lt;script&gt;" in page


def test_many_flows_are_groups_and_no_flow_is_no_table() -> None:
    crowd = airfair.run(CROWD)
    page = read(crowd._repr_html_())
    assert "down1 … down40" in [cell.strip() for cell in page.cells]
    assert len(page.cells) < 500
    nothing = airfair.Result(crowd.scenario, [], interrupted=True)
    assert "table" not in read(nothing._repr_html_()).tags
    assert "0 runs of 1 (interrupted)" in nothing._repr_html_()
    assert names.printable("x") == "x"

"""Tests of the results of a paper: JSON document, tables and report."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from airfair.estimate import Estimate
from airfair.experiment.results import Spent
from airfair.experiment.wording import IN_FULL
from airfair.figures import Category, Points, by_category, coloured, png, spread, svg
from airfair.palette import PALETTE
from airfair.reproduction.catalogue import load
from airfair.reproduction.document import table_text
from airfair.reproduction.paper_result import PaperResult
from airfair.reproduction.papers.arf_aware_tcp.runs import ArfAwareRuns
from airfair.reproduction.results import Outcome
from airfair.reproduction.runs import Choice, Measured
from airfair.reproduction.tables import Column, Table, TableCell

Data = dict[tuple[str, str], ArfAwareRuns]


def made(data: Data, *, interrupted: bool) -> Measured:
    return Measured(data, 4, Spent(1.0, 0.5, interrupted=interrupted, simulated_s=26_000.0), seed=1)


@pytest.fixture(scope="module")
def outcome(papers_world: Data, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    paper = load("arf-aware-tcp")
    out = tmp_path_factory.mktemp("out")
    choice = Choice(paper, tuple(paper.experiments.values()), 10, out, quick=False)
    return Outcome(choice, made(papers_world, interrupted=False))


@pytest.fixture(scope="module")
def files(outcome: Outcome) -> dict[str, bytes]:
    return outcome.files()


def test_the_document_has_the_promised_shape(outcome: Outcome) -> None:
    document = json.loads(json.dumps(outcome.document(), allow_nan=False))
    assert document["paper"] == "arf-aware-tcp"
    ids = ["table1", "table2", "table3", "table4", "table5", "fig2", "fig4-7", "fig8-9"]
    assert [experiment["id"] for experiment in document["experiments"]] == ids
    for experiment in document["experiments"]:
        assert {"id", "series", "paper_values", "measured"} <= experiment.keys()
        assert experiment["series"]
        for series in experiment["series"]:
            assert len(series["x"]) == len(series["mean"]) == len(series["ci95"])
    assert len(document["claims"]) == 9
    for claim in document["claims"]:
        assert {"id", "text", "holds", "state", "evidence", "points", "turned_by"} <= claim.keys()
        assert claim["state"] in IN_FULL
        assert isinstance(claim["holds"], bool)


def test_what_is_measured_stands_as_the_paper_prints_it(outcome: Outcome) -> None:
    for experiment in outcome.document()["experiments"][:5]:
        printed, measured = experiment["paper_values"], experiment["measured"]
        for column, values in printed.items():
            rows = len(values["sessions"])
            assert len(measured[column]["sessions"]) >= rows
            for key in ("fairness", "aggregate"):
                deviation = (measured[column][key] - values[key]) / values[key]
                assert measured[column]["deviation"][key] == pytest.approx(deviation)


def test_table_5_reports_the_printed_rows_and_all_five(outcome: Outcome) -> None:
    table5 = outcome.document()["experiments"][4]["measured"]["newreno"]
    assert len(table5["sessions"]) == 5
    assert table5["aggregate"] == pytest.approx(sum(table5["sessions"][:4]))
    assert table5["aggregate_all"] == pytest.approx(sum(table5["sessions"]))
    assert table5["fairness_of_printed_sessions"] == pytest.approx(0.8044, abs=5e-5)


def test_the_text_fits_80_columns(outcome: Outcome) -> None:
    lines = PaperResult.of(outcome).text().splitlines()
    report = f"report: {outcome.choice.out / 'report.html'}"
    assert [line for line in lines if len(line) > 80 and line != report] == []
    assert "9 of 9 claims look like they hold" in lines


@pytest.mark.parametrize("name", ["STA 1", "weights by the number of connections"])
@pytest.mark.parametrize("printed", [1, 3])
def test_wide_tables_fit_80_columns_and_keep_their_columns(name: str, printed: int) -> None:
    def column(index: int, paper: float | None) -> Column:
        cells = [TableCell(Estimate(1234.5, 67.8), paper, digits=1)] * 2
        return Column(f"column, {index}", cells)

    columns = [column(i, 1200.0) for i in range(printed)] + [column(i, None) for i in range(6)]
    lines = table_text(Table("t", "A title", [name, "x"], columns)).splitlines()
    assert max(map(len, lines)) <= 80
    figures = [line for line in lines if "±" in line]
    assert sum(line.count("±") for line in lines) == 2 * len(columns)
    # Both rows of a block end alike: their numbers are aligned.
    for first, second in zip(figures[::2], figures[1::2], strict=True):
        assert first[len(name) + 2 :] == second[len(name) + 2 :]


def test_names_longer_than_a_terminal_has_room_for_go_on_in_the_next_line() -> None:
    cells = [TableCell(Estimate(1234.5, 67.8), 1200.0, digits=1)]
    label, name = "as the standard allows, airtime scheduler", "a station " * 8 + "far away"
    lines = table_text(Table("t", "A title", [name], [Column(label, cells)])).splitlines()
    assert max(map(len, lines)) <= 80
    assert all("far away" in line for line in lines if "±" in line)
    assert sum(line.split().count("station") for line in lines) == 8
    assert [line.strip() for line in lines[1:3]] == ["as the standard allows,", "airtime scheduler"]


def test_an_interrupted_run_keeps_the_experiments_that_were_finished(
    measurements: Data, tmp_path: Path
) -> None:
    paper = load("arf-aware-tcp")
    done = {
        key: runs for key, runs in measurements.items() if key[0].startswith(("table1", "polling"))
    }
    choice = Choice(paper, tuple(paper.experiments.values()), 10, tmp_path, quick=False)
    outcome = Outcome(choice, made(done, interrupted=True))
    assert [experiment.id for experiment in outcome.experiments] == ["table1", "fig2"]
    assert {verdict.id for verdict in outcome.verdicts} == {
        "anomaly-equalises",
        "fast-session-kept",
        "aggregate-gain-2",
    }
    assert b"interrupted" in outcome.files()["report.html"]


class Page(HTMLParser):
    """Parser that collects the references of a page, and checks that its elements are closed."""

    VOID = frozenset({"meta", "br", "link", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "src", "xlink:href", "data"}:
                self.references.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_is_one_file_that_asks_for_nothing(files: dict[str, bytes]) -> None:
    text = files["report.html"].decode()
    page = Page()
    page.feed(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert all(reference.startswith("#") for reference in page.references)
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(page.ids)
    assert not re.search(r"@import|<script|url\((?!#)|https?:", text)


def test_the_report_shows_everything(outcome: Outcome, files: dict[str, bytes]) -> None:
    text = files["report.html"].decode()
    for claim in outcome.choice.paper.claim_texts():
        (verdict,) = [v for v in outcome.verdicts if v.id == claim]
        assert verdict.points[0].what in text
    figures = [name for name in outcome.drawings if f'<figure id="{name}"' in text]
    assert figures == [*outcome.drawings]
    assert text.count('<svg class="dots"') == len(outcome.verdicts)
    assert text.count('<svg class="topology"') == 1
    for setup in outcome.choice.setups:
        assert setup.path.name in text
    assert "0.8044" in text


@pytest.mark.slow
def test_figures_come_as_png_and_svg_and_do_not_change(
    outcome: Outcome, files: dict[str, bytes]
) -> None:
    again = Outcome(outcome.choice, outcome.measured).files()
    for name in ("fig2", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9"):
        assert files[f"{name}.png"].startswith(b"\x89PNG")
        assert files[f"{name}.svg"] == again[f"{name}.svg"]


def test_a_figure_is_drawn_once_for_each_format_and_is_the_same_in_any_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = []

    def draw(figure: Figure, renderer: object) -> None:
        drawn.append(figure)
        original(figure, renderer)

    original = Figure.draw
    monkeypatch.setattr(Figure, "draw", draw)
    points = Points("standard TCP", np.array([[1.0, 2.0], [0.1, 0.2]]))
    one, other = (
        by_category(Category("Throughput", "Mb/s", "speed", ["1", "2"], [points])) for _ in "12"
    )
    pictures = svg(one), png(one)
    assert len(drawn) == 2
    assert pictures == (png(other), svg(other))[::-1]


def test_no_series_is_missing_in_a_figure() -> None:
    assert [colour for _, colour in coloured("abcde")] == list(PALETTE)
    with pytest.raises(ValueError, match="6 series in a figure; allowed 5 at most"):
        coloured("abcdef")


def test_labels_keep_their_order_and_distance() -> None:
    placed = spread(np.array([5.0, 1.0, 5.1, 5.2, 9.0]), 1.0)
    # The three labels around 5.1 are 1 apart around their mean, the others stay where they are.
    assert placed == pytest.approx([4.1, 1.0, 5.1, 6.1, 9.0])
    assert spread(np.array([0.0, 0.0]), 2.0) == pytest.approx([-1.0, 1.0])

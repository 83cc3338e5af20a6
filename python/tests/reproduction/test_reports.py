"""Tests of reports: the picture comes first, wide intervals are marked, and pages load no other files."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from markupsafe import escape

from airfair.estimate import Estimate, estimate
from airfair.experiment.claims import Elsewhere, Reason, Verdict
from airfair.experiment.conditions import Condition, Quota, condition, difference
from airfair.experiment.results import Spent
from airfair.experiment.wording import FIRST_LOOK, IN_FULL
from airfair.figures import Points, band
from airfair.reproduction import dots
from airfair.reproduction.catalogue import load, papers
from airfair.reproduction.document import claims_text, table_text
from airfair.reproduction.paper_result import PaperResult
from airfair.reproduction.papers.arf_aware_tcp.runs import ArfAwareRuns
from airfair.reproduction.results import Outcome
from airfair.reproduction.runs import Choice, Measured
from airfair.reproduction.summary import BOOK, INDEX, OPENING, PAGE, Reproduction
from airfair.reproduction.tables import Column, Table, TableCell, heading
from airfair.reproduction.topology import draw

Data = dict[tuple[str, str], ArfAwareRuns]

HOLDS = Condition("a", Estimate(2.0, 0.1), above=1)
FAILS = Condition("b", Estimate(0.5, 0.1), above=1)
OPENS = Condition("c", Estimate(1.0, 0.1), above=1)
BLIND = Condition("d", Estimate(0.0, 0.0), below=0)
STATES = {
    "holds": (HOLDS,),
    "fails": (FAILS,),
    "undecided": (OPENS,),
    "untestable": (BLIND,),
    "depends": (HOLDS,),
}


def verdict(claim: str, state: str, *, first_look: bool) -> Verdict:
    """Verdict on a claim in a given state."""
    elsewhere = (Elsewhere("the other reading", (FAILS,), near=True),) if state == "depends" else ()
    return Verdict(
        claim,
        "As printed",
        STATES[state],
        under="the first reading",
        elsewhere=elsewhere,
        reasons=(Reason(f"Found out for {claim}."),),
        first_look=first_look,
    )


# ------------------------------------------------------------------ wide intervals


def test_an_interval_wider_than_its_value_is_told_from_where_to_where() -> None:
    assert Estimate(6.06, 26.10, signed=False).text(2) == "0.00 to 32.16"
    assert Estimate(6.06, 26.10).text(2) == "-20.04 to 32.16"
    assert Estimate(6.06, 2.10).text(2) == "6.06 ± 2.10"
    assert Estimate(6.06, math.inf).text(2) == "6.06, one run"
    assert Estimate(-0.0001, 0.0).text(2) == "0.00 ± 0.00"


def test_an_interval_reaches_below_zero_only_if_values_can() -> None:
    assert estimate([0.0, 0.0, 9.0]).shown[0] == 0.0
    assert estimate([0.0, 0.0, 9.0], signed=True).shown[0] < 0.0
    assert estimate([-0.1, 0.0, 9.0]).shown[0] < 0.0


def test_no_interval_hides_that_it_straddles_a_bound_at_zero() -> None:
    # All samples are positive, but the interval contains 0: mean 2, t(1) = 12.706, half width 12.706.
    samples = np.array([3.0, 1.0])
    of_a_gain = (
        difference("gain", samples, np.zeros(2), above=0),
        condition("gain", samples, above=0),
        condition("gain", samples, below=-0.05),
    )
    for one in of_a_gain:
        assert "gain = -10.7 to 14.7" in one.figures
    assert "loss = 0.0 to 14.7" in condition("loss", samples, below=0.5).figures


def test_bands_and_bars_stay_within_what_is_possible() -> None:
    index = Points("index", np.array([[0.97, 0.02], [0.1, 0.1]]), possible=(0.0, 1.0))
    low, high = index.interval
    assert low.tolist() == pytest.approx([0.87, 0.0])
    assert high.tolist() == pytest.approx([1.0, 0.12])
    assert (index.bars >= 0).all()
    gain = Points("gain", np.array([[1.0], [3.0]]), possible=(-math.inf, math.inf))
    assert gain.interval[0].tolist() == [-2.0]
    alone = Points("one run", np.array([[1.0], [np.inf]]))
    assert alone.bars.tolist() == [[0.0], [0.0]]


def test_a_band_over_time_is_the_interval_of_the_mean() -> None:
    # Two samples 1 apart: standard deviation 1/√2, t(1) = 12.706, half width 12.706·0.5 = 6.353.
    low, high = band(np.array([[10.0, 0.0], [11.0, 1.0]]))
    assert low.tolist() == pytest.approx([4.147, 0.0], abs=1e-3)
    assert high.tolist() == pytest.approx([16.853, 6.853], abs=1e-3)


def noisy(measurements: Data) -> Data:
    """Measurements whose replications differ by more than their mean."""
    generator = np.random.default_rng(7)
    made = {}
    for key, runs in measurements.items():
        factor = generator.exponential(1.0, (len(runs.series), len(runs.flows), 1)) ** 3
        series = (runs.series * factor).astype(np.int64)[:3]
        made[key] = replace(runs, series=series, delivered=series.sum(axis=-1))
    return made


@pytest.fixture(scope="module")
def first_look(papers_world: Data, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    paper = load("arf-aware-tcp")
    out = tmp_path_factory.mktemp("first-look")
    choice = Choice(paper, tuple(paper.experiments.values()), 3, out, quick=True)
    runs = Measured(noisy(papers_world), 3, Spent(1, 1, simulated_s=1), seed=1)
    return Outcome(choice, runs)


@pytest.fixture(scope="module")
def its_page(first_look: Outcome) -> str:
    return first_look.files()["report.html"].decode()


def test_a_first_look_prints_no_interval_that_is_wider_than_its_value(
    first_look: Outcome, its_page: str
) -> None:
    result = PaperResult.of(first_look)
    summary = Reproduction([result], first_look.choice.out)
    told = 0
    for text in (its_page, result.text(), summary.html(), summary.text()):
        for mean, width in re.findall(r"(-?[\d.]+) ± *([\d.]+)", text):
            assert float(width) <= abs(float(mean)), f"{mean} ± {width}"
        told += len(re.findall(r"\d to -?\d", text))
    assert told > 0
    assert max(map(len, result.text().splitlines()[:-1])) <= 80


def test_a_first_look_has_other_signs_and_says_what_it_rests_on(
    first_look: Outcome, its_page: str
) -> None:
    assert "This is a first look" in its_page
    for one in first_look.verdicts:
        assert one.first_look
        assert FIRST_LOOK[one.state].label in its_page
    assert IN_FULL["holds"].mark not in its_page
    assert IN_FULL["fails"].mark not in its_page


def test_where_from_and_to_have_no_room_a_figure_is_not_known() -> None:
    wide = TableCell(Estimate(1234.5, 98765.4), digits=1)
    lines = table_text(Table("t", "A title", ["x"], [Column("column", [wide])])).splitlines()
    assert lines[-2].endswith("1234.5 ?")
    assert lines[-1] == "  ?: not known yet, because the interval is wider than the value"


# ------------------------------------------------------------------ states


@pytest.mark.parametrize("first", [False, True])
def test_every_state_has_a_sign_and_words_of_its_own(first: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    paper = load("arf-aware-tcp")
    ids = list(paper.claim_texts())
    verdicts = {
        id_: verdict(id_, state, first_look=first) for id_, state in zip(ids, STATES, strict=False)
    }
    choice = Choice(paper, (), 10, tmp_path / paper.id, quick=first)
    run = {"experiments": [{}], "interrupted": False, "seed": 1, "replications": 10}
    document = {**run, "simulated_s": 1.0, "cpu_s": 1.0, "wall_s": 1.0}
    summary = Reproduction([PaperResult(choice, document, verdicts)], tmp_path)
    words = FIRST_LOOK if first else IN_FULL
    assert len({word.mark for word in words.values()}) == len(words)
    text = claims_text(list(verdicts.values()))
    for id_, one in verdicts.items():
        if first and one.state == "undecided":
            continue  # The text counts undecided claims together.
        assert f"{words[one.state].mark} {id_}: {words[one.state].label}" in text
        for page in (summary.html(), summary.index()):
            assert f'title="{id_}: {words[one.state].label}"' in page
            assert f">{words[one.state].mark}</a>" in page
    told = "it holds under the first reading; does not hold under the other reading"
    assert f"By reading: the claim {told.removeprefix('it ')}" in summary.html()
    assert summary.html().count("decided under: the first reading") == len(STATES)
    assert max(map(len, text.splitlines())) <= 80


def test_a_first_look_says_that_reasons_are_those_of_the_full_run() -> None:
    full, first = (claims_text([verdict("x", "fails", first_look=f)]) for f in (False, True))
    assert "why: Found out for x." in full
    assert "why: In the full run: Found out for x." in first


# ------------------------------------------------------------------ dots


def test_each_point_is_a_dot_in_its_state_against_the_allowed_range() -> None:
    quota = Quota("most", (HOLDS, replace(HOLDS, what="a2"), FAILS), least=0.6)
    svg = dots.draw(Verdict("claim", "As printed", (HOLDS, FAILS, OPENS, quota)), "name")
    assert svg.count("<circle") == 3 + 3
    assert svg.count('class="allowed"') == 1  # all points share the range above 1
    assert '<g class="fails">' in svg
    assert '<g class="undecided">' in svg
    assert 'aria-labelledby="name-title name-desc"' in svg
    assert "b = 0.500 ± 0.100 (needs &gt; 1): fails" in svg


def test_an_interval_is_drawn_between_the_bound_and_the_edge_where_it_is() -> None:
    svg = str(dots.draw(Verdict("claim", "As printed", (HOLDS,)), "name"))
    bound = float(re.findall(r'class="bound" x1="([\d.]+)%', svg)[0])
    low, high = map(float, re.findall(r'"holds"><line x1="([\d.]+)%" x2="([\d.]+)%', svg)[0])
    (dot,) = map(float, re.findall(r'circle cx="([\d.]+)%', svg))
    assert 0 < bound < low < dot < high <= 100


def test_points_with_many_ranges_are_each_seen_from_their_own() -> None:
    points = tuple(
        Condition(f"p{i}", Estimate(10.0**i, 0.1 * 10.0**i), above=0.5 * 10.0**i) for i in range(5)
    )
    svg = dots.draw(Verdict("claim", "As printed", points), "name")
    assert svg.count('class="allowed"') == 5
    assert svg.count("<text") == svg.count('class="name"') == 5, "names, and no axis"


def test_each_dot_has_its_name_and_a_long_one_is_cut_but_in_its_title() -> None:
    long = replace(HOLDS, what="a station that is far away and slow in 802.11ax with aggregates")
    svg = str(dots.draw(Verdict("claim", "As printed", (HOLDS, FAILS, long)), "name"))
    told = re.findall(r'<text class="name"[^>]*>([^<]*)<title>([^<]*)</title>', svg)
    assert [name for name, _ in told[:2]] == ["a", "b"]
    assert told[2][0] == f"{long.what[: dots.LONGEST - 1]}…"
    assert told[2][1].startswith(f"{long.what} = ")
    # Each name is above its dot, and the names are one below the other.
    tops = [float(y) for y in re.findall(r'class="name" x="[^"]+" y="([\d.]+)"', svg)]
    middles = [float(y) for y in re.findall(r'<circle cx="[^"]+" cy="([\d.]+)"', svg)]
    assert all(top < middle for top, middle in zip(tops, middles, strict=True))
    assert tops == sorted(tops)


def test_claims_that_a_first_look_cannot_decide_are_counted_in_one_line(tmp_path: Path) -> None:
    paper = load("arf-aware-tcp")
    states = ["holds", "undecided", "fails", "undecided"]
    verdicts = {
        id_: verdict(id_, state, first_look=True)
        for id_, state in zip(paper.claim_texts(), states, strict=False)
    }
    open_ = [id_ for id_, one in verdicts.items() if one.state == "undecided"]
    line = f"2 more claims cannot be decided in this first look: {', '.join(open_)}"
    choice = Choice(paper, (), 3, tmp_path / paper.id, quick=True)
    run = {"experiments": [{}], "interrupted": False, "seed": 1, "replications": 3}
    document = {**run, "simulated_s": 1.0, "cpu_s": 1.0, "wall_s": 1.0}
    summary = Reproduction([PaperResult(choice, document, verdicts)], tmp_path)
    page, text = summary.html(), summary.text()
    assert page.count(line) == 1
    assert f"? {line}" in " ".join(text.split())
    assert line in " ".join(claims_text(list(verdicts.values())).split())
    for id_ in verdicts:
        assert f'id="{paper.id}-{id_}"' in page, "none is missing"
        sign = f'title="{id_}: '
        assert (sign in page, sign in summary.index()) == (id_ not in open_, id_ not in open_)
    assert "1 of 9 look like they hold, 2 not known yet" in page
    decided = {id_: replace(one, first_look=False) for id_, one in verdicts.items()}
    full = Reproduction([PaperResult(choice, document, decided)], tmp_path)
    assert "cannot be decided in this first look" not in full.html() + full.text()


# ------------------------------------------------------------------ the first screen


@pytest.mark.parametrize("paper_id", papers())
def test_each_paper_is_introduced(paper_id: str) -> None:
    intro = load(paper_id).introduction
    assert intro is not None
    assert len(re.findall(r"[.?](?: |$)", intro.scheme)) == 2, "two sentences"
    ends = {end for edge in intro.topology.edges for end in (edge.start, edge.end)}
    assert ends == set(intro.topology.nodes)
    svg = draw(intro.topology, "here")
    assert 'role="img"' in svg
    for node in intro.topology.nodes.values():
        assert f">{node.label}</text>" in svg
    assert intro.parameters
    assert intro.abbreviations
    assert set(intro.sections) <= set(load(paper_id).experiments)


def test_the_report_opens_with_scheme_topology_parameters_words_and_the_picture(
    its_page: str,
) -> None:
    places = [
        its_page.index(words)
        for words in (
            "<h1>",
            "claims look like they hold",
            "congestion window by k",
            '<svg class="topology"',
            "Words and abbreviations",
            '<table class="parameters">',
            '<section id="picture">',
            '<figure id="fig2"',
            "The paper, §4, in short:",
            '<section id="claims">',
            '<svg class="dots"',
            '<section id="tables">',
            '<section id="settings">',
        )
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("table1", "Table 1: x"),
        ("fig4-7", "Figure 4-7: x"),
        ("fig4-near", "Beside Figure 4: x"),
        ("fig3-ideal channel", "Beside Figure 3: x"),
        ("rivals-down", "x"),
    ],
)
def test_titles_say_what_is_shown(name: str, shown: str) -> None:
    assert heading(name, "x") == shown


# ------------------------------------------------------------------ narrow screens


def test_a_page_shows_one_of_the_two(its_page: str) -> None:
    assert '<div class="scroll wide broad"' in its_page
    assert its_page.count('<div class="narrow">') == its_page.count(" broad")
    assert "@media screen and (max-width: 46rem) { .broad { display: none; }" in its_page


# ------------------------------------------------------------------ the index page


def waiting(out: Path) -> list[PaperResult]:
    return [PaperResult(Choice(load(id_), (), 5, out / id_, quick=True)) for id_ in papers()]


def test_the_first_page_lists_all_papers_before_any_has_run(tmp_path: Path) -> None:
    files = Reproduction(waiting(tmp_path), tmp_path).files(running=True)
    assert set(files) == {INDEX, PAGE}
    page = files[INDEX].decode()
    for paper_id in papers():
        assert f'<article id="{paper_id}">' in page
        assert f'id="{paper_id}-topology-title"' in page
    assert page.count("<b>Not run yet.</b>") == len(papers())
    assert '<meta http-equiv="refresh"' in page
    assert f"Running: 0 of {len(papers())} papers are done" in page


def test_the_page_stops_reloading_when_the_run_is_over(tmp_path: Path, first_look: Outcome) -> None:
    results = waiting(tmp_path)
    results[0] = PaperResult.of(first_look)
    page = Reproduction(results, tmp_path).index()
    assert "http-equiv" not in page
    assert page.count("<b>Not run.</b>") == len(papers()) - 1
    assert '<figure id="arf-aware-tcp-fig2"' in page
    assert "NewReno gives" in page
    assert "make reproduce" in page


def test_the_first_page_opens_with_a_picture_and_three_sentences_of_what_was_found(
    tmp_path: Path, first_look: Outcome
) -> None:
    results = waiting(tmp_path)
    done = PaperResult.of(first_look)
    for place, id_ in enumerate(papers()):
        if id_ in OPENING:
            results[place] = replace(done, choice=results[place].choice, shows=f"Found by {id_}.")
    page = Reproduction(results, tmp_path).index()
    sentences = [f"Found by {id_}." for id_ in OPENING]
    words = [
        "<h1>",
        '<section id="found"',
        "<figure id=",
        *sentences,
        "airfair runs their experiments again",
        '<ul class="glance">',
    ]
    places = [page.index(each) for each in words]
    assert places == sorted(places)
    assert page.count("<figure id=") == len(OPENING), "the picture of the first is not there again"
    glance = page[page.index('<ul class="glance">') : page.index("</ul>")]
    for result in results:
        assert f">{escape(result.paper.title)}</a>" in glance
        assert f">{result.paper.id}</a>" not in glance
    assert '<section id="found"' not in Reproduction(waiting(tmp_path), tmp_path).index()


def test_the_pages_ask_for_nothing_and_their_ids_are_unique(
    tmp_path: Path, first_look: Outcome
) -> None:
    results = waiting(tmp_path)
    results[0] = PaperResult.of(first_look)
    for page in Reproduction(results, tmp_path).files().values():
        text = page.decode()
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert len(ids) == len(set(ids))
        loads = text.replace(f'<a href="{BOOK}/', "")
        assert not re.search(r"@import|<script|url\((?!#)|<link|<img|https?:", loads)
        assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)
        for link in re.findall(r'href="([^"]+)"', text):
            assert link.startswith(("#", INDEX, PAGE, f"{BOOK}/")) or "/report.html" in link
        for labelled in re.findall(r'aria-labelledby="([^"]+)"', text):
            assert set(labelled.split()) <= set(ids)
